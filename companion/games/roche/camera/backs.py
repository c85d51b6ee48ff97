"""Unreadable cards on a Roche table: a face-down card stops the deal until it is identified.

Turned over it counts at its place in the order; taken away it does not count. A back that was there before the deal,
or that the dealer has excluded, marks the deck or the burn pile.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from companion.games.roche.camera.pieces import Game, Piece, Pieces
from companion.tracking.cards.card_geometry import apart, holds
from companion.tracking.cards.observations import Arriving, LyingCard, TrackedTable
from companion.tracking.cards.pieces import PlayStatus
from companion.vision.sightings import Quad, center_of, scaled

PILES: Final = ("deck", "discard")
"""Zones of the mat where cards lie face down."""

_QUIET_S: Final = 1.2  # after this long without motion, a lifted card is not being turned over any more
_SOON_S: Final = 0.5  # minimum time from the question to a card being turned over
_NEAR: Final = 0.6  # of a card's width
_KEPT_S: Final = 30.0
_PLACE: Final = 1.25  # area of a pile relative to a card, since piles are untidy


@dataclass(slots=True)
class Back:
    """An unreadable card that was laid during the deal.

    Attributes:
        piece: the piece when last seen.
        asked: since when the dealer is asked about it, camera time.
        seen: when it was last seen.
        answered: tracks of cards that the dealer said are not this one.
    """

    piece: Piece
    asked: float
    seen: float
    answered: set[int] = field(default_factory=set)

    @property
    def rest_since(self) -> float:
        return self.piece.card.rest_since

    def is_at(self, card: LyingCard) -> bool:
        """Whether a card lies in this one's place."""
        mine, other = (center_of(c.outline or c.corners) for c in (self.piece.card, card))
        return apart(mine, other) < _NEAR * _width(self.piece.card)


