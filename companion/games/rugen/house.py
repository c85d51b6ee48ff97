"""House Rugen: bets against the bank on the next throw, and on which number breaks the chain.

The die is thrown again and again, with a marker on the thrown number's space each time. A number N breaks the
chain when it has been thrown N times; then the markers are cleared and a new chain begins. Every throw settles the
one-roll bets (center, day, night); the chain bets wait for the break. Source: the Rugen chapter of the Rochi rules
1.3, with the rulings on Rugen.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import partial
from typing import Any, ClassVar, Final, Literal, cast

from companion.games.rugen import audit as rugen_audit
from companion.games.rugen import risk as rugen_risk
from companion.games.rugen.commands import Throw, thrown_face
from companion.games.rugen.events import DieThrown, HouseChainBroken, ThrowSettled
from companion.games.rugen.prices import CHAIN, ONE_ROLL, SPOTS, layout_price, spot_parts, spot_price
from companion.games.rugen.shapes import RugenHouseView, RugenSpace
from companion.games.rugen.words import COMMANDS, code_words, spot_words
from companion.kernel.commands import Bet, Command, Join, Leave, TakeBack, verbs
from companion.kernel.errors import BadAmount, NotOffered, WrongPhase
from companion.kernel.events import Paid
from companion.kernel.game import BaseGame, Effect, Options, Rounds, Seat, seat_of
from companion.kernel.ledger import Ledger, checked_coins
from companion.kernel.messages import Message, message
from companion.kernel.price import Price
from companion.kernel.shared import banked as house
from companion.kernel.shared.audit import wrong_sums
from companion.kernel.shared.options import check_names, choice, switch
from companion.kernel.shared.seating import join, leave
from companion.objects.cards import Half
from companion.objects.dice import NUMBERS, breaks, half_of, number_of

Reading = Literal["all", "own"]
"""Throws counted by a chain-day or chain-night bet: all of the chain, or those of its own number."""


class Phase(Enum):
    """Phase of a chain."""

    START = "chain-start"
    "No throw of the chain yet: every bet may be placed and taken back."
    CHAIN = "chain"
    "The chain is under way: chain bets stay until it breaks."


@dataclass(frozen=True, slots=True)
class Rules:
    """The table's rules."""

    late_chain: bool = False
    reading: Reading = "all"
    better_half: Half = "day"
    limits: house.Limits = field(default_factory=house.Limits)


@dataclass(frozen=True, slots=True)
class State:
    """State of a House Rugen table.

    ``chain`` is the faces since the last break, ``settled`` the bets decided since then, ``paid_now`` the bets decided
    by the last throw.
    """

    rules: Rules
    seats: tuple[Seat, ...]
    chain: tuple[str, ...] = ()
    stakes: house.Stakes = ()
    settled: tuple[Paid, ...] = ()
    paid_now: tuple[Paid, ...] = ()
    broken: HouseChainBroken | None = None
    "Result of the last chain."
    throws: int = 0
    "Number of all throws; an undo decrements it."

    @property
    def phase(self) -> Phase:
        return Phase.CHAIN if self.chain else Phase.START

    def markers(self, number: int) -> tuple[str, ...]:
        """The throws of the chain marked on a number's space, in order."""
        return tuple(face for face in self.chain if number_of(face) == number)

    @property
    def worst(self) -> house.Worst | None:
        """The most expensive course of the chain for the bank; None without bets."""
        return rugen_risk.worst_chain(_settlement(self.rules), self.stakes, self.chain)

    @property
    def offers(self) -> tuple[house.Offer, ...]:
        """All spots of the layout, with their better price."""
        return tuple(_offer(self.rules, on) for on in SPOTS)


Outcome = tuple[State, tuple[Effect, ...]]


