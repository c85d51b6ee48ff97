"""Rules of roulette.

Players bet on the layout until "no more bets". Then the ball is spun, and the final pocket settles every bet at once.
On a zero, even-money bets follow the house rule: imprisoned until another spin, half surrendered, or lost. Source: the
roulette chapter of the casino set's booklet, with the rulings on it.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import cache
from typing import Any, Final, cast

from companion.games.roulette import audit as roulette_audit
from companion.games.roulette import risk as roulette_risk
from companion.games.roulette.commands import Spin
from companion.games.roulette.events import BallRested
from companion.games.roulette.layout import Spot, layout
from companion.games.roulette.settlement import ZERO_RULES, ZeroRule, in_seat_order, settle
from companion.games.roulette.shapes import PocketCount, RouletteBet, RouletteSettled, RouletteView
from companion.games.roulette.wheel import POCKETS, Wheel
from companion.games.roulette.wheel_test import wheel_test
from companion.games.roulette.words import COMMANDS, spot_words
from companion.kernel.commands import Bet, Command, Join, Leave, NoMoreBets, TakeBack, verbs
from companion.kernel.errors import BadScript, NotOffered, WrongPhase
from companion.kernel.events import BettingClosed, Paid
from companion.kernel.game import BaseGame, Effect, Options, Rounds, Seat, seat_of
from companion.kernel.ledger import Ledger, Transfer
from companion.kernel.messages import Message, message
from companion.kernel.shared import banked as house
from companion.kernel.shared.options import check_names, choice
from companion.kernel.shared.seating import join, leave
from companion.kernel.values import changed, quick

MAX_PLAYERS: Final = 12
LAST_SHOWN: Final = 15
HOT_SHOWN: Final = 5


class Phase(Enum):
    """Phase of a spin."""

    BETTING = "betting"
    "Bets may be placed and taken back."
    SPIN = "spin"
    "No more bets; the ball is spinning."


@quick
class Rules:
    """The table's rules."""

    wheel: Wheel = "european"
    zero_rule: ZeroRule = "en-prison"
    limits: house.Limits = house.Limits()

    @property
    def spots(self) -> Mapping[str, Spot]:
        """Name -> spot of the layout."""
        return layout(self.wheel)


@quick
class State:
    """State of a roulette table. ``bets`` and ``imprisoned`` are in the order they were first made."""

    rules: Rules
    seats: tuple[Seat, ...]
    phase: Phase = Phase.BETTING
    bets: house.Stakes = ()
    imprisoned: house.Stakes = ()
    last: tuple[str, ...] = ()
    "Recent pockets, newest first."
    counts: tuple[int, ...] = ()
    "Count of each pocket, in the order of `POCKETS`."
    rested: BallRested | None = None
    "Result of the last spin."

    @property
    def stakes(self) -> house.Stakes:
        """All undecided bets."""
        return (*self.imprisoned, *self.bets)

    @property
    def worst(self) -> house.Worst | None:
        """The most expensive pocket for the house; None without bets."""
        rules = self.rules
        return roulette_risk.worst_spin(rules.wheel, rules.zero_rule, rules.spots, self.bets, self.imprisoned)

    @property
    def offers(self) -> tuple[house.Offer, ...]:
        """All spots of the layout, with their prices."""
        return tuple(_offers(self.rules.wheel).values())


Outcome = tuple[State, tuple[Effect, ...]]


