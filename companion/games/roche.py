"""Roche and Grand Roche: bets against the house on which suit cuts.

Players stake on the layout until "no more bets". Then cards are turned over, each onto its suit's stack, until
half of one suit lies open: that suit is cut, which settles every bet at once. Rules: the Roche chapter of the
Rochi rules 1.3, with the house rulings on Roche.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from typing import Any, Final, cast

from companion.cards import FULL_DECK, RED_DECK, ROCHE_CARDS, SUIT_NAMES
from companion.commands import (
    Bet,
    Burn,
    Command,
    Deal,
    Join,
    Leave,
    NewRound,
    NoMoreBets,
    Record,
    TakeBack,
    verbs,
)
from companion.errors import (
    BadAmount,
    BadScript,
    CardSeen,
    DeckEmpty,
    NotEnoughCoins,
    NothingDone,
    NotOffered,
    OverLimit,
    UnknownCard,
    WrongPhase,
)
from companion.events import (
    BetPlaced,
    BetTakenBack,
    BettingClosed,
    CardDealt,
    CardsBurned,
    Event,
    Paid,
    PlayerJoined,
    PlayerLeft,
    RoundStarted,
    SuitCut,
)
from companion.games import roche_audit
from companion.games.base import Happening, Options, Seat, free_seat, seat_of
from companion.ledger import CAGE, HOUSE, Ledger, Transfer, checked_coins, player_account, stake_account
from companion.paytable import Layout, Paytable, Price, RocheDeck, bets, deck_ranks, load_paytable

DECKS: Final[Mapping[RocheDeck, tuple[str, ...]]] = {"full": FULL_DECK, "red": RED_DECK}


class Phase(Enum):
    """Where a round stands."""

    BETTING = "betting"
    "Bets may be placed and taken back."
    DEALING = "dealing"
    "No more bets; cards are dealt until a suit cuts."
    SETTLED = "settled"
    "A suit was cut and every bet is paid or lost; a new round comes next."


@dataclass(frozen=True, slots=True)
class Rules:
    """What this table plays. Limits are coins; None is no limit."""

    layout: Layout = "basic"
    deck: RocheDeck = "full"
    paytable: Paytable | None = None
    minimum: int | None = None
    maximum: int | None = None
    cap: int | None = None

    @property
    def prices(self) -> Paytable:
        return self.paytable if self.paytable is not None else load_paytable(self.deck)

    @property
    def cards(self) -> tuple[str, ...]:
        return DECKS[self.deck]

    @property
    def ranks(self) -> tuple[int, ...]:
        return deck_ranks(self.deck)

    @property
    def cards_to_cut(self) -> int:
        """So many cards always cut a suit: one short everywhere, and one more."""
        return sum(rank - 1 for rank in self.ranks) + 1


@dataclass(frozen=True, slots=True)
class Stake:
    """One player's coins on one spot."""

    player: str
    on: str
    amount: int


@dataclass(frozen=True, slots=True)
class State:
    """A Roche table. ``dealt`` is in the order of the deal, ``stakes`` in the order they were first placed."""

    rules: Rules
    seats: tuple[Seat, ...]
    phase: Phase = Phase.BETTING
    round: int = 1
    stakes: tuple[Stake, ...] = ()
    dealt: tuple[str, ...] = ()
    burned: int = 0
    cut: SuitCut | None = None

    def stack(self, rank: int) -> tuple[str, ...]:
        """The suit's open cards, the first dealt first."""
        return tuple(card for card in self.dealt if ROCHE_CARDS[card].rank == rank)

    def stake(self, player: str, on: str) -> Stake | None:
        return next((s for s in self.stakes if s.player == player and s.on == on), None)


Outcome = tuple[State, tuple[Happening, ...]]


