"""Public events, derived from journal entries and from differences between two states."""

from collections.abc import Callable, Iterator
from typing import Final, Literal

from typing_extensions import TypedDict

from companion.app.integrations.public_snapshot import PublicSnapshot
from companion.config.integrations import EventType
from companion.journal.hash_chain import EntryJson, sentences
from companion.journal.history.results import decision_among
from companion.kernel.commands import Undo
from companion.kernel.events import TableHeld, TableReleased
from companion.service.paying.ticks import PAID

_BY_NAME: Final[dict[str, EventType]] = {TableHeld.__name__: "table.held", TableReleased.__name__: "table.released"}


class PublicEventJson(TypedDict):
    """An event as sent to MQTT clients and webhooks."""

    type: EventType | Literal["test"]
    "`test`: no event; `companion doctor` checks delivery."
    timestamp: str
    "ISO 8601, UTC."
    id: str
    "Unique; the same for every retry."
    data: dict[str, object]
    "`table`, `game` and `seq` (the journal's latest entry), and fields of the type."


Kinds = Iterator[tuple[EventType, dict[str, object]]]
Say = Callable[[str], str]
"""Translates a message into the house's language."""


def events_of(entry: EntryJson, say: Say) -> Kinds:
    """Yield an entry's public events; nothing for private notices and ticks of the pay sheet."""
    if PAID in (entry["record"].get("data") or {}) and entry["kind"] == "notice":
        return
    for sentence in sentences(entry):
        yield "announcement", {"text": say(sentence), "kind": entry["kind"], "source": entry["source"]}
    if entry["do"] == Undo.verb:
        yield "command.undone", {}
    for event in entry["events"]:
        if event["event"] in _BY_NAME:
            yield _BY_NAME[event["event"]], {"source": entry["source"]}
    decided = decision_among(entry["events"])
    if decided is not None:
        yield (
            "round.decided",
            {"decided_by": decided["decided_by"], "won_by": decided["won_by"], "gains": dict(decided["gains"])},
        )


def events_between(before: PublicSnapshot, after: PublicSnapshot) -> Kinds:
    """Yield the other events between two consecutive states."""
    if after.state["session"] != before.state["session"]:
        yield "game.changed", {"from": before.state["game"]}
    if after.question["waiting"] and not before.question["waiting"]:
        yield "question.asked", {"kind": after.question["kind"], "blocks": after.question["blocks"]}
    if before.question["waiting"] and not after.question["waiting"]:
        yield "question.answered", {"kind": before.question["kind"]}
    was, is_on = before.alarm["alarms"], after.alarm["alarms"]
    for kind, since in is_on.items():
        if kind not in was:
            yield "alarm.raised", {"alarm": kind, "since": since}
    for kind in was:
        if kind not in is_on:
            yield "alarm.cleared", {"alarm": kind}
