"""Compositing: warped textures with soft edges, shadows and motion blur.

Layers are premultiplied: ``canvas = canvas * transmittance / 255 + colour``. All arrays are uint8.
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
    """A flat object seen from straight above: a card, the top of a deck.

    Attributes:
        colour: (h, w, 3) BGR, premultiplied by alpha.
        alpha: (h, w), 255 where it is opaque, 0 outside rounded corners.
        size_mm: width and height of the object.
    """

    colour: Image
    alpha: Image
    size_mm: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Layer:
    """An image to composite over a canvas.

    Attributes:
        colour: (h, w, 3) BGR, premultiplied.
        transmittance: (h, w, 3), 255 - alpha: the share of the canvas that stays visible.
        at: position of the top left corner on the canvas, (x, y) px.
    """

    colour: Image
    transmittance: Image
    at: tuple[int, int]

    @property
    def box(self) -> tuple[int, int, int, int]:
        """Bounding box on the canvas, x0, y0, x1, y1, not clipped."""
        height, width = self.colour.shape[:2]
        return (self.at[0], self.at[1], self.at[0] + width, self.at[1] + height)


def composite(canvas: Image, layer: Layer) -> None:
    """Draw a layer over the canvas, in place, clipped to the canvas."""
    found = _overlap(canvas, layer.at, layer.colour)
    if found is not None:
        on, off = found
        part = canvas[on]
        cv2.multiply(part, layer.transmittance[off], dst=part, scale=1 / 255)
        cv2.add(part, layer.colour[off], dst=part)


def apply_shadow(canvas: Image, shadow: Image, at: tuple[int, int]) -> None:
    """Multiply the canvas by a shadow, in place, clipped to the canvas.

    Args:
        shadow: (h, w, 3); 255 leaves the canvas unchanged.
        at: position of its top left corner on the canvas, (x, y) px.
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


def warp(
    texture: Texture, corners_px: Array, *, supersampling: int = 1, blur_px: float = 0.0, light: float = 1.0
) -> Layer:
    """Warp a texture onto a quadrilateral of the image.

    Args:
        corners_px: (4, 2), the positions of the texture's top left, top right, bottom right and bottom left corners.
        supersampling: factor by which it is drawn larger and averaged down, for sharp print without jagged edges.
        blur_px: sigma of the lens blur.
        light: brightness factor of the illumination there.
    """
    edge = 2 + math.ceil(3 * blur_px)
    x0, y0 = (math.floor(v) - edge for v in corners_px.min(axis=0))
    x1, y1 = (math.ceil(v) + edge for v in corners_px.max(axis=0))
    height, width = texture.alpha.shape
    flat = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - 0.5
    target = ((corners_px - (x0, y0)) * supersampling - 0.5).astype(np.float32)
    matrix = cv2.getPerspectiveTransform(flat, target)
    size = ((x1 - x0) * supersampling, (y1 - y0) * supersampling)
    colour = cv2.warpPerspective(texture.colour, matrix, size, flags=cv2.INTER_LINEAR)
    alpha = cv2.warpPerspective(texture.alpha, matrix, size, flags=cv2.INTER_LINEAR)
    return finish(colour, alpha, (x0, y0), supersampling=supersampling, blur_px=blur_px, light=light)


