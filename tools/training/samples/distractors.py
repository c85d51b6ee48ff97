"""Paints objects that are no dice: coins, cards, tokens, meeples and fingers."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import cv2
import numpy as np

from companion.rendering.lights import Lighting
from companion.rendering.painter import Image, View, paint
from companion.rendering.poses import resting
from tools.training.samples.appearance import random_color
from tools.training.samples.fonts import Fonts, Split
from tools.training.samples.random_dice import Lettering, random_d6, random_d20

_Corners = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


def paint_thing(
    table: Image, rng: np.random.Generator, fonts: Fonts, split: Split, light: Lighting, *, pairs: bool = True
) -> None:  # fmt: skip
    """Paint a random object, or nothing, into the center of the picture, in place.

    Args:
        pairs: also paint pairs of touching dice, which count as no readable die.
    """
    kind = rng.random()
    if kind < 0.15:
        return
    if kind < 0.3 and pairs:
        _paint_pair(table, rng, fonts, split, light)
        return
    things: tuple[Callable[..., None], ...] = (_coin, _card, _token, _meeple, _fingers)
    things[int(rng.choice(5, p=(0.25, 0.25, 0.25, 0.15, 0.10)))](table, rng, Lettering(rng, fonts, split))


def _paint_pair(
    table: Image, rng: np.random.Generator, fonts: Fonts, split: Split, light: Lighting
) -> None:  # fmt: skip
    """Paint two touching dice: one crop with two dice is ambiguous, so it must not be answered."""
    size = table.shape[0]
    way, radius = float(rng.uniform(0, np.pi)), float(size * rng.uniform(0.17, 0.2))
    apart = np.array([np.cos(way), np.sin(way)]) * radius * rng.uniform(0.9, 1.02)
    view = View((0, 0), radius, float(rng.uniform(8, 30)))
    for side in (-1, 1):
        die = random_d6(rng, fonts, split)[0] if rng.random() < 0.5 else random_d20(rng, fonts, split)[0]
        x, y = size / 2 + side * apart
        pose = resting(die.solid, int(rng.integers(len(die.art))), float(rng.uniform(0, 360)))
        paint(table, die, pose, replace(view, centre_px=(float(x), float(y))), light)


def _blend(table: Image, shape: _Corners, colour: Sequence[float], softness: float = 0.6) -> None:
    """Fill a shape and paint its shadow."""
    cover = np.zeros(table.shape[:2], np.float32)
    corners = np.round(shape * 16).astype(np.int32)
    cv2.fillPoly(cover, [corners + 48], 0.45, cv2.LINE_AA, 4)
    dark = cv2.GaussianBlur(cover, (0, 0), 3)[..., None]
    table[:] = (table * (1 - dark)).astype(np.uint8)
    mask = np.zeros(table.shape[:2], np.float32)
    cv2.fillPoly(mask, [corners], 1.0, cv2.LINE_AA, 4)
    soft = cv2.GaussianBlur(mask, (0, 0), softness)[..., None]
    table[:] = (table * (1 - soft) + np.array(colour, np.float32) * soft).clip(0, 255).astype(np.uint8)


def _disc(size: int, radius: float, stretch: float = 1.0) -> _Corners:
    angle = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    return np.stack([np.cos(angle), stretch * np.sin(angle)], axis=1) * radius + size / 2


def _rotated(corners: _Corners, rng: np.random.Generator, size: int) -> _Corners:
    angle = rng.uniform(0, 2 * np.pi)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return np.asarray((corners - size / 2) @ turn + size / 2)


_METALS: Final = ((60, 110, 180), (90, 160, 200), (170, 172, 175), (80, 130, 150))


def _coin(table: Image, rng: np.random.Generator, lettering: Lettering) -> None:
    size = table.shape[0]
    radius = size * 0.3
    metal = np.array(_METALS[int(rng.integers(4))]) * rng.uniform(0.5, 1.25)
    _blend(table, _disc(size, radius), metal.tolist())
    light, dark = (metal * 1.3).tolist(), (metal * 0.6).tolist()
    cv2.circle(table, (size // 2, size // 2), int(radius * 0.92), dark if rng.random() < 0.5 else light, 1, cv2.LINE_AA)
    _write(table, rng, lettering, str(rng.choice(["1", "2", "5", "10", "20", "25", "50", "100"])), dark, 0.5)
    for _ in range(int(rng.integers(2, 8))):
        x, y = (size / 2 + rng.normal(0, radius * 0.4, 2)).astype(int).tolist()
        cv2.ellipse(table, (x, y), (int(rng.integers(3, 20)), int(rng.integers(2, 9))), float(rng.uniform(0, 180)),
                    0, 300, light if rng.random() < 0.5 else dark, 1, cv2.LINE_AA)  # fmt: skip


def _write(
    table: Image, rng: np.random.Generator, lettering: Lettering, text: str, colour: Sequence[float], share: float
) -> None:
    """Write a text in the center, randomly rotated, with a larger side of ``share`` times a die's."""
    mask = lettering.drawn(text)
    size = table.shape[0]
    scale = share * size * 0.6 / max(mask.shape)
    angle = float(rng.uniform(0, 360))
    where = cv2.getRotationMatrix2D((mask.shape[1] / 2, mask.shape[0] / 2), angle, scale)
    where[:, 2] += size / 2 - np.array([mask.shape[1], mask.shape[0]]) / 2
    cover = (cv2.warpAffine(mask, where, (size, size)).astype(np.float32) / 255)[..., None]
    table[:] = (table * (1 - cover) + np.array(colour, np.float32) * cover).clip(0, 255).astype(np.uint8)


