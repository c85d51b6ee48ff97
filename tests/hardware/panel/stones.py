"""A game that is not installed and consists of rules only, for tests of the panel with any game."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from companion.kernel.commands import Command, Join, Leave, Record, verbs
from companion.kernel.errors import NotEnoughCoins, WrongPhase
from companion.kernel.game import BaseGame, Effect, Options, Seat
from companion.kernel.ledger import Ledger
from companion.kernel.shared.seating import join, leave

HEAP = 5
SWAP_COSTS = 30


class Phase(Enum):
    """Phase of a round."""

    RESTING = "resting"
    TAKING = "taking"


@dataclass(frozen=True, slots=True)
class State:
    """Stones on the heap, and the index of the player to act."""

    seats: tuple[Seat, ...]
    phase: Phase = Phase.RESTING
    heap: int = 0
    turn: int = 0
    stakes: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Begin(Command):
    """Start a round with a full heap."""

    verb = "heap-up"


@dataclass(frozen=True, slots=True)
class TakeStone(Command):
    """Take one stone."""

    verb = "take-stone"


@dataclass(frozen=True, slots=True)
class Wait(Command):
    """Take no stone."""

    verb = "wait"


@dataclass(frozen=True, slots=True)
class Swap(Command):
    """Swap seats; only a rich player may."""

    verb = "swap"


@dataclass(frozen=True, slots=True)
class TakeMany(Command):
    """Take a given number of stones."""

    verb = "take-many"
    count: Any


class Stones(BaseGame):
    """Players take stones in turn; no coins move."""

    name = "stones"
    title = "Stones"
    verbs = verbs(Begin, TakeStone, Wait, Swap, TakeMany, Join, Leave)

    def start(self, seats: Sequence[Seat], options: Options) -> State:
        return State(tuple(seats))

    def expected(self, state: State) -> frozenset[str]:
        turn = {"take-stone", "wait", "swap", "take-many"}
        return frozenset(turn if state.phase is Phase.TAKING else {"heap-up", "join", "leave"})

    def apply(self, state: State, command: Command, ledger: Ledger) -> tuple[State, tuple[Effect, ...]]:
        if command.verb not in self.expected(state):
            raise WrongPhase(f"{command.verb} has to wait.")
        if isinstance(command, Join):
            return join(state, command, ledger)
        if isinstance(command, Leave):
            return leave(state, command, ledger)
        if isinstance(command, Begin):
            return replace(state, phase=Phase.TAKING, heap=HEAP), ()
        if isinstance(command, Swap) and ledger.balance(state.seats[state.turn].player) < SWAP_COSTS:
            raise NotEnoughCoins("Only the rich swap.")
        heap = state.heap - {"take-stone": 1, "take-many": getattr(command, "count", 0)}.get(command.verb, 0)
        turn = (state.turn + 1) % len(state.seats)
        return replace(state, heap=heap, turn=turn, phase=Phase.TAKING if heap > 0 else Phase.RESTING), ()

    def audit(self, before: State, command: Command, happened: Sequence[Effect], ledger: Ledger) -> tuple[str, ...]:
        return ()

    def seats(self, state: State) -> tuple[Seat, ...]:
        return state.seats

    def view(self, state: State) -> dict[str, Any]:
        turn = state.seats[state.turn].player if state.phase is Phase.TAKING else None
        return {"prompt": f"{turn} takes" if turn else "Heap the stones up", "heap": state.heap, "turn": turn}

    def facts(self, state: State) -> dict[str, Any]:
        return {"heap": state.heap}

    def describe(self, record: Record) -> str:
        return str(record["do"])
