"""Renders the ball networks' samples: a part of a ring as the program sees it, and the position of the ball's center.

The network "rest" gets the mean of several current views and the remembered empty rotor; "still" gets the ring of a
single picture. Lamp reflections stay in place while the rotor turns: the mean smears them, a single picture does not.
"""

from typing import Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.roulette.camera.memory import STEPS
from companion.games.roulette.camera.rotor import INNERMOST, OUTERMOST, ROWS
from tools.training.wheels.ring import FINE, FIRST, LAST, POCKETS, Floats, Paint, paint_ring, radii

Kind = Literal["rest", "still"]
COLUMNS: Final = 7 * STEPS
HEIGHT: Final = LAST - FIRST
_ROW: Final = (OUTERMOST - INNERMOST) / (ROWS - 1)
_RING: Final = 37 * STEPS
Sample = tuple[NDArray[np.uint8], tuple[float, float]]
"""Strip (rows, columns, 3 or 6), and the ball's column and row; both -1 without a ball."""


def sample(kind: Kind, rng: np.random.Generator) -> Sample:
    """Return a random sample, with or without a ball."""
    still = kind == "still"
    paint = paint_ring(rng, spot_px=3 if still else 8)  # in a single picture a large spot looks like a ball
    lights = Lights(rng, still)
    optics = Optics(rng, still)
    bare = lights.on(_coarse(paint.color), _coarse(paint.metal), lights.turns(1 if still else 12))
    color, at = paint.color, (-1.0, -1.0)
    if rng.random() < 0.75:
        color, at = _with_ball(paint, rng, still)
    now = lights.on(_coarse(color), _coarse(paint.metal), lights.turns(1 if still else 12), unlit=True)
    if not still and rng.random() < 0.08:
        now = _covered(now, rng)
    shift = 0.0 if still else float(rng.normal(0, 0.35))
    seen = [_cut(optics.seen(now, shift))]
    if not still:
        seen.append(_cut(optics.seen(bare, 0.0)))
    if at[0] >= 0:
        at = at[0] + shift - STEPS, at[1]
    if not -0.5 <= at[0] <= COLUMNS - 0.5:
        at = -1.0, -1.0
    return np.concatenate(seen, 2), at


class Lights:
    """Lighting of a rotor (lamp reflections, shade, glitter) that stays in place while the rotor turns."""

    def __init__(self, rng: np.random.Generator, still: bool) -> None:
        self._rng, self._still = rng, still
        angle = np.arange(_RING) * (2 * np.pi / _RING)
        wave = 1 + rng.uniform(0, 0.5) * np.cos(angle - rng.uniform(0, 6.3))
        self.shade = (rng.uniform(0.45, 1.35) * wave / wave.max()).astype(np.float32)
        tint = np.array([1 - rng.uniform(-0.2, 0.2), 1, 1 + rng.uniform(-0.2, 0.2)])
        self.tint = tint.astype(np.float32)
        self.glitter = np.zeros(_RING, np.float32)
        for _ in range(rng.integers(0, 5)):
            off = (angle - rng.uniform(0, 6.3) + np.pi) % (2 * np.pi) - np.pi
            self.glitter += rng.uniform(10, 160) * np.exp(-((off / np.exp(rng.uniform(-3.5, -0.3))) ** 2))
        self.lamps = self._lamps()
        self.lamp_remainder = 1.0 if still else float(rng.choice([-0.3, -0.1, 0.0, 0.15, 0.3, 0.7, 1.0]))
        self.speed = float(np.exp(rng.uniform(np.log(0.25), np.log(6)))) * STEPS

    def _lamps(self) -> Floats:
        """Return lamp reflections on the ring: soft, sharp, elongated and square ones."""
        rng, lamps = self._rng, np.zeros((HEIGHT, _RING + 120), np.float32)
        for _ in range(rng.integers(0, 14 if self._still else 8)):
            x, y = rng.uniform(60, _RING + 60), rng.uniform(-5, HEIGHT + 5)
            strong = rng.uniform(20, 230)
            a, b = np.exp(rng.uniform(np.log(1.5), np.log(16), 2))
            part = slice(max(0, int(x - 3 * a)), int(x + 3 * a) + 1)
            xs, ys = np.arange(lamps.shape[1])[part] - x, np.arange(HEIGHT)[:, None] - y
            lean = rng.normal(0, 0.4)
            away = ((xs + lean * ys) / a) ** 2 + (ys / b) ** 2
            sharp = rng.choice([1, 1, 2, 6])
            lamps[:, part] = np.maximum(lamps[:, part], strong * np.exp(-(away**sharp)))
        lamps[:, 60:120] += lamps[:, -60:]
        return lamps[:, 60 : _RING + 60]

    def turns(self, count: int) -> NDArray[np.int64]:
        """Return the rotor's rotation, in columns, in consecutive views."""
        return (self._rng.uniform(0, _RING) + self.speed * np.arange(count)).astype(np.int64) % _RING

    def on(self, color: Floats, metal: Floats, turns: NDArray[np.int64], *, unlit: bool = False) -> Floats:
        """Return the mean of views of a rotor at some rotations.

        Args:
            unlit: with the lamp reflections mostly removed, as the program does.
        """
        wide = color.shape[1]
        at = (turns[:, None] + np.arange(wide)) % _RING
        lamps = self.lamps[:, at].mean(1) * (self.lamp_remainder if unlit else 1.0)
        glitter, shade = self.glitter[at].mean(0), self.shade[at].mean(0)
        lit = color * shade[None, :, None] + (metal * glitter)[..., None] + lamps[..., None]
        return np.asarray(lit * self.tint, np.float32)


