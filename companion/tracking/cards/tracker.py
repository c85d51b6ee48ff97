"""Tracks cards from frame to frame and reports what has been stable long enough.

Pure: it takes readings and times, and has no clock. A single frame proves nothing: hands, glare, dropped frames and a
bumped camera change what is seen, not what lies on the table.
"""

from collections.abc import Container, Sequence
from typing import Final

from companion.tracking.cards.card_geometry import apart, holds
from companion.tracking.cards.matching import bump, distinct, match
from companion.tracking.cards.observations import (
    CardCovered,
    CardGone,
    CardMoved,
    CardSettled,
    Conflict,
    Duplicate,
    Found,
    Observation,
    StrangerSeen,
    TrackedTable,
)
from companion.tracking.cards.track import REFUTED, STRANGERS, StabilityThresholds, Track, is_fresh, rest_start_of
from companion.vision.sightings import CardSighting, FrameReading, Quad, center_of

_MAX_STEP_S: Final = 0.25  # cap on a frame's step, so that no card vanishes while the camera is lost
_REAPPEARANCE_S: Final = 10.0  # for this long, a removed card seen in exactly the same place is the same track
_DISPUTE_S: Final = 0.5
_MIN_UNCHANGED_VISIBLE: Final = 0.2  # unchanged share of a card or code; below it, nothing of the card is visible
_MAX_STACK_OFFSET: Final = 0.3  # of a card's width; cards of a staggered stack are offset by more
_MOTION_TIME_WEIGHT: Final = 0.3  # weight of time with motion, as somebody moves in the picture most of the time


