"""Random evenings of every game as journal entries with the table's views, for tests of the hand history."""

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import blackjack_referee
import captains_referee
import chinchirorin_referee
import referee
import rochi_referee
import rugen_referee

from companion.journal.hash_chain import Entry
from companion.journal.history.hand_history import HandHistory
from companion.kernel.errors import TableError
from companion.kernel.events import SessionBegan, to_json
from companion.kernel.table import Header, Table
from companion.testing import INSTALLED

Record = dict[str, Any]
GAMES = ("roche", "rochi", "captains", "rugen-street", "rugen-house", "rugen-capital")


@dataclass
class Evening:
    """Entries of one journal, with the public view after each."""

    entries: list[Entry] = field(default_factory=list)
    views: dict[int, dict[str, Any]] = field(default_factory=dict)
    tables: list[Table] = field(default_factory=list)

    def begin(self, header: Header) -> None:
        self.tables.append(Table(header))
        self._write("start", json.dumps(header.to_json()), json.dumps([to_json(SessionBegan(header.rules.title))]))

    def do(self, record: Record) -> None:
        happened = self.table.do(record)
        self._write("command", json.dumps(record), json.dumps([to_json(event) for event in happened]))

    def notice(self, text: str, *, private: bool = False) -> None:
        self._write("notice", json.dumps({"text": text} | ({"private": True} if private else {})), "[]")

    @property
    def table(self) -> Table:
        return self.tables[-1]

    def _write(self, kind: str, record: str, events: str) -> None:
        seq = len(self.entries) + 1
        at = f"2026-05-01T20:{seq // 60 % 60:02}:{seq % 60:02}.000Z"
        self.entries.append(Entry(seq, at, len(self.tables), kind, "test", None, record, events, "", f"{seq:064x}"))
        self.views[seq] = self.table.view()


def random_records(game: str, seed: int) -> tuple[Header, list[Record]]:
    """Return the header and legal commands of a random evening, without undo."""
    rng = random.Random(seed)
    script = _script(game, rng)
    table = Table(Header.parse(script[0], INSTALLED))
    for record in script[1:]:
        table.do(record)
    return table.header, table.records


def _script(game: str, rng: random.Random) -> list[Record]:
    if game == "rochi":
        return rochi_referee.random_evening(rng, hands=4)[0]
    if game == "captains":
        return captains_referee.random_duel(rng, commands=150)[0]
    if game == "roche":
        return referee.random_script(rng, rounds=5)[0]
    if game == "blackjack":
        return blackjack_referee.rich_evening(rng, commands=150)
    if game == "chinchirorin":
        return chinchirorin_referee.rich_evening(rng, commands=150)
    return rugen_referee.random_script(rng, game, 150)[0]


def play(evening: Evening, records: Iterable[Record], rng: random.Random, undo: float = 0.06) -> None:
    """Play the records with notices, and with undos of up to thirty commands, most of which are redone."""
    for record in records:
        evening.do(record)
        if rng.random() < 0.03:
            evening.notice("Somebody looked", private=rng.random() < 0.5)
        if rng.random() < undo:
            _waver(evening, rng)


def _waver(evening: Evening, rng: random.Random) -> None:
    """Undo some commands, then redo them or issue them again."""
    count = min(rng.choice((1, 1, 2, 5, 12, 30)), len(evening.table.records))
    taken = evening.table.records[-count:]
    for _ in range(count):
        evening.do({"do": "undo"})
    again = rng.randrange(count + 1)
    for _ in range(again):
        evening.do({"do": "redo"})
    for record in taken[again:]:
        evening.do(record)


def random_evening(seed: int, games: Iterable[str] = GAMES) -> Evening:
    """Return an evening with one session of each game."""
    rng = random.Random(seed)
    evening = Evening()
    for game in games:
        header, records = random_records(game, rng.randrange(10**6))
        evening.begin(header)
        play(evening, records, rng)
    return evening


def refused(evening: Evening, record: Record) -> bool:
    """Whether the table currently rejects a command."""
    try:
        evening.do(record)
    except TableError:
        return True
    return False


def counted(evening: Evening) -> Iterator[int]:
    """Yield the numbers of the commands in effect at the end, session by session."""
    done: list[int] = []
    undone: list[int] = []
    for entry in evening.entries:
        verb = json.loads(entry.record).get("do") if entry.kind == "command" else None
        if entry.kind == "start":
            yield from done
            done, undone = [], []
        elif verb == "undo":
            undone.append(done.pop())
        elif verb == "redo":
            done.append(undone.pop())
        elif verb is not None:
            undone = []
            done.append(entry.seq)
    yield from done


class Journal:
    """Fake journal with these entries."""

    games = INSTALLED

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.history = HandHistory(
            lambda after, limit: entries[after:] if limit < 0 else entries[after : after + limit], INSTALLED
        )


def in_effect(entries: Sequence[Entry]) -> list[Entry]:
    """Return the commands in effect, tracking undo and redo with two lists."""
    done: list[Entry] = []
    undone: list[Entry] = []
    for entry in entries:
        verb = json.loads(entry.record).get("do") if entry.kind == "command" else None
        if verb == "undo":
            undone.append(done.pop())
        elif verb == "redo":
            done.append(undone.pop())
        elif verb:
            done.append(entry)
            undone.clear()
    return done