class Optics:
    """Random effects of lens, motion, sensor and compression."""

    def __init__(self, rng: np.random.Generator, still: bool) -> None:
        self._rng = rng
        self.blur = float(rng.uniform(0.15, 1.5))
        self.motion = int(rng.integers(0, 5)) if rng.random() < 0.5 else 0
        self.downscale = float(rng.uniform(1, 2.2)) if rng.random() < 0.5 else 1.0
        self.noise = float(rng.uniform(0.3, 8) * (1 if still else rng.uniform(0.12, 0.5)))
        self.grain = float(rng.uniform(0, 1.2))
        self.quality = int(rng.integers(35, 98))
        self.drift = 0.0 if still else float(rng.normal(0, 0.02))
        self.desaturation = 0.0 if still else float(rng.normal(0, 0.05))
        self.gain = float(rng.uniform(0.75, 1.2))

    def seen(self, strip: Floats, shift: float) -> Floats:
        """Return a strip as the camera records it, shifted by some columns."""
        rng, (high, wide) = self._rng, strip.shape[:2]
        if shift:
            move = np.array([[1, 0, shift], [0, 1, 0]], np.float32)
            moved = cv2.warpAffine(strip, move, (wide, high), borderMode=cv2.BORDER_REPLICATE)
            strip = np.asarray(moved * (1 + self.drift), np.float32)
            strip = strip + self.desaturation * (strip - strip.mean(2, keepdims=True))
        if self.motion > 1:
            strip = np.asarray(cv2.blur(strip, (self.motion, 1)), np.float32)
        strip = np.asarray(cv2.GaussianBlur(strip, (0, 0), self.blur), np.float32)
        if self.downscale > 1:
            less = round(wide / self.downscale), round(high / self.downscale)
            downscale = cv2.resize(strip, less, interpolation=cv2.INTER_AREA)
            strip = np.asarray(cv2.resize(downscale, (wide, high)), np.float32)
        grain = rng.standard_normal(strip.shape, np.float32) * self.noise
        if self.grain > 0.3:
            grain = cv2.GaussianBlur(grain, (0, 0), self.grain) * (1 + 2 * self.grain)
        strip = np.clip(strip * self.gain + grain, 0, 255).astype(np.uint8)
        if rng.random() < 0.5:
            return np.asarray(strip)
        coded = cv2.imencode(".jpg", strip, [cv2.IMWRITE_JPEG_QUALITY, self.quality])[1]
        return np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR))


def _coarse(fine: Floats) -> Floats:
    size = fine.shape[1] // FINE, fine.shape[0] // FINE
    return np.asarray(cv2.resize(fine, size, interpolation=cv2.INTER_AREA), np.float32)


def _cut(strip: Floats) -> NDArray[np.uint8]:
    return np.asarray(strip[:, STEPS : STEPS + COLUMNS], np.uint8)


def _covered(strip: Floats, rng: np.random.Generator) -> Floats:
    """Return a strip partly covered by a hand or its shadow, which is larger than any ball."""
    x0, wide = int(rng.integers(0, strip.shape[1])), int(rng.integers(18, 60))
    part = strip[:, x0 : x0 + wide]
    share = rng.uniform(0.1, 0.5)
    part[:] = part * (1 - share) + rng.uniform(0, 200, 3) * share
    return strip


# ---- the ball

