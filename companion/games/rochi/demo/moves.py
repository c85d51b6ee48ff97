"""Hand movements for each decision at a Rochi table. Pure, from the rules' own stacks.

Also used for Captain's Rochi. Players are seats here, places are ``stack/6``, ``pot/6``, ``seat/2`` and ``centre``.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from companion.games.rochi.board import Stack, Stacks, condition, stack_of
from companion.games.rochi.captains.state import State as CaptainsState
from companion.games.rochi.demo.layout import CENTRE
from companion.games.rochi.state import State
from companion.kernel.accounts import Account
from companion.plugins.panel import Moment
from hardware.demo.faces import Make


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """The position in Rochi or Captain's Rochi, in one form for both.

    Attributes:
        phase, expected: from the rules.
        seats: player -> seat.
        held: seat -> number of cards held in this hand.
        playing: number of players who have not folded.
        deck: number of cards in the deck.
        coins: place -> coins.
        turn: the player to act; odd_coin: the player who has to place one.
        hand: its number; leader: seat with the button; next_leader: in the next hand.
        has_acted: whether a card was played or dealt in this turn; has_played: whether one was played.
        discards: face-up cards on the discard pile; they come back in Captain's Rochi.
    """

    phase: str
    expected: frozenset[str]
    seats: Mapping[str, int]
    stacks: Stacks
    held: Mapping[int, int]
    playing: int
    deck: int
    to_seed: int
    coins: Mapping[str, int]
    turn: str | None
    odd_coin: str | None = None
    hand: int = 0
    leader: int | None = None
    next_leader: int | None = None
    has_acted: bool
    has_played: bool
    discards: tuple[str, ...]
    is_captains: bool = False

    @property
    def mover(self) -> int:
        """Seat that does common chores: the player to act, otherwise the leader."""
        seat = self.seats.get(self.turn or "", self.leader)
        return min(self.seats.values()) if seat is None else seat

    def stack(self, card: str) -> Stack:
        """Return the stack of a card, or of a suit's token."""
        return stack_of(self.stacks, int(card.removeprefix("T")[0]))

    def condition(self, stack: Stack) -> str:
        """Return a suit's condition: ``ripe``, ``rotten``, ``dead`` …"""
        return condition(stack, () if self.is_captains else self.discards)

    def place(self, player: str | None, otherwise: str) -> str:
        """Return a player's place, or ``otherwise`` for None."""
        return otherwise if player is None else f"seat/{self.seats[player]}"

    @property
    def is_on(self) -> bool:
        """Whether cards are in play."""
        return self.phase not in ("between-hands", "finished")

    @property
    def open_cards(self) -> dict[str, str]:
        """Counted face-up card -> place."""
        places = {card: f"stack/{stack.suit}" for stack in self.stacks for card in stack.cards}
        shields = (shield for stack in self.stacks for shield in stack.shields if shield.holder in self.seats)
        return places | {shield.card: f"seat/{self.seats[shield.holder]}" for shield in shields}


def board_of(moment: Moment) -> Board:
    """Return the current position."""
    state: State | CaptainsState = moment.state
    seats = {seat.player: seat.number for seat in state.seats}
    coins = {f"seat/{seat}": max(0, moment.ledger.balance(name)) for name, seat in seats.items()}
    coins |= {f"pot/{suit}": moment.ledger.coins(Account.pot(suit)) for suit in state.pots}
    if isinstance(state, CaptainsState):
        return Board(
            phase=moment.phase, expected=moment.expected, seats=seats, coins=coins, stacks=state.stacks,
            held={seats[name]: cards for name, cards in zip(state.names, state.cards, strict=True) if name},
            playing=len(seats), deck=state.deck, to_seed=state.to_seed,
            turn=moment.turn, odd_coin=state.cut.loser if state.cut else None,
            has_acted=state.has_played or state.has_dealt, has_played=state.has_played,
            discards=state.discards, is_captains=True,
        )  # fmt: skip
    hand, following = state.hand, state.next_leader
    return Board(
        phase=moment.phase, expected=moment.expected, seats=seats, coins=coins, stacks=hand.stacks,
        held={seats[player.name]: player.cards for player in hand.players if player.name in seats},
        playing=len(hand.left), deck=hand.deck, to_seed=hand.to_seed, turn=moment.turn,
        hand=state.number, leader=state.leader if state.leader in seats.values() else None,
        next_leader=following.number if following else None,
        has_acted=hand.has_played or hand.has_dealt, has_played=hand.has_played, discards=hand.gone,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Payment:
    """Coins moved from one place to another."""

    giver: str
    taker: str
    coins: int


@dataclass(frozen=True, slots=True)
class Play:
    """Play a card from a hand; then the token goes to the player, and the price is paid.

    Attributes:
        to: the stack, or the seat that gets it as a Shield.
        token: the suit's token; None if it stays.
        token_to: destination of the token.
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
    """Deal a card; None deals the deck's top card. ``lock``: the token then goes on the stack."""

    seat: int
    card: str | None
    to: str | None = None
    make: Make = "genuine"


@dataclass(frozen=True, slots=True)
class Fold:
    """Fold: tokens to the centre, Shields and cards onto the discard pile."""

    seat: int
    tokens: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ThrowIn:
    """Pass in Captain's Rochi: the hand goes onto the discard pile, tokens and Shields stay."""

    seat: int


@dataclass(frozen=True, slots=True)
class MoveToken:
    """Move a token or the leader button."""

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
    """A player knocks to end the turn."""

    seat: int


Move = Play | Deal | Fold | ThrowIn | MoveToken | Pay | Knock


def play_of(board: Board, player: str, card: str) -> Play:
    """Return the physical steps of playing a card."""
    stack, seat = board.stack(card), board.seats[player]
    suit, owner = stack.suit, stack.owner
    to = board.place(stack.shield_for(player), f"stack/{suit}")
    price = stack.price_for(player)
    if not price:
        return Play(seat, card, to)
    payment = Payment(f"seat/{seat}", board.place(owner, f"pot/{suit}"), price)
    return Play(seat, card, to, f"T{suit}", board.place(owner, CENTRE), f"seat/{seat}", payment)


def said_with(board: Board, player: str, verb: str) -> Move:
    """Return the gesture for ending the turn, folding or passing."""
    seat = board.seats[player]
    if verb == "fold":
        return Fold(seat, tuple(f"T{stack.suit}" for stack in board.stacks if stack.owner == player))
    return ThrowIn(seat) if verb == "pass" else Knock(seat)


def token_home_of(board: Board, token: str) -> str:
    """Return the place of a suit's token according to the state."""
    stack = board.stack(token)
    return f"stack/{stack.suit}" if stack.is_locked else board.place(stack.owner, CENTRE)


def settlement(have: Mapping[str, int], want: Mapping[str, int]) -> tuple[Payment, ...]:
    """Return the payments that make the piles match the ledger.

    Places with a surplus pay those with a deficit, largest first; coins from or to outside (a purse, a newcomer) are
    left out.

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
