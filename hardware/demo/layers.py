"""Compositing: warped textures with soft edges, shadows and motion blur.

A layer is premultiplied: ``canvas = canvas * clear / 255 + colour``. All arrays are uint8.
"""

import math
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Array = NDArray[np.float64]
Pixels = NDArray[np.integer[Any] | np.floating[Any]]

_LARGE_PX = 100_000


@dataclass(frozen=True, slots=True)
class Texture:
    """A flat thing seen straight from above: a card, a deck's top.

    Attributes:
        colour: (h, w, 3) BGR, already multiplied by the cover.
        cover: (h, w), 255 where it is opaque (rounded corners are 0).
        size_mm: width and height it stands for.
    """

    colour: Image
    cover: Image
    size_mm: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Layer:
    """A picture to lay over a canvas with its top left at ``at`` (x, y) px.

    Attributes:
        colour: (h, w, 3), premultiplied.
        clear: (h, w, 3), how much of what is below still shows, 255 all of it.
    """

    colour: Image
    clear: Image
    at: tuple[int, int]

    @property
    def box(self) -> tuple[int, int, int, int]:
        """x0, y0, x1, y1 on the canvas, not clipped."""
        height, width = self.colour.shape[:2]
        return (self.at[0], self.at[1], self.at[0] + width, self.at[1] + height)


def lay(canvas: Image, layer: Layer) -> None:
    """Lay a layer over the canvas, in place; what hangs over the edge is cut off."""
    found = _overlap(canvas, layer.at, layer.colour)
    if found is not None:
        on, off = found
        part = canvas[on]
        cv2.multiply(part, layer.clear[off], dst=part, scale=1 / 255)
        cv2.add(part, layer.colour[off], dst=part)


def darken(canvas: Image, shadow: Image, at: tuple[int, int]) -> None:
    """Multiply the canvas by a shadow in place.

    Args:
        shadow: (h, w, 3), 255 leaves the canvas as it is.
    """
    found = _overlap(canvas, at, shadow)
    if found is not None:
        on, off = found
        cv2.multiply(canvas[on], shadow[off], dst=canvas[on], scale=1 / 255)


def _overlap(
    canvas: Image, at: tuple[int, int], piece: Image
) -> tuple[tuple[slice, slice], tuple[slice, slice]] | None:
    x, y = at
    x0, y0 = max(x, 0), max(y, 0)
    x1 = min(x + piece.shape[1], canvas.shape[1])
    y1 = min(y + piece.shape[0], canvas.shape[0])
    if x0 >= x1 or y0 >= y1:
        return None
    return (slice(y0, y1), slice(x0, x1)), (slice(y0 - y, y1 - y), slice(x0 - x, x1 - x))


def warp(texture: Texture, corners_px: Array, *, fine: int = 1, blur_px: float = 0.0, light: float = 1.0) -> Layer:
    """Show a texture on a quadrilateral of the picture.

    Args:
        corners_px: (4, 2), where the texture's top left, top right, bottom right, bottom left appear.
        fine: draws so many times larger and averages, for crisp print without jagged edges.
        blur_px: the lens's blur (sigma).
        light: brightness of the lamp there.
    """
    edge = 2 + math.ceil(3 * blur_px)
    x0, y0 = (math.floor(v) - edge for v in corners_px.min(axis=0))
    x1, y1 = (math.ceil(v) + edge for v in corners_px.max(axis=0))
    height, width = texture.cover.shape
    flat = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - 0.5
    target = ((corners_px - (x0, y0)) * fine - 0.5).astype(np.float32)
    matrix = cv2.getPerspectiveTransform(flat, target)
    size = ((x1 - x0) * fine, (y1 - y0) * fine)
    colour = cv2.warpPerspective(texture.colour, matrix, size, flags=cv2.INTER_LINEAR)
    cover = cv2.warpPerspective(texture.cover, matrix, size, flags=cv2.INTER_LINEAR)
    return finish(colour, cover, (x0, y0), fine=fine, blur_px=blur_px, light=light)


