"""Calibrates the networks: temperatures and thresholds from held-out samples: other fonts and appearances.

The rule is the reader's: both networks' chances are put together as it does, then kind and face must each be likely
enough. A face without a value and a thing that is no die, answered, are wrong.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.rendering.painter import Image
from companion.vision.dice.axis import MOST_TILT_DEG, Axis, seen_from_above
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
READ: Final = ("d20", "d6", "rugen")
_ATTRIBUTE: Final[Mapping[str, str]] = {"d20": "d20", "d6": "d6", "rugen": "day_night"}  # of a `Prediction`
WRONG_ALLOWED: Final = 0.001
"""Share of the answered. Of a d20 0.3 % are wanted at most, but other painters' dice are harder: with 0.2 % on these,
one answer in a hundred to the path tracer's was wrong."""
_WARMTHS: Final = np.geomspace(0.4, 4.0, 40)
_TRUSTS: Final = (0.0, 0.15, 0.3, 0.45, 0.6, 0.8, 1.0, 1.25)
_LEAST_FACE: Final[Mapping[str, float]] = {"d20": 0.992, "d6": 0.8, "rugen": 0.8}
"""What a value's chance must be at least. A d20's may be 0.81 by the samples: of another painter's dice three were read
wrong by 0.82, 0.87 and 0.991."""
_MOST_FACE: Final[Mapping[str, float]] = {"rugen": 0.9}
"""And no more: of some 550 Rugen dice one that is read wrong decides. Of 1,411 others, of 2,100 pictures by another
painter and of 57 path-traced dice none was read wrong from 0.5 on."""
_TAKEN_FOR_LEANING: Final = 0.01  # of the dice that lie flat
_LEAST_LEAN: Final = 0.1
"""Boxes that are found are less exact than the samples', and a die out of its middle seems to lean a little."""
_MAY_BE: Final = 0.1  # of this kind; less than the reader asks for, whose chances are warmed
ASLANT_DEG: Final = 18.0
"""Farther from straight above a die must not be answered where the axis is not known."""
_SIZE, _TILT, _TOWARDS = 3, 7, 8  # columns of the labels
_WARM: Final = Calibration(dict.fromkeys((*HEADS, "number", "face"), 1.1), (0.8, 0.8), {}, {})
"""Warmer than what has been fitted: what is sure by this stays so."""
Looks = tuple[Logits, ...]
"""The networks' numbers for the plain look at a die, and for `AUGMENTATIONS` ones where they may be asked for."""
_KIND_STEPS: Final = (0.95, 0.98, 0.99)


@dataclass(frozen=True, slots=True)
class Rule:
    """What an answer of one kind must reach."""

    face: float
    kind: float
    lean: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Chances:
    """Averaged chances of many samples, float (n, outputs) by head, and their labels, int16 (n, 9)."""

    by_head: Mapping[str, NDArray[np.float32]]
    labels: NDArray[np.int16]

    def answers(self, kind: str, rule: Rule) -> NDArray[np.bool_]:
        """Say which samples are answered as this kind; smaller ones than the reader answers are not."""
        kinds, faces, lean = self.by_head["kind"], self.by_head[kind], self.by_head["lean"][:, 1]
        at = KINDS.index(kind)
        likely = (kinds.argmax(axis=1) == at) & (kinds[:, at] >= rule.kind) & (faces.max(axis=1) >= rule.face)
        return np.asarray(likely & (lean <= rule.lean) & self._are_large)

    def is_right(self, kind: str) -> NDArray[np.bool_]:
        """Say which samples would be right if answered as this kind."""
        right_kind = self.labels[:, 0] == KINDS.index(kind)
        readable = (self.labels[:, 2] == SURE) | (self.labels[:, 2] == SIX_OR_NINE)
        return np.asarray(right_kind & readable & (self.by_head[kind].argmax(axis=1) == self.labels[:, 1]))

    def shows(self, kind: str) -> NDArray[np.bool_]:
        """Say which samples show a value of this kind, of whatever size."""
        return np.asarray((self.labels[:, 0] == KINDS.index(kind)) & (self.labels[:, 2] == SURE))

    def wanted(self, kind: str) -> NDArray[np.bool_]:
        """Say which samples should be answered as this kind."""
        return np.asarray(self.shows(kind) & self._are_large)

    @property
    def _are_large(self) -> NDArray[np.bool_]:
        return np.asarray(self.labels[:, _SIZE] >= FROM_PX)


