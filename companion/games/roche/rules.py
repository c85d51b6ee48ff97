"""Roche and Grand Roche: bets against the bank on which suit cuts.

Players stake on the layout until "no more bets". Then cards are turned over, each onto its suit's stack, until
half of one suit is face up: that suit is cut, which settles every bet at once. Source: the Roche chapter of the
Rochi rules 1.3, with the rulings on Roche.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cache, partial
from typing import Any, Final, cast

from companion.games.roche import audit as roche_audit
from companion.games.roche import risk as roche_risk
from companion.games.roche.commands import Burn
from companion.games.roche.events import CardsBurned, SuitCut
from companion.games.roche.paytable import Layout, Paytable, RocheDeck, bets, deck_ranks, load_paytable
from companion.games.roche.shapes import PlacedBet, RocheStack, RocheView, SettledBet
from companion.games.roche.words import COMMANDS, spot_words
from companion.games.roche_deck.design import CARDS_OF
from companion.games.six_suits import CardDealt
from companion.kernel.commands import (
    Bet,
    Command,
    Deal,
    Join,
    Leave,
    NewRound,
    NoMoreBets,
    TakeBack,
    verbs,
)
from companion.kernel.errors import BadAmount, CardSeen, DeckEmpty, NotOffered, UnknownCard, WrongPhase
from companion.kernel.events import BettingClosed, Paid, RoundStarted
from companion.kernel.game import BaseGame, Effect, Options, Seat, seat_of
from companion.kernel.ledger import Ledger
from companion.kernel.messages import Message, message
from companion.kernel.price import Price
from companion.kernel.shared import banked as house
from companion.kernel.shared.options import check_names, choice
from companion.kernel.shared.seating import join, leave
from companion.kernel.values import changed, quick
from companion.kernel.words import SUITS
from companion.objects.cards import SUIT_CARDS


class Phase(Enum):
    """Phase of a round."""

    BETTING = "betting"
    "Bets may be placed and taken back."
    DEALING = "dealing"
    "No more bets; cards are dealt until a suit cuts."
    SETTLED = "settled"
    "A suit was cut and every bet is paid or lost; a new round comes next."


@dataclass(frozen=True, slots=True)
class Rules:
    """The table's rules."""

    layout: Layout = "basic"
    deck: RocheDeck = "full"
    paytable: Paytable | None = None
    limits: house.Limits = field(default_factory=house.Limits)

    @property
    def prices(self) -> Paytable:
        return self.paytable if self.paytable is not None else load_paytable(self.deck)

    @property
    def cards(self) -> tuple[str, ...]:
        return CARDS_OF[self.deck]

    @property
    def ranks(self) -> tuple[int, ...]:
        return deck_ranks(self.deck)

    @property
    def cards_to_cut(self) -> int:
        """Number of cards that always cuts a suit: all suits one short, plus one."""
        return sum(rank - 1 for rank in self.ranks) + 1


@quick
class State:
    """State of a Roche table. ``dealt`` is in dealing order, ``stakes`` in the order they were first placed."""

    rules: Rules
    seats: tuple[Seat, ...]
    phase: Phase = Phase.BETTING
    round: int = 1
    stakes: house.Stakes = ()
    dealt: tuple[str, ...] = ()
    burned: int = 0
    cut: SuitCut | None = None

    def stack(self, rank: int) -> tuple[str, ...]:
        """Return the suit's face-up cards in dealing order."""
        return tuple(card for card in self.dealt if SUIT_CARDS[card].rank == rank)

    @property
    def worst(self) -> house.Worst | None:
        """The most expensive ending of the round for the bank; None without bets."""
        return roche_risk.worst_cut(self.rules.ranks, self.rules.prices, self.stakes, self.dealt)

    @property
    def offers(self) -> tuple[house.Offer, ...]:
        """All spots of the layout, with their prices."""
        layout = bets(self.rules.layout, self.rules.deck)
        return tuple(house.Offer(on, spot_words(on), _price(self, on)) for on in layout)


Outcome = tuple[State, tuple[Effect, ...]]


