"""Combines the two networks' outputs into probabilities of kinds and faces. Pure arithmetic, no networks.

The whole-die network gives the kind, a first estimate of the value, and the orientation of the upper face's number.
The number is then read upright in several orientations, since a triangle looks almost the same rotated by a third of a
turn; each reading is weighted by the probability of its orientation. The two value estimates are multiplied.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.objects.dice import DAY_NIGHT, DieKind
from companion.vision.dice.faces.neighbor_faces import NeighborFaces, kind_likelihoods, neighbor_likelihoods
from companion.vision.dice.faces.nets import Probabilities, softmax
from companion.vision.dice.faces.upright import UP_BINS

KIND_ORDER: Final[tuple[DieKind | None, ...]] = ("d20", "d6", DAY_NIGHT, None)
"""The networks' order of kinds; None is another die, or no die."""
FACE_ORDER: Final = ("1d", "1n", "2d", "2n", "3d", "3n", "4d", "4n")
MAX_ORIENTATIONS: Final = 4
"""Maximum number of orientations in which a number is read."""
_FACE_COUNTS: Final = {"d20": 20, "d6": 6, DAY_NIGHT: 8}
_BIN_DEG: Final = 360 / UP_BINS
_AVERAGED: Final = ("kinds", "d20", "d6", "day_night", "numeral_d6")
_EPSILON: Final = 1e-4
_SUPPRESSED_BINS: Final = 3  # on each side of a chosen orientation
_UNLIKELY: Final = 0.02
_UPRIGHT_SHARE: Final = 0.4  # relative to the most likely orientation
_MAY_BE_P: Final = 0.3  # of a kind
_CERTAIN_KIND_P: Final = 0.99
"""A d10 was taken for a d20 with 0.975 without augmentation, and not with it."""
CERTAIN_P: Final = 0.997
_READ_P: Final = 0.7  # minimum probability of a number that neighbors can lower
_PARTLY_READ_P: Final = 0.25
"""Minimum probability of a number that neighbors can raise. On 2,831 rendered d20s, a third of them with unusual
layouts, and 205 path-traced ones it causes no wrong reading more than 0.7 does."""
_CONFIRMED_RATIO: Final = 2.0
"""Neighbor likelihood ratio above which doubts of single augmentations count less. Of 1,676 of these dice whose
neighbors favor a number by a ratio of ten or more, one shows another number, and none at thirty or more."""


