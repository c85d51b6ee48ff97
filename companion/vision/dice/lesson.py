"""Enrolment: one picture of each face of the owner's die, and why a picture will not do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from companion.vision.dice.boxes import DieBox, DieKind, crop_of
from companion.vision.dice.classifier import Classifier, mean_look, shared_classifier
from companion.vision.dice.enrolled import LABELS, BadEnrolment, EnrolledDice, EnrolledDie
from companion.vision.dice.finder import Finder, shared_finder
from companion.vision.dice.judge import BLURRED, LEANING_DEG, LEAST_PX, WANTED_PX, sharpness_of
from companion.vision.dice.surroundings import hand_in
from companion.vision.frame import Image

TWINS: Final = 0.985
"""Two faces whose pictures are more alike than this are one and the same face, shown twice."""
_OTHER_KIND: Final = 0.9


class Lesson:
    """Learns one die, face by face. One thread's.

    Args:
        name: what the house calls the die.
        kind: what die it is.

    >>> Lesson("house die", "d6").wanted
    ('1', '2', '3', '4', '5', '6')
    """

    def __init__(
        self, name: str, kind: DieKind, *, finder: Finder | None = None, classifier: Classifier | None = None
    ) -> None:
        self.name, self.kind = name, kind
        self._finder, self._classifier = finder, classifier
        self._pictures: dict[str, list[Image]] = {}
        self._looks: dict[str, np.ndarray] = {}

    @property
    def wanted(self) -> tuple[str, ...]:
        """The faces that have not been shown yet."""
        return tuple(label for label in LABELS[self.kind] if label not in self._pictures)

    @property
    def shown(self) -> tuple[str, ...]:
        return tuple(label for label in LABELS[self.kind] if label in self._pictures)

    def take(self, image: Image, label: str) -> str:
        """Learn from a picture of the die with this face up; return "" or why the picture will not do.

        Raises:
            BadEnrolment: this kind of die has no such face.
        """
        if label not in LABELS[self.kind]:
            raise BadEnrolment(f"A {self.kind} does not show {label!r}. Choose from {', '.join(LABELS[self.kind])}.")
        dice = (self._finder or shared_finder()).find(image)
        why = self._unfit(image, dice)
        if why:
            return why
        crop = crop_of(image, dice[0])
        eye = self._classifier or shared_classifier()
        looks = eye.look([np.ascontiguousarray(np.rot90(crop, k)) for k in range(4)])
        mean = mean_look(looks)
        if mean.kind != self.kind and mean.kind_p > _OTHER_KIND:
            return f"this looks like {_named(mean.kind)}, not like a {self.kind}"
        views = np.stack([look.embedding for look in looks])
        twin = self._twin_of(views, label)
        if twin:
            return f"this is the face that was shown as {twin}"
        self._pictures.setdefault(label, []).append(crop)
        self._looks[label] = views
        return ""

    def finish(self, dice: EnrolledDice) -> EnrolledDie:
        """Store the die and return it.

        Raises:
            BadEnrolment: faces are missing, or the name is none.
        """
        die = EnrolledDie.learn(self.name, self.kind, self._pictures, self._classifier or shared_classifier())
        dice.store(self.name, self.kind, self._pictures)
        return die

    def _unfit(self, image: Image, dice: Sequence[DieBox]) -> str:
        if len(dice) != 1:
            return "no die is to be seen" if not dice else f"{len(dice)} dice are to be seen: leave only one"
        die = dice[0]
        if hand_in(image, dice):
            return "a hand is in the picture"
        if die.size_px < LEAST_PX:
            return f"the die is too small: {die.size_px} px, wants {WANTED_PX}; move the camera closer"
        if die.lean_deg > LEANING_DEG:
            return "the die is leaning"
        return "the picture is blurred" if sharpness_of(crop_of(image, die)) < BLURRED else ""

    def _twin_of(self, views: np.ndarray, label: str) -> str:
        """Return the other face that these looks show once more."""
        alike = {other: float((views @ seen.T).max(axis=1).mean()) for other, seen in self._looks.items()}
        alike.pop(label, None)
        best = max(alike, key=lambda other: alike[other], default="")
        return best if best and alike[best] > TWINS and self.kind == "d20" else ""


def _named(kind: DieKind | None) -> str:
    return "another kind of die" if kind is None else f"a {kind}"
