"""Tracks card-shaped objects without a reading: a card's back, a blank or damaged card, a deck that is put down.

A still place of the table that matches neither its accepted appearance nor the bare table is new. It counts as an
object if it has the outline of a card, or of the part of a card that shows beside another one lying on it. Only the
difference from the earlier appearance matters, never a color: any back on any cloth is found.

What already lay on the table when the camera started (a deck, a mat, a cup) is part of the table.
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
from companion.vision.card_shape import CardFitter, Fit, Shape, edge_shares, shapes_in
from companion.vision.frame import Image, Points
from companion.vision.live.change import Box
from companion.vision.live.pending_regions import at_rest_since
from companion.vision.live.table_appearance import Mask, TableAppearance, differences
from companion.vision.sightings import CardSighting, Quad, to_points, to_quad

_UPDATE_INTERVAL_S: Final = 0.1
_IDLE_INTERVAL_S: Final = 0.5  # update interval when nothing moves but something is still to be learned
_ACTIVE_S: Final = 1.5  # updated at the full rate for this long after the last motion
_STILL_S: Final = 0.12
_CONFIRM_S: Final = 0.25
_CONFIRM_UPDATES: Final = 3
_ABSORB_AFTER_S: Final = 3.0  # an unexplained place without a card's shape becomes part of the table
_RELEARN_AFTER_S: Final = 0.5
_MIN_AREA_MM2: Final = 500.0  # a strip across a card, 9 mm high
_RING_PX: Final = 7  # width of the ring around a card in which no hand may be
_MAX_RING_CHANGED: Final = 0.06  # share of that ring
_HALF: Final = 0.5
_SAME_PLACE_IOU: Final = 0.75
_SAME_CARD_IOU: Final = 0.7
_SAME_OBJECT_IOU: Final = 0.8
_MIN_EDGE: Final = 0.4  # share of an outline along which an edge shows; with less there is no object
_MIN_OLD_EDGE: Final = 0.7  # the same for each side of an object that was there before
_OLD_EDGE_LEVELS: Final = 36  # contrast of the edge of a deck; a line printed on the cloth has less
_MAX_CHANGED: Final = 0.4  # share of the still picture; more changes only if the camera or the lamp was bumped
_RECENT_S: Final = 5.0  # a card that arrived within this time may lie on the new object
_LOST_CARDS_KEPT: Final = 60
_MIN_SHOWN: Final = 0.12  # share of an object that must be visible to judge it
_MIN_UNCHANGED: Final = 0.35
_TURNED_IOU: Final = 0.6
_MIN_TURN_S: Final = 1.2
_UNCHANGED: Final = 0.8
_MIN_RIM: Final = 0.08  # share of an object that shows beside the card lying on it
_MIN_BARE: Final = 0.6
_FULLY_VISIBLE: Final = 0.9


@dataclass(slots=True, eq=False)
class _Overlay:
    """A card or unread object on the table, in pixels of the small picture.

    Attributes:
        id: None for an unread object.
        mask: within `box`.
        arrived: time (s) at which it was first reported.
        rest_since: time (s) since which it has not moved.
        appearance: of `box`, once it was seen unobstructed.
        is_reported: whether the reader still reports the card.
        reported_outline: pixels of the full picture.
        cards_below: cards that an unread object covers.
    """

    id: str | None
    outline: Points
    box: Box
    mask: Mask
    arrived: float
    rest_since: float
    appearance: Image | None = None
    is_reported: bool = True
    visible: float = 1.0
    reported_outline: Quad | None = None
    cards_below: list[_Overlay] = field(default_factory=list)

    @property
    def part(self) -> tuple[slice, slice]:
        x0, y0, x1, y1 = self.box
        return slice(y0, y1), slice(x0, x1)


@dataclass(slots=True)
class _Candidate:
    """A new object with a card's shape that is not confirmed yet."""

    fit: Fit
    since: float
    rest_since: float
    last_seen: float
    updates: int = 1