@dataclass(frozen=True, slots=True, eq=False)
class Logits:
    """The networks' outputs for one close crop.

    Attributes:
        whole: by head ("kind", each kind of die, "lean"): (views, outputs).
        orientations: (m,), orientations in which the number was read, degrees clockwise from the top of the image.
        weights: (m,), probability of each orientation.
        numbers: (m, 21).
        faces: (m, 8), of a day-and-night die.
        embedding: (64,), of the whole die.
        number_embeddings: (m, 64).
        at: the upper face's center relative to the crop's center, in die sizes.
        neighbors: outputs for the neighboring faces, if these were read.
    """

    whole: Mapping[str, NDArray[np.float32]]
    orientations: NDArray[np.float32]
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
        kinds: kind probabilities (4,) in `KIND_ORDER`.
        d20, d6, day_night: face probabilities given that kind: (20,), (6,), (8,) in `FACE_ORDER`.
        embedding: (64,), unit length: similar dice are close.
        lean: probability that no face is up because the die leans on something.
        upright: probability that a number was found on the upper face and rotated upright.
        numbers: (n, 64), unit length: embeddings of the number in each orientation in which it seems upright.
        neighbor_embeddings: (n, 3, 3, 64), embeddings of a d20's neighboring faces, for each crop in which they were
            read.
        up_deg: direction of the top of the number, clockwise from the top of the image; of one crop.
        numeral_d6: probabilities (6,) of a d6's numerals, read upright; the rest to 1 is another number, or none.
        neighbor_ratio: (20,), likelihood ratio of each value given a d20's neighboring faces; 1 where not read.
    """

    kinds: Probabilities
    d20: Probabilities
    d6: Probabilities
    day_night: Probabilities
    embedding: NDArray[np.float32]
    upright: float = 1.0
    lean: float = 0.0
    numbers: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 64), np.float32))
    neighbor_embeddings: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 3, 3, 64), np.float32))
    up_deg: float = 0.0
    numeral_d6: Probabilities = field(default_factory=lambda: np.zeros(6, np.float32))
    neighbor_ratio: Probabilities = field(default_factory=lambda: np.ones(20, np.float32))

    @cached_property
    def kind(self) -> DieKind | None:
        return KIND_ORDER[int(self.kinds.argmax())]

    @property
    def kind_p(self) -> float:
        return float(self.kinds.max())

    def faces(self, kind: DieKind) -> Probabilities:
        return {"d20": self.d20, "d6": self.d6, DAY_NIGHT: self.day_night}[kind]

    def top(self, kind: DieKind) -> int:
        """Return the index of the most likely face."""
        return int(self.faces(kind).argmax())

    def margin(self, kind: DieKind) -> float:
        """Return the probability margin of the most likely face over the second."""
        second, first = np.partition(self.faces(kind), -2)[-2:]
        return float(first - second)


@dataclass(frozen=True, slots=True)
class Trust:
    """Weights and thresholds for matching an enrolled die; field names are keys of `dice.json`.

    Attributes:
        sharpness: weight of the similarity to stored pictures.
        network: weight of the networks' log-probabilities.
        beside: weight of the neighboring faces' similarity.
        least_p: minimum probability of an answer.
        own: minimum similarity to some stored face; below it, it is another die.
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
        temperature: by head.
        trust: exponents of the value estimates from the whole die and from the upright number.
        least_p: minimum probability of the face.
        least_kind: minimum probability of the kind.
        enrolled: for enrolled dice.
        enrolled_with_neighbors: for those whose neighboring faces were read, too.
        most_lean: maximum probability of leaning for an answer.
    """

    temperature: Mapping[str, float]
    trust: tuple[float, float]
    least_p: Mapping[str, float]
    least_kind: Mapping[str, float]
    enrolled: Trust = Trust()
    enrolled_with_neighbors: Trust = Trust()
    most_lean: float = 1.0


def candidate_orientations(
    up: NDArray[np.float32], count: int = MAX_ORIENTATIONS
) -> tuple[tuple[float, ...], NDArray[np.float32]]:
    """Return the orientations in which to read a number, degrees clockwise, and their probabilities (sum at most 1).

    At least one; further ones only if not very unlikely, as each costs time.

    A triangle looks almost the same rotated by a third of a turn, so the likeliest are usually three such rotations.

    Args:
        up: probabilities (36,) of the direction of the top of the number.

    >>> peaked = np.full(36, 0.001, np.float32)
    >>> peaked[[8, 9, 10]], peaked[21] = (0.1, 0.5, 0.1), 0.2
    >>> orientations, weights = candidate_orientations(peaked, 2)
    >>> [round(each) for each in orientations], weights.round(1).tolist()
    ([90, 210], [0.699999988079071, 0.20000000298023224])
    """
    left = up.astype(np.float32)
    orientations: list[float] = []
    weights: list[float] = []
    for _ in range(count):
        before, after = np.roll(left, 1), np.roll(left, -1)
        best = int((before + left + after).argmax())
        mass = float(before[best] + left[best] + after[best])
        off = float(after[best] - before[best]) / max(mass, _EPSILON)
        if orientations and mass < _UNLIKELY:
            break
        orientations.append((best + off) * _BIN_DEG % 360)
        weights.append(mass)
        left = left.copy()
        left[np.arange(best - _SUPPRESSED_BINS, best + _SUPPRESSED_BINS + 1) % UP_BINS] = 0
    return tuple(orientations), np.array(weights, np.float32)


def predicted(raw: Logits, calibration: Calibration) -> Prediction:
    """Turn logits into calibrated probabilities."""
    temperatures = calibration.temperature
    whole = {name: _mean(softmax(logits / temperatures.get(name, 1.0))) for name, logits in raw.whole.items()}
    numbers = softmax(raw.numbers / temperatures.get("number", 1.0))
    upright = float(raw.weights @ (1 - numbers[:, -1]))
    stands = raw.weights * (1 - numbers[:, -1])
    read = {"d20": raw.weights @ numbers[:, :20], "d6": raw.weights @ numbers[:, :6]}
    read[DAY_NIGHT] = stands @ softmax(raw.faces / temperatures.get("face", 1.0))
    faces = {name: _fuse(whole[name], read[name], upright, calibration.trust) for name in _FACE_COUNTS}
    standing = raw.number_embeddings[stands >= _UPRIGHT_SHARE * stands.max()]
    lean = float(whole["lean"][1])
    prediction = Prediction(
        whole["kind"], faces["d20"], faces["d6"], faces[DAY_NIGHT], raw.embedding, upright, lean, standing,
        up_deg=float(raw.orientations[0]), numeral_d6=np.asarray(read["d6"], np.float32),
    )  # fmt: skip
    if raw.neighbors is None:
        return prediction
    return _with_neighbors(prediction, raw.neighbors, temperatures.get("number", 1.0))


def _with_neighbors(prediction: Prediction, neighbors: NeighborFaces, temperature: float) -> Prediction:
    prediction = replace(prediction, neighbor_embeddings=neighbors.embeddings[None])
    if not needs_neighbors(prediction):
        return prediction
    probabilities = softmax(neighbors.numbers / temperature)
    d20, day_night, other = kind_likelihoods(probabilities)
    kinds = prediction.kinds * np.array([d20, other, day_night, other], np.float32)  # as in `KIND_ORDER`
    ratio = neighbor_likelihoods(probabilities)
    posterior = _apply_neighbors(prediction.d20, ratio)
    return replace(prediction, kinds=kinds / kinds.sum(), d20=posterior, neighbor_ratio=ratio)


def _apply_neighbors(d20: Probabilities, factor: Probabilities) -> Probabilities:
    """Return the value probabilities updated by the neighbors: they confirm a value, or distinguish 6 from 9.

    If they favor another number than the one read, neither is certain: layouts vary, and neighbors typical of another
    number may be this one's own. If the number was not read at all, as under glare, neighbors do not supply it.
    """
    posterior = d20 * factor
    posterior /= posterior.sum()
    top = int(posterior.argmax())
    tops = {int(d20.argmax()) + 1, top + 1}
    is_six_or_nine = tops <= {6, 9}
    read = float(d20[5] + d20[8] if is_six_or_nine else d20.max())
    if read < _READ_P:
        return np.asarray(posterior, np.float32) if d20[top] >= _PARTLY_READ_P else d20
    if len(tops) > 1 and not is_six_or_nine:
        posterior = np.minimum(d20, posterior)
        posterior /= posterior.sum()
    return np.asarray(posterior, np.float32)


def needs_neighbors(prediction: Prediction) -> bool:
    """Return whether this may be a twenty-faced die and is uncertain enough to read its neighbors."""
    d20, day_night = float(prediction.kinds[0]), float(prediction.kinds[2])
    is_d20 = d20 > _MAY_BE_P and (d20 < _CERTAIN_KIND_P or float(prediction.d20.max()) < CERTAIN_P)
    return is_d20 or _MAY_BE_P < day_night < _CERTAIN_KIND_P


def needs_augmentation(prediction: Prediction) -> bool:
    """Return whether this may be a twenty-faced die, uncertain enough for test-time augmentation.

    Not for a d6: its pips look much the same in every rotation, so augmentation only adds doubt.
    """
    is_day_night = prediction.kind == DAY_NIGHT
    return needs_neighbors(prediction) or (is_day_night and float(prediction.day_night.max()) < CERTAIN_P)


def with_augmentations(plain: Prediction, further: Iterable[Prediction]) -> Prediction:
    """Return the plain prediction, averaged with augmented ones if doubtful; only then is `further` evaluated."""
    return _boost_confirmed(averaged([plain, *further])) if needs_augmentation(plain) else plain


def _boost_confirmed(mean: Prediction) -> Prediction:
    """Reduce the doubt of an averaged prediction about a number that its neighbors favor in all augmentations."""
    top, p = mean.top("d20"), float(mean.d20.max())
    boost = float(mean.neighbor_ratio[top] / max(1.0, np.delete(mean.neighbor_ratio, top).max())) / _CONFIRMED_RATIO
    if p < 0.5 or boost <= 1:
        return mean
    d20 = mean.d20 / boost
    d20[top] += 1 - d20.sum()
    return replace(mean, d20=np.asarray(d20, np.float32))


def averaged(predictions: Sequence[Prediction]) -> Prediction:
    """Return the first of several predictions of one picture of a die, with the mean probabilities of all.

    A confident error of one is often contradicted by the others.
    """
    kinds, d20, d6, day_night, numeral_d6 = (
        _mean(np.stack([getattr(each, name) for each in predictions])) for name in _AVERAGED
    )
    lean = float(np.mean([each.lean for each in predictions]))
    neighbor_ratio = np.exp(np.log([each.neighbor_ratio for each in predictions]).mean(axis=0))
    return replace(predictions[0], kinds=kinds, d20=d20, d6=d6, day_night=day_night, numeral_d6=numeral_d6, lean=lean,
                   neighbor_ratio=neighbor_ratio)  # fmt: skip


def _mean(probabilities: Probabilities) -> Probabilities:
    return np.asarray(probabilities.mean(axis=0), np.float32)


def _fuse(whole: Probabilities, read: Probabilities, upright: float, trust: tuple[float, float]) -> Probabilities:
    """Multiply both value estimates; the number's counts by the probability that it is upright."""
    share = read / max(float(read.sum()), _EPSILON)
    log_p = trust[0] * np.log(whole + _EPSILON) + trust[1] * min(1.0, upright) * np.log(share + _EPSILON)
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