class Roche(BaseGame):
    """Rules of Roche; see `companion.kernel.game.Game`."""

    name = "roche"
    title = "Roche"
    verbs = verbs(Bet, TakeBack, NoMoreBets, Burn, Deal, NewRound, Join, Leave)
    own_words = COMMANDS

    def start(self, seats: Sequence[Seat], options: Options) -> State:
        return State(parse_rules(options), tuple(seats))

    def usual_buy_in(self, state: State) -> int:
        return state.rules.limits.usual_buy_in

    def expected(self, state: State) -> frozenset[str]:
        by_phase = {
            Phase.BETTING: {"bet", "take-back", "burn", "no-more-bets"},
            Phase.DEALING: {"deal", "burn"},
            Phase.SETTLED: {"new-round"},
        }
        return frozenset(by_phase[state.phase] | {"join", "leave"})

    def why_not(self, state: State) -> Message:
        return _WHY_NOT[state.phase](message("This"))

    def apply(self, state: State, command: Command, ledger: Ledger) -> Outcome:
        return _RULES[type(command)](state, command, ledger)

    def audit(self, before: State, command: Command, happened: Sequence[Effect], ledger: Ledger) -> tuple[str, ...]:
        if not isinstance(command, Deal):
            return ()
        dealt = (*before.dealt, command.card)
        stakes = ((s.player, s.on, s.amount) for s in before.stakes)
        return roche_audit.differences(before.rules.ranks, before.rules.prices, dealt, stakes, happened)

    def facts(self, state: State) -> Mapping[str, object]:
        return {
            "round": state.round,
            "stacks": {str(rank): list(state.stack(rank)) for rank in state.rules.ranks},
            "dealt": list(state.dealt),
            "burned": state.burned,
            "bets": [stake.to_json() for stake in state.stakes],
        }

    def view(self, state: State) -> RocheView:
        prices = state.rules.prices
        return {
            "prompt": _prompt(state),
            "round": state.round,
            "layout": state.rules.layout,
            "deck": state.rules.deck,
            "limits": state.rules.limits.to_json(),
            "stacks": [_stack_view(state, rank) for rank in state.rules.ranks],
            "dealt": list(state.dealt),
            "last": state.dealt[-1] if state.dealt else None,
            "burned": state.burned,
            "left": len(state.rules.cards) - len(state.dealt) - state.burned,
            "bets": [_placed_view(state, stake) for stake in state.stakes],
            "spots": {on: str(prices.price(on)) for on in bets(state.rules.layout, state.rules.deck)},
            "result": state.cut.result if state.cut else None,
            "settled": [_settled_view(state, bet) for bet in state.cut.paid] if state.cut else [],
        }

    def spot_name(self, on: str) -> str:
        return spot_words(on)


def _placed_view(state: State, stake: house.Stake) -> PlacedBet:
    price = _price(state, stake.on)
    return {**stake.to_json(), "pays": str(price), "wins": price.winnings(stake.amount)}


def _settled_view(state: State, bet: Paid) -> SettledBet:
    return {**bet.public_json(), "pays": str(_price(state, bet.on))}


def _stack_view(state: State, rank: int) -> RocheStack:
    cards = state.stack(rank)
    return {
        "suit": rank,
        "name": SUITS[rank],
        "cards": list(cards),
        "count": len(cards),
        "cut_at": rank,
        "to_cut": rank - len(cards),
        "is_cut": state.cut is not None and state.cut.cut == rank,
    }


def _prompt(state: State) -> Message:
    """Return the dealer's next step."""
    if state.phase is Phase.BETTING:
        return message("Round {round}: take bets, then call no more bets", round=state.round)
    if state.phase is Phase.DEALING:
        return message("Deal the next card")
    return message("Pay the bets, gather the cards, then start a new round")


# ---- the header's options


def parse_rules(options: Options) -> Rules:
    """Parse the rules from header or configuration options.

    Raises:
        BadScript: an unknown option or value; the message names it.
    """
    check_names("Roche", options, ("layout", "deck", "paytable", *house.LIMITS))
    layout = cast(Layout, choice(options, "layout", ("basic", "grand")))
    deck = cast(RocheDeck, choice(options, "deck", ("full", "red")))
    changes = options.get("paytable", {})
    paytable = load_paytable(deck).with_changes(changes) if changes != {} else None
    return Rules(layout, deck, paytable, house.parse_limits(options))


# ---- betting


def _need_phase(state: State, phase: Phase, what: Message) -> None:
    if state.phase is not phase:
        raise WrongPhase(_WHY_NOT[state.phase](what))


_WHY_NOT: Final[Mapping[Phase, Callable[[Message], Message]]] = {
    Phase.BETTING: lambda what: message("{what} has to wait: bets are still open. Call no more bets first.", what=what),
    Phase.DEALING: lambda what: message(
        "{what} has to wait: the deal is under way. Deal on until a suit is cut, or undo.", what=what
    ),
    Phase.SETTLED: lambda what: message(
        "{what} has to wait: this round is settled. Gather the cards and start a new round.", what=what
    ),
}


def _price(state: State, on: str) -> Price:
    """Return a spot's price.

    Raises:
        NotOffered: the layout, or the deck, has no such spot.
    """
    rules = state.rules
    if on not in _spots(rules.layout, rules.deck):
        raise NotOffered.saying("This table does not offer {spot}. See the layout for what it offers.", spot=repr(on))
    price = rules.prices.price(on)
    assert price is not None, f"{on} is on the layout, so it has a price"
    return price


@cache
def _spots(layout: Layout, deck: RocheDeck) -> frozenset[str]:
    return frozenset(bets(layout, deck))


def _bet(state: State, command: Bet, ledger: Ledger) -> Outcome:
    _need_phase(state, Phase.BETTING, message("A bet"))
    seat_of(state.seats, command.player)
    offer = house.Offer(command.on, spot_words(command.on), _price(state, command.on))
    most_won = partial(roche_risk.most_won, state.rules.ranks, state.rules.prices)
    stakes, happened = house.place(state.stakes, command, offer, most_won, state.rules.limits, ledger)
    return changed(state, stakes=stakes), happened