@dataclass(slots=True)
class _Blob:
    """A new object without a card's shape: a deck with a visible side, a cup, two adjacent cards."""

    outline: Points
    rest_since: float


class UnreadObjectTracker:
    """Tracks the card-shaped objects without a reading. Not thread-safe.

    Args:
        size: (width, height) of the full picture.
    """

    def __init__(self, size: tuple[int, int]) -> None:
        self._table = TableAppearance(size)
        w, h = self._table.size
        self._unexplained_since = np.full(w * h, np.inf)
        self._unexplained = np.zeros(0, np.intp)
        "Indices of the finite values in `_unexplained_since`."
        self._cards: list[_Overlay] = []
        self._objects: list[_Overlay] = []
        self._lost_cards: deque[Points] = deque(maxlen=_LOST_CARDS_KEPT)
        self._candidates: list[_Candidate] = []
        self._blobs: list[_Blob] = []
        self._fitter = CardFitter()
        self._updated = float("-inf")
        self._disrupted_since: float | None = None
        self._has_unexplained = True
        self._reported: frozenset[tuple[Quad, bool]] = frozenset()

    @property
    def objects(self) -> tuple[CardSighting, ...]:
        """The confirmed objects, each as an `unreadable` card."""
        return tuple(self._sighting(one) for one in self._objects)

    @property
    def possible_cards(self) -> tuple[Quad, ...]:
        """Outlines (px of the full picture) of all objects that may be unread cards, confirmed or not."""
        visible = [k.outline for k in self._objects if k.visible >= _FULLY_VISIBLE]
        unconfirmed = [*(c.fit.outline for c in self._candidates), *(blob.outline for blob in self._blobs)]
        return tuple(to_quad(outline * self._table.scale) for outline in (*visible, *unconfirmed))

    def candidate_since(self, cards: Sequence[CardSighting]) -> float | None:
        """Return the rest time (s) of the first unconfirmed candidate that is none of the cards, or None."""
        if not self._candidates:
            return None
        outlines = [self._outline(c.outline) for c in cards if c.outline is not None]
        unread = [c for c in self._candidates if not any(iou(o, c.fit.seen) > _HALF for o in outlines)]
        return min((c.rest_since for c in unread), default=None)

    def _sighting(self, one: _Overlay) -> CardSighting:
        quad = to_quad(one.outline * self._table.scale)
        return CardSighting(None, None, "unreadable", quad, quad, visible=one.visible, rest_since=one.rest_since)

    def update(self, image: Image, cards: Sequence[CardSighting], last_motion: NDArray[np.float64], t: float) -> None:
        """Process a frame at time t (s), at most every 0.1 s.

        Args:
            image: uint8 (H, W, 3), the full picture.
            cards: the cards on the table, read or remembered.
            last_motion: time (s) of the last motion in each cell.
        """
        if t - self._updated < _UPDATE_INTERVAL_S - 1e-6:
            return
        reported = frozenset((card.corners, card.visible >= _FULLY_VISIBLE) for card in cards)
        if reported == self._reported and t - self._updated < self._interval_s(last_motion, t) - 1e-6:
            return
        previous, self._updated, self._reported = self._updated, t, reported
        self._table.update(image, last_motion, previous - _UPDATE_INTERVAL_S, t)
        still = self._table.still(last_motion, t, _STILL_S)
        self._table.learn(last_motion, (k.outline for k in self._cards), t)
        self._update_cards(cards, t)
        new = self._new_pixels(still)
        if self._is_disrupted(new, still, t):
            return
        self._update_candidates(new, still, last_motion, t)
        self._update_objects(still, t)
        self._learn_cards(new, still)
        self._table.follow(t)
        self._absorb_unexplained(new, t)

    def _interval_s(self, last_motion: NDArray[np.float64], t: float) -> float:
        """Return the time between updates; infinite where nothing can have changed."""
        if self._candidates or t - float(last_motion.max(initial=-np.inf)) < _ACTIVE_S:
            return _UPDATE_INTERVAL_S
        is_learning = self._has_unexplained or any(k.appearance is None for k in self._cards)
        return _IDLE_INTERVAL_S if is_learning else float("inf")

    def _update_cards(self, cards: Sequence[CardSighting], t: float) -> None:
        """Match the reported cards with the known ones. A card no longer reported stays while it looks unchanged."""
        before, self._cards = self._cards, []
        for card in cards:
            if card.outline is None:
                continue
            same = next((k for k in before if k.id == card.id and k.reported_outline == card.outline), None)
            if same is None:
                outline = self._outline(card.outline)
                same = next((k for k in before if k.id == card.id and _corner_distance(k.outline, outline) < 2.5), None)
            if same is None:
                rest_since = card.rest_since if card.rest_since is not None else t
                overlay = self._overlay(card.id, outline, t, rest_since)
                if overlay is None:
                    continue
                if card.visible >= _FULLY_VISIBLE and card.status == "ok":
                    self._fitter.learn(outline)
            else:
                before.remove(same)
                overlay = same
            overlay.is_reported, overlay.visible, overlay.reported_outline = True, card.visible, card.outline
            self._cards.append(overlay)
        for lost in before:
            lost.is_reported = False
            if lost.appearance is not None and self._unchanged_share(lost, None) >= _HALF:
                self._cards.append(lost)
            else:
                self._lost_cards.append(lost.outline)

    def _overlay(self, card_id: str | None, outline: Points, arrived: float, rest_since: float) -> _Overlay | None:
        """Return an overlay for an outline; None if it lies outside the picture or is too small."""
        w, h = self._table.size
        x0, y0 = np.clip(np.floor(outline.min(axis=0)), 0, (w, h)).astype(int)
        x1, y1 = np.clip(np.ceil(outline.max(axis=0)) + 1, 0, (w, h)).astype(int)
        if x1 - x0 < 3 or y1 - y0 < 3:
            return None
        mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
        cv2.fillConvexPoly(mask, np.round(outline - (x0, y0)).astype(np.int32), 255)
        return _Overlay(card_id, outline, (int(x0), int(y0), int(x1), int(y1)), mask, arrived, rest_since)

    def _new_pixels(self, still: Mask) -> Mask:
        """Return the still pixels that match no known appearance; accept those that match another than expected."""
        table = self._table
        new = cv2.bitwise_and(differences(table.now, table.accepted), cv2.bitwise_and(still, table.known))
        if not cv2.countNonZero(new):
            return np.asarray(new, np.uint8)
        x, y, w, h = cv2.boundingRect(new)
        here = (slice(y, y + h), slice(x, x + w))
        bare = cv2.bitwise_and(cv2.bitwise_not(differences(table.now[here], table.bare[here])), table.bare_known[here])
        familiar = np.zeros_like(new)
        familiar[here] = cv2.bitwise_and(new[here], bare)
        new[here] = cv2.bitwise_and(new[here], cv2.bitwise_not(bare))
        for overlay in (k for k in (*self._cards, *self._objects) if do_overlap(k.box, (x, y, x + w, y + h))):
            part = new[overlay.part]
            if overlay.appearance is None:
                if overlay.is_reported:
                    part[cv2.dilate(overlay.mask, _SMALL_KERNEL) > 0] = 0
            elif cv2.countNonZero(part):
                same = differences(table.now[overlay.part], overlay.appearance) == 0
                known = same & (overlay.mask > 0) & (part > 0)
                familiar[overlay.part][known] = 255
                part[known] = 0
        table.accept(np.asarray(familiar, np.uint8))
        return np.asarray(new, np.uint8)

    # ---- candidates

    def _update_candidates(self, new: Mask, still: Mask, last_motion: NDArray[np.float64], t: float) -> None:
        """Find the card shapes among the new pixels, and confirm candidates that were seen for long enough."""
        table = self._table
        above = [k.outline for k in self._cards if k.is_reported and k.visible > _HALF and t - k.arrived < _RECENT_S]
        for shape in self._shapes(new, still):
            fit = self._fitter.fit(shape, above, [k.outline for k in self._objects])
            if fit is None:
                self._note_blob(shape, last_motion)
                continue
            edges = edge_shares(table.now, fit.outline, above)
            old_edges = edge_shares(table.accepted, fit.outline, (), _OLD_EDGE_LEVELS)
            if edges and float(np.mean(edges)) < _MIN_EDGE:  # an object was removed: this is the table below it
                table.accept_as_bare(shape.mask)
            elif self._is_read_card(fit.outline):
                continue
            elif old_edges and min(old_edges) >= _MIN_OLD_EDGE and self._was_always_there(fit.outline):
                # A deck that lay there from the start has a card more or less.
                table.accept(table.mask_of([fit.outline]))
                table.accept(shape.mask)
            else:
                self._note_candidate(fit, last_motion, t)
        for one in [c for c in self._candidates if c.updates >= _CONFIRM_UPDATES and t - c.since >= _CONFIRM_S - 1e-6]:
            self._candidates.remove(one)
            self._confirm(one, t)
        self._candidates = [c for c in self._candidates if c.last_seen == t]
        self._blobs = [blob for blob in self._blobs if not self._is_cleared(blob, new, still)]

    def _shapes(self, new: Mask, still: Mask) -> list[Shape]:
        clean = cv2.morphologyEx(new, cv2.MORPH_OPEN, _SMALL_KERNEL)
        if not clean.any():
            return []
        closed = np.asarray(cv2.morphologyEx(clean, cv2.MORPH_CLOSE, _LARGE_KERNEL), np.uint8)
        min_area = max(24.0, self._fitter.area_px(_MIN_AREA_MM2, self._table.size))
        return [s for s in shapes_in(closed, min_area) if not self._is_disturbed(s, still)]

    def _is_disturbed(self, shape: Shape, still: Mask) -> bool:
        """Whether a shape touches the border of the picture, as an arm does, or motion."""
        x0, y0, x1, y1 = shape.box
        w, h = self._table.size
        if x0 <= 1 or y0 <= 1 or x1 >= w - 1 or y1 >= h - 1:
            return True
        part = shape.mask[y0 - 2 : y1 + 2, x0 - 2 : x1 + 2]
        around = cv2.dilate(part, _SMALL_KERNEL)
        return bool(((around > 0) & (still[y0 - 2 : y1 + 2, x0 - 2 : x1 + 2] == 0)).any())

    def _is_read_card(self, outline: Points) -> bool:
        """Whether a card is read in this place: it, or the camera, was nudged."""
        cards = (k for k in self._cards if k.is_reported and k.visible >= _HALF)
        return any(iou(k.outline, outline) > _SAME_CARD_IOU for k in cards)

    def _was_always_there(self, outline: Points) -> bool:
        """Whether the accepted appearance of this place is that of the bare table: an object since the start."""
        known = (*(k.outline for k in (*self._cards, *self._objects)), *self._lost_cards)
        if any(iou(o, outline) > _SAME_CARD_IOU for o in known):
            return False
        table = self._table
        mask = table.mask_of([outline]) > 0
        same = (differences(table.accepted, table.bare) == 0) & (table.bare_known > 0)
        return float(same[mask].mean()) > _HALF

    def _note_candidate(self, fit: Fit, last_motion: NDArray[np.float64], t: float) -> None:
        old = next((c for c in self._candidates if iou(c.fit.outline, fit.outline) > _SAME_PLACE_IOU), None)
        if old is not None:
            old.updates, old.last_seen, old.fit = old.updates + 1, t, fit
            return
        rest_since = at_rest_since(last_motion, to_quad(fit.seen * self._table.scale))
        earlier = (k.rest_since for k in self._blobs if iou(k.outline, fit.outline) > _SAME_PLACE_IOU)
        self._candidates.append(_Candidate(fit, t, min((rest_since, *earlier)), last_seen=t))

    def _note_blob(self, shape: Shape, last_motion: NDArray[np.float64]) -> None:
        """Remember since when a blob has been there: with a better view, or a card less on it, it may fit a card."""
        outline = np.asarray(cv2.boxPoints(cv2.minAreaRect(shape.contour)), np.float32)
        if not any(iou(k.outline, outline) > _SAME_PLACE_IOU for k in self._blobs):
            self._blobs.append(_Blob(outline, at_rest_since(last_motion, to_quad(outline * self._table.scale))))

    def _is_cleared(self, blob: _Blob, new: Mask, still: Mask) -> bool:
        """Whether a blob's place is still and mostly no longer new."""
        place = self._table.mask_of([blob.outline])
        size = cv2.countNonZero(place)
        still_px = cv2.countNonZero(cv2.bitwise_and(place, still))
        return still_px > 0.9 * size and cv2.countNonZero(cv2.bitwise_and(place, new)) < _HALF * size

    def _confirm(self, candidate: _Candidate, t: float) -> None:
        """Turn a candidate into an object, or update the object in its place."""
        outline = candidate.fit.outline
        old = next((k for k in self._objects if iou(k.outline, outline) > _SAME_OBJECT_IOU), None)
        one = self._overlay(None, outline, t, candidate.rest_since if old is None else old.rest_since)
        if one is None:
            return
        if old is not None:
            self._objects.remove(old)
        one.cards_below = [k for k in self._cards if self._is_covered(k, one)]
        self._table.accept(self._table.mask_of([outline]))
        one.appearance = self._table.now[one.part].copy()
        self._objects.append(one)

    def _is_covered(self, card: _Overlay, one: _Overlay) -> bool:
        """Whether a card looks different now where an object lies."""
        common = cv2.bitwise_and(self._table.mask_of([one.outline])[card.part], card.mask)
        return card.appearance is not None and self._unchanged_share(card, np.asarray(common, np.uint8)) < _HALF

    # ---- confirmed objects

    def _update_objects(self, still: Mask, t: float) -> None:
        """Update the visibility of the objects and drop those that are gone or have become a read card."""
        kept = []
        for one in self._objects:
            if self._is_read_now(one):
                continue
            shown = self._shown(one, self._covers_of(one))
            still_px = cv2.countNonZero(cv2.bitwise_and(shown, still[one.part]))
            if still_px < _MIN_SHOWN * cv2.countNonZero(one.mask):
                one.visible = 0.0
                kept.append(one)
                continue
            share = self._unchanged_share(one, np.asarray(cv2.bitwise_and(shown, still[one.part]), np.uint8))
            is_open = share >= _HALF and still_px >= 0.9 * cv2.countNonZero(shown)
            one.visible = 1.0 if is_open else min(share, 0.8)
            if share >= _MIN_UNCHANGED or not self._is_bare_again(one, shown, still):
                kept.append(one)
                continue
            # The next object in this place may look the same: it must differ from what is accepted.
            self._table.restore_bare(self._table.mask_of([one.outline]))
        self._objects = kept

    def _covers_of(self, one: _Overlay) -> list[_Overlay]:
        """Return the cards and objects that may lie on an object."""
        later = [k for k in self._cards if k.is_reported and k.arrived >= one.arrived - _RECENT_S]
        cards = [k for k in later if k.visible > _HALF and k not in one.cards_below]
        return cards + [k for k in self._objects if k.arrived > one.arrived and iou(k.outline, one.outline) > 0]

    def _is_read_now(self, one: _Overlay) -> bool:
        """Whether an object turned out to be a card that is now read in its place, or was turned over."""
        later = [k for k in self._cards if k.is_reported and k.arrived > one.arrived]
        cards = [k for k in later if iou(k.outline, one.outline) > _TURNED_IOU]
        if not cards:
            return False
        if self._unchanged_share(one, None) > _UNCHANGED:  # the object itself was read, only late
            return True
        if min(k.arrived for k in cards) - one.arrived < _MIN_TURN_S:  # too fast for turning over: a card laid on it
            return False
        shown = self._shown(one, cards)
        size = cv2.countNonZero(shown)
        return size < _MIN_RIM * cv2.countNonZero(one.mask) or self._unchanged_share(one, shown) < _HALF

    def _shown(self, one: _Overlay, covers: Iterable[_Overlay]) -> Mask:
        """Return the part of an object (within its box) that is not covered, without its rim."""
        padded = cv2.copyMakeBorder(one.mask, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0)
        shown = np.ascontiguousarray(cv2.erode(padded, _SMALL_KERNEL)[1:-1, 1:-1])
        x0, y0 = one.box[:2]
        for cover in covers:
            grown = cover.outline + 2 * _outward_steps(cover.outline) - (x0, y0)
            cv2.fillConvexPoly(shown, np.round(grown).astype(np.int32), 0)
        return np.asarray(shown, np.uint8)

    def _is_bare_again(self, one: _Overlay, shown: Mask, still: Mask) -> bool:
        """Whether an object's place now shows the table, or a card that was below the object."""
        visible = (shown > 0) & (still[one.part] > 0)
        if not visible.any():
            return False
        known = self._table.is_bare(one.part) | self._table.is_accepted(one.part)
        for card in self._cards:
            if card.appearance is not None:
                _mark_unchanged(known, one.box, card, self._table.now[one.part])
            elif card.is_reported:
                known |= self._table.mask_of([card.outline])[one.part] > 0
        return float(known[visible].mean()) > _MIN_BARE

    # ---- learning

    def _learn_cards(self, new: Mask, still: Mask) -> None:
        """Learn the appearance of new cards, once no hand is near them."""
        for card in self._cards:
            if card.appearance is not None:
                continue
            if card.visible < _FULLY_VISIBLE:
                # Read again below others: it looks as accepted, and whatever is laid on it from now on is new.
                if float(self._table.is_accepted(card.part)[card.mask > 0].mean()) > _UNCHANGED:
                    card.appearance = self._table.now[card.part].copy()
                continue
            x0, y0, x1, y1 = card.box
            r = _RING_PX
            part = (slice(max(0, y0 - r), y1 + r), slice(max(0, x0 - r), x1 + r))
            ring = np.full(new[part].shape, 255, np.uint8)
            inner = np.round(card.outline + 1.5 * _outward_steps(card.outline) - (part[1].start, part[0].start))
            cv2.fillConvexPoly(ring, inner.astype(np.int32), 0)
            is_still = still[card.part][card.mask > 0]
            changed = cv2.countNonZero(cv2.bitwise_and(ring, cv2.bitwise_or(new[part], cv2.bitwise_not(still[part]))))
            if is_still.all() and changed < _MAX_RING_CHANGED * cv2.countNonZero(ring):
                self._table.accept(self._table.mask_of([card.outline + 1.0 * _outward_steps(card.outline)]))
                card.appearance = self._table.now[card.part].copy()

    def _absorb_unexplained(self, new: Mask, t: float) -> None:
        """Accept new pixels as part of the table once they have stayed for 3 s, except those of candidates."""
        unexplained = np.flatnonzero(new)
        self._has_unexplained = bool(unexplained.size)
        since = np.minimum(self._unexplained_since[unexplained], t)
        self._unexplained_since[self._unexplained] = np.inf
        self._unexplained_since[unexplained], self._unexplained = since, unexplained
        old = unexplained[t - since >= _ABSORB_AFTER_S]
        if not old.size:
            return
        mask = np.zeros_like(new)
        mask.flat[old] = 255
        for candidate in self._candidates:
            cv2.fillConvexPoly(mask, np.round(candidate.fit.outline).astype(np.int32), 0)
        self._table.accept(mask)

    def _is_disrupted(self, new: Mask, still: Mask, t: float) -> bool:
        """Whether more has changed than objects can explain. If it persists, the table is learned anew."""
        area = cv2.countNonZero(cv2.bitwise_and(still, self._table.known))
        if area == 0 or cv2.countNonZero(new) < _MAX_CHANGED * area:
            self._disrupted_since = None
            return False
        self._disrupted_since = t if self._disrupted_since is None else self._disrupted_since
        if t - self._disrupted_since >= _RELEARN_AFTER_S:
            self._relearn(still)
        self._has_unexplained = True
        return True

    def _relearn(self, still: Mask) -> None:
        """Learn the table anew; confirmed objects stay, with their current appearance."""
        self._disrupted_since = None
        self._candidates, self._blobs = [], []
        self._table.relearn(still, (k.outline for k in self._cards))
        for overlay in (*self._cards, *self._objects):
            overlay.appearance = None if overlay.id is not None else self._table.now[overlay.part].copy()

    def _outline(self, quad: Quad) -> Points:
        """Return a quad (px of the full picture) in pixels of the small one."""
        return np.asarray(to_points(quad) / self._table.scale, np.float32)

    def _unchanged_share(self, overlay: _Overlay, where: Mask | None) -> float:
        """Return the share of an overlay, or of a part of it, that still looks as learned."""
        assert overlay.appearance is not None
        mask = (overlay.mask if where is None else where) > 0
        if not mask.any():
            return 1.0
        return float((differences(self._table.now[overlay.part], overlay.appearance)[mask] == 0).mean())


