"""Decides what the dice in a bowl show, from one or several looks: exactly three dice, each of them sure, or a reason.

A die that is missing or counted twice must never become an answer: whatever may be a die and is not clearly one, or
clearly none, forbids every answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import hypot, inf, log
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from companion.games.chinchirorin.camera.rim import Rim
from companion.games.chinchirorin.camera.sight import CLEAR, HARDLY_D6, Direction, Place, SeenDie, Sight
from companion.games.chinchirorin.camera.tilt import Turned, tilt_of, told
from companion.games.chinchirorin.commands import DICE
from companion.vision.dice.boxes import Box, DieBox
from companion.vision.dice.faces.nets import Probabilities as Chances
from companion.vision.dice.faces.nets import softmax

Trouble = Literal["", "count", "doubtful", "cocked", "rim", "out", "unsure", "small", "steep"]
"""Why there is no answer: another number of dice; something that may be a die; a cocked or covered die; one over the
rim; one outside; a value that is not sure; dice too small; a camera that stands too far aside."""
LEAST_PX: Final = 34
_IS: Final = 0.98  # the chance of a die, on the mean of all looks
_IS_NOT: Final = 0.9  # less is none; between the two is what shows a value
_MAY_BE: Final = 0.4  # less is none even if it shows a value
_DOUBT: Final = 0.97  # less is none if it shows none, too: patterns look like a die now and then
_BY_TURN: Final = 0.7  # the chance that one face of a die is clearly the upper one, by how it is turned
_LIMITS: Final = (0.2, 0.8, 0.95)
"""The chance of the same by its looks, on the mean of all; log-odds of both together; the chance of the value by its
looks, likewise."""
_EACH_VALUE: Final = 0.02  # by every look
_BOTH: Final = 0.97  # of a value, by its looks and by how the face with it is turned
_BY_FACES: Final = 5.0  # log-odds of a value by how its face is turned
_STEEPEST_DEG: Final = 34.0  # of tilt: beyond, two faces of a die are seen about equally well
_SURE_OUT: Final = 0.8  # the chance of a die on the table, which may be printed with anything
_UNLIKE: Final = 1.6  # of the usual die's size: what is so much larger or smaller, and hardly a die, is none of them
_COVERS, _BURIES = 0.57, 0.45  # of two dice's sizes between their middles: nearer one lies on the other, and hides it
_LIMITS_NEAR: Final = (0.84, 8.0, 0.985)  # the limits of one that lies so: its upper face must be seen wholly
_STRAY: Final = 1.5  # of the smallest one's size: what is larger is not one of the three
_BY_TWO: Final = 0.97  # of a value, by the bowl's networks and by those for trays
_WEIGHTS: Final = (0.55, 0.97)
"""Of the logarithms of its chances by the former, by looks alone, and by the latter. Fitted to 591 path-traced dice, of
which 560 have a value by 0.95 or more, none a wrong one by 0.9 or more."""
_LEAST: Final = 1e-4  # of these chances

FORWARD: Final[Direction] = (0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class ReadDie:
    """One die: its value (1-6) where it is sure, else why not.

    Attributes:
        likely: its likeliest values.
        seen: chances (6) of its value by looks alone.
        upper: where its upper face looks.
    """

    box: DieBox
    place: Place
    value: int | None
    confidence: float
    trouble: Trouble
    likely: tuple[int, ...]
    seen: tuple[float, ...]
    upper: Direction = FORWARD


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


def without_others(found: Verdict, d6_chances: NDArray[np.float32]) -> Verdict:
    """Return the verdict, doubtful if a die is of another kind: what was told of it holds for three d6 alone.

    Args:
        d6_chances: (n,), how likely each of the verdict's dice is one of six sides.
    """
    is_other = not found.trouble and bool((d6_chances < HARDLY_D6).any())
    return replace(found, trouble="doubtful") if is_other else found


def doubted(found: Verdict) -> tuple[ReadDie, ...]:
    """Return the dice of which nothing but the value is not sure, where that is all that is missing to a throw."""
    return tuple(die for die in found.dice if die.trouble == "unsure") if found.trouble == "unsure" else ()


def with_second_opinion(found: Verdict, die: ReadDie, second: Chances) -> Verdict:
    """Return the verdict with the value of a die that both kinds of networks together are sure of.

    Args:
        second: what the networks for trays say; all nought of a die that leans to them.
    """
    dice = tuple(_settled(die, second) if each is die else each for each in found.dice)
    return replace(found, dice=dice, trouble=next((each.trouble for each in dice if each.trouble), ""))


def _settled(die: ReadDie, second: Chances) -> ReadDie:
    """Return a die with the value that both kinds of networks together are sure of; they err apart."""
    by_looks, by_second = _WEIGHTS
    odds = by_looks * np.log(np.array(die.seen) + _LEAST) + by_second * np.log(second + _LEAST)
    chances = softmax(odds[None].astype(np.float32))[0]
    best = int(chances.argmax())
    if chances[best] <= _BY_TWO:
        return die
    return replace(die, value=best + 1, trouble="", confidence=round(float(chances[best]), 4))


def upright(rim: Rim, first: Sequence[Sight]) -> Rim:
    """Return the rim with the tilt that it and the dice of the first looks tell together."""
    dice = [group for group in _together(first) if group.evidence > _IS_NOT and group.dice[0].place == "in"]
    return told(rim, tilt_of(rim, [_turned(group.dice) for group in dice]))


def verdict(sights: Sequence[Sight], first: Sequence[Sight] = ()) -> Verdict:
    """Return what some looks at resting dice (at least one) tell together.

    Args:
        first: the looks that told how the camera is tilted, with the rim as it seemed; the others if not given.
    """
    groups = [group for group in _together(sights) if group.dice[0].place != "out" or _is_surely(group)]
    sure = [group for group in groups if _is_die(group)]
    usual = float(np.median([group.dice[0].box.size_px for group in sure] or [1]))
    others = [group for group in groups if not _is_die(group) and _is_sized(group, usual)]
    doubtful = any(group.evidence > (_MAY_BE if _shows_a_value(group) else _DOUBT) for group in others)
    doubtful |= any(len(group.dice) != len(sights) for group in sure)  # missed by a look, or doubled
    poses = _poses(sure, sights, first)
    read = (_read(group, pose, _room(group, sure)) for group, pose in zip(sure, poses, strict=True))
    dice = tuple(sorted(read, key=lambda die: die.box.box[0]))
    trouble = _trouble(dice, doubtful)
    if trouble in {"", "unsure"} and any(sight.rim.tilt_deg > _STEEPEST_DEG for sight in sights):
        trouble = "steep"
    return Verdict(dice, trouble, sights[-1].rim.box)


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """One thing, as some looks show it, the last one first; ``evidence`` (0 to 1) is how much speaks for a die."""

    dice: list[SeenDie]
    evidence: float


def _is_die(group: _Group) -> bool:
    return group.evidence > (_IS_NOT if _shows_a_value(group) else _IS)


def _is_surely(group: _Group) -> bool:
    return group.evidence > _SURE_OUT and _shows_a_value(group)


def _shows_a_value(group: _Group) -> bool:
    return float(_values(group.dice).max()) > CLEAR


def _is_sized(group: _Group, usual: float) -> bool:
    """Whether it may be one of several equal dice, turned another way or a little nearer to the camera."""
    return usual < _UNLIKE * group.dice[0].box.size_px < _UNLIKE**2 * usual


def _together(sights: Sequence[Sight]) -> list[_Group]:
    """Return what all looks say of each thing; one that a look does not see at all is no die to it."""
    groups: list[list[SeenDie]] = []
    for sight in reversed(sights):
        free = list(groups)  # each of a look's dice, the likeliest first, is another thing
        for die in sight.dice:
            near = [group for group in free if is_near(die.box, group[0].box)]
            own = min(near, key=lambda group: _away(die.box, group[0].box), default=None)
            if own is None:
                groups.append([die])
            else:
                own.append(die)
                free = [group for group in free if group is not own]
    return [_Group(group, sum(die.box.score for die in group) / len(sights)) for group in groups]


@dataclass(frozen=True, slots=True, eq=False)
class _Pose:
    """The chance that a face is clearly the upper one, by how a die is turned, its value's chances, where it looks."""

    clear: float
    values: Chances
    upper: Direction = FORWARD


