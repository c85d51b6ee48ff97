"""What is asked for at a tournament, beyond the commands of a hand."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from companion.kernel.commands import Command
from companion.kernel.errors import BadScript


@dataclass(frozen=True, slots=True)
class OfTime(Command):
    """A command of which the time matters. The table writes ``at``; without it no time has passed."""

    at: Any = None

    def __post_init__(self) -> None:
        if self.at is not None:
            moment(self.at, self.verb)


@dataclass(frozen=True, slots=True)
class StartClock(OfTime):
    """The level's time runs from now on."""


@dataclass(frozen=True, slots=True)
class PauseClock(OfTime):
    """The level's time stands still."""


@dataclass(frozen=True, slots=True)
class NextLevel(OfTime):
    """The next level or break begins."""


@dataclass(frozen=True, slots=True)
class Rebuy(Command):
    """A player without coins comes in, or comes in again, with a stack."""

    player: str


@dataclass(frozen=True, slots=True)
class AddOn(Command):
    """A player gets more coins, once."""

    player: str


@dataclass(frozen=True, slots=True)
class CloseRebuys(Command):
    """Nobody comes in from now on."""


@dataclass(frozen=True, slots=True)
class ChipRace(Command):
    """The smallest chip has gone out: who wins a chip for the odd coins."""

    winners: Any

    def __post_init__(self) -> None:
        names = self.winners
        if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) and name for name in names):
            raise BadScript(f"'winners' of 'chip-race' is a list of players, got {names!r}.")
        if len(set(names)) < len(names):
            raise BadScript("Somebody is named twice in 'winners'. Nobody wins two chips.")


@dataclass(frozen=True, slots=True)
class CallOff(Command):
    """The tournament ends without prizes: everybody keeps the coins in front of them."""


def moment(at: Any, verb: str) -> datetime:
    """Return a time.

    Raises:
        BadScript: it is none.
    """
    try:
        read = datetime.fromisoformat(at)
    except (TypeError, ValueError):
        raise BadScript(f"'at' of {verb!r} is a time such as 2026-05-01T20:15:00.000Z, got {at!r}.") from None
    return read if read.tzinfo is not None else read.replace(tzinfo=UTC)