class Roulette(BaseGame):
    """Rules of roulette; see `companion.kernel.game.Game`."""

    name = "roulette"
    title = message("Roulette").key  # marked for translation: printed cards use the localized title
    rounds = Rounds("spin", begin_with=frozenset(), follow_on=True)
    min_players = 1
    empty_text = False
    verbs = verbs(NoMoreBets, Bet, TakeBack, Spin, Join, Leave)
    own_words = COMMANDS

    def start(self, seats: Sequence[Seat], options: Options) -> State:
        if len(seats) > MAX_PLAYERS:
            raise BadScript.saying(
                "Roulette is for at most {most} players, not {count}. Leave some out.",
                most=MAX_PLAYERS,
                count=len(seats),
            )
        rules = parse_rules(options)
        return State(rules, tuple(seats), counts=(0,) * len(POCKETS[rules.wheel]))

    def usual_buy_in(self, state: State) -> int:
        return state.rules.limits.usual_buy_in

    def expected(self, state: State) -> frozenset[str]:
        return frozenset(verb for verb in self.verbs if _PHASE_OF.get(verb, state.phase) is state.phase)

    def why_not(self, state: State) -> Message:
        return _WHY_NOT[state.phase]

    def apply(self, state: State, command: Command, ledger: Ledger) -> Outcome:
        if _PHASE_OF.get(command.verb, state.phase) is not state.phase:
            raise WrongPhase(self.why_not(state))
        return _RULES[type(command)](state, command, ledger)

    def audit(self, before: State, command: Command, happened: Sequence[Effect], ledger: Ledger) -> tuple[str, ...]:
        if not isinstance(command, Spin):
            return ()
        moved = [event for event in happened if isinstance(event, Transfer)]
        kept = next(event.imprisoned for event in happened if isinstance(event, BallRested))
        return roulette_audit.differences(
            command.pocket,
            before.rules.zero_rule,
            _plain(before.imprisoned),
            _plain(before.bets),
            moved,
            _plain(kept),
        )

    def facts(self, state: State) -> Mapping[str, object]:
        return {
            "bets": [stake.to_json() for stake in _in_seat_order(state, state.bets)],
            "imprisoned": [stake.to_json() for stake in _in_seat_order(state, state.imprisoned)],
        }

    def view(self, state: State) -> RouletteView:
        rules, rested = state.rules, state.rested
        return {
            "prompt": _PROMPTS[state.phase],
            "wheel": rules.wheel,
            "zero_rule": rules.zero_rule,
            "limits": rules.limits.to_json(),
            "bets": [_bet_view(rules, stake) for stake in state.bets],
            "imprisoned": [stake.to_json() for stake in state.imprisoned],
            "spots": {on: str(spot.price) for on, spot in rules.spots.items()},
            "last": list(state.last),
            "hot": _hot(state),
            "wheel_test": wheel_test(rules.wheel, state.counts),
            "result": rested.result if rested else None,
            "settled": [_settled_view(rules, bet) for bet in rested.paid] if rested else [],
        }

    def spot_name(self, on: str) -> str:
        return spot_words(on)


# ---- public view


def _plain(stakes: house.Stakes) -> list[tuple[str, str, int]]:
    return [(stake.player, stake.on, stake.amount) for stake in stakes]


def _in_seat_order(state: State, stakes: house.Stakes) -> list[house.Stake]:
    return [stake for _, stake in in_seat_order(state.seats, enumerate(stakes))]


def _bet_view(rules: Rules, stake: house.Stake) -> RouletteBet:
    price = rules.spots[stake.on].price
    return {**stake.to_json(), "pays": str(price), "wins": price.winnings(stake.amount)}


def _settled_view(rules: Rules, bet: Paid) -> RouletteSettled:
    return {**bet.public_json(), "pays": str(rules.spots[bet.on].price)}


def _hot(state: State) -> list[PocketCount]:
    """Return the most frequent pockets; ties are broken in favour of lower numbers."""
    found = [(-count, place) for place, count in enumerate(state.counts) if count > 1]
    pockets = POCKETS[state.rules.wheel]
    return [{"pocket": pockets[place], "count": -less} for less, place in sorted(found)[:HOT_SHOWN]]


_PROMPTS: Final = {
    Phase.BETTING: message("Take bets, then call no more bets"),
    Phase.SPIN: message("Spin the ball, then say where it rests"),
}


# ---- the header's options