def _poses(sure: Sequence[_Group], sights: Sequence[Sight], first: Sequence[Sight]) -> list[_Pose]:
    """Return how each die lies, by how it and the others in the bowl are turned."""
    looks = [*first, *sights]
    seen = [[die for sight in looks for die in sight.dice if is_near(die.box, group.dice[0].box)] for group in sure]
    inside = [group.dice[0].place == "in" for group in sure]
    tilt = tilt_of(looks[0].rim, [_turned(dice) for dice, is_in in zip(seen, inside, strict=True) if is_in])
    found = iter(zip(tilt.clear, tilt.upper, strict=True))
    return [_pose(*next(found), dice) if is_in else _Pose(1.0, np.full(6, 1 / 6, np.float32))
            for is_in, dice in zip(inside, seen, strict=True)]  # fmt: skip


def _pose(clear: float, upper: NDArray[np.floating], looks: Sequence[SeenDie]) -> _Pose:
    agree = np.mean([die.faces for die in looks], axis=0) @ upper
    values = softmax(_BY_FACES * np.concatenate([agree, -agree[::-1]]).astype(np.float32)[None])[0]
    right, down, forward = map(float, upper)
    return _Pose(clear, values, (right, down, forward))


def _turned(looks: Sequence[SeenDie]) -> Turned:
    return Turned(looks[0].box.center, np.mean([die.turn for die in looks], axis=0))


