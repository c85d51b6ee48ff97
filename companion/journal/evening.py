"""An evening: the sessions that follow one another with the same players and their coins.

A session plays one game. Another game at the same table is another session, whose start entry names the session that
it continues; so replay, undo, checkpoints and receipts stay what they are within one session.
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
"""The source of what the table itself does: the commands behind a start bring players and coins to their places."""


class Wanted(TypedDict):
    """A game and its options, as the configuration wanted them."""

    game: str
    options: Options


class StartJson(HeaderJson):
    """The record of a start entry: a header, and what links its session to others."""

    rules: str
    "The fingerprint of the rules."
    continues: NotRequired[int]
    "The session whose players and coins went on to this one."
    wanted: NotRequired[Wanted]
    "What the configuration wanted when the dealer chose this game at the table; without it, this game."


def wanted_of(header: Header) -> Wanted:
    """Return what a configuration's header wants played."""
    return {"game": header.game, "options": dict(header.options)}


def is_same(one: Wanted, other: Wanted) -> bool:
    """Say whether two wishes are the same, one of them read from the journal."""
    return _text(one) == _text(other)


def _text(wanted: Wanted) -> str:
    return json.dumps(packed(dict(wanted)), sort_keys=True)


@dataclass(frozen=True, slots=True)
class SessionStart:
    """How a session began."""

    session: int
    game: str
    options: Options
    begun: str
    "The time, ISO 8601 in UTC."
    continues: int | None = None
    wanted: Wanted | None = None

    @classmethod
    def of(cls, entry: Entry) -> Self:
        """Return what a start entry says."""
        record: dict[str, Any] = json.loads(entry.record)
        options, wanted = record.get("options") or {}, record.get("wanted")
        return cls(entry.session, str(record.get("game")), options, entry.at, record.get("continues"), wanted)


Evening = tuple[SessionStart, ...]
"""The sessions of an evening, the first one first."""


def after(evening: Evening, start: SessionStart) -> Evening:
    """Return the evening once another session begins, which may begin an evening of its own.

    >>> first, second = SessionStart(1, "a", {}, ""), SessionStart(2, "b", {}, "", continues=1)
    >>> after((first,), second) == (first, second), after((first,), SessionStart(2, "b", {}, ""))[0].session
    (True, 2)
    """
    goes_on = bool(evening) and start.continues == evening[-1].session
    return (*evening, start) if goes_on else (start,)


def carrying(entries: Sequence[Entry]) -> Sequence[Entry]:
    """Return the commands behind a session's start with which the table brought players and coins to their places."""
    return list(takewhile(lambda entry: entry.kind == "command" and entry.source == TABLE, entries[1:]))
