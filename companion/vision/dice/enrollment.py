"""Enrollment of a die: one picture per face, with the reason if a picture is unusable."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import cv2
import numpy as np

from companion.kernel.messages import Message, joined, message
from companion.objects.dice import DAY_NIGHT, DIE_NAMES, TWENTY_FACES, DieKind
from companion.vision.dice.axis import Axis, seen_from_above
from companion.vision.dice.box_jitter import reread_jittered
from companion.vision.dice.boxes import Box, DieBox, crop_of
from companion.vision.dice.decision_policy import (
    BLURRED,
    MIN_CONTRAST,
    MIN_PX,
    WANTED_PX,
    DieReading,
    contrast_of,
    gather,
    judge,
    sharpness_of,
)
from companion.vision.dice.enrolled import (
    LABELS,
    BadEnrollment,
    EnrolledDice,
    EnrolledDie,
    face_embeddings,
    label_words,
)
from companion.vision.dice.faces.classifier import Classifier, shared_classifier
from companion.vision.dice.faces.predictions import Prediction, mean_prediction
from companion.vision.dice.faces.upright import CLOSE_CROP_PX, DIE_PX, close_crop
from companion.vision.dice.finding.finder import shared_finder
from companion.vision.dice.finding.surroundings import has_hand
from companion.vision.frame import Image

SAME_FACE_SIMILARITY: Final = 0.985
"""Similarity above which two labels are the same face, shown twice."""
MAX_NAME_LENGTH: Final = 40
_OTHER_KIND: Final = 0.9
_UNRECOGNIZED_SHARE: Final = 0.1
"""Maximum share of faces not recognized again. Two of 50 rendered d20s exceed it: of 80 pictures of these 78 had no
answer and one a wrong one; of 1,920 pictures of the other 48, 19 and none."""
_TURNED_DEG, _SMALLER, _SOFTER = 37.0, 0.96, 0.8  # sigma in px of the close crop
_IN_CROP: Final = DieBox(((CLOSE_CROP_PX - DIE_PX) // 2, (CLOSE_CROP_PX - DIE_PX) // 2, DIE_PX, DIE_PX), 1.0)
_ABOVE: Final = Axis(0.0)

Why = Message | Literal[""]
"""Why a picture is unusable; "" if it is usable."""


class NotRecognized(BadEnrollment):
    """Faces of the die are not recognized in their own pictures and must be shown again."""


@dataclass(frozen=True, slots=True, eq=False)
class Inspection:
    """One picture of the die being enrolled.

    Attributes:
        why: why it is unusable, "" if it is usable.
        box: the die's box; None unless there is exactly one.
        crop: its close crop, uint8 (208, 208, 3) BGR, or None.
        views: embeddings (n, 64), or None.
        predicted: the face that the network reads, if certain without enrollment.
        likely: likely faces, most likely first.
    """

    why: Why
    box: Box | None = None
    crop: Image | None = None
    views: np.ndarray | None = None
    predicted: str | None = None
    likely: tuple[str, ...] = ()


class Enrollment:
    """Enrolls one die, face by face. Not thread-safe.

    Args:
        name: the owner's name for the die.
        kind: kind of die.
        axis: the camera's axis, if known.

    Raises:
        BadEnrollment: the name is invalid.

    >>> Enrollment("house die", "d6").wanted
    ('1', '2', '3', '4', '5', '6')
    """

    def __init__(
        self,
        name: str,
        kind: DieKind,
        *,
        classifier: Classifier | None = None,
        axis: Axis | None = None,
    ) -> None:
        self.name, self.kind, self.axis = checked_name(name), kind, axis
        self._classifier = classifier
        self._taken: list[tuple[str, Image, np.ndarray]] = []
        self._disputed = ""

    @property
    def wanted(self) -> tuple[str, ...]:
        """The faces not shown yet."""
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
        """Add a picture of the die with this face up; return "" or why the picture is unusable.

        Raises:
            BadEnrollment: this kind of die has no such face.
        """
        check_face(self.kind, label)
        return self.learn(self.inspect(image), label)

    def inspect(self, image: Image) -> Inspection:
        """Check whether a picture is usable, and predict its face."""
        dice = shared_finder().find(image)
        why = unusable(image, dice)
        if len(dice) != 1:
            return Inspection(why)
        die, crop = dice[0], close_crop(image, dice[0])
        if self.axis is not None:
            crop = seen_from_above(crop, self.axis.at(die.box, image.shape))
        predictions = self._networks.predict([np.ascontiguousarray(np.rot90(crop, k)) for k in range(4)])
        why = why or self._wrong_kind(mean_prediction(predictions))
        if not why and self.kind in TWENTY_FACES and contrast_of(crop) < MIN_CONTRAST:
            why = message("nothing is to be seen on the upper face: perhaps a lamp is mirrored in it")
        predicted, likely = ("", ()) if why else self._read(image, die)
        views = np.concatenate([face_embeddings(prediction, self.kind) for prediction in predictions])
        return Inspection(why, die.box, crop, views, predicted or None, likely)

    def learn(self, inspection: Inspection, label: str) -> Why:
        """Add a face from an inspected picture; return "" or why it is unusable.

        A face confidently read as another is queried once: a wrong label here would cause wrong values ever after.

        Raises:
            BadEnrollment: this kind of die has no such face.
        """
        check_face(self.kind, label)
        if inspection.why or inspection.crop is None or inspection.views is None:
            return inspection.why or message("no die is to be seen")
        twin = self._duplicate_of(inspection.views, label)
        if twin:
            return message("this is the face that was shown as {face}", face=label_words(twin))
        if inspection.predicted not in (None, label) and self._disputed != label:
            self._disputed = label
            return message(
                "the camera reads {read}; if it is {face} all the same, take it once more",
                read=label_words(str(inspection.predicted)),
                face=label_words(label),
            )
        self._disputed = ""
        self._taken.append((label, inspection.crop, inspection.views))
        return ""

    def undo(self, label: str | None = None) -> str | None:
        """Remove the last picture (of this face, if given); return its face, None if there is none."""
        for at in range(len(self._taken) - 1, -1, -1):
            if label in (None, self._taken[at][0]):
                return self._taken.pop(at)[0]
        return None

    # ---- the whole die

    def finish(self, dice: EnrolledDice) -> EnrolledDie:
        """Store the die and return it.

        Faces not recognized in their own pictures must be shown again, and those pictures are dropped: next to better
        ones they would still be matched. The other faces need not be shown again.

        Raises:
            NotRecognized: too many faces; `wanted` lists them.
            CompanionError: faces are missing, or the disk is full.
        """
        pictures: dict[str, list[Image]] = {}
        for label, crop, _ in self._taken:
            pictures.setdefault(label, []).append(crop)
        die = EnrolledDie.learn(self.name, self.kind, pictures, self._networks)
        if strangers := unrecognized_faces(die, pictures, self._networks):
            self._taken = [taken for taken in self._taken if taken[0] not in strangers]
            raise NotRecognized(
                message(
                    "{die} is not stored: the camera would hardly know these faces again: {faces}. Take them once more "
                    "in better light, or use a die with plainer numbers.",
                    die=self.name,
                    faces=joined([label_words(label) for label in strangers]),
                )
            )
        dice.store(self.name, self.kind, pictures)
        return die

    # ---- reasons

    @property
    def _networks(self) -> Classifier:
        return self._classifier or shared_classifier()

    def _wrong_kind(self, mean: Prediction) -> Why:
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
        """Return the face read without enrollment, "" if uncertain, and the likely faces."""
        reading = judge([gather(image, die, self._networks, axis=self.axis)], {self.kind}, self._networks.calibration)
        if reading is None:
            return "", ()
        return _shown(reading), tuple(label for label in reading.likely if label in LABELS[self.kind])

    def _duplicate_of(self, views: np.ndarray, label: str) -> str:
        """Return the other label of a face that these embeddings match, "" if none."""
        similarities = {other: float((views @ seen.T).max(axis=1).mean()) for other, _, seen in self._taken}
        similarities.pop(label, None)
        best = max(similarities, key=lambda other: similarities[other], default="")
        return best if best and similarities[best] > SAME_FACE_SIMILARITY and self.kind == "d20" else ""


def unrecognized_faces(die: EnrolledDie, pictures: Mapping[str, Sequence[Image]], net: Classifier) -> tuple[str, ...]:
    """Return the faces read from none of their own pictures, rotated and blurred as in a throw.

    Empty if they are few: such dice are answered hardly less often than others, while one with more is read by chance.

    Args:
        pictures: label to close crops, uint8 (208, 208, 3) BGR, that the die was enrolled with.
    """
    strangers = []
    for label, crops in pictures.items():
        readings = (_judged(die, _IN_CROP, _as_thrown(crop), net) for crop in crops)
        if all(reading is None or _shown(reading) != label for reading in readings):
            strangers.append(label)
    return tuple(strangers) if len(strangers) > max(1, _UNRECOGNIZED_SHARE * len(pictures)) else ()


def reread_enrolled(die: EnrolledDie, crop: Image, net: Classifier) -> str:
    """Return the face of an enrolled die in a rectified close crop, "" if none is read."""
    reading = _judged(die, _IN_CROP, crop, net)
    if reading is None:
        return ""
    return _shown(reread_jittered(_IN_CROP, reading, lambda box: _judged(die, box, crop, net)))


def _judged(die: EnrolledDie, box: DieBox, crop: Image, net: Classifier) -> DieReading | None:
    return judge([gather(crop, box, net, read_neighbors=True, axis=_ABOVE)], {die.kind}, net.calibration, (die,))


def _shown(reading: DieReading) -> str:
    if reading.value is None:
        return ""
    return str(reading.value) if reading.kind != DAY_NIGHT else reading.face or ""


def _as_thrown(crop: Image) -> Image:
    middle = ((CLOSE_CROP_PX - 1) / 2, (CLOSE_CROP_PX - 1) / 2)
    where = cv2.getRotationMatrix2D(middle, _TURNED_DEG, _SMALLER)
    turned = cv2.warpAffine(crop, where, (CLOSE_CROP_PX, CLOSE_CROP_PX), borderMode=cv2.BORDER_REFLECT)
    return np.asarray(cv2.GaussianBlur(turned, (0, 0), _SOFTER), np.uint8)


def check_face(kind: DieKind, label: str) -> None:
    """Check that a kind of die has a face.

    Raises:
        BadEnrollment: it does not.
    """
    if label not in LABELS[kind]:
        raise BadEnrollment(f"A {kind} does not show {label!r}. Choose from {', '.join(LABELS[kind])}.")


def unusable(image: Image, dice: Sequence[DieBox]) -> Why:
    """Return why a picture with these detections cannot be used to enroll a die, "" if it can."""
    if not dice:
        return message("no die is to be seen")
    if len(dice) > 1:
        return message("{count} dice are to be seen: leave only one", count=len(dice))
    die = dice[0]
    if has_hand(image, dice):
        return message("a hand is in the picture")
    if die.size_px < MIN_PX:
        return message(
            "the die is too small: {size} px, wants {wanted}; move the camera closer",
            size=die.size_px,
            wanted=WANTED_PX,
        )
    return message("the picture is blurred") if sharpness_of(crop_of(image, die)) < BLURRED else ""


def checked_name(name: str) -> str:
    """Return a die's name with normalized whitespace.

    Raises:
        BadEnrollment: the name is invalid.
    """
    name = " ".join(name.split())
    if not name.isprintable() or len(name) > MAX_NAME_LENGTH or not re.search("[A-Za-z0-9]", name):
        raise BadEnrollment(
            message(
                "A die's name is a word or two, at most {most} letters. Write one, such as 'house'.",
                most=MAX_NAME_LENGTH,
            )
        )
    return name
