"""Play status of each tracked card at a hold'em table: whether it counts, and whether it was laid in time.

Faces matter only on the board and at the seat of a player who shows; elsewhere only presence does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from companion.games.holdem.showdown import may_be_tabled
from companion.games.holdem.state import BETTING, Phase, State
from companion.kernel.commands import Record
from companion.kernel.situation import Situation
from companion.tracking.cards.observations import LyingCard, TrackedTable
from companion.tracking.cards.pieces import Piece, PlayStatus
from companion.tracking.cards.pieces import Pieces as AnyPieces

BOARD, MUCK, DECK = "board", "muck", "deck"
PILES: Final = ("burn", MUCK)
COUNTS_NOW: Final[Mapping[Phase, int]] = {Phase.DEAL_FLOP: 3, Phase.DEAL_TURN: 1, Phase.DEAL_RIVER: 1}
"""Phase -> number of board cards dealt in it."""
UNCONFIRMED: Final = (PlayStatus.EARLY, PlayStatus.UNDONE, PlayStatus.FOUND)
"""Statuses of cards that count only after the dealer confirms them."""


@dataclass(frozen=True, slots=True)
class Now:
    """The parts of the game state used by the interpreter."""

    phase: Phase
    hand: int
    began: Record | None
    "The command that began the hand."
    turn: str | None
    players: Mapping[int, str]
    "Seat -> player, without folded and mucked hands."
    seated: frozenset[int]
    "All occupied seats."
    board: tuple[str, ...]
    counted: frozenset[str]
    "Cards on the board and in shown hands."
    is_tabled: bool
    "Whether face-up hole cards are legal: at the showdown, or after the deal once no more betting is possible."
    may_table: Mapping[int, str]
    "Seat -> player who may show before the board is complete."
    street: tuple[str, ...] = ()
    "Board cards dealt by the latest command, if any."
    undo: Record | None = None
    "The command that undoes them."

    @classmethod
    def of(cls, situation: Situation) -> Now:
        """Build from the table's situation."""
        state: State = situation.state
        inside = [player for player in state.players if not player.folded]
        counted = frozenset([*state.board, *(card for player in inside for card in player.cards)])
        latest = situation.recent[-1] if situation.recent else {}
        street = tuple(latest["cards"]) if latest.get("do") == "board" else ()
        is_dealt = state.phase not in (Phase.READY, Phase.HOLE, *BETTING)
        return cls(
            state.phase,
            state.hand,
            situation.began,
            state.turn,
            {player.seat: player.name for player in inside if not player.mucked},
            frozenset(seat.number for seat in state.seats),
            state.board,
            counted,
            state.phase is Phase.SHOWDOWN or (is_dealt and sum(player.is_live for player in inside) < 2),
            _may_table(state),
            street,
            {"do": "undo", "only": dict(situation.latest)} if street else None,
        )

    @property
    def wanted(self) -> int:
        """Number of board cards due now."""
        return COUNTS_NOW.get(self.phase, 0)

    @property
    def turn_seat(self) -> int | None:
        """Seat of the player to act."""
        return next((seat for seat, name in self.players.items() if name == self.turn), None)


def _may_table(state: State) -> Mapping[int, str]:
    names = may_be_tabled(state) if state.phase in COUNTS_NOW else ()
    return {player.seat: player.name for player in state.players if player.name in names}


