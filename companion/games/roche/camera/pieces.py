"""Game status of each card on a Roche table: new, dealt, left over, too early, undone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from companion.games.roche.rules import State
from companion.kernel.situation import Situation
from companion.tracking.cards.observations import LyingCard, TrackedTable
from companion.tracking.cards.pieces import Piece as AnyPiece
from companion.tracking.cards.pieces import Pieces as AnyPieces
from companion.tracking.cards.pieces import PlayStatus

_GATHERING_S: Final = 10.0  # while bets are open, gathered cards may reappear for this long

UNCONFIRMED: Final = (PlayStatus.EARLY, PlayStatus.LATE, PlayStatus.UNDONE, PlayStatus.FOUND, PlayStatus.LEFTOVER)
"""Statuses that keep a card out of the deal until the dealer decides or removes it."""


@dataclass(frozen=True, slots=True)
class Game:
    """The parts of the game state used by the interpreter."""

    phase: str
    round: int
    dealt: tuple[str, ...]
    deck: str
    hold: str | None
    undo_deal: str | None
    "Card whose deal an undo would revert."

    @classmethod
    def of(cls, now: Situation) -> Game:
        """Build from the table's situation."""
        state: State = now.state
        undo_deal = now.latest.get("card") if now.latest.get("do") == "deal" else None
        return cls(state.phase.value, state.round, state.dealt, state.rules.deck, now.hold, undo_deal)


@dataclass(slots=True)
class Piece(AnyPiece):
    """A physical card and its status in the deal."""

    round: int = 0
    dealt_before: int | None = None
    "For unreadable pieces: number of cards dealt before it came."
    is_replaced: bool = False
    "Whether the dealer said that it was removed from under another card."


class Pieces(AnyPieces[Piece]):
    """Cards now or recently on the table, by track.

    Args:
        is_pile: whether an unreadable object is the deck, or a burnt card in its place.
    """

    reset_when_lifted = (PlayStatus.LEFTOVER, PlayStatus.ASIDE, PlayStatus.EARLY, PlayStatus.LATE)
    lifted_s = 3.0
    statuses_noted_when_gathered = (PlayStatus.LEFTOVER,)

    def __init__(self, is_pile: Callable[[LyingCard], bool] = lambda card: False) -> None:
        super().__init__()
        self._is_pile = is_pile
        self._game: Game | None = None

    def follow(self, tracked: TrackedTable, game: Game) -> None:
        """Update all pieces from the tracked table and the game state."""
        self._see(tracked)
        if self._game is not None and game.round != self._game.round:
            self._turn_round(tracked.t)
        if self._game is not None and game.phase == "betting" != self._game.phase:
            for piece in self.by_track.values():
                piece.is_approved = False
        for piece in self.lying:
            if piece.is_stranger:
                self._classify_stranger(piece, game)
            else:
                self._classify(piece, game, tracked.t)
        self._game = game

    def count(self, track: int, round_: int) -> None:
        """Mark a card as dealt."""
        piece = self.by_track.get(track)
        if piece is not None:
            piece.play_status, piece.round, piece.is_approved = PlayStatus.COUNTED, round_, False

    def _begin(self, card: LyingCard, tracked: TrackedTable) -> Piece:
        return Piece(card)

    def _is_laid_anew(self, piece: Piece, card: LyingCard) -> bool:
        return piece.is_replaced and card.where == "open"

    def _begin_anew(self, piece: Piece, tracked: TrackedTable) -> None:
        piece.is_replaced = False

    # ---- game state

    def _turn_round(self, t: float) -> None:
        """Turn all cards into leftovers: a round began, or its beginning was undone."""
        self._gathered.clear()
        for track, piece in list(self.by_track.items()):
            piece.is_approved = False
            if piece.gone is not None:
                if piece.id is not None:
                    self._gathered[piece.id] = max(piece.gone, self._gathered.get(piece.id, 0.0))
                del self.by_track[track]
            elif not piece.is_stranger:
                piece.play_status, piece.dismissed_questions = PlayStatus.LEFTOVER, set()
            piece.dealt_before = None

    def _classify(self, piece: Piece, game: Game, t: float) -> None:
        if piece.dealt_before is not None:  # it was unreadable; a card entered by hand since then was this one
            was_tapped, piece.dealt_before = len(game.dealt) > piece.dealt_before, None
            piece.play_status = PlayStatus.FOUND if was_tapped else piece.play_status
        if piece.id in game.dealt:
            if self._stands_for(piece):
                piece.play_status, piece.round = PlayStatus.COUNTED, game.round
        elif piece.play_status is PlayStatus.COUNTED:
            piece.play_status = PlayStatus.UNDONE if piece.round == game.round else PlayStatus.LEFTOVER
        if (
            game.phase == "betting"
            and piece.play_status in (PlayStatus.NEW, PlayStatus.UNDONE, PlayStatus.LATE)
            and not piece.is_approved
        ):
            piece.play_status = PlayStatus.LEFTOVER if self._is_left(piece, t) else PlayStatus.EARLY
        elif piece.play_status is PlayStatus.NEW:
            self._classify_new(piece, game)

    def _classify_stranger(self, piece: Piece, game: Game) -> None:
        """Judge an unreadable object: it matters only if it came during the deal and was not entered by hand since."""
        if piece.card.status != "unreadable" or piece.play_status is PlayStatus.ASIDE:
            return
        if self._is_pile(piece.card):
            piece.play_status = PlayStatus.ASIDE
        elif game.phase == "dealing" and (piece.dealt_before is None or len(game.dealt) < piece.dealt_before):
            piece.dealt_before = len(game.dealt)
        elif piece.dealt_before is not None and self._was_tapped(piece.dealt_before, game):
            piece.play_status = PlayStatus.ASIDE

    def _was_tapped(self, dealt_before: int, game: Game) -> bool:
        """Whether a card that is not visible was dealt since then, so was entered by hand."""
        seen = {p.id for p in self.lying}
        return any(card not in seen for card in game.dealt[dealt_before:])

    def _classify_new(self, piece: Piece, game: Game) -> None:
        if piece.id in game.dealt:
            return  # a duplicate
        if game.phase == "settled":
            piece.play_status = PlayStatus.LEFTOVER if piece.card.found else PlayStatus.LATE
        elif game.phase == "dealing" and piece.card.found == "start":
            piece.play_status = PlayStatus.FOUND

    def _stands_for(self, piece: Piece) -> bool:
        """Whether this piece may be the dealt one among equal cards: only the first one there can be."""
        twin = None if piece.card.twin_of is None else self.by_track.get(piece.card.twin_of)
        return twin is None or twin.gone is not None or twin.play_status is not PlayStatus.COUNTED

    def _is_left(self, piece: Piece, t: float) -> bool:
        gathered = self._gathered.get(piece.id or "", float("-inf"))
        return piece.card.found == "start" or piece.card.first_seen - gathered < _GATHERING_S
