"""Detects dice on any table: candidates from the network at several sizes and from segmentation of a plain background,
then a second pass of the network over each candidate.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cache
from math import exp
from typing import Final

import cv2
import numpy as np

from companion.objects.dice import DIE_KINDS, DieKind
from companion.vision.dice.boxes import Box, DieBox, likeness, overlap, square_of
from companion.vision.dice.finding.heat import SEEN_PX, STRIDE, HeatNet, Spot, padded, spots
from companion.vision.dice.finding.segments import segments, smaller
from companion.vision.frame import Image, check_image

LEAST_PX: Final = 24
"""Smaller dice are not searched; from 60 px they can be read."""
_FIRST_ODDS: Final = -2.2
_STEP: Final = 3.0  # from one size of the picture to the next; the network sees sizes of 1 : 5
_LARGEST_PX: Final = 700  # longer side of the picture that is scanned
_CLOSE_PX: Final = 128
_CLOSE_AT: Final = _CLOSE_PX / 2 - STRIDE / 2
_CLOSE_DICE: Final = (34.0, 46.0)  # a die's size in a closer look
_MANY: Final = 16
_SAME: Final = 0.8
_FITS: Final = 0.75
_OUTLINED: Final = 0.2
_SURE: Final = 0.6
_DOUBTFUL: Final = 0.02
_PERHAPS: Final = 0.2
_ON_THING: Final = 0.1
_ALIKE: Final = 0.5
_BOXES: Final = 3
_UNEXPLAINED: Final = 6
_COVERED: Final = 0.35  # of the smaller: more, and two are one
_IN_DISH: Final = 0.62  # of the dish's size that a die in it is at most
_ODD_SIDES: Final = 1.7  # a die's box is never longer than this
_DIFFERENT: Final = 14.0  # grey levels to the empty tray


class Finder:
    """Detects dice; thread-safe.

    Args:
        least_score: what scores less is no die.
    """

    def __init__(self, net: HeatNet | None = None, *, least_score: float = 0.5) -> None:
        self.net = net or HeatNet()
        self.least_score = least_score

    def find(
        self,
        image: Image,
        kinds: Collection[DieKind] = DIE_KINDS,
        *,
        empty: Image | None = None,
        least_px: int = LEAST_PX,
    ) -> tuple[DieBox, ...]:
        """Return the dice in a picture, from the left.

        Args:
            image: uint8 (H, W, 3) BGR.
            kinds: which dice to find; without any nothing is returned.
            empty: the same tray without dice; what is unchanged there is no die.
            least_px: dice smaller than this need not be found.
        """
        return _without_dishes(self.find_nested(image, kinds, empty=empty, least_px=least_px)[0])

    def find_nested(
        self,
        image: Image,
        kinds: Collection[DieKind] = DIE_KINDS,
        *,
        empty: Image | None = None,
        least_px: int = LEAST_PX,
    ) -> tuple[tuple[DieBox, ...], tuple[tuple[DieBox, ...], ...]]:
        """Return the dice as `find` does, and what may be dice, each with the boxes that it may have.

        Some lie within others: a die in a tray that looks like a die itself, or a pip on one. And some stand out but
        are not much like a die. Only the classifier can tell.
        """
        picture = check_image(image)
        if picture.size == 0 or not kinds or min(picture.shape[:2]) < 8:
            return (), ()
        outlines = segments(picture, least_px)
        apart = [DieBox(box, 0.5) for box in _unlike(outlines)]
        closer = self._close_pass(picture, [*self._coarse_pass(picture, least_px), *apart[:_MANY]])
        found = [drawn for die in closer if (drawn := _drawn_to(die, outlines)).score >= self.least_score]
        if empty is not None and empty.shape == picture.shape:
            found = [die for die in found if _differs(picture, empty, die)]
        dice = _best_of_each(found)
        others = [die for die in (*closer, *found) if die.score >= _DOUBTFUL]
        return tuple(sorted(dice, key=lambda die: die.box[0])), _unexplained(others, dice, outlines)

    def _coarse_pass(self, picture: Image, least_px: int) -> list[DieBox]:
        found: list[DieBox] = []
        small = picture
        for scale in _scales(picture, least_px):
            size = (max(1, round(picture.shape[1] * scale)), max(1, round(picture.shape[0] * scale)))
            small = smaller(small, size)
            maps = self.net.maps(padded(small)[None])[0]
            found += [_box(spot, scale, (0.0, 0.0)) for spot in spots(maps, _FIRST_ODDS)]
        return [d for d in _best_of_each(found)[:_MANY] if _in_picture(d, picture)]

    def _close_pass(self, picture: Image, first: Sequence[DieBox]) -> list[DieBox]:
        """Rescan each at two suitable sizes, and average."""
        seen: list[list[DieBox]] = [[] for _ in first]
        crops = [(i, die, px) for i, die in enumerate(first) for px in _CLOSE_DICE]
        if not crops:
            return []
        looks = [_close(picture, die, px) for _, die, px in crops]
        maps_of = self.net.maps(np.stack([square for square, _ in looks]))
        for (i, die, px), (_, corner), maps in zip(crops, looks, maps_of, strict=True):
            rescan = _nearest(spots(maps, -6.0))
            if rescan is not None:
                seen[i].append(_box(rescan, px / die.size_px, corner))
        return [_mean(each) for each in seen if len(each) == len(_CLOSE_DICE)]


@cache
def shared_finder() -> Finder:
    """Return the one finder of this process: its network is loaded once."""
    return Finder()


def _scales(picture: Image, least_px: int) -> list[float]:
    """Return the scales to scan, the finest first: until the largest die that fits is small enough."""
    longer, shorter = max(picture.shape[:2]), min(picture.shape[:2])
    scale = min((SEEN_PX[0] + 1) / least_px, _LARGEST_PX / longer, 2.0)
    scales = [scale]
    while shorter * scales[-1] > SEEN_PX[1]:
        scales.append(scales[-1] / _STEP)
    return scales


def _box(spot: Spot, scale: float, origin: tuple[float, float]) -> DieBox:
    w, h = spot.width / scale, spot.height / scale
    x, y = origin[0] + spot.x / scale - w / 2, origin[1] + spot.y / scale - h / 2
    score = 1 / (1 + exp(-max(-30.0, spot.odds)))
    return DieBox((round(x), round(y), max(1, round(w)), max(1, round(h))), score)


def _close(picture: Image, die: DieBox, px: float) -> tuple[Image, tuple[float, float]]:
    """Return a close look at a die, ``px`` large with its middle at `_CLOSE_AT`, and where its upper left corner is.

    That is the middle of one of the maps' places: on the border of two the network is sure of neither.
    """
    zoom = px / die.size_px
    side, off = _CLOSE_PX / zoom, (_CLOSE_PX / 2 - _CLOSE_AT) / zoom
    x, y = die.center[0] + off, die.center[1] + off
    square = square_of(picture, (x, y), side)
    way = cv2.INTER_AREA if square.shape[0] > _CLOSE_PX else cv2.INTER_LINEAR
    small = cv2.resize(square, (_CLOSE_PX, _CLOSE_PX), interpolation=way)
    return np.asarray(small, np.uint8), (round(x - side / 2), round(y - side / 2))


def _nearest(found: Sequence[Spot]) -> Spot | None:
    """Return the likeliest of those near where the die should be."""
    near = [s for s in found if abs(s.x - _CLOSE_AT) < 14 and abs(s.y - _CLOSE_AT) < 14]
    return max(near, key=lambda s: s.odds, default=None)


def _mean(seen: Sequence[DieBox]) -> DieBox:
    x, y, w, h = (round(sum(die.box[i] for die in seen) / len(seen)) for i in range(4))
    score = min(die.score for die in seen)
    if max(w, h) > _ODD_SIDES * min(w, h):
        score = 0.0
    return DieBox((x, y, w, h), score)


def _unlike(boxes: Sequence[Box]) -> list[Box]:
    """Keep one of those that are nearly the same."""
    kept: list[Box] = []
    for box in boxes:
        if all(likeness(box, other) < _SAME for other in kept):
            kept.append(box)
    return kept


def _drawn_to(die: DieBox, outlines: Sequence[Box]) -> DieBox:
    """Return the die with the outline that it fits best: an outline is nearer the mark, and speaks for it."""
    best = max(outlines, key=lambda box: likeness(box, die.box), default=die.box)
    fit = likeness(best, die.box)
    if best is die.box or fit < _FITS:
        return die
    return replace(die, box=best, score=min(1.0, die.score + _OUTLINED))


def _unexplained(
    others: Sequence[DieBox], dice: Sequence[DieBox], outlines: Sequence[Box]
) -> tuple[tuple[DieBox, ...], ...]:
    """Return what may be dice but is none of these, the largest first (pips come last), each with boxes that fit.

    It stands out itself, looks somewhat like a die, or lies on what stands out: a card or a coaster, beside which the
    network hardly sees a die.
    """
    groups: list[list[DieBox]] = []
    for other in sorted(others, key=lambda die: -die.score):
        if any(likeness(other.box, die.box) > _ALIKE for die in dice):
            continue
        group = next((group for group in groups if likeness(group[0].box, other.box) > _ALIKE), None)
        if group is not None:
            group.append(other)
        elif fitting := [replace(other, box=box) for box in outlines if likeness(box, other.box) > _ALIKE]:
            groups.append([other, *fitting[:_BOXES]])
        elif other.score >= _PERHAPS or _lies_on_thing(other, outlines):
            groups.append([other])
    groups.sort(key=lambda group: -group[0].size_px)
    return tuple(tuple(group) for group in groups[:_UNEXPLAINED])


def _lies_on_thing(other: DieBox, outlines: Sequence[Box]) -> bool:
    return other.score >= _ON_THING and any(holds(DieBox(box, 0.0), other) for box in outlines)


def _without_dishes(dice: Sequence[DieBox]) -> tuple[DieBox, ...]:
    """Leave out what holds dice, and what lies on one: a dish looks much like a die itself, pips less."""
    sure = [die for die in dice if die.score >= _SURE]
    left = [die for die in dice if not any(holds(die, other) for other in sure)]
    return tuple(die for die in left if not any(holds(other, die) for other in left))


def _best_of_each(dice: Sequence[DieBox]) -> list[DieBox]:
    """Keep the best of those that cover each other, best first, and what lies within others."""
    kept: list[DieBox] = []
    for die in sorted(dice, key=lambda d: -d.score):
        if not any(are_one(die, other) for other in kept):
            kept.append(die)
    return kept


def are_one(a: DieBox, b: DieBox) -> bool:
    """Return whether two boxes cover each other as those of one die do; one within a far larger one is another."""
    return overlap(a.box, b.box) >= _COVERED and not _is_nested(a, b)


def _is_nested(a: DieBox, b: DieBox) -> bool:
    return holds(a, b) or holds(b, a)


def holds(dish: DieBox, die: DieBox) -> bool:
    """Return whether one lies within the other and is much smaller."""
    within = overlap(dish.box, die.box) > 0.95
    return within and die.size_px < _IN_DISH * dish.size_px


def _in_picture(die: DieBox, picture: Image) -> bool:
    x, y = die.center
    return bool(0 <= x < picture.shape[1] and 0 <= y < picture.shape[0])


def _differs(picture: Image, empty: Image, die: DieBox) -> bool:
    """Say whether the tray has changed here since it was empty, apart from lighting."""
    here, there = (square_of(p, die.center, 0.6 * die.size_px).astype(np.float32) for p in (picture, empty))
    around, before = (square_of(p, die.center, 2.0 * die.size_px).astype(np.float32) for p in (picture, empty))
    light = np.median(around - before, axis=(0, 1))
    changed = np.abs(here - there - light).max(axis=2) > _DIFFERENT
    return bool(np.mean(changed) > 0.25)
