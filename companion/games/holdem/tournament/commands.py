"""Tournament commands, in addition to those of a hand."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from companion.kernel.commands import Command
from companion.kernel.errors import BadScript


@dataclass(frozen=True, slots=True)
class OfTime(Command):
    """A time-stamped command. The table fills in ``at``; without it no time has passed."""

    at: Any = None

    def __post_init__(self) -> None:
        if self.at is not None:
            moment(self.at, self.verb)


@dataclass(frozen=True, slots=True)
class StartClock(OfTime):
    """Start the level clock."""


@dataclass(frozen=True, slots=True)
class PauseClock(OfTime):
    """Pause the level clock."""


@dataclass(frozen=True, slots=True)
class NextLevel(OfTime):
    """Begin the next level or break."""


@dataclass(frozen=True, slots=True)
class Rebuy(Command):
    """Sell a full stack to a player without coins: a rebuy or late entry."""

    player: str


@dataclass(frozen=True, slots=True)
class AddOn(Command):
    """Sell an add-on to a player, at most one each."""

    player: str


@dataclass(frozen=True, slots=True)
class CloseRebuys(Command):
    """End rebuys and late entries."""


@dataclass(frozen=True, slots=True)
class ChipRace(Command):
    """Name the winners of the chip race after the smallest chip was retired."""

    winners: Any

    def __post_init__(self) -> None:
        names = self.winners
        if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) and name for name in names):
            raise BadScript(f"'winners' of 'chip-race' is a list of players, got {names!r}.")
        if len(set(names)) < len(names):
            raise BadScript("Somebody is named twice in 'winners'. Nobody wins two chips.")


@dataclass(frozen=True, slots=True)
class CallOff(Command):
    """End the tournament without prizes; all players keep their coins."""


def moment(at: Any, verb: str) -> datetime:
    """Parse an ISO 8601 time; UTC if it has no zone.

    Raises:
        BadScript: not a valid time.
    """
    try:
        read = datetime.fromisoformat(at)
    except (TypeError, ValueError):
        raise BadScript(f"'at' of {verb!r} is a time such as 2026-05-01T20:15:00.000Z, got {at!r}.") from None
    return read if read.tzinfo is not None else read.replace(tzinfo=UTC)
