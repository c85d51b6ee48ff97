"""A game's demo: a rendered table with simulated players, for use without a camera."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Final, NotRequired, Protocol, TypedDict

import numpy as np

from companion.kernel.commands import Record, parse_command
from companion.kernel.errors import TableError
from companion.kernel.game import Happening
from companion.kernel.ledger import Transfer
from companion.kernel.messages import Message, Words
from companion.objects.decks import Deck
from companion.plugins.panel import Moment


class Filmed(Protocol):
    """The source of the demo camera's pictures."""

    @property
    def now(self) -> float:
        """The table's own time, seconds."""

    @property
    def camera_lost(self) -> bool:
        """Whether somebody unplugged the camera."""

    def picture(self, t: float) -> np.ndarray:
        """Render the table at a time: uint8 (H, W, 3), BGR."""


class Staged(Filmed, Protocol):
    """A rendered table that a scenario moves."""

    @property
    def is_calm(self) -> bool:
        """Whether nothing moves, and nothing is about to."""

    def happen(self, what: str) -> None:
        """Have something happen, in the game's own words, such as ``spin 17``.

        Raises:
            CompanionError: nothing of the kind can happen there; the message says what can.
        """

    def lose_camera(self, seconds: float) -> None: ...
    def restore_camera(self) -> None: ...


@dataclass(frozen=True, slots=True)
class StageSetting:
    """The parameters of a table for a scenario.

    Attributes:
        state: the game's, as it begins.
        size: of the camera's pictures, width and height, px.
        pace: how fast people move; 1 is unhurried.
        clock: seconds, never going back.
        deck: what it is played with; None where no cards are.
    """

    state: Any
    size: tuple[int, int]
    pace: float
    clock: Callable[[], float]
    deck: Deck | None = None


class MischiefChoice(TypedDict):
    """A mishap that a visitor may trigger."""

    kind: str
    label: Message
    why: NotRequired[Words]
    "Why it cannot happen now; left out where it can."


class DemoState(TypedDict):
    """The state of the demo's controls; ``counts`` holds statistics of the players' actions, if kept."""

    auto: bool
    players: bool
    "Whether the simulated players bet and decide."
    busy: bool
    text: Message
    betting_left_s: float | None
    can_deal: bool
    can_gather: bool
    deck_left: int
    mischief: list[MischiefChoice]
    counts: NotRequired[dict[str, int]]


class DemoControl(AbstractContextManager[object], Protocol):
    """Controls the demo agent: a thread of its own while the context lasts."""

    @property
    def is_auto(self) -> bool:
        """Whether it deals by itself."""

    def state(self) -> DemoState: ...
    def auto(self, on: bool) -> object: ...
    def players(self, on: bool) -> object: ...
    def deal(self) -> object: ...
    def gather(self) -> object: ...
    def mischief(self, kind: str) -> Message: ...


class WhatIf:
    """A hypothetical table: the position after some commands, none of which is really played."""

    def __init__(self, moment: Moment) -> None:
        self._rules, self.state, self._ledger = moment.rules, moment.state, moment.ledger

    def takes(self, record: Record) -> bool:
        """Say whether the rules would accept a command then."""
        return self._outcome(record) is not None

    def do(self, record: Record) -> bool:
        """Apply a command hypothetically, if the rules accept it; return whether they do."""
        if (outcome := self._outcome(record)) is None:
            return False
        self.state, happened = outcome
        self._ledger = self._ledger.post(event for event in happened if isinstance(event, Transfer))
        return True

    def _outcome(self, record: Record) -> tuple[Any, tuple[Happening, ...]] | None:
        try:
            return self._rules.apply(self.state, parse_command(record, self._rules.verbs), self._ledger)
        except TableError:
            return None


@dataclass(frozen=True, slots=True)
class Planned:
    """A command scheduled some seconds after this step of the game began.

    Attributes:
        who: whose coins it moves; nobody's: the bank does it.
    """

    at_s: float
    record: Record
    who: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DemoSetting:
    """The parameters of a demo world.

    Attributes:
        service: the table's thread (`companion.service.table_service.TableService`).
        size: of the camera's pictures, width and height, px.
        deck: returns the deck that is dealt; made when there is none.
        may_seat: whether simulated players may sit down: not where the configuration names players.
        die: the kind of die that the configuration names.
    """

    service: Any
    size: tuple[int, int]
    deck: Callable[[], Deck]
    may_seat: bool = True
    die: str = "d20"


@dataclass(frozen=True, slots=True)
class DemoWorld:
    """A rendered world, and the agent that plays in it.

    Attributes:
        zone: where the dice tray is in the picture: x, y, width and height as shares of it; None without one.
    """

    table: Filmed
    control: DemoControl
    zone: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class Lane:
    """A framed place on the felt for certain cards, laid one below the other.

    Attributes:
        cards: those that are laid there.
        x, y: the middle of the first card, mm from the table's middle, to the right and towards the dealer.
        rows: so many cards fit into its frame.
        title, name: what is printed above it.
    """

    cards: tuple[str, ...]
    x: float
    y: float
    rows: int
    title: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Felt:
    """The print on the felt of a card table. Cards without a lane are laid in rows.

    Attributes:
        lanes: from left to right.
        title, motto: words in the middle.
    """

    lanes: tuple[Lane, ...] = ()
    title: str = ""
    motto: str = ""


PLAIN: Final = Felt()
"""Felt with nothing on it."""


@dataclass(frozen=True, slots=True)
class Demo:
    """A game's demo.

    Attributes:
        players: the names of the simulated players who sit there at first.
        coins: what each of them comes with.
        world: makes it.
        stage: makes its table alone, for scenarios that move what its camera sees; None: none can.
    """

    players: tuple[str, ...]
    coins: int
    world: Callable[[DemoSetting], DemoWorld]
    stage: Callable[[StageSetting], Staged] | None = None
