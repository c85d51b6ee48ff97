"""Calibration of the face networks: softmax temperatures and acceptance thresholds, fitted on held-out samples.

The networks' probabilities are combined as the program combines them; then kind and value must each be likely enough.
An answer to a leaning die or to another object counts as wrong.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.rendering.painter import Image
from companion.vision.dice.axis import MAX_TILT_DEG, Axis, seen_from_above
from companion.vision.dice.decision_policy import FROM_PX
from companion.vision.dice.faces.classifier import AUGMENTATIONS, NO_AUGMENTATION, Augmentation, Classifier
from companion.vision.dice.faces.nets import softmax
from companion.vision.dice.faces.predictions import (
    Calibration,
    Logits,
    Prediction,
    needs_augmentation,
    predicted,
    with_augmentations,
)
from companion.vision.dice.faces.upright import number_crop, whole_crop
from tools.training.samples.dataset import Samples
from tools.training.samples.scenes import KINDS, SIX_OR_NINE, STORED, SURE, UNREADABLE, UPRIGHT_DEG

HEADS: Final = ("kind", "d20", "d6", "rugen", "lean")
READ_KINDS: Final = ("d20", "d6", "rugen")
_ATTRIBUTE: Final[Mapping[str, str]] = {"d20": "d20", "d6": "d6", "rugen": "day_night"}  # of a `Prediction`
WRONG_ALLOWED: Final = 0.001
"""Share of wrong answers. The aim for a d20 is 0.3 % at most, but dice by other renderers are harder: with 0.2 % on
these samples, one answer in a hundred to path-traced dice was wrong."""
_TEMPERATURES: Final = np.geomspace(0.4, 4.0, 40)
_EXPONENTS: Final = (0.0, 0.15, 0.3, 0.45, 0.6, 0.8, 1.0, 1.25)
_MIN_VALUE_P: Final[Mapping[str, float]] = {"d20": 0.992, "d6": 0.8, "rugen": 0.8}
"""Minimum value thresholds. The samples alone would give 0.81 for a d20, but three dice by another renderer were read
wrong with 0.82, 0.87 and 0.991."""
_MAX_VALUE_P: Final[Mapping[str, float]] = {"rugen": 0.9}
"""Maximum value thresholds: a single wrong one of some 550 Rugen dice would decide. Of 1,411 others, of 2,100 pictures
by another renderer and of 57 path-traced dice none was read wrong with 0.5 or more."""
_REJECTED_FLAT_SHARE: Final = 0.01  # of the dice that lie flat, rejected as leaning
_MIN_LEAN_THRESHOLD: Final = 0.1
"""Detected boxes are less exact than the samples', and an off-center die seems to lean a little."""
_MAY_BE_P: Final = 0.1  # of a kind, uncalibrated; below the program's own threshold for reading the neighboring faces
OFF_AXIS_DEG: Final = 18.0
"""Maximum angle off the vertical at which a die may be answered if the axis is unknown."""
_SIZE, _TILT, _TOWARDS = 3, 7, 8  # columns of the labels
_HIGH_TEMPERATURE_CALIBRATION: Final = Calibration(dict.fromkeys((*HEADS, "number", "face"), 1.1), (0.8, 0.8), {}, {})
"""Higher temperatures than were ever fitted: what is certain with these is certain after calibration."""
Passes = tuple[Logits, ...]
"""The logits of the plain pass over a die, then of the `AUGMENTATIONS` if the program might run them."""
_KIND_STEPS: Final = (0.95, 0.98, 0.99)


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Acceptance thresholds of one kind: minimum probabilities of value and kind, maximum probability of leaning."""

    face: float
    kind: float
    lean: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class SamplePredictions:
    """Averaged probabilities of many samples, float (n, outputs) by head, and their labels, int16 (n, 9)."""

    by_head: Mapping[str, NDArray[np.float32]]
    labels: NDArray[np.int16]

    def answers(self, kind: str, rule: Thresholds) -> NDArray[np.bool_]:
        """Whether each sample is answered as this kind; those below the program's minimum size are not."""
        kinds, faces, lean = self.by_head["kind"], self.by_head[kind], self.by_head["lean"][:, 1]
        at = KINDS.index(kind)
        likely = (kinds.argmax(axis=1) == at) & (kinds[:, at] >= rule.kind) & (faces.max(axis=1) >= rule.face)
        return np.asarray(likely & (lean <= rule.lean) & self._are_large)

    def is_right(self, kind: str) -> NDArray[np.bool_]:
        """Whether each sample would be correct if answered as this kind."""
        right_kind = self.labels[:, 0] == KINDS.index(kind)
        readable = (self.labels[:, 2] == SURE) | (self.labels[:, 2] == SIX_OR_NINE)
        return np.asarray(right_kind & readable & (self.by_head[kind].argmax(axis=1) == self.labels[:, 1]))

    def shows(self, kind: str) -> NDArray[np.bool_]:
        """Whether each sample shows a value of this kind, at any size."""
        return np.asarray((self.labels[:, 0] == KINDS.index(kind)) & (self.labels[:, 2] == SURE))

    def expected(self, kind: str) -> NDArray[np.bool_]:
        """Whether each sample should be answered as this kind."""
        return np.asarray(self.shows(kind) & self._are_large)

    @property
    def _are_large(self) -> NDArray[np.bool_]:
        return np.asarray(self.labels[:, _SIZE] >= FROM_PX)