def is_near(a: DieBox, b: DieBox, share: float = 0.3) -> bool:
    """Say whether two boxes are of the same die."""
    return _away(a, b) < share * (a.size_px + b.size_px) / 2


def _away(a: DieBox, b: DieBox) -> float:
    return hypot(a.center[0] - b.center[0], a.center[1] - b.center[1])


def _values(group: Sequence[SeenDie]) -> Chances:
    """Return the geometric mean of what looks say: those that differ make each other unsure."""
    mean = np.exp(np.log(np.stack([die.values for die in group]) + 1e-6).mean(axis=0))
    return np.asarray(mean / mean.sum(), np.float32)


def _read(group: _Group, pose: _Pose, room: float) -> ReadDie:
    looks, seen = group.dice, _values(group.dice)
    values = seen * pose.values / (seen * pose.values).sum()
    box = replace(looks[0].box, score=group.evidence)
    best = int(values.argmax())
    flat = float(np.mean([die.flat for die in looks]))
    p, speaks = float(values[best]), _speaks(pose, looks)
    by_looks, least, shown = _LIMITS_NEAR if room < _COVERS else _LIMITS
    trouble: Trouble = ""
    if box.size_px < LEAST_PX:
        trouble = "small"
    elif room < _BURIES or pose.clear < _BY_TURN or flat < by_looks or speaks < least:
        trouble = "cocked"
    elif p < _BOTH or seen[best] < shown or min(die.values[best] for die in looks) < _EACH_VALUE:
        trouble = "unsure"
    likely = tuple(int(i) + 1 for i in np.argsort(-values)[:3] if values[i] > 0.02)
    value, sure = None if trouble else best + 1, round(p * pose.clear, 4)
    return ReadDie(box, looks[0].place, value, sure, trouble, likely, tuple(map(float, seen)), pose.upper)


def _room(group: _Group, others: Sequence[_Group]) -> float:
    """Return how far off the nearest other die's middle is, in the two dice's sizes."""
    die, rest = group.dice[0].box, (other.dice[0].box for other in others if other is not group)
    return min((2 * _away(die, box) / (die.size_px + box.size_px) for box in rest), default=inf)


def _speaks(pose: _Pose, looks: Sequence[SeenDie]) -> float:
    """Return how much speaks for a clear upper face: how a die is turned, and how it looks on the mean."""
    return _log_odds(pose.clear) + sum(_log_odds(die.flat) for die in looks) / len(looks)


def _log_odds(chance: float) -> float:
    sure = min(max(chance, 1e-6), 1 - 1e-6)
    return log(sure / (1 - sure))


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
