"""Street Rugen: the shooter stakes on a point, others take numbers, and the first number to break wins everything.

The shooter throws a point and must stake on it, in multiples of 8, 5, 4 or 3 coins for 1, 2, 3 or 4. Other players
take other numbers for as many units. Then the shooter throws the chain; throws of numbers that nobody took are
ignored. If their number breaks first they keep the die, else it passes to the winner. Side bets among 2 to 4 players
are decided by the same throws, each by the first of its own numbers to break, and the shooter throws on until every
one is decided. Rules: the Rugen chapter of the Rochi rules 1.3, with the rulings on Rugen.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final

from companion.games.rugen import audit as rugen_audit
from companion.games.rugen.commands import Close, SideBet, StakeUnits, Take, Throw, checked_number, thrown_face
from companion.games.rugen.events import (
    ChainBroken,
    DiePassed,
    DieThrown,
    NobodyTook,
    NumberTaken,
    PointMade,
    SideBetDecided,
    SideBetMade,
)
from companion.games.rugen.prices import STREET_UNIT
from companion.games.rugen.shapes import RugenStreetView
from companion.games.rugen.wager import Claim, Wager, player_stakes
from companion.games.rugen.words import COMMANDS, is_taken, numbers_taken
from companion.kernel.commands import Command, Join, Leave, verbs
from companion.kernel.errors import BadAmount, BadScript, NotOffered, WrongPhase
from companion.kernel.game import USUAL_BUY_IN, BaseGame, Effect, Options, Rounds, Seat, seat_of
from companion.kernel.ledger import Ledger, checked_coins
from companion.kernel.messages import Message, message
from companion.kernel.shared import banked as house
from companion.kernel.shared.audit import wrong_sums
from companion.kernel.shared.names import same_name
from companion.kernel.shared.options import check_names, whole_number
from companion.kernel.shared.seating import PlayerStake, sit_down, stand_up
from companion.objects.dice import number_of

SIDE_PLAYERS: Final = (2, 3, 4)


class Phase(Enum):
    """Phase of a game."""

    POINT = "point"
    "The shooter throws the point."
    STAKE = "stake"
    "The shooter must stake on the point."
    TAKING = "taking"
    "Others take numbers and make side bets."
    CHAIN = "chain"
    "The shooter throws until the game and every side bet are decided."


@dataclass(frozen=True, slots=True)
class State:
    """State of a Street Rugen table. ``chain`` is the faces since the close, including ignored numbers."""

    minimum: int
    "Minimum stake of the shooter, in units."
    seats: tuple[Seat, ...]
    shooter: str | None
    phase: Phase = Phase.POINT
    point: int | None = None
    wager: Wager = Wager()  # noqa: RUF009 (a frozen value)
    sides: tuple[Wager, ...] = ()
    chain: tuple[str, ...] = ()
    broken: ChainBroken | None = None
    "Result of the last chain."
    throws: int = 0
    "Number of all throws, including points; an undo decrements it."

    @property
    def stakes(self) -> tuple[PlayerStake, ...]:
        return player_stakes((self.wager, *self.sides))

    @property
    def is_decided(self) -> bool:
        """Whether the game and all side bets are decided."""
        return all(not wager.claims or wager.decided for wager in (self.wager, *self.sides))


Outcome = tuple[State, tuple[Effect, ...]]


class RugenStreet(BaseGame):
    """The rules of Street Rugen; see `companion.kernel.game.Game`."""

    name = "rugen-street"
    title = message("Street Rugen").key  # marked for translation: printed cards use the localized title
    rounds = Rounds("chain", begin_with=frozenset(), begin_at=frozenset({"PointMade"}))
    verbs = verbs(Throw, StakeUnits, Take, SideBet, Close, Join, Leave)
    own_words = COMMANDS

    def start(self, seats: Sequence[Seat], options: Options) -> State:
        return State(parse_minimum(options), tuple(seats), seats[0].player if seats else None)

    def usual_buy_in(self, state: State) -> int:
        return USUAL_BUY_IN * state.minimum

    def expected(self, state: State) -> frozenset[str]:
        by_phase = {
            Phase.POINT: {"throw"} if state.shooter else set(),
            Phase.STAKE: {"stake"},
            Phase.TAKING: {"take", "side-bet", "close"},
            Phase.CHAIN: {"throw"},
        }
        return frozenset(by_phase[state.phase] | {"join", "leave"})

    def why_not(self, state: State) -> Message:
        return (_WHY_NOT[state.phase] if state.shooter else _nobody_here)(message("This"))

    def apply(self, state: State, command: Command, ledger: Ledger) -> Outcome:
        return _RULES[type(command)](state, command, ledger)

    def audit(self, before: State, command: Command, happened: Sequence[Effect], ledger: Ledger) -> tuple[str, ...]:
        if isinstance(command, Throw) and before.phase is Phase.CHAIN:
            chain = (*before.chain, thrown_face(command))
            undecided = [wager.for_audit() for wager in (before.wager, *before.sides) if not wager.decided]
            return wrong_sums(rugen_audit.wager_changes(chain, undecided), happened)
        if isinstance(command, Close):
            return wrong_sums(rugen_audit.refund_changes(before.wager.for_audit()), happened)
        return ()

    def facts(self, state: State) -> Mapping[str, object]:
        return {
            "shooter": state.shooter,
            "point": state.point,
            "units": state.wager.units or None,
            "takers": {str(claim.number): claim.player for claim in state.wager.claims},
            "bets": state.wager.to_json()["claims"],
            "side_bets": [side.to_json() for side in state.sides],
            "chain": list(state.chain),
        }

    def view(self, state: State) -> RugenStreetView:
        return {
            "prompt": _prompt(state),
            "shooter": state.shooter,
            "point": state.point,
            "minimum": state.minimum,
            "units": {str(number): coins for number, coins in STREET_UNIT.items()},
            "wager": state.wager.to_json(),
            "free": list(state.wager.free),
            "side_bets": [side.to_json() for side in state.sides],
            "throws": state.throws,
            "chain": list(state.chain),
            "last": state.chain[-1] if state.chain else None,
            "result": state.broken.result if state.broken else None,
            "stake_back": state.broken.stake if state.broken else 0,
        }


def _prompt(state: State) -> Message:
    """Return the dealer's next step."""
    shooter, point = state.shooter or "", state.point or 1
    if state.phase is Phase.POINT:
        return message("{shooter} throws a point", shooter=shooter) if shooter else message("Waiting for players")
    if state.phase is Phase.STAKE:
        unit = STREET_UNIT[point]
        return message("{shooter} stakes on {point}, a multiple of {unit}", shooter=shooter, point=point, unit=unit)
    if state.phase is Phase.TAKING:
        return message("Others take numbers or bet among themselves; then close")
    return message("{shooter} throws the chain", shooter=shooter)