class Roche:
    """The rules of Roche; see `companion.games.base.Game`."""

    name = "roche"
    verbs = verbs(Bet, TakeBack, NoMoreBets, Burn, Deal, NewRound, Join, Leave)

    def start(self, seats: Sequence[Seat], options: Options) -> State:
        return State(parse_rules(options), tuple(seats))

    def expected(self, state: State) -> frozenset[str]:
        by_phase = {
            Phase.BETTING: {"bet", "take-back", "no-more-bets"},
            Phase.DEALING: {"deal", "burn"},
            Phase.SETTLED: {"new-round"},
        }
        return frozenset(by_phase[state.phase] | {"join", "leave"})

    def apply(self, state: State, command: Command, ledger: Ledger) -> Outcome:
        return _RULES[type(command)](state, command, ledger)

    def audit(self, before: State, command: Command, happened: Sequence[Happening]) -> tuple[str, ...]:
        if not isinstance(command, Deal):
            return ()
        dealt = (*before.dealt, command.card)
        stakes = [(s.player, s.on, s.amount) for s in before.stakes]
        moved = [event for event in happened if isinstance(event, Transfer)]
        return roche_audit.differences(before.rules.ranks, before.rules.prices, dealt, stakes, moved)

    def seats(self, state: State) -> tuple[Seat, ...]:
        return state.seats

    def facts(self, state: State) -> dict[str, Any]:
        return {
            "round": state.round,
            "stacks": {str(rank): list(state.stack(rank)) for rank in state.rules.ranks},
            "dealt": list(state.dealt),
            "burned": state.burned,
            "bets": [{"player": s.player, "on": s.on, "amount": s.amount} for s in state.stakes],
        }

    def view(self, state: State) -> dict[str, Any]:
        prices = state.rules.prices
        placed = [
            {
                "player": s.player,
                "on": s.on,
                "amount": s.amount,
                "pays": str(_price(state, s.on)),
                "wins": _price(state, s.on).winnings(s.amount),
            }
            for s in state.stakes
        ]
        return {
            "prompt": _prompt(state),
            "round": state.round,
            "layout": state.rules.layout,
            "deck": state.rules.deck,
            "limits": {"min": state.rules.minimum, "max": state.rules.maximum, "cap": state.rules.cap},
            "stacks": [_stack_view(state, rank) for rank in state.rules.ranks],
            "dealt": list(state.dealt),
            "last": state.dealt[-1] if state.dealt else None,
            "burned": state.burned,
            "left": len(state.rules.cards) - len(state.dealt) - state.burned,
            "bets": placed,
            "spots": {on: str(prices.price(on)) for on in bets(state.rules.layout, state.rules.deck)},
            "result": state.cut.result if state.cut else None,
            "settled": [_settled_view(state, bet) for bet in state.cut.paid] if state.cut else [],
        }

    def describe(self, record: Record) -> str:
        return " ".join(str(record[key]) for key in ("do", "player", "count", "card", "amount", "on") if key in record)


def _settled_view(state: State, bet: Paid) -> dict[str, Any]:
    """A paid bet as pages explain it: an odd coin on an X:2 price may have won nothing and yet come back."""
    price = {"pays": str(_price(state, bet.on))}
    return {"player": bet.player, "on": bet.on, "amount": bet.amount, "won": bet.won, "is_won": bet.is_won, **price}


def _stack_view(state: State, rank: int) -> dict[str, Any]:
    cards = state.stack(rank)
    return {
        "suit": rank,
        "name": SUIT_NAMES[rank],
        "cards": list(cards),
        "count": len(cards),
        "cut_at": rank,
        "to_cut": rank - len(cards),
        "is_cut": state.cut is not None and state.cut.cut == rank,
    }


def _prompt(state: State) -> str:
    """The one thing to do next, for the dealer."""
    if state.phase is Phase.BETTING:
        return f"Round {state.round}: take bets, then call no more bets"
    if state.phase is Phase.DEALING:
        return "Deal the next card"
    return "Pay the bets, gather the cards, then start a new round"


# ---- the header's options


def parse_rules(options: Options) -> Rules:
    """Return the table's rules from a header's or a configuration's options.

    Raises:
        BadScript: an unknown option or value; the message names it.
    """
    known = {"layout", "deck", "paytable", "min", "max", "cap"}
    for key in options:
        if key not in known:
            raise BadScript(f"Roche has no option {key!r}. It knows {', '.join(sorted(known))}.")
    layout = _choice(options, "layout", ("basic", "grand"))
    deck = _choice(options, "deck", ("full", "red"))
    limits = {key: _limit(options, key) for key in ("min", "max", "cap")}
    changes = options.get("paytable", {})
    paytable = load_paytable(cast(RocheDeck, deck)).with_changes(changes) if changes != {} else None
    return Rules(cast(Layout, layout), cast(RocheDeck, deck), paytable, limits["min"], limits["max"], limits["cap"])


def _choice(options: Options, key: str, values: tuple[str, ...]) -> str:
    value = options.get(key, values[0])
    if value not in values:
        raise BadScript(f"Option {key!r} is {' or '.join(values)}, got {value!r}.")
    return str(value)


def _limit(options: Options, key: str) -> int | None:
    value = options.get(key)
    if value is None:
        return None
    if type(value) is not int or value <= 0:
        raise BadScript(f"Option {key!r} is a whole number of coins above zero, got {value!r}.")
    return value


# ---- betting


def _need_phase(state: State, phase: Phase, what: str) -> None:
    if state.phase is not phase:
        raise WrongPhase(f"{what} {_WHY_NOT[state.phase]}")


_WHY_NOT: Final = {
    Phase.BETTING: "has to wait: bets are still open. Call no more bets first.",
    Phase.DEALING: "has to wait: the deal is under way. Deal on until a suit is cut, or undo.",
    Phase.SETTLED: "has to wait: this round is settled. Gather the cards and start a new round.",
}


