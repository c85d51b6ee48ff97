"""A toy game as a third party would write it, in one file: bets against the house on heads or tails."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final

from companion.kernel.commands import Bet, Command, Join, Leave, TakeBack, verbs
from companion.kernel.errors import NotOffered
from companion.kernel.events import Decided, Paid, bet_gains
from companion.kernel.game import BaseGame, Effect, Options, Seat, seat_of
from companion.kernel.ledger import Ledger, Transfer
from companion.kernel.price import Price
from companion.kernel.shared import banked, seating
from companion.kernel.shared.options import check_names, whole_number
from companion.plugins.plugin import GamePlugin

SIDES: Final = ("heads", "tails")


class Phase(Enum):
    """The only phase: bets are open until the coin is tossed."""

    BETTING = "betting"


@dataclass(frozen=True, slots=True)
class Toss(Command):
    """The coin came to rest with ``side`` up."""

    verb = "toss"
    side: str


@dataclass(frozen=True, slots=True)
class CoinTossed(Decided):
    """The coin showed a side, which settles every bet."""

    side: str
    paid: tuple[Paid, ...]

    @property
    def sentence(self) -> str:
        return f"{self.side.capitalize()}"

    @property
    def result(self) -> dict[str, Any]:
        paid = [{"player": p.player, "on": p.on, "amount": p.amount, "won": p.won} for p in self.paid]
        return {"side": self.side, "paid": paid}

    @property
    def gains(self) -> dict[str, int]:
        return bet_gains(self.paid)


@dataclass(frozen=True, slots=True)
class State:
    """Seats, bets, and the win per coin bet."""

    seats: tuple[Seat, ...]
    pays: int
    stakes: banked.Stakes = ()
    tossed: int = 0
    phase: Phase = Phase.BETTING


class CoinToss(BaseGame):
    """The rules."""

    name = "coin-toss"
    title = "Coin toss"
    verbs = verbs(Bet, TakeBack, Toss, Join, Leave)

    def start(self, seats: Sequence[Seat], options: Options) -> State:
        check_names(self.name, options, ("pays",))
        return State(tuple(seats), whole_number(options, "pays") or 1)

    def expected(self, state: State) -> frozenset[str]:
        return frozenset(self.verbs)

    def apply(self, state: State, command: Command, ledger: Ledger) -> tuple[State, tuple[Effect, ...]]:
        match command:
            case Bet(player, on):
                seat_of(state.seats, player)
                _check_side(on)
                offer = banked.Offer(on, on, Price(state.pays))
                stakes, happened = banked.place(state.stakes, command, offer, lambda _: 0, banked.Limits(), ledger)
                return replace(state, stakes=stakes), happened
            case TakeBack():
                stakes, happened = banked.take_back(state.stakes, command, command.on)
                return replace(state, stakes=stakes), happened
            case Toss(side):
                _check_side(side)
                price = Price(state.pays)
                paid = tuple(banked.settled(stake, price if stake.on == side else None) for stake in state.stakes)
                after = replace(state, stakes=(), tossed=state.tossed + 1)
                return after, (CoinTossed(side, paid), *banked.payments(paid))
            case Join():
                seats, happened = seating.sit_down(state.seats, command)
                return replace(state, seats=seats), happened
            case _:
                return seating.leave(state, command, ledger)

    def audit(self, before: State, command: Command, happened: Sequence[Effect], ledger: Ledger) -> tuple[str, ...]:
        if not isinstance(command, Toss):
            return ()
        won = sum(stake.amount * before.pays for stake in before.stakes if stake.on == command.side)
        paid = sum(move.coins for move in happened if isinstance(move, Transfer) and move.why.endswith(" won"))
        return () if won == paid else (f"{won} coins should be paid, not {paid}",)

    def seats(self, state: State) -> tuple[Seat, ...]:
        return state.seats

    def view(self, state: State) -> dict[str, Any]:
        return {"bets": [stake.to_json() for stake in state.stakes], "tossed": state.tossed}

    def facts(self, state: State) -> dict[str, Any]:
        return {"tossed": state.tossed}

    def describe(self, record: Mapping[str, Any]) -> str:
        return f"the toss of {record['side']}" if record["do"] == "toss" else str(record["do"])


def _check_side(side: str) -> None:
    if side not in SIDES:
        raise NotOffered(f"A coin shows heads or tails, not {side!r}. Say one of them.")


COIN_TOSS: Final = GamePlugin(rules=CoinToss())
