"""Random materials, inks, lighting and tables. Color schemes are split into training and held-out ones."""

import colorsys
from functools import cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rendering.faces import Colour
from companion.rendering.lights import Lamp, Lighting, lamp, room
from companion.rendering.materials import FIELD, PATTERNS, Field, Material, Pattern, cloud
from companion.rendering.painter import Image
from tools.training.samples.fonts import Split, bucket_of

HELD_PATTERNS: Final[tuple[Pattern, ...]] = ("pearl",)
"""Never trained on, so that the held-out split has a new material and not only new colors."""
_FIELDS: Final = 12
_INKS: Final[dict[str, Colour]] = {
    "white": (245, 245, 245),
    "black": (15, 15, 18),
    "gold": (70, 175, 215),
    "silver": (190, 185, 180),
    "red": (35, 30, 190),
    "blue": (180, 70, 25),
    "cream": (205, 235, 245),
    "copper": (60, 110, 190),
    "green": (60, 150, 40),
}
_INK_PROBABILITIES: Final = (0.36, 0.2, 0.17, 0.08, 0.05, 0.04, 0.05, 0.03, 0.02)
_MIN_CONTRAST: Final = 38.0


def brightness(colour: Colour) -> float:
    """Return a color's luma, 0 to 255."""
    return 0.114 * colour[0] + 0.587 * colour[1] + 0.299 * colour[2]


def random_color(rng: np.random.Generator) -> Colour:
    """Return a random color of plastic, BGR: often black or white, otherwise any hue."""
    kind = rng.random()
    if kind < 0.15:
        grey = rng.uniform(4, 45)
    elif kind < 0.28:
        grey = rng.uniform(185, 250)
    else:
        hue, saturation, value = rng.random(), rng.uniform(0.25, 1) ** 0.7, rng.uniform(0.12, 1)
        red, green, blue = colorsys.hsv_to_rgb(hue, saturation, value)
        return 255 * blue, 255 * green, 255 * red
    tint = rng.uniform(-8, 8, 3)
    return float(grey + tint[0]), float(grey + tint[1]), float(grey + tint[2])


def color_scheme(base: Colour, ink: str, pattern: str) -> str:
    """Return the name of a color scheme: coarse hue and brightness, ink and pattern."""
    hue, saturation, value = colorsys.rgb_to_hsv(*(float(np.clip(c, 0, 255)) / 255 for c in base[::-1]))
    tone = f"{int(hue * 12) % 12}" if saturation > 0.2 else "grey"
    return f"{tone}/{int(value * 3.99)}/{ink}/{pattern}"


def _is_in_split(name: str, pattern: Pattern, split: Split) -> bool:
    held = pattern in HELD_PATTERNS or bucket_of(name, 4) == 0
    return held == (split == "held")


def random_appearance(rng: np.random.Generator, split: Split, *, bare: bool = False) -> tuple[Material, Colour]:
    """Return a material and an ink with enough contrast, of one split.

    Args:
        bare: engraved numbers without ink; the returned ink is a darker shade of the body's color.
    """
    while True:
        pattern = PATTERNS[int(rng.choice(len(PATTERNS), p=(0.42, 0.1, 0.12, 0.12, 0.07, 0.09, 0.08)))]
        name = list(_INKS)[int(rng.choice(len(_INKS), p=_INK_PROBABILITIES))]
        base, second = random_color(rng), random_color(rng)
        if not _is_in_split(color_scheme(base, name, pattern), pattern, split):
            continue
        amount = 0.0 if pattern == "solid" else float(rng.uniform(0.25, 1))
        material = _material(rng, base, second, pattern, amount)
        ink = _worn(rng, base if bare else _INKS[name])
        if bare:
            return material, _darker(ink, float(rng.uniform(0.45, 0.7)))
        if _has_contrast(material, ink):
            return material, ink


def _material(rng: np.random.Generator, base: Colour, second: Colour, pattern: Pattern, amount: float) -> Material:
    kind = rng.random()
    return Material(
        base,
        second,
        pattern,
        amount,
        grain=float(rng.uniform(0.25, 1.6)),
        clear=float(rng.uniform(0.25, 0.85)) if 0.12 < kind < 0.32 else 0.0,
        metal=float(rng.uniform(0.5, 1)) if kind < 0.12 else 0.0,
        gloss=float(rng.uniform(0, 1)),
        rounding=float(rng.choice([rng.uniform(0.004, 0.02), rng.uniform(0.02, 0.06)])),
        field=int(rng.integers(_FIELDS)),
    )


def _worn(rng: np.random.Generator, colour: Colour) -> Colour:
    blue, green, red = (float(np.clip(c * rng.uniform(0.85, 1.1) + rng.uniform(-6, 6), 0, 255)) for c in colour)
    return blue, green, red


def _darker(colour: Colour, factor: float) -> Colour:
    return colour[0] * factor, colour[1] * factor, colour[2] * factor