def parse_minimum(options: Options) -> int:
    """Parse the shooter's minimum stake in units from header or configuration options.

    Raises:
        BadScript: an unknown option or value; the message names it.
    """
    check_names("Street Rugen", options, ("minimum",))
    return whole_number(options, "minimum", "units") or 1


def _need_phase(state: State, phase: Phase, what: Message) -> None:
    if state.phase is not phase:
        raise WrongPhase(_WHY_NOT[state.phase](what))


def _nobody_here(what: Message) -> Message:
    return message("{what} has to wait: nobody sits here. Let a player join first.", what=what)


_WHY_NOT: Final[Mapping[Phase, Callable[[Message], Message]]] = {
    Phase.POINT: lambda what: message(
        "{what} has to wait: there is no point yet. The shooter throws first.", what=what
    ),
    Phase.STAKE: lambda what: message("{what} has to wait: the shooter has to stake on the point first.", what=what),
    Phase.TAKING: numbers_taken,
    Phase.CHAIN: lambda what: message(
        "{what} has to wait: the chain has begun. Throw on until it is decided, or undo.", what=what
    ),
}


# ---- the point and the stakes


def _stake(state: State, command: StakeUnits, ledger: Ledger) -> Outcome:
    _need_phase(state, Phase.STAKE, message("A stake"))
    assert state.shooter is not None
    assert state.point is not None
    units = checked_coins(command.units, message("units"))
    if units < state.minimum:
        raise BadAmount.saying(
            "The shooter stakes at least {least} units, not {units}. Stake more.", least=state.minimum, units=units
        )
    wager, happened = _claim(Wager(units=units), state.shooter, state.point, ledger)
    return replace(state, phase=Phase.TAKING, wager=wager), happened


