"""Rules of a hold'em tournament: the cash game's hands, plus levels, rebuys, places and prizes.

Coins are tournament chips: all players start with the same stack, buy-ins stay on the table, and the prizes are paid
from the winner's stack. So there is no separate prize pool, and hands need no second unit. Time comes from commands:
the table stamps them, and its clock issues `next-level` between hands.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final

from companion.games.holdem.rules import Holdem
from companion.games.holdem.shapes import HoldemView
from companion.games.holdem.state import Phase, State, clockwise, in_seat_order
from companion.games.holdem.state import started as cash_game
from companion.games.holdem.tournament import audit as second_settlement
from companion.games.holdem.tournament import race as chip_race
from companion.games.holdem.tournament.commands import (
    AddOn,
    CallOff,
    ChipRace,
    CloseRebuys,
    NextLevel,
    OfTime,
    PauseClock,
    Rebuy,
    StartClock,
    moment,
)
from companion.games.holdem.tournament.events import (
    PRIZE,
    AddedOn,
    ChipsRaced,
    ClockPaused,
    ClockStarted,
    PlayerOut,
    Rebought,
    RebuysClosed,
    TournamentCalledOff,
    TournamentDecided,
    began,
)
from companion.games.holdem.tournament.levels import ladder, schedule
from companion.games.holdem.tournament.tour import Out, Tour, payouts
from companion.games.holdem.tournament.view import facts, view
from companion.games.holdem.tournament.words import COMMANDS
from companion.kernel.accounts import Account
from companion.kernel.cashier import received
from companion.kernel.commands import CASHIER, Command, Join, Leave, Recount, Verbs, verbs
from companion.kernel.errors import BadAmount, BadScript, NothingDone, NotOffered, WrongPhase
from companion.kernel.game import Effect, Options, Seat, seat_of
from companion.kernel.ledger import Ledger, Transfer
from companion.kernel.messages import Message, message
from companion.kernel.shared.options import check_names, whole_number
from companion.kernel.values import changed

Outcome = tuple[State, tuple[Effect, ...]]

TITLE: Final = message("Hold'em tournament").key  # marked for translation: printed cards use the localized title
OPTIONS: Final = ("levels", "rebuy_until", "add_on", "big_blind_ante", "prizes", "button", "buy_in")
PRIZES: Final = (50, 30, 20)
MAX_PLACES: Final = 10
_VERBS: Final = verbs(StartClock, PauseClock, NextLevel, Rebuy, AddOn, CloseRebuys, ChipRace, CallOff)
_BETWEEN: Final = (Phase.READY, Phase.BREAK)
_CLOCK: Final = frozenset({"start-clock", "pause-clock"})


class HoldemTournament(Holdem):
    """Rules of a tournament; see `companion.kernel.game.Game`."""

    name = "holdem-tournament"
    title = TITLE
    verbs: ClassVar[Verbs] = {**Holdem.verbs, **_VERBS}
    own_words: ClassVar = {**Holdem.own_words, **COMMANDS}
    has_own_coins = True  # chips, as many for everybody
    timed: ClassVar[frozenset[str]] = frozenset({"start-clock", "pause-clock", "next-level"})
    to_finish: ClassVar[str] = message("play the tournament to its end, or call it off")

    def start(self, seats: Sequence[Seat], options: Options) -> State:
        check_names(TITLE, options, OPTIONS)
        table = cash_game(seats, {key: options[key] for key in ("button",) if key in options})
        return _at_level(changed(table, tour=started(options)))

    def usual_buy_in(self, state: State) -> int:
        return of(state).buy_in or super().usual_buy_in(state)

    def expected(self, state: State) -> frozenset[str]:
        tour = of(state)
        if state.phase is Phase.OVER:
            return frozenset({"leave"})
        clock = frozenset({"pause-clock" if tour.runs else "start-clock"})
        if state.phase not in _BETWEEN:
            return super().expected(state) | clock
        return _between(state) | clock

    def cashier(self, state: State) -> frozenset[str]:
        tour = of(state)
        if state.phase not in (*_BETWEEN, Phase.OVER) or tour.race is not None:
            return frozenset()
        is_free = not tour.has_begun or state.phase is Phase.OVER
        return CASHIER if is_free else frozenset({Recount.verb})

    def counted(self, state: State, command: Command | None, ledger: Ledger) -> State:
        tour = of(state)
        return state if not tour.has_begun or state.phase is Phase.OVER else _recounted(state, tour, ledger)

    def why_not(self, state: State) -> Message:
        tour = of(state)
        if state.phase is Phase.OVER:
            return message("This has to wait: the tournament is over.")
        if state.phase is Phase.BREAK:
            return message("This has to wait: there is a break. The next level ends it.")
        if state.phase is Phase.READY and tour.race is not None:
            return message("This has to wait: the odd chips are raced for first.")
        if state.phase is Phase.READY and tour.has_begun:
            return message("This is not done now, in a tournament that has begun.")
        return super().why_not(state)

    def unfinished(self, state: State) -> Message | None:
        if of(state).has_begun and state.phase is not Phase.OVER:
            return message("a tournament is under way")
        return None

    def apply(self, state: State, command: Command, ledger: Ledger) -> Outcome:
        if command.verb not in self.expected(state) and _has_to_wait(state, command):
            raise WrongPhase(self.why_not(state))
        if command.verb in _VERBS:
            return _RULES[type(command)](state, command, ledger)
        _check_seating(state, command)
        if command.verb == "post" and not of(state).has_begun:
            state = _opened(state, ledger)
        after, happened = super().apply(state, command, ledger)
        is_over = after.phase is Phase.READY and state.phase is not Phase.READY
        return _hand_over(state, after, happened, ledger) if is_over else (after, happened)

    def audit(self, before: State, command: Command, happened: Sequence[Effect], ledger: Ledger) -> tuple[str, ...]:
        return second_settlement.differences(before, command, happened, ledger)

    def view(self, state: State) -> HoldemView:
        return view(state)

    def facts(self, state: State) -> Mapping[str, object]:
        return facts(state)


def of(state: State) -> Tour:
    """Return the table's tournament state."""
    assert state.tour is not None, "this is a tournament"
    return state.tour


