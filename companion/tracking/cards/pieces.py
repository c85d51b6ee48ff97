"""Play status of each card on the table: just arrived, counted, left over, taken back …

Shared by all card games; each game's package adds its own rules.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import dataclass, field
from enum import Enum
from typing import ClassVar, Final, Generic, TypeVar

from companion.kernel.commands import Record
from companion.tracking.cards.observations import LyingCard, TrackedTable
from companion.tracking.cards.track import STRANGERS

_FORGET_S: Final = 30.0


class PlayStatus(Enum):
    """Whether and why a card on the table counts in the game; see `CardStatus` for how it was read."""

    NEW = "new"
    "Just arrived; it counts unless a check objects."
    COUNTED = "counted"
    "Dealt, played or seeded in this round or hand."
    LEFTOVER = "leftover"
    "Already there when the round, the hand or the camera started, or no longer counting."
    EARLY = "early"
    "It came before no more bets."
    LATE = "late"
    "It came after the cut, or after the hand was decided."
    UNDONE = "undone"
    "Its command was undone."
    FOUND = "found"
    "Found by the camera when it started in the middle of a deal or hand: when it came is unknown."
    ASIDE = "aside"
    "Ruled out by the dealer, or on the discard pile."


@dataclass(slots=True)
class Piece:
    """A physical card and its play status.

    Attributes:
        gone: when it was removed from the table; None while it lies there.
        dismissed_questions: kinds of question that the dealer has answered with "leave it".
        retry: time of the next attempt after a refused command.
    """

    card: LyingCard
    play_status: PlayStatus = field(default=PlayStatus.NEW, kw_only=True)
    gone: float | None = field(default=None, kw_only=True)
    dismissed_questions: set[str] = field(default_factory=set, kw_only=True)
    is_approved: bool = field(default=False, kw_only=True)
    retry: float = field(default=0.0, kw_only=True)

    @property
    def id(self) -> str | None:
        return self.card.id

    @property
    def is_stranger(self) -> bool:
        return self.card.status in STRANGERS


PieceT = TypeVar("PieceT", bound=Piece)


class Pieces(ABC, Generic[PieceT]):
    """All cards on the table now or recently, by track."""

    reset_when_lifted: ClassVar[Collection[PlayStatus]]
    "Statuses that are reset when the card was away for more than `lifted_s`: it was picked up and laid again."
    lifted_s: ClassVar[float]
    statuses_noted_when_gathered: ClassVar[Collection[PlayStatus]]
    "Statuses of cards whose removal is noted in `_gathered`: they may be seen again while the cards are gathered."

    def __init__(self) -> None:
        self.by_track: dict[int, PieceT] = {}
        self._gathered: dict[str, float] = {}
        self._began: tuple[Record | None] | None = None

    @property
    def lying(self) -> list[PieceT]:
        """The pieces on the table, in the order in which they came to rest."""
        here = (p for p in self.by_track.values() if p.gone is None)
        return sorted(here, key=lambda p: (p.card.rest_since, p.card.track))

    @property
    def gone(self) -> list[PieceT]:
        """The pieces that were removed from the table."""
        return [p for p in self.by_track.values() if p.gone is not None]

    def _is_other_round(self, began: Record | None) -> bool:
        """Whether a round was started or restarted, or its start undone, since the previous call.

        Args:
            began: see `Situation`.
        """
        before, self._began = self._began, (began,)
        return before is not None and before[0] is not began

    def _see(self, tracked: TrackedTable) -> None:
        """Update every piece from the tracked table."""
        here = {card.track for card in tracked.lying}
        for card in tracked.lying:
            self._meet(card, tracked)
        for track, piece in list(self.by_track.items()):
            if track in here:
                continue
            if piece.gone is None:
                piece.gone = tracked.t
                if piece.id is not None and piece.play_status in self.statuses_noted_when_gathered:
                    self._gathered[piece.id] = tracked.t
            elif tracked.t - piece.gone > _FORGET_S and piece.play_status is not PlayStatus.COUNTED:
                del self.by_track[track]

    def _meet(self, card: LyingCard, tracked: TrackedTable) -> None:
        piece = self.by_track.get(card.track)
        if piece is None:
            self.by_track[card.track] = self._begin(card, tracked)
            return
        was_away = 0.0 if piece.gone is None else tracked.t - piece.gone
        was_lifted = piece.play_status in self.reset_when_lifted and was_away > self.lifted_s
        was_read = piece.id is None and card.id is not None
        is_new = was_lifted or was_read or self._is_laid_anew(piece, card)
        piece.card, piece.gone = card, None
        if is_new:
            piece.play_status, piece.dismissed_questions = PlayStatus.NEW, set()
            self._begin_anew(piece, tracked)

    @abstractmethod
    def _begin(self, card: LyingCard, tracked: TrackedTable) -> PieceT:
        """Return the piece for a new card."""

    def _is_laid_anew(self, piece: PieceT, card: LyingCard) -> bool:
        """Whether a card that is still tracked was picked up and laid again."""
        return False

    def _begin_anew(self, piece: PieceT, tracked: TrackedTable) -> None:
        """Reset a subclass's own data of a piece that starts over."""