def _claim(wager: Wager, player: str, number: int, ledger: Ledger) -> tuple[Wager, tuple[Effect, ...]]:
    """Put a player's stake on a number of the game."""
    claim = Claim(number, player, wager.units * STREET_UNIT[number])
    house.check_affordable(ledger, player, claim.amount)
    event = NumberTaken(player, number, wager.units, claim.amount)
    return wager.with_claims((claim,)), (event, *wager.stakes_moved((claim,)))


def _take(state: State, command: Take, ledger: Ledger) -> Outcome:
    _need_phase(state, Phase.TAKING, message("Taking a number"))
    seat_of(state.seats, command.player)
    number = checked_number(command.number)
    if command.player == state.shooter:
        raise NotOffered.saying(
            "{shooter} is the shooter and has {point}. Another player takes {number}.",
            shooter=command.player,
            point=state.point or 0,
            number=number,
        )
    other = state.wager.claim(number)
    if other is not None:
        raise NotOffered(is_taken(number, other.player))
    says_units = command.units is not None
    if says_units and (type(command.units) is not int or command.units != state.wager.units):
        raise BadAmount.saying(
            "This game is played for {playing} units, not {units}.",
            playing=state.wager.units,
            units=repr(command.units),
        )
    wager, happened = _claim(state.wager, command.player, number, ledger)
    return replace(state, wager=wager), happened


def _side_bet(state: State, command: SideBet, ledger: Ledger) -> Outcome:
    _need_phase(state, Phase.TAKING, message("A side bet"))
    numbers = _side_numbers(state, command.numbers)
    units = checked_coins(command.units, message("units"))
    claims = tuple(Claim(number, player, units * STREET_UNIT[number]) for player, number in numbers.items())
    for claim in claims:
        house.check_affordable(ledger, claim.player or "", claim.amount)
    index = len(state.sides) + 1
    side = Wager(f"side/{index}", units, claims)
    event = SideBetMade(index, units, tuple((c.player or "", c.number, c.amount) for c in claims))
    return replace(state, sides=(*state.sides, side)), (event, *side.stakes_moved(claims))


def _side_numbers(state: State, numbers: Any) -> dict[str, int]:
    """Return player -> number of a side bet, after validation."""
    if not isinstance(numbers, Mapping):
        raise BadScript(f'A side bet\'s numbers are {{"Ann": 1, "Bo": 4}}, got {numbers!r}.')
    checked: dict[str, int] = {}
    for text, number in numbers.items():
        player = seat_of(state.seats, same_name(str(text))).player
        if player in checked:
            raise BadScript(f"A side bet names {player!r} twice.")
        checked[player] = checked_number(number)
    if len(checked) not in SIDE_PLAYERS:
        raise NotOffered.saying("A side bet is among 2 to 4 players, not {count}.", count=len(checked))
    if len(set(checked.values())) < len(checked):
        raise NotOffered.saying("Two players of this side bet have the same number. Each takes one of their own.")
    return checked


def _close(state: State, command: Close, ledger: Ledger) -> Outcome:
    _need_phase(state, Phase.TAKING, message("Closing"))
    if len(state.wager.claims) > 1:
        return replace(state, phase=Phase.CHAIN), ()
    assert state.shooter is not None
    event = NobodyTook(state.shooter, sum(claim.amount for claim in state.wager.claims))
    after = replace(state, phase=Phase.CHAIN, wager=Wager())
    return _new_point_if_decided(after, (event, *state.wager.returned()))


# ---- throwing


def _throw(state: State, command: Throw, ledger: Ledger) -> Outcome:
    if state.phase is Phase.POINT:
        return _throw_point(state, thrown_face(command))
    _need_phase(state, Phase.CHAIN, message("Throwing"))
    face = thrown_face(command)
    number = number_of(face)
    chain = (*state.chain, face)
    event = DieThrown(face, number, sum(number_of(thrown) == number for thrown in chain), command.d20)
    after, game = _decide_game(replace(state, chain=chain, throws=state.throws + 1))
    after, sides = _decide_sides(after)
    return _new_point_if_decided(after, (event, *game, *sides))


