"""Capital Rugen: players take numbers, the bank covers the rest at a lower price, and the breaker takes all.

The first taker sets the number of units for the chain. When no more players want a number, the bank stakes on all
free ones; then the die is thrown until a number breaks. Source: the Rugen chapter of the Rochi rules 1.3, with the
rulings on Rugen.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Final

from companion.games.rugen import audit as rugen_audit
from companion.games.rugen.commands import Close, Take, Throw, checked_number, thrown_face
from companion.games.rugen.events import ChainBroken, DieThrown, HouseCovered, NumberTaken
from companion.games.rugen.prices import LOW, SCHEDULES, Schedule
from companion.games.rugen.shapes import CapitalSpace, RugenCapitalView
from companion.games.rugen.wager import Claim, Wager, player_stakes
from companion.games.rugen.words import COMMANDS, is_taken, numbers_taken
from companion.kernel.commands import Command, Join, Leave, Record, verbs
from companion.kernel.errors import BadAmount, BadScript, NotOffered, WrongPhase
from companion.kernel.game import BaseGame, Effect, Options, Rounds, Seat, seat_of
from companion.kernel.ledger import Ledger, checked_coins
from companion.kernel.messages import Message, message
from companion.kernel.price import Price
from companion.kernel.shared import banked as house
from companion.kernel.shared.audit import wrong_sums
from companion.kernel.shared.options import check_names
from companion.kernel.shared.seating import PlayerStake, join, leave
from companion.objects.dice import NUMBERS, breaks, number_of


class Phase(Enum):
    """Phase of a chain."""

    TAKING = "taking"
    "Numbers may be taken; the bank waits."
    CHAIN = "chain"
    "The bank has covered the rest; the die is thrown until a number breaks."


@dataclass(frozen=True, slots=True)
class Rules:
    """The table's rules."""

    schedule: Schedule = LOW
    limits: house.Limits = field(default_factory=house.Limits)


@dataclass(frozen=True, slots=True)
class State:
    """State of a Capital Rugen table. ``chain`` is the faces thrown since the bank covered."""

    rules: Rules
    seats: tuple[Seat, ...]
    phase: Phase = Phase.TAKING
    wager: Wager = Wager()  # noqa: RUF009 (a frozen value)
    chain: tuple[str, ...] = ()
    broken: ChainBroken | None = None
    "Result of the last chain."
    throws: int = 0
    "Number of all throws; an undo decrements it."

    @property
    def stakes(self) -> tuple[PlayerStake, ...]:
        return player_stakes((self.wager,))

    @property
    def worst(self) -> house.Worst | None:
        """The bank's stakes, or what it would stake if taking were closed now; None without a taker."""
        takers = [claim.number for claim in self.wager.claims if claim.player is not None]
        if not takers:
            return None
        if self.phase is Phase.TAKING:
            coins = self.wager.units * sum(self.rules.schedule.house_price(number) for number in self.wager.free)
        else:
            coins = sum(claim.amount for claim in self.wager.claims if claim.player is None)
        fewest = min(takers, key=lambda number: number - sum(number_of(face) == number for face in self.chain))
        staked = coins if self.phase is Phase.CHAIN else 0
        return house.Worst(coins, {"taken": takers}, None, _way_to(fewest, self), staked)

    @property
    def offers(self) -> tuple[house.Offer, ...]:
        """All numbers, with their cost and the win from the bank if nobody else takes one."""
        schedule = self.rules.schedule
        costs = {number: schedule.player_price(number) for number in NUMBERS}
        return tuple(
            house.Offer(f"take/{n}", str(n), Price(_house_rest(schedule, n), cost), cost) for n, cost in costs.items()
        )


Outcome = tuple[State, tuple[Effect, ...]]


