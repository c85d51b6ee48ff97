"""Stacks of equal objects (deck, discard pile, chips), drawn as one solid with lines between the layers."""

import math
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np

from hardware.demo.layers import Array, Image, Layer, Texture, composite, finish, shadow_of, warp
from hardware.demo.layout import Pose
from hardware.demo.pinhole import Pinhole

Bgr = tuple[int, int, int]
PAPER_EDGE: Final[Bgr] = (188, 196, 200)
PAPER_LINE: Final[Bgr] = (138, 146, 152)

_SUPERSAMPLING: Final = 2
_ROUND_STEPS: Final = 40
_THIN_MM: Final = 1.0  # for thinner layers, only every other line is drawn


@dataclass(frozen=True, slots=True)
class Block:
    """A stack.

    Attributes:
        top: texture of the top.
        pose: pose of the base.
        count: number of layers.
        thickness_mm: thickness of each layer.
        edge: colour of the sides.
        line: colour of the lines between the layers.
        is_round: whether the outline is a circle (or ellipse) rather than a rectangle.
    """

    top: Texture
    pose: Pose
    count: int
    thickness_mm: float
    edge: Bgr = PAPER_EDGE
    line: Bgr = PAPER_LINE
    is_round: bool = False

    @property
    def height_mm(self) -> float:
        return self.count * self.thickness_mm

    def ring(self, camera: Pinhole, z_mm: float) -> Array:
        """Return the outline at a height above the felt, (N, 2) px."""
        width, height = self.top.size_mm
        corners = replace(self.pose, z=z_mm).corners(width, height)
        if not self.is_round:
            return camera.project(corners)
        turn = np.linspace(0, 2 * math.pi, _ROUND_STEPS, endpoint=False)
        middle = corners.mean(axis=0)
        rim = np.column_stack([np.cos(turn) * width / 2, np.sin(turn) * height / 2, np.zeros_like(turn)])
        return camera.project(middle + rim)


@dataclass(frozen=True, slots=True)
class BlockPicture:
    """The camera's view of a stack, without illumination, and its shadow, (h, w, 3), with its position."""

    layer: Layer
    shadow: Image
    shadow_at: tuple[int, int]


def draw_block(block: Block, camera: Pinhole, *, blur_px: float, lamp_shift: tuple[float, float]) -> BlockPicture:
    """Draw a stack.

    Args:
        blur_px: sigma of the lens blur.
        lamp_shift: offset of shadows in x and y, mm per mm of height.
    """
    base, upper = block.ring(camera, 0.0), block.ring(camera, block.height_mm)
    both = np.vstack([base, upper])
    x0, y0 = (math.floor(v) - 4 for v in both.min(axis=0))
    x1, y1 = (math.ceil(v) + 4 for v in both.max(axis=0))
    shape = ((y1 - y0) * _SUPERSAMPLING, (x1 - x0) * _SUPERSAMPLING)
    alpha, colour = np.zeros(shape, np.uint8), np.zeros((*shape, 3), np.uint8)
    hull = cv2.convexHull(((both - (x0, y0)) * _SUPERSAMPLING).astype(np.int32))
    cv2.fillConvexPoly(alpha, hull, 255, cv2.LINE_AA)
    cv2.fillConvexPoly(colour, hull, block.edge, cv2.LINE_AA)
    for i in range(1, block.count, 2 if block.thickness_mm < _THIN_MM else 1):
        ring = base + (upper - base) * (i / block.count)
        cv2.polylines(colour, [((ring - (x0, y0)) * _SUPERSAMPLING).astype(np.int32)], True, block.line, 1, cv2.LINE_AA)
    layer = finish(colour, alpha, (x0, y0), supersampling=_SUPERSAMPLING, blur_px=blur_px)
    shadow, (sx, sy) = shadow_of(
        layer, soft_px=camera.px_per_mm * (1.2 + 0.1 * min(block.height_mm, 20)), strength=0.55
    )
    part = layer.colour.copy()
    composite(part, _top(block, camera, blur_px, (x0, y0)))
    shift = [round(camera.px_per_mm * (0.4 + block.height_mm * s * 0.5)) for s in lamp_shift]
    return BlockPicture(replace(layer, colour=part), shadow, (sx + shift[0], sy + shift[1]))


def _top(block: Block, camera: Pinhole, blur_px: float, at: tuple[int, int]) -> Layer:
    corners = camera.project(replace(block.pose, z=block.height_mm).corners(*block.top.size_mm))
    layer = warp(block.top, corners, supersampling=_SUPERSAMPLING, blur_px=blur_px)
    return replace(layer, at=(layer.at[0] - at[0], layer.at[1] - at[1]))
