"""Detects dice on any table.

Candidates come from a heat map network on an image pyramid and from segmentation of a plain background; a second
network refines each candidate's box and score, twice.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cache
from math import exp
from typing import Final

import numpy as np

from companion.objects.dice import DIE_KINDS, DieKind
from companion.vision.dice.boxes import Box, DieBox, iou, overlap, square_of
from companion.vision.dice.finding.heat import DETECTABLE_PX, HeatNet, Peak, padded, peaks
from companion.vision.dice.finding.refiner import BoxRefiner
from companion.vision.dice.finding.segments import segments, smaller
from companion.vision.frame import Image, check_image

MIN_PX: Final = 24
"""Smaller dice are not detected; from 60 px they can be read."""
_MIN_LOGIT: Final = -2.2
_PYRAMID_STEP: Final = 3.0  # scale step of the pyramid; the network detects sizes over a range of 1 : 5
_LARGEST_PX: Final = 700  # maximum longer side of the scanned picture
_MAX_CANDIDATES: Final = 64  # per picture: in a heap of twenty dice twice as many places look like one
_DUPLICATE_IOU: Final = 0.8
_OUTLINE_IOU: Final = 0.75
_OUTLINE_BONUS: Final = 0.2
_SURE_SCORE: Final = 0.6
_MIN_SCORE: Final = 0.02
_UNDECIDED_SCORE: Final = 0.2
_ON_OBJECT_SCORE: Final = 0.1
_SAME_OBJECT_IOU: Final = 0.5
_BOXES_EACH: Final = 3
_MAX_UNDECIDED: Final = 6
_SAME_DIE_OVERLAP: Final = 0.35  # intersection over the smaller box: above it, both boxes are one die
_IN_TRAY: Final = 0.62  # maximum size of a die relative to the tray that contains it
_MAX_ASPECT: Final = 1.7  # maximum aspect ratio of a die's box
_CHANGED_GRAY: Final = 14.0  # gray levels of difference to the empty tray


class Finder:
    """Detects dice; thread-safe."""

    least_score: Final = 0.5
    "Minimum score of a detection."

    def __init__(self) -> None:
        self._net, self._refiner = HeatNet(), BoxRefiner()

    def find(
        self,
        image: Image,
        kinds: Collection[DieKind] = DIE_KINDS,
        *,
        empty: Image | None = None,
        least_px: int = MIN_PX,
    ) -> tuple[DieBox, ...]:
        """Return the dice in a picture, from the left.

        Args:
            image: uint8 (H, W, 3) BGR.
            kinds: kinds to detect; none, and nothing is returned.
            empty: the same tray without dice; unchanged regions hold no die.
            least_px: size below which dice may be missed.
        """
        return _without_trays(self.find_nested(image, kinds, empty=empty, least_px=least_px)[0])

    def find_nested(
        self,
        image: Image,
        kinds: Collection[DieKind] = DIE_KINDS,
        *,
        empty: Image | None = None,
        least_px: int = MIN_PX,
    ) -> tuple[tuple[DieBox, ...], tuple[tuple[DieBox, ...], ...]]:
        """Return the dice, nested boxes included, and undecided objects, each with its alternative boxes.

        Nested boxes are a die in a tray that looks like a die, or a pip on a die. Undecided objects stand out from the
        background but hardly look like a die. Only the classifier can resolve both.
        """
        picture = check_image(image)
        if picture.size == 0 or not kinds or min(picture.shape[:2]) < 8:
            return (), ()
        outlines = segments(picture, least_px)
        refined = self._refine(picture, self._candidates(picture, outlines, least_px))
        found = [snapped for die in refined if (snapped := _snap_to_outline(die, outlines)).score >= self.least_score]
        if empty is not None and empty.shape == picture.shape:
            found = [die for die in found if _is_changed(picture, empty, die)]
        dice = _suppress_overlaps(found)
        others = [die for die in (*refined, *found) if die.score >= _MIN_SCORE]
        return tuple(sorted(dice, key=lambda die: die.box[0])), _undecided(others, dice, outlines)

    def candidates(self, picture: Image, least_px: int = MIN_PX) -> list[DieBox]:
        """Return all candidates before refinement, mostly false positives."""
        return self._candidates(picture, segments(picture, least_px), least_px)

    def _candidates(self, picture: Image, outlines: Sequence[Box], least_px: int) -> list[DieBox]:
        boxes = _suppress_duplicates([DieBox(box, 0.5) for box in outlines])
        return [*self._coarse_pass(picture, least_px), *boxes[:_MAX_CANDIDATES]]

    def _coarse_pass(self, picture: Image, least_px: int) -> list[DieBox]:
        found: list[DieBox] = []
        small = picture
        for scale in _scales(picture, least_px):
            size = (max(1, round(picture.shape[1] * scale)), max(1, round(picture.shape[0] * scale)))
            small = smaller(small, size)
            maps = self._net.maps(padded(small)[None])[0]
            found += [_box(peak, scale) for peak in peaks(maps, _MIN_LOGIT)]
        return [d for d in _suppress_overlaps(found)[:_MAX_CANDIDATES] if _in_picture(d, picture)]

    def _refine(self, picture: Image, first: Sequence[DieBox]) -> list[DieBox]:
        """Refine each candidate twice: the second pass starts from a nearly correct box."""
        once = [die for die in self._refiner.refined(picture, first) if die.score >= _MIN_SCORE]
        return [_check_aspect(die) for die in self._refiner.refined(picture, _suppress_duplicates(once))]


@cache
def shared_finder() -> Finder:
    """Return the process-wide finder, so that its networks are loaded once."""
    return Finder()


def _scales(picture: Image, least_px: int) -> list[float]:
    """Return the pyramid's scales, the finest first, down to where a die that fills the picture is detectable."""
    longer, shorter = max(picture.shape[:2]), min(picture.shape[:2])
    scale = min((DETECTABLE_PX[0] + 1) / least_px, _LARGEST_PX / longer, 2.0)
    scales = [scale]
    while shorter * scales[-1] > DETECTABLE_PX[1]:
        scales.append(scales[-1] / _PYRAMID_STEP)
    return scales


