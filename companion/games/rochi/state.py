"""State of a Rochi table: its options, its players, and the hand in progress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, cast

from companion.games.roche.paytable import RocheDeck
from companion.games.rochi.board import RANKS, SUIT_OF, Stacks, fresh_stacks
from companion.kernel.errors import BadScript
from companion.kernel.game import Options, Seat, seat_of
from companion.kernel.shared.options import check_names, choice, switch, whole_number
from companion.kernel.values import changed, quick

MAX_PLAYERS: Final = 6
MIN_PLAYERS: Final = 3
HAND_SIZE: Final = 5
SEEDS_PER_EMPTY_PLACE: Final = 2
LOTS: Final = 60
"""Number of lots; divisible by 3, 4, 5 and 6 players."""


class Phase(Enum):
    """Phase of a hand."""

    SEEDING = "seeding"
    "Everybody has five cards; seed cards go onto the stacks."
    TURNS = "turns"
    "Players act clockwise from the leader, until a suit is cut or one player is left."
    LAST_PLAYER = "last-player"
    "The last player has several suits and deals until one of them is cut."
    BETWEEN = "between-hands"
    "Between hands, or before the first; players may join and leave."
    FINISHED = "finished"
    "The last hand is over and the pots are divided."


@dataclass(frozen=True, slots=True)
class Rules:
    """The table's rules, from the header's options."""

    deck: RocheDeck = "full"
    credit: bool = False
    "Whether prices and penalties may overdraw a balance."
    locked_discards: bool = False
    "Whether cards of locked suits may be swapped at the start of a turn."
    join_fee: bool = True
    marker: bool = False
    leader: int = 1
    lot: int | None = None
    "Lot for the first leader at a real table, 0 to 59; None: the option `leader` applies."

    @property
    def ranks(self) -> tuple[int, ...]:
        return RANKS[self.deck]


@quick
class InHand:
    """A player of the current hand. ``cards`` is the number of cards held; their faces are unknown."""

    name: str
    cards: int = HAND_SIZE
    has_acted: bool = False
    has_folded: bool = False


@quick
class Hand:
    """A hand: ``players`` in seat order, ``turn`` is the index of the player to act."""

    players: tuple[InHand, ...]
    stacks: Stacks
    deck: int
    to_seed: int
    leader: int
    "Index of the leader in ``players``."
    turn: int
    has_played: bool = False
    has_dealt: bool = False
    gone: tuple[str, ...] = ()
    "Face-up cards on the discard pile: Shields of folded players, and swapped cards."

    @property
    def actor(self) -> InHand:
        """The player to act."""
        return self.players[self.turn]

    @property
    def left(self) -> tuple[InHand, ...]:
        """The players who have not folded."""
        return tuple(player for player in self.players if not player.has_folded)

    @property
    def from_leader(self) -> tuple[InHand, ...]:
        """All players of the hand, from the leader leftwards."""
        return self.players[self.leader :] + self.players[: self.leader]


@dataclass(frozen=True, slots=True)
class Away:
    """A player who sits out: since which hand, and their marker in coins."""

    player: str
    since: int
    marker: int


@quick
class State:
    """State of a Rochi table. ``number`` counts the hands; ``leader`` is the seat with the leader button."""

    rules: Rules
    seats: tuple[Seat, ...]
    phase: Phase
    hand: Hand
    number: int = 0
    leader: int = 0
    is_last: bool = False
    away: tuple[Away, ...] = ()

    def with_hand(self, hand: Hand) -> State:
        """Return a copy with another state of the current hand."""
        return State(self.rules, self.seats, self.phase, hand, self.number, self.leader, self.is_last, self.away)

    @property
    def pots(self) -> tuple[int, ...]:
        """The suits that have a pot."""
        return self.rules.ranks

    @property
    def present(self) -> tuple[Seat, ...]:
        """Seats whose players do not sit out."""
        out = {away.player for away in self.away}
        return tuple(seat for seat in self.seats if seat.player not in out)

    def away_of(self, player: str) -> Away | None:
        """Return a player's sitting-out record, or None.

        Raises:
            UnknownPlayer: no such player at the table.
        """
        seat_of(self.seats, player)
        return next((away for away in self.away if away.player == player), None)

    @property
    def next_leader(self) -> Seat | None:
        """Seat of the leader button in the next hand: the next occupied one to the left; None at an empty table.

        A seat whose player sits out counts as empty. The first leader comes from the option or the lot.
        """
        if not self.present:
            return None
        if not self.number and self.rules.lot is not None:
            return self.present[self.rules.lot % len(self.present)]
        passed = self.leader if self.number else self.rules.leader - 1
        return min(self.present, key=lambda seat: (seat.number - passed - 1) % MAX_PLAYERS)


def started(seats: Sequence[Seat], options: Options) -> State:
    """Return the state before the first command, with the first hand started if there are players.

    Raises:
        BadScript: an unknown option or value, or too few or too many players. No players at all is valid.
    """
    rules = parse_rules(options)
    if seats and not MIN_PLAYERS <= len(seats) <= MAX_PLAYERS:
        raise BadScript.saying(
            "Rochi is for 3 to 6 players, and {count} sit here. With 2, play Captain's Rochi.", count=len(seats)
        )
    if rules.leader > (len(seats) or MAX_PLAYERS):
        raise BadScript(f"Option 'leader' is the seat of a player, got {rules.leader}.")
    nothing = Hand((), fresh_stacks(rules.deck), 0, 0, 0, 0)
    empty = State(rules, tuple(seats), Phase.BETWEEN, nothing)
    return with_next_hand(empty) if seats else empty


def with_next_hand(state: State) -> State:
    """Start the next hand: the button moves, all players present get five cards."""
    leader = state.next_leader
    assert leader is not None, "a hand begins with at least three players"
    present = state.present
    seeds = SEEDS_PER_EMPTY_PLACE * (MAX_PLAYERS - len(present))
    at = present.index(leader)
    hand = Hand(
        players=tuple(InHand(seat.player) for seat in present),
        stacks=fresh_stacks(state.rules.deck),
        deck=len(SUIT_OF[state.rules.deck]) - HAND_SIZE * len(present),
        to_seed=seeds,
        leader=at,
        turn=at,
    )
    phase = Phase.SEEDING if seeds else Phase.TURNS
    return changed(state, phase=phase, hand=hand, number=state.number + 1, leader=leader.number)


def parse_rules(options: Options) -> Rules:
    """Parse the rules from header or configuration options.

    Raises:
        BadScript: an unknown option or value; the message names it.
    """
    check_names("Rochi", options, ("deck", "credit", "locked_discards", "join_fee", "marker", "leader", "lot"))
    return Rules(
        deck=parse_deck(options),
        credit=switch(options, "credit"),
        locked_discards=switch(options, "locked_discards"),
        join_fee=switch(options, "join_fee", default=True),
        marker=switch(options, "marker"),
        leader=whole_number(options, "leader", of="a seat") or 1,
        lot=_parse_lot(options.get("lot")),
    )


def _parse_lot(lot: object) -> int | None:
    if lot is not None and (type(lot) is not int or not 0 <= lot < LOTS):
        raise BadScript(f"Option 'lot' is a whole number from 0 to {LOTS - 1}, got {lot!r}.")
    return lot


def parse_deck(options: Options) -> RocheDeck:
    """Parse the option ``deck``: full, or red without the Mages."""
    return cast(RocheDeck, choice(options, "deck", ("full", "red")))
