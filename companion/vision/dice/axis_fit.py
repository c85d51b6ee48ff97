"""Estimates the camera's axis from a few pictures of a die whose upper face is given."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.kernel.messages import Message, listed, message
from companion.objects.dice import DieKind
from companion.vision.dice.axis import DEFAULT_LENS, MAX_TILT_DEG, Axis, Lens, seen_from_above
from companion.vision.dice.boxes import Box, DieBox, gray_patch, has_changed
from companion.vision.dice.enrolled import LABELS, label_words
from companion.vision.dice.enrollment import Why, check_face, unusable
from companion.vision.dice.faces.classifier import shared_classifier
from companion.vision.dice.faces.predictions import KIND_ORDER
from companion.vision.dice.faces.upright import close_crop
from companion.vision.dice.finding.finder import shared_finder
from companion.vision.frame import Image

MIN_PICTURES: Final = 3
FACES_ASKED: Final = 5
"""Number of faces asked for. With plain dice they give the axis to two degrees, at most 4.3: see docs/figures.md."""
_NADIR_DEG: Final = 4.0  # below this it is indistinguishable from nadir
_SIDES: Final = (
    message("from the right edge of the picture"), message("from the upper right corner of the picture"),
    message("from the upper edge of the picture"), message("from the upper left corner of the picture"),
    message("from the left edge of the picture"), message("from the lower left corner of the picture"),
    message("from the lower edge of the picture"), message("from the lower right corner of the picture"),
)  # fmt: skip
"""Azimuth of the camera in the image, by eighths of a circle."""
_STEP_DEG, _RINGS = 13.0, 3
_FLOOR_P: Final = 1e-4  # floor, so that one picture alone never rules out an axis
_FIT_P: Final = 0.5  # minimum probability of a picture's label under the best axis


@dataclass(frozen=True, slots=True)
class AxisEstimate:
    """The estimate from all pictures.

    Attributes:
        axis: the camera's axis; None if pictures are inconsistent, too few or too far off-axis.
        misfits: faces whose pictures are inconsistent with the others: wrong label, or the camera moved.
        fits: for each picture whether it is consistent with the others.
    """

    axis: Axis | None
    misfits: tuple[str, ...] = ()
    fits: tuple[bool, ...] = field(default=(), compare=False)

    @property
    def setting(self) -> tuple[int, int] | None:
        """The axis as configured, in whole degrees; the estimate is no more accurate."""
        if self.axis is None:
            return None
        return round(self.axis.tilt_deg), round(self.axis.towards_deg) % 360


@dataclass(frozen=True, slots=True, eq=False)
class LabeledPicture:
    """A picture with its given upper face.

    Attributes:
        number: unique identifier, never reused.
        label: the face.
        crop: the die's close crop, uint8 (208, 208, 3) BGR.
        box: bounding box, px.
        patch: its gray patch, see `companion.vision.dice.boxes.gray_patch`.
        size: the picture's height and width.
        logs: log-likelihood of the label by axis.
    """

    number: int
    label: str
    crop: Image
    box: Box
    patch: NDArray[np.float32]
    size: tuple[int, ...]
    logs: NDArray[np.float64]


class AxisFit:
    """Collects labeled pictures of a die and fits the axis that explains all of them. Not thread-safe.

    Args:
        kind: kind of die.
        lens: the camera's lens.
        numbers: identifiers for the pictures.

    >>> AxisFit("d6").wanted
    ('1', '2', '3', '4', '5')
    """

    def __init__(
        self,
        kind: DieKind,
        *,
        lens: Lens = DEFAULT_LENS,
        numbers: Iterator[int] | None = None,
    ) -> None:
        self.kind = kind
        self._numbers = count(1) if numbers is None else numbers
        self._asked = tuple(LABELS[kind][at * len(LABELS[kind]) // FACES_ASKED] for at in range(FACES_ASKED))
        self._lens, self._axes = lens, _axes(lens)
        self._pictures: list[LabeledPicture] = []

    @property
    def wanted(self) -> tuple[str, ...]:
        """The requested faces not shown yet."""
        return tuple(label for label in self._asked if label not in self.shown)

    @property
    def shown(self) -> tuple[str, ...]:
        return tuple(each.label for each in self._pictures)

    @property
    def pictures(self) -> tuple[LabeledPicture, ...]:
        """The accepted pictures, oldest first."""
        return tuple(self._pictures)

    def take(self, image: Image, label: str) -> Why:
        """Add a picture of the die with this face up; return "" or why the picture is unusable.

        Raises:
            BadEnrollment: this kind of die has no such face.
        """
        check_face(self.kind, label)
        die, why = self.inspect(image)
        return why if why or die is None else self.learn(image, die, label)

    def inspect(self, image: Image) -> tuple[DieBox | None, Why]:
        """Return a picture's only die, None if there is not exactly one, and why the picture is unusable, or ""."""
        dice = shared_finder().find(image)
        die = dice[0] if len(dice) == 1 else None
        why = unusable(image, dice)
        before = "" if why else self.unchanged_label(image)
        if before:
            words = label_words(before)
            why = message("nothing has changed since the picture of {face}: turn another face up", face=words)
        return die, why

    def unchanged_label(self, image: Image) -> str:
        """Return the label of an accepted picture that shows the same, unmoved die, "" if none does."""
        return next((each.label for each in self._pictures if _is_unchanged(image, each)), "")

    def learn(self, image: Image, die: DieBox, label: str) -> Why:
        """Add a picture with a known box of the die; return "" or why the picture is unusable."""
        crop = close_crop(image, die)
        crops = [seen_from_above(crop, axis.at(die.box, image.shape)) for axis in self._axes]
        at, kind = LABELS[self.kind].index(label), KIND_ORDER.index(self.kind)
        seen = shared_classifier().predict(crops)
        probabilities = [float(p.faces(self.kind)[at] * p.kinds[kind] * (1 - p.lean)) for p in seen]
        if max(probabilities) < _FIT_P:
            return message(
                "{face} is not seen on the die from any side: lay it with that face up", face=label_words(label)
            )
        logs = np.log(np.maximum(_FLOOR_P, probabilities))
        patch = gray_patch(image, die.box)
        self._pictures.append(LabeledPicture(next(self._numbers), label, crop, die.box, patch, image.shape[:2], logs))
        return ""

    def undo(self, number: int | None = None) -> str | None:
        """Remove the picture with this number, or the last one; return its face, None if there is none."""
        for at in range(len(self._pictures) - 1, -1, -1):
            if number in (None, self._pictures[at].number):
                return self._pictures.pop(at).label
        return None

    def found(self) -> AxisEstimate:
        """Return the likelihood-weighted mean axis of all pictures."""
        if len(self._pictures) < MIN_PICTURES:
            return AxisEstimate(None)
        logs = np.array([each.logs for each in self._pictures])
        fits = logs.mean(axis=0)
        each = tuple(bool(log >= np.log(_FIT_P)) for log in logs[:, int(fits.argmax())])
        misfits = tuple(label for label, is_fit in zip(self.shown, each, strict=True) if not is_fit)
        if misfits:
            return AxisEstimate(None, misfits, each)
        weights = np.exp(2 * (fits - fits.max()))
        towards = weights @ np.array([_direction(axis) for axis in self._axes]) / weights.sum()
        tilt = float(np.degrees(np.arctan2(np.hypot(*towards[:2]), towards[2])))
        if round(tilt) > MAX_TILT_DEG:
            return AxisEstimate(None, fits=each)
        towards_deg = float(np.degrees(np.arctan2(towards[1], towards[0])) % 360)
        return AxisEstimate(Axis(tilt, towards_deg, self._lens), fits=each)

    def problem(self, found: AxisEstimate) -> Why:
        """Return why there is no axis, and what to do about it; "" if there is one."""
        if len(self._pictures) < MIN_PICTURES:
            return message("At least {count} good pictures are needed.", count=MIN_PICTURES)
        if len(found.misfits) == len(self._pictures):
            return message("None of the pictures fit each other. Has the camera moved? Begin anew.")
        if found.misfits:
            faces = listed([label_words(label) for label in dict.fromkeys(found.misfits)])
            return message(
                "The pictures of {faces} do not fit the others. Was another face up, or the camera moved?", faces=faces
            )
        if found.axis is None:
            return message(
                "The camera looks from more than {most} degrees aside. Put it more nearly above the tray.",
                most=round(MAX_TILT_DEG),
            )
        return ""


