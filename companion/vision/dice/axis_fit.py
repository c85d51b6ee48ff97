"""Finds how a camera looks at dice, by a few pictures of a die whose upper face is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.kernel.messages import message
from companion.objects.dice import DieKind
from companion.vision.dice.axis import Axis, seen_from_above
from companion.vision.dice.boxes import DieBox
from companion.vision.dice.enrolled import LABELS
from companion.vision.dice.enrollment import Why, check_face, unfit
from companion.vision.dice.faces.classifier import Classifier, shared_classifier
from companion.vision.dice.faces.predictions import KIND_ORDER
from companion.vision.dice.faces.upright import close_crop
from companion.vision.dice.finding.finder import Finder, shared_finder
from companion.vision.frame import Image

LEAST_PICTURES: Final = 3
ASKED: Final = 5
"""So many faces are asked for. Of plain dice they tell the axis to two degrees, at most 4.3: see docs/figures.md."""
MOST_FOUND_DEG: Final = 30.0
"""Dice are read up to 35, and elsewhere in the tray the camera may look from some degrees more aside: on a photograph
where 33 were found, a die at the far end was read wrong."""
_STEP_DEG, _RINGS = 13.0, 3
_LEAST_P: Final = 1e-4  # one picture alone never rules out an axis
_FITS: Final = 0.5  # the least chance, by the axis that fits best, of what is told of one picture


@dataclass(frozen=True, slots=True)
class AxisFound:
    """What the pictures say.

    Attributes:
        axis: how the camera looks; None if pictures do not fit, are too few, or are taken from too far aside.
        misfits: the faces whose pictures do not fit the others: told wrong, or another camera.
    """

    axis: Axis | None
    misfits: tuple[str, ...] = ()


class AxisFit:
    """Collects pictures of a die and finds the axis by which all told faces are seen flat. Not thread-safe.

    Args:
        kind: what die it is.

    >>> AxisFit("d6").wanted
    ('1', '2', '3', '4', '5')
    """

    def __init__(self, kind: DieKind, *, finder: Finder | None = None, classifier: Classifier | None = None) -> None:
        self.kind = kind
        self._finder, self._classifier = finder, classifier
        self._asked = tuple(LABELS[kind][at * len(LABELS[kind]) // ASKED] for at in range(ASKED))
        self._axes = _axes()
        self._seen: list[tuple[str, NDArray[np.float64]]] = []

    @property
    def wanted(self) -> tuple[str, ...]:
        """The faces that have not been shown yet, of those that are asked for."""
        return tuple(label for label in self._asked if label not in self.shown)

    @property
    def shown(self) -> tuple[str, ...]:
        return tuple(label for label, _ in self._seen)

    def take(self, image: Image, label: str) -> Why:
        """Take in a picture of the die with this face up; return "" or why the picture will not do.

        Raises:
            BadEnrolment: this kind of die has no such face.
        """
        check_face(self.kind, label)
        dice = (self._finder or shared_finder()).find(image)
        return unfit(image, dice) or self.learn(image, dice[0], label)

    def learn(self, image: Image, die: DieBox, label: str) -> Why:
        """Take in a picture where it is known which box is the die; return "" or why the picture will not do."""
        near = close_crop(image, die)
        crops = [near if axis.tilt_deg == 0 else seen_from_above(near, axis) for axis in self._axes]
        at, kind = LABELS[self.kind].index(label), KIND_ORDER.index(self.kind)
        seen = (self._classifier or shared_classifier()).predict(crops)
        chances = [float(p.faces(self.kind)[at] * p.kinds[kind] * (1 - p.lean)) for p in seen]
        if max(chances) < _FITS:
            return message("{face} is not seen on the die from any side: lay it with that face up", face=label)
        self._seen.append((label, np.log(np.maximum(_LEAST_P, chances))))
        return ""

    def found(self) -> AxisFound:
        """Return the axis by which all that was told is seen: the middle of those that fit."""
        if len(self._seen) < LEAST_PICTURES:
            return AxisFound(None)
        logs = np.array([log for _, log in self._seen])
        fits = logs.mean(axis=0)
        by_best = zip(self.shown, logs[:, int(fits.argmax())], strict=True)
        misfits = tuple(label for label, log in by_best if log < np.log(_FITS))
        if misfits:
            return AxisFound(None, misfits)
        weights = np.exp(2 * (fits - fits.max()))
        towards = weights @ np.array([_direction(axis) for axis in self._axes]) / weights.sum()
        tilt = float(np.degrees(np.arctan2(np.hypot(*towards[:2]), towards[2])))
        if tilt > MOST_FOUND_DEG:
            return AxisFound(None)
        return AxisFound(Axis(tilt, float(np.degrees(np.arctan2(towards[1], towards[0])) % 360)))


def _axes() -> list[Axis]:
    """Return axes at about equal distances from each other."""
    steps = range(-_RINGS, _RINGS + 1)
    points = [(_STEP_DEG * (i + j / 2), _STEP_DEG * j * np.sqrt(3) / 2) for i in steps for j in steps]
    return [Axis(float(np.hypot(x, y)), float(np.degrees(np.arctan2(y, x)) % 360))
            for x, y in points if np.hypot(x, y) < (_RINGS + 0.01) * _STEP_DEG]  # fmt: skip


def _direction(axis: Axis) -> tuple[float, float, float]:
    t, w = np.radians(axis.tilt_deg), np.radians(axis.towards_deg)
    return float(np.sin(t) * np.cos(w)), float(np.sin(t) * np.sin(w)), float(np.cos(t))
