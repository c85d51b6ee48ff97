"""Classifies the upper face of a day-and-night die as day or night.

A lamp reflection makes a dark face look light, and the face networks rely mostly on the upper face. A small dedicated
network sees the whole die: a night face is still darker than the day faces around it, or has the color of their ink.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.vision.dice.faces.nets import Probabilities
from companion.vision.dice.faces.upright import whole_crop
from companion.vision.frame import Image

DAY_NIGHT_OUTPUTS: Final = ("night",)
_TURNS_DEG: Final = (0.0, 90.0, 180.0, 270.0)
_OLD: Final = 0.3
"""Weight of the face networks' log-odds. They get the half wrong on eight of 300 path-traced dice, on three of these
with more than 0.98; the dedicated network on three."""
_MAX_OLD: Final = 8.0


def views_of(crop: Image) -> list[Image]:
    """Return rotated views of a die, each uint8 (96, 96, 3), from a close crop."""
    return [whole_crop(crop, turn_deg=turn) for turn in _TURNS_DEG]


def night_logit(outputs: Mapping[str, NDArray[np.float32]]) -> float:
    """Return the log-odds of a night face, averaged over the network's outputs for several views, each (n, 1)."""
    return float(outputs["night"].mean())


def number_probabilities(faces: Probabilities) -> NDArray[np.float32]:
    """Return the probabilities (4,) of the numbers, summed over day and night."""
    return np.asarray(faces.reshape(4, 2).sum(axis=1), np.float32)


def with_night_odds(faces: Probabilities, night: float) -> Probabilities:
    """Return the face probabilities (8,), in `predictions.FACE_ORDER`, updated by the night log-odds.

    Args:
        night: log-odds of a night face from the dedicated network.

    >>> (10 * with_night_odds(np.float32([0.2, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]), 30.0)).round().tolist()
    [0.0, 4.0, 0.0, 2.0, 0.0, 2.0, 0.0, 2.0]
    """
    halves = faces.reshape(4, 2).sum(axis=0)
    by_faces = float(np.clip(np.log(max(1e-9, halves[1]) / max(1e-9, halves[0])), -_MAX_OLD, _MAX_OLD))
    by_half = np.array([1.0, np.exp(_OLD * by_faces + night)])
    joint = number_probabilities(faces)[:, None] * by_half / by_half.sum()
    return np.asarray(joint.ravel() / faces.sum(), np.float32)
