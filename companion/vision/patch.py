"""Reference patch of a decoded code or tag, to measure how much of it a later picture still shows.

The region is rectified and compared in blocks of 3 × 3 modules by their correlation, so that brightness and contrast do
not matter. Only modules that differ between codes count: all codes share the finder patterns, all tags the black frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.frame import Gray, Image, to_gray
from companion.vision.sightings import CodeSeen, Quad, TagSeen, to_points

Rectified = NDArray[np.float32]
"""A rectified region, float32 (side, side), gray levels."""

_MODULE_PX: Final = 3
_BLOCK: Final = 3 * _MODULE_PX
_MARGIN_PX: Final = 8
_SHIFT_PX: Final = 3  # search range, against a trembling camera and inaccurate corners
_CODE_BLOCKS: Final = 7  # along each side
_TAG_BLOCKS: Final = 2  # inside the black frame
_TAG_MODULES: Final = 8.0  # along each side, with the frame
_SAME: Final = 0.7  # minimum correlation of a block; one wrong module of nine reduces it to 0.55
_MIN_CONTRAST: Final = 6.0  # standard deviation, gray levels: noise must not correlate
_CLEAR: Final = 0.9  # visible share above which no shift has to be searched
_WHITE_RANGE: Final = 0.15  # white: within this share of the contrast from paper white
_BLACK_RANGE: Final = 0.4  # black: within this share of the contrast from the darkest modules
_MIN_CORRELATION: Final = 0.15  # of whole patches; below it no small shift makes them match


def _data_blocks() -> NDArray[np.bool_]:
    """Return the blocks of a version 1 code without finder patterns and format information, bool (7, 7)."""
    blocks = np.ones((_CODE_BLOCKS, _CODE_BLOCKS), bool)
    blocks[:3, :3] = blocks[:3, 4:] = blocks[4:, :3] = False
    return blocks


_DATA: Final = {_CODE_BLOCKS: _data_blocks(), _TAG_BLOCKS: np.ones((_TAG_BLOCKS, _TAG_BLOCKS), bool)}


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """The reference appearance of a decoded code or tag.

    Attributes:
        corners: of the code or tag, px.
        pixels: its rectified modules.
        paper: gray level of the paper around it.
    """

    corners: Quad
    pixels: Rectified
    paper: float

    @classmethod
    def of(cls, seen: CodeSeen | TagSeen, image: Image | Gray) -> Patch:
        """Return the patch of a code or tag in the picture it was read from, uint8 (H, W) or (H, W, 3)."""
        blocks = _CODE_BLOCKS if isinstance(seen, CodeSeen) else _TAG_BLOCKS
        part = _part(image, seen.corners)
        paper = float(np.percentile(part, 95)) if part.size else 255.0
        return cls(seen.corners, _rectified(image, seen.corners, blocks, 0), paper)

    def visible_share(self, image: Image | Gray) -> float:
        """Return the share that a picture shows in the same place, 0 to 1."""
        blocks = self.pixels.shape[0] // _BLOCK
        now = _rectified(image, self.corners, blocks, _SHIFT_PX)
        side = blocks * _BLOCK
        middle = now[_SHIFT_PX : _SHIFT_PX + side, _SHIFT_PX : _SHIFT_PX + side]
        share = _matching_share(middle, self.pixels)
        if share >= _CLEAR or _correlation(middle, self.pixels) < _MIN_CORRELATION:
            return share
        _, _, _, (x, y) = cv2.minMaxLoc(cv2.matchTemplate(now, self.pixels, cv2.TM_CCOEFF_NORMED))
        return max(share, _matching_share(now[y : y + side, x : x + side], self.pixels))

    def changed_colors(self, image: Image | Gray) -> tuple[float, float]:
        """Return the share of its place that has turned from black to paper white, and from white to black."""
        now = _rectified(image, self.corners, self.pixels.shape[0] // _BLOCK, 0)
        dark = float(np.percentile(self.pixels, 10))
        black, white = dark + _BLACK_RANGE * (self.paper - dark), self.paper - _WHITE_RANGE * (self.paper - dark)
        turned_white, turned_black = (now > white) & (self.pixels < black), (now < black) & (self.pixels > white)
        return float(turned_white.mean()), float(turned_black.mean())


def _rectified(image: Image | Gray, corners: Quad, blocks: int, margin_px: int) -> Rectified:
    """Return a rectified region with a margin of `margin_px` rectified pixels."""
    gray = _part(image, corners)
    side = blocks * _BLOCK
    if gray.size == 0:
        return np.zeros((side + 2 * margin_px, side + 2 * margin_px), np.float32)
    # A tag's corners are those of its frame, one module outside the compared region.
    frame = (_TAG_MODULES * _MODULE_PX - side) / 2 if blocks == _TAG_BLOCKS else 0.0
    a, b = margin_px - frame, margin_px + side + frame
    square = np.array([[a, a], [b, a], [b, b], [a, b]], np.float32) - 0.5
    matrix = cv2.getPerspectiveTransform(to_points(corners) - np.array(_start(corners), np.float32) - 0.5, square)
    whole = (side + 2 * margin_px, side + 2 * margin_px)
    return cv2.warpPerspective(gray, matrix, whole, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)


def _part(image: Image | Gray, corners: Quad) -> Gray:
    """Return the part of a picture around a region, with a margin."""
    x0, y0 = _start(corners)
    x1, y1 = np.maximum(np.ceil(to_points(corners).max(axis=0)).astype(int) + _MARGIN_PX + 1, 0)
    part = image[y0:y1, x0:x1]
    return part if part.ndim == 2 else to_gray(part)


def _start(corners: Quad) -> tuple[int, int]:
    x, y = np.maximum(np.floor(to_points(corners).min(axis=0)).astype(int) - _MARGIN_PX, 0).tolist()
    return x, y


def _matching_share(now: Rectified, then: Rectified) -> float:
    """Return the share of the informative blocks in which two patches agree."""
    blocks = then.shape[0] // _BLOCK
    mean_now, mean_then = _by_block(now, blocks), _by_block(then, blocks)
    variance_then = _by_block(then * then, blocks) - mean_then * mean_then
    variance_now = _by_block(now * now, blocks) - mean_now * mean_now
    covariance = _by_block(now * then, blocks) - mean_now * mean_then
    min_variance = _MIN_CONTRAST**2
    informative = _DATA[blocks] & (variance_then > min_variance)  # not blocks of one color
    same = covariance > _SAME * np.sqrt(
        np.maximum(variance_then, min_variance) * np.maximum(variance_now, min_variance)
    )
    return int(np.count_nonzero(same & informative)) / max(1, int(np.count_nonzero(informative)))


def _correlation(a: Rectified, b: Rectified) -> float:
    return float(cv2.matchTemplate(np.ascontiguousarray(a), b, cv2.TM_CCOEFF_NORMED)[0, 0])


def _by_block(values: Rectified, blocks: int) -> Rectified:
    return np.asarray(cv2.resize(values, (blocks, blocks), interpolation=cv2.INTER_AREA), np.float32)
