"""State of a Captain's Rochi table: two players, their stacks, the deck and the discard pile."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from companion.games.roche.paytable import RocheDeck
from companion.games.rochi.board import RANKS, SUIT_OF, Stacks, fresh_stacks
from companion.games.rochi.events import Reshuffled, Shortfall
from companion.games.rochi.state import parse_deck
from companion.kernel.errors import BadScript
from companion.kernel.game import Effect, Options, Seat
from companion.kernel.ledger import Transfer
from companion.kernel.shared.options import check_names
from companion.kernel.values import changed, quick

PLAYERS: Final = 2
HAND_SIZE: Final = 7
SEEDS: Final = 8
ANTE: Final = 1
"""Coins from each player into each pot at the start, and from both into the pot of a cut suit."""


class Phase(Enum):
    """Phase of a game."""

    WAITING = "waiting"
    "Waiting for two players."
    SEEDING = "seeding"
    "Both have seven cards; eight seed cards go onto the stacks."
    TURNS = "turns"
    "Players take turns; the game continues after each cut."
    ODD_COIN = "odd-coin"
    "A suit was cut; the loser has to choose a pot for the odd coin first."
    FINISHED = "finished"
    "Both agreed to stop, or one dropped out; the pots are empty."


@dataclass(frozen=True, slots=True)
class Cut:
    """A cut with an odd coin to place; ``paid`` and ``short`` so far."""

    suit: int
    winner: str
    loser: str
    locked: tuple[int, ...]
    paid: tuple[Transfer, ...]
    short: tuple[Shortfall, ...]


@quick
class State:
    """State of a game. ``cards`` is the number of cards each player holds; their faces are unknown."""

    deck_kind: RocheDeck
    seats: tuple[Seat, ...]
    names: tuple[str, str]
    "The players; two empty names while waiting for them."
    stacks: Stacks
    deck: int
    phase: Phase = Phase.SEEDING
    to_seed: int = SEEDS
    cards: tuple[int, int] = (HAND_SIZE, HAND_SIZE)
    turn: int = 0
    "Index of the player to act: 0 or 1, for seat 1 or 2."
    has_played: bool = False
    has_dealt: bool = False
    is_first_turn: bool = True
    discards: tuple[str, ...] = ()
    "Discard pile for the next shuffle, all face up."
    cut: Cut | None = None
    cuts: int = 0
    latest_winner: str | None = None

    @property
    def actor(self) -> str:
        """The player to act."""
        return self.names[self.turn]

    @property
    def pots(self) -> tuple[int, ...]:
        """The suits that have a pot."""
        return RANKS[self.deck_kind]

    def other(self, name: str) -> str:
        """Return the other player."""
        return self.names[1 - self.names.index(name)]


def started(seats: Sequence[Seat], options: Options) -> State:
    """Return the state before the first seed card.

    Raises:
        BadScript: an unknown option or value, or not two players. No players at all is valid: an empty table.
    """
    check_names("Captain's Rochi", options, ("deck",))
    deck = parse_deck(options)
    if len(seats) not in (0, PLAYERS):
        raise BadScript.saying(
            "Captain's Rochi is for 2 players, and {count} sit here. With 3 to 6, play Rochi.", count=len(seats)
        )
    return begun(deck, seats) if seats else State(deck, (), ("", ""), fresh_stacks(deck), 0, Phase.WAITING, 0, (0, 0))


def begun(deck: RocheDeck, seats: Sequence[Seat]) -> State:
    """Return a new game of the two seated players, before its first seed card."""
    first, second = (seat.player for seat in seats)
    return State(deck, tuple(seats), (first, second), fresh_stacks(deck), len(SUIT_OF[deck]) - 2 * HAND_SIZE)


# ---- the deck, the discard pile and the hands


def reshuffled(state: State) -> tuple[State, tuple[Effect, ...]]:
    """Shuffle the discards into the deck, so that they may be seen again. No-op without discards."""
    if not state.discards:
        return state, ()
    deck = state.deck + len(state.discards)
    return changed(state, deck=deck, discards=()), (Reshuffled(deck),)


def reshuffled_if_empty(state: State) -> tuple[State, tuple[Effect, ...]]:
    """Reshuffle if the deck is empty."""
    return (state, ()) if state.deck else reshuffled(state)


def filled(state: State, first: int) -> tuple[State, tuple[Effect, ...]]:
    """Fill both hands to seven, player ``first`` first, reshuffling whenever the deck runs out.

    If deck and discards are both empty, hands stay short.
    """
    state, happened = reshuffled_if_empty(state)
    for at in (first, 1 - first):
        while state.cards[at] < HAND_SIZE and state.deck:
            drawn = min(HAND_SIZE - state.cards[at], state.deck)
            cards = with_cards(state.cards, at, state.cards[at] + drawn)
            state = changed(state, deck=state.deck - drawn, cards=cards)
            state, more = reshuffled_if_empty(state)
            happened += more
    return state, happened


def with_cards(cards: tuple[int, int], at: int, count: int) -> tuple[int, int]:
    """Return the players' numbers of cards with one of them changed."""
    first, second = cards
    return (count, second) if at == 0 else (first, count)


def next_turn(state: State) -> State:
    """Return the state at the start of the other player's turn."""
    return changed(state, turn=1 - state.turn, has_played=False, has_dealt=False, is_first_turn=False)