def started(options: Options) -> Tour:
    """Build the initial tournament from a header's options.

    Raises:
        BadScript: an option's value is invalid.
    """
    levels = schedule(options.get("levels", ladder()))
    until, numbers = options.get("rebuy_until", 0), levels[-1].number
    if type(until) is not int or not 0 <= until < numbers:
        raise BadScript(
            f"Option 'rebuy_until' is the last level with rebuys, 0 to {numbers - 1}, got {until!r}. 0: no rebuys."
        )
    add_on = whole_number(options, "add_on") or 0
    if add_on and not until:
        raise BadScript("Option 'add_on' needs 'rebuy_until': add-ons are sold in the last level with rebuys.")
    by_big_blind = options.get("big_blind_ante", False)
    if type(by_big_blind) is not bool:
        raise BadScript(f"Option 'big_blind_ante' is true or false, got {by_big_blind!r}.")
    buy_in = whole_number(options, "buy_in") or 0
    return Tour(levels, _prizes(options.get("prizes", PRIZES)), until, add_on, by_big_blind, buy_in=buy_in)


def _prizes(told: Any) -> tuple[int, ...]:
    is_list = isinstance(told, (list, tuple)) and 0 < len(told) <= MAX_PLACES
    if not is_list or any(type(one) is not int or one < 1 for one in told) or sum(told) != 100:
        raise BadScript(f"Option 'prizes' is hundredths that come to 100, such as {list(PRIZES)}, got {told!r}.")
    if list(told) != sorted(told, reverse=True):
        raise BadScript(f"Option 'prizes' goes from the first place down, got {told!r}.")
    return tuple(told)


def _between(state: State) -> frozenset[str]:
    """Return the verbs offered between hands, without the clock's."""
    tour = of(state)
    if tour.race is not None:
        return frozenset({"chip-race", "call-off"})
    found = {"join", "leave"}
    if state.phase is Phase.READY and len(state.seats) > 1:
        found.add("post")
    if tour.following is not None:
        found.add("next-level")
    if tour.has_begun:
        found |= {"call-off", "rebuy", "close-rebuys"} if tour.has_rebuys else {"call-off"}
        found |= {"add-on"} if tour.may_add else set()
        found -= set() if tour.has_rebuys else {"join"}
    return frozenset(found)