_BALLS: Final = ((245, 245, 245), (225, 235, 240), (200, 225, 245), (170, 175, 180), (120, 120, 125))


def _ball_color(rng: np.random.Generator) -> Floats:
    if rng.random() < 0.5:
        return np.array(_BALLS[rng.integers(len(_BALLS))], np.float32)
    hue, full, value = rng.uniform(0, 180), rng.uniform(60, 255), rng.uniform(60, 255)
    pixel = np.array([[[hue, full, value]]], np.uint8)
    return np.asarray(cv2.cvtColor(pixel, cv2.COLOR_HSV2BGR)[0, 0], np.float32)


def _with_ball(paint: Paint, rng: np.random.Generator, still: bool) -> tuple[Floats, tuple[float, float]]:
    """Return the ring with a ball resting in a pocket, and its position; in some samples it still hops: no position."""
    p0, p1 = paint.floor
    size = float(min(rng.uniform(0.036, 0.08), 0.45 * paint.step * (p0 + p1) / 2))
    low, high = p0 + size * 0.8, max(p0 + size * 0.8, p1 - size * 0.6)
    radius = rng.uniform(low, high) if rng.random() < 0.7 else (low if rng.random() < 0.5 else high)
    pocket = rng.integers(1, POCKETS - 1) + 0.5
    place = pocket + float(np.clip(rng.normal(0, 0.18), -0.42, 0.42))
    wander = 0.0 if still else abs(float(rng.normal(0, 0.07)))
    places = place + wander * np.array([-1.0, 0.0, 1.0])
    is_hopping = not still and rng.random() < 0.08
    if is_hopping:
        places = place + np.array([rng.choice([-2, -1, 1, 2]), 0.0, rng.choice([-2, -1, 1, 2])]) * rng.uniform(0.6, 1)
    color = np.zeros_like(paint.color)
    body = Ball(_ball_color(rng), size, rng)
    for one in places:
        color += body.on(paint.color, one, radius, paint.step) / len(places)
    if is_hopping:
        return color, (-1.0, -1.0)
    row = (radius - INNERMOST) / _ROW - FIRST
    return color, (place * STEPS - 0.5, float(row))


class Ball:
    """A ball with shading, highlight and shadow."""

    def __init__(self, color: Floats, size: float, rng: np.random.Generator) -> None:
        self._color, self._size = color, size
        turn = rng.uniform(0, 2 * np.pi)
        self._sun = np.array([np.cos(turn), np.sin(turn)]) * rng.uniform(0.1, 0.8)
        self._ambient, self._spark = rng.uniform(0.4, 1.0), rng.uniform(0, 220) * (rng.random() < 0.7)
        self._shadow, self._far = rng.uniform(0, 0.7), rng.uniform(0.1, 1.4)
        self._stretch, self._lean = rng.uniform(1, 1.25), rng.uniform(0, np.pi)
        self._mirror = rng.random() < 0.15

    def on(self, ring: Floats, place: float, radius: float, step: float) -> Floats:
        """Return a ring with the ball on it."""
        cell = STEPS * FINE
        dx = ((np.arange(ring.shape[1]) + 0.5) / cell - place)[None] * (step * radius) / self._size
        dy = ((radii() - radius) / self._size)[:, None]
        c, s = np.cos(self._lean), np.sin(self._lean)
        along, across = (dx * c + dy * s) / self._stretch, dy * c - dx * s
        x, y = along * c - across * s, along * s + across * c
        away = np.hypot(x, y)
        edge = 1 / (self._size / _ROW * FINE)
        cast = np.hypot(x + self._sun[0] * self._far, y + self._sun[1] * self._far)
        dark = 1 - self._shadow * np.clip((1.3 - cast) / 0.6, 0, 1)
        up = np.sqrt(np.clip(1 - away**2, 0, 1))
        light = self._ambient + (1 - self._ambient) * np.clip(x * self._sun[0] + y * self._sun[1] + 0.7 * up, 0, 1)
        spark = self._spark * np.exp(-(np.hypot(x - self._sun[0] * 0.6, y - self._sun[1] * 0.6) ** 2) / 0.04)
        color = self._color * light[..., None] + spark[..., None]
        if self._mirror:  # a ball of polished steel
            color = color * (0.55 + 0.45 * np.sin(5 * y + 3 * x))[..., None]
        cover = np.clip((1 - away) / edge + 0.5, 0, 1)[..., None]
        return np.asarray(ring * dark[..., None] * (1 - cover) + np.clip(color, 0, 255) * cover, np.float32)
