"""Game status of each card on a Rochi table: new, counted, left over, taken back …"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from companion.games.rochi.camera.game_model import ON_TABLE, Game
from companion.games.rochi.camera.trace import Trace, trace_of
from companion.tracking.cards.observations import LyingCard, TrackedTable
from companion.tracking.cards.pieces import Piece as AnyPiece
from companion.tracking.cards.pieces import Pieces as AnyPieces
from companion.tracking.cards.pieces import PlayStatus

_SWEPT_S: Final = 6.0  # gathered cards may reappear for this long


@dataclass(slots=True)
class Piece(AnyPiece):
    """A physical card and its status in the hand."""

    trace: Trace
    hand: int = 0
    place: str = ""
    "Place in the game while it counted."
    since: float = 0.0
    "Time of the last status change."
    forced: Literal["play", "deal"] | None = None
    forced_in: tuple[object, ...] | None = None
    "Turn in which a button or tap forced the verb."
    is_first: bool = False
    "Whether the dealer said that it came before the others."
    came_alone: bool = False
    "Whether it was seen to arrive on a table without cards."
    replays: bool = False
    "Whether its command is being undone only as part of a correction."
    is_discard: bool = False
    "Whether it is set aside because it lies among the discards, not by the dealer."
    is_asked: bool = False
    "Whether the dealer was asked if it was played or dealt."
    refusals: int = 0


class Pieces(AnyPieces[Piece]):
    """Cards now or recently on the table, by track."""

    reset_when_lifted = (PlayStatus.LEFTOVER, PlayStatus.ASIDE, PlayStatus.LATE, PlayStatus.UNDONE)
    lifted_s = 1.5
    statuses_noted_when_gathered = (PlayStatus.LEFTOVER, PlayStatus.COUNTED, PlayStatus.LATE)

    @property
    def lying(self) -> list[Piece]:
        """Pieces on the table, in order of arrival."""
        return sorted(super().lying, key=lambda p: not p.is_first)

    @property
    def waiting(self) -> list[Piece]:
        """New cards that may count, in order of arrival."""
        return [p for p in self.lying if p.play_status is PlayStatus.NEW and not p.is_stranger]

    def of(self, card: str | None) -> Piece | None:
        """Return the piece with this ID on the table, or None."""
        return next((p for p in self.lying if p.id == card), None)

    def is_bare(self) -> bool:
        """Whether the table has no cards but new ones and ones set aside."""
        return not any(p.play_status not in (PlayStatus.NEW, PlayStatus.ASIDE) for p in self.lying)

    def follow(self, tracked: TrackedTable, game: Game) -> None:
        """Update all pieces from the tracked table and the game state."""
        self._see(tracked)
        if self._is_other_round(game.now.began):
            self._turn_hand(tracked.t)
        for piece in self.lying:
            if not piece.is_stranger:
                self._classify(piece, game, tracked.t)

    def turn(self, piece: Piece, play_status: PlayStatus, t: float) -> None:
        """Set a piece's play status."""
        if piece.play_status is not play_status:
            piece.play_status, piece.since = play_status, t

    # ---- tracking

    def _begin(self, card: LyingCard, tracked: TrackedTable) -> Piece:
        trace = trace_of(card, tracked.motion, self._latest_laid())
        return Piece(card, trace, since=tracked.t, came_alone=self.is_bare() and card.found != "start")

    def _is_laid_anew(self, piece: Piece, card: LyingCard) -> bool:
        if piece.is_discard and (card.zone or "").startswith(("stack/", "seat/")):
            return True
        return piece.play_status is PlayStatus.UNDONE and card.moved > piece.since

    def _begin_anew(self, piece: Piece, tracked: TrackedTable) -> None:
        piece.forced, piece.forced_in, piece.is_asked, piece.is_discard = None, None, False, False
        piece.trace = trace_of(piece.card, tracked.motion, self._latest_laid(piece))

    def _latest_laid(self, but: Piece | None = None) -> float:
        return max((p.trace.laid for p in self.by_track.values() if p is not but), default=float("-inf"))

    # ---- game state

    def _turn_hand(self, t: float) -> None:
        """Start another hand: all cards become leftovers, except ones that came onto the empty table."""
        for track, piece in list(self.by_track.items()):
            piece.dismissed_questions, piece.is_first, piece.is_discard = set(), False, False
            if piece.gone is not None:
                del self.by_track[track]
            elif not piece.is_stranger and not (piece.play_status is PlayStatus.NEW and piece.came_alone):
                self.turn(piece, PlayStatus.LEFTOVER, t)

    def _classify(self, piece: Piece, game: Game, t: float) -> None:
        place = game.places.get(piece.id or "")
        if place is not None and self._stands_for(piece):
            piece.is_discard = False
            if place == "discard":
                self.turn(
                    piece,
                    PlayStatus.ASIDE
                    if piece.play_status in (PlayStatus.NEW, PlayStatus.ASIDE)
                    else PlayStatus.LEFTOVER,
                    t,
                )
            else:
                self.turn(piece, PlayStatus.COUNTED, t)
            piece.hand, piece.place, piece.replays = game.hand, place, False
        elif place is None and piece.play_status is PlayStatus.COUNTED:
            self.turn(piece, PlayStatus.NEW if piece.replays else self._after(piece, game), t)
        elif place is None and piece.play_status is PlayStatus.NEW:
            self._classify_new(piece, game, t)

    def _after(self, piece: Piece, game: Game) -> PlayStatus:
        """Return the fate of a card that no longer counts."""
        return PlayStatus.UNDONE if piece.hand == game.hand and game.phase in ON_TABLE else PlayStatus.LEFTOVER

    def _classify_new(self, piece: Piece, game: Game, t: float) -> None:
        if piece.card.zone == "discard" and piece.forced is None and "discard" not in game.expected:
            self.turn(piece, PlayStatus.ASIDE, t)
            piece.is_discard = True
        elif piece.card.first_seen - self._gathered.get(piece.id or "", float("-inf")) < _SWEPT_S:
            self.turn(piece, PlayStatus.LEFTOVER, t)
        elif game.phase in ON_TABLE:
            if piece.card.found == "start" and not piece.is_approved:
                self.turn(piece, PlayStatus.FOUND, t)
        elif game.phase in ("between-hands", "finished") and not piece.came_alone:
            self.turn(piece, PlayStatus.LEFTOVER if piece.card.found else PlayStatus.LATE, t)

    def _stands_for(self, piece: Piece) -> bool:
        """Whether this piece may be the counted one among equal cards: only the first one there can be."""
        return not any(p.play_status is PlayStatus.COUNTED for p in self._twins(piece))

    def _twins(self, piece: Piece) -> Iterator[Piece]:
        return (p for p in self.lying if p is not piece and p.id == piece.id and not p.is_stranger)