def _price(state: State, on: str) -> Price:
    """Return what the spot pays here.

    Raises:
        NotOffered: the layout, or the deck, has no such spot.
    """
    rules = state.rules
    if on not in _spots(rules.layout, rules.deck):
        raise NotOffered(f"This table does not offer {on!r}. See the layout for what it offers.")
    price = rules.prices.price(on)
    assert price is not None, f"{on} is on the layout, so it has a price"
    return price


@cache
def _spots(layout: Layout, deck: RocheDeck) -> frozenset[str]:
    return frozenset(bets(layout, deck))


def _bet(state: State, command: Bet, ledger: Ledger) -> Outcome:
    _need_phase(state, Phase.BETTING, "A bet")
    seat_of(state.seats, command.player)
    price = _price(state, command.on)
    amount = checked_coins(command.amount, "a bet")
    placed = state.stake(command.player, command.on)
    total = amount + (placed.amount if placed else 0)
    _check_limits(state.rules, command.on, total, price)
    have = ledger.balance(command.player)
    if amount > have:
        raise NotEnoughCoins(f"{command.player} has {have} coins and cannot bet {amount}. Bet less, or buy in.")
    why = f"bet {command.on}"
    moved = Transfer(player_account(command.player), stake_account(command.player, command.on), amount, why)
    event = BetPlaced(command.player, command.on, amount, total, total % price.per)
    return replace(state, stakes=_with_stake(state, Stake(command.player, command.on, total))), (event, moved)


def _check_limits(rules: Rules, on: str, total: int, price: Price) -> None:
    if rules.minimum is not None and total < rules.minimum:
        raise BadAmount(f"The table's minimum is {rules.minimum}; {total} on {on} is below it. Bet more.")
    if rules.maximum is not None and total > rules.maximum:
        raise OverLimit(f"The table's maximum is {rules.maximum}; {total} on {on} is above it. Bet less.")
    if rules.cap is not None and price.winnings(total) > rules.cap:
        raise OverLimit(
            f"The house pays at most {rules.cap} on a bet; {total} on {on} could win {price.winnings(total)}. Bet less."
        )


def _with_stake(state: State, stake: Stake) -> tuple[Stake, ...]:
    old = state.stake(stake.player, stake.on)
    if old is None:
        return (*state.stakes, stake)
    return tuple(stake if s is old else s for s in state.stakes)


def _take_back(state: State, command: TakeBack, ledger: Ledger) -> Outcome:
    _need_phase(state, Phase.BETTING, "Taking a bet back")
    seat_of(state.seats, command.player)
    _price(state, command.on)
    stake = state.stake(command.player, command.on)
    if stake is None:
        raise NothingDone(f"{command.player} has no bet on {command.on}. There is nothing to take back.")
    moved = Transfer(
        stake_account(stake.player, stake.on), player_account(stake.player), stake.amount, f"take back {stake.on}"
    )
    event = BetTakenBack(stake.player, stake.on, stake.amount)
    return replace(state, stakes=tuple(s for s in state.stakes if s is not stake)), (event, moved)


def _no_more_bets(state: State, command: NoMoreBets, ledger: Ledger) -> Outcome:
    _need_phase(state, Phase.BETTING, "No more bets")
    event = BettingClosed(len(state.stakes), sum(s.amount for s in state.stakes))
    return replace(state, phase=Phase.DEALING), (event,)


# ---- dealing


def _burn(state: State, command: Burn, ledger: Ledger) -> Outcome:
    _need_phase(state, Phase.DEALING, "Burning cards")
    count = command.count
    if type(count) is not int or count <= 0:
        raise BadAmount(f"{count!r} is no number of cards to burn. Say a whole number above zero.")
    rules = state.rules
    spare = len(rules.cards) - state.burned - rules.cards_to_cut
    if count > spare:
        raise DeckEmpty(
            f"Burning {count} would leave too few cards to be sure that a suit cuts; {max(spare, 0)} can be burned."
        )
    return replace(state, burned=state.burned + count), (CardsBurned(count),)


def _deal(state: State, command: Deal, ledger: Ledger) -> Outcome:
    _need_phase(state, Phase.DEALING, f"Dealing {command.card}")
    card = ROCHE_CARDS.get(command.card)
    if card is None or card.rank not in state.rules.ranks:
        raise UnknownCard(f"{command.card!r} is not in this deck. Take it off the table and deal another card.")
    if command.card in state.dealt:
        raise CardSeen(f"{command.card} was dealt already. Take one of the two cards off the table.")
    dealt = replace(state, dealt=(*state.dealt, command.card))
    stack = dealt.stack(card.rank)
    event = CardDealt(command.card, card.rank, len(stack), card.rank)
    if len(stack) < card.rank:
        return dealt, (event,)
    return _settle(dealt, stack, event)