_SMALL_KERNEL: Final = np.ones((3, 3), np.uint8)
_LARGE_KERNEL: Final = np.ones((7, 7), np.uint8)


def iou(a: Points, b: Points) -> float:
    """Return the intersection over union of two convex quads.

    >>> square = np.float32([[0, 0], [2, 0], [2, 2], [0, 2]])
    >>> iou(square, square), round(iou(square, square + 1), 2)
    (1.0, 0.14)
    """
    common, _ = cv2.intersectConvexConvex(np.asarray(a, np.float32), np.asarray(b, np.float32))
    union = cv2.contourArea(np.asarray(a, np.float32)) + cv2.contourArea(np.asarray(b, np.float32)) - common
    return float(common / union) if union > 0 else 0.0


def _mark_unchanged(known: NDArray[np.bool_], box: Box, card: _Overlay, now: Image) -> None:
    """Set `known` where a card looks as learned; `known` and `now` are parts of the picture, of a box."""
    assert card.appearance is not None
    x0, y0 = max(box[0], card.box[0]), max(box[1], card.box[1])
    x1, y1 = min(box[2], card.box[2]), min(box[3], card.box[3])
    if x0 >= x1 or y0 >= y1:
        return
    in_box = (slice(y0 - box[1], y1 - box[1]), slice(x0 - box[0], x1 - box[0]))
    in_card = (slice(y0 - card.box[1], y1 - card.box[1]), slice(x0 - card.box[0], x1 - card.box[0]))
    same = differences(np.ascontiguousarray(now[in_box]), np.ascontiguousarray(card.appearance[in_card])) == 0
    known[in_box] |= same & (card.mask[in_card] > 0)


def _corner_distance(a: Points, b: Points) -> float:
    """Return the largest offset (x or y) between corresponding corners, ignoring a half turn."""
    return min(float(np.abs(a - b).max()), float(np.abs(a - np.roll(b, 2, axis=0)).max()))


def _outward_steps(outline: Points) -> Points:
    """Return for each corner a step of about one pixel away from the center."""
    away = outline - outline.mean(axis=0)
    return np.asarray(away / np.maximum(1e-6, np.abs(away).max(axis=1, keepdims=True)), np.float32)
