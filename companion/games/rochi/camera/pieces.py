"""The game status of each card on a Rochi table: just arrived, counted, left over, taken back …"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from companion.games.rochi.camera.game_model import ON_TABLE, Game
from companion.games.rochi.camera.trace import Trace, trace_of
from companion.tracking.cards.observations import Lying, TrackedTable
from companion.tracking.cards.pieces import Fate
from companion.tracking.cards.pieces import Piece as AnyPiece
from companion.tracking.cards.pieces import Pieces as AnyPieces

_SWEPT_S: Final = 6.0  # cards that are gathered may show once more for so long


@dataclass(slots=True)
class Piece(AnyPiece):
    """A physical card and its status in the hand."""

    trace: Trace
    hand: int = 0
    place: str = ""
    "Its place in the game while it counted."
    since: float = 0.0
    "When its fate was decided."
    forced: Literal["play", "deal"] | None = None
    forced_in: tuple[object, ...] | None = None
    "In which turn that was said by a button or tap."
    is_first: bool = False
    "The dealer said that it came before the others."
    came_alone: bool = False
    "It was seen to come onto a table without cards."
    replays: bool = False
    "Its effect is being undone only to be corrected."
    is_discard: bool = False
    "It does not count because it lies among the discards, not because the dealer said so."
    is_asked: bool = False
    "The dealer was asked whether it was played or dealt."
    refusals: int = 0


class Pieces(AnyPieces[Piece]):
    """All cards on the table now or recently, by track."""

    off_when_lifted = (Fate.LEFTOVER, Fate.ASIDE, Fate.LATE, Fate.UNDONE)
    lifted_s = 1.5
    swept = (Fate.LEFTOVER, Fate.COUNTED, Fate.LATE)

    @property
    def lying(self) -> list[Piece]:
        """The pieces on the table, in the order in which they came."""
        return sorted(super().lying, key=lambda p: not p.is_first)

    @property
    def waiting(self) -> list[Piece]:
        """Cards that arrived and may count, in the order in which they came."""
        return [p for p in self.lying if p.fate is Fate.NEW and not p.is_stranger]

    def of(self, card: str | None) -> Piece | None:
        """Return the piece with this id that lies on the table."""
        return next((p for p in self.lying if p.id == card), None)

    def is_bare(self) -> bool:
        """Say whether no card of an earlier hand, or of this one, lies there."""
        return not any(p.fate not in (Fate.NEW, Fate.ASIDE) for p in self.lying)

    def follow(self, tracked: TrackedTable, game: Game) -> None:
        """Update every piece from the tracked table and the game's state."""
        self._see(tracked)
        if self._is_other_round(game.now.began):
            self._turn_hand(tracked.t)
        for piece in self.lying:
            if not piece.is_stranger:
                self._judge(piece, game, tracked.t)

    def turn(self, piece: Piece, fate: Fate, t: float) -> None:
        """Set a piece's fate."""
        if piece.fate is not fate:
            piece.fate, piece.since = fate, t

    # ---- what is seen

    def _begin(self, card: Lying, tracked: TrackedTable) -> Piece:
        trace = trace_of(card, tracked.motion, self._latest_laid())
        return Piece(card, trace, since=tracked.t, came_alone=self.is_bare() and card.found != "start")

    def _is_laid_anew(self, piece: Piece, card: Lying) -> bool:
        if piece.is_discard and (card.zone or "").startswith(("stack/", "seat/")):
            return True
        return piece.fate is Fate.UNDONE and card.moved > piece.since

    def _begin_anew(self, piece: Piece, tracked: TrackedTable) -> None:
        piece.forced, piece.forced_in, piece.is_asked, piece.is_discard = None, None, False, False
        piece.trace = trace_of(piece.card, tracked.motion, self._latest_laid(piece))

    def _latest_laid(self, but: Piece | None = None) -> float:
        return max((p.trace.laid for p in self.by_track.values() if p is not but), default=float("-inf"))

    # ---- what the game says

    def _turn_hand(self, t: float) -> None:
        """Another hand: what lies there is left over, but for what came onto the bare table."""
        for track, piece in list(self.by_track.items()):
            piece.excused, piece.is_first, piece.is_discard = set(), False, False
            if piece.gone is not None:
                del self.by_track[track]
            elif not piece.is_stranger and not (piece.fate is Fate.NEW and piece.came_alone):
                self.turn(piece, Fate.LEFTOVER, t)

    def _judge(self, piece: Piece, game: Game, t: float) -> None:
        place = game.places.get(piece.id or "")
        if place is not None and self._stands_for(piece):
            piece.is_discard = False
            if place == "discard":
                self.turn(piece, Fate.ASIDE if piece.fate in (Fate.NEW, Fate.ASIDE) else Fate.LEFTOVER, t)
            else:
                self.turn(piece, Fate.COUNTED, t)
            piece.hand, piece.place, piece.replays = game.hand, place, False
        elif place is None and piece.fate is Fate.COUNTED:
            self.turn(piece, Fate.NEW if piece.replays else self._after(piece, game), t)
        elif place is None and piece.fate is Fate.NEW:
            self._judge_new(piece, game, t)

    def _after(self, piece: Piece, game: Game) -> Fate:
        """Return the fate of a card that no longer counts."""
        return Fate.UNDONE if piece.hand == game.hand and game.phase in ON_TABLE else Fate.LEFTOVER

    def _judge_new(self, piece: Piece, game: Game, t: float) -> None:
        if piece.card.zone == "discard" and piece.forced is None and "discard" not in game.expected:
            self.turn(piece, Fate.ASIDE, t)
            piece.is_discard = True
        elif piece.card.first_seen - self._swept.get(piece.id or "", float("-inf")) < _SWEPT_S:
            self.turn(piece, Fate.LEFTOVER, t)
        elif game.phase in ON_TABLE:
            if piece.card.found == "start" and not piece.is_approved:
                self.turn(piece, Fate.FOUND, t)
        elif game.phase in ("between-hands", "finished") and not piece.came_alone:
            self.turn(piece, Fate.LEFTOVER if piece.card.found else Fate.LATE, t)

    def _stands_for(self, piece: Piece) -> bool:
        """Only one of two cards of the same name is the one that counts: the one that was there first."""
        return not any(p.fate is Fate.COUNTED for p in self._twins(piece))

    def _twins(self, piece: Piece) -> Iterator[Piece]:
        return (p for p in self.lying if p is not piece and p.id == piece.id and not p.is_stranger)
