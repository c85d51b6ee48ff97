"""AprilTag 36h11 detection. Wraps the detector behind `TagFinder`; nothing else imports it.

AprilTag's own detector reads small and blurred tags better than OpenCV's ArUco module, and a third faster
(`tests/bench/accuracy_vision.py` prints both).
"""

from collections.abc import Iterable
from typing import Final

import numpy as np
import pyapriltags

from companion.vision.decoders.qr import without_duplicates
from companion.vision.frame import Gray, Points
from companion.vision.sightings import TagSeen, to_quad

_MIN_SIDE_PX: Final = 32  # the detector reads beyond the border of smaller pictures
_MIN_MARGIN: Final = 12.0  # mean contrast between a bit and its threshold, gray levels


class TagFinder:
    """Finds tags. Not thread-safe.

    Args:
        max_errors: number of bits that may be corrected. Tags differ in at least 11 bits, so the limit is not against
            mix-ups but against false detections in clutter.
        decimate: reduction of the picture for the search for squares (for pictures of many megapixels).
    """

    def __init__(self, *, max_errors: int = 1, decimate: float = 1.0) -> None:
        self.max_errors = max_errors
        self._detector = pyapriltags.Detector(
            families="tag36h11", nthreads=1, quad_decimate=decimate, quad_sigma=0.0, decode_sharpening=0.25
        )
        _limit_errors(self._detector, max_errors)

    def find(self, gray: Gray) -> tuple[TagSeen, ...]:
        """Return the tags in a picture, uint8 (H, W) of any size."""
        if gray.size == 0:
            return ()
        found = self._detector.detect(_padded(gray))
        good = [d for d in found if d.hamming <= self.max_errors and d.decision_margin >= _MIN_MARGIN]
        # The detector lists corners counter-clockwise from the tag's top right.
        return tuple(TagSeen(int(d.tag_id), to_quad(_from_top_left(d.corners)), int(d.hamming)) for d in good)


def _limit_errors(detector: pyapriltags.Detector, errors: int) -> None:
    """Limit a detector's lookup table to this many wrong bits instead of two: the table for two takes 19 MB."""
    library, pointer = detector.libc, detector.tag_detector_ptr
    assert library is not None  # the detector raises otherwise
    library.apriltag_detector_clear_families(pointer)
    for family in detector.tag_families.values():
        library.apriltag_detector_add_family_bits(pointer, family, errors)


def merge_tags(tags: Iterable[TagSeen]) -> tuple[TagSeen, ...]:
    """Return the tags without duplicates: same number, centers closer than half a side. The first one stays."""
    return without_duplicates(tags, lambda tag: tag.number)


def _from_top_left(corners: Points) -> Points:
    return np.roll(corners[::-1], 2, axis=0).astype(np.float32)


def _padded(gray: Gray) -> Gray:
    below, right = (max(0, _MIN_SIDE_PX - side) for side in gray.shape)
    if below or right:
        gray = np.pad(gray, ((0, below), (0, right)), mode="edge")
    return np.ascontiguousarray(gray)
