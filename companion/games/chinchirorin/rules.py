"""Rules of chinchirorin: three dice in a bowl, a banker who risks a bank, and bettors, for whom the highest one throws.

The banker throws first, up to three times, until a storm, a score or a die out of the bowl; then, unless that decided
it, the player, who is the highest bettor. A storm pays or collects several times the bets, a higher score once; equal
scores are a wash. After each round the bank passes to the left; after a wash the banker may keep it. Rules: the
chapter on chinchirorin, with the house rulings.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final

from companion.games.chinchirorin import audit as second_settlement
from companion.games.chinchirorin.commands import (
    Bank,
    Bet,
    Close,
    KeepBank,
    OfTurn,
    PassBank,
    TakeBack,
    Throw,
    ThrowForBank,
)
from companion.games.chinchirorin.events import (
    BankAnnounced,
    BankGiven,
    BankKept,
    DiceThrown,
    DrawThrown,
    DrawTied,
    GameOver,
    WagerPlaced,
    WagerTakenBack,
)
from companion.games.chinchirorin.settlement import BACK, settle, verdict
from companion.games.chinchirorin.shapes import ChinchirorinView
from companion.games.chinchirorin.state import (
    MAX_PLAYERS,
    MIN_PLAYERS,
    TITLE,
    Phase,
    Stake,
    State,
    between_rounds,
    cleared,
    clockwise,
    next_round,
    started,
)
from companion.games.chinchirorin.throws import OUT, TRIES, Kind, reading
from companion.games.chinchirorin.throws import Throw as Thrown
from companion.games.chinchirorin.view import facts, view
from companion.games.chinchirorin.words import COMMANDS
from companion.kernel.accounts import Account
from companion.kernel.commands import CASHIER, CashOut, Command, Join, Leave, Recount, verbs
from companion.kernel.errors import NotEnoughCoins, NothingDone, NotOffered, NotYourTurn, OverLimit, WrongPhase
from companion.kernel.events import BettingClosed
from companion.kernel.game import BaseGame, Effect, Options, Rounds, Seat, seat_of
from companion.kernel.ledger import Ledger, Transfer, checked_coins
from companion.kernel.messages import Message, linked, message
from companion.kernel.shared.seating import sit_down, stand_up
from companion.kernel.values import changed

Outcome = tuple[State, tuple[Effect, ...]]

_VERBS_IN: Final[Mapping[Phase, frozenset[str]]] = {
    Phase.DRAW: frozenset({"throw-for-bank"}),
    Phase.BANK: frozenset({"bank"}),
    Phase.BETTING: frozenset({"bet", "take-back", "close"}),
    Phase.BANKER: frozenset({"throw"}),
    Phase.PLAYER: frozenset({"throw"}),
    Phase.WASH: frozenset({"keep-bank", "pass-bank"}),
    Phase.OVER: frozenset(),
}
_WHY_NOT: Final[Mapping[Phase, Message]] = {
    Phase.DRAW: message("This has to wait: everybody throws a die for the first bank."),
    Phase.BANK: message("This has to wait: the banker says first how much the bank is."),
    Phase.BETTING: message("This has to wait: bets are open. Close them first."),
    Phase.BANKER: message("This has to wait: the banker throws."),
    Phase.PLAYER: message("This has to wait: the player throws."),
    Phase.WASH: message("This has to wait: after the wash the banker keeps or passes the bank."),
    Phase.OVER: message("The game is over: at most one player has coins. Let somebody join, or undo."),
}
_BET: Final = message("bet")
_SEATING: Final = frozenset({"join", "leave"})
_RECOUNT: Final = frozenset({Recount.verb})


class Chinchirorin(BaseGame):
    """Rules of chinchirorin; see `companion.kernel.game.Game`."""

    name = "chinchirorin"
    title = TITLE
    min_players = MIN_PLAYERS
    empty_text = False
    verbs = verbs(Close, KeepBank, PassBank, ThrowForBank, Bank, Bet, TakeBack, Throw, Join, Leave)
    own_words = COMMANDS
    rounds = Rounds(begin_with=frozenset(), follow_on=True)
    to_finish: ClassVar[str] = message("throw the round to its end or take the bets back")

    def start(self, seats: Sequence[Seat], options: Options) -> State:
        return started(seats, options)

    def expected(self, state: State) -> frozenset[str]:
        if state.phase is Phase.DRAW and not state.asked:
            return _SEATING
        return _VERBS_IN[state.phase] | _SEATING

    def cashier(self, state: State) -> frozenset[str]:
        return CASHIER if state.phase is Phase.BANK else _RECOUNT

    def counted(self, state: State, command: Command | None, ledger: Ledger) -> State:
        if isinstance(command, CashOut) and command.player == state.banker:
            raise NotOffered.saying(
                "{banker} has the bank and plays this round before cashing out.", banker=command.player
            )
        return between_rounds(state, ledger) if state.is_between else state

    def why_not(self, state: State) -> Message:
        return _WHY_NOT[state.phase]

    def apply(self, state: State, command: Command, ledger: Ledger) -> Outcome:
        if command.verb not in _VERBS_IN[state.phase] and command.verb not in _SEATING:
            raise WrongPhase(_WHY_NOT[state.phase])
        return _RULES[type(command)](state, command, ledger)

    def audit(self, before: State, command: Command, happened: Sequence[Effect], ledger: Ledger) -> tuple[str, ...]:
        if not isinstance(command, Throw):
            return ()
        moved = [event for event in happened if isinstance(event, Transfer)]
        thrower = before.phase.value
        return second_settlement.differences(thrower, before, "out" if command.out else command.dice, moved, ledger)

    def view(self, state: State) -> ChinchirorinView:
        return view(state)

    def facts(self, state: State) -> Mapping[str, object]:
        return facts(state)


# ---- the first bank


def _throw_for_bank(state: State, command: ThrowForBank, ledger: Ledger) -> Outcome:
    seat_of(state.seats, command.player)
    if command.player not in state.asked:
        who = linked(state.asked) or message("nobody")
        raise NotYourTurn.saying(
            "{player} is not asked to throw. Still to throw: {who}.", player=command.player, who=who
        )
    drawn = (*state.drawn, (command.player, command.die))
    asked = tuple(player for player in state.asked if player != command.player)
    thrown = DrawThrown(command.player, command.die)
    after = changed(state, drawn=drawn, asked=asked)
    if asked:
        return after, (thrown,)
    after, happened = _drawn(after, ledger)
    return after, (thrown, *happened)


def _drawn(state: State, ledger: Ledger) -> Outcome:
    """Finish the draw: the highest die gets the bank, or those tied for it throw again."""
    highest = max(die for _, die in state.drawn)
    best = {player for player, die in state.drawn if die == highest}
    tied = tuple(seat.player for seat in state.seats if seat.player in best)
    if len(tied) > 1:
        return changed(state, asked=tied, drawn=(), tied_at=highest), (DrawTied(tied, highest),)
    return _given(next_round(state, seat_of(state.seats, tied[0]).number, ledger))


def _given(state: State) -> Outcome:
    """Add the event for the new banker, or for the end of the game."""
    if state.phase is Phase.OVER:
        return state, (GameOver(state.banker),)
    return state, (BankGiven(state.banker or ""),)


# ---- the bank and the bets


def _check_turn(state: State, command: OfTurn) -> None:
    if command.player is None:
        return
    seat_of(state.seats, command.player)
    if command.player != state.turn:
        raise NotYourTurn.saying("It is {turn}'s turn, not {player}'s.", turn=str(state.turn), player=command.player)


def _bank(state: State, command: Bank, ledger: Ledger) -> Outcome:
    _check_turn(state, command)
    banker = state.banker or ""
    coins = checked_coins(command.amount, message("a bank"))
    if coins > ledger.balance(banker):
        raise NotEnoughCoins.saying(
            "{banker} has {coins} coins and cannot risk {bank}. Announce a smaller bank.",
            banker=banker,
            coins=ledger.balance(banker),
            bank=coins,
        )
    return changed(state, phase=Phase.BETTING, bank=coins), (BankAnnounced(banker, coins),)


def _check_bettor(state: State, player: str) -> None:
    """Raise unless a player may still bet: betting goes clockwise from the banker, without going back."""
    seat = seat_of(state.seats, player)
    assert state.bank_at is not None, "bets are made against a bank"
    if seat.number == state.bank_at:
        raise NotOffered.saying("{player} has the bank and does not bet against it.", player=player)
    order = [other.player for other in clockwise(state.seats, state.bank_at)]
    last = state.stakes[-1].player if state.stakes else player
    if order.index(player) < order.index(last):
        raise NotYourTurn.saying("{last} further on has bet already, so {player} is past.", last=last, player=player)


def _bet(state: State, command: Bet, ledger: Ledger) -> Outcome:
    _check_bettor(state, command.player)
    amount = checked_coins(command.amount, message("a bet"))
    assert state.bank is not None, "bets are made against a bank"
    if state.staked + amount > state.bank and not command.allowed:
        left = max(state.bank - state.staked, 0)
        raise OverLimit.saying(
            "The bank has room for {left} more, not {amount}. Bet less, or let the banker allow it.",
            left=left,
            amount=amount,
        )
    had = ledger.balance(command.player)
    if amount > had:
        raise NotEnoughCoins.saying(
            "{player} has {coins} coins, not {amount}. Bet less.", player=command.player, coins=had, amount=amount
        )
    before = state.stake_of(command.player)
    stake = Stake(command.player, amount + (before.amount if before else 0))
    stakes = (*(other for other in state.stakes if other is not before), stake)
    moved = Transfer(Account.player(command.player), stake.account, amount, _BET)
    return changed(state, stakes=stakes), (WagerPlaced(command.player, amount, stake.amount), moved)


def _take_back(state: State, command: TakeBack, ledger: Ledger) -> Outcome:
    _check_bettor(state, command.player)
    stake = state.stake_of(command.player)
    if stake is None:
        raise NothingDone.saying("{player} has no bet to take back.", player=command.player)
    stakes = tuple(other for other in state.stakes if other is not stake)
    moved = Transfer(stake.account, Account.player(command.player), stake.amount, BACK)
    return changed(state, stakes=stakes), (WagerTakenBack(command.player, stake.amount), moved)


def _close(state: State, command: Close, ledger: Ledger) -> Outcome:
    return changed(state, phase=Phase.BANKER), (BettingClosed(len(state.stakes), state.staked),)


# ---- throwing


def _throw(state: State, command: Throw, ledger: Ledger) -> Outcome:
    _check_turn(state, command)
    throw = _thrown(command)
    throws = (*state.throws, throw)
    said = DiceThrown(state.turn or "", throw, len(throws))
    read = reading(throw)
    if read.kind is Kind.NOTHING and len(throws) < TRIES:
        return changed(state, throws=throws), (said,)
    score = 0 if read.kind is Kind.NOTHING else read.score
    if state.phase is Phase.BANKER and score is not None and state.stakes:
        after = changed(state, phase=Phase.PLAYER, throws=(), banker_throws=throws, banker_score=score)
        return after, (said,)
    after, happened = _decide(state, throw, score, ledger)
    return after, (said, *happened)


def _thrown(command: Throw) -> Thrown:
    if command.out:
        return OUT
    first, second, third = command.dice
    return first, second, third


def _decide(state: State, throw: Thrown, score: int | None, ledger: Ledger) -> Outcome:
    """End the round by a throw; without bets, by the banker's last one."""
    scored = changed(state, banker_score=score) if state.phase is Phase.BANKER else state
    event, moved = settle(scored, verdict(state, throw, score), throw, ledger)
    settled = changed(state, decided=event)
    assert state.bank_at is not None, "a round has a banker"
    if event.outcome == "wash":
        return changed(cleared(settled, state.bank_at), phase=Phase.WASH), (event, *moved)
    after, given = _given(next_round(settled, state.bank_at + 1, ledger.post(moved)))
    return after, (event, *moved, *given)