def predict_all(
    classifier: Classifier,
    shards: Sequence[Samples],
    *,
    knows_axis: bool = True,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[list[Passes], NDArray[np.int16]]:
    """Run the networks on samples, including the neighboring faces of possible d20s; return logits and labels.

    Args:
        knows_axis: read every die as the program does if it knows the camera's axis; otherwise read only off-axis dice,
            as it does if the axis is unknown.
    """
    total = sum(len(samples) for samples in shards)
    passes: list[Passes] = []
    read: list[NDArray[np.int16]] = []
    for done, (image, label) in enumerate(_each(shards), start=1):
        tilt = _tilt_of(label)
        if tilt <= MAX_TILT_DEG and (knows_axis or tilt > OFF_AXIS_DEG):
            near = np.ascontiguousarray(image)
            if knows_axis and tilt > 0:
                near = seen_from_above(near, Axis(tilt, float(label[_TOWARDS])).along())
            plain = _logits_of(classifier, near, NO_AUGMENTATION)
            further = AUGMENTATIONS if needs_augmentation(predicted(plain, _HIGH_TEMPERATURE_CALIBRATION)) else ()
            passes.append((plain, *(_logits_of(classifier, near, augmentation) for augmentation in further)))
            read.append(label)
        report(done, total)
    return passes, np.array(read, np.int16)


def _logits_of(classifier: Classifier, near: Image, augmentation: Augmentation) -> Logits:
    raw = classifier.raw(near, augmentation)
    kinds = softmax(raw.whole["kind"]).mean(axis=0)
    if max(kinds[KINDS.index("d20")], kinds[KINDS.index("rugen")]) > _MAY_BE_P:
        raw = replace(raw, neighbors=classifier.neighbor_faces(near, raw))
    return raw


def _each(shards: Sequence[Samples]) -> Iterator[tuple[Image, NDArray[np.int16]]]:
    for samples in shards:
        yield from zip(samples.images, samples.labels, strict=True)


def is_readable_tilt(labels: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Whether each sample's tilt, from labels (n, 9), is small enough to be read with a known axis."""
    return np.asarray(labels[:, _TILT] <= 10 * MAX_TILT_DEG)


def _tilt_of(label: NDArray[np.int16]) -> float:
    return float(label[_TILT]) / 10


def fit_temperatures(passes: Sequence[Passes], labels: NDArray[np.int16]) -> dict[str, float]:
    """Return the temperature of each head that maximizes the likelihood of the unambiguous labels in the plain pass."""
    logits = [plain for plain, *_ in passes]
    views = range(len(logits[0].whole["kind"]))
    fitted = {"kind": _best_temperature([_view(logits, "kind", view) for view in views], labels[:, 0])}
    dice = labels[:, 0] != KINDS.index("none")
    leaning = np.asarray(labels[dice, 2] == UNREADABLE, np.int16)
    fitted["lean"] = _best_temperature([_view(logits, "lean", view)[dice] for view in views], leaning)
    for name in READ_KINDS:
        mask = (labels[:, 0] == KINDS.index(name)) & (labels[:, 2] == SURE)
        fitted[name] = _best_temperature([_view(logits, name, view)[mask] for view in views], labels[mask, 1])
    orientations = [_correct_orientation(raw, label) for raw, label in zip(logits, labels, strict=True)]
    standing = [each for each in zip(logits, labels, orientations, strict=True) if each[2] >= 0]
    numbers = [raw.numbers[way] for raw, _, way in standing]
    values = [label[1] // 2 if label[0] == KINDS.index("rugen") else label[1] for _, label, _ in standing]
    fitted["number"] = _best_temperature([np.array(numbers)], np.array(values, np.int16))
    faces = [(raw.faces[way], label[1]) for raw, label, way in standing if label[0] == KINDS.index("rugen")]
    fitted["face"] = _best_temperature(
        [np.array([face for face, _ in faces])], np.array([value for _, value in faces], np.int16)
    )
    return fitted


def _correct_orientation(raw: Logits, label: NDArray[np.int16]) -> int:
    """Return the index of the correct orientation, -1 if none is or the number is ambiguous."""
    if label[4] < 0 or label[2] != SURE:
        return -1
    off = np.abs((raw.orientations - label[4] + 180) % 360 - 180)
    return int(off.argmin()) if off.min() < UPRIGHT_DEG else -1


def _view(logits: Sequence[Logits], head: str, view: int) -> NDArray[np.float32]:
    return np.stack([raw.whole[head][view] for raw in logits])


def fit_trust(
    passes: Sequence[Passes], labels: NDArray[np.int16], temperature: Mapping[str, float]
) -> tuple[float, float]:
    """Return the exponents of the whole-die and number networks that maximize the likelihood in the plain pass."""
    mask = [i for i in range(len(passes)) if KINDS[labels[i, 0]] in READ_KINDS and labels[i, 2] == SURE]
    some, expected = [passes[i][:1] for i in mask], labels[mask]

    def cost(trust: tuple[float, float]) -> float:
        predictions = sample_predictions(some, expected, Calibration(temperature, trust, {}, {}))
        rows = [predictions.by_head[KINDS[kind]][i, value] for i, (kind, value) in enumerate(expected[:, :2])]
        return float(-np.log(np.array(rows) + 1e-6).mean())

    return min(((a, b) for a in _EXPONENTS for b in _EXPONENTS if a + b > 0), key=cost)


def sample_predictions(
    passes: Sequence[Passes], labels: NDArray[np.int16], calibration: Calibration
) -> SamplePredictions:
    """Return the program's predictions for every sample."""
    predicted_samples = [_prediction(each, calibration) for each in passes]
    heads = {"kind": np.stack([each.kinds for each in predicted_samples])}
    heads |= {name: np.stack([getattr(each, _ATTRIBUTE[name]) for each in predicted_samples]) for name in READ_KINDS}
    heads["lean"] = np.array([[1 - each.lean, each.lean] for each in predicted_samples], np.float32)
    return SamplePredictions(heads, labels)


def _prediction(passes: Passes, calibration: Calibration) -> Prediction:
    plain, *further = passes
    return with_augmentations(predicted(plain, calibration), (predicted(raw, calibration) for raw in further))


def _best_temperature(logits: Sequence[NDArray[np.float32]], expected: NDArray[np.int16]) -> float:
    if not len(expected):
        return 1.0
    costs = [
        sum(
            float(-np.log(softmax(part / temperature)[np.arange(len(expected)), expected] + 1e-9).mean())
            for part in logits
        )
        for temperature in _TEMPERATURES
    ]
    return round(float(_TEMPERATURES[int(np.argmin(costs))]), 3)


def fit_lean_threshold(predictions: SamplePredictions) -> float:
    """Return the maximum probability of leaning for an answer: the quantile that rejects few flat dice."""
    flat = (predictions.labels[:, 0] != KINDS.index("none")) & (predictions.labels[:, 2] != UNREADABLE)
    most = float(np.quantile(predictions.by_head["lean"][flat, 1], 1 - _REJECTED_FLAT_SHARE))
    return round(max(most, _MIN_LEAN_THRESHOLD), 4)


def fit_thresholds(
    predictions: SamplePredictions, kind: str, *, allowed: float = WRONG_ALLOWED, lean: float = 1.0
) -> Thresholds:
    """Return the thresholds with the most answers, of which at most the share ``allowed`` is wrong.

    Leaning dice are left out: they are far rarer on tables than among the samples, and the program detects them by more
    than the network. The model card shows how many would be answered.
    """
    best, most = Thresholds(1.0, 1.0, lean), -1
    lies_flat = predictions.labels[:, 2] != UNREADABLE
    right, faces = predictions.is_right(kind), predictions.by_head[kind].max(axis=1)
    for least_kind in _KIND_STEPS:
        mask = np.flatnonzero(lies_flat & predictions.answers(kind, Thresholds(0.0, least_kind, lean)))
        order = mask[np.argsort(-faces[mask], kind="stable")]
        answered = np.arange(1, len(order) + 1)
        fine = np.flatnonzero(np.cumsum(~right[order]) <= allowed * answered)
        if len(fine) and int(answered[fine[-1]]) > most:
            most = int(answered[fine[-1]])
            face = float(np.floor(faces[order[fine[-1]]] * 1e6) / 1e6)
            face = min(max(face, _MIN_VALUE_P[kind]), _MAX_VALUE_P.get(kind, 1.0))
            best = Thresholds(round(face, 6), least_kind, lean)
    return best


def check_crops() -> list[Image]:
    """Return three synthetic close crops, to check that the networks reproduce recorded outputs."""
    y, x = np.mgrid[0:STORED, 0:STORED]
    return [np.stack([(x * a + y * b) % 256, (x * b) % 256, (y * a) % 256], axis=2).astype(np.uint8)
            for a, b in ((2, 1), (1, 3), (5, 2))]  # fmt: skip


def checksums(classifier: Classifier) -> dict[str, list[float]]:
    """Return a few values of each output for `check_crops`."""
    whole = classifier.whole.run([whole_crop(near) for near in check_crops()])
    number = classifier.number.run([number_crop(near, 30.0) for near in check_crops()])
    outputs = {f"dice {name}": out for name, out in whole.items()}
    outputs |= {f"number {name}": out for name, out in number.items()}
    return {name: [round(float(value), 4) for value in out[:, :3].ravel()] for name, out in outputs.items()}