class RugenCapital(BaseGame):
    """The rules of Capital Rugen; see `companion.kernel.game.Game`."""

    name = "rugen-capital"
    title = message("Capital Rugen").key  # marked for translation: printed cards use the localized title
    rounds = Rounds("chain", begin_with=frozenset(), follow_on=True)
    verbs = verbs(Take, Close, Throw, Join, Leave)
    own_words = COMMANDS

    def start(self, seats: Sequence[Seat], options: Options) -> State:
        return State(parse_rules(options), tuple(seats))

    def usual_buy_in(self, state: State) -> int:
        return state.rules.limits.usual_buy_in

    def expected(self, state: State) -> frozenset[str]:
        by_phase = {Phase.TAKING: {"take", "close"}, Phase.CHAIN: {"throw"}}
        return frozenset(by_phase[state.phase] | {"join", "leave"})

    def why_not(self, state: State) -> Message:
        return _WHY_NOT[state.phase](message("This"))

    def apply(self, state: State, command: Command, ledger: Ledger) -> Outcome:
        return _RULES[type(command)](state, command, ledger)

    def audit(self, before: State, command: Command, happened: Sequence[Effect], ledger: Ledger) -> tuple[str, ...]:
        wager = before.wager
        if isinstance(command, Throw):
            chain = (*before.chain, thrown_face(command))
            return wrong_sums(rugen_audit.wager_changes(chain, [wager.for_audit()]), happened)
        if isinstance(command, Close):
            should = rugen_audit.cover_changes(wager.numbers, wager.units, before.rules.schedule.house)
            return wrong_sums(should, happened)
        return ()

    def facts(self, state: State) -> Mapping[str, object]:
        return {
            "units": state.wager.units or None,
            "takers": {str(claim.number): claim.player for claim in state.wager.claims},
            "bets": state.wager.to_json()["claims"],
            "chain": list(state.chain),
        }

    def view(self, state: State) -> RugenCapitalView:
        schedule = state.rules.schedule
        return {
            "prompt": _prompt(state),
            "schedule": {"house": list(schedule.house), "player": list(schedule.player)},
            "limits": state.rules.limits.to_json(),
            "wager": state.wager.to_json(),
            "free": list(state.wager.free),
            "throws": state.throws,
            "chain": list(state.chain),
            "last": state.chain[-1] if state.chain else None,
            "spaces": [_space_view(state, number) for number in NUMBERS],
            "result": state.broken.result if state.broken else None,
            "stake_back": state.broken.stake if state.broken else 0,
        }


def _space_view(state: State, number: int) -> CapitalSpace:
    claim = state.wager.claim(number)
    markers = [face for face in state.chain if number_of(face) == number]
    return {
        "number": number,
        "markers": markers,
        "count": len(markers),
        "to_break": number - len(markers),
        "player": claim.player if claim else None,
        "staked": claim.amount if claim else 0,
    }


def _prompt(state: State) -> Message:
    """Return the dealer's next step."""
    if state.phase is Phase.TAKING:
        return message("Players take numbers; then close, and the house covers the rest")
    return message("Throw the die")


# ---- the header's options


def parse_rules(options: Options) -> Rules:
    """Parse the rules from header or configuration options.

    Raises:
        BadScript: an unknown option or value; the message names it.
    """
    check_names("Capital Rugen", options, ("schedule", *house.LIMITS))
    return Rules(_schedule(options.get("schedule", "low")), house.parse_limits(options))


def _schedule(value: Any) -> Schedule:
    if isinstance(value, str) and value in SCHEDULES:
        return SCHEDULES[value]
    if not isinstance(value, Mapping) or set(value) != {"house", "player"}:
        raise BadScript(
            f'Option \'schedule\' is low, high or {{"house": [7, 4, 3, 2], "player": [8, 5, 4, 3]}}, got {value!r}.'
        )
    return Schedule(_four_prices(value, "house"), _four_prices(value, "player"))


def _four_prices(schedule: Mapping[str, object], who: str) -> tuple[int, ...]:
    prices = schedule[who]
    if not isinstance(prices, list) or len(prices) != 4 or not all(type(p) is int and p > 0 for p in prices):
        raise BadScript(f"The {who}'s schedule is four whole numbers above zero, for 1, 2, 3 and 4; got {prices!r}.")
    return tuple(prices)


# ---- taking


def _need_phase(state: State, phase: Phase, what: Message) -> None:
    if state.phase is not phase:
        raise WrongPhase(_WHY_NOT[state.phase](what))


_WHY_NOT: Final[Mapping[Phase, Callable[[Message], Message]]] = {
    Phase.TAKING: numbers_taken,
    Phase.CHAIN: lambda what: message(
        "{what} has to wait: the chain has begun. Throw on until a number breaks, or undo.", what=what
    ),
}