class Pieces(AnyPieces[Piece]):
    """Cards now or recently on the table, by track."""

    reset_when_lifted = (PlayStatus.LEFTOVER, PlayStatus.ASIDE, *UNCONFIRMED)
    lifted_s = 1.0
    statuses_noted_when_gathered = ()

    def follow(self, tracked: TrackedTable, now: Now) -> bool:
        """Update all pieces from the tracked table and the game state; return whether the hand changed."""
        self._see(tracked)
        is_other = self._is_other_round(now.began)
        if is_other:
            self._begin_hand()
        for piece in self.lying:
            self._classify(piece, now)
        return is_other

    def count(self, tracks: tuple[int, ...]) -> None:
        """Mark cards as counted: dealt to the board or shown."""
        for track in tracks:
            self.by_track[track].play_status = PlayStatus.COUNTED

    def turn(self, tracks: tuple[int, ...], before: PlayStatus, after: PlayStatus) -> None:
        """Change these cards' status from ``before`` to ``after``; cards with another status are unchanged."""
        for piece in map(self.by_track.get, tracks):
            if piece is not None and piece.play_status is before:
                piece.play_status = after

    def in_zone(self, zone: str) -> list[Piece]:
        """Return the pieces in play in a zone, from left to right."""
        here = [one for one in self.lying if one.card.zone == zone and not is_turned(one)]
        return sorted(
            (one for one in here if one.play_status not in (PlayStatus.ASIDE, PlayStatus.LEFTOVER)),
            key=lambda piece: piece.card.corners[0],
        )

    def _begin(self, card: LyingCard, tracked: TrackedTable) -> Piece:
        return Piece(card)

    def _begin_hand(self) -> None:
        """Turn all cards into leftovers: a hand began, or its beginning was undone."""
        for track, piece in list(self.by_track.items()):
            if piece.gone is not None:
                del self.by_track[track]
            elif piece.card.zone not in (DECK, *PILES):
                piece.play_status, piece.dismissed_questions, piece.is_approved = PlayStatus.LEFTOVER, set(), False

    def _classify(self, piece: Piece, now: Now) -> None:
        if piece.play_status is PlayStatus.COUNTED and piece.id not in now.counted:
            piece.play_status = PlayStatus.LEFTOVER if now.phase is Phase.READY else PlayStatus.UNDONE
        is_new = piece.play_status is PlayStatus.NEW and piece.card.zone == BOARD and not piece.is_stranger
        if piece.play_status in (PlayStatus.NEW, *UNCONFIRMED) and self._is_the_counted(piece, now):
            piece.play_status, piece.is_approved = (
                PlayStatus.COUNTED,
                False,
            )  # laid again, done again, or entered by hand
        elif is_new and piece.card.found == "start":
            piece.play_status = PlayStatus.FOUND
        elif is_new and not now.wanted and not piece.is_approved and now.phase is not Phase.READY:
            piece.play_status = PlayStatus.EARLY

    def missing(self, now: Now) -> list[str]:
        """Return board cards that are missing: seen before, or replaced by another card."""
        ids = {piece.id for piece in self.lying if piece.card.zone == BOARD or is_beside(piece)}
        known = {piece.id for piece in self.by_track.values() if piece.play_status is PlayStatus.COUNTED}
        is_changed = any(one.id not in now.board for one in self.lying if one.card.zone == BOARD and is_card(one))
        return [card for card in now.board if card not in ids and (card in known or is_changed)]

    def _is_the_counted(self, piece: Piece, now: Now) -> bool:
        """Whether this is a counted card under a new track, or one entered by hand."""
        others = (one for one in self.lying if one is not piece and one.id == piece.id)
        return (
            piece.id in now.counted
            and not piece.is_stranger
            and not any(one.play_status is PlayStatus.COUNTED for one in others)
        )


def is_beside(piece: Piece) -> bool:
    """Whether the piece lies outside all card zones; pots are for chips."""
    return piece.card.zone not in (BOARD, DECK, *PILES) and not str(piece.card.zone).startswith("seat/")


def is_turned(piece: Piece) -> bool:
    """Whether this track is a card that was turned over in place; the piece on top of it is the same card."""
    return piece.card.where == "covered" and piece.card.is_under


def is_back(piece: Piece) -> bool:
    """Whether the card is face down."""
    return piece.card.status == "unreadable"


def is_card(piece: Piece) -> bool:
    """Whether the piece was read as a card."""
    return not piece.is_stranger


def seat_zone(seat: int) -> str:
    """Return the zone of a seat's cards."""
    return f"seat/{seat}"


def last_moved(tracked: TrackedTable) -> dict[str, float]:
    """Return zone -> time of the last motion, from the motion log."""
    return {zone: moved.t for moved in tracked.motion.log for zone, _ in moved.zones}
