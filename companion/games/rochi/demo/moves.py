"""What people at a table of Rochi do with their hands for each thing that they decide: pure, from the room's view.

Works for Captain's Rochi too. Players are seats here, places are ``stack/6``, ``pot/6``, ``seat/2`` and ``centre``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from companion.games.rochi.demo.layout import CENTRE
from companion.kernel.errors import CompanionError
from hardware.demo.faces import Make

View = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Payment:
    """Coins that go from one place to another."""

    giver: str
    taker: str
    coins: int


@dataclass(frozen=True, slots=True)
class Play:
    """A card from a hand; then the token comes to the player, and the price is paid.

    Attributes:
        to: the stack, or the seat that gets it as a Shield.
        token: the suit's token, None where it stays.
        token_to: where it goes.
    """

    seat: int
    card: str
    to: str
    token: str | None = None
    token_from: str = CENTRE
    token_to: str = CENTRE
    price: Payment | None = None
    make: Make = "genuine"


@dataclass(frozen=True, slots=True)
class Deal:
    """The deck's top card; None deals what lies on top. ``lock``: the token goes on the stack then."""

    seat: int
    card: str | None
    to: str | None = None
    make: Make = "genuine"


@dataclass(frozen=True, slots=True)
class Fold:
    """A hand is given up: tokens to the centre, Shields and cards onto the discard pile."""

    seat: int
    tokens: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ThrowIn:
    """The cards of a hand go onto the discard pile, tokens and Shields stay: a pass in Captain's Rochi."""

    seat: int


@dataclass(frozen=True, slots=True)
class MoveToken:
    """A token or the leader button is put somewhere."""

    seat: int
    token: str
    to: str


@dataclass(frozen=True, slots=True)
class Pay:
    """Coins change hands."""

    seat: int
    payment: Payment


@dataclass(frozen=True, slots=True)
class Knock:
    """A player is done, and shows it."""

    seat: int


Move = Play | Deal | Fold | ThrowIn | MoveToken | Pay | Knock


def seats_of(view: View) -> dict[str, int]:
    """Return who sits where."""
    return {player["name"]: player["seat"] for player in view["players"]}


def stack_in(view: View, suit: int) -> Mapping[str, Any]:
    """Return a suit of the view.

    Raises:
        CompanionError: the deck in play has no such suit.
    """
    for stack in view["stacks"]:
        if stack["suit"] == suit:
            return dict(stack)
    raise CompanionError(f"There is no suit {suit} in this game. Use a card of the deck in play.")


def play_of(view: View, player: str, card: str) -> Play:
    """Return what playing this card means on the table."""
    suit, seats = int(card[0]), seats_of(view)
    stack, seat = stack_in(view, suit), seats_of(view)[player]
    owner = stack["owner"]
    if stack["is_locked"]:
        return Play(seat, card, f"stack/{suit}")
    is_ripe = stack["count"] == stack["cut_at"] - 1
    to = f"seat/{seats[owner or player]}" if is_ripe else f"stack/{suit}"
    if owner == player:
        return Play(seat, card, to)
    price = min(stack["count"] + 1, stack["cut_at"] - 1)
    payee = f"seat/{seats[owner]}" if owner else f"pot/{suit}"
    came_from = f"seat/{seats[owner]}" if owner else CENTRE
    return Play(seat, card, to, f"T{suit}", came_from, f"seat/{seat}", Payment(f"seat/{seat}", payee, price))


def fold_of(view: View, player: str) -> Fold:
    """Return what a fold means on the table."""
    tokens = tuple(f"T{stack['suit']}" for stack in view["stacks"] if stack["owner"] == player)
    return Fold(seats_of(view)[player], tokens)


def said_with(view: View, player: str, verb: str) -> Move:
    """Return what hands do when a player ends the turn, folds or passes."""
    if verb == "fold":
        return fold_of(view, player)
    seat = seats_of(view)[player]
    return ThrowIn(seat) if verb == "pass" else Knock(seat)


def token_home_of(view: View, suit: int) -> str:
    """Return where the ledger wants a suit's token."""
    stack = stack_in(view, suit)
    if stack["is_locked"]:
        return f"stack/{suit}"
    return f"seat/{seats_of(view)[stack['owner']]}" if stack["owner"] else CENTRE


def coins_of(view: View) -> dict[str, int]:
    """Return how many coins the ledger has in each place."""
    own = {f"seat/{player['seat']}": max(0, player["coins"]) for player in view["players"]}
    return own | {f"pot/{suit}": coins for suit, coins in view["pots"].items()}


def settlement(have: Mapping[str, int], want: Mapping[str, int]) -> tuple[Payment, ...]:
    """Return the payments that make the piles agree with the ledger.

    Places that have too much give to those that have too little, the largest first; what comes from outside or goes
    there (a purse, a newcomer) is nobody's payment and left out.

    >>> settlement({"seat/1": 10, "seat/2": 10}, {"seat/1": 14, "seat/2": 6})
    (Payment(giver='seat/2', taker='seat/1', coins=4),)
    """
    places = {place: want.get(place, 0) - have.get(place, 0) for place in {*have, *want}}
    takers = sorted((p for p, due in places.items() if due > 0), key=lambda p: (-places[p], p))
    payments = []
    for taker in takers:
        for giver in sorted((p for p, due in places.items() if due < 0), key=lambda p: (places[p], p)):
            coins = min(places[taker], -places[giver])
            if coins > 0:
                payments.append(Payment(giver, taker, coins))
                places[taker] -= coins
                places[giver] += coins
    return tuple(payments)
