"""Cards swept together by a hand: a single texture that moves as a whole, so that 40 cards cost no more than one."""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import cv2
import numpy as np

from hardware.demo.layers import Texture, composite, warp
from hardware.demo.layout import Pose
from hardware.demo.scene import MovingPiece

PX_PER_MM: Final = 2.4
WIDTH_MM: Final = 170.0
HEIGHT_MM: Final = 440.0


class Pile:
    """A growing pile of cards under a hand.

    Args:
        rng: source of the random deviations.
    """

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        shape = (round(HEIGHT_MM * PX_PER_MM), round(WIDTH_MM * PX_PER_MM))
        self._colour = np.zeros((*shape, 3), np.uint8)
        self._bare = np.full((*shape, 3), 255, np.uint8)
        self._rows = (shape[0], 0)  # the used rows: first, last + 1

    def add(self, cards: Sequence[tuple[Pose, Texture]], hand: tuple[float, float]) -> None:
        """Add cards at their positions along the hand's edge; from then on they move with the hand at ``hand``."""
        shift_x, turn = self._rng.uniform(-16, 6), self._rng.uniform(-5, 5)
        for pose, texture in cards:
            x = WIDTH_MM / 2 + shift_x + self._rng.uniform(-2, 2)
            y = HEIGHT_MM / 2 + pose.y - hand[1]
            place = replace(pose, x=x, y=y, angle_deg=pose.angle_deg + turn)
            layer = warp(texture, place.corners(*texture.size_mm)[:, :2] * PX_PER_MM)
            composite(self._colour, layer)
            composite(self._bare, replace(layer, colour=np.zeros_like(layer.colour)))
            self._rows = (max(0, min(self._rows[0], layer.box[1])), max(self._rows[1], layer.box[3]))

    def carried(self, hand: tuple[float, float]) -> list[MovingPiece]:
        """Return the pile's moving piece for a position of the hand; an empty list while the pile is empty."""
        top, bottom = self._rows[0], min(self._rows[1], self._colour.shape[0])
        if top >= bottom:
            return []
        alpha = cv2.bitwise_not(np.ascontiguousarray(self._bare[top:bottom, :, 0]))
        texture = Texture(
            self._colour[top:bottom], alpha.astype(np.uint8, copy=False), (WIDTH_MM, (bottom - top) / PX_PER_MM)
        )
        y = hand[1] + (top + bottom) / 2 / PX_PER_MM - HEIGHT_MM / 2
        return [MovingPiece(texture, Pose(hand[0], y, z=3.0))]