def _has_to_wait(state: State, command: Command) -> bool:
    """Whether an unexpected command gets `WrongPhase`; clock and betting commands raise more specific errors."""
    if command.verb in _CLOCK:
        return state.phase is Phase.OVER
    return state.phase in (*_BETWEEN, Phase.OVER) or command.verb in _VERBS


def _at_level(state: State) -> State:
    """Apply the current level's blinds, ante and smallest chip, or enter the break."""
    level = of(state).level
    if level.blinds is None:
        return changed(state, phase=Phase.BREAK)
    return changed(state, phase=Phase.READY, blinds=level.blinds, ante=level.ante, min_chip=level.chip)


# ---- the clock


def _start_clock(state: State, command: StartClock, ledger: Ledger) -> Outcome:
    if of(state).runs:
        raise NothingDone.saying("The clock runs already.")
    return _with(state, runs=True, since=command.at), (ClockStarted(),)


def _pause_clock(state: State, command: PauseClock, ledger: Ledger) -> Outcome:
    if not of(state).runs:
        raise NothingDone.saying("The clock is paused already.")
    return _with(state, runs=False, since=None, used=used_at(of(state), command)), (ClockPaused(),)


def used_at(tour: Tour, command: OfTime) -> int:
    """Return the elapsed seconds of the level at a command's time."""
    if not tour.runs or tour.since is None or command.at is None:
        return tour.used
    run = moment(command.at, command.verb) - moment(tour.since, command.verb)
    return tour.used + max(int(run.total_seconds()), 0)


def _with(state: State, **changes: Any) -> State:
    return changed(state, tour=changed(of(state), **changes))


def _next_level(state: State, command: NextLevel, ledger: Ledger) -> Outcome:
    tour = of(state)
    since = command.at if tour.runs else None
    after = _at_level(_with(state, at=tour.at + 1, used=0, since=since))
    chips = {seat.player: ledger.balance(seat.player) for seat in clockwise(state.seats, state.button)}
    race = chip_race.race_for(after.min_chip, chips) if tour.has_begun and after.min_chip > state.min_chip else None
    return _decided(_with(after, race=race), (began(of(after)),), ledger)


# ---- entries


def _opened(state: State, ledger: Ledger) -> State:
    """Begin the tournament: all players with coins are entrants, with equal stacks.

    Raises:
        NotOffered: the stacks differ.
    """
    coins = {seat.player: ledger.balance(seat.player) for seat in state.seats if ledger.balance(seat.player) > 0}
    if len(set(coins.values())) > 1:
        least, most = min(coins, key=coins.__getitem__), max(coins, key=coins.__getitem__)
        raise NotOffered.saying(
            "Everybody begins with the same stack, but {more} has {most} and {fewer} {least}. Buy in or cash out.",
            more=most,
            most=coins[most],
            fewer=least,
            least=coins[least],
        )
    stack = max(coins.values(), default=0)
    return _with(state, stack=stack, entrants=tuple(coins), pool=sum(coins.values()))


def _check_seating(state: State, command: Command) -> None:
    """Check joining and leaving during a tournament.

    Raises:
        BadAmount: joining with coins; late entries use a rebuy.
        NotOffered: an entrant leaves, who may be due a prize.
    """
    tour = of(state)
    if not tour.has_begun or state.phase is Phase.OVER:
        return
    if isinstance(command, Join) and command.coins != 0:
        raise BadAmount.saying("The tournament has begun: sit down without coins, then come in with a rebuy.")
    if isinstance(command, Leave) and command.player in tour.entrants:
        raise NotOffered.saying("{player} stays at the table until the prizes are paid.", player=command.player)