def _settle(state: State, included: tuple[str, ...], dealt: CardDealt) -> Outcome:
    """The suit is cut: pay or collect every bet."""
    halves = {ROCHE_CARDS[card].half for card in included}
    half = halves.pop() if len(halves) == 1 else "neutral"
    decided = SuitCut(dealt.suit, dealt.card, half, included, ())
    paid = tuple(_paid(state, stake, decided) for stake in state.stakes)
    decided = replace(decided, paid=paid)
    moves = tuple(move for bet in paid for move in _payment(bet))
    return replace(state, phase=Phase.SETTLED, stakes=(), cut=decided), (dealt, decided, *moves)


def _paid(state: State, stake: Stake, decided: SuitCut) -> Paid:
    won = is_won(stake.on, decided, state.dealt, state.rules.ranks)
    winnings = _price(state, stake.on).winnings(stake.amount) if won else 0
    return Paid(stake.player, stake.on, stake.amount, winnings, won)


def _payment(bet: Paid) -> tuple[Transfer, ...]:
    stake, player = stake_account(bet.player, bet.on), player_account(bet.player)
    if not bet.is_won:
        return (Transfer(stake, HOUSE, bet.amount, f"{bet.on} lost"),)
    back = Transfer(stake, player, bet.amount, f"stake on {bet.on} returned")
    return (back, Transfer(HOUSE, player, bet.won, f"{bet.on} won")) if bet.won else (back,)


def is_won(on: str, cut: SuitCut, dealt: Sequence[str], ranks: Sequence[int]) -> bool:
    """Say whether a bet on this spot wins when this suit is cut (rulings on Roche, 3)."""
    kind, _, spot = on.partition("/")
    if kind == "cavalry":
        return _all_one_short(dealt, ranks)
    if kind in ("card", "terminus", "oscura"):
        if ROCHE_CARDS[spot].rank != cut.cut:
            return False
        return {"card": spot in cut.included, "terminus": spot == cut.last, "oscura": spot not in cut.included}[kind]
    if kind == "starlight":
        return all(ROCHE_CARDS[card].rank != int(spot) for card in dealt)
    return cut.cut == int(spot) and kind in ("cut", cut.half)


def _all_one_short(dealt: Sequence[str], ranks: Sequence[int]) -> bool:
    """Was every suit exactly one card short at some moment? Only just before the last card can that be."""
    shown = [ROCHE_CARDS[card].rank for card in dealt[:-1]]
    return all(shown.count(rank) == rank - 1 for rank in ranks)


def _new_round(state: State, command: NewRound, ledger: Ledger) -> Outcome:
    _need_phase(state, Phase.SETTLED, "A new round")
    fresh = State(state.rules, state.seats, round=state.round + 1)
    return fresh, (RoundStarted(fresh.round),)


# ---- players come and go


def _join(state: State, command: Join, ledger: Ledger) -> Outcome:
    name = command.player.strip()
    if not name:
        raise BadScript("A player needs a name.")
    if any(seat.player == name for seat in state.seats):
        raise NotOffered(f"A player called {name} sits here already. Choose another name.")
    number = command.seat if command.seat is not None else free_seat(state.seats)
    if type(number) is not int or number < 1:
        raise BadScript(f"A seat is a number from 1 upwards, got {command.seat!r}.")
    if any(seat.number == number for seat in state.seats):
        raise NotOffered(f"Seat {number} is taken. Choose another seat.")
    seats = tuple(sorted((*state.seats, Seat(number, name)), key=lambda seat: seat.number))
    happened: tuple[Event | Transfer, ...] = (PlayerJoined(name, number),)
    if command.coins != 0:
        coins = checked_coins(command.coins, "coming to the table")
        happened += (Transfer(CAGE, player_account(name), coins, "buy-in"),)
    return replace(state, seats=seats), happened


def _leave(state: State, command: Leave, ledger: Ledger) -> Outcome:
    seat = seat_of(state.seats, command.player)
    if any(stake.player == command.player for stake in state.stakes):
        raise WrongPhase(f"{command.player} has bets on the table. Settle them or take them back first.")
    if ledger.balance(command.player):
        raise NotOffered(
            f"{command.player} still has {ledger.balance(command.player)} coins. Cash out first, then leave."
        )
    return replace(state, seats=tuple(s for s in state.seats if s is not seat)), (PlayerLeft(seat.player, seat.number),)


_RULES: Final[Mapping[type[Command], Callable[[State, Any, Ledger], Outcome]]] = {
    Bet: _bet,
    TakeBack: _take_back,
    NoMoreBets: _no_more_bets,
    Burn: _burn,
    Deal: _deal,
    NewRound: _new_round,
    Join: _join,
    Leave: _leave,
}
