"""Picture quality: glare and focus for the dealer's meters, sampled every few seconds; flicker of the light."""

from collections.abc import Iterator, Sequence
from typing import Final, TypedDict

import cv2
import numpy as np

from companion.vision.frame import Gray, Image, to_gray
from companion.vision.sightings import FrameReading, Quad

_MEASUREMENT_INTERVAL_S: Final = 2.0
_GLARE_SAMPLE_STEP_PX: Final = 8  # px between the points sampled for glare
_WHITE_LEVEL: Final = 250
_MAX_CROPS: Final = 6
_MIN_CONTRAST: Final = 40
_AVERAGED_SIZE: Final = (72, 48)  # rows and columns of the averaged picture; mains flicker causes two to four bands
_DARK_LEVEL: Final = 16  # grey level below which a brightness ratio is meaningless
_SMOOTHING_WEIGHT: Final = 0.5  # weight of a new measurement in the displayed value: smooths the meters


class OpticsReport(TypedDict):
    """Picture quality; None while unknown."""

    glare_percent: float | None
    edge_px: float | None


class Optics:
    """Measures glare and focus of the camera's pictures. Not thread-safe."""

    def __init__(self) -> None:
        self._next = float("-inf")
        self._glare: float | None = None
        self._focus: float | None = None

    def see(self, image: Image, reading: FrameReading, t: float) -> None:
        """Measure a frame if a measurement is due and nothing moves."""
        if t < self._next or reading.moving or image.size == 0:
            return
        self._next = t + _MEASUREMENT_INTERVAL_S
        self._glare = _blended(self._glare, glare_share(image))
        widths = [w for crop in _crops(image, reading) if (w := edge_px(crop)) is not None]
        if widths:
            self._focus = _blended(self._focus, float(np.median(widths)))

    def report(self) -> OpticsReport:
        """Return the overexposed share of the picture, percent, and the width of sharp edges, px."""
        glare = None if self._glare is None else round(100 * self._glare, 1)
        return {"glare_percent": glare, "edge_px": None if self._focus is None else round(self._focus, 1)}


def glare_share(image: Image) -> float:
    """Return the share of the picture that is overexposed to white, 0 to 1.

    Args:
        image: uint8 (H, W, 3) BGR.
    """
    return float((image[::_GLARE_SAMPLE_STEP_PX, ::_GLARE_SAMPLE_STEP_PX].min(axis=2) >= _WHITE_LEVEL).mean())


def flicker_share(pictures: Sequence[Image]) -> float | None:
    """Return the relative amplitude of the light's flicker between pictures; None if it cannot be measured.

    A lamp flickering at mains frequency causes wandering bands, an unsteady one brightens whole pictures. A hand or a
    card moves only in part of a row, so the row's median ignores it.

    Args:
        pictures: uint8 (H, W, 3) BGR of one size, taken in quick succession; at least three.
    """
    if len(pictures) < 3 or len({picture.shape for picture in pictures}) > 1 or pictures[0].size == 0:
        return None
    rows, columns = _AVERAGED_SIZE
    small = np.stack(
        [cv2.resize(to_gray(one).astype(np.float32), (columns, rows), interpolation=cv2.INTER_AREA) for one in pictures]
    )
    usual = np.median(small, axis=0)
    is_lit = (usual > _DARK_LEVEL) & (usual < _WHITE_LEVEL)
    is_told = is_lit.mean(axis=1) > 0.5
    if not is_told.any():
        return None
    ratio = np.where(is_lit, small / np.maximum(usual, 1.0), np.nan)[:, is_told]
    low, high = np.percentile(np.nanmedian(ratio, axis=2), (5, 95))
    return float(high - low) / 2


def edge_px(crop: Gray) -> float | None:
    """Return the width, in px from black to white, of the sharpest edges of a code or tag; None without contrast.

    About 1.5 is sharp; from 3 on, codes are hard to read.

    Args:
        crop: uint8 (h, w).
    """
    if min(crop.shape) < 8:
        return None
    low, high = np.percentile(crop, (5, 95))
    contrast = float(high - low)
    if contrast < _MIN_CONTRAST:
        return None
    values = crop.astype(np.float32)
    slope = np.hypot(cv2.Sobel(values, cv2.CV_32F, 1, 0, scale=0.125), cv2.Sobel(values, cv2.CV_32F, 0, 1, scale=0.125))
    return contrast / max(1e-3, float(np.percentile(slope, 98)))


def _crops(image: Image, reading: FrameReading) -> Iterator[Gray]:
    quads = [tag.corners for tag in reading.mat_tags]
    quads += [card.corners for card in reading.cards if card.visible >= 1.0 and card.status == "ok"]
    for quad in quads[:_MAX_CROPS]:
        x0, y0, x1, y1 = _bounds(quad)
        crop = image[max(0, y0) : y1, max(0, x0) : x1]
        if crop.size:
            yield to_gray(crop)


def _bounds(quad: Quad) -> Sequence[int]:
    xs, ys = [p[0] for p in quad], [p[1] for p in quad]
    return int(min(xs)), int(min(ys)), int(max(xs)) + 1, int(max(ys)) + 1


def _blended(before: float | None, now: float) -> float:
    return now if before is None else before + _SMOOTHING_WEIGHT * (now - before)
