"""Reference patch of a decoded code or tag, and how much of it the current picture still shows.

The region is rectified and compared block by block, three modules wide, with contrast and brightness normalised, so
that lamps and shadows do not matter. Only modules that differ between codes count: every code has the same finder
patterns and every tag the same black frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.frame import Gray, Image, to_gray
from companion.vision.sightings import CodeSeen, Quad, TagSeen, to_points

Flat = NDArray[np.float32]
"""A place seen from straight above, float32 (side, side)."""

_MODULE_PX: Final = 3
_BLOCK: Final = 3 * _MODULE_PX
_MARGIN_PX: Final = 8
_SLACK_PX: Final = 3  # the camera trembles, a corner was read half a pixel off
_CODE_BLOCKS: Final = 7
_TAG_BLOCKS: Final = 2  # inside the black frame
_TAG_SIDE: Final = 8.0  # modules, with the frame
_SAME: Final = 0.7  # correlation of a block; one other module of nine brings it down to 0.55
_LEAST_CONTRAST: Final = 6.0  # grey levels: sensors' noise alone makes no likeness
_CLEAR: Final = 0.9
_AS_WHITE: Final = 0.15  # of the way from white to black
_AS_BLACK: Final = 0.4
_HOPE: Final = 0.15  # correlation of the whole below which no small shift makes two patches match


def _data_blocks() -> NDArray[np.bool_]:
    """Return which blocks of a version 1 code hold neither finder patterns nor the format beside them."""
    blocks = np.ones((_CODE_BLOCKS, _CODE_BLOCKS), bool)
    blocks[:3, :3] = blocks[:3, 4:] = blocks[4:, :3] = False
    return blocks


_DATA: Final = {_CODE_BLOCKS: _data_blocks(), _TAG_BLOCKS: np.ones((_TAG_BLOCKS, _TAG_BLOCKS), bool)}


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """The reference appearance of a decoded code or tag.

    Attributes:
        corners: of what was read, px.
        pixels: its modules from straight above.
        paper: grey level of the white round it.
    """

    corners: Quad
    pixels: Flat
    paper: float

    @classmethod
    def of(cls, seen: CodeSeen | TagSeen, image: Image | Gray) -> Patch:
        """Return the patch of what was just read in a picture, uint8 (H, W) or (H, W, 3)."""
        blocks = _CODE_BLOCKS if isinstance(seen, CodeSeen) else _TAG_BLOCKS
        part = _part(image, seen.corners)
        paper = float(np.percentile(part, 95)) if part.size else 255.0
        return cls(seen.corners, _flat(image, seen.corners, blocks, 0), paper)

    def support(self, image: Image | Gray) -> float:
        """Return the share of it that a picture shows at its place: 1.0 if it lies there openly."""
        blocks = self.pixels.shape[0] // _BLOCK
        now = _flat(image, self.corners, blocks, _SLACK_PX)
        side = blocks * _BLOCK
        middle = now[_SLACK_PX : _SLACK_PX + side, _SLACK_PX : _SLACK_PX + side]
        share = _alike(middle, self.pixels)
        if share >= _CLEAR or _correlation(middle, self.pixels) < _HOPE:
            return share
        _, _, _, (x, y) = cv2.minMaxLoc(cv2.matchTemplate(now, self.pixels, cv2.TM_CCOEFF_NORMED))
        return max(share, _alike(now[y : y + side, x : x + side], self.pixels))

    def strange(self, image: Image | Gray) -> tuple[float, float]:
        """Return the shares of its place that are as white as its paper where it was black, and the other way round."""
        now = _flat(image, self.corners, self.pixels.shape[0] // _BLOCK, 0)
        dark = float(np.percentile(self.pixels, 10))
        black, white = dark + _AS_BLACK * (self.paper - dark), self.paper - _AS_WHITE * (self.paper - dark)
        turned_white, turned_black = (now > white) & (self.pixels < black), (now < black) & (self.pixels > white)
        return float(turned_white.mean()), float(turned_black.mean())


def _flat(image: Image | Gray, corners: Quad, blocks: int, slack_px: int) -> Flat:
    """Return a place from straight above, with so many pixels more all round."""
    gray = _part(image, corners)
    side = blocks * _BLOCK
    if gray.size == 0:
        return np.zeros((side + 2 * slack_px, side + 2 * slack_px), np.float32)
    # A tag's corners are those of its frame, one module outside of what is compared.
    frame = (_TAG_SIDE * _MODULE_PX - side) / 2 if blocks == _TAG_BLOCKS else 0.0
    a, b = slack_px - frame, slack_px + side + frame
    square = np.array([[a, a], [b, a], [b, b], [a, b]], np.float32) - 0.5
    matrix = cv2.getPerspectiveTransform(to_points(corners) - np.array(_start(corners), np.float32) - 0.5, square)
    whole = (side + 2 * slack_px, side + 2 * slack_px)
    return cv2.warpPerspective(gray, matrix, whole, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)


def _part(image: Image | Gray, corners: Quad) -> Gray:
    """Return a place with its white margin as it lies in the picture."""
    x0, y0 = _start(corners)
    x1, y1 = np.maximum(np.ceil(to_points(corners).max(axis=0)).astype(int) + _MARGIN_PX + 1, 0)
    part = image[y0:y1, x0:x1]
    return part if part.ndim == 2 else to_gray(part)


def _start(corners: Quad) -> tuple[int, int]:
    x, y = np.maximum(np.floor(to_points(corners).min(axis=0)).astype(int) - _MARGIN_PX, 0).tolist()
    return x, y


def _alike(now: Flat, then: Flat) -> float:
    """Return the share of the blocks that tell codes apart in which two patches agree."""
    blocks = then.shape[0] // _BLOCK
    mean_now, mean_then = _by_block(now, blocks), _by_block(then, blocks)
    spread_then = _by_block(then * then, blocks) - mean_then * mean_then
    spread_now = _by_block(now * now, blocks) - mean_now * mean_now
    shared = _by_block(now * then, blocks) - mean_now * mean_then
    least = _LEAST_CONTRAST**2
    informative = _DATA[blocks] & (spread_then > least)  # a block all white or all black tells nothing
    same = shared > _SAME * np.sqrt(np.maximum(spread_then, least) * np.maximum(spread_now, least))
    return int(np.count_nonzero(same & informative)) / max(1, int(np.count_nonzero(informative)))


def _correlation(a: Flat, b: Flat) -> float:
    return float(cv2.matchTemplate(np.ascontiguousarray(a), b, cv2.TM_CCOEFF_NORMED)[0, 0])


def _by_block(values: Flat, blocks: int) -> Flat:
    return np.asarray(cv2.resize(values, (blocks, blocks), interpolation=cv2.INTER_AREA), np.float32)