def _box(peak: Peak, scale: float) -> DieBox:
    w, h = peak.width / scale, peak.height / scale
    x, y = peak.x / scale - w / 2, peak.y / scale - h / 2
    score = 1 / (1 + exp(-max(-30.0, peak.odds)))
    return DieBox((round(x), round(y), max(1, round(w)), max(1, round(h))), score)


def _suppress_duplicates(dice: Sequence[DieBox]) -> list[DieBox]:
    """Non-maximum suppression of near-duplicates by IoU."""
    kept: list[DieBox] = []
    for die in sorted(dice, key=lambda each: -each.score):
        if all(iou(die.box, other.box) < _DUPLICATE_IOU for other in kept):
            kept.append(die)
    return kept


def _check_aspect(die: DieBox) -> DieBox:
    w, h = die.box[2:]
    return die if max(w, h) <= _MAX_ASPECT * min(w, h) else replace(die, score=0.0)


def _snap_to_outline(die: DieBox, outlines: Sequence[Box]) -> DieBox:
    """Snap a box to the best-matching segmented outline, which is more exact, and raise its score."""
    best = max(outlines, key=lambda box: iou(box, die.box), default=die.box)
    fit = iou(best, die.box)
    if best is die.box or fit < _OUTLINE_IOU:
        return die
    return replace(die, box=best, score=min(1.0, die.score + _OUTLINE_BONUS))


def _undecided(
    others: Sequence[DieBox], dice: Sequence[DieBox], outlines: Sequence[Box]
) -> tuple[tuple[DieBox, ...], ...]:
    """Return the objects that may be dice but are none of these, largest first (pips last), each with matching boxes.

    Such an object is segmented itself, has a moderate score, or lies on a segmented one: on a card or a coaster the
    network hardly detects a die.
    """
    groups: list[list[DieBox]] = []
    for other in sorted(others, key=lambda die: -die.score):
        if any(iou(other.box, die.box) > _SAME_OBJECT_IOU for die in dice):
            continue
        group = next((group for group in groups if iou(group[0].box, other.box) > _SAME_OBJECT_IOU), None)
        if group is not None:
            group.append(other)
        elif fitting := [replace(other, box=box) for box in outlines if iou(box, other.box) > _SAME_OBJECT_IOU]:
            groups.append([other, *fitting[:_BOXES_EACH]])
        elif other.score >= _UNDECIDED_SCORE or _lies_on_object(other, outlines):
            groups.append([other])
    groups.sort(key=lambda group: -group[0].size_px)
    return tuple(tuple(group) for group in groups[:_MAX_UNDECIDED])


def _lies_on_object(other: DieBox, outlines: Sequence[Box]) -> bool:
    return other.score >= _ON_OBJECT_SCORE and any(contains(DieBox(box, 0.0), other) for box in outlines)


def _without_trays(dice: Sequence[DieBox]) -> tuple[DieBox, ...]:
    """Drop boxes that contain higher-scoring dice, and boxes within dice: trays and numerals may look like dice."""
    sure = [die for die in dice if die.score >= _SURE_SCORE]
    left = [die for die in dice if not any(contains(die, other) and other.score > die.score for other in sure)]
    return tuple(die for die in left if not any(contains(other, die) for other in left))


def _suppress_overlaps(dice: Sequence[DieBox]) -> list[DieBox]:
    """Non-maximum suppression that keeps nested boxes, best first."""
    kept: list[DieBox] = []
    for die in sorted(dice, key=lambda d: -d.score):
        if not any(is_same_die(die, other) for other in kept):
            kept.append(die)
    return kept


def is_same_die(a: DieBox, b: DieBox) -> bool:
    """Return whether two boxes overlap like detections of one die; a box within a far larger one is another die."""
    return overlap(a.box, b.box) >= _SAME_DIE_OVERLAP and not _is_nested(a, b)


def _is_nested(a: DieBox, b: DieBox) -> bool:
    return contains(a, b) or contains(b, a)


def contains(tray: DieBox, die: DieBox) -> bool:
    """Return whether the die lies within the other box and is much smaller."""
    within = overlap(tray.box, die.box) > 0.95
    return within and die.size_px < _IN_TRAY * tray.size_px


def _in_picture(die: DieBox, picture: Image) -> bool:
    x, y = die.center
    return bool(0 <= x < picture.shape[1] and 0 <= y < picture.shape[0])


def _is_changed(picture: Image, empty: Image, die: DieBox) -> bool:
    """Return whether the tray differs here from the empty one by more than the lighting."""
    here, there = (square_of(p, die.center, 0.6 * die.size_px).astype(np.float32) for p in (picture, empty))
    around, before = (square_of(p, die.center, 2.0 * die.size_px).astype(np.float32) for p in (picture, empty))
    light = np.median(around - before, axis=(0, 1))
    changed = np.abs(here - there - light).max(axis=2) > _CHANGED_GRAY
    return bool(np.mean(changed) > 0.25)