class RugenHouse(BaseGame):
    """The rules of House Rugen; see `companion.kernel.game.Game`."""

    name = "rugen-house"
    title = message("House Rugen").key  # marked for translation: printed cards use the localized title
    rounds = Rounds("chain", begin_with=frozenset(), follow_on=True)
    to_finish: ClassVar[str] = message(
        "throw until a number breaks the chain, or take the bets back before its first throw"
    )
    verbs = verbs(Bet, TakeBack, Throw, Join, Leave)
    own_words = COMMANDS

    def start(self, seats: Sequence[Seat], options: Options) -> State:
        return State(parse_rules(options), tuple(seats))

    def usual_buy_in(self, state: State) -> int:
        return state.rules.limits.usual_buy_in

    def apply(self, state: State, command: Command, ledger: Ledger) -> Outcome:
        return _RULES[type(command)](state, command, ledger)

    def audit(self, before: State, command: Command, happened: Sequence[Effect], ledger: Ledger) -> tuple[str, ...]:
        if not isinstance(command, Throw):
            return ()
        stakes = [(stake.player, stake.on, stake.amount) for stake in before.stakes]
        should = rugen_audit.house_changes(
            (*before.chain, thrown_face(command)), stakes, before.rules.reading, before.rules.better_half
        )
        return wrong_sums(should, happened)

    def unfinished(self, state: State) -> Message | None:
        """Block leaving while settled one-roll bets are not in a result yet: that comes when the chain breaks."""
        return message("bets of this chain are settled, and it is not broken") if state.settled else None

    def facts(self, state: State) -> Mapping[str, object]:
        return {
            "chain": list(state.chain),
            "markers": {str(number): list(state.markers(number)) for number in NUMBERS},
            "bets": [stake.to_json() for stake in state.stakes],
        }

    def view(self, state: State) -> RugenHouseView:
        rules = state.rules
        return {
            "prompt": _prompt(state),
            "late_chain": rules.late_chain,
            "chain_day_night": rules.reading,
            "better_half": rules.better_half,
            "limits": rules.limits.to_json(),
            "throws": state.throws,
            "chain": list(state.chain),
            "last": state.chain[-1] if state.chain else None,
            "spaces": [_space_view(state, number) for number in NUMBERS],
            "bets": [{**stake.to_json(), "pays": layout_price(stake.on, rules.better_half)} for stake in state.stakes],
            "spots": {on: layout_price(on, rules.better_half) for on in SPOTS},
            "settled": [paid.public_json() for paid in state.settled],
            "paid_now": [paid.public_json() for paid in state.paid_now],
            "result": state.broken.result if state.broken else None,
        }

    def spot_name(self, on: str) -> str:
        return spot_words(on)


def _space_view(state: State, number: int) -> RugenSpace:
    markers = state.markers(number)
    return {"number": number, "markers": list(markers), "count": len(markers), "to_break": number - len(markers)}


def _prompt(state: State) -> Message:
    """Return the dealer's next step."""
    if state.phase is Phase.START:
        return message("A new chain: take bets, then throw the die")
    return message("Mark the throw, take one-roll bets, then throw the die")


def parse_rules(options: Options) -> Rules:
    """Parse the rules from header or configuration options.

    Raises:
        BadScript: an unknown option or value; the message names it.
    """
    check_names("House Rugen", options, ("late_chain", "chain_day_night", "better_half", *house.LIMITS))
    return Rules(
        switch(options, "late_chain"),
        cast(Reading, choice(options, "chain_day_night", ("all", "own"))),
        cast(Half, choice(options, "better_half", ("day", "night"))),
        house.parse_limits(options),
    )


# ---- betting


def _bet(state: State, command: Bet, ledger: Ledger) -> Outcome:
    seat_of(state.seats, command.player)
    kind, number = _offered(command.on)
    if kind in CHAIN:
        _check_chain_open(state, number)
    amount = checked_coins(command.amount, message("a bet"))
    if kind in ONE_ROLL and amount % number:
        raise BadAmount.saying(
            "A bet on {spot} is a multiple of {number}, not {amount}. Bet more or less.",
            spot=code_words(command.on),
            number=number,
            amount=amount,
        )
    offer = _offer(state.rules, command.on)

    def most_won(stakes: house.Stakes) -> int:
        return rugen_risk.most_won(_settlement(state.rules), stakes, state.chain)

    stakes, happened = house.place(state.stakes, command, offer, most_won, state.rules.limits, ledger)
    return replace(state, stakes=stakes), happened


def _offer(rules: Rules, on: str) -> house.Offer:
    kind, number = spot_parts(on)
    best = spot_price(on, rules.better_half, rules.better_half)
    return house.Offer(on, spot_words(on), best, number if kind in ONE_ROLL else 1)


