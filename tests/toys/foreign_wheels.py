"""Roulette wheels with looks not used for tuning: both other renderers with other colors, shapes and lights.

Written after the reader was finished, for its final measurement. Even seeds use `built_wheels`, odd ones
`turned_wheels`.
"""

from typing import Any

import built_wheels
import numpy as np
import turned_wheels

_BALLS = ((250, 250, 250), (205, 240, 250), (165, 160, 160), (225, 200, 175), (70, 170, 70), (50, 60, 215),
          (190, 170, 245), (60, 200, 245), (215, 210, 120))  # fmt: skip
_SCHEMES = (
    ((55, 22, 168), (38, 34, 40), (72, 128, 12)),
    ((18, 16, 128), (24, 22, 14), (70, 124, 34)),
    ((66, 66, 235), (60, 60, 62), (120, 190, 80)),
    ((36, 52, 190), (30, 24, 12), (24, 96, 22)),
)
_BOWLS = ((18, 24, 30), (90, 130, 180), (40, 34, 90), (165, 170, 178), (22, 52, 60), (50, 80, 120))
_METALS = ((70, 150, 200), (225, 225, 228), (90, 95, 100), (110, 140, 150))


def look(seed: int, *, film: bool = False) -> Any:
    """Return the look for a seed."""
    rng = np.random.default_rng([seed, 90210])
    ball = _BALLS[rng.integers(3) if rng.random() < 0.5 else rng.integers(len(_BALLS))]
    if seed % 2:
        turned = turned_wheels.look(seed + 500_000, film=film)
        turned.ball_color, turned.ball_mm = ball, float(rng.uniform(8.0, 10.6))
        turned.glare, turned.noise = float(rng.uniform(0.2, 1.3)), float(rng.uniform(1, 9))
        turned.exposure_s, turned.blur = float(rng.uniform(0.002, 0.025)), float(rng.uniform(0.2, 1.6))
        turned.center = (float(rng.uniform(0.36, 0.64)), float(rng.uniform(0.4, 0.6)))
        return turned
    built = built_wheels.look(seed + 500_000, film=film)
    built.ball_color, built.scheme = ball, _SCHEMES[rng.integers(len(_SCHEMES))]
    built.bowl, built.metal = _BOWLS[rng.integers(len(_BOWLS))], _METALS[rng.integers(len(_METALS))]
    built.style |= {
        "ball": rng.uniform(0.04, 0.058), "pocket": rng.uniform(0.11, 0.2), "depth": rng.uniform(0.02, 0.075),
        "fret": rng.uniform(0.004, 0.02), "glares": float(rng.integers(1, 9)), "shade": rng.uniform(0, 0.65),
        "tone": rng.uniform(0.5, 1.3), "warm": rng.uniform(-0.2, 0.2), "noise": rng.uniform(1, 8),
        "blur": rng.uniform(0, 1.5), "exposure": rng.uniform(0.002, 0.022), "jpeg": float(rng.integers(40, 97)),
        "arms": float(rng.integers(0, 9)), "diamonds": float(rng.choice([0, 4, 8, 10, 16])),
    }  # fmt: skip
    return built


def wheel(look: Any) -> Any:
    return built_wheels.wheel(look) if isinstance(look, built_wheels.Look) else turned_wheels.wheel(look)