def _take_back(state: State, command: TakeBack, ledger: Ledger) -> Outcome:
    _need_phase(state, Phase.BETTING, message("Taking a bet back"))
    seat_of(state.seats, command.player)
    _price(state, command.on)
    stakes, happened = house.take_back(state.stakes, command, spot_words(command.on))
    return changed(state, stakes=stakes), happened


def _no_more_bets(state: State, command: NoMoreBets, ledger: Ledger) -> Outcome:
    _need_phase(state, Phase.BETTING, message("No more bets"))
    event = BettingClosed(len(state.stakes), sum(s.amount for s in state.stakes))
    return changed(state, phase=Phase.DEALING), (event,)


# ---- dealing


def _burn(state: State, command: Burn, ledger: Ledger) -> Outcome:
    if state.phase is Phase.SETTLED:  # otherwise allowed at any time: before or after the call, and between cards
        raise WrongPhase(_WHY_NOT[state.phase](message("Burning cards")))
    count = command.count
    if type(count) is not int or count <= 0:
        raise BadAmount.saying(
            "{count} is no number of cards to burn. Say a whole number above zero.", count=repr(count)
        )
    rules = state.rules
    spare = len(rules.cards) - state.burned - rules.cards_to_cut
    if count > spare:
        raise DeckEmpty.saying(
            "Burning {count} would leave too few cards to be sure that a suit cuts; {spare} can be burned.",
            count=count,
            spare=max(spare, 0),
        )
    return changed(state, burned=state.burned + count), (CardsBurned(count),)


def _deal(state: State, command: Deal, ledger: Ledger) -> Outcome:
    _need_phase(state, Phase.DEALING, message("Dealing {card}", card=command.card))
    card = SUIT_CARDS.get(command.card)
    if card is None or card.rank not in state.rules.ranks:
        raise UnknownCard.saying(
            "{card} is not in this deck. Take it off the table and deal another card.", card=repr(command.card)
        )
    if command.card in state.dealt:
        raise CardSeen.saying("{card} was dealt already. Take one of the two cards off the table.", card=command.card)
    dealt = changed(state, dealt=(*state.dealt, command.card))
    stack = dealt.stack(card.rank)
    event = CardDealt(command.card, card.rank, len(stack), card.rank)
    if len(stack) < card.rank:
        return dealt, (event,)
    return _settle(dealt, stack, event)


def _settle(state: State, included: tuple[str, ...], dealt: CardDealt) -> Outcome:
    """Settle all bets after a cut."""
    halves = {SUIT_CARDS[card].half for card in included}
    half = halves.pop() if len(halves) == 1 else "neutral"
    decided = SuitCut(dealt.suit, dealt.card, half, included, ())
    paid = tuple(house.settled(stake, _won_at(state, stake.on, decided)) for stake in state.stakes)
    decided = changed(decided, paid=paid)
    after = changed(state, phase=Phase.SETTLED, stakes=(), cut=decided)
    return after, (dealt, decided, *house.payments(paid))


def _won_at(state: State, on: str, decided: SuitCut) -> Price | None:
    """Return the price of a won bet on this spot; None if it lost."""
    return _price(state, on) if is_won(on, decided, state.dealt, state.rules.ranks) else None


def is_won(on: str, cut: SuitCut, dealt: Sequence[str], ranks: Sequence[int]) -> bool:
    """Whether a bet on this spot wins with this cut (rulings on Roche, 3)."""
    kind, _, spot = on.partition("/")
    if kind == "cavalry":
        return _all_one_short(dealt, ranks)
    if kind in ("card", "terminus", "oscura"):
        if SUIT_CARDS[spot].rank != cut.cut:
            return False
        return {"card": spot in cut.included, "terminus": spot == cut.last, "oscura": spot not in cut.included}[kind]
    if kind == "starlight":
        return all(SUIT_CARDS[card].rank != int(spot) for card in dealt)
    return cut.cut == int(spot) and kind in ("cut", cut.half)


def _all_one_short(dealt: Sequence[str], ranks: Sequence[int]) -> bool:
    """Whether every suit was exactly one card short just before the last card, the only possible moment."""
    shown = [SUIT_CARDS[card].rank for card in dealt[:-1]]
    return all(shown.count(rank) == rank - 1 for rank in ranks)


def _new_round(state: State, command: NewRound, ledger: Ledger) -> Outcome:
    _need_phase(state, Phase.SETTLED, message("A new round"))
    fresh = State(state.rules, state.seats, round=state.round + 1)
    return fresh, (RoundStarted(fresh.round),)


_RULES: Final[Mapping[type[Command], Callable[[State, Any, Ledger], Outcome]]] = {
    Bet: _bet,
    TakeBack: _take_back,
    NoMoreBets: _no_more_bets,
    Burn: _burn,
    Deal: _deal,
    NewRound: _new_round,
    Join: join,
    Leave: leave,
}