def _settlement(rules: Rules) -> rugen_risk.Settlement:
    return rugen_risk.Settlement(partial(one_roll_price, rules), partial(_chain_price, rules))


def _offered(on: str) -> tuple[str, int]:
    if on not in SPOTS:
        raise NotOffered.saying("This table does not offer {spot}. See the layout for what it offers.", spot=repr(on))
    return spot_parts(on)


def _check_chain_open(state: State, number: int) -> None:
    """Raise unless a chain bet is allowed: before the first throw, or late on a number without a marker."""
    if state.phase is Phase.START:
        return
    if not state.rules.late_chain:
        raise WrongPhase.saying("A chain bet has to wait: the chain has begun. Bet at the beginning of the next one.")
    if state.markers(number):
        raise WrongPhase.saying(
            "{number} has a marker, so no chain bet on it now. Bet at the beginning of the next chain.", number=number
        )


def _take_back(state: State, command: TakeBack, ledger: Ledger) -> Outcome:
    seat_of(state.seats, command.player)
    kind, _ = _offered(command.on)
    placed = house.find_stake(state.stakes, command.player, command.on)
    if placed and kind in CHAIN and state.phase is Phase.CHAIN:
        raise WrongPhase.saying("{spot} stays until the chain breaks. Throw on, or undo.", spot=code_words(command.on))
    stakes, happened = house.take_back(state.stakes, command, spot_words(command.on))
    return replace(state, stakes=stakes), happened


# ---- throwing


def _throw(state: State, command: Throw, ledger: Ledger) -> Outcome:
    face = thrown_face(command)
    thrown = replace(state, chain=(*state.chain, face), throws=state.throws + 1, paid_now=())
    number = number_of(face)
    event = DieThrown(face, number, len(thrown.markers(number)), command.d20)
    after, settled = _settle_one_roll(thrown, face)
    if not breaks(after.chain):
        return after, (event, *settled)
    after, broken = _break_chain(after, face)
    return after, (event, *settled, *broken)


def _settle_one_roll(state: State, face: str) -> Outcome:
    """Settle the one-roll bets."""
    open_bets = [stake for stake in state.stakes if spot_parts(stake.on)[0] in ONE_ROLL]
    if not open_bets:
        return state, ()
    paid = tuple(house.settled(stake, one_roll_price(state.rules, stake.on, face)) for stake in open_bets)
    rest = tuple(stake for stake in state.stakes if stake not in open_bets)
    after = replace(state, stakes=rest, settled=(*state.settled, *paid), paid_now=paid)
    return after, (ThrowSettled(face, paid), *house.payments(paid))


def one_roll_price(rules: Rules, on: str, face: str) -> Price | None:
    """Return the price of a won one-roll bet; None if it lost."""
    kind, number = spot_parts(on)
    half = half_of(face)
    won = number == number_of(face) and kind in ("center", half)
    return spot_price(on, half, rules.better_half) if won else None


def _break_chain(state: State, face: str) -> Outcome:
    """Settle the chain bets, clear the markers, begin a new chain."""
    paid = tuple(house.settled(stake, _chain_price(state.rules, stake.on, state.chain)) for stake in state.stakes)
    event = HouseChainBroken(number_of(face), face, state.chain, (*state.settled, *paid))
    paid_now = (*state.paid_now, *paid)
    after = State(state.rules, state.seats, paid_now=paid_now, broken=event, throws=state.throws)
    return after, (event, *house.payments(paid))


def _chain_price(rules: Rules, on: str, chain: Sequence[str]) -> Price | None:
    """Return the price of a won chain bet on a broken chain; None if it lost."""
    kind, number = spot_parts(on)
    if number != number_of(chain[-1]):
        return None
    if kind != "chain":
        looked_at = [face for face in chain if rules.reading == "all" or number_of(face) == number]
        if any(f"chain-{half_of(face)}" != kind for face in looked_at):
            return None
    return spot_price(on, half_of(chain[-1]), rules.better_half)


_RULES: Final[Mapping[type[Command], Callable[[State, Any, Ledger], Outcome]]] = {
    Bet: _bet,
    TakeBack: _take_back,
    Throw: _throw,
    Join: join,
    Leave: leave,
}
