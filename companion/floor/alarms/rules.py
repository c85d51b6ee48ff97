"""Alert rules: compares the pit's board with the active alarms and returns what to raise and clear. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, get_args

from companion.floor.overview.board import Line, Need, Reason

Kind = Literal["dispute", "incident", "hold", "question", "offline", "machine"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
_KIND_OF: Final[Mapping[Need, Kind]] = {
    "dispute": "dispute", "incident": "incident", "hold": "hold", "question": "question", "offline": "offline",
    "camera": "machine", "panel": "machine", "journal": "machine", "disk": "machine", "slow": "machine",
}  # fmt: skip
AFTER_S: Final[Mapping[Kind, float]] = {
    "dispute": 0, "incident": 0, "hold": 0, "question": 60, "offline": 10, "machine": 10,
}  # fmt: skip
"""How long a condition must last before its alarm is raised, by the floor's own clock: a table's may be wrong."""
SETTLED_S: Final = 45.0
"""Grace period after the floor's start in which no table counts as offline: tables retry after 15 s at most."""


Reasons = tuple[Reason, ...]


class Key(NamedTuple):
    """Identity of an alarm: at most one active alarm has this key."""

    table_id: int
    kind: Kind


@dataclass(frozen=True, slots=True)
class Changes:
    """Alarms to raise, with their reasons, and alarms to clear."""

    raised: Mapping[Key, Reasons]
    cleared: frozenset[Key]


@dataclass(slots=True)
class AlarmRules:
    """Tracks how long each condition has lasted.

    Args:
        begun: when the floor started, by the clock of `evaluate`.
    """

    begun: float
    _since: dict[Key, float] = field(default_factory=dict)

    def evaluate(self, lines: Iterable[Line], on: Iterable[Key], now: float) -> Changes:
        """Evaluate the rules against the active alarms.

        The last snapshot of an offline table neither clears nor raises alarms.
        """
        there: dict[Key, Reasons] = {}
        unknown: set[int] = set()
        for line in lines:
            there |= {Key(line.table_id, kind): reasons for kind, reasons in _causes(line).items()}
            if not line.is_online or line.picture is None:
                unknown.add(line.table_id)
        if now - self.begun < SETTLED_S:
            there = {key: reasons for key, reasons in there.items() if key.kind != "offline"}
        known = frozenset(on)
        self._since = {key: self._since.get(key, now) for key in there}
        raised = {
            key: reasons
            for key, reasons in there.items()
            if key not in known and now - self._since[key] >= AFTER_S[key.kind] and _is_known(key, unknown)
        }
        over = {key for key in known if key not in there and _is_known(key, unknown)}
        if now - self.begun < SETTLED_S:
            over = {key for key in over if key.kind != "offline" or key.table_id not in unknown}
        return Changes(raised, frozenset(over))


def _is_known(key: Key, unknown: set[int]) -> bool:
    """Return whether the current state is known: an offline table's old snapshot says nothing about it."""
    return key.kind in ("incident", "offline") or key.table_id not in unknown


def _causes(line: Line) -> dict[Kind, Reasons]:
    found: dict[Kind, Reasons] = {}
    for need in line.needs:
        kind = _KIND_OF.get(need)
        if kind is not None:
            found[kind] = (*found.get(kind, ()), line.reason(need))
    return found
