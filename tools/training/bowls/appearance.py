"""Random appearance of dice, of the surfaces of bowls and tables, and of the lighting."""

from dataclasses import replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rendering.bowls.rays import Floats, Lamp, Surface
from companion.rendering.faces import Colour, FaceArt
from companion.rendering.layouts import Layout
from companion.rendering.materials import Material
from tools.training.bowls.paint import paint
from tools.training.samples.appearance import brightness, random_color, random_table
from tools.training.samples.fonts import Fonts, Split
from tools.training.samples.random_dice import random_d6

_ART_SIDE: Final = 384


def random_die(
    rng: np.random.Generator, fonts: Fonts, split: Split, surface: Surface
) -> tuple[tuple[FaceArt, ...], Material, Layout, float]:
    """Return a die's faces, material and layout, and its ball radius (below 1: corners cut by a sphere)."""
    die, layout, _ = random_d6(rng, fonts, split)
    material = replace(die.material, clear=0.0, rounding=float(rng.uniform(0.01, 0.14)))
    if rng.random() < 0.25:  # a common die: white or ivory with black pips
        light = float(rng.uniform(200, 250))
        material = replace(material, base=(light * float(rng.uniform(0.82, 1)), light * 0.98, light), pattern="solid",
                           metal=0.0)  # fmt: skip
        dark = _color(rng.uniform(5, 50, 3))
        art = tuple(replace(a, ink=dark) if not isinstance(a.ink, tuple) or brightness(a.ink) > 110 else a
                    for a in die.art)  # fmt: skip
        return art, material, layout, _random_ball_radius(rng)
    if rng.random() < 0.12:  # in the bowl's color
        mean = surface.art.reshape(-1, 3).mean(axis=0)
        base = _color(np.clip(mean + rng.uniform(-18, 18, 3), 0, 255))
        if all(isinstance(a.ink, tuple) and abs(brightness(a.ink) - brightness(base)) > 45 for a in die.art):
            material = replace(material, base=base, pattern="solid")
    return die.art, material, layout, _random_ball_radius(rng)


def _color(bgr: NDArray[np.floating]) -> Colour:
    return float(bgr[0]), float(bgr[1]), float(bgr[2])


def _random_ball_radius(rng: np.random.Generator) -> float:
    return float(rng.uniform(0.78, 0.97)) if rng.random() < 0.4 else 1.0


def random_surface(rng: np.random.Generator) -> Surface:
    kind = rng.random()
    if kind < 0.25:
        plain = np.full((_ART_SIDE, _ART_SIDE, 3), random_color(rng), np.float32)
        plain += rng.normal(0, rng.uniform(0, 4), (_ART_SIDE, _ART_SIDE, 1)).astype(np.float32)
        art = np.clip(plain, 0, 255).astype(np.uint8)
    else:
        art = random_table(rng, _ART_SIDE)
    if rng.random() < 0.6:
        paint(art, rng)
    metal = float(rng.uniform(0.4, 1)) if rng.random() < 0.14 else 0.0
    return Surface(art, 1.0, float(rng.uniform(0, 1)), metal, float(rng.uniform(0.05, 1)))


def random_light(rng: np.random.Generator) -> tuple[tuple[Lamp, ...], tuple[float, float, float], Floats]:
    """Return the lamps, the ambient light (BGR) and the environment map that polished surfaces reflect."""
    ambient = rng.uniform(0.15, 0.9)
    warm = rng.uniform(-0.15, 0.15)
    lamps = []
    n = 96
    y, x = np.mgrid[-1 : 1 : n * 1j, -1 : 1 : n * 1j].astype(np.float32)
    slope = rng.uniform(-0.3, 0.3, 2)
    sky = np.repeat((ambient * (0.8 + slope[0] * x + slope[1] * y))[..., None], 3, axis=2).astype(np.float32)
    for _ in range(int(rng.integers(0, 4))):  # windows, softboxes, ceiling panels
        centre, sides = rng.uniform(0, n, 2), rng.uniform(5, 30, 2)
        corners = cv2.boxPoints((centre.tolist(), sides.tolist(), float(rng.uniform(0, 180))))
        layer = np.zeros((n, n), np.float32)
        cv2.fillConvexPoly(layer, corners.round().astype(np.int32), float(rng.uniform(0.5, 6)), cv2.LINE_AA)
        sky += cv2.GaussianBlur(layer, (0, 0), rng.uniform(0.5, 3))[..., None]
    for _ in range(int(rng.integers(1, 4))):
        around, above = rng.uniform(0, 2 * np.pi), np.radians(rng.uniform(25, 88))
        way = np.array([np.cos(around) * np.cos(above), np.sin(around) * np.cos(above), np.sin(above)])
        wide, tint = float(rng.uniform(0.01, 0.3)), rng.uniform(-0.15, 0.15)
        power = float(rng.uniform(0.15, 1.1))
        lamps.append(Lamp(way, wide, (power * (1 - tint), power, power * (1 + tint))))
        spread = 0.04 + 0.5 * wide
        sky += (np.exp(-((x - way[0]) ** 2 + (y + way[1]) ** 2) / spread**2) * 8 * power)[..., None]
    light = (ambient * (1 - warm), ambient, ambient * (1 + warm))
    return tuple(lamps), light, sky.astype(np.float32)
