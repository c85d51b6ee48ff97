"""Combines several passes over resting dice into one result: exactly three confident dice, or a reason why not.

A missed or duplicated die must never become an answer. Anything that may be a die, but is neither clearly one nor
clearly none, therefore suppresses the answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import hypot, inf, log
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from companion.games.chinchirorin.camera.detection import CLEAR_VALUE, MIN_D6, Detection, Direction, Pass, Place
from companion.games.chinchirorin.camera.rim import Rim
from companion.games.chinchirorin.camera.tilt import OrientedDie, estimate_tilt, with_tilt
from companion.games.chinchirorin.commands import DICE
from companion.vision.dice.boxes import Box, DieBox
from companion.vision.dice.faces.nets import Probabilities, softmax

Reason = Literal["", "count", "doubtful", "cocked", "rim", "out", "unsure", "small", "steep"]
"""Why there is no answer: wrong number of dice; a possible extra die; a cocked or occluded die; a die over the rim; a
die outside the bowl; an uncertain value; dice below the minimum size; too much camera tilt."""
MIN_DIE_PX: Final = 34
_MIN_DIE: Final = 0.98
"""Mean probability over all passes from which a detection is a die."""
_MIN_DIE_WITH_VALUE: Final = 0.9
"""The same for a detection with a clear value."""
_MAX_NOT_DIE_WITH_VALUE, _MAX_NOT_DIE = 0.4, 0.97
"""Mean probability up to which a detection is no die, with and without a clear value: patterned bowls yield confident
detections without a value."""
_MIN_FACE_UP: Final = 0.7
"""Probability, from its orientation, that one face of a die is clearly the upper one."""
_LIMITS: Final = (0.2, 0.8, 0.95)
"""Minimum probability of a clear upper face from appearance, log-odds of one from appearance and orientation together,
and probability of the value from appearance, each averaged over all passes."""
_MIN_VALUE_PER_PASS: Final = 0.02
_MIN_VALUE: Final = 0.97
"""Probability of the value from appearance and from the orientation of its face together."""
_FACE_SHARPNESS: Final = 5.0
"""Log-odds of a value per unit of agreement between its face's normal and the upper direction."""
_MAX_TILT_DEG: Final = 34.0
"""Beyond this tilt two faces of a die are about equally frontal."""
_MIN_OUTSIDE: Final = 0.8
"""Probability of a die on the table, which may have any print."""
_MAX_SIZE_RATIO: Final = 1.6
"""An uncertain detection that differs more from the median die's size is ignored."""
_OVERLAPS, _OCCLUDES = 0.57, 0.45
"""Distance between two dice in mean sizes below which one lies on the other, and below which it hides it."""
_OVERLAP_LIMITS: Final = (0.84, 8.0, 0.985)
"""The limits for overlapping dice: the upper face must be fully visible."""
_MAX_DICE_RATIO: Final = 1.5
"""Largest by smallest of the three dice; beyond, one of them is something else."""
_MIN_COMBINED: Final = 0.97
"""Probability of a value from the bowl's and the tray's networks together."""
_POWERS: Final = (0.55, 0.97)
"""Exponents of the bowl's and the tray's value probabilities, fitted by maximum likelihood to 591 path-traced dice. 560
of them are combined to a value with 0.95 or more; none is wrong with 0.9 or more."""
_FLOOR: Final = 1e-4
"""Added to these probabilities."""


