"""Decides what the dice in a bowl show, from one or several looks: exactly three dice, each of them sure, or a reason.

A die that is missing or counted twice must never become an answer: whatever may be a die and is not clearly one, or
clearly none, forbids every answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import hypot
from typing import Final, Literal

import numpy as np

from companion.games.chinchirorin.camera.rim import Rim
from companion.games.chinchirorin.camera.sight import Place, SeenDie, Sight
from companion.vision.dice.boxes import Box, DieBox
from companion.vision.dice.faces.nets import Chances

DICE: Final = 3
Trouble = Literal["", "count", "doubtful", "cocked", "rim", "out", "unsure", "small"]
"""Why there is no answer: another number of dice; something that may be a die; a cocked or covered die; one over the
rim; one outside; a value that is not sure; dice too small."""
LEAST_PX: Final = 34
_IS: Final = 0.35  # the evidence of a die
_IS_NOT: Final = 0.17  # less is none
_FLAT: Final = 0.92
_VALUE: Final = 0.8
_ASKEW: Final = 0.17  # of the upper face's normal: then it may be a side that faces the camera
_EACH_VALUE, _EACH_FLAT = 0.6, 0.88  # by every view
_STEEPEST_DEG: Final = 25.0  # of tilt: beyond, two faces of a die are seen about equally well
_SURE_OUT: Final = 0.5  # the evidence of a die on the table, which may be printed with anything
_NO_DIE, _TIPPED = 2, 1
_STRAY: Final = 1.5  # sizes of the usual die that something larger or smaller is not one of the three


@dataclass(frozen=True, slots=True)
class ReadDie:
    """One die: its value (1-6) where it is sure, else why not; ``likely`` are its likeliest values."""

    box: DieBox
    place: Place
    value: int | None
    confidence: float
    trouble: Trouble
    likely: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What lies in the bowl (and outside): the dice from the left, and why they are no throw ("" if they are)."""

    dice: tuple[ReadDie, ...]
    trouble: Trouble
    bowl: Box

    @property
    def values(self) -> tuple[int, ...] | None:
        """The three values of a throw; None where there is none."""
        inside = [die.value for die in self.dice if die.place == "in"]
        return None if self.trouble else tuple(value for value in inside if value is not None)


def verdict(sights: Sequence[Sight]) -> Verdict:
    """Return what some looks at resting dice (at least one) tell together."""
    groups, is_same = _together(sights)
    groups = [group for group in groups if group.place != "out" or _is_surely(group)]
    sure = [group for group in groups if evidence(group) > _IS]
    doubtful = any(_IS_NOT < evidence(group) <= _IS for group in groups)
    dice = tuple(sorted(map(_read, sure), key=lambda die: die.box.box[0]))
    trouble = _trouble(dice, doubtful or not is_same)
    if not trouble and not all(_tells_up(sight.rim) for sight in sights):
        trouble = "unsure"
    return Verdict(dice, trouble, sights[-1].rim.box)


def _tells_up(rim: Rim) -> bool:
    """Whether it is known which way is up: else a side that faces the camera may be taken for the upper face."""
    return rim.away_deg is not None and rim.tilt_deg <= _STEEPEST_DEG


def _is_surely(die: SeenDie) -> bool:
    return evidence(die) > _SURE_OUT and float(die.values.max()) > _VALUE


def evidence(die: SeenDie) -> float:
    """Return how much speaks for a die: what the finder and the reader make of it, 0 to 1."""
    return die.box.score * float(1 - die.states[_NO_DIE])


def _together(sights: Sequence[Sight]) -> tuple[list[SeenDie], bool]:
    """Return each thing with the mean of what all looks say of it, and whether all saw the same number of dice."""
    groups = [[die] for die in sights[-1].dice]
    for earlier in sights[:-1]:
        for die in earlier.dice:
            for group in groups:
                if _is_near(die.box, group[0].box):
                    group.append(die)
                    break
    counts = {sum(evidence(die) > _IS and die.place != "out" for die in sight.dice) for sight in sights}
    return [_mean(group) for group in groups], len(counts) <= 1


def _is_near(a: DieBox, b: DieBox) -> bool:
    return hypot(a.center[0] - b.center[0], a.center[1] - b.center[1]) < 0.3 * b.size_px


def _mean(group: Sequence[SeenDie]) -> SeenDie:
    values, states = (_geometric([getattr(die, name) for die in group]) for name in ("values", "states"))
    score = float(np.mean([die.box.score for die in group]))
    off = max(die.off_upright for die in group)
    said = tuple(np.concatenate([die.views[i] for die in group]) for i in range(2))
    return SeenDie(replace(group[0].box, score=score), values, states, group[0].place, off, (said[0], said[1]))


def _geometric(chances: Sequence[Chances]) -> Chances:
    mean = np.exp(np.log(np.stack(chances) + 1e-6).mean(axis=0))
    return np.asarray(mean / mean.sum(), np.float32)


def _flat(states: Chances) -> Chances:
    """Return how likely a die lies flat, if there is one."""
    return np.asarray(states[..., 0] / np.maximum(1e-6, states[..., 0] + states[..., _TIPPED]), np.float32)


def _read(die: SeenDie) -> ReadDie:
    best = int(die.values.argmax())
    p, flat = float(die.values[best]), float(_flat(die.states))
    values, states = die.views
    trouble: Trouble = ""
    if die.box.size_px < LEAST_PX:
        trouble = "small"
    elif flat < _FLAT or _flat(states).min() < _EACH_FLAT:
        trouble = "cocked"
    elif p < _VALUE or values[:, best].min() < _EACH_VALUE or die.off_upright > _ASKEW:
        trouble = "unsure"
    likely = tuple(int(i) + 1 for i in np.argsort(-die.values)[:3] if die.values[i] > 0.02)
    return ReadDie(die.box, die.place, None if trouble else best + 1, round(p * flat, 4), trouble, likely)


def _trouble(dice: Sequence[ReadDie], doubtful: bool) -> Trouble:
    inside = [die for die in dice if die.place == "in"]
    if any(die.place == "rim" for die in dice):
        return "rim"
    if len(inside) == DICE - 1 and len(dice) == DICE and not doubtful:
        return "out"
    if len(inside) != DICE or len(dice) != DICE:
        return "count"
    sizes = [die.box.size_px for die in inside]
    if doubtful or max(sizes) > _STRAY * min(sizes):
        return "doubtful"
    return next((die.trouble for die in inside if die.trouble), "")