def _card(table: Image, rng: np.random.Generator, lettering: Lettering) -> None:
    """Paint a card's corner with its index, or a small label."""
    size = table.shape[0]
    corners = np.array([[0.25, 0.25], [1.6, 0.25], [1.6, 2.0], [0.25, 2.0]]) * size
    if rng.random() < 0.4:
        corners = np.array([[0.2, 0.25], [0.8, 0.25], [0.8, 0.75], [0.2, 0.75]]) * size
    _blend(table, _rotated(corners, rng, size), [float(rng.uniform(200, 250))] * 3, 0.4)
    ink = (30, 30, 190) if rng.random() < 0.4 else (20, 20, 20)
    _write(table, rng, lettering, str(rng.choice(["A", "K", "Q", "7", "10", "3", "9", "4", "1"])), ink, 0.5)


def _token(table: Image, rng: np.random.Generator, lettering: Lettering) -> None:
    size = table.shape[0]
    colour = random_color(rng)
    _blend(table, _disc(size, size * 0.3), colour)
    ink = (240, 240, 240) if sum(colour) < 380 else (20, 20, 20)
    if rng.random() < 0.7:
        cv2.circle(
            table,
            (size // 2, size // 2),
            int(size * rng.uniform(0.18, 0.27)),
            ink,
            int(rng.integers(1, 5)),
            cv2.LINE_AA,
        )
    text = str(int(rng.integers(1, 21))) if rng.random() < 0.7 else "KMR@"[int(rng.integers(4))]
    _write(table, rng, lettering, text, ink, float(rng.uniform(0.3, 0.6)))


def _meeple(table: Image, rng: np.random.Generator, lettering: Lettering) -> None:
    del lettering
    size = table.shape[0]
    half = [(0, -0.3), (0.08, -0.29), (0.11, -0.2), (0.07, -0.12), (0.28, -0.03), (0.27, 0.05), (0.13, 0.08),
            (0.22, 0.3), (0.04, 0.3), (0, 0.2)]  # fmt: skip
    shape = np.array(half + [(-x, y) for x, y in half[::-1]]) * size + size / 2
    _blend(table, _rotated(shape, rng, size), random_color(rng), 1.2)


def _fingers(table: Image, rng: np.random.Generator, lettering: Lettering) -> None:
    del lettering
    size = table.shape[0]
    skin = np.array([0.45, 0.6, 1.0]) * rng.uniform(70, 240)
    for offset in rng.uniform(-0.25, 0.25, int(rng.integers(1, 4))):
        width = rng.uniform(0.08, 0.13)
        finger = np.array([[offset, -0.8], [offset + 2 * width, -0.8], [offset + 1.8 * width, 0.05],
                           [offset + width, 0.14], [offset + 0.2 * width, 0.05]]) * size + size / 2  # fmt: skip
        _blend(table, _rotated(finger, rng, size), (skin * rng.uniform(0.9, 1.1)).tolist(), 2.0)
