"""Reads the tag on the upper face of our printed day-and-night die."""

import threading
from math import hypot
from typing import Final

import cv2
import numpy as np

from companion.objects.cards import DIE_FACE_TAGS
from companion.vision.decoders.tags import TagFinder
from companion.vision.dice.boxes import DieBox, crop_of
from companion.vision.frame import Image, to_gray
from companion.vision.sightings import TagSeen, center_of

_CROP_PX: Final = 320
_OWN: Final = threading.local()
_NEAR: Final = 0.2  # maximum distance of the upper face's tag from the die's center, in die sizes


def tagged_face(image: Image, die: DieBox) -> int | None:
    """Return the printed upper face, as the d20 value it represents; None without a readable tag of ours.

    The neighboring faces' tags lie farther out and are foreshortened.
    """
    gray = to_gray(crop_of(image, die, side_px=_CROP_PX))
    ours = [tag for tag in _finder().find(gray) if tag.number in DIE_FACE_TAGS]
    near = sorted(((_from_middle(tag), tag) for tag in ours), key=lambda pair: pair[0])
    if not near or near[0][0] > _NEAR * _CROP_PX / 1.25:
        return None
    best = near[0][1]
    if any(_area(tag) > 1.1 * _area(best) for _, tag in near[1:]):
        return None  # another face is more frontal
    return DIE_FACE_TAGS.index(best.number) + 1


def _finder() -> TagFinder:
    """Return this thread's tag detector: creating one takes longer than ten searches."""
    if not hasattr(_OWN, "finder"):
        _OWN.finder = TagFinder(max_errors=0)
    finder: TagFinder = _OWN.finder
    return finder


def _from_middle(tag: TagSeen) -> float:
    x, y = center_of(tag.corners)
    return hypot(x - _CROP_PX / 2, y - _CROP_PX / 2)


def _area(tag: TagSeen) -> float:
    return float(cv2.contourArea(np.array(tag.corners, np.float32)))
