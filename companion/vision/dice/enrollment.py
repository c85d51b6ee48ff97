"""Enrollment of a die: one picture per face, with the reason where a picture is unusable."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from companion.kernel.messages import Message, message
from companion.objects.dice import DAY_NIGHT, DIE_NAMES, DieKind
from companion.vision.dice.axis import Axis, seen_from_above
from companion.vision.dice.boxes import Box, DieBox, crop_of
from companion.vision.dice.decision_policy import BLURRED, LEAST_PX, WANTED_PX, gather, judge, sharpness_of
from companion.vision.dice.enrolled import LABELS, BadEnrolment, EnrolledDice, EnrolledDie, fingerprints
from companion.vision.dice.faces.classifier import Classifier, shared_classifier
from companion.vision.dice.faces.predictions import Prediction, mean_prediction
from companion.vision.dice.faces.upright import close_crop
from companion.vision.dice.finding.finder import Finder, shared_finder
from companion.vision.dice.finding.surroundings import hand_in
from companion.vision.frame import Image

TWINS: Final = 0.985
"""Two faces whose pictures are more alike than this are one and the same face, shown twice."""
MOST_NAME: Final = 40
_OTHER_KIND: Final = 0.9

Why = Message | Literal[""]
"""Why a picture will not do; "" if it will."""


@dataclass(frozen=True, slots=True, eq=False)
class Inspection:
    """What a picture shows of the die being enrolled.

    Attributes:
        why: why it will not do, "" if it will.
        box: where the die lies; None where not one die is to be seen.
        near: its close crop, uint8 (208, 208, 3) BGR, or None.
        says: the face that the network reads, if it is sure by itself.
        likely: what it may be, the likeliest first.
    """

    why: Why
    box: Box | None = None
    near: Image | None = None
    views: np.ndarray | None = None
    says: str | None = None
    likely: tuple[str, ...] = ()


class Enrollment:
    """Enrolls one die, face by face. Not thread-safe.

    Args:
        name: the owner's name for the die.
        kind: what die it is.
        axis: how the camera looks at the table, where that is known.

    Raises:
        BadEnrolment: the name is none.

    >>> Enrollment("house die", "d6").wanted
    ('1', '2', '3', '4', '5', '6')
    """

    def __init__(
        self,
        name: str,
        kind: DieKind,
        *,
        finder: Finder | None = None,
        classifier: Classifier | None = None,
        axis: Axis | None = None,
    ) -> None:
        self.name, self.kind, self.axis = checked_name(name), kind, axis
        self._finder, self._classifier = finder, classifier
        self._taken: list[tuple[str, Image, np.ndarray]] = []
        self._doubted = ""

    @property
    def wanted(self) -> tuple[str, ...]:
        """The faces that have not been shown yet."""
        shown = set(self.shown)
        return tuple(label for label in LABELS[self.kind] if label not in shown)

    @property
    def shown(self) -> tuple[str, ...]:
        taken = {label for label, _, _ in self._taken}
        return tuple(label for label in LABELS[self.kind] if label in taken)

    @property
    def last(self) -> tuple[str, Image] | None:
        """The face shown last, and its close crop, uint8 (208, 208, 3) BGR; None before the first."""
        return self._taken[-1][:2] if self._taken else None

    # ---- one picture

    def take(self, image: Image, label: str) -> Why:
        """Learn from a picture of the die with this face up; return "" or why the picture will not do.

        Raises:
            BadEnrolment: this kind of die has no such face.
        """
        check_face(self.kind, label)
        return self.learn(self.inspect(image), label)

    def inspect(self, image: Image) -> Inspection:
        """Check whether a picture is usable, and what it probably shows."""
        dice = (self._finder or shared_finder()).find(image)
        why = unfit(image, dice)
        if len(dice) != 1:
            return Inspection(why)
        die, near = dice[0], close_crop(image, dice[0])
        if self.axis is not None:
            near = seen_from_above(near, self.axis)
        predictions = self._networks.predict([np.ascontiguousarray(np.rot90(near, k)) for k in range(4)])
        why = why or self._strange(mean_prediction(predictions))
        says, likely = ("", ()) if why else self._read(image, die)
        views = np.concatenate([fingerprints(prediction, self.kind) for prediction in predictions])
        return Inspection(why, die.box, near, views, says or None, likely)

    def learn(self, inspection: Inspection, label: str) -> Why:
        """Learn a face from what was seen; return "" or why that will not do.

        A face that is surely read as another is asked about once: a slip here would be a wrong value ever after.

        Raises:
            BadEnrolment: this kind of die has no such face.
        """
        check_face(self.kind, label)
        if inspection.why or inspection.near is None or inspection.views is None:
            return inspection.why or message("no die is to be seen")
        twin = self._twin_of(inspection.views, label)
        if twin:
            return message("this is the face that was shown as {face}", face=twin)
        if inspection.says not in (None, label) and self._doubted != label:
            self._doubted = label
            return message(
                "the camera reads {read}; if it is {face} all the same, take it once more",
                read=str(inspection.says),
                face=label,
            )
        self._doubted = ""
        self._taken.append((label, inspection.near, inspection.views))
        return ""

    def undo(self, label: str | None = None) -> str | None:
        """Forget the picture taken last (of this face, if one is named); return its face, None if there is none."""
        for at in range(len(self._taken) - 1, -1, -1):
            if label in (None, self._taken[at][0]):
                return self._taken.pop(at)[0]
        return None

    # ---- the whole die

    def finish(self, dice: EnrolledDice) -> EnrolledDie:
        """Store the die and return it.

        Raises:
            CompanionError: faces are missing, or the disk is full.
        """
        pictures: dict[str, list[Image]] = {}
        for label, near, _ in self._taken:
            pictures.setdefault(label, []).append(near)
        die = EnrolledDie.learn(self.name, self.kind, pictures, self._networks)
        dice.store(self.name, self.kind, pictures)
        return die

    # ---- why not

    @property
    def _networks(self) -> Classifier:
        return self._classifier or shared_classifier()

    def _strange(self, mean: Prediction) -> Why:
        if mean.lean > self._networks.calibration.most_lean:
            return message("the die is leaning")
        if mean.kind == self.kind or mean.kind_p <= _OTHER_KIND:
            return ""
        if mean.kind is None:
            return message("this looks like another kind of die, not like a {kind}", kind=DIE_NAMES[self.kind])
        return message(
            "this looks like a {seen}, not like a {kind}", seen=DIE_NAMES[mean.kind], kind=DIE_NAMES[self.kind]
        )

    def _read(self, image: Image, die: DieBox) -> tuple[str, tuple[str, ...]]:
        """Return what the network reads without help, "" if it is not sure, and what is likely."""
        reading = judge([gather(image, die, self._networks, axis=self.axis)], {self.kind}, self._networks.calibration)
        if reading is None:
            return "", ()
        shown = reading.face if self.kind == DAY_NIGHT else None if reading.value is None else str(reading.value)
        return shown or "", tuple(label for label in reading.likely if label in LABELS[self.kind])

    def _twin_of(self, views: np.ndarray, label: str) -> str:
        """Return the other face that these embeddings match."""
        alike = {other: float((views @ seen.T).max(axis=1).mean()) for other, _, seen in self._taken}
        alike.pop(label, None)
        best = max(alike, key=lambda other: alike[other], default="")
        return best if best and alike[best] > TWINS and self.kind == "d20" else ""


def check_face(kind: DieKind, label: str) -> None:
    """See that a kind of die has a face.

    Raises:
        BadEnrolment: it has not.
    """
    if label not in LABELS[kind]:
        raise BadEnrolment(f"A {kind} does not show {label!r}. Choose from {', '.join(LABELS[kind])}.")


def unfit(image: Image, dice: Sequence[DieBox]) -> Why:
    """Return why one die cannot be learnt from a picture in which these were found, "" if it can."""
    if not dice:
        return message("no die is to be seen")
    if len(dice) > 1:
        return message("{count} dice are to be seen: leave only one", count=len(dice))
    die = dice[0]
    if hand_in(image, dice):
        return message("a hand is in the picture")
    if die.size_px < LEAST_PX:
        return message(
            "the die is too small: {size} px, wants {wanted}; move the camera closer",
            size=die.size_px,
            wanted=WANTED_PX,
        )
    return message("the picture is blurred") if sharpness_of(crop_of(image, die)) < BLURRED else ""


def checked_name(name: str) -> str:
    """Return a die's name without needless blanks.

    Raises:
        BadEnrolment: it is none.
    """
    name = " ".join(name.split())
    if not name.isprintable() or len(name) > MOST_NAME or not re.search("[A-Za-z0-9]", name):
        raise BadEnrolment(
            message(
                "A die's name is a word or two, at most {most} letters. Write one, such as 'house'.", most=MOST_NAME
            )
        )
    return name
