"""A toy game with rules only: a coin is tossed, bets on heads or tails pay 1:1.

It has no pages of its own, so the generic ones are used.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final

from companion.kernel.commands import Bet, Command, Join, Leave, NewRound, Record, TakeBack, verbs
from companion.kernel.errors import BadScript, WrongPhase
from companion.kernel.events import Decided, Event, Paid, bet_gains, paid_words
from companion.kernel.game import BaseGame, Effect, Options, Rounds, Seat
from companion.kernel.ledger import Ledger
from companion.kernel.price import Price
from companion.kernel.shared import banked
from companion.kernel.shared.seating import join, leave
from companion.plugins.plugin import GamePlugin
from companion.plugins.registry import Games

SIDES: Final = ("heads", "tails")
EVEN: Final = Price(1)


class Phase(Enum):
    """Bets are open, or the coin has been tossed."""

    BETTING = "betting"
    TOSSED = "tossed"


@dataclass(frozen=True, slots=True)
class Toss(Command):
    """The coin was tossed."""

    verb = "toss"
    side: str


@dataclass(frozen=True, slots=True)
class Tossed(Decided):
    """The coin fell."""

    side: str
    paid: tuple[Paid, ...]

    @property
    def sentence(self) -> str:
        return f"The coin shows {self.side}. {paid_words(self.paid)}"

    @property
    def result(self) -> dict[str, Any]:
        return {"side": self.side, "text": self.sentence}

    @property
    def gains(self) -> dict[str, int]:
        return bet_gains(self.paid)


@dataclass(frozen=True, slots=True)
class Opened(Event):
    """Bets are open again."""

    @property
    def sentence(self) -> str:
        return "Bets are open"


@dataclass(frozen=True, slots=True)
class State:
    """The state: seats, bets, and the coin's side."""

    seats: tuple[Seat, ...]
    stakes: banked.Stakes = ()
    tossed: Tossed | None = None

    @property
    def phase(self) -> Phase:
        return Phase.TOSSED if self.tossed else Phase.BETTING


Outcome = tuple[State, tuple[Effect, ...]]


class CoinToss(BaseGame):
    """The rules."""

    name = "coin-toss"
    title = "Coin Toss"
    verbs = verbs(Bet, TakeBack, Toss, NewRound, Join, Leave)
    rounds = Rounds("toss")

    def start(self, seats: Sequence[Seat], options: Options) -> State:
        return State(tuple(seats))

    def expected(self, state: State) -> frozenset[str]:
        now = {"new-round"} if state.tossed else {"bet", "take-back", "toss"}
        return frozenset(now | {"join", "leave"})

    def why_not(self, state: State) -> str:
        return "This has to wait for the next round."

    def apply(self, state: State, command: Command, ledger: Ledger) -> Outcome:
        if command.verb not in self.expected(state):
            raise WrongPhase("This has to wait. Open a new round first.")
        if isinstance(command, Bet):
            return self._bet(state, command, ledger)
        if isinstance(command, TakeBack):
            stakes, happened = banked.take_back(state.stakes, command, command.on)
            return replace(state, stakes=stakes), happened
        if isinstance(command, Toss):
            return self._toss(state, command)
        if isinstance(command, Join):
            return join(state, command, ledger)
        if isinstance(command, Leave):
            return leave(state, command, ledger)
        return State(state.seats), (Opened(),)

    def _bet(self, state: State, command: Bet, ledger: Ledger) -> Outcome:
        if command.on not in SIDES:
            raise BadScript(f"A coin shows heads or tails, not {command.on!r}. Bet on one of the two.")
        offer = banked.Offer(command.on, command.on, EVEN)
        stakes, happened = banked.place(state.stakes, command, offer, _most_won, banked.Limits(), ledger)
        return replace(state, stakes=stakes), happened

    def _toss(self, state: State, command: Toss) -> Outcome:
        if command.side not in SIDES:
            raise BadScript(f"A coin shows heads or tails, not {command.side!r}.")
        paid = tuple(banked.settled(stake, EVEN if stake.on == command.side else None) for stake in state.stakes)
        tossed = Tossed(command.side, paid)
        return replace(state, stakes=(), tossed=tossed), (tossed, *banked.payments(paid))

    def audit(self, before: State, command: Command, happened: Any, ledger: Ledger) -> tuple[str, ...]:
        return ()

    def seats(self, state: State) -> tuple[Seat, ...]:
        return state.seats

    def view(self, state: State) -> dict[str, Any]:
        return {
            "prompt": "Open a new round" if state.tossed else "Take the bets, then toss the coin",
            "bets": [stake.to_json() for stake in state.stakes],
            "spots": dict.fromkeys(SIDES, "1:1"),
            "shows": state.tossed.side if state.tossed else None,
            "result": state.tossed.result if state.tossed else None,
        }

    def facts(self, state: State) -> dict[str, Any]:
        return {"shows": state.tossed.side if state.tossed else None}

    def describe(self, record: Record) -> str:
        return " ".join(str(value) for value in record.values())


def _most_won(stakes: banked.Stakes) -> int:
    return sum(stake.amount for stake in stakes)


COIN_TOSS: Final = GamePlugin(rules=CoinToss())
TOY_GAMES: Final = Games((COIN_TOSS,))
