"""A game's demo: a rendered table with simulated players, for use without a camera."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Final, NotRequired, Protocol, TypedDict

import numpy as np

from companion.kernel.commands import Record, parse_command
from companion.kernel.errors import TableError
from companion.kernel.game import Effect
from companion.kernel.ledger import Transfer
from companion.kernel.messages import Message, Words
from companion.objects.decks import Deck
from companion.plugins.panel import Moment


class PictureSource(Protocol):
    """The source of the demo camera's pictures."""

    @property
    def now(self) -> float:
        """The table's own time, s."""

    @property
    def camera_lost(self) -> bool:
        """Whether the camera is unplugged."""

    def picture(self, t: float) -> np.ndarray:
        """Render the table at a time (s): uint8 (H, W, 3), BGR."""


class ScriptedTable(PictureSource, Protocol):
    """A rendered table that a scenario controls."""

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing moves or is about to move."""

    def happen(self, what: str) -> None:
        """Trigger an event in the game's own vocabulary, such as ``spin 17``.

        Raises:
            CompanionError: the event is not possible there; the message lists the possible ones.
        """

    def lose_camera(self, seconds: float) -> None: ...
    def restore_camera(self) -> None: ...


@dataclass(frozen=True, slots=True)
class ScriptedTableSetting:
    """The parameters of a table for a scenario.

    Attributes:
        state: the game's initial state.
        size: width and height of the camera's pictures, px.
        pace: speed of people's movements; 1 is unhurried.
        clock: monotonic time, s.
        deck: the deck in play; None without cards.
    """

    state: Any
    size: tuple[int, int]
    pace: float
    clock: Callable[[], float]
    deck: Deck | None = None


class IncidentChoice(TypedDict):
    """A mishap that a visitor of the demo can trigger."""

    kind: str
    label: Message
    why: NotRequired[Words]
    "Why it cannot happen now; omitted if it can."


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
    mischief: list[IncidentChoice]
    counts: NotRequired[dict[str, int]]


class DemoControl(AbstractContextManager[object], Protocol):
    """Controls the demo agent, which runs in its own thread within the context."""

    @property
    def is_auto(self) -> bool:
        """Whether it deals automatically."""

    def state(self) -> DemoState: ...
    def auto(self, on: bool) -> object: ...
    def pause(self) -> object:
        """Stop automatic play until the next start."""

    def players(self, on: bool) -> object: ...
    def deal(self) -> object: ...
    def gather(self) -> object: ...
    def cause_incident(self, kind: str) -> Message: ...


class WhatIf:
    """A hypothetical table: the position after some commands that are not really played."""

    def __init__(self, moment: Moment) -> None:
        self._rules, self.state, self._ledger = moment.rules, moment.state, moment.ledger

    def accepts(self, record: Record) -> bool:
        """Whether the rules would accept a command in this position."""
        return self._outcome(record) is not None

    def do(self, record: Record) -> bool:
        """Apply a command hypothetically, if the rules accept it; return whether they do."""
        if (outcome := self._outcome(record)) is None:
            return False
        self.state, happened = outcome
        self._ledger = self._ledger.post(event for event in happened if isinstance(event, Transfer))
        return True

    def _outcome(self, record: Record) -> tuple[Any, tuple[Effect, ...]] | None:
        try:
            return self._rules.apply(self.state, parse_command(record, self._rules.verbs), self._ledger)
        except TableError:
            return None


@dataclass(frozen=True, slots=True)
class Planned:
    """A command scheduled ``at_s`` seconds after the current step of the game began.

    Attributes:
        who: the players whose coins it moves; empty: the bank acts.
    """

    at_s: float
    record: Record
    who: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DemoSetting:
    """The parameters of a demo world.

    Attributes:
        service: the table's thread (`companion.service.table_service.TableService`).
        size: width and height of the camera's pictures, px.
        deck: returns the deck to deal, creating one if there is none.
        may_seat: whether simulated players may sit down: False if the configuration names players.
        die: the kind of die named in the configuration.
    """

    service: Any
    size: tuple[int, int]
    deck: Callable[[], Deck]
    may_seat: bool = True
    die: str = "d20"


@dataclass(frozen=True, slots=True)
class DemoWorld:
    """A rendered world and the agent that plays in it.

    Attributes:
        zone: the dice tray: x, y, width and height, as fractions of the picture; None without one.
    """

    table: PictureSource
    control: DemoControl
    zone: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class Lane:
    """A framed column on the felt for certain cards.

    Attributes:
        cards: ids of the cards that are laid there.
        x, y: centre of the first card, mm from the table's centre, to the right and towards the dealer.
        rows: the number of cards that fit into its frame.
        title, name: the text printed above it.
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
        lanes: the lanes, from left to right.
        title, motto: text in the centre.
    """

    lanes: tuple[Lane, ...] = ()
    title: str = ""
    motto: str = ""


PLAIN: Final = Felt()
"""Blank felt."""


@dataclass(frozen=True, slots=True)
class Demo:
    """A game's demo.

    Attributes:
        players: names of the simulated players seated at the start.
        coins: initial coins of each of them.
        world: creates the demo world.
        scripted_table: creates its rendered table alone, for scenarios that control it; None: not supported.
    """

    players: tuple[str, ...]
    coins: int
    world: Callable[[DemoSetting], DemoWorld]
    scripted_table: Callable[[ScriptedTableSetting], ScriptedTable] | None = None