def _keep_bank(state: State, command: KeepBank, ledger: Ledger) -> Outcome:
    _check_turn(state, command)
    assert state.bank_at is not None, "a wash has a banker"
    after = next_round(state, state.bank_at, ledger)
    if after.phase is Phase.OVER or after.banker != state.banker:  # a recount has left the banker without coins
        return _given(after)
    return after, (BankKept(state.banker or ""),)


def _pass_bank(state: State, command: PassBank, ledger: Ledger) -> Outcome:
    _check_turn(state, command)
    assert state.bank_at is not None, "a wash has a banker"
    return _given(next_round(state, state.bank_at + 1, ledger))


# ---- joining and leaving


def _join(state: State, command: Join, ledger: Ledger) -> Outcome:
    if len(state.seats) >= MAX_PLAYERS:
        raise NotOffered.saying("The table is full: {most} players sit here.", most=MAX_PLAYERS)
    seats, happened = sit_down(state.seats, command)
    return _seated(state, seats, happened, ledger)


def _leave(state: State, command: Leave, ledger: Ledger) -> Outcome:
    has_bank = command.player == state.banker and not state.is_between
    has_to_throw = has_bank or (command.player in state.asked and not state.is_between)
    seats, happened = stand_up(state.seats, command, ledger, has_to_throw or state.stake_of(command.player) is not None)
    drawn = tuple(throw for throw in state.drawn if throw[0] != command.player)  # absent players cannot get the bank
    return _seated(changed(state, drawn=drawn), seats, happened, ledger)


def _seated(state: State, seats: tuple[Seat, ...], happened: tuple[Effect, ...], ledger: Ledger) -> Outcome:
    """Change the seats; between rounds, update the phase by who can play now."""
    after = changed(state, seats=seats)
    if not state.is_between:
        return after, happened
    coins = ledger.post(event for event in happened if isinstance(event, Transfer))
    return between_rounds(after, coins), happened


_RULES: Final[Mapping[type[Command], Callable[[State, Any, Ledger], Outcome]]] = {
    ThrowForBank: _throw_for_bank,
    Bank: _bank,
    Bet: _bet,
    TakeBack: _take_back,
    Close: _close,
    Throw: _throw,
    KeepBank: _keep_bank,
    PassBank: _pass_bank,
    Join: _join,
    Leave: _leave,
}