class Tracker:
    """Tracks the cards on the table from one reading to the next. Not thread-safe.

    Args:
        several: ids of cards that may be on the table once per deck.

    >>> from companion.vision.sightings import CardSighting, FrameReading
    >>> code = ((100, 100), (150, 100), (150, 150), (100, 150))
    >>> reading = FrameReading((640, 480), (CardSighting("6D3", "K7QX", "ok", code),))
    >>> tracker = Tracker()
    >>> [type(o).__name__ for i in range(6) for o in tracker.update(reading, i / 30)]
    ['CardSettled']
    """

    def __init__(self, *, several: Container[str] = ()) -> None:
        self.thresholds = StabilityThresholds()
        self._several = several
        self.tracks: list[Track] = []
        self._ghosts: list[tuple[float, Track]] = []
        self._count = 0
        self._t: float | None = None
        self._step_s = 0.0
        self._resumed: tuple[float, Found] = (0.0, "")
        self._unread_since: float | None = None
        self._unsure: tuple[Quad, ...] = ()
        self._cut = float("-inf")
        self._is_moving = False

    def update(self, reading: FrameReading, t: float) -> tuple[Observation, ...]:
        """Process one frame.

        Args:
            t: the frame's time in seconds, never going back.

        Returns:
            the observations that became certain with this frame.
        """
        step_s = self._step_s = self._advance(t)
        self._unread_since, self._is_moving = reading.unread_since, reading.moving
        cards = distinct(reading.cards)
        self._unsure = reading.unsure
        self._cut = t if reading.cut else self._cut
        pairs, new = match(self.tracks, cards, t, self._cut)
        self._follow_bump(pairs)
        paired = {track.number for track, _ in pairs}
        for track in self.tracks:
            track.is_absent = track.number not in paired
        seen: list[Observation] = [o for track, card in pairs for o in self._see(track, card, t)]
        for card in new:
            self._begin(card, t)
        for track in self.tracks:
            if track.is_absent and track.seen < t:
                unsure = self._is_unsure(track)
                seen += self._miss(track, 0.0 if unsure else step_s, reading.moving or unsure, t)
                self._bury(track)
        seen += self._disputes(t)
        for track in self.tracks:
            seen += self._settle(track, t)
        seen += self._twins(t)
        return tuple(seen)

    def tracked(self) -> TrackedTable:
        """Return everything on the table now."""
        settled = sorted((k for k in self.tracks if k.settled is not None), key=lambda k: (k.settled_rest, k.number))
        arriving = tuple(k.arriving() for k in self.tracks if k.settled is None)
        lying = tuple(k.lying() for k in settled)
        return TrackedTable(self._t or 0.0, lying, arriving, step_s=self._step_s, unread_since=self._unread_since)

    # ---- time

    def _advance(self, t: float) -> float:
        if self._t is None:
            self._resumed = (t, "start")
            step = 0.0
        else:
            step = t - self._t
            if step > self.thresholds.gap_s:
                self._resumed = (t, "return")
        self._t = t
        self._ghosts = [(since, k) for since, k in self._ghosts if t - since < _REAPPEARANCE_S]
        return min(max(step, 0.0), _MAX_STEP_S)

    def _found(self, t: float) -> Found:
        since, how = self._resumed
        return how if t - since <= self.thresholds.found_s else ""

    # ---- one card

    def _begin(self, card: CardSighting, t: float) -> None:
        if not is_fresh(card):
            return
        ghost = next((k for _, k in self._ghosts if k.id == card.id and k.is_in_same_pose(card)), None)
        if ghost is not None:
            self._ghosts = [(since, k) for since, k in self._ghosts if k is not ghost]
            ghost.settled, ghost.reported, ghost.votes, ghost.rest_since = None, None, 0, t
            ghost.rest_start = rest_start_of(card, t)
            ghost.see(card, t, self.thresholds)
            self.tracks.append(ghost)
            return
        self._count += 1
        track = Track.begin(self._count, card, t, self._found(rest_start_of(card, t)))
        track.votes = 1
        self.tracks.append(track)

    def _see(self, track: Track, card: CardSighting, t: float) -> list[Observation]:
        if not is_fresh(card):  # only remembered by the reader: something lies or moves over it
            missed = self._miss(track, 0.0, True, t)
            if card.visible < _MIN_UNCHANGED_VISIBLE and track.is_under:
                self._bury(track)
            return missed
        track.see(card, t, self.thresholds)
        if card.id is None:
            return []
        if track.id is None:  # readable for the first time
            track.id, track.deck, track.status = card.id, card.deck, card.status
            if track.settled is not None:
                track.settled, track.reported = None, None
            return []
        return self._prove(track, card, t)

    def _prove(self, track: Track, card: CardSighting, t: float) -> list[Observation]:
        """Apply the code's status to the track: verified stays verified, refuted stays refuted.

        A single frame refutes nothing: a card's code may briefly be seen with the tag of the card below it. A refuted
        track is replaced by a genuine card laid in its place, once both its code and its tags are read there.
        """
        if card.status in ("tag", track.status) and card.deck in (track.deck, None):
            track.contradicted = 0 if card.status == track.status else track.contradicted
            return []
        if track.status == "tag" and card.status not in STRANGERS:
            track.status, track.deck = card.status, card.deck
            return []
        track.contradicted += 1
        if track.contradicted < self.thresholds.votes:
            return []
        if track.status in REFUTED and card.status == "ok" and card.tags:
            self.tracks = [k for k in self.tracks if k is not track]
            self._begin(card, t)
            return [CardGone(track.number, track.id, t)]
        if track.disputed is not None:
            return []
        if track.status == "tag":
            track.status, track.deck = card.status, card.deck
            return []
        other = card.status if card.status in STRANGERS else (card.deck or card.status)
        track.disputed = other
        return [Conflict(track.number, track.id, t, other)]

    def _settle(self, track: Track, t: float) -> list[Observation]:
        if not track.rests(t, self.thresholds) or track.flips >= 2:
            return []
        if track.settled is None:
            track.settled, track.settled_rest, track.moved = t, track.rest_start, t
            track.home, track.reported = track.middle, track.status
            return [self._settled(track, t)]
        seen: list[Observation] = []
        if track.reported != track.status:
            track.reported = track.status
            seen.append(self._settled(track, t))
        if apart(track.middle, track.home) > self.thresholds.moved * track.width:
            track.home, track.moved = track.middle, t
            seen.append(CardMoved(track.number, track.id, t, track.corners, track.outline))
        return seen

    def _settled(self, track: Track, t: float) -> Observation:
        n, corners, outline = track.number, track.corners, track.outline
        if track.is_stranger:
            return StrangerSeen(n, track.id, t, track.deck, track.status, corners, outline)
        return CardSettled(
            n, track.id, t, track.deck, track.status, corners, outline, track.votes, track.settled_rest
        )  # fmt: skip

    def _miss(self, track: Track, step_s: float, moving: bool, t: float) -> list[Observation]:
        """Handle a card that is not seen: it is covered by another, hidden for a moment, or gone."""
        if track.settled is None:
            track.missing_s += step_s
            if track.missing_s > self.thresholds.drop_s:
                self.tracks = [k for k in self.tracks if k is not track]
            return []
        was_taken = (
            track.is_unread_object and track.id is None and track.is_absent
        )  # the reading includes covered objects
        cover = None if was_taken else self._cover_of(track)
        if cover is not None:
            track.missing_s = track.missing_still_s = 0.0
            track.where, known, track.cover = "covered", track.cover, cover.number
            track.is_under = apart(cover.middle, track.middle) < _MAX_STACK_OFFSET * track.width
            return [] if known == cover.number else [CardCovered(track.number, track.id, t, cover.number)]
        track.where, track.cover, track.buried_s = "hidden", None, 0.0
        track.missing_s += step_s
        track.missing_still_s += 0.0 if moving else step_s
        if track.missing_still_s < self.thresholds.gone_s and track.missing_s < self.thresholds.gone_moving_s:
            return []
        self.tracks = [k for k in self.tracks if k is not track]
        self._ghosts.append((t, track))
        return [CardGone(track.number, track.id, t)]

    def _is_unsure(self, track: Track) -> bool:
        """Whether the reader is unsure if anything still lies in the card's place."""
        near = 0.5 * track.width
        middles = [center_of(quad) for quad in self._unsure]
        return any(apart(m, track.middle) < near or (track.outline and holds(track.outline, m)) for m in middles)

    def _bury(self, track: Track) -> None:
        """Add up the time for which a covered card is completely out of sight."""
        if track.cover is not None:
            track.buried_s += self._step_s * (_MOTION_TIME_WEIGHT if self._is_moving else 1.0)

    def _cover_of(self, track: Track) -> Track | None:
        """Return a later card, still on the table, that lies on or near the centre of this one; None without one."""
        for other in self.tracks:
            if other is track or other.settled is None or other.settled_rest < track.settled_rest:
                continue
            near = apart(other.middle, track.middle) < 0.5 * track.width
            over = near or (other.outline is not None and holds(other.outline, track.middle))
            if over and self._is_there(other, track):
                return other
        return None

    def _is_there(self, cover: Track, track: Track) -> bool:
        """Whether a cover is seen, or lies under a card that is seen.

        For cards found at the same moment it is unknown which is on top; if they are removed together, they must not
        count as covering each other forever.
        """
        passed, numbered = {track.number}, {k.number: k for k in self.tracks}
        while cover.where == "covered" and cover.number not in passed and cover.cover in numbered:
            passed.add(cover.number)
            cover = numbered[cover.cover]
        return cover.where == "open" and cover.number not in passed

    # ---- several cards

    def _follow_bump(self, pairs: Sequence[tuple[Track, CardSighting]]) -> None:
        move = bump(list(pairs))
        if move is not None:
            for track in (*self.tracks, *(k for _, k in self._ghosts)):
                track.shift(move)

    def _disputes(self, t: float) -> list[Observation]:
        """Detect a card that reads as two: two ids alternate in the same place, which two cards cannot do."""
        reported: list[Observation] = []
        fresh = [k for k in self.tracks if k.seen == t and k.id is not None]
        for track in fresh:
            rival = self._rival_of(track, t) if track.settled is None else None
            if rival is None:
                track.flips = 0
            elif rival.seen > track.before:
                track.flips += 1
                if track.flips == 2 and rival.disputed is None:
                    rival.disputed = track.id
                    reported.append(Conflict(rival.number, rival.id, t, track.id or "?"))
        return reported

    def _rival_of(self, track: Track, t: float) -> Track | None:
        """Return a settled card with another id, seen a moment ago in this one's place; None without one."""
        for other in self.tracks:
            if other.settled is None or other.id in (None, track.id) or t - other.seen > _DISPUTE_S:
                continue
            if apart(other.middle, track.middle) < 0.15 * track.width:
                return other
        return None

    def _twins(self, t: float) -> list[Observation]:
        """Detect cards with the same identity lying on the table at the same time."""
        reported: list[Observation] = []
        lying = [k for k in self.tracks if k.settled is not None and k.id is not None]
        for i, later in enumerate(lying):
            twin = next((k for k in lying[:i] if self._is_twin(k, later)), None)
            if twin is None:
                later.twin_of, later.twin_frames = None, 0
                continue
            if later.seen == twin.seen == t:
                later.twin_frames += 1
            if later.twin_frames == self.thresholds.twin_frames:
                later.twin_of = twin.number
                reported.append(Duplicate(later.number, later.id, t, (twin.number, later.number)))
        return reported

    def _is_twin(self, track: Track, later: Track) -> bool:
        if track.id is None or track.id not in self._several:
            return track.id == later.id
        return track.id == later.id and track.deck is not None and track.deck == later.deck
