"""Combines the two networks' outputs into probabilities of kinds and faces. Pure arithmetic, no networks.

The whole-die network gives the kind, a first estimate of the value, and the orientation of the upper face's number.
The number is then read upright in several orientations, since a triangle turned by a third is nearly the same; each
reading is weighted by the probability of its orientation. The two estimates of the value are multiplied.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.objects.dice import DAY_NIGHT, DieKind
from companion.vision.dice.faces.neighbor_faces import NeighborFaces, kind_likelihoods, neighbor_likelihoods
from companion.vision.dice.faces.nets import Chances, softmax
from companion.vision.dice.faces.upright import UP_BINS

KIND_ORDER: Final[tuple[DieKind | None, ...]] = ("d20", "d6", DAY_NIGHT, None)
"""The networks' order of kinds; None is another die, or no die."""
FACE_ORDER: Final = ("1d", "1n", "2d", "2n", "3d", "3n", "4d", "4n")
WAYS: Final = 4
"""Ways up in which a number is tried."""
_FACES: Final = {"d20": 20, "d6": 6, DAY_NIGHT: 8}
_BIN_DEG: Final = 360 / UP_BINS
_AVERAGED: Final = ("kinds", "d20", "d6", "day_night", "read_d6")
_NEVER: Final = 1e-4
_APART: Final = 3  # bins between two ways up
_UNLIKELY: Final = 0.02
_STANDS: Final = 0.4  # as likely as the likeliest
_MAY_BE: Final = 0.3  # of this kind
_SURE_KIND: Final = 0.99
"""By 0.975 a d10 was taken for a d20 at the first look, and not at a second one."""
BEYOND_DOUBT: Final = 0.997
_READ: Final = 0.7  # the least chance of a number that neighbours can cast doubt on
_READ_A_LITTLE: Final = 0.25
"""And of one that they can make surer. Of 2,831 rendered d20s, a third of them numbered in unusual ways, and of 205
path-traced ones none more is read wrong than by 0.7."""
_CONFIRMED: Final = 2.0
"""How much likelier neighbours make a number before what some looks doubt counts less. Of 1,676 of these dice whose
neighbours speak for a number by ten times or more one shows another, and none by thirty times or more."""


@dataclass(frozen=True, slots=True, eq=False)
class Logits:
    """The networks' logits for one close crop.

    Attributes:
        whole: by head ("kind", each kind of die, "lean"): (views, outputs).
        ways: (ways,), ways up that were tried, degrees clockwise from the picture's upper side.
        weights: (ways,), how likely the number stands each way up.
        numbers: (ways, 21).
        faces: (ways, 8), of a day-and-night die.
        embedding: (64,), of the whole die.
        number_embeddings: (ways, 64).
        at: the upper face's middle, from the crop's centre, in sizes of the die.
        neighbors: outputs for the faces around the upper one, if these were read.
    """

    whole: Mapping[str, NDArray[np.float32]]
    ways: NDArray[np.float32]
    weights: NDArray[np.float32]
    numbers: NDArray[np.float32]
    faces: NDArray[np.float32]
    embedding: NDArray[np.float32]
    number_embeddings: NDArray[np.float32]
    at: tuple[float, float] = (0.0, 0.0)
    neighbors: NeighborFaces | None = None


@dataclass(frozen=True, eq=False)
class Prediction:
    """The prediction for one die, from one or several close crops.

    Attributes:
        kinds: chances (4,) in `KIND_ORDER`.
        d20, d6, day_night: chances of the faces, if it is that kind, (20,), (6,), (8,) in `FACE_ORDER`.
        embedding: (64,), length 1: similar dice are close.
        lean: 0 to 1, how likely no face is up, because the die leans on something.
        upright: 0 to 1, how likely a number of the upper face was found and set upright.
        numbers: (n, 64), each of length 1, fingerprints of the number in each way up in which it seems to stand.
        neighbor_embeddings: (n, 3, 3, 64), embeddings of the faces around a d20's upper one, for each crop in which
            they were read.
        up_deg: where the number's head points, clockwise from the picture's upper side; of one crop.
        read_d6: chances (6,) of a d6's numerals, as read upright; what they lack to 1 is another number, or none.
        spoken: (20,), how much likelier the faces beside a d20's upper one make each value; 1 where not asked.
    """

    kinds: Chances
    d20: Chances
    d6: Chances
    day_night: Chances
    embedding: NDArray[np.float32]
    upright: float = 1.0
    lean: float = 0.0
    numbers: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 64), np.float32))
    neighbor_embeddings: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 3, 3, 64), np.float32))
    up_deg: float = 0.0
    read_d6: Chances = field(default_factory=lambda: np.zeros(6, np.float32))
    spoken: Chances = field(default_factory=lambda: np.ones(20, np.float32))

    @cached_property
    def kind(self) -> DieKind | None:
        return KIND_ORDER[int(self.kinds.argmax())]

    @property
    def kind_p(self) -> float:
        return float(self.kinds.max())

    def faces(self, kind: DieKind) -> Chances:
        return {"d20": self.d20, "d6": self.d6, DAY_NIGHT: self.day_night}[kind]

    def top(self, kind: DieKind) -> int:
        """Return the index of the likeliest face."""
        return int(self.faces(kind).argmax())

    def margin(self, kind: DieKind) -> float:
        """Return by how much the likeliest face is likelier than the next."""
        second, first = np.partition(self.faces(kind), -2)[-2:]
        return float(first - second)


