"""Renders audit log lines as sentences; the stored lines never change."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from psycopg import Connection

from companion.floor.overview.snapshots import said_by_table
from companion.kernel.messages import Message, Value, listed, message, plural, slots_of

COLUMNS: Final = ("at", "who", "did", "about")
MOST: Final = 100_000
"""Most lines in an exported file."""
_LINES: Final = (
    "SELECT a.at::text, a.who, a.did, a.about::text, t.name, p.name FROM floor.audit a "
    "LEFT JOIN floor.house_table t ON jsonb_typeof(a.about->'table') = 'number' AND t.id::text = a.about->>'table' "
    "LEFT JOIN floor.account p ON p.kind = 'purse' AND p.id::text = a.about->>'purse' "
    "ORDER BY a.id DESC LIMIT %s"
)


@dataclass(frozen=True, slots=True)
class AuditLine:
    """One line of the audit log.

    Attributes:
        at: PostgreSQL timestamp.
        did, about: as stored; `about` is JSON.
        sentence: the line as a readable sentence.
    """

    at: str
    who: str
    did: str
    about: str
    sentence: Message

    def to_json(self) -> dict[str, str]:
        """Return the stored line, for export."""
        return {"at": self.at, "who": self.who, "did": self.did, "about": self.about}


def audit_lines(connection: Connection[Any], most: int) -> Sequence[AuditLine]:
    """Return the latest lines, newest first."""
    return [
        AuditLine(at, who, did, about, sentence_of(who, did, _named(json.loads(about), table, player)))
        for at, who, did, about, table, player in connection.execute(_LINES, (most,))
    ]


def _named(about: dict[str, Any], table: str | None, player: str | None) -> dict[str, Any]:
    """Return the line's values with names in place of table and purse numbers."""
    named = {} if table is None else {"table": table}
    return {"player": f"#{about.get('purse')}", **({} if player is None else {"player": player}), **about, **named}


def sentence_of(who: str, did: str, about: Mapping[str, Any]) -> Message:
    """Return a line as a sentence; falls back to its stored words if this version has no sentence for it.

    >>> sentence_of("Olga", "closed the day", {"close": 3})
    'Olga closed the day: day close 3'
    >>> sentence_of("Olga", "rang a bell", {})
    'Olga rang a bell'
    """
    values = _Values({**about, "who": who})
    try:
        if did in _SENTENCES:
            return _SENTENCES[did](who, values)
        sentence, named = _PLAIN[did]
        found = {slot: values[named.get(slot, slot)] for slot in slots_of(sentence.key)}
        return Message(sentence.key, found | ({"n": str(found["n"])} if "n" in found else {}))
    except KeyError:  # no sentence in this version, or stored by an earlier one with fewer values
        return Message("{who} {did}", {"who": who, "did": did})


class _Values(dict[str, Any]):
    """A line's values, converted for use in a message's slots."""

    def __getitem__(self, key: str) -> Value:
        value = super().__getitem__(key)
        return value if isinstance(value, (str, int)) else json.dumps(value, ensure_ascii=False)


_GAVE: Final[Mapping[str, Callable[[str, Value], Message]]] = {
    "owner": lambda who, name: message("{who} gave {name} a PIN, as an owner", who=who, name=name),
    "pit": lambda who, name: message("{who} gave {name} a PIN, as a pit boss", who=who, name=name),
    "dealer": lambda who, name: message("{who} gave {name} a PIN, as a dealer", who=who, name=name),
    "auditor": lambda who, name: message("{who} gave {name} a PIN, as an auditor", who=who, name=name),
}
_ALARMS: Final[Mapping[str, Message]] = {
    "dispute": message("disputed payouts"),
    "incident": message("incidents"),
    "hold": message("holds"),
    "question": message("questions not answered"),
    "offline": message("tables that are offline"),
    "machine": message("cameras, panels and disks"),
}


def _set_person(who: str, about: _Values) -> Message:
    return _GAVE[str(about["role"])](who, about["name"])