def _has_contrast(material: Material, ink: Colour) -> bool:
    """Whether the ink has enough contrast to the body, and 0.7 times as much to the second color of its pattern."""
    contrast = abs(brightness(ink) - brightness(material.base)) + 0.3 * max(abs(np.subtract(ink, material.base)))
    if material.amount < 0.3:
        return bool(contrast > _MIN_CONTRAST)
    other = abs(brightness(ink) - brightness(material.second)) + 0.3 * max(abs(np.subtract(ink, material.second)))
    return bool(contrast > _MIN_CONTRAST and other > 0.7 * _MIN_CONTRAST)


def random_lighting(rng: np.random.Generator) -> Lighting:
    """Return one to three lamps in a room."""
    bright = rng.uniform(0.5, 1.15)
    ambient = rng.uniform(0.3, 0.8)
    lamps = tuple(_random_lamp(rng, bright * (1 - ambient) / (i + 1)) for i in range(int(rng.integers(1, 4))))
    warm = rng.uniform(-0.06, 0.06)
    glow = (bright * ambient * (1 - warm), bright * ambient, bright * ambient * (1 + warm))
    return Lighting(
        lamps,
        glow,
        room(rng, lamps),
        shadow=float(rng.uniform(0, 0.75)),
        softness=float(rng.uniform(0.03, 0.5)),
        sway=float(rng.uniform(0.02, 0.6)),
    )


def _random_lamp(rng: np.random.Generator, strength: float) -> Lamp:
    warm = rng.uniform(-0.12, 0.12)
    colour = strength * (1 - warm), strength, strength * (1 + warm)
    return lamp(
        float(rng.uniform(0, 360)), float(rng.uniform(25, 88)), (1.3 * colour[0], 1.3 * colour[1], 1.3 * colour[2])
    )


@cache
def _clouds(number: int) -> Field:
    rng = np.random.default_rng([77, number])
    return cloud(rng, float(rng.choice([0.01, 0.03, 0.1, 0.25])), octaves=3)


def random_table(rng: np.random.Generator, size: int) -> Image:
    """Return a random table texture (felt, wood, paper, leather, cloth, black, or a print), uint8 (size, size, 3)."""
    base = np.array(_table_colour(rng), np.float32)
    table = np.empty((size, size, 3), np.float32)
    table[:] = base
    kind = rng.random()
    if kind < 0.3:
        _add_field(table, rng, stretch=float(rng.uniform(4, 14)), strength=float(rng.uniform(10, 60)))  # wood
    elif kind < 0.7:
        _add_field(table, rng, stretch=1.0, strength=float(rng.uniform(4, 40)))
    if rng.random() < 0.6:
        table += rng.normal(0, rng.uniform(1, 9), (size, size, 1)).astype(np.float32)  # felt fibers
    picture = np.clip(table, 0, 255).astype(np.uint8)
    if rng.random() < 0.25:
        _add_print(picture, rng)
    return picture


def _table_colour(rng: np.random.Generator) -> Colour:
    kind = rng.random()
    if kind < 0.2:
        grey = rng.uniform(8, 40)
        return grey, grey, grey
    if kind < 0.4:
        grey = rng.uniform(170, 245)
        return grey * rng.uniform(0.85, 1), grey, grey
    if kind < 0.65:  # wood
        value = rng.uniform(60, 220)
        return value * rng.uniform(0.3, 0.6), value * rng.uniform(0.6, 0.8), value
    return random_color(rng)


def _add_field(table: NDArray[np.float32], rng: np.random.Generator, *, stretch: float, strength: float) -> None:
    angle, zoom = rng.uniform(0, 2 * np.pi), rng.uniform(0.3, 2.0)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    where = np.hstack([zoom * np.diag([1.0, 1 / stretch]) @ turn, rng.uniform(0, FIELD, (2, 1))])
    field = cv2.warpAffine(
        _clouds(int(rng.integers(24))), where, table.shape[1::-1],
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_WRAP,
    )  # fmt: skip
    tint = rng.uniform(0.7, 1.3, 3).astype(np.float32)
    table += (strength * (field - 0.5))[..., None] * tint


def _add_print(table: Image, rng: np.random.Generator) -> None:
    """Paint lines, rings and numbers, as on a mat or a sheet of paper."""
    size = table.shape[0]
    for _ in range(int(rng.integers(1, 6))):
        colour = random_color(rng)
        start, end = rng.integers(-size // 4, size + size // 4, (2, 2)).tolist()
        kind, thick = rng.random(), int(rng.integers(1, 5))
        if kind < 0.4:
            cv2.line(table, start, end, colour, thick, cv2.LINE_AA)
        elif kind < 0.6:
            cv2.circle(table, start, int(rng.integers(10, size // 2)), colour, thick, cv2.LINE_AA)
        elif kind < 0.8:
            cv2.rectangle(table, start, end, colour, int(rng.choice([-1, thick])), cv2.LINE_AA)
        else:
            text = str(int(rng.integers(1, 100)))
            cv2.putText(
                table, text, start, cv2.FONT_HERSHEY_SIMPLEX, float(rng.uniform(0.5, 2)), colour, thick, cv2.LINE_AA
            )