TOWARDS_CAMERA: Final[Direction] = (0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class DieResult:
    """One die: its value (1-6) if confident, otherwise the reason why it has none.

    Attributes:
        likely: the most probable values.
        by_appearance: probabilities (6) of its value from appearance alone.
        upper: normal of its upper face.
    """

    box: DieBox
    place: Place
    value: int | None
    confidence: float
    reason: Reason
    likely: tuple[int, ...]
    by_appearance: tuple[float, ...]
    upper: Direction = TOWARDS_CAMERA


@dataclass(frozen=True, slots=True)
class BowlResult:
    """The dice in and around the bowl, from left to right, and why they are no throw ("" if they are)."""

    dice: tuple[DieResult, ...]
    reason: Reason
    bowl: Box

    @property
    def values(self) -> tuple[int, ...] | None:
        """The three values of a throw; None if there is none."""
        inside = [die.value for die in self.dice if die.place == "in"]
        return None if self.reason else tuple(value for value in inside if value is not None)


def without_others(result: BowlResult, d6_probabilities: NDArray[np.float32]) -> BowlResult:
    """Return the result, doubtful if one of its dice is not a d6: the networks assume three d6.

    Args:
        d6_probabilities: (n,), probability that each die is a d6.
    """
    is_other = not result.reason and bool((d6_probabilities < MIN_D6).any())
    return replace(result, reason="doubtful") if is_other else result


def uncertain_dice(result: BowlResult) -> tuple[DieResult, ...]:
    """Return the dice whose values are uncertain, if nothing else keeps the result from being a throw."""
    return tuple(die for die in result.dice if die.reason == "unsure") if result.reason == "unsure" else ()


def with_tray_values(result: BowlResult, die: DieResult, tray_values: Probabilities) -> BowlResult:
    """Return the result with the value of a die of which both kinds of networks together are confident.

    Args:
        tray_values: (6,), from the networks for dice on trays; all zero for a die that seems to lean.
    """
    dice = tuple(_combined(die, tray_values) if each is die else each for each in result.dice)
    return replace(result, dice=dice, reason=next((each.reason for each in dice if each.reason), ""))


def _combined(die: DieResult, tray_values: Probabilities) -> DieResult:
    bowl_power, tray_power = _POWERS
    logits = bowl_power * np.log(np.array(die.by_appearance) + _FLOOR) + tray_power * np.log(tray_values + _FLOOR)
    probabilities = softmax(logits[None].astype(np.float32))[0]
    best = int(probabilities.argmax())
    if probabilities[best] <= _MIN_COMBINED:
        return die
    return replace(die, value=best + 1, reason="", confidence=round(float(probabilities[best]), 4))


def upright(rim: Rim, passes: Sequence[Pass]) -> Rim:
    """Return the rim with the tilt estimated from it and from the dice of the first passes."""
    dice = [group for group in _matched(passes) if group.probability > _MIN_DIE_WITH_VALUE]
    inside = [group for group in dice if group.detections[0].place == "in"]
    return with_tilt(rim, estimate_tilt(rim, [_oriented(group.detections) for group in inside]))


def decide(passes: Sequence[Pass], tilt_passes: Sequence[Pass] = ()) -> BowlResult:
    """Return the combined result of one or more passes over resting dice.

    Args:
        tilt_passes: the passes from which the tilt was estimated, with the original rim; `passes` if empty.
    """
    groups = [group for group in _matched(passes) if group.detections[0].place != "out" or _is_die_outside(group)]
    sure = [group for group in groups if _is_die(group)]
    usual_px = float(np.median([group.detections[0].box.size_px for group in sure] or [1]))
    others = [group for group in groups if not _is_die(group) and _has_size_of(group, usual_px)]
    doubtful = any(not _is_no_die(group) for group in others)
    doubtful |= any(len(group.detections) != len(passes) for group in sure)  # missed or duplicated in a pass
    poses = _poses(sure, passes, tilt_passes)
    results = (_die_result(group, pose, _clearance(group, sure)) for group, pose in zip(sure, poses, strict=True))
    dice = tuple(sorted(results, key=lambda die: die.box.box[0]))
    reason = _reason(dice, doubtful)
    if reason in {"", "unsure"} and any(each.rim.tilt_deg > _MAX_TILT_DEG for each in passes):
        reason = "steep"
    return BowlResult(dice, reason, passes[-1].rim.box)


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """The detections of one object in several passes, the last pass first, and its mean probability of being a die."""

    detections: list[Detection]
    probability: float


def _is_die(group: _Group) -> bool:
    return group.probability > (_MIN_DIE_WITH_VALUE if _has_clear_value(group) else _MIN_DIE)


def _is_no_die(group: _Group) -> bool:
    return group.probability <= (_MAX_NOT_DIE_WITH_VALUE if _has_clear_value(group) else _MAX_NOT_DIE)


def _is_die_outside(group: _Group) -> bool:
    return group.probability > _MIN_OUTSIDE and _has_clear_value(group)


def _has_clear_value(group: _Group) -> bool:
    return float(_mean_values(group.detections).max()) > CLEAR_VALUE


def _has_size_of(group: _Group, usual_px: float) -> bool:
    return usual_px < _MAX_SIZE_RATIO * group.detections[0].box.size_px < _MAX_SIZE_RATIO**2 * usual_px


def _matched(passes: Sequence[Pass]) -> list[_Group]:
    """Group the detections of all passes by object; a pass without the object counts as probability 0."""
    groups: list[list[Detection]] = []
    for each in reversed(passes):
        free = list(groups)  # each detection of a pass is another object; they are sorted by probability
        for detection in each.dice:
            near = [group for group in free if is_near(detection.box, group[0].box)]
            own = min(near, key=lambda group: _distance(detection.box, group[0].box), default=None)
            if own is None:
                groups.append([detection])
            else:
                own.append(detection)
                free = [group for group in free if group is not own]
    return [_Group(group, sum(each.box.score for each in group) / len(passes)) for group in groups]


@dataclass(frozen=True, slots=True, eq=False)
class _Pose:
    """From a die's orientation: probability of a clear upper face, probabilities of its value, its normal."""

    face_up: float
    values: Probabilities
    upper: Direction = TOWARDS_CAMERA


def _poses(sure: Sequence[_Group], passes: Sequence[Pass], tilt_passes: Sequence[Pass]) -> list[_Pose]:
    """Return the pose of each die, from its own orientation and those of the other dice in the bowl."""
    every = [*tilt_passes, *passes]
    seen = [[die for each in every for die in each.dice if is_near(die.box, group.detections[0].box)] for group in sure]
    inside = [group.detections[0].place == "in" for group in sure]
    tilt = estimate_tilt(every[0].rim, [_oriented(dice) for dice, is_in in zip(seen, inside, strict=True) if is_in])
    found = iter(zip(tilt.face_up, tilt.upper, strict=True))
    return [_pose(*next(found), dice) if is_in else _Pose(1.0, np.full(6, 1 / 6, np.float32))
            for is_in, dice in zip(inside, seen, strict=True)]  # fmt: skip


def _pose(face_up: float, upper: NDArray[np.floating], detections: Sequence[Detection]) -> _Pose:
    agreement = np.mean([die.faces for die in detections], axis=0) @ upper
    logits = _FACE_SHARPNESS * np.concatenate([agreement, -agreement[::-1]])  # opposite faces add up to 7
    right, down, forward = map(float, upper)
    return _Pose(face_up, softmax(logits.astype(np.float32)[None])[0], (right, down, forward))


def _oriented(detections: Sequence[Detection]) -> OrientedDie:
    return OrientedDie(detections[0].box.center, np.mean([die.orientation for die in detections], axis=0))


def is_near(a: DieBox, b: DieBox, share: float = 0.3) -> bool:
    """Whether two boxes belong to the same die."""
    return _distance(a, b) < share * (a.size_px + b.size_px) / 2


def _distance(a: DieBox, b: DieBox) -> float:
    return hypot(a.center[0] - b.center[0], a.center[1] - b.center[1])


def _mean_values(detections: Sequence[Detection]) -> Probabilities:
    """Return the normalised geometric mean of the value probabilities: passes that disagree lower each other's."""
    mean = np.exp(np.log(np.stack([die.values for die in detections]) + 1e-6).mean(axis=0))
    return np.asarray(mean / mean.sum(), np.float32)


def _die_result(group: _Group, pose: _Pose, clearance: float) -> DieResult:
    detections, by_appearance = group.detections, _mean_values(group.detections)
    values = by_appearance * pose.values / (by_appearance * pose.values).sum()
    box = replace(detections[0].box, score=group.probability)
    best = int(values.argmax())
    flat = float(np.mean([die.flat for die in detections]))
    p, log_odds = float(values[best]), _face_up_log_odds(pose, detections)
    min_flat, min_log_odds, min_by_appearance = _OVERLAP_LIMITS if clearance < _OVERLAPS else _LIMITS
    reason: Reason = ""
    if box.size_px < MIN_DIE_PX:
        reason = "small"
    elif clearance < _OCCLUDES or pose.face_up < _MIN_FACE_UP or flat < min_flat or log_odds < min_log_odds:
        reason = "cocked"
    elif (
        p < _MIN_VALUE
        or by_appearance[best] < min_by_appearance
        or min(die.values[best] for die in detections) < _MIN_VALUE_PER_PASS
    ):
        reason = "unsure"
    likely = tuple(int(i) + 1 for i in np.argsort(-values)[:3] if values[i] > 0.02)
    value, confidence = None if reason else best + 1, round(p * pose.face_up, 4)
    return DieResult(
        box, detections[0].place, value, confidence, reason, likely, tuple(map(float, by_appearance)), pose.upper
    )


def _clearance(group: _Group, groups: Sequence[_Group]) -> float:
    """Return the distance to the nearest other die's centre, in mean die sizes."""
    die, rest = group.detections[0].box, (other.detections[0].box for other in groups if other is not group)
    return min((2 * _distance(die, box) / (die.size_px + box.size_px) for box in rest), default=inf)


def _face_up_log_odds(pose: _Pose, detections: Sequence[Detection]) -> float:
    """Return the log-odds of a clear upper face: from orientation, plus the mean from appearance."""
    return _log_odds(pose.face_up) + sum(_log_odds(die.flat) for die in detections) / len(detections)


def _log_odds(probability: float) -> float:
    p = min(max(probability, 1e-6), 1 - 1e-6)
    return log(p / (1 - p))


def _reason(dice: Sequence[DieResult], doubtful: bool) -> Reason:
    inside = [die for die in dice if die.place == "in"]
    if any(die.place == "rim" for die in dice):
        return "rim"
    if len(inside) == DICE - 1 and len(dice) == DICE and not doubtful:
        return "out"
    if len(inside) != DICE or len(dice) != DICE:
        return "count"
    sizes = [die.box.size_px for die in inside]
    if doubtful or max(sizes) > _MAX_DICE_RATIO * min(sizes):
        return "doubtful"
    return next((die.reason for die in inside if die.reason), "")
