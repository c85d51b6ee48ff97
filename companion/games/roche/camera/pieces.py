"""The game status of each card on a Roche table: just arrived, dealt, left over, too early, undone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from companion.games.roche.rules import State
from companion.kernel.situation import Situation
from companion.tracking.cards.observations import Lying, TrackedTable
from companion.tracking.cards.pieces import Fate
from companion.tracking.cards.pieces import Piece as AnyPiece
from companion.tracking.cards.pieces import Pieces as AnyPieces

_GATHERING_S: Final = 10.0  # while bets are open, cards swept together may show once more for so long

OPEN_FATES: Final = (Fate.EARLY, Fate.LATE, Fate.UNDONE, Fate.FOUND, Fate.LEFTOVER)
"""Fates that keep a card out of the deal until the dealer decides, or takes it away."""


@dataclass(frozen=True, slots=True)
class Game:
    """The part of the table that the camera's interpreter needs."""

    phase: str
    round: int
    dealt: tuple[str, ...]
    deck: str
    hold: str | None
    undo_deal: str | None
    "The card whose deal an undo would take back."

    @classmethod
    def of(cls, now: Situation) -> Game:
        """Take it from the table."""
        state: State = now.state
        undo_deal = now.latest.get("card") if now.latest.get("do") == "deal" else None
        return cls(state.phase.value, state.round, state.dealt, state.rules.deck, now.hold, undo_deal)


@dataclass(slots=True)
class Piece(AnyPiece):
    """A physical card and its status in the deal."""

    round: int = 0
    dealt_before: int | None = None
    "Of something unreadable: how many cards had been dealt when it came."
    is_replaced: bool = False
    "The dealer said that it was taken away from under the card that lies there."


class Pieces(AnyPieces[Piece]):
    """All cards on the table now or recently, by track.

    Args:
        is_pile: says whether something unreadable is the deck or a burnt card in its place.
    """

    off_when_lifted = (Fate.LEFTOVER, Fate.ASIDE, Fate.EARLY, Fate.LATE)
    lifted_s = 3.0
    swept = (Fate.LEFTOVER,)

    def __init__(self, is_pile: Callable[[Lying], bool] = lambda card: False) -> None:
        super().__init__()
        self._is_pile = is_pile
        self._game: Game | None = None

    def follow(self, tracked: TrackedTable, game: Game) -> None:
        """Update every piece from the tracked table and the game's state."""
        self._see(tracked)
        if self._game is not None and game.round != self._game.round:
            self._turn_round(tracked.t)
        if self._game is not None and game.phase == "betting" != self._game.phase:
            for piece in self.by_track.values():
                piece.is_approved = False
        for piece in self.lying:
            if piece.is_stranger:
                self._judge_stranger(piece, game)
            else:
                self._judge(piece, game, tracked.t)
        self._game = game

    def count(self, track: int, round_: int) -> None:
        """A card was dealt."""
        piece = self.by_track.get(track)
        if piece is not None:
            piece.fate, piece.round, piece.is_approved = Fate.COUNTED, round_, False

    def _begin(self, card: Lying, tracked: TrackedTable) -> Piece:
        return Piece(card)

    def _is_laid_anew(self, piece: Piece, card: Lying) -> bool:
        return piece.is_replaced and card.where == "open"

    def _begin_anew(self, piece: Piece, tracked: TrackedTable) -> None:
        piece.is_replaced = False

    # ---- what the game says

    def _turn_round(self, t: float) -> None:
        """A round began, or its beginning was undone: what lies there is left over until the game says more."""
        self._swept.clear()
        for track, piece in list(self.by_track.items()):
            piece.is_approved = False
            if piece.gone is not None:
                if piece.id is not None:
                    self._swept[piece.id] = max(piece.gone, self._swept.get(piece.id, 0.0))
                del self.by_track[track]
            elif not piece.is_stranger:
                piece.fate, piece.excused = Fate.LEFTOVER, set()
            piece.dealt_before = None

    def _judge(self, piece: Piece, game: Game, t: float) -> None:
        if piece.dealt_before is not None:  # it was unreadable; a card tapped since then was this one
            was_tapped, piece.dealt_before = len(game.dealt) > piece.dealt_before, None
            piece.fate = Fate.FOUND if was_tapped else piece.fate
        if piece.id in game.dealt:
            if self._stands_for(piece):
                piece.fate, piece.round = Fate.COUNTED, game.round
        elif piece.fate is Fate.COUNTED:
            piece.fate = Fate.UNDONE if piece.round == game.round else Fate.LEFTOVER
        if game.phase == "betting" and piece.fate in (Fate.NEW, Fate.UNDONE, Fate.LATE) and not piece.is_approved:
            piece.fate = Fate.LEFTOVER if self._is_left(piece, t) else Fate.EARLY
        elif piece.fate is Fate.NEW:
            self._judge_new(piece, game)

    def _judge_stranger(self, piece: Piece, game: Game) -> None:
        """Something unreadable matters only if it came during the deal and nobody tapped a card for it since."""
        if piece.card.status != "unreadable" or piece.fate is Fate.ASIDE:
            return
        if self._is_pile(piece.card):
            piece.fate = Fate.ASIDE
        elif game.phase == "dealing" and (piece.dealt_before is None or len(game.dealt) < piece.dealt_before):
            piece.dealt_before = len(game.dealt)
        elif piece.dealt_before is not None and self._was_tapped(piece.dealt_before, game):
            piece.fate = Fate.ASIDE

    def _was_tapped(self, dealt_before: int, game: Game) -> bool:
        """Say whether a card was dealt since that nobody sees."""
        seen = {p.id for p in self.lying}
        return any(card not in seen for card in game.dealt[dealt_before:])

    def _judge_new(self, piece: Piece, game: Game) -> None:
        if piece.id in game.dealt:
            return  # a second card of that name
        if game.phase == "settled":
            piece.fate = Fate.LEFTOVER if piece.card.found else Fate.LATE
        elif game.phase == "dealing" and piece.card.found == "start":
            piece.fate = Fate.FOUND

    def _stands_for(self, piece: Piece) -> bool:
        """Only one of two cards of the same name is the one that was dealt: the one that was there first."""
        twin = None if piece.card.twin_of is None else self.by_track.get(piece.card.twin_of)
        return twin is None or twin.gone is not None or twin.fate is not Fate.COUNTED

    def _is_left(self, piece: Piece, t: float) -> bool:
        swept = self._swept.get(piece.id or "", float("-inf"))
        return piece.card.found == "start" or piece.card.first_seen - swept < _GATHERING_S