def _chose(who: str, about: _Values) -> Message:
    kinds = about.get("alarms") or []
    if not kinds:
        return message("{who} chose that {person} is told of no alarms", who=who, person=about["person"])
    words = listed([_ALARMS.get(kind, str(kind)) for kind in kinds])
    return message("{who} chose the alarms that {person} is told of: {kinds}", who=who, person=about["person"],
                   kinds=words)  # fmt: skip


def _why(about: _Values) -> Value:
    """Return a table's reason for refusing, as a translatable message if the line has one, else as text."""
    return said_by_table(about.get("said")) or about["why"]


def _sold(who: str, about: _Values) -> Message:
    coins, holds, player = int(about["coins"]), about["holds"], about["player"]
    return plural("{who} sold {player} {n} coin; the purse held {holds} then",
                  "{who} sold {player} {n} coins; the purse held {holds} then",
                  coins, who=who, player=player, holds=holds)  # fmt: skip


def _paid(who: str, about: _Values) -> Message:
    coins, holds, player = abs(int(about["coins"])), about["holds"], about["player"]
    return plural("{who} paid {player} {n} coin; the purse held {holds} then",
                  "{who} paid {player} {n} coins; the purse held {holds} then",
                  coins, who=who, player=player, holds=holds)  # fmt: skip


_SENTENCES: Final[Mapping[str, Callable[[str, _Values], Message]]] = {
    "set a person": _set_person,
    "sold coins": _sold,
    "paid coins out": _paid,
    "chose who is told of alarms": _chose,
    "was told: the table did not hold": lambda who, about: message(
        "{table} did not hold, as {who} asked: {why}", who=who, table=about["table"], why=_why(about)
    ),
    "was told: the table did not release": lambda who, about: message(
        "{table} did not go on, as {who} asked: {why}", who=who, table=about["table"], why=_why(about)
    ),
}
_PLAIN: Final[Mapping[str, tuple[Message, Mapping[str, str]]]] = {
    "logged in": (message("{who} logged in from {address}"), {"address": "from"}),
    "logged out": (message("{who} logged out"), {}),
    "was refused: a wrong PIN": (message("Somebody at {address} gave a wrong PIN for {who}"), {"address": "from"}),
    "invited a table": (message("{who} invited {table} to the floor"), {}),
    "joined": (message("{table} joined the floor"), {"table": "who"}),
    "closed an incident": (message("{who} closed incident {n} of {table}"), {"n": "incident"}),
    "closed the day": (message("{who} closed the day: day close {n}"), {"n": "close"}),
    "opened a purse": (message("{who} opened a purse for {player}"), {}),
    "printed a player card": (message("{who} printed player card {n} for {player}"), {"n": "card"}),
    "revoked a player card": (message("{who} revoked player card {n} of {player}"), {"n": "card"}),
    "changed the prices": (message("{who} changed the prices: version {n}"), {"n": "version"}),
    "signed a dealer on": (message("{who} signed {dealer} on at {table}"), {}),
    "signed a dealer off": (message("{who} signed the dealer off at {table}"), {}),
    "asked a table to hold": (message("{who} asked {table} to hold"), {}),
    "asked a table to release": (message("{who} asked {table} to go on"), {}),
    "was told: the table did hold": (message("{table} holds, as {who} asked"), {}),
    "was told: the table did release": (message("{table} goes on, as {who} asked"), {}),
    "got access to the broker": (message("{table} got access to the broker"), {"table": "who"}),
    "gave access to the broker": (message("{who} gave {login} access to the broker"), {}),
    "took access to the broker away": (message("{who} took {login}'s access to the broker away"), {}),
    "has a phone that is told of alarms": (message("{who}'s phone is told of alarms"), {}),
    "has a phone that is told of alarms no more": (message("{who}'s phone is told of alarms no more"), {}),
}
"""Sentence for each action, with a mapping of slot names where they differ from the stored ones."""