@dataclass(frozen=True, slots=True)
class Trust:
    """Weights and thresholds for matching an enrolled die.

    Attributes:
        sharpness: how much likeness to a stored picture counts.
        network: how much the networks' opinion counts.
        beside: how much likeness of the faces beside the upper one counts.
        least_p: what an answer must reach.
        own: a die that is less like every stored face than this is another die.
    """

    sharpness: float = 10.0
    network: float = 0.5
    least_p: float = 0.99
    own: float = 0.6
    beside: float = 0.0


@dataclass(frozen=True, slots=True)
class Calibration:
    """Calibration: softmax temperatures and acceptance thresholds, by kind.

    Attributes:
        temperature: of each head.
        trust: how much the whole die's idea of a value counts, and the upright number's.
        least_p: of the face.
        least_kind: of the kind.
        enrolled: for enrolled dice.
        enrolled_with_neighbors: for those whose neighbouring faces were read, too.
        most_lean: a die that more likely leans has no value.
    """

    temperature: Mapping[str, float]
    trust: tuple[float, float]
    least_p: Mapping[str, float]
    least_kind: Mapping[str, float]
    enrolled: Trust = Trust()
    enrolled_with_neighbors: Trust = Trust()
    most_lean: float = 1.0


def ways_up(up: NDArray[np.float32], count: int = WAYS) -> tuple[tuple[float, ...], NDArray[np.float32]]:
    """Return which ways up to try a number, degrees clockwise, and how likely each is (summing to at most 1).

    At least one, and no others that are very unlikely: each costs time.

    A triangle turned by a third looks nearly the same, so the likeliest directions are usually three of these.

    Args:
        up: chances (36,) of the directions of the number's head.

    >>> peaked = np.full(36, 0.001, np.float32)
    >>> peaked[[8, 9, 10]], peaked[21] = (0.1, 0.5, 0.1), 0.2
    >>> ways, weights = ways_up(peaked, 2)
    >>> [round(way) for way in ways], weights.round(1).tolist()
    ([90, 210], [0.699999988079071, 0.20000000298023224])
    """
    left = up.astype(np.float32)
    ways: list[float] = []
    weights: list[float] = []
    for _ in range(count):
        before, after = np.roll(left, 1), np.roll(left, -1)
        best = int((before + left + after).argmax())
        mass = float(before[best] + left[best] + after[best])
        off = float(after[best] - before[best]) / max(mass, _NEVER)
        if ways and mass < _UNLIKELY:
            break
        ways.append((best + off) * _BIN_DEG % 360)
        weights.append(mass)
        left = left.copy()
        left[np.arange(best - _APART, best + _APART + 1) % UP_BINS] = 0
    return tuple(ways), np.array(weights, np.float32)


def predicted(raw: Logits, calibration: Calibration) -> Prediction:
    """Return chances."""
    warmth = calibration.temperature
    whole = {name: _mean(softmax(logits / warmth.get(name, 1.0))) for name, logits in raw.whole.items()}
    numbers = softmax(raw.numbers / warmth.get("number", 1.0))
    upright = float(raw.weights @ (1 - numbers[:, -1]))
    stands = raw.weights * (1 - numbers[:, -1])
    read = {"d20": raw.weights @ numbers[:, :20], "d6": raw.weights @ numbers[:, :6]}
    read[DAY_NIGHT] = stands @ softmax(raw.faces / warmth.get("face", 1.0))
    faces = {name: _together(whole[name], read[name], upright, calibration.trust) for name in _FACES}
    standing = raw.number_embeddings[stands >= _STANDS * stands.max()]
    lean = float(whole["lean"][1])
    prediction = Prediction(
        whole["kind"], faces["d20"], faces["d6"], faces[DAY_NIGHT], raw.embedding, upright, lean, standing,
        up_deg=float(raw.ways[0]), read_d6=np.asarray(read["d6"], np.float32),
    )  # fmt: skip
    if raw.neighbors is None:
        return prediction
    return _with_neighbors(prediction, raw.neighbors, warmth.get("number", 1.0))


