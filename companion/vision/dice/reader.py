"""Reads all dice of one picture, with the reason for every die without a value."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import dist
from typing import Final

import cv2
import numpy as np

from companion.objects.dice import DIE_KINDS, DIE_WORDS, TWENTY_FACES, DieKind
from companion.vision.dice.axis import Axis, seen_from_above
from companion.vision.dice.box_jitter import reread_jittered
from companion.vision.dice.boxes import DieBox
from companion.vision.dice.decision_policy import LEANING, PERHAPS_OFF_AXIS, DieReading, gather, judge
from companion.vision.dice.enrolled import EnrolledDie
from companion.vision.dice.faces.classifier import Classifier, shared_classifier
from companion.vision.dice.faces.upright import close_crop
from companion.vision.dice.finding.ellipses import OFF_AXIS_ASPECT, container_aspect
from companion.vision.dice.finding.finder import Finder, contains, is_same_die, shared_finder
from companion.vision.dice.finding.surroundings import find_tray, has_hand, is_off_tray
from companion.vision.dice.finding.walls import AT_WALL, is_at_wall
from companion.vision.frame import Image, Points
from companion.vision.sightings import Point, Quad, to_points

_ALONE: Final[frozenset[DieKind]] = frozenset(TWENTY_FACES)
HAND: Final = "a hand in the tray"
OFF_TRAY: Final = "off the tray"
NESTED: Final = (
    "it seems to lie on or in another, or in a tray that looks like a die; "
    "use a tray of another color, or enter the roll"
)
IN_ELLIPSE: Final = (
    f"{PERHAPS_OFF_AXIS}: something round that it lies in looks like an ellipse; put the camera straight above, or say "
    "how it looks (--axis, or axis under [die])"
)
_IGNORED_FOR_D6: Final = {AT_WALL, IN_ELLIPSE}
"""Warnings that do not suppress a d6 reading: leaning, its pips give it away, and off-axis its upper face is still the
largest."""
SEVERAL_LEAN: Final = (
    "dice: several seem to lean. If they lie flat the camera looks from aside: put it straight above, or say how it "
    "looks (--axis, or axis under [die])."
)
_IS_DIE, _MAY_BE_DIE = 0.9, 0.3
_CENTERED: Final = 0.06  # maximum distance of a single pip from the center, in die sizes
_OFF_CENTER: Final = 0.15  # minimum distance from the center, in die sizes, of what cannot be the single pip
_SHOWS, _SHOWS_SURELY = 0.8, 0.98  # minimum confidence of an inner die: of a detection, and of a weak candidate
_SMALL_IN: Final = 0.2  # maximum size relative to the tray; false positives on a die are mostly larger
_SHOWS_FAINTLY: Final = 0.5  # of a candidate within a one: of 101 pips read as dice none reaches 0.29


@dataclass(frozen=True, slots=True)
class DiceSeen:
    """The dice of one picture, from the left, and warnings for people: why dice have no value and what may help."""

    dice: tuple[DieReading, ...] = ()
    warnings: tuple[str, ...] = ()


NO_DICE: Final = DiceSeen()


class DiceReader:
    """Detects and reads the dice of a picture; thread-safe.

    Args:
        expect: kinds that may be answered.
        alone: at most one twenty-faced die may be answered; two get no value.
        enrolled: the enrolled dice.
        axis: the camera's axis, if known; otherwise it must look straight down.
    """

    def __init__(
        self,
        expect: Collection[DieKind] = DIE_KINDS,
        *,
        alone: bool = False,
        finder: Finder | None = None,
        classifier: Classifier | None = None,
        enrolled: Sequence[EnrolledDie] = (),
        axis: Axis | None = None,
    ) -> None:
        self.axis = axis
        self.expect = frozenset(expect)
        self.alone = alone
        self.enrolled = tuple(enrolled)
        self.finder = finder or shared_finder()
        self.classifier = classifier or shared_classifier()

    def read(self, image: Image, *, taken: Iterable[Quad] = (), empty: Image | None = None) -> DiceSeen:
        """Read one picture, uint8 (H, W, 3) BGR.

        Args:
            taken: outlines of cards and tokens: detections within one are printed on it.
            empty: the same picture without dice, if available.
        """
        found = self.find(image, taken=taken, empty=empty)
        readings = [(die, reading) for die in found if (reading := self._read_die(image, die)) is not None]
        vetoes = self.vetoes(image, [die for die, _ in readings])
        vetoed = [without_value(r, why) if why else r for (_, r), why in zip(readings, vetoes, strict=True)]
        return self.with_warnings(vetoed)

    def vetoes(self, image: Image, dice: Sequence[DieBox]) -> list[str]:
        """Return for each die why its surroundings veto an answer, "" if they do not."""
        if not dice:
            return []
        tray = find_tray(image, dice)
        if has_hand(image, dice, tray):
            return [HAND] * len(dice)
        is_checked = self.axis is None and not self.expect.isdisjoint(_ALONE)
        aspect = container_aspect(image, dice) if is_checked else None
        off_axis = IN_ELLIPSE if aspect is not None and aspect < OFF_AXIS_ASPECT else ""
        return [_veto_of(die, dice, tray) or off_axis for die in dice]

    def find(self, image: Image, *, taken: Iterable[Quad] = (), empty: Image | None = None) -> tuple[DieBox, ...]:
        """Return the detected dice, except those printed on a card."""
        if not self.expect:
            return ()
        outlines = [to_points(quad) for quad in taken]
        found, undecided = self.finder.find_nested(image, self.expect, empty=empty)
        dice = self._resolve_nesting(image, (*found, *self._confirmed(image, undecided, found)))
        return tuple(die for die in dice if not any(_within(die.center, outline) for outline in outlines))

    def _resolve_nesting(self, image: Image, dice: Sequence[DieBox]) -> list[DieBox]:
        """Drop outer boxes that are containers, such as a tray, and inner boxes that are parts of a die, such as a pip.

        If it is ambiguous which of the two applies, keep both: the dealer is then asked.
        """
        within = {outer: inner for outer in dice if (inner := [die for die in dice if contains(outer, die)])}
        boxes = list(dict.fromkeys(die for outer, inner in within.items() for die in (outer, *inner)))
        probabilities = dict(zip(boxes, self._die_probabilities(image, boxes), strict=True))
        trays, doubtful = set(), set()
        for outer, inner in within.items():
            if probabilities[outer] >= _IS_DIE:
                is_tray = self._is_tray(image, outer, inner, probabilities)
            else:
                is_tray = any(probabilities[die] >= _IS_DIE for die in inner)
            if not is_tray and self._is_read_alone(image, outer, inner):
                is_tray = True
            if is_tray is None:
                doubtful.add(outer)
            elif is_tray:
                trays.add(outer)
        parts = {die for outer, inner in within.items() if outer not in trays | doubtful for die in inner}
        return [die for die in dice if die not in trays | parts]

    def _is_tray(
        self, image: Image, outer: DieBox, inner: Sequence[DieBox], probabilities: Mapping[DieBox, float]
    ) -> bool | None:  # fmt: skip
        """Return whether a die-like box is a container of dice; None if ambiguous."""
        seen = self.judge(image, outer)
        if seen is None:
            return True
        likely = [die for die in inner if probabilities[die] >= _MAY_BE_DIE]
        if likely and (is_tray := self._holds_dice(image, outer, seen, likely)) is not False:
            return is_tray
        is_one = seen.kind == "d6" and seen.value == 1
        if is_one and any(die.score >= self.finder.least_score for die in inner):
            return None  # eight of 101 pips are detected as dice, most on dice larger than 250 px
        return False

    def _is_read_alone(self, image: Image, outer: DieBox, inner: Sequence[DieBox]) -> bool:
        """Return whether small detections inside have a value and the outer box has none, as in a tray.

        A one is no proof, as a pip looks like one.
        """
        found = [die for die in inner
                 if die.score >= self.finder.least_score and die.size_px <= _SMALL_IN * outer.size_px]  # fmt: skip
        if not any(_is_more_than_a_pip(self._read_die(image, die)) for die in found):
            return False
        return not self._has_value(image, outer)

    def _read_die(self, image: Image, die: DieBox) -> DieReading | None:
        """Return the reading of one die, re-read in jittered boxes if doubtful; None if it is no die."""
        reading = self.judge(image, die)
        return None if reading is None else reread_jittered(die, reading, partial(self.judge, image))

    def _holds_dice(self, image: Image, outer: DieBox, seen: DieReading, inner: Sequence[DieBox]) -> bool | None:
        """Return whether inner boxes read as dice, unlike pips and numerals on a die.

        A die in a tray looks much like a one, except that it may lie off-center.

        Returns:
            None if both would be answered, differently: bold stripes make a part of a die look like a die, and on a
            die with strongly chamfered edges a side looks like a die next to its one.
        """
        if seen.kind in _ALONE and seen.value is not None and not any(self._has_value(image, die) for die in inner):
            return False  # parts of its numbers: on 3 of 20 photographs of a d20 some look like small dice
        clearest = max(inner, key=lambda die: die.score)
        shown = self.judge(image, clearest)
        if shown is None:
            return False
        is_like_one = seen.kind == "d6" and seen.likely[:1] == ("1",)
        least = _SHOWS if is_like_one or clearest.score >= self.finder.least_score else _SHOWS_SURELY
        differs = (shown.kind, shown.likely[:1]) != (seen.kind, seen.likely[:1])
        if differs and shown.confidence > least:
            is_tray = seen.value is None or (is_like_one and not self._has_own_pip(image, outer, clearest))
            return True if is_tray else None
        if differs and is_like_one and shown.confidence > _SHOWS_FAINTLY:
            return None
        is_like_pip = clearest.score < outer.score and _is_in_middle(clearest, outer)
        return is_like_one and not is_like_pip

    def _has_value(self, image: Image, die: DieBox) -> bool:
        answer = self._read_die(image, die)
        return answer is not None and answer.value is not None

    def _has_own_pip(self, image: Image, outer: DieBox, inner: DieBox) -> bool:
        """Return whether the outer box has a pip at its center, while the inner box lies too far off to be that pip."""
        is_off_center = dist(inner.center, outer.center) > _OFF_CENTER * outer.size_px
        return is_off_center and gather(image, outer, self.classifier, axis=self.axis).pips == 1

    def _confirmed(
        self, image: Image, undecided: Sequence[Sequence[DieBox]], found: Sequence[DieBox]
    ) -> list[DieBox]:  # fmt: skip
        """Return the undecided objects that the classifier confirms as dice, after non-maximum suppression.

        A box overlapping a detected die is that die together with the card or coaster under it.
        """
        clearest = [max(zip(self._die_probabilities(image, boxes), boxes, strict=True), key=lambda each: each[0])
                    for boxes in undecided]  # fmt: skip
        dice: list[DieBox] = []
        for chance, box in sorted(clearest, key=lambda each: -each[0]):
            is_die = chance >= _IS_DIE or (chance >= _MAY_BE_DIE and self._shows_value_inside(image, box, found))
            if is_die and not any(is_same_die(box, die) for die in (*found, *dice)):
                dice.append(box)
        return dice

    def _shows_value_inside(self, image: Image, box: DieBox, found: Sequence[DieBox]) -> bool:
        """Return whether a weak candidate within a detected die shows a value."""
        if not any(contains(die, box) for die in found):
            return False
        shown = self.judge(image, box)
        return shown is not None and shown.confidence > _SHOWS_FAINTLY

    def _die_probabilities(self, image: Image, boxes: Sequence[DieBox]) -> list[float]:
        """Return for each box the maximum probability of a known kind of die."""
        crops = [close_crop(image, box) for box in boxes]
        if self.axis is not None:
            slants = [self.axis.at(box.box, image.shape) for box in boxes]
            crops = [seen_from_above(crop, slant) for crop, slant in zip(crops, slants, strict=True)]
        kinds = self.classifier.kinds(crops) if boxes else np.zeros((0, 2))
        return [float(probabilities[:-1].max()) for probabilities in kinds]

    def judge(self, image: Image, die: DieBox) -> DieReading | None:
        """Return the reading of one die from this picture alone; None if it is no die."""
        seen = gather(image, die, self.classifier, read_neighbors=bool(self.enrolled), axis=self.axis)
        return judge([seen], self.expect, self.classifier.calibration, self.enrolled)

    def with_warnings(self, readings: Sequence[DieReading]) -> DiceSeen:
        """Return the readings with warnings, after applying the rule for several dice."""
        dice = tuple(without_value(r, "two dice") if self._is_one_of_two(r, readings) else r for r in readings)
        warnings = warnings_of(dice)
        if self.axis is None and sum(die.reason == LEANING for die in dice) > 1:
            warnings = (*warnings, SEVERAL_LEAN)
        return DiceSeen(dice, warnings)

    def _is_one_of_two(self, reading: DieReading, others: Sequence[DieReading]) -> bool:
        rivals = [r for r in others if r.kind in _ALONE and r.is_known_kind]
        return self.alone and reading.kind in _ALONE and len(rivals) > 1


def warnings_of(dice: Sequence[DieReading]) -> tuple[str, ...]:
    """Return a sentence for each reason without a value, with the number of dice it concerns.

    >>> warnings_of([DieReading("d20", None, None, 0.2, (4, 5, 47, 40), "too small: 47 px, wants 90")])
    ('die: too small: 47 px, wants 90 (d20 at 28, 25).',)
    """
    reasons = Counter(die.reason for die in dice if die.reason)
    first = {die.reason: die for die in reversed(dice)}
    return tuple(f"die: {reason} ({_where(first[reason], count)})." for reason, count in reasons.items())


def _where(die: DieReading, count: int) -> str:
    if count > 1:
        return f"{count} dice"
    x, y, w, h = die.box
    name = DIE_WORDS[die.kind] if die.is_known_kind else "something"
    return f"{name} at {round(x + w / 2)}, {round(y + h / 2)}"


def without_value(reading: DieReading, reason: str) -> DieReading:
    """Return a reading vetoed for this reason: a die's surroundings overrule its appearance."""
    if reading.kind == "d6" and reason in _IGNORED_FOR_D6:
        return reading
    return replace(reading, value=None, face=None, reason=reason)


def _veto_of(die: DieBox, dice: Sequence[DieBox], tray: Points | None) -> str:
    if any(contains(die, other) or contains(other, die) for other in dice):
        return NESTED
    if tray is None:
        return ""
    return OFF_TRAY if is_off_tray(die, tray) else AT_WALL if is_at_wall(die, tray) else ""


def _is_more_than_a_pip(reading: DieReading | None) -> bool:
    return reading is not None and reading.value is not None and (reading.kind, reading.value) != ("d6", 1)


def _is_in_middle(inner: DieBox, outer: DieBox) -> bool:
    return dist(inner.center, outer.center) < _CENTERED * outer.size_px


def _within(point: Point, outline: np.ndarray) -> bool:
    return cv2.pointPolygonTest(outline.astype(np.float32), point, False) >= 0