def parse_rules(options: Options) -> Rules:
    """Parse the rules from header or configuration options.

    Raises:
        BadScript: an unknown option or value; the message names it.
    """
    check_names("Roulette", options, ("wheel", "zero_rule", *house.LIMITS))
    wheel = cast(Wheel, choice(options, "wheel", ("european", "american")))
    zero_rule = cast(ZeroRule, choice(options, "zero_rule", ZERO_RULES[wheel]))
    return Rules(wheel, zero_rule, house.parse_limits(options))


# ---- betting


_PHASE_OF: Final[Mapping[str, Phase]] = {
    "bet": Phase.BETTING,
    "take-back": Phase.BETTING,
    "no-more-bets": Phase.BETTING,
    "spin": Phase.SPIN,
}
"""Verb -> its phase, if restricted to one."""
_WHY_NOT: Final[Mapping[Phase, Message]] = {
    Phase.BETTING: message("This has to wait: bets are still open. Call no more bets first."),
    Phase.SPIN: message("This has to wait: no more bets. Say where the ball rests, or undo."),
}


@cache
def _offers(wheel: Wheel) -> Mapping[str, house.Offer]:
    return {on: house.Offer(on, spot_words(on), spot.price) for on, spot in layout(wheel).items()}


def _offer(state: State, on: str) -> house.Offer:
    """Return a spot of the layout.

    Raises:
        NotOffered: there is no such spot.
    """
    offer = _offers(state.rules.wheel).get(on)
    if offer is None:
        raise NotOffered.saying("This table does not offer {spot}. See the layout for what it offers.", spot=repr(on))
    return offer


def _bet(state: State, command: Bet, ledger: Ledger) -> Outcome:
    seat_of(state.seats, command.player)
    offer = _offer(state, command.on)
    stakes, happened = house.place(state.bets, command, offer, _most_won(state), state.rules.limits, ledger)
    return changed(state, bets=stakes), happened


def _most_won(state: State) -> Callable[[house.Stakes], int]:
    rules = state.rules
    return lambda stakes: roulette_risk.most_won(rules.wheel, rules.spots, stakes)


def _take_back(state: State, command: TakeBack, ledger: Ledger) -> Outcome:
    seat_of(state.seats, command.player)
    offer = _offer(state, command.on)
    stakes, happened = house.take_back(state.bets, command, offer.words)
    return changed(state, bets=stakes), happened


def _no_more_bets(state: State, command: NoMoreBets, ledger: Ledger) -> Outcome:
    event = BettingClosed(len(state.bets), sum(stake.amount for stake in state.bets))
    return changed(state, phase=Phase.SPIN), (event,)


# ---- spinning


def _spin(state: State, command: Spin, ledger: Ledger) -> Outcome:
    rules, pocket = state.rules, command.pocket
    pockets = POCKETS[rules.wheel]
    if pocket not in pockets:
        raise NotOffered.saying("This wheel has no pocket {pocket}. Look at the ball again.", pocket=repr(pocket))
    settled = settle(pocket, rules.zero_rule, rules.spots, state.seats, state.imprisoned, state.bets)
    event = BallRested(pocket, settled.paid, settled.imprisoned)
    place = pockets.index(pocket)
    after = changed(
        state,
        phase=Phase.BETTING,
        bets=(),
        imprisoned=settled.imprisoned,
        last=(pocket, *state.last[: LAST_SHOWN - 1]),
        counts=(*state.counts[:place], state.counts[place] + 1, *state.counts[place + 1 :]),
        rested=event,
    )
    return after, (event, *house.payments(settled.paid))


def _join(state: State, command: Join, ledger: Ledger) -> Outcome:
    if len(state.seats) >= MAX_PLAYERS:
        raise NotOffered.saying("All {seats} seats are taken. Wait until somebody leaves.", seats=MAX_PLAYERS)
    return join(state, command, ledger)


_RULES: Final[Mapping[type[Command], Callable[[State, Any, Ledger], Outcome]]] = {
    Bet: _bet,
    TakeBack: _take_back,
    NoMoreBets: _no_more_bets,
    Spin: _spin,
    Join: _join,
    Leave: leave,
}
