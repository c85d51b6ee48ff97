"""Renders a part of an unrolled wheel's ring in a random style: pockets, frets, numbers and metal.

The strip has the rows and columns of `companion.games.roulette.camera.memory.View` at twice the resolution. Radii are
relative to the ring that the program unrolls, whose center line is along the edges of the red pockets.
"""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.roulette.camera.memory import STEPS
from companion.games.roulette.camera.rotor import INNERMOST, OUTERMOST, ROWS
from companion.games.roulette.wheel import RIMS, color_of

Floats = NDArray[np.float32]

FINE: Final = 2
"""Pixels of the rendered ring per row and column of a view."""
POCKETS: Final = 9
"""Number of rendered pockets; those at the ends only serve as neighbors."""
FIRST, LAST = 6, 60
_FONTS: Final = (
    cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_TRIPLEX,
    cv2.FONT_HERSHEY_PLAIN,
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Paint:
    """A ring without lighting.

    Attributes:
        color: float32 (rows, columns, 3) BGR.
        metal: float32 (rows, columns), shininess from 0 to 1.
        floor: radii of the pockets' inner and outer wall.
        step: angle of a pocket, radians.
    """

    color: Floats
    metal: Floats
    floor: tuple[float, float]
    step: float


def radii() -> Floats:
    """Return the radius of each painted row."""
    row = (OUTERMOST - INNERMOST) / (ROWS - 1)
    fine = FIRST + (np.arange((LAST - FIRST) * FINE) + 0.5) / FINE - 0.5
    return np.asarray(INNERMOST + row * fine, np.float32)


def paint_ring(rng: np.random.Generator, *, spot_px: int = 8) -> Paint:
    """Return a part of a ring in a random style; spots of dirt on it are smaller than ``spot_px``."""
    rim = RIMS["american" if rng.random() < 0.35 else "european"]
    first = int(rng.integers(len(rim)))
    names = [rim[(first + k) % len(rim)] for k in range(POCKETS)]
    step = 2 * np.pi / len(rim)
    r, wide = radii(), POCKETS * STEPS * FINE
    palette, metal, wood = _palette(rng), _metal(rng), rng.uniform(10, 190, 3) * rng.uniform(0.3, 1)
    (p0, p1), (n0, n1), inner, outer = _layout(rng)
    color = np.empty((len(r), wide, 3), np.float32)
    shines = np.zeros((len(r), wide), np.float32)
    color[:] = wood
    if rng.random() < 0.4:
        color[r < inner] = metal * rng.uniform(0.5, 1.1)
        shines[r < inner] = rng.uniform(0, 1)
    color[r > outer] = (rng.uniform(5, 40), 20, 20) if rng.random() < 0.5 else rng.uniform(10, 170, 3)
    floor, ring = (r >= p0) & (r < p1), (r >= n0) & (r < n1)
    paints = np.repeat(np.stack([palette[color_of(name)] for name in names]), STEPS * FINE, 0)
    color[ring] = paints
    bare = rng.random() < 0.3
    color[floor] = metal * rng.uniform(0.3, 0.9) if bare else paints * rng.uniform(0.5, 1.1)
    shines[floor] = rng.uniform(0.2, 1) if bare else rng.uniform(0, 0.3)
    shines[ring] = rng.uniform(0, 0.3)
    if bare and rng.random() < 0.5:  # paint at the foot of bare pockets
        color[(r >= p0) & (r < p0 + rng.uniform(0.02, 0.08))] = paints
    _paint_numbers(color, names, (r, n0, n1), step, rng)
    _paint_frets(color, shines, (r, p0, p1), metal, step, rng)
    _paint_lines(color, shines, r, (p0, p1, n0, n1), metal, rng)
    for _ in range(rng.integers(0, 3) if rng.random() < 0.3 else 0):  # dirt and stickers, which turn with the rotor
        x, y = int(rng.integers(wide)), int(rng.integers(len(r)))
        cv2.circle(color, (x, y), int(rng.integers(1, spot_px)), rng.uniform(0, 255, 3).tolist(), -1, cv2.LINE_AA)
    color *= 1 + rng.normal(0, rng.uniform(0, 0.05), (len(r) // 6, wide // 6, 1)).repeat(6, 0).repeat(6, 1)
    return Paint(np.clip(color, 0, 255), shines, (p0, p1), step)


def _palette(rng: np.random.Generator) -> dict[str, Floats]:
    u = rng.uniform
    red = np.array([u(5, 80), u(5, 75), u(110, 245)])
    black = np.full(3, u(6, 70)) + u(-8, 8, 3)
    green = np.array([u(15, 110), u(85, 200), u(5, 90)])
    return {name: np.asarray(c, np.float32) for name, c in (("red", red), ("black", black), ("green", green))}


def _metal(rng: np.random.Generator) -> Floats:
    gray = rng.uniform(70, 235)
    tint = np.array([rng.uniform(0.35, 1), rng.uniform(0.75, 1), 1]) if rng.random() < 0.5 else rng.uniform(0.92, 1, 3)
    return np.asarray(gray * tint, np.float32)


def _layout(rng: np.random.Generator) -> tuple[tuple[float, float], tuple[float, float], float, float]:
    """Return the radii of the pockets and of the numbers (from, to), and the ring's inner and outer radius."""
    pocket, number = rng.uniform(0.13, 0.32), rng.uniform(0.12, 0.34)
    gap = 0.0 if rng.random() < 0.7 else rng.uniform(0, 0.06)
    middle = rng.normal(1.0, 0.05)
    if rng.random() < 0.25:  # only the numbers' fields are red and black
        middle += rng.uniform(-1, 1) * pocket / 2
    inner = middle - (pocket + number + gap) / 2
    if rng.random() < 0.75:
        return (inner, inner + pocket), (inner + pocket + gap, inner + pocket + gap + number), inner, (
            inner + pocket + gap + number)  # fmt: skip
    return (inner + number + gap, inner + number + gap + pocket), (inner, inner + number), inner, (
        inner + number + gap + pocket)  # fmt: skip


def _paint_numbers(
    color: Floats, names: list[str], zone: tuple[Floats, float, float], step: float, rng: np.random.Generator
) -> None:
    r, n0, n1 = zone
    rows = np.nonzero((r >= n0) & (r < n1))[0]
    if len(rows) < 8 or rng.random() < 0.06:
        return
    font, cell = _FONTS[rng.integers(len(_FONTS))], STEPS * FINE
    way = rng.random()
    ink = np.array((240, 240, 240) if rng.random() < 0.7 else rng.uniform(60, 255, 3), np.float32)
    tall = len(rows) * rng.uniform(0.35, 0.8)
    wide = cell * rng.uniform(0.4, 0.85)
    thick = int(rng.integers(3, 7))
    for k, name in enumerate(names):
        (w, h), below = cv2.getTextSize(name, font, 2, thick)
        tile = np.zeros((h + below, w + 8), np.uint8)
        cv2.putText(tile, name, (4, h + below // 2), font, 2, 255, thick, cv2.LINE_AA)
        tile = tile if way < 0.45 else tile[::-1, ::-1] if way < 0.85 else np.rot90(tile, 1 if way < 0.93 else 3)
        share = min(1.0, (0.55 + 0.25 * len(name)) if way < 0.85 else 1.0)
        size = max(2, round(wide * share)), max(2, round(tall))
        mask = cv2.resize(np.ascontiguousarray(tile), size, interpolation=cv2.INTER_AREA)[..., None] / 255.0
        y, x = rows[0] + (len(rows) - size[1]) // 2, k * cell + (cell - size[0]) // 2
        part = color[y : y + size[1], x : x + size[0]]
        mask = mask[: part.shape[0], : part.shape[1]]
        part[:] = part * (1 - mask) + ink * mask


def _paint_frets(
    color: Floats, shines: Floats, zone: tuple[Floats, float, float], metal: Floats, step: float,
    rng: np.random.Generator,
) -> None:  # fmt: skip
    """Paint the walls between pockets: their tops, lit or shaded sides, and cast shadows."""
    r, p0, p1 = zone
    rows = (r >= p0 - rng.uniform(0, 0.02)) & (r < p1 + rng.uniform(0, 0.02))
    cell = STEPS * FINE
    half = rng.uniform(0.02, 0.12) * cell
    side, bright = rng.uniform(0, 0.22) * cell * rng.choice([-1, 1]), rng.uniform(0.2, 1.2)
    shade, dark = rng.uniform(0, 0.3) * cell * rng.choice([-1, 1]), rng.uniform(0.4, 1)
    x = np.arange(color.shape[1]) + 0.5
    for k in range(POCKETS + 1):
        off = x - k * cell
        top = np.clip(half + 0.5 - np.abs(off), 0, 1)[None, :, None]
        wall = np.clip(np.where(np.sign(side) * off > 0, abs(side) + half + 0.5 - np.abs(off), 0), 0, 1)[None, :, None]
        cast = np.clip(np.where(np.sign(shade) * off > 0, abs(shade) + half + 0.5 - np.abs(off), 0), 0, 1)
        part = color[rows] * (1 - (1 - dark) * cast[None, :, None])
        part = part * (1 - wall) + metal * bright * 0.6 * wall
        color[rows] = part * (1 - top) + metal * top
        shines[rows] = np.maximum(shines[rows], top[..., 0])


def _paint_lines(
    color: Floats, shines: Floats, r: Floats, edges: tuple[float, ...], metal: Floats, rng: np.random.Generator
) -> None:
    """Paint metal rings where parts of the rotor meet, and lines between the numbers."""
    for edge in edges:
        if rng.random() < 0.5:
            on = np.abs(r - edge) < rng.uniform(0.004, 0.018)
            color[on], shines[on] = metal * rng.uniform(0.6, 1.2), 1.0
        if rng.random() < 0.3:  # a wall in shadow
            on = np.abs(r - edge) < rng.uniform(0.01, 0.05)
            color[on] *= rng.uniform(0.4, 0.9)
    if rng.random() < 0.6:
        line, (_, _, n0, n1) = int(rng.integers(1, 3)), edges
        rows = (r >= n0) & (r < n1)
        for k in range(POCKETS + 1):
            x = slice(max(0, k * STEPS * FINE - line), k * STEPS * FINE + line)
            color[rows, x] = metal