class Backs:
    """Tracks unreadable cards through a deal."""

    def __init__(self) -> None:
        self.open: dict[int, Back] = {}
        "Unexplained backs, by track."
        self._places: list[Quad] = []
        self._before: list[Quad] = []
        self._pointed: list[Quad] = []
        self._order: dict[int, float] = {}
        self._began = float("-inf")
        self._phase = ""
        self._round = 0
        self._dealt_round: int | None = None

    # ---- the order of the deal

    def ordered(self, tracked: TrackedTable) -> TrackedTable:
        """Return the tracked table with turned-over cards dated to their face-down arrival."""
        if not self._order:
            return tracked
        here = {card.track for card in tracked.lying}
        self._order = {track: since for track, since in self._order.items() if track in here}
        lying = [replace(c, rest_since=self._order.get(c.track, c.rest_since)) for c in tracked.lying]
        return replace(tracked, lying=tuple(sorted(lying, key=lambda c: (c.rest_since, c.track))))

    # ---- classification

    def begin(self, tracked: TrackedTable, game: Game) -> None:
        """Record the start of the deal, and the places of the deck and burnt cards then."""
        is_again = game.round == self._dealt_round  # "no more bets" was undone and repeated: still the same deal
        if game.phase == "dealing" and self._phase == "betting" and not is_again:
            self._began, self._dealt_round = tracked.t, game.round
            here = [c.outline or c.corners for c in tracked.lying if c.status == "unreadable"]
            self._places, self._before = [*here, *self._before], here  # a new deck lies in the old one's place
        if game.round != self._round:
            self.open.clear()
            if game.phase != "dealing":
                self._dealt_round = None
        self._phase, self._round = game.phase, game.round

    def is_pile(self, card: LyingCard) -> bool:
        """Whether this is the deck, or a burnt card in its place."""
        if card.rest_since < self._began or card.found == "start" or card.zone in PILES:
            return True
        return self._is_in_place(card.outline or card.corners)

    def is_arriving(self, card: Arriving) -> bool:
        """Whether an arriving object may be a card of the deal."""
        in_place = card.corners is not None and self._is_in_place(card.corners)
        return card.id is not None or not in_place

    def _is_in_place(self, quad: Quad) -> bool:
        middle = center_of(quad)
        return any(holds(scaled(place, _PLACE), middle) for place in (*self._places, *self._pointed))

    def exclude_pile(self, piece: Piece) -> None:
        """Exclude a pile from the deal, with everything laid on it later."""
        self._pointed.append(piece.card.outline or piece.card.corners)
        self.open.pop(piece.card.track, None)

    def follow(self, tracked: TrackedTable, game: Game, pieces: Pieces) -> None:
        """Update all backs; call after the pieces."""
        if game.phase != "dealing":
            self.open.clear()
            return
        for piece in pieces.lying:
            if is_back(piece) and piece.play_status is PlayStatus.NEW and not piece.dismissed_questions:
                known = self.open.setdefault(piece.card.track, Back(piece, tracked.t, tracked.t))
                known.seen = tracked.t if piece.card.where == "open" else known.seen
        for track, back in list(self.open.items()):
            self._explain(track, back, tracked, pieces)

    def _explain(self, track: int, back: Back, tracked: TrackedTable, pieces: Pieces) -> None:
        """Determine whether a back that disappeared was turned over or taken away."""
        piece = pieces.by_track.get(track)
        if piece is not None and piece.gone is None and not is_back(piece):
            self._turned(back, piece)
            return
        if piece is not None and (piece.play_status is PlayStatus.ASIDE or piece.dismissed_questions):
            del self.open[track]
            return
        is_here = piece is not None and piece.gone is None
        if is_here and piece is not None and not piece.card.is_absent:
            return
        later = self._later(back, pieces)
        over = next((p for p in later if back.is_at(p.card)), None)
        if over is not None and over.card.first_seen - back.asked > _SOON_S:
            self._turned(back, over)
            if piece is not None:
                piece.play_status = PlayStatus.ASIDE
        elif not is_here and self._is_over(back, later, tracked, pieces):
            del self.open[track]

    def _is_over(self, back: Back, later: Sequence[Piece], tracked: TrackedTable, pieces: Pieces) -> bool:
        """Whether a lifted back is settled."""
        waiting = [p for p in pieces.lying if is_waiting(p) and p.card.rest_since > back.rest_since]
        newer = min((b.rest_since for b in self.open.values() if b.rest_since > back.seen), default=None)
        if newer is not None and all(p.card.rest_since > newer for p in waiting):
            return True  # another back came next, so any card in this one's place is dealt after that
        if later:
            return waiting == later  # whichever card it is, it is the next to be dealt
        still = tracked.t - max(back.seen, tracked.motion.last) >= _QUIET_S
        return still if waiting else tracked.t - back.seen > _KEPT_S

    def _later(self, back: Back, pieces: Pieces) -> list[Piece]:
        """Return the cards that came since a back was last seen, any of which may be it."""
        waiting = [p for p in pieces.lying if is_waiting(p)]
        return [p for p in waiting if p.card.first_seen > back.seen - _SOON_S and p.card.track not in back.answered]

    def _turned(self, back: Back, piece: Piece) -> None:
        self.open.pop(back.piece.card.track, None)
        self._order[piece.card.track] = back.rest_since
        piece.card = replace(piece.card, rest_since=back.rest_since)

    # ---- questions

    def lifted(self, pieces: Pieces) -> list[Back]:
        """Return lifted backs that may still be turned up, while later cards wait."""
        up = [b for t, b in self.open.items() if t not in pieces.by_track or pieces.by_track[t].gone is not None]
        waiting = [p for p in pieces.lying if is_waiting(p)]
        return [b for b in up if any(p.card.rest_since > b.rest_since for p in waiting)]

    def doubtful(self, pieces: Pieces) -> tuple[Back, Piece] | None:
        """Return a back and a card that may be the same one turned over; None without doubt."""
        for track, back in self.open.items():
            piece = pieces.by_track.get(track)
            if piece is not None and piece.gone is None and not piece.card.is_absent:
                continue
            for later in self._later(back, pieces):
                between = (p for p in pieces.lying if is_waiting(p) and p is not later)
                if back.is_at(later.card) or any(back.rest_since < p.card.rest_since for p in between):
                    return back, later
        return None

    def settle(self, back: Back, piece: Piece | None) -> None:
        """Apply the dealer's answer which card a back was; None: it was taken away, or lies under another."""
        if piece is not None:
            self._turned(back, piece)
        self.open.pop(back.piece.card.track, None)


def is_back(piece: Piece) -> bool:
    """Whether the piece is unreadable."""
    return piece.card.status == "unreadable"


def is_waiting(piece: Piece) -> bool:
    """Whether the piece is a card waiting to be dealt."""
    return piece.play_status is PlayStatus.NEW and not piece.is_stranger


def _width(card: LyingCard) -> float:
    a, b, c, d = card.outline or card.corners
    return max(1.0, min(apart(a, b) + apart(c, d), apart(b, c) + apart(d, a)) / 2)