def predict_all(
    classifier: Classifier,
    shards: Sequence[Samples],
    *,
    knows_axis: bool = True,
    tell: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[list[Looks], NDArray[np.int16]]:
    """Return the networks' numbers for samples, with the neighbours of what may have twenty faces; and their labels.

    Args:
        knows_axis: read every die as the program does where it knows how the camera looks at the table; else read those
            that are seen aslant, as it does where it does not know.
    """
    total = sum(len(samples) for samples in shards)
    looks: list[Looks] = []
    read: list[NDArray[np.int16]] = []
    for done, (image, label) in enumerate(_each(shards), start=1):
        tilt = _tilt_of(label)
        if tilt <= MOST_TILT_DEG and (knows_axis or tilt > ASLANT_DEG):
            near = np.ascontiguousarray(image)
            if knows_axis and tilt > 0:
                near = seen_from_above(near, Axis(tilt, float(label[_TOWARDS])).along())
            plain = _raw(classifier, near, NO_AUGMENTATION)
            further = AUGMENTATIONS if needs_augmentation(predicted(plain, _WARM)) else ()
            looks.append((plain, *(_raw(classifier, near, augmentation) for augmentation in further)))
            read.append(label)
        tell(done, total)
    return looks, np.array(read, np.int16)


def _raw(classifier: Classifier, near: Image, augmentation: Augmentation) -> Logits:
    raw = classifier.raw(near, augmentation)
    kinds = softmax(raw.whole["kind"]).mean(axis=0)
    if max(kinds[KINDS.index("d20")], kinds[KINDS.index("rugen")]) > _MAY_BE:
        raw = replace(raw, neighbors=classifier.neighbor_faces(near, raw))
    return raw


def _each(shards: Sequence[Samples]) -> Iterator[tuple[Image, NDArray[np.int16]]]:
    for samples in shards:
        yield from zip(samples.images, samples.labels, strict=True)


def may_be_read(labels: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Say which samples (n, 9) are seen near enough to the table's axis to be read where it is known."""
    return np.asarray(labels[:, _TILT] <= 10 * MOST_TILT_DEG)


def _tilt_of(label: NDArray[np.int16]) -> float:
    return float(label[_TILT]) / 10


def temperatures(looks: Sequence[Looks], labels: NDArray[np.int16]) -> dict[str, float]:
    """Return the temperature of each head that makes the sure labels of the samples likeliest, by the plain looks."""
    logits = [plain for plain, *_ in looks]
    views = range(len(logits[0].whole["kind"]))
    found = {"kind": _warmth([_view(logits, "kind", view) for view in views], labels[:, 0])}
    dice = labels[:, 0] != KINDS.index("none")
    leaning = np.asarray(labels[dice, 2] == UNREADABLE, np.int16)
    found["lean"] = _warmth([_view(logits, "lean", view)[dice] for view in views], leaning)
    for name in READ:
        mine = (labels[:, 0] == KINDS.index(name)) & (labels[:, 2] == SURE)
        found[name] = _warmth([_view(logits, name, view)[mine] for view in views], labels[mine, 1])
    ways = [_upright(raw, label) for raw, label in zip(logits, labels, strict=True)]
    standing = [each for each in zip(logits, labels, ways, strict=True) if each[2] >= 0]
    numbers = [raw.numbers[way] for raw, _, way in standing]
    values = [label[1] // 2 if label[0] == KINDS.index("rugen") else label[1] for _, label, _ in standing]
    found["number"] = _warmth([np.array(numbers)], np.array(values, np.int16))
    faces = [(raw.faces[way], label[1]) for raw, label, way in standing if label[0] == KINDS.index("rugen")]
    found["face"] = _warmth([np.array([face for face, _ in faces])], np.array([value for _, value in faces], np.int16))
    return found


def _upright(raw: Logits, label: NDArray[np.int16]) -> int:
    """Return which of the ways up is right, -1 if none is or there is no sure number."""
    if label[4] < 0 or label[2] != SURE:
        return -1
    off = np.abs((raw.orientations - label[4] + 180) % 360 - 180)
    return int(off.argmin()) if off.min() < UPRIGHT_DEG else -1


def _view(logits: Sequence[Logits], head: str, view: int) -> NDArray[np.float32]:
    return np.stack([raw.whole[head][view] for raw in logits])


def best_trust(looks: Sequence[Looks], labels: NDArray[np.int16], warmth: Mapping[str, float]) -> tuple[float, float]:
    """Return how much each idea of a value is to count, so that the right ones are likeliest by the plain looks."""
    mine = [i for i in range(len(looks)) if KINDS[labels[i, 0]] in READ and labels[i, 2] == SURE]
    some, wanted = [looks[i][:1] for i in mine], labels[mine]

    def cost(trust: tuple[float, float]) -> float:
        chances = chances_of(some, wanted, Calibration(warmth, trust, {}, {}))
        rows = [chances.by_head[KINDS[kind]][i, value] for i, (kind, value) in enumerate(wanted[:, :2])]
        return float(-np.log(np.array(rows) + 1e-6).mean())

    return min(((a, b) for a in _TRUSTS for b in _TRUSTS if a + b > 0), key=cost)


def chances_of(looks: Sequence[Looks], labels: NDArray[np.int16], calibration: Calibration) -> Chances:
    """Return what the reader would make of every sample."""
    made = [_prediction(each, calibration) for each in looks]
    heads = {"kind": np.stack([each.kinds for each in made])}
    heads |= {name: np.stack([getattr(each, _ATTRIBUTE[name]) for each in made]) for name in READ}
    heads["lean"] = np.array([[1 - each.lean, each.lean] for each in made], np.float32)
    return Chances(heads, labels)


def _prediction(looks: Looks, calibration: Calibration) -> Prediction:
    plain, *further = looks
    return with_augmentations(predicted(plain, calibration), (predicted(raw, calibration) for raw in further))


def _warmth(logits: Sequence[NDArray[np.float32]], wanted: NDArray[np.int16]) -> float:
    if not len(wanted):
        return 1.0
    costs = [
        sum(float(-np.log(softmax(part / warmth)[np.arange(len(wanted)), wanted] + 1e-9).mean()) for part in logits)
        for warmth in _WARMTHS
    ]
    return round(float(_WARMTHS[int(np.argmin(costs))]), 3)


def most_lean(chances: Chances) -> float:
    """Return how likely a die may lean and still be answered: so that few of those that lie flat are not."""
    flat = (chances.labels[:, 0] != KINDS.index("none")) & (chances.labels[:, 2] != UNREADABLE)
    most = float(np.quantile(chances.by_head["lean"][flat, 1], 1 - _TAKEN_FOR_LEANING))
    return round(max(most, _LEAST_LEAN), 4)


def best_rule(chances: Chances, kind: str, *, allowed: float = WRONG_ALLOWED, lean: float = 1.0) -> Rule:
    """Return the rule that answers most with at most that share of wrong ones among its answers.

    Leaning dice are left out: they are far rarer on tables than among samples, and the reader knows them by more
    than the network. The model card tells how many would be answered.
    """
    best, most = Rule(1.0, 1.0, lean), -1
    lies_flat = chances.labels[:, 2] != UNREADABLE
    right, faces = chances.is_right(kind), chances.by_head[kind].max(axis=1)
    for least_kind in _KIND_STEPS:
        mine = np.flatnonzero(lies_flat & chances.answers(kind, Rule(0.0, least_kind, lean)))
        order = mine[np.argsort(-faces[mine], kind="stable")]
        answered = np.arange(1, len(order) + 1)
        fine = np.flatnonzero(np.cumsum(~right[order]) <= allowed * answered)
        if len(fine) and int(answered[fine[-1]]) > most:
            most = int(answered[fine[-1]])
            face = float(np.floor(faces[order[fine[-1]]] * 1e6) / 1e6)
            face = min(max(face, _LEAST_FACE[kind]), _MOST_FACE.get(kind, 1.0))
            best = Rule(round(face, 6), least_kind, lean)
    return best


def check_crops() -> list[Image]:
    """Return three synthetic close crops, to check that the networks give the recorded numbers."""
    y, x = np.mgrid[0:STORED, 0:STORED]
    return [np.stack([(x * a + y * b) % 256, (x * b) % 256, (y * a) % 256], axis=2).astype(np.uint8)
            for a, b in ((2, 1), (1, 3), (5, 2))]  # fmt: skip


def checksums(classifier: Classifier) -> dict[str, list[float]]:
    """Return a few numbers of each output for `check_crops`."""
    whole = classifier.whole.run([whole_crop(near) for near in check_crops()])
    number = classifier.number.run([number_crop(near, 30.0) for near in check_crops()])
    outputs = {f"dice {name}": out for name, out in whole.items()}
    outputs |= {f"number {name}": out for name, out in number.items()}
    return {name: [round(float(value), 4) for value in out[:, :3].ravel()] for name, out in outputs.items()}
