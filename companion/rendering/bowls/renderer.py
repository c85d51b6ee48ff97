"""Fast rendering of a bowl with a fixed camera: drawn once without dice, then only around the dice."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rendering.bowls.rays import Die, Picture, Scene, measured, render

_COARSE: Final = 3
"""Downscaling factor of the picture without dice, which has no details as fine as pips."""
_AROUND: Final = 0.6  # reach of a die's shadow and reflection around it, in edges
_FADE: Final = 0.4  # width of the blend between such a part and the rest, in edges
_STILL_SAMPLES, _SAMPLES = 5, 2


class BowlRenderer:
    """Renders dice in a bowl under a fixed camera. Thread-safe once constructed.

    Args:
        scene: the scene without dice.
    """

    def __init__(self, scene: Scene, seed: int = 1) -> None:
        self._scene, self._seed = scene, seed
        self._white = measured(scene, np.random.default_rng(seed))
        width, height = scene.camera.size
        small = replace(
            scene.camera, size=(width // _COARSE, height // _COARSE), focal_px=scene.camera.focal_px / _COARSE
        )
        drawn, _ = render(replace(scene, camera=small), np.random.default_rng(seed), fine=1.0, samples=_STILL_SAMPLES,
                          white=self._white)  # fmt: skip
        empty = cv2.resize(drawn, (width, height), interpolation=cv2.INTER_CUBIC)
        self.empty: Picture = np.asarray(empty, np.uint8)
        "The picture without dice, uint8 (H, W, 3) BGR."

    def with_dice(self, dice: Sequence[Die]) -> Picture:
        """Return the picture with dice at rest, uint8 (H, W, 3) BGR."""
        picture = self.empty.copy()
        scene = replace(self._scene, dice=tuple(dice))
        for die in dice:
            x, y, width, height = box = self._box(die)
            if width > 0 and height > 0:
                part, _ = render(replace(scene, camera=scene.camera.part(box)), np.random.default_rng(self._seed),
                                 fine=1.0, samples=_SAMPLES, white=self._white)  # fmt: skip
                share = self._fading(width, height)
                here = picture[y : y + height, x : x + width]
                here[:] = (here * (1 - share) + part * share).astype(np.uint8)
        return picture

    def _fading(self, width: int, height: int) -> NDArray[np.float32]:
        """Return the blending weights of a part of this size, float32 (height, width, 1)."""
        camera = self._scene.camera
        fade = max(1.0, _FADE * camera.focal_px / camera.distance)
        away = (np.minimum(np.arange(n), n - 1 - np.arange(n)) for n in (width, height))
        across, down = (np.clip(one / fade, 0, 1) for one in away)
        return np.asarray((down[:, None] * across[None])[..., None], np.float32)

    def _box(self, die: Die) -> tuple[int, int, int, int]:
        """Return the part of the picture that a die affects: x, y, width and height."""
        corners = die.pose.corners
        reach = np.concatenate([corners + _AROUND * np.array([dx, dy, 0]) for dx in (-1, 1) for dy in (-1, 1)])
        flat = self._scene.camera.project(reach)
        width, height = self._scene.camera.size
        x0, y0 = (int(v) for v in np.clip(np.floor(flat.min(axis=0)), 0, (width, height)))
        x1, y1 = (int(v) for v in np.clip(np.ceil(flat.max(axis=0)), 0, (width, height)))
        return x0, y0, x1 - x0, y1 - y0
