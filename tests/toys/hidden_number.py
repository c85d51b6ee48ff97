"""A toy game with secrets, as a third party would write it, in one file: numbers are picked, hidden until ``show``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, ClassVar, Final

from companion.kernel.commands import Command, verbs
from companion.kernel.errors import NotOffered
from companion.kernel.events import Decided, Event
from companion.kernel.game import BaseGame, Effect, Options, Seat, seat_of
from companion.kernel.ledger import Ledger
from companion.kernel.messages import message
from companion.kernel.shared.options import check_names
from companion.plugins.plugin import GamePlugin


class Phase(Enum):
    """The only phase: numbers can be picked at any time."""

    PICKING = "picking"


@dataclass(frozen=True, slots=True)
class Pick(Command):
    """Secretly pick a number from 1 to 9."""

    verb = "pick"
    player: str
    number: Any


@dataclass(frozen=True, slots=True)
class Whisper(Command):
    """Enter a text that is never shown."""

    verb = "whisper"
    player: str
    text: str


@dataclass(frozen=True, slots=True)
class Show(Command):
    """Reveal all numbers."""

    verb = "show"


@dataclass(frozen=True, slots=True)
class Picked(Event):
    """A player picked or whispered."""

    player: str

    @property
    def sentence(self):
        return message("{player} has a secret", player=self.player)


@dataclass(frozen=True, slots=True)
class Shown(Decided):
    """The numbers were revealed."""

    numbers: tuple[tuple[str, int], ...]

    @property
    def sentence(self):
        return message("Shown")

    @property
    def result(self):
        return {"numbers": dict(self.numbers), "transfers": []}

    @property
    def gains(self):
        return {}


@dataclass(frozen=True, slots=True)
class State:
    seats: tuple[Seat, ...]
    numbers: tuple[tuple[str, int], ...] = ()
    phase: Phase = Phase.PICKING


class HiddenNumber(BaseGame):
    """The rules."""

    name = "hidden-number"
    title = "Hidden number"
    verbs = verbs(Pick, Whisper, Show)
    secret = frozenset({"pick", "whisper"})
    reveals: ClassVar[Mapping[str, frozenset[str]]] = {"show": frozenset({"pick"})}

    def start(self, seats: Sequence[Seat], options: Options) -> State:
        check_names(self.name, options, ())
        return State(tuple(seats))

    def apply(self, state: State, command: Command, ledger: Ledger) -> tuple[State, tuple[Effect, ...]]:
        match command:
            case Pick(player, number):
                seat_of(state.seats, player)
                if number not in range(1, 10):
                    raise NotOffered("Pick 1 to 9.")
                return replace(state, numbers=(*state.numbers, (player, number))), (Picked(player),)
            case Whisper(player):
                return state, (Picked(player),)
            case _:
                return replace(state, numbers=()), (Shown(state.numbers),)

    def audit(self, before: State, command: Command, happened: Sequence[Effect], ledger: Ledger) -> tuple[str, ...]:
        return ()

    def view(self, state: State) -> dict[str, Any]:
        return {"picked": len(state.numbers)}

    def private(self, state: State, player: str) -> dict[str, Any]:
        return {"numbers": [number for name, number in state.numbers if name == player]}

    def facts(self, state: State) -> dict[str, Any]:
        return {"picked": len(state.numbers)}

    def describe(self, record: Mapping[str, Any]) -> str:
        return "the show" if record["do"] == "show" else "a secret"


HIDDEN_NUMBER: Final = GamePlugin(rules=HiddenNumber())
