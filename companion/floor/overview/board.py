"""The pit's board: one row per table, most urgent first. Pure: no database, no clock."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any, Final, Literal, Self

from companion.floor.overview.snapshots import LiveSnapshot
from companion.floor.overview.takings import Takings
from companion.floor.reports.expectation import Expected, expected_json
from companion.kernel.messages import packed
from companion.locale import known_message

Need = Literal["dispute", "incident", "hold", "question", "offline", "camera", "panel", "journal", "disk", "slow",
               "behind", "prices"]  # fmt: skip
"""Conditions that need attention, most urgent first."""
NEEDS: Final[dict[Need, str]] = {
    "dispute": "Payout disputed", "incident": "Incident", "hold": "On hold", "question": "Question waiting",
    "offline": "Offline", "camera": "Camera", "panel": "Panel", "journal": "Nothing can be saved",
    "disk": "Disk nearly full", "slow": "Table does not respond", "behind": "Floor is behind",
    "prices": "New prices refused",
}  # fmt: skip
_VALUE: Final[dict[Need, str]] = {
    "incident": "count", "hold": "why", "camera": "state", "behind": "n", "prices": "why",
}  # fmt: skip
"""The value that each condition's sentence contains."""
_RANK: Final = {need: rank for rank, need in enumerate(NEEDS)}
CAMERA: Final = {"poor": "picture is poor", "lost": "no picture", "ended": "the film has ended"}
BEHIND: Final = 100
"""Shipping backlog, in entries, above which a table needs attention."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Price list versions that a table plays by now, and from its next round on.

    None where the table's own settings apply.
    """

    game: str
    runs: int | None
    wanted: int | None

    @property
    def is_old(self) -> bool:
        """Whether the table still plays by another version than it should."""
        return self.wanted is not None and self.runs != self.wanted


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a table needs attention: a code with values, put into words in the reader's language.

    Attributes:
        need: the condition.
        values: ``why``, free text or a `Message`; ``state`` of the camera; ``count`` of incidents; ``n`` entries.
    """

    need: Need
    values: Mapping[str, str | int] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return the reason in English, for logs and programs."""
        words = NEEDS[self.need]
        if "state" in self.values:
            return f"{words}: {CAMERA.get(str(self.values['state']), self.values['state'])}"
        return f"{words}: {self.values['why']}" if "why" in self.values else words

    def to_json(self) -> dict[str, Any]:
        """Return the form stored in the database."""
        return {"need": self.need, **packed(self.values)}

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Self | None:
        """Parse the result of `to_json`; None if another version stored a reason that this one does not know."""
        need = found.get("need")
        told = {name: _unpacked(value) for name, value in found.items() if name != "need"}
        values = {name: value for name, value in told.items() if isinstance(value, (str, int))}
        if need not in NEEDS or (need in _VALUE and _VALUE[need] not in values):
            return None
        return cls(need, values)


def _unpacked(value: Any) -> Any:
    """Return a stored message as a `Message`; other values unchanged."""
    is_said = isinstance(value, dict) and isinstance(value.get("say"), str) and isinstance(value.get("with"), dict)
    return known_message(value["say"], value["with"]) if is_said else value


@dataclass(frozen=True, slots=True)
class Line:
    """A table's row.

    Attributes:
        heard: when it last reported, ISO 8601; None while it is online, and if it never reported.
        behind: shipping backlog in entries; None if it has not reported since the floor started.
        picture: its latest snapshot; None if there is none since the floor started.
        takings: since the last day close, from its journal; None while they are being computed.
        expected: expected house result of the day's bets, as far as they are evaluated.
        dealer: the dealer on duty.
        prices: None where the floor sets none.
    """

    table_id: int
    name: str
    epoch: int | None
    seq: int
    is_online: bool
    heard: str | None
    behind: int | None
    open_incidents: int
    picture: LiveSnapshot | None
    takings: Takings | None
    expected: Expected | None = None
    dealer: str | None = None
    prices: Prices | None = None

    @property
    def needs(self) -> tuple[Need, ...]:
        """Conditions that need attention, most urgent first; empty if all is well."""
        return tuple(sorted(self._needs(), key=_RANK.__getitem__))

    def _needs(self) -> Iterator[Need]:
        if self.open_incidents:
            yield "incident"
        if self.epoch is not None and not self.is_online:
            yield "offline"
        if (self.behind or 0) >= BEHIND:
            yield "behind"
        picture = self.picture
        if picture is None:
            return
        if picture.disputed:
            yield "dispute"
        elif picture.hold is not None:
            yield "hold"
        if picture.asked_since is not None:
            yield "question"
        if picture.camera in CAMERA:
            yield "camera"
        if picture.panel == "trouble":
            yield "panel"
        if picture.journal != "ok":
            yield "journal"
        if picture.disk != "ok":
            yield "disk"
        if picture.behind_s:
            yield "slow"
        if picture.prices_refused is not None and self.prices is not None and self.prices.is_old:
            yield "prices"

    def to_json(self) -> dict[str, Any]:
        """Return the row as the page needs it."""
        return {
            "id": self.table_id, "name": self.name, "epoch": self.epoch, "seq": self.seq, "online": self.is_online,
            "heard": self.heard, "behind": self.behind, "incidents": self.open_incidents,
            "needs": [{"kind": need, "text": self.text(need)} for need in self.needs],
            "picture": None if self.picture is None else self.picture.model_dump(),
            "takings": None if self.takings is None else {**self.takings.to_json(), "win": self.takings.win},
            "expected": None if self.expected is None else expected_json(self.expected), "dealer": self.dealer,
            "prices": None if self.prices is None else {**asdict(self.prices), "old": self.prices.is_old},
        }  # fmt: skip

    def text(self, need: Need) -> str:
        """Return the reason for a condition, in English."""
        return str(self.reason(need))

    def reason(self, need: Need) -> Reason:
        """Return the reason for a condition, with its values."""
        shown = self.picture
        values: dict[Need, str | int] = {
            "incident": self.open_incidents,
            "behind": self.behind or 0,
            "hold": (shown and shown.hold) or "",
            "prices": (shown and shown.prices_refused) or "",
            "camera": "" if shown is None else shown.camera,
        }
        return Reason(need, {_VALUE[need]: values[need]} if need in values else {})


def urgency(line: Line) -> tuple[object, ...]:
    """Sort key of rows: tables that need attention first, most urgent first; then by name."""
    needs = line.needs
    return _RANK[needs[0]] if needs else len(_RANK), _natural(line.name)


@lru_cache(maxsize=10_000)
def _natural(name: str) -> list[tuple[int, int, str]]:
    """Natural sort key: numbers in names compare by value.

    >>> sorted(["Table 10", "table 2", "Bar"], key=_natural)
    ['Bar', 'table 2', 'Table 10']
    """
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part.casefold()) for part in parts]