def _rebuy(state: State, command: Rebuy, ledger: Ledger) -> Outcome:
    tour, player = of(state), seat_of(state.seats, command.player).player
    if ledger.balance(player):
        raise NotOffered.saying("{player} has coins. Only who has none may rebuy.", player=player)
    is_new = player not in tour.entrants
    after = _with(
        state,
        entrants=(*tour.entrants, player) if is_new else tour.entrants,
        rebuys=tour.rebuys + (not is_new),
        out=tuple([out for out in tour.out if out.player != player]),
        pool=tour.pool + tour.stack,
    )
    return after, (Rebought(player, tour.stack), *_bought(player, tour.stack, ledger))


def _add_on(state: State, command: AddOn, ledger: Ledger) -> Outcome:
    tour, player = of(state), seat_of(state.seats, command.player).player
    if player not in tour.may_add:
        raise NotOffered.saying("{player} cannot have an add-on: one each, for whoever has coins.", player=player)
    after = _with(state, added=(*tour.added, player), pool=tour.pool + tour.add_on)
    return after, (AddedOn(player, tour.add_on), *_bought(player, tour.add_on, ledger))


def _bought(player: str, coins: int, ledger: Ledger) -> Iterator[Transfer]:
    return received(Account.player(player), coins, ledger.aside(player))


def _close_rebuys(state: State, command: CloseRebuys, ledger: Ledger) -> Outcome:
    return _decided(_with(state, is_closed=True), (RebuysClosed(),), ledger)


def _chip_race(state: State, command: ChipRace, ledger: Ledger) -> Outcome:
    race = of(state).race
    assert race is not None, "it is expected only where there is one"
    chip_race.check_winners(race, command.winners)
    in_order = tuple([name for name, _ in race.odd if name in command.winners])
    moved = chip_race.moves(race, in_order)
    return _with(state, race=None), (ChipsRaced(race.chip, in_order), *moved)


def _recounted(state: State, tour: Tour, ledger: Ledger) -> State:
    """Update entrants and eliminations after a recount: players without coins are out, those with coins are in."""
    had = {out.player: out for out in tour.out}
    come = [seat.player for seat in state.seats if seat.player not in tour.entrants and ledger.balance(seat.player)]
    coins = {name: ledger.balance(name) for name in (*tour.entrants, *come)}
    out = tuple([had.get(name, Out(name, state.hand, 0)) for name in coins if not coins[name]])
    return _with(state, entrants=tuple(coins), out=out, pool=sum(coins.values()))


# ---- places and prizes


def _hand_over(before: State, after: State, happened: tuple[Effect, ...], ledger: Ledger) -> Outcome:
    """Eliminate players without coins; decide the tournament if one player has all."""
    ledger = ledger.post([event for event in happened if isinstance(event, Transfer)])
    gone = [player for player in in_seat_order(before.players) if not ledger.balance(player.name)]
    out = tuple([Out(player.name, before.hand, player.coins + player.total + player.dead) for player in gone])
    after = _with(after, out=of(after).out + out)
    left = len(of(after).alive)
    said = tuple([PlayerOut(player.name, left) for player in gone])
    return _decided(after, (*happened, *said), ledger)


def _decided(state: State, happened: tuple[Effect, ...], ledger: Ledger) -> Outcome:
    """Pay the prizes if one player has all coins and rebuys are closed."""
    tour = of(state)
    if not tour.is_decided:
        return state, happened
    places = payouts(tour, {seat.player: seat.number for seat in state.seats})
    first = Account.player(places[0].player)
    moved = tuple([Transfer(first, Account.player(one.player), one.coins, PRIZE) for one in places[1:] if one.coins])
    after = changed(_with(state, places=places, runs=False, since=None, race=None), phase=Phase.OVER)
    return after, (*happened, TournamentDecided(places, moved), *moved)


def _call_off(state: State, command: CallOff, ledger: Ledger) -> Outcome:
    after = _with(state, runs=False, since=None, race=None)
    return changed(after, phase=Phase.OVER), (TournamentCalledOff(),)


_RULES: Final[Mapping[type[Command], Callable[[State, Any, Ledger], Outcome]]] = {
    StartClock: _start_clock,
    PauseClock: _pause_clock,
    NextLevel: _next_level,
    Rebuy: _rebuy,
    AddOn: _add_on,
    CloseRebuys: _close_rebuys,
    ChipRace: _chip_race,
    CallOff: _call_off,
}
