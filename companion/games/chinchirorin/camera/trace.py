"""Finds a rim by its edge alone, where the network sees only a part of the bowl: the ellipse that most edges lie on."""

from __future__ import annotations

from math import cos, hypot, radians, sin
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.frame import Image, Points

Ellipse = tuple[tuple[float, float], tuple[float, float], float]
"""As OpenCV has it: centre, shorter and longer axis, turn of the shorter one in degrees clockwise from the right."""
FLATTEST: Final = 0.7
"""Of the ellipse: 45 degrees of tilt."""
STEEP: Final = 8.0
"""Of an edge, in steps of colour."""
_RAYS: Final = 72
_FAR: Final = np.linspace(0.7, 1.35, 41)  # of the start's radius, where edges are searched
_TRIES: Final = 80
_POINTS: Final = 7  # that a guess goes through
_MOST_OFF: Final = 0.4  # of the radius, from the start's middle
_SIZES: Final = (0.6, 1.45)
_ENOUGH: Final = 0.4  # of the rays that must have an edge on the ellipse to go on with it
_NEAR_PX, _NEAR = 1.2, 0.02


def traced(picture: Image, start: Ellipse) -> tuple[Ellipse | None, float]:
    """Return the ellipse near another one that most edges lie on, and the share of the way around where they do."""
    places, steep = _profiles(picture, start)
    peak = steep > STEEP
    peak[:, 1:-1] &= (steep[:, 1:-1] >= steep[:, :-2]) & (steep[:, 1:-1] >= steep[:, 2:])
    rays = [(places[i][row], steep[i][row] / steep[i][row].sum()) for i, row in enumerate(peak) if row.any()]
    if len(rays) < _ENOUGH * _RAYS:
        return None, 0.0
    rng, best, score = np.random.default_rng(len(rays)), None, 0.0
    for _ in range(_TRIES):
        chosen = (np.arange(_POINTS) * len(rays) // _POINTS + rng.integers(len(rays))) % len(rays)
        points = np.array([rays[i][0][rng.choice(len(rays[i][1]), p=rays[i][1])] for i in chosen], np.float32)
        guess = _is_like(_through(points), start)
        found, share = _settled(guess, places, peak) if guess else (None, 0.0)
        if share > score:
            best, score = found, share
    return best, score


def _profiles(picture: Image, start: Ellipse) -> tuple[Points, NDArray[np.float32]]:
    """Return places (rays, steps, 2) across an ellipse, and how steep the colours are there; 0 beyond the picture."""
    lab = cv2.cvtColor(cv2.GaussianBlur(picture, (3, 3), 0), cv2.COLOR_BGR2LAB).astype(np.float32)
    (x, y), (shorter, longer), turn_deg = start
    turn, angle = radians(turn_deg), np.linspace(0, 2 * np.pi, _RAYS, endpoint=False)
    axes = np.array([[cos(turn), sin(turn)], [-sin(turn), cos(turn)]])
    on = np.column_stack([np.cos(angle) * shorter / 2, np.sin(angle) * longer / 2]) @ axes
    places = ((x, y) + _FAR[None, :, None] * on[:, None]).astype(np.float32)
    seen = cv2.remap(lab, places, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)  # type: ignore[call-overload]
    steep = np.linalg.norm(seen[:, 2:] - seen[:, :-2], axis=2)
    inner = places[:, 1:-1]
    height, width = picture.shape[:2]
    is_in = (inner > 1).all(axis=2) & (inner[..., 0] < width - 2) & (inner[..., 1] < height - 2)
    return inner, np.asarray(steep * is_in, np.float32)


def _through(points: Points) -> Ellipse:
    (x, y), (shorter, longer), turn = cv2.fitEllipseDirect(points)
    return (float(x), float(y)), (float(shorter), float(longer)), float(turn)


def _is_like(guess: Ellipse, start: Ellipse) -> Ellipse | None:
    (x, y), (shorter, longer), _ = guess
    (x0, y0), (a, b), _ = start
    radius = (a + b) / 4
    is_sized = _SIZES[0] * radius < (shorter + longer) / 4 < _SIZES[1] * radius
    is_there = hypot(x - x0, y - y0) < _MOST_OFF * radius
    return guess if is_sized and is_there and shorter > FLATTEST * longer else None


def _settled(guess: Ellipse, places: Points, peak: NDArray[np.bool_]) -> tuple[Ellipse | None, float]:
    """Return the guess drawn to the edges next to it, and the share of rays that have one."""
    rows = np.arange(len(places))
    for _ in range(2):
        (x, y), (shorter, longer), turn_deg = guess
        turn, dx, dy = radians(turn_deg), places[..., 0] - x, places[..., 1] - y
        across, along = dx * cos(turn) + dy * sin(turn), dy * cos(turn) - dx * sin(turn)
        radius = (shorter + longer) / 4
        off = np.where(peak, abs(np.hypot(2 * across / shorter, 2 * along / longer) - 1) * radius, np.inf)
        nearest = off.argmin(axis=1)
        good = off[rows, nearest] < max(_NEAR_PX, _NEAR * radius)
        if good.mean() < _ENOUGH:
            return None, 0.0
        guess = _through(np.ascontiguousarray(places[rows, nearest][good]))
        if guess[1][0] <= FLATTEST * guess[1][1]:
            return None, 0.0
    return guess, float(good.mean())