def finish(
    colour: Pixels,
    cover: Pixels,
    at: tuple[int, int],
    *,
    fine: int = 1,
    blur_px: float = 0.0,
    light: float = 1.0,
) -> Layer:
    """Average a finely drawn layer down, blur it and put it under the lamp."""
    if fine > 1:
        size = (cover.shape[1] // fine, cover.shape[0] // fine)
        colour = cv2.resize(colour, size, interpolation=cv2.INTER_AREA)
        cover = cv2.resize(cover, size, interpolation=cv2.INTER_AREA)
    if blur_px:
        colour, cover = (cv2.GaussianBlur(a, (0, 0), blur_px) for a in (colour, cover))
    if light != 1.0:
        colour = cv2.convertScaleAbs(colour, alpha=light)
    clear = cv2.cvtColor(cv2.bitwise_not(cover), cv2.COLOR_GRAY2BGR)
    return Layer(colour.astype(np.uint8, copy=False), clear.astype(np.uint8, copy=False), at)


def shadow_of(layer: Layer, *, soft_px: float, strength: float) -> tuple[Image, tuple[int, int]]:
    """Return the soft shadow of a layer's shape and its place, not yet moved away from the lamp.

    Args:
        soft_px: sigma of its edge; drawn at a quarter of the size when it is soft, with the same result.
        strength: 1 would be black.
    """
    edge = math.ceil(2.5 * soft_px)
    small = 4 if soft_px >= 6 else 1
    clear = cv2.copyMakeBorder(
        np.ascontiguousarray(layer.clear[:, :, 0]), edge, edge, edge, edge, cv2.BORDER_CONSTANT, value=(255.0,)
    )
    size = (clear.shape[1], clear.shape[0])
    if small > 1:
        clear = cv2.resize(clear, (size[0] // small, size[1] // small), interpolation=cv2.INTER_AREA)
    clear = cv2.GaussianBlur(clear, (0, 0), soft_px / small)
    clear = cv2.convertScaleAbs(clear, alpha=strength, beta=255 * (1 - strength))
    if small > 1:
        clear = cv2.resize(clear, size, interpolation=cv2.INTER_LINEAR)
    shadow = cv2.cvtColor(clear, cv2.COLOR_GRAY2BGR)
    return shadow.astype(np.uint8, copy=False), (layer.at[0] - edge, layer.at[1] - edge)


def smear(layer: Layer, dx: float, dy: float) -> Layer:
    """Return the layer blurred by a move of (dx, dy) px while the shutter is open."""
    length = math.hypot(dx, dy)
    if length < 1.5:
        return layer
    if layer.colour.size > 3 * _LARGE_PX:
        return _smear_roughly(layer, dx, dy)
    steps = min(8, 2 + int(length / 4))
    pad_x, pad_y = math.ceil(abs(dx) / 2) + 1, math.ceil(abs(dy) / 2) + 1
    height, width = layer.colour.shape[:2]
    shape = (height + 2 * pad_y, width + 2 * pad_x, 3)
    colour, shade = np.zeros(shape, np.uint16), np.zeros(shape[:2], np.uint16)
    cover = cv2.bitwise_not(np.ascontiguousarray(layer.clear[:, :, 0]))
    for i in range(steps):
        along = (i + 0.5) / steps - 0.5
        x, y = pad_x + round(dx * along), pad_y + round(dy * along)
        colour[y : y + height, x : x + width] += layer.colour
        shade[y : y + height, x : x + width] += cover
    mean = cv2.convertScaleAbs(colour, alpha=1 / steps)
    clear = cv2.cvtColor(cv2.bitwise_not(cv2.convertScaleAbs(shade, alpha=1 / steps)), cv2.COLOR_GRAY2BGR)
    return Layer(
        mean.astype(np.uint8, copy=False),
        clear.astype(np.uint8, copy=False),
        (layer.at[0] - pad_x, layer.at[1] - pad_y),
    )


def _smear_roughly(layer: Layer, dx: float, dy: float) -> Layer:
    """`smear` for large layers: a box instead of a line, the same where the motion is upright or level."""
    x, y = math.ceil(abs(dx) / 2) + 1, math.ceil(abs(dy) / 2) + 1
    kernel = (1 + round(abs(dx)), 1 + round(abs(dy)))
    colour = cv2.copyMakeBorder(layer.colour, y, y, x, x, cv2.BORDER_CONSTANT, value=(0.0, 0.0, 0.0))
    clear = cv2.copyMakeBorder(layer.clear, y, y, x, x, cv2.BORDER_CONSTANT, value=(255.0, 255.0, 255.0))
    colour, clear = cv2.blur(colour, kernel), cv2.blur(clear, kernel)
    at = (layer.at[0] - x, layer.at[1] - y)
    return Layer(colour.astype(np.uint8, copy=False), clear.astype(np.uint8, copy=False), at)