def finish(
    colour: Pixels,
    alpha: Pixels,
    at: tuple[int, int],
    *,
    supersampling: int = 1,
    blur_px: float = 0.0,
    light: float = 1.0,
) -> Layer:
    """Scale a supersampled layer down, apply lens blur and illumination; see `warp` for the arguments."""
    if supersampling > 1:
        size = (alpha.shape[1] // supersampling, alpha.shape[0] // supersampling)
        colour = cv2.resize(colour, size, interpolation=cv2.INTER_AREA)
        alpha = cv2.resize(alpha, size, interpolation=cv2.INTER_AREA)
    if blur_px:
        colour, alpha = (cv2.GaussianBlur(a, (0, 0), blur_px) for a in (colour, alpha))
    if light != 1.0:
        colour = cv2.convertScaleAbs(colour, alpha=light)
    transmittance = cv2.cvtColor(cv2.bitwise_not(alpha), cv2.COLOR_GRAY2BGR)
    return Layer(colour.astype(np.uint8, copy=False), transmittance.astype(np.uint8, copy=False), at)


def shadow_of(layer: Layer, *, soft_px: float, strength: float) -> tuple[Image, tuple[int, int]]:
    """Return the soft shadow of a layer's shape, and its position if it were directly below the layer.

    Args:
        soft_px: sigma of the shadow's edge. Soft shadows are computed at a quarter of the size, with the same result.
        strength: 1 is black.
    """
    edge = math.ceil(2.5 * soft_px)
    small = 4 if soft_px >= 6 else 1
    transmittance = cv2.copyMakeBorder(
        np.ascontiguousarray(layer.transmittance[:, :, 0]), edge, edge, edge, edge, cv2.BORDER_CONSTANT, value=(255.0,)
    )
    size = (transmittance.shape[1], transmittance.shape[0])
    if small > 1:
        transmittance = cv2.resize(transmittance, (size[0] // small, size[1] // small), interpolation=cv2.INTER_AREA)
    transmittance = cv2.GaussianBlur(transmittance, (0, 0), soft_px / small)
    transmittance = cv2.convertScaleAbs(transmittance, alpha=strength, beta=255 * (1 - strength))
    if small > 1:
        transmittance = cv2.resize(transmittance, size, interpolation=cv2.INTER_LINEAR)
    shadow = cv2.cvtColor(transmittance, cv2.COLOR_GRAY2BGR)
    return shadow.astype(np.uint8, copy=False), (layer.at[0] - edge, layer.at[1] - edge)


def motion_blur(layer: Layer, dx: float, dy: float) -> Layer:
    """Return the layer with the motion blur of a movement by (dx, dy) px during the exposure."""
    length = math.hypot(dx, dy)
    if length < 1.5:
        return layer
    if layer.colour.size > 3 * _LARGE_PX:
        return _box_motion_blur(layer, dx, dy)
    steps = min(8, 2 + int(length / 4))
    pad_x, pad_y = math.ceil(abs(dx) / 2) + 1, math.ceil(abs(dy) / 2) + 1
    height, width = layer.colour.shape[:2]
    shape = (height + 2 * pad_y, width + 2 * pad_x, 3)
    colour, shade = np.zeros(shape, np.uint16), np.zeros(shape[:2], np.uint16)
    alpha = cv2.bitwise_not(np.ascontiguousarray(layer.transmittance[:, :, 0]))
    for i in range(steps):
        along = (i + 0.5) / steps - 0.5
        x, y = pad_x + round(dx * along), pad_y + round(dy * along)
        colour[y : y + height, x : x + width] += layer.colour
        shade[y : y + height, x : x + width] += alpha
    mean = cv2.convertScaleAbs(colour, alpha=1 / steps)
    transmittance = cv2.cvtColor(cv2.bitwise_not(cv2.convertScaleAbs(shade, alpha=1 / steps)), cv2.COLOR_GRAY2BGR)
    return Layer(
        mean.astype(np.uint8, copy=False),
        transmittance.astype(np.uint8, copy=False),
        (layer.at[0] - pad_x, layer.at[1] - pad_y),
    )


def _box_motion_blur(layer: Layer, dx: float, dy: float) -> Layer:
    """`motion_blur` for large layers: a box filter, exact only for horizontal and vertical motion."""
    x, y = math.ceil(abs(dx) / 2) + 1, math.ceil(abs(dy) / 2) + 1
    kernel = (1 + round(abs(dx)), 1 + round(abs(dy)))
    colour = cv2.copyMakeBorder(layer.colour, y, y, x, x, cv2.BORDER_CONSTANT, value=(0.0, 0.0, 0.0))
    transmittance = cv2.copyMakeBorder(
        layer.transmittance, y, y, x, x, cv2.BORDER_CONSTANT, value=(255.0, 255.0, 255.0)
    )
    colour, transmittance = cv2.blur(colour, kernel), cv2.blur(transmittance, kernel)
    at = (layer.at[0] - x, layer.at[1] - y)
    return Layer(colour.astype(np.uint8, copy=False), transmittance.astype(np.uint8, copy=False), at)