def _take(state: State, command: Take, ledger: Ledger) -> Outcome:
    _need_phase(state, Phase.TAKING, message("Taking a number"))
    seat_of(state.seats, command.player)
    number = checked_number(command.number)
    other = state.wager.claim(number)
    if other is not None:
        raise NotOffered(is_taken(number, other.player))
    units = _units(state, command)
    claim = Claim(number, command.player, units * state.rules.schedule.player_price(number))
    state.rules.limits.check(_wish(state, claim, units, ledger.balance(command.player)))
    house.check_affordable(ledger, command.player, claim.amount)
    wager = replace(state.wager.with_claims((claim,)), units=units)
    event = NumberTaken(command.player, number, units, claim.amount)
    return replace(state, wager=wager), (event, *wager.stakes_moved((claim,)))


def _wish(state: State, claim: Claim, units: int, purse: int) -> house.Wish:
    """Return a take in the form checked against the limits; once the units are set, its size is fixed."""
    schedule = state.rules.schedule
    price = schedule.player_price(claim.number)
    step = claim.amount if state.wager.units else price
    free = sum(schedule.house_price(number) for number in state.wager.free if number != claim.number)
    return house.Wish(
        str(claim.number),
        claim.amount,
        lambda coins: coins // price * _house_rest(schedule, claim.number),
        lambda coins: coins // price * free,
        purse,
        step=step,
    )


def _way_to(number: int, state: State) -> tuple[Record, ...]:
    """Return the commands until this number breaks: the close, if still due, and the throws."""
    left = number - sum(number_of(face) == number for face in state.chain)
    close: tuple[Record, ...] = ({"do": "close"},) if state.phase is Phase.TAKING else ()
    return (*close, *({"do": "throw", "face": f"{number}d"} for _ in range(left)))


def _house_rest(schedule: Schedule, number: int) -> int:
    """Return the bank's loss per unit if this number alone were taken."""
    return sum(schedule.house) - schedule.house_price(number)


def _units(state: State, command: Take) -> int:
    """Return the units of a take, which the first taker sets for everybody."""
    playing = state.wager.units
    if command.units is None:
        if playing:
            return playing
        raise BadScript.saying("The first to take a number says for how many units. Add 'units' to the command.")
    units = checked_coins(command.units, message("units"))
    if playing and units != playing:
        raise BadAmount.saying(
            "This chain is played for {playing} units, not {units}. Take the number for {playing}.",
            playing=playing,
            units=units,
        )
    return units


def _close(state: State, command: Close, ledger: Ledger) -> Outcome:
    _need_phase(state, Phase.TAKING, message("Closing"))
    units, schedule = state.wager.units, state.rules.schedule
    free = state.wager.free if units else ()  # nobody plays, so there is nothing to cover
    covered = tuple(Claim(number, None, units * schedule.house_price(number)) for number in free)
    wager = state.wager.with_claims(covered)
    event = HouseCovered(tuple((claim.number, claim.amount) for claim in covered))
    return replace(state, phase=Phase.CHAIN, wager=wager), (event, *wager.stakes_moved(covered))


# ---- throwing


def _throw(state: State, command: Throw, ledger: Ledger) -> Outcome:
    _need_phase(state, Phase.CHAIN, message("Throwing"))
    face = thrown_face(command)
    number = number_of(face)
    chain = (*state.chain, face)
    count = sum(number_of(thrown) == number for thrown in chain)
    event = DieThrown(face, number, count, command.d20)
    if not breaks(chain):
        return replace(state, chain=chain, throws=state.throws + 1), (event,)
    winner = state.wager.winner_after(chain)
    losses = state.wager.losses(winner) if winner else ()
    stake = state.wager.stake_back(winner) if winner else 0
    broken = ChainBroken(number, face, chain, winner.player if winner else None, losses, stake)
    moved = tuple(state.wager.won_by(winner)) if winner else ()
    return State(state.rules, state.seats, broken=broken, throws=state.throws + 1), (event, broken, *moved)


_RULES: Final[Mapping[type[Command], Callable[[State, Any, Ledger], Outcome]]] = {
    Take: _take,
    Close: _close,
    Throw: _throw,
    Join: join,
    Leave: leave,
}
