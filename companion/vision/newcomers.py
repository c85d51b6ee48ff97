"""Card-shaped things that came to lie on the table and of which nothing is read: a back, a blank or spoilt card.

The table's appearance is known at about a quarter of the size: bare, and with every card that was read on it. What
has come to rest and fits neither is new. It counts as a card if it has a card's outline, or the part of one that shows
beside a card that was laid on it. Any print on any cloth is told by its difference from what was there before, never by
colour.

What lay still when the camera started is part of the table: a deck, a mat, a cup.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.boxes import do_overlap
from companion.vision.card_shape import Fit, Gauge, Shape, shape_of, steps
from companion.vision.frame import Image, Points
from companion.vision.live.change import CELL_PX, Box, Cells
from companion.vision.live.pending_regions import lain_since
from companion.vision.sightings import CardSighting, Quad, to_points, to_quad

Mask = NDArray[np.uint8]
"""(rows, columns) of the small picture, 255 where something holds."""
Color = NDArray[np.float64]
"""(3,): blue, green, red."""

_SMALL_PX: Final = 480  # the small picture's width, about
_EVERY_S: Final = 0.1
_WAITING_S: Final = 0.5  # between two updates while nothing moves and only the appearance of cards is wanted
_FOLLOW_S: Final = 0.3
_AWAKE_S: Final = 1.5  # updated for so long after the last motion
_NEW_S: Final = 0.5  # a place lies still for so long before its appearance is learnt
_STILL_S: Final = 0.12
_SURE_S: Final = 0.25
_SURE_UPDATES: Final = 3
_ODD_S: Final = 3.0  # what is no card becomes part of the table after so long
_FAR: Final = 14  # levels of a colour channel; noise is below, blurred
_LEAST_MM2: Final = 500.0  # a strip of a card's width, 9 mm of it
_RING_PX: Final = 7
_CLEAN: Final = 0.06  # of the ring round a card: no hand is over it
_SAME: Final = 0.5
_SAME_PLACE: Final = 0.75
_LEFT: Final = 0.4  # of an outline's length: fewer steps and nothing lies there
_WAS_THERE: Final = 0.7  # of each side
_PLAIN: Final = 36  # levels: the edge of a deck, not a line printed on the cloth
_UPSET: Final = 0.4  # of the picture: the camera was bumped, or the lamp
_NEAR_S: Final = 5.0  # a card that came so lately may lie on what is new
_LOST: Final = 60  # places of cards that are not read any more
_COVERED: Final = 0.12  # of a thing: less shows and it is out of sight
_GONE: Final = 0.35
_TURNED: Final = 0.6
_TURN_S: Final = 1.2
_UNCHANGED: Final = 0.8
_RIM: Final = 0.08
_LIGHT: Final = (0.7, 1.4)
_OPEN: Final = 0.9
_ROWS: Final = 4  # every so many tell how light the table is


@dataclass(slots=True, eq=False)
class _Overlay:
    """Something that lies on the table: a card that was read, or a thing that was not. Small pixels."""

    id: str | None
    outline: Points
    box: Box
    mask: Mask  # of the box
    came: float
    lain: float
    appearance: Image | None = None
    is_claimed: bool = True
    visible: float = 1.0
    read_at: Quad | None = None
    beneath: list[_Overlay] = field(default_factory=list)
    "Cards that it covers."

    @property
    def part(self) -> tuple[slice, slice]:
        x0, y0, x1, y1 = self.box
        return slice(y0, y1), slice(x0, x1)


@dataclass(slots=True)
class _Guess:
    """Something new with a card's shape that was not seen for long enough yet."""

    fit: Fit
    since: float
    lain: float
    updates: int = 1
    seen: float = 0.0


@dataclass(slots=True)
class _Lump:
    """Something new that lies there and does not look like a card: a deck with its side, a cup, two cards at once."""

    outline: Points
    lain: float