def _throw_point(state: State, face: str) -> Outcome:
    if state.shooter is None:
        raise WrongPhase(_nobody_here(message("A throw")))
    point = number_of(face)
    event = PointMade(state.shooter, face, point, STREET_UNIT[point])
    return replace(state, phase=Phase.STAKE, point=point, throws=state.throws + 1), (event,)


def _decide_game(state: State) -> Outcome:
    """Pay all stakes to the holder of a number broken by the last throw."""
    winner = state.wager.winner_after(state.chain)
    if winner is None:
        return state, ()
    losses = state.wager.losses(winner)
    stake = state.wager.stake_back(winner)
    event = ChainBroken(winner.number, state.chain[-1], state.chain, winner.player, losses, stake)
    after = replace(state, wager=replace(state.wager, decided=winner), broken=event)
    return after, (event, *state.wager.won_by(winner))


def _decide_sides(state: State) -> Outcome:
    """Settle the side bets decided by the last throw."""
    happened: list[Effect] = []
    sides: list[Wager] = []
    for index, side in enumerate(state.sides, start=1):
        winner = side.winner_after(state.chain)
        sides.append(replace(side, decided=winner) if winner else side)
        if winner is not None:
            losses = side.losses(winner)
            name, stake = winner.player or "", side.stake_back(winner)
            happened.append(SideBetDecided(index, winner.number, state.chain[-1], name, losses, stake))
            happened += side.won_by(winner)
    return replace(state, sides=tuple(sides)), tuple(happened)


def _new_point_if_decided(state: State, happened: tuple[Effect, ...]) -> Outcome:
    """Begin the next game once everything is decided; the winner, or else the shooter, gets the die."""
    if not state.is_decided:
        return state, happened
    winner = state.wager.decided.player if state.wager.decided else state.shooter
    shooter = _present(state, winner)
    passed = (DiePassed(shooter),) if shooter is not None and shooter != state.shooter else ()
    after = State(state.minimum, state.seats, shooter, broken=state.broken, throws=state.throws)
    return after, (*happened, *passed)


def _present(state: State, wanted: str | None) -> str | None:
    """Return the next shooter: ``wanted``, or if absent, the player left of the current shooter."""
    if any(seat.player == wanted for seat in state.seats):
        return wanted
    here = next((seat.number for seat in state.seats if seat.player == state.shooter), 0)
    return _left_of(state.seats, here)


def _left_of(seats: Sequence[Seat], number: int) -> str | None:
    """Return the next player clockwise from a seat; None at an empty table."""
    order = sorted(seats, key=lambda seat: (seat.number <= number, seat.number))
    return order[0].player if order else None


# ---- joining and leaving


def _join(state: State, command: Join, ledger: Ledger) -> Outcome:
    seats, happened = sit_down(state.seats, command)
    return replace(state, seats=seats, shooter=state.shooter or seats[0].player), happened


def _leave(state: State, command: Leave, ledger: Ledger) -> Outcome:
    leaving = seat_of(state.seats, command.player)
    is_shooter = command.player == state.shooter
    if is_shooter and state.phase is not Phase.POINT:
        raise WrongPhase.saying("{player} has the die and has to throw the game to its end.", player=command.player)
    has_stakes = any(stake.player == command.player for stake in state.stakes)
    seats, happened = stand_up(state.seats, command, ledger, has_stakes)
    shooter = _left_of(seats, leaving.number) if is_shooter else state.shooter
    passed = (DiePassed(shooter),) if is_shooter and shooter is not None else ()
    return replace(state, seats=seats, shooter=shooter), (*happened, *passed)


_RULES: Final[Mapping[type[Command], Callable[[State, Any, Ledger], Outcome]]] = {
    Throw: _throw,
    StakeUnits: _stake,
    Take: _take,
    SideBet: _side_bet,
    Close: _close,
    Join: _join,
    Leave: _leave,
}
