"""Whether a day-and-night die shows a night face: a lamp mirrored in a dark face makes it a light one.

The networks for faces look at the upper one most of all. A small network looks at the whole die for this alone: a night
face is still darker than the day faces around it, or has their ink's color.
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
"""Weight of the log-odds that the networks for faces give: of 300 path-traced dice eight have the wrong half by them,
three of these by more than 0.98; three by the network for this alone."""
_MOST_OLD: Final = 8.0


def views_of(crop: Image) -> list[Image]:
    """Return the looks at a die, each uint8 (96, 96, 3), from a close crop."""
    return [whole_crop(crop, turn_deg=turn) for turn in _TURNS_DEG]


def night_logit(outputs: Mapping[str, NDArray[np.float32]]) -> float:
    """Return the log-odds of a night face, from the network's outputs for some looks, each (n, 1)."""
    return float(outputs["night"].mean())


def number_probabilities(faces: Probabilities) -> NDArray[np.float32]:
    """Return the chances (4,) of the numbers, by day or night."""
    return np.asarray(faces.reshape(4, 2).sum(axis=1), np.float32)


def with_night_odds(faces: Probabilities, night: float) -> Probabilities:
    """Return the chances (8,) of the faces, in the order of `predictions.FACE_ORDER`, with what is known of the night.

    Args:
        night: the log-odds of a night face, by the network for this alone.

    >>> (10 * with_night_odds(np.float32([0.2, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]), 30.0)).round().tolist()
    [0.0, 4.0, 0.0, 2.0, 0.0, 2.0, 0.0, 2.0]
    """
    halves = faces.reshape(4, 2).sum(axis=0)
    by_faces = float(np.clip(np.log(max(1e-9, halves[1]) / max(1e-9, halves[0])), -_MOST_OLD, _MOST_OLD))
    by_half = np.array([1.0, np.exp(_OLD * by_faces + night)])
    joint = number_probabilities(faces)[:, None] * by_half / by_half.sum()
    return np.asarray(joint.ravel() / faces.sum(), np.float32)