def _with_neighbors(prediction: Prediction, neighbors: NeighborFaces, warmth: float) -> Prediction:
    prediction = replace(prediction, neighbor_embeddings=neighbors.embeddings[None])
    if not is_unsure(prediction):
        return prediction
    chances = softmax(neighbors.numbers / warmth)
    d20, day_night, other = kind_likelihoods(chances)
    kinds = prediction.kinds * np.array([d20, other, day_night, other], np.float32)  # as in `KIND_ORDER`
    spoken = neighbor_likelihoods(chances)
    return replace(prediction, kinds=kinds / kinds.sum(), d20=_asked(prediction.d20, spoken), spoken=spoken)


def _asked(d20: Chances, factor: Chances) -> Chances:
    """Return the chances after the neighbours were asked: they may confirm a value, or say which way up a 6 is.

    Where they speak for another number than the one that was read, nothing is sure: a die may be numbered in any
    way, and what looks like another's neighbours may be its own. Where nothing of the number was read, as under a
    lamp's glare, they do not tell it.
    """
    asked = d20 * factor
    asked /= asked.sum()
    told = int(asked.argmax())
    tops = {int(d20.argmax()) + 1, told + 1}
    is_six_or_nine = tops <= {6, 9}
    read = float(d20[5] + d20[8] if is_six_or_nine else d20.max())
    if read < _READ:
        return np.asarray(asked, np.float32) if d20[told] >= _READ_A_LITTLE else d20
    if len(tops) > 1 and not is_six_or_nine:
        asked = np.minimum(d20, asked)
        asked /= asked.sum()
    return np.asarray(asked, np.float32)


def is_unsure(prediction: Prediction) -> bool:
    """Return whether this may be a die with twenty faces and its neighbours had better be asked."""
    d20, day_night = float(prediction.kinds[0]), float(prediction.kinds[2])
    is_d20 = d20 > _MAY_BE and (d20 < _SURE_KIND or float(prediction.d20.max()) < BEYOND_DOUBT)
    return is_d20 or _MAY_BE < day_night < _SURE_KIND


def is_doubtful(prediction: Prediction) -> bool:
    """Return whether this may be a die with twenty faces, and it is worth looking at it again.

    A d6's pips are much the same whichever way they are turned: further looks at them only add doubt.
    """
    is_day_night = prediction.kind == DAY_NIGHT
    return is_unsure(prediction) or (is_day_night and float(prediction.day_night.max()) < BEYOND_DOUBT)


def looked_at_again(plain: Prediction, further: Iterable[Prediction]) -> Prediction:
    """Return what the plain look at a die and further ones, which are made only where it is doubtful, say together."""
    return _confirmed(averaged([plain, *further])) if is_doubtful(plain) else plain


def _confirmed(looks: Prediction) -> Prediction:
    """Return what some looks say, with less doubt about a number that the faces beside it speak for in all of them."""
    top, p = looks.top("d20"), float(looks.d20.max())
    speak = float(looks.spoken[top] / max(1.0, np.delete(looks.spoken, top).max())) / _CONFIRMED
    if p < 0.5 or speak <= 1:
        return looks
    d20 = looks.d20 / speak
    d20[top] += 1 - d20.sum()
    return replace(looks, d20=np.asarray(d20, np.float32))


def averaged(looks: Sequence[Prediction]) -> Prediction:
    """Return the first of some looks at one picture of a die, with the mean chances of all.

    What one look takes for sure and is not, others often see otherwise.
    """
    kinds, d20, d6, day_night, read_d6 = (
        _mean(np.stack([getattr(look, name) for look in looks])) for name in _AVERAGED
    )
    lean = float(np.mean([look.lean for look in looks]))
    spoken = np.exp(np.log([look.spoken for look in looks]).mean(axis=0))
    return replace(looks[0], kinds=kinds, d20=d20, d6=d6, day_night=day_night, read_d6=read_d6, lean=lean,
                   spoken=spoken)  # fmt: skip


def _mean(chances: Chances) -> Chances:
    return np.asarray(chances.mean(axis=0), np.float32)


def _together(whole: Chances, read: Chances, upright: float, trust: tuple[float, float]) -> Chances:
    """Multiply both ideas of a value; the read one counts as far as a number stands upright."""
    share = read / max(float(read.sum()), _NEVER)
    log_p = trust[0] * np.log(whole + _NEVER) + trust[1] * min(1.0, upright) * np.log(share + _NEVER)
    return softmax(np.asarray(log_p, np.float32))


def mean_prediction(predictions: Sequence[Prediction]) -> Prediction:
    """Return the mean of several predictions of one die."""
    embedding = np.mean([p.embedding for p in predictions], axis=0)
    length = max(1e-6, float(np.linalg.norm(embedding)))
    return replace(
        averaged(predictions),
        embedding=np.asarray(embedding / length, np.float32),
        upright=float(np.mean([p.upright for p in predictions])),
        numbers=np.concatenate([p.numbers for p in predictions]),
        neighbor_embeddings=np.concatenate([p.neighbor_embeddings for p in predictions]),
    )