def axis_words(axis: Axis) -> Message:
    """Describe a camera's axis in words.

    >>> print(axis_words(Axis(23.4, 182.0)))
    The camera looks from about 23 degrees aside, from the left edge of the picture.
    >>> print(axis_words(Axis(3.0, 90.0)))
    The camera looks straight down.
    """
    if axis.tilt_deg < _NADIR_DEG:
        return message("The camera looks straight down.")
    side = _SIDES[round(axis.towards_deg / 45) % len(_SIDES)]
    return message("The camera looks from about {tilt} degrees aside, {side}.", tilt=round(axis.tilt_deg), side=side)


def _is_unchanged(image: Image, each: LabeledPicture) -> bool:
    return image.shape[:2] == each.size and not has_changed(each.patch, gray_patch(image, each.box))


def _axes(lens: Lens) -> list[Axis]:
    """Return a hexagonal grid of axes, about equally spaced."""
    steps = range(-_RINGS, _RINGS + 1)
    points = [(_STEP_DEG * (i + j / 2), _STEP_DEG * j * np.sqrt(3) / 2) for i in steps for j in steps]
    return [Axis(float(np.hypot(x, y)), float(np.degrees(np.arctan2(y, x)) % 360), lens)
            for x, y in points if np.hypot(x, y) < (_RINGS + 0.01) * _STEP_DEG]  # fmt: skip


def _direction(axis: Axis) -> tuple[float, float, float]:
    t, w = np.radians(axis.tilt_deg), np.radians(axis.towards_deg)
    return float(np.sin(t) * np.cos(w)), float(np.sin(t) * np.sin(w)), float(np.cos(t))
