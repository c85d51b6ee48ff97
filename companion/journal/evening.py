"""An evening: consecutive sessions with the same players and their coins.

A session plays one game. A change of game begins another session, whose start entry names the session that it
continues, so that replay, undo, checkpoints and receipts only ever concern one session.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Final, NotRequired, Self

from typing_extensions import TypedDict

from companion.journal.hash_chain import Entry
from companion.kernel.game import Options
from companion.kernel.header import Header, HeaderJson
from companion.kernel.messages import packed

TABLE: Final = "table"
"""Source of the table's own entries, such as the commands after a start that seat players and carry coins over."""


class GameConfig(TypedDict):
    """A configured game and its options."""

    game: str
    options: Options


class StartJson(HeaderJson):
    """The record of a start entry: a header, and the links of its session."""

    rules: str
    "Fingerprint of the rules."
    continues: NotRequired[int]
    "The session whose players and coins it took over."
    wanted: NotRequired[GameConfig]
    "The configuration when the dealer chose this game at the table; left out if this game was the configured one."


def game_config(header: Header) -> GameConfig:
    """Return the configured game and options of a header."""
    return {"game": header.game, "options": dict(header.options)}


def is_same_config(one: GameConfig, other: GameConfig) -> bool:
    """Whether two configurations are equal in their JSON form, as one of them comes from the journal."""
    return _text(one) == _text(other)


def _text(wanted: GameConfig) -> str:
    return json.dumps(packed(dict(wanted)), sort_keys=True)


@dataclass(frozen=True, slots=True)
class SessionStart:
    """The start of a session."""

    session: int
    game: str
    options: Options
    begun: str
    "The time, ISO 8601 in UTC."
    continues: int | None = None
    wanted: GameConfig | None = None

    @classmethod
    def of(cls, entry: Entry) -> Self:
        """Return the start recorded in a start entry."""
        record: dict[str, Any] = json.loads(entry.record)
        options, wanted = record.get("options") or {}, record.get("wanted")
        return cls(entry.session, str(record.get("game")), options, entry.at, record.get("continues"), wanted)


Evening = tuple[SessionStart, ...]
"""The sessions of an evening, oldest first."""


def after(evening: Evening, start: SessionStart) -> Evening:
    """Return the evening after another session has begun, which may begin a new evening.

    >>> first, second = SessionStart(1, "a", {}, ""), SessionStart(2, "b", {}, "", continues=1)
    >>> after((first,), second) == (first, second), after((first,), SessionStart(2, "b", {}, ""))[0].session
    (True, 2)
    """
    goes_on = bool(evening) and start.continues == evening[-1].session
    return (*evening, start) if goes_on else (start,)


def carried_commands(entries: Sequence[Entry]) -> Sequence[Entry]:
    """Return the table's own commands after a session's start, which seat the players and carry coins over."""
    return list(takewhile(lambda entry: entry.kind == "command" and entry.source == TABLE, entries[1:]))
