"""Renders a wheel for live video: static parts once, rotor and ball in each picture."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rendering.wheels.rotor_art import Bgr, Pocket, unrolled
from companion.rendering.wheels.shape import (
    BALL,
    FLOOR,
    FLOOR_END,
    ROTOR,
    TRACK,
    Ball,
    Eye,
    Floats,
    height_at,
    met,
    seen_at,
    slope_at,
)

Image = NDArray[np.uint8]
_WOOD: Final[Bgr] = (38, 66, 118)
_SUN: Final = np.array([-0.45, -0.5, 0.74], np.float32)
_IVORY: Final = np.array([232, 240, 243], np.float32)
_SHARP: Final = 1.4  # rows of the unrolled rotor per pixel
_MARGIN: Final = 1.02


@dataclass(frozen=True, slots=True)
class Place:
    """Placement of a wheel: pixel of its axis, radius in mm, pixels per mm of table, and the camera."""

    at: tuple[float, float]
    wheel_mm: float
    px_per_mm: float
    eye: Eye


class Wheel:
    """A wheel under a fixed camera. Not thread-safe.

    Args:
        pockets: the pockets, clockwise.
    """

    def __init__(self, pockets: Sequence[Pocket], place: Place) -> None:
        self.pockets, self.place = tuple(pockets), place
        half = int(1.13 * place.wheel_mm * place.px_per_mm)
        self._corner = (round(place.at[0]) - half, round(place.at[1]) - half)
        side = np.arange(2 * half, dtype=np.float32)
        x, y = np.meshgrid(*((side + self._corner[k] - np.float32(place.at[k])) / place.px_per_mm for k in (0, 1)))
        seen_x, seen_y = met(x, y, place.eye, place.wheel_mm)
        radius = np.hypot(seen_x, seen_y)
        self._still = (seen_x, seen_y, radius)
        self._light = _light(seen_x, seen_y, radius, place)
        self._art = unrolled(self.pockets, place.wheel_mm, _SHARP * place.px_per_mm, _WOOD)
        self._columns = self._art.shape[1]
        self._art = np.hstack([self._art, self._art, self._art[:, :1]])
        self._cut_rotor(seen_x, seen_y, radius)

    def _cut_rotor(self, x: Floats, y: Floats, radius: Floats) -> None:
        """Crop the maps to the rotor."""
        on = radius < ROTOR * self.place.wheel_mm
        rows, columns = np.flatnonzero(on.any(axis=1)), np.flatnonzero(on.any(axis=0))
        part = (slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1))
        self._rotor_at = (self._corner[0] + int(columns[0]), self._corner[1] + int(rows[0]))
        angle = np.arctan2(y[part], x[part]) % (2 * np.pi)
        self._angle = np.asarray(angle * (self._columns / (2 * np.pi)), np.float32)
        self._row = np.asarray(radius[part] * np.float32(_SHARP * self.place.px_per_mm), np.float32)
        self._mask = on[part].astype(np.uint8)
        shade, gloss = (field[part] for field in self._light)
        self._shade = cv2.merge([np.clip(shade * 160, 0, 255).astype(np.uint8)] * 3)
        self._gloss = cv2.merge([np.clip(gloss, 0, 255).astype(np.uint8)] * 3)

    # ---- drawing

    def draw_still(self, canvas: Image) -> None:
        """Draw the static parts onto the picture of the empty table, uint8 (H, W, 3), in place."""
        x, y, radius = self._still
        outer = self.place.wheel_mm
        grain = np.sin(np.arctan2(y, x) * 31 + radius / 6) * 0.06 + np.sin(radius / 2.3) * 0.04
        look = np.array(_WOOD, np.float32) * (1 + grain[..., None])
        look[radius > TRACK * outer] *= np.float32(0.8)
        look[np.abs(radius - TRACK * outer) < 0.015 * outer] *= np.float32(1.25)
        for k in range(8):
            look[_diamond(x, y, k, outer)] = (150, 190, 210)
        shade, gloss = self._light
        look = np.clip(look * shade[..., None] + gloss[..., None], 0, 255)
        rim = np.clip((outer * _MARGIN - radius) * np.float32(self.place.px_per_mm), 0, 1)[..., None]
        left, top = self._corner
        part = canvas[max(0, top) : top + len(x), max(0, left) : left + len(x)]
        cut = (slice(max(0, -top), max(0, -top) + part.shape[0]), slice(max(0, -left), max(0, -left) + part.shape[1]))
        shadow = 1 - 0.45 * np.clip(1 - (np.hypot(x - 9, y - 12) - outer) / 14, 0, 1)[..., None]
        part[:] = (part * shadow[cut] * (1 - rim[cut]) + look[cut] * rim[cut]).astype(np.uint8)

    def draw(self, canvas: Image, turn: float, ball: Ball | None) -> None:
        """Draw the rotor and the ball onto a picture with the rest of the wheel, in place.

        Args:
            turn: angle at which the first pocket begins, radians clockwise.
        """
        start = np.float32((-turn / (2 * np.pi)) % 1.0 * self._columns)
        art = cv2.remap(self._art, self._angle + start, self._row, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        art = cv2.add(cv2.multiply(art, self._shade, scale=1 / 160), self._gloss)
        left, top = self._rotor_at
        height, width = self._mask.shape
        cv2.copyTo(art, self._mask, canvas[top : top + height, left : left + width])
        if ball is not None:
            self._draw_ball(canvas, ball)

    def _draw_ball(self, canvas: Image, ball: Ball) -> None:
        place, size = self.place, BALL * self.place.wheel_mm
        x, y = ball.radius * cos(ball.angle), ball.radius * sin(ball.angle)
        z = float(height_at(ball.radius, place.wheel_mm)) + size + ball.lift
        px = self._px((x, y, z))
        away = -_SUN[:2] / _SUN[2] * (0.8 * size + ball.lift)
        foot = self._px((x + float(away[0]), y + float(away[1]), z - size - ball.lift))
        radius = size * place.px_per_mm * place.eye.height / (place.eye.height - z)
        _darken(canvas, foot, 1.15 * radius)
        _paint_ball(canvas, px, radius)

    def _px(self, point: tuple[float, float, float]) -> tuple[float, float]:
        x, y = seen_at(point, self.place.eye)
        return self.place.at[0] + x * self.place.px_per_mm, self.place.at[1] + y * self.place.px_per_mm

    # ---- ball positions

    @property
    def step(self) -> float:
        """Angle of a pocket, radians."""
        return 2 * pi / len(self.pockets)

    def resting(self, place: int, turn: float, off: float = 0.0) -> Ball:
        """Return a ball in pocket number ``place``, ``off`` its middle by a share of its width."""
        return Ball(turn + (place + 0.5 + off) * self.step, (FLOOR + FLOOR_END) / 2 * self.place.wheel_mm)

    @property
    def track_mm(self) -> float:
        """Radius of the ball track."""
        return TRACK * self.place.wheel_mm


def _light(x: Floats, y: Floats, radius: Floats, place: Place) -> tuple[Floats, Floats]:
    """Return the brightness of each point, and its gloss (gray levels)."""
    slope = slope_at(radius, place.wheel_mm)
    out = np.stack([x, y], -1) / np.maximum(radius, 1)[..., None]
    normal = np.concatenate([-slope[..., None] * out, np.ones_like(slope)[..., None]], -1)
    normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
    shade = 0.5 + 0.62 * np.clip(normal @ _SUN, 0, 1)
    half = _SUN + np.array([0, 0, 1], np.float32)
    gloss = 46 * np.clip(normal @ (half / np.linalg.norm(half)), 0, 1) ** 90
    return shade.astype(np.float32), gloss.astype(np.float32)


def _diamond(x: Floats, y: Floats, which: int, outer: float) -> NDArray[np.bool_]:
    angle, at = 2 * np.pi * which / 8 + 0.15, 0.7 * outer
    dx, dy = x - at * np.cos(angle), y - at * np.sin(angle)
    along, across = dx * np.cos(angle) + dy * np.sin(angle), dy * np.cos(angle) - dx * np.sin(angle)
    if which % 2:
        along, across = across, along
    return np.asarray(np.abs(along) / (0.05 * outer) + np.abs(across) / (0.017 * outer) < 1)


def _patch(canvas: Image, at: tuple[float, float], radius: float) -> tuple[Image, Floats, Floats]:
    """Return a part of the picture around a point, and its pixels' offsets from the point, in radii."""
    x0, y0 = (max(0, int(v - radius - 2)) for v in at)
    part = canvas[y0 : int(at[1] + radius + 3), x0 : int(at[0] + radius + 3)]
    dy, dx = np.mgrid[y0 : y0 + part.shape[0], x0 : x0 + part.shape[1]].astype(np.float32)
    return part, (dx - np.float32(at[0])) / np.float32(radius), (dy - np.float32(at[1])) / np.float32(radius)


def _darken(canvas: Image, at: tuple[float, float], radius: float) -> None:
    part, dx, dy = _patch(canvas, at, radius)
    part[:] = (part * (1 - 0.5 * np.clip(1.3 - 1.3 * np.hypot(dx, dy), 0, 1))[..., None]).astype(np.uint8)


def _paint_ball(canvas: Image, at: tuple[float, float], radius: float) -> None:
    part, dx, dy = _patch(canvas, at, radius)
    away = np.hypot(dx, dy)
    up = np.sqrt(np.clip(1 - away * away, 0, 1))
    light = 0.5 + 0.55 * np.clip(dx * _SUN[0] + dy * _SUN[1] + up * _SUN[2], 0, 1)
    half = (_SUN + np.array([0, 0, 1], np.float32)) / np.float32(1.87)
    shine = 120 * np.clip(dx * half[0] + dy * half[1] + up * half[2], 0, 1) ** 40
    cover = np.clip((1 - away) * np.float32(radius) + np.float32(0.5), 0, 1)[..., None]
    colour = np.clip(_IVORY * light[..., None] + shine[..., None], 0, 255)
    part[:] = (part * (1 - cover) + colour * cover).astype(np.uint8)