class Newcomers:
    """Watches for card-shaped things. One thread's.

    Args:
        size: (width, height) of the full picture.
    """

    def __init__(self, size: tuple[int, int]) -> None:
        self.size = size
        self._shrink = max(1, round(size[0] / _SMALL_PX))
        self._small = (max(1, size[0] // self._shrink), max(1, size[1] // self._shrink))
        shape = self._small[::-1]
        self._now: Image = np.zeros((*shape, 3), np.uint8)
        self._appearance: Image = np.zeros((*shape, 3), np.uint8)
        self._bare: Image = np.zeros((*shape, 3), np.uint8)
        self._known: Mask = np.zeros(shape, np.uint8)
        self._bare_known: Mask = np.zeros(shape, np.uint8)
        self._drift: Color = np.ones(3)
        "How much lighter or darker the table has become, by channel, since that was last applied where it is covered."
        self._odd_since = np.full(shape[0] * shape[1], np.inf)
        self._odd = np.zeros(0, np.intp)
        "Where that is finite."
        self._cards: list[_Overlay] = []
        self._things: list[_Overlay] = []
        self._lost: deque[Points] = deque(maxlen=_LOST)
        self._guesses: list[_Guess] = []
        self._lumps: list[_Lump] = []
        self._gauge = Gauge()
        self._updated = float("-inf")
        self._seen_whole = float("-inf")
        self._light: Color | None = None
        self._followed = float("-inf")
        self._upset_since: float | None = None
        self._is_restless = True
        self._read: frozenset[tuple[Quad, bool]] = frozenset()

    # ---- what is there

    @property
    def things(self) -> tuple[CardSighting, ...]:
        """What lies there like a card and is not read."""
        return tuple(self._sighting(thing) for thing in self._things)

    @property
    def unread_places(self) -> tuple[Quad, ...]:
        """Outlines (px of the full picture) of what may be a card of which nothing is read, sure or not."""
        things = [k.outline for k in self._things if k.visible >= _OPEN]
        unsure = [*(g.fit.outline for g in self._guesses), *(lump.outline for lump in self._lumps)]
        return tuple(to_quad(outline * self._shrink) for outline in (*things, *unsure))

    def unsure_since(self, cards: Sequence[CardSighting]) -> float | None:
        """Return since when (s) the first thing lies there that may turn out to be a card; None if there is none."""
        if not self._guesses:
            return None
        outlines = [self._outline(c.outline) for c in cards if c.outline is not None]
        open_ = [g for g in self._guesses if not any(overlap(o, g.fit.seen) > _SAME for o in outlines)]
        return min((g.lain for g in open_), default=None)

    def _sighting(self, thing: _Overlay) -> CardSighting:
        quad = to_quad(thing.outline * self._shrink)
        return CardSighting(None, None, "unreadable", quad, quad, visible=thing.visible, lain_since=thing.lain)

    # ---- one frame

    def update(self, image: Image, cards: Sequence[CardSighting], last_motion: NDArray[np.float64], t: float) -> None:
        """Take in a frame at time t (s).

        Args:
            image: uint8 (H, W, 3), the full picture.
            cards: what was read, and what is remembered.
            last_motion: when (s) something moved last, for each cell.
        """
        if t - self._updated < _EVERY_S - 1e-6:
            return
        read = frozenset((card.corners, card.visible >= 0.9) for card in cards)
        if read == self._read and t - self._updated < self._pause_s(last_motion, t) - 1e-6:
            return
        since, self._updated, self._read = self._updated, t, read
        self._see(image, last_motion, since, t)
        calm = self._calm(last_motion, t, _STILL_S)
        self._learn(last_motion, t)
        self._note_cards(cards, t)
        new = self._unexplained(calm)
        if self._is_upset(new, calm, t):
            return
        self._judge(new, calm, last_motion, t)
        self._check_things(calm, t)
        self._accept_cards(new, calm, t)
        self._grow_used(new, t)

    def _pause_s(self, last_motion: NDArray[np.float64], t: float) -> float:
        """Return how long to wait between two updates; for ever where nothing can have changed."""
        if self._guesses or t - float(last_motion.max(initial=-np.inf)) < _AWAKE_S:
            return _EVERY_S
        waits = self._is_restless or any(k.appearance is None for k in self._cards)
        return _WAITING_S if waits else float("inf")

    def _see(self, image: Image, last_motion: NDArray[np.float64], since: float, t: float) -> None:
        """Bring the small picture up to date: where something moved, now and then all of it."""
        if t - self._seen_whole >= _FOLLOW_S - 1e-6:
            self._seen_whole = t
            now = self._shrunk(image, (0, 0, *self._small))
            self._light = self._gains(now)
            self._now = now if self._light is None else _times(now, self._light)
            return
        rows, columns = np.nonzero(last_motion >= since - _EVERY_S)
        if rows.size:
            side, (w, h) = CELL_PX / self._shrink, self._small
            left, top = int((columns.min() - 1) * side), int((rows.min() - 1) * side)
            right, below = int((columns.max() + 2) * side), int((rows.max() + 2) * side)
            x0, y0, x1, y1 = box = (max(0, left), max(0, top), min(w, right), min(h, below))
            now = self._shrunk(image, box)
            self._now[y0:y1, x0:x1] = now if self._light is None else _times(now, self._light)

    def _shrunk(self, image: Image, box: Box) -> Image:
        """Return a part of the small picture, blurred."""
        side, (w, h) = self._shrink, self._small
        x0, y0, x1, y1 = max(0, box[0] - 1), max(0, box[1] - 1), min(w, box[2] + 1), min(h, box[3] + 1)
        part = image[y0 * side : y1 * side, x0 * side : x1 * side]
        small = cv2.blur(cv2.resize(part, (x1 - x0, y1 - y0), interpolation=cv2.INTER_LINEAR), (3, 3))
        return np.asarray(small[box[1] - y0 : box[3] - y0, box[0] - x0 : box[2] - x0], np.uint8)

    def _gains(self, now: Image) -> Color | None:
        """Return what evens the light out to the known one, by channel; None if it is the same."""
        there = self._known[::8, ::8] > 0
        if int(there.sum()) < 50:
            return None
        a, b = now[::8, ::8][there].astype(float), self._appearance[::8, ::8][there].astype(float)
        # each place with itself: a hand changes what lies in the middle of all, and the appearance would follow it
        if (np.median(a, axis=0) < 8).any() or (np.abs(np.median(b - a, axis=0)) < 2.0).all():
            return None
        return np.asarray(np.clip(np.median(b / np.maximum(a, 1.0), axis=0), *_LIGHT), np.float64)

    def _calm(self, last_motion: NDArray[np.float64], t: float, still_s: float) -> Mask:
        """Return where nothing has moved for so long."""
        cells: Cells = np.asarray(t - last_motion >= still_s - 1e-6)
        side = CELL_PX / self._shrink
        size = (round(cells.shape[1] * side), round(cells.shape[0] * side))
        mask = cv2.resize(cells.astype(np.uint8) * 255, size, interpolation=cv2.INTER_NEAREST)
        h, w = self._known.shape
        below, right = max(0, h - mask.shape[0]), max(0, w - mask.shape[1])
        full = cv2.copyMakeBorder(mask, 0, below, 0, right, cv2.BORDER_REPLICATE)
        return np.ascontiguousarray(full[:h, :w], np.uint8)

    # ---- the appearance of the table

    def _learn(self, last_motion: NDArray[np.float64], t: float) -> None:
        """Learn how it looks where that is not known yet."""
        if self._known.all():
            return
        new = cv2.bitwise_and(self._calm(last_motion, t, _NEW_S), cv2.bitwise_not(self._known))
        cv2.copyTo(self._now, new, self._appearance)
        self._known |= np.asarray(new, np.uint8)
        free = cv2.bitwise_and(new, cv2.bitwise_not(self._mask_of(k.outline for k in self._cards)))
        cv2.copyTo(self._now, free, self._bare)
        self._bare_known |= np.asarray(free, np.uint8)

    def _note_cards(self, cards: Sequence[CardSighting], t: float) -> None:
        """Bring the cards up to date: which are there, which came, which are not read any more."""
        before, self._cards = self._cards, []
        for card in cards:
            if card.outline is None:
                continue
            same = next((k for k in before if k.id == card.id and k.read_at == card.outline), None)
            if same is None:
                outline = self._outline(card.outline)
                same = next((k for k in before if k.id == card.id and _apart(k.outline, outline) < 2.5), None)
            if same is None:
                lain = card.lain_since if card.lain_since is not None else t
                overlay = self._overlay(card.id, outline, t, lain)
                if overlay is None:
                    continue
                if card.visible >= 0.9 and card.status == "ok":
                    self._gauge.note(outline)
            else:
                before.remove(same)
                overlay = same
            overlay.is_claimed, overlay.visible, overlay.read_at = True, card.visible, card.outline
            self._cards.append(overlay)
        for lost in before:
            lost.is_claimed = False
            if lost.appearance is not None and self._share_same(lost, None) >= _SAME:
                self._cards.append(lost)
            else:
                self._lost.append(lost.outline)

    def _overlay(self, name: str | None, outline: Points, came: float, lain: float) -> _Overlay | None:
        w, h = self._small
        x0, y0 = np.clip(np.floor(outline.min(axis=0)), 0, (w, h)).astype(int)
        x1, y1 = np.clip(np.ceil(outline.max(axis=0)) + 1, 0, (w, h)).astype(int)
        if x1 - x0 < 3 or y1 - y0 < 3:
            return None
        mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
        cv2.fillConvexPoly(mask, np.round(outline - (x0, y0)).astype(np.int32), 255)
        return _Overlay(name, outline, (int(x0), int(y0), int(x1), int(y1)), mask, came, lain)

    def _unexplained(self, calm: Mask) -> Mask:
        """Return where the table lies still and looks like nothing that is known."""
        new = cv2.bitwise_and(_far(self._now, self._appearance), cv2.bitwise_and(calm, self._known))
        if not cv2.countNonZero(new):
            return np.asarray(new, np.uint8)
        x, y, w, h = cv2.boundingRect(new)
        here = (slice(y, y + h), slice(x, x + w))
        bare = cv2.bitwise_and(cv2.bitwise_not(_far(self._now[here], self._bare[here])), self._bare_known[here])
        again = np.zeros_like(new)
        again[here] = cv2.bitwise_and(new[here], bare)
        new[here] = cv2.bitwise_and(new[here], cv2.bitwise_not(bare))
        for overlay in (k for k in (*self._cards, *self._things) if do_overlap(k.box, (x, y, x + w, y + h))):
            part = new[overlay.part]
            if overlay.appearance is None:
                if overlay.is_claimed:
                    part[cv2.dilate(overlay.mask, _KERNEL) > 0] = 0
            elif cv2.countNonZero(part):
                known = (_far(self._now[overlay.part], overlay.appearance) == 0) & (overlay.mask > 0) & (part > 0)
                again[overlay.part][known] = 255
                part[known] = 0
        cv2.copyTo(self._now, again, self._appearance)
        return np.asarray(new, np.uint8)

    # ---- what is new

    def _judge(self, new: Mask, calm: Mask, last_motion: NDArray[np.float64], t: float) -> None:
        """Find what has a card's shape among what is new."""
        for guess in self._guesses:
            guess.seen = min(guess.seen, t)
        for shape in self._shapes(new, calm):
            occluders = [k.outline for k in self._cards if k.is_claimed and k.visible > _SAME and t - k.came < _NEAR_S]
            fit = self._gauge.fit(shape, occluders, [k.outline for k in self._things])
            if fit is None:
                self._note_lump(shape, last_motion)
                continue
            now, then = steps(self._now, fit.outline, occluders), steps(self._appearance, fit.outline, (), _PLAIN)
            if now and float(np.mean(now)) < _LEFT:
                self._take_in(shape.mask)
                self._bare_known |= shape.mask
                cv2.copyTo(self._now, shape.mask, self._bare)
            elif self._is_known_card(fit.outline):
                continue
            elif then and min(then) >= _WAS_THERE and self._is_of_table(fit.outline):
                self._renew(fit, shape)
            else:
                self._suspect(fit, last_motion, t)
        for guess in [g for g in self._guesses if g.updates >= _SURE_UPDATES and t - g.since >= _SURE_S - 1e-6]:
            self._guesses.remove(guess)
            self._believe(guess, t)
        self._guesses = [g for g in self._guesses if g.seen == t]
        self._lumps = [lump for lump in self._lumps if not self._is_cleared(lump, new, calm)]

    def _shapes(self, new: Mask, calm: Mask) -> list[Shape]:
        tidy = cv2.morphologyEx(new, cv2.MORPH_OPEN, _KERNEL)
        if not tidy.any():
            return []
        whole = np.asarray(cv2.morphologyEx(tidy, cv2.MORPH_CLOSE, _WIDE), np.uint8)
        least = max(24.0, self._gauge.area_px(_LEAST_MM2, self._small))
        return [s for s in shape_of(whole, least) if not self._is_disturbed(s, calm)]

    def _is_disturbed(self, shape: Shape, calm: Mask) -> bool:
        """Say whether it reaches out of the picture, as an arm does, or something moves beside it."""
        x0, y0, x1, y1 = shape.box
        w, h = self._small
        if x0 <= 1 or y0 <= 1 or x1 >= w - 1 or y1 >= h - 1:
            return True
        part = shape.mask[y0 - 2 : y1 + 2, x0 - 2 : x1 + 2]
        around = cv2.dilate(part, _KERNEL)
        return bool(((around > 0) & (calm[y0 - 2 : y1 + 2, x0 - 2 : x1 + 2] == 0)).any())

    def _is_known_card(self, outline: Points) -> bool:
        """Say whether it is a card that is read just there: it was nudged, or the camera was."""
        return any(k.is_claimed and k.visible >= _SAME and overlap(k.outline, outline) > 0.7 for k in self._cards)

    def _is_of_table(self, outline: Points) -> bool:
        """Say whether what lay there so far was always there: a deck that lay still when all began."""
        if self._was_card(outline):
            return False
        mask = self._mask_of([outline]) > 0
        same = (_far(self._appearance, self._bare) == 0) & (self._bare_known > 0)
        return float(same[mask].mean()) > _SAME

    def _was_card(self, outline: Points) -> bool:
        known = (*(k.outline for k in (*self._cards, *self._things)), *self._lost)
        return any(overlap(o, outline) > 0.7 for o in known)

    def _suspect(self, fit: Fit, last_motion: NDArray[np.float64], t: float) -> None:
        old = next((g for g in self._guesses if overlap(g.fit.outline, fit.outline) > _SAME_PLACE), None)
        if old is not None:
            old.updates, old.seen, old.fit = old.updates + 1, t, fit
            return
        lain = lain_since(last_motion, to_quad(fit.seen * self._shrink))
        earlier = (k.lain for k in self._lumps if overlap(k.outline, fit.outline) > _SAME_PLACE)
        self._guesses.append(_Guess(fit, t, min((lain, *earlier)), seen=t))

    def _note_lump(self, shape: Shape, last_motion: NDArray[np.float64]) -> None:
        """Keep when it came: seen better, or with a card less upon it, it may yet have a card's shape."""
        outline = np.asarray(cv2.boxPoints(cv2.minAreaRect(shape.contour)), np.float32)
        if not any(overlap(k.outline, outline) > _SAME_PLACE for k in self._lumps):
            self._lumps.append(_Lump(outline, lain_since(last_motion, to_quad(outline * self._shrink))))

    def _is_cleared(self, lump: _Lump, new: Mask, calm: Mask) -> bool:
        """Say whether nothing new lies there any more, and no hand is over it."""
        where = self._mask_of([lump.outline])
        size = cv2.countNonZero(where)
        seen = cv2.countNonZero(cv2.bitwise_and(where, calm))
        return seen > 0.9 * size and cv2.countNonZero(cv2.bitwise_and(where, new)) < _SAME * size

    def _believe(self, guess: _Guess, t: float) -> None:
        outline = guess.fit.outline
        same = next((k for k in self._things if overlap(k.outline, outline) > 0.8), None)
        thing = self._overlay(None, outline, t, guess.lain if same is None else same.lain)
        if thing is None:
            return
        if same is not None:
            self._things.remove(same)
        thing.beneath = [k for k in self._cards if self._is_covered(k, thing)]
        self._take_in(self._mask_of([outline]))
        thing.appearance = self._now[thing.part].copy()
        self._things.append(thing)

    def _is_covered(self, card: _Overlay, thing: _Overlay) -> bool:
        """Say whether a card looks different now where a thing lies."""
        common = cv2.bitwise_and(self._mask_of([thing.outline])[card.part], card.mask)
        return card.appearance is not None and self._share_same(card, np.asarray(common, np.uint8)) < _SAME

    def _renew(self, fit: Fit, shape: Shape) -> None:
        """The same pile as before with a card more or less."""
        self._take_in(self._mask_of([fit.outline]))
        self._take_in(shape.mask)

    def _check_things(self, calm: Mask, t: float) -> None:
        """See which things still lie there."""
        kept = []
        for thing in self._things:
            if self._is_turned(thing):
                continue
            later = [k for k in self._cards if k.is_claimed and k.came >= thing.came - _NEAR_S]
            covers = [k for k in later if k.visible > _SAME and k not in thing.beneath]
            covers += [k for k in self._things if k.came > thing.came and overlap(k.outline, thing.outline) > 0]
            shown = self._shown(thing, covers)
            is_calm = cv2.countNonZero(cv2.bitwise_and(shown, calm[thing.part]))
            size = cv2.countNonZero(thing.mask)
            if is_calm < _COVERED * size:
                thing.visible = 0.0
                kept.append(thing)
                continue
            share = self._share_same(thing, np.asarray(cv2.bitwise_and(shown, calm[thing.part]), np.uint8))
            thing.visible = 1.0 if share >= _SAME and is_calm >= 0.9 * cv2.countNonZero(shown) else min(share, 0.8)
            if share >= _GONE or not self._is_bare_again(thing, shown, calm):
                kept.append(thing)
                continue
            gone = cv2.bitwise_and(self._mask_of([thing.outline]), self._bare_known)  # the next one may have the same
            cv2.copyTo(self._bare, gone, self._appearance)
        self._things = kept

    def _is_turned(self, thing: _Overlay) -> bool:
        """Say whether a card is read just where it lay, and nothing of it shows beside that."""
        later = [k for k in self._cards if k.is_claimed and k.came > thing.came]
        over = [k for k in later if overlap(k.outline, thing.outline) > _TURNED]
        if not over:
            return False
        if self._share_same(thing, None) > _UNCHANGED:  # it is that card, read late
            return True
        if min(k.came for k in over) - thing.came < _TURN_S:  # too soon for anybody to turn it over: it was laid upon
            return False
        shown = self._shown(thing, over)
        size = cv2.countNonZero(shown)
        return size < _RIM * cv2.countNonZero(thing.mask) or self._share_same(thing, shown) < _SAME

    def _shown(self, thing: _Overlay, covers: Iterable[_Overlay]) -> Mask:
        """Return the part of a thing (of its box) that no card lies upon, without the rim."""
        shown = cv2.erode(cv2.copyMakeBorder(thing.mask, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0), _KERNEL)[1:-1, 1:-1]
        shown = np.ascontiguousarray(shown)
        x0, y0 = thing.box[:2]
        for cover in covers:
            grown = cover.outline + 2 * _outwards(cover.outline) - (x0, y0)
            cv2.fillConvexPoly(shown, np.round(grown).astype(np.int32), 0)
        return np.asarray(shown, np.uint8)

    def _is_bare_again(self, thing: _Overlay, shown: Mask, calm: Mask) -> bool:
        """Say whether the table or a card that was under it shows where a thing was."""
        where = (shown > 0) & (calm[thing.part] > 0)
        if not where.any():
            return False
        now = self._now[thing.part]
        known = (_far(now, self._bare[thing.part]) == 0) & (self._bare_known[thing.part] > 0)
        known |= (_far(now, self._appearance[thing.part]) == 0) & (self._known[thing.part] > 0)
        for card in self._cards:
            if card.appearance is not None:
                _paste_same(known, thing.box, card, now)
            elif card.is_claimed:
                mask = self._mask_of([card.outline])[thing.part]
                known |= mask > 0
        return float(known[where].mean()) > 0.6

    # ---- taking in

    def _accept_cards(self, new: Mask, calm: Mask, t: float) -> None:
        """Learn the appearance of cards that came, once no hand is over them."""
        for card in self._cards:
            if card.appearance is not None:
                continue
            if card.visible < 0.9:
                if self._is_as_known(card):  # it is read again under others: what comes to lie there is new
                    card.appearance = self._now[card.part].copy()
                continue
            x0, y0, x1, y1 = card.box
            r = _RING_PX
            part = (slice(max(0, y0 - r), y1 + r), slice(max(0, x0 - r), x1 + r))
            ring = np.full(new[part].shape, 255, np.uint8)
            inner = np.round(card.outline + 1.5 * _outwards(card.outline) - (part[1].start, part[0].start))
            cv2.fillConvexPoly(ring, inner.astype(np.int32), 0)
            inside = calm[card.part][card.mask > 0]
            dirty = cv2.countNonZero(cv2.bitwise_and(ring, cv2.bitwise_or(new[part], cv2.bitwise_not(calm[part]))))
            if inside.all() and dirty < _CLEAN * cv2.countNonZero(ring):
                self._take_in(self._mask_of([card.outline + 1.0 * _outwards(card.outline)]))
                card.appearance = self._now[card.part].copy()

    def _is_as_known(self, card: _Overlay) -> bool:
        same = (_far(self._now[card.part], self._appearance[card.part]) == 0) & (self._known[card.part] > 0)
        return float(same[card.mask > 0].mean()) > _UNCHANGED

    def _grow_used(self, new: Mask, t: float) -> None:
        """Let the known appearance follow slow changes, and take in what is odd and stays."""
        if t - self._followed >= _FOLLOW_S - 1e-6:
            self._followed = t
            self._follow(self._appearance, self._known)
            before = self._bare[::_ROWS].copy()
            self._dim_what_is_covered(before, self._follow(self._bare, self._bare_known))
        self._take_in_odd(new, t)

    def _take_in_odd(self, new: Mask, t: float) -> None:
        """Make what is new and no card part of the table once it has stayed."""
        odd = np.flatnonzero(new)
        self._is_restless = bool(odd.size)
        since = np.minimum(self._odd_since[odd], t)
        self._odd_since[self._odd] = np.inf
        self._odd_since[odd], self._odd = since, odd
        old = odd[t - since >= _ODD_S]
        if not old.size:
            return
        mask = np.zeros_like(new)
        mask.flat[old] = 255
        for guess in self._guesses:
            cv2.fillConvexPoly(mask, np.round(guess.fit.outline).astype(np.int32), 0)
        self._take_in(mask)

    def _follow(self, known: Image, there: Mask) -> Mask:
        """Let a known appearance follow what is seen; return where it does."""
        near = np.asarray(cv2.bitwise_and(cv2.bitwise_not(_far(self._now, known)), there), np.uint8)
        cv2.copyTo(cv2.addWeighted(known, 0.73, self._now, 0.27, 0), near, known)
        return near

    def _dim_what_is_covered(self, bare: Image, seen: Mask) -> None:
        """Let the table under cards grow lighter and darker with the rest: it must be known when it shows again.

        Args:
            bare: the table as it was known, some of its rows.
            seen: where it was seen since.
        """
        before, after = (np.array(cv2.mean(rows, seen[::_ROWS])[:3]) for rows in (bare, self._bare[::_ROWS]))
        if (before < 1).any():
            return
        self._drift *= after / before
        if (np.abs(self._drift - 1) * after < 1).all():
            return
        covered = cv2.bitwise_and(self._bare_known, cv2.bitwise_not(seen))
        cv2.copyTo(_times(self._bare, self._drift), covered, self._bare)
        self._drift = np.ones(3)

    def _take_in(self, mask: Mask) -> None:
        cv2.copyTo(self._now, mask, self._appearance)

    def _is_upset(self, new: Mask, calm: Mask, t: float) -> bool:
        """Say whether too much has changed at once for anything on the table: then all is learnt anew."""
        there = cv2.countNonZero(cv2.bitwise_and(calm, self._known))
        if there == 0 or cv2.countNonZero(new) < _UPSET * there:
            self._upset_since = None
            return False
        self._upset_since = t if self._upset_since is None else self._upset_since
        if t - self._upset_since >= _NEW_S:
            self._start_again(calm)
        self._is_restless = True
        return True

    def _start_again(self, calm: Mask) -> None:
        """Learn the whole table anew; things that were seen stay until they are seen to go."""
        self._upset_since = None
        self._guesses, self._lumps = [], []
        for mask in (self._known, self._bare_known):
            mask[:] = calm
        self._take_in(calm)
        cv2.copyTo(self._now, calm, self._bare)
        self._bare_known &= np.asarray(cv2.bitwise_not(self._mask_of(k.outline for k in self._cards)), np.uint8)
        for overlay in (*self._cards, *self._things):
            overlay.appearance = None if overlay.id is not None else self._now[overlay.part].copy()

    # ---- helpers

    def _outline(self, quad: Quad) -> Points:
        return np.asarray(to_points(quad) / self._shrink, np.float32)

    def _mask_of(self, outlines: Iterable[Points]) -> Mask:
        mask = np.zeros(self._known.shape, np.uint8)
        for outline in outlines:
            cv2.fillConvexPoly(mask, np.round(outline).astype(np.int32), 255)
        return mask

    def _share_same(self, overlay: _Overlay, where: Mask | None) -> float:
        """Return the share of an overlay that looks as it did."""
        assert overlay.appearance is not None
        mask = (overlay.mask if where is None else where) > 0
        if not mask.any():
            return 1.0
        return float((_far(self._now[overlay.part], overlay.appearance)[mask] == 0).mean())


_KERNEL: Final = np.ones((3, 3), np.uint8)
_WIDE: Final = np.ones((7, 7), np.uint8)


def overlap(a: Points, b: Points) -> float:
    """Return the share of two convex quads that both cover.

    >>> square = np.float32([[0, 0], [2, 0], [2, 2], [0, 2]])
    >>> overlap(square, square), round(overlap(square, square + 1), 2)
    (1.0, 0.14)
    """
    common, _ = cv2.intersectConvexConvex(np.asarray(a, np.float32), np.asarray(b, np.float32))
    whole = cv2.contourArea(np.asarray(a, np.float32)) + cv2.contourArea(np.asarray(b, np.float32)) - common
    return float(common / whole) if whole > 0 else 0.0


def _far(now: Image, then: Image) -> Mask:
    """Return where any colour channel differs: by grey of 0 and 255, which is quicker than to split the channels."""
    channels = cv2.threshold(cv2.absdiff(now, then), _FAR, 255, cv2.THRESH_BINARY)[1]
    return np.asarray(cv2.threshold(cv2.cvtColor(channels, cv2.COLOR_BGR2GRAY), 0, 255, cv2.THRESH_BINARY)[1], np.uint8)


def _times(picture: Image, gains: Color) -> Image:
    """Return a picture with each colour channel made lighter or darker."""
    return np.asarray(cv2.transform(picture, np.diag(gains)), np.uint8)


def _paste_same(known: NDArray[np.bool_], box: Box, card: _Overlay, now: Image) -> None:
    """Mark in `known` (of the box) where a card looks as it did."""
    assert card.appearance is not None
    x0, y0 = max(box[0], card.box[0]), max(box[1], card.box[1])
    x1, y1 = min(box[2], card.box[2]), min(box[3], card.box[3])
    if x0 >= x1 or y0 >= y1:
        return
    here = (slice(y0 - box[1], y1 - box[1]), slice(x0 - box[0], x1 - box[0]))
    there = (slice(y0 - card.box[1], y1 - card.box[1]), slice(x0 - card.box[0], x1 - card.box[0]))
    same = (_far(np.ascontiguousarray(now[here]), np.ascontiguousarray(card.appearance[there])) == 0) & (
        card.mask[there] > 0
    )
    known[here] |= same


def _apart(a: Points, b: Points) -> float:
    """Return how far the corners of two quads are apart at most; a card turned by half a turn is the same."""
    return min(float(np.abs(a - b).max()), float(np.abs(a - np.roll(b, 2, axis=0)).max()))


def _outwards(outline: Points) -> Points:
    """Return for each corner the step of about a pixel away from the middle, on both axes of the quad."""
    away = outline - outline.mean(axis=0)
    return np.asarray(away / np.maximum(1e-6, np.abs(away).max(axis=1, keepdims=True)), np.float32)
