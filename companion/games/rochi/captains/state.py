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
from companion.kernel.game import Happening, Options, Seat
from companion.kernel.ledger import Transfer
from companion.kernel.shared.options import check_names
from companion.kernel.values import changed, quick

PLAYERS: Final = 2
HAND_SIZE: Final = 7
SEEDS: Final = 8
ANTE: Final = 1
"""Coins from each player into each pot as the game starts, and from both into the pot of a suit that was cut."""


class Phase(Enum):
    """Where the game stands."""

    WAITING = "waiting"
    "Nobody has sat down to play yet; two players are needed."
    SEEDING = "seeding"
    "Both have seven cards; eight seed cards go onto the stacks."
    TURNS = "turns"
    "The two play in turn; a cut is settled and the game goes on."
    ODD_COIN = "odd-coin"
    "A suit is cut, and the loser chooses the pot for his odd half coin before anything else goes on."
    FINISHED = "finished"
    "Both agreed to stop, or one dropped out; the pots are empty."


@dataclass(frozen=True, slots=True)
class Cut:
    """A cut whose odd coin is owed: ``paid`` and ``short`` so far."""

    suit: int
    winner: str
    loser: str
    locked: tuple[int, ...]
    paid: tuple[Transfer, ...]
    short: tuple[Shortfall, ...]


@quick
class State:
    """A game of two. ``cards`` is how many each holds; which ones, nobody else knows."""

    deck_kind: RocheDeck
    seats: tuple[Seat, ...]
    names: tuple[str, str]
    "Who plays; two empty names while the game waits for players."
    stacks: Stacks
    deck: int
    phase: Phase = Phase.SEEDING
    to_seed: int = SEEDS
    cards: tuple[int, int] = (HAND_SIZE, HAND_SIZE)
    turn: int = 0
    "The place of the player to act: 0 or 1, seat 1 or 2."
    has_played: bool = False
    has_dealt: bool = False
    is_first_turn: bool = True
    discards: tuple[str, ...] = ()
    "The pile that the next shuffle takes, all of it face up."
    cut: Cut | None = None
    cuts: int = 0
    latest_winner: str | None = None

    @property
    def actor(self) -> str:
        """Whose turn it is."""
        return self.names[self.turn]

    @property
    def pots(self) -> tuple[int, ...]:
        """The suits that have a pot."""
        return RANKS[self.deck_kind]

    def other(self, name: str) -> str:
        """Return the other player."""
        return self.names[1 - self.names.index(name)]


def started(seats: Sequence[Seat], options: Options) -> State:
    """Return the game before its first seed card.

    Raises:
        BadScript: an unknown option or value, or not two players. Nobody at all is an empty table.
    """
    check_names("Captain's Rochi", options, ("deck",))
    deck = parse_deck(options)
    if len(seats) not in (0, PLAYERS):
        raise BadScript.saying(
            "Captain's Rochi is for 2 players, got {count}. With 3 to 6, play Rochi.", count=len(seats)
        )
    return begun(deck, seats) if seats else State(deck, (), ("", ""), fresh_stacks(deck), 0, Phase.WAITING, 0, (0, 0))


def begun(deck: RocheDeck, seats: Sequence[Seat]) -> State:
    """Return a new game of the two who sit here, before its first seed card."""
    first, second = (seat.player for seat in seats)
    return State(deck, tuple(seats), (first, second), fresh_stacks(deck), len(SUIT_OF[deck]) - 2 * HAND_SIZE)


# ---- the deck, the discard pile and the hands


def reshuffled(state: State) -> tuple[State, tuple[Happening, ...]]:
    """Shuffle the discards into the deck; from then on they may be seen again. Without discards nothing happens."""
    if not state.discards:
        return state, ()
    deck = state.deck + len(state.discards)
    return changed(state, deck=deck, discards=()), (Reshuffled(deck),)


def reshuffled_if_empty(state: State) -> tuple[State, tuple[Happening, ...]]:
    """Shuffle at once when the deck is empty."""
    return (state, ()) if state.deck else reshuffled(state)


def filled(state: State, first: int) -> tuple[State, tuple[Happening, ...]]:
    """Draw both hands up to seven, the player at place ``first`` first, shuffling whenever the deck runs out.

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
    """Return how many cards both hold when the player at one place holds so many."""
    first, second = cards
    return (count, second) if at == 0 else (first, count)


def next_turn(state: State) -> State:
    """Return the state at the start of the other player's turn."""
    return changed(state, turn=1 - state.turn, has_played=False, has_dealt=False, is_first_turn=False)
