"""A forger who has the journal's file, knows how its chain is made, and rebuilds it after changing entries."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from companion.journal.hash_chain import entry_hash, genesis

Row = dict[str, Any]
_NAMES = ("seq", "at", "session", "kind", "source", "key", "record", "events")


def forge(path: Path, change: Callable[[list[Row]], list[Row]], *, journal: str | None = None) -> None:
    """Change the entries at will, and rebuild the whole chain, numbers included.

    Args:
        change: is given all entries and returns those that shall be there.
        journal: another id for the journal.
    """
    with closing(sqlite3.connect(path)) as file, file:
        if journal is not None:
            file.execute("UPDATE about SET value = ? WHERE name = 'id'", (journal,))
        prev = genesis(file.execute("SELECT value FROM about WHERE name = 'id'").fetchone()[0])
        rows = file.execute(f"SELECT {', '.join(_NAMES)} FROM entry ORDER BY seq").fetchall()
        forged = change([dict(zip(_NAMES, row, strict=True)) for row in rows])
        file.execute("DELETE FROM entry")
        for seq, row in enumerate(forged, start=1):
            values = {**row, "seq": seq}
            digest = entry_hash(prev, *(values[name] for name in _NAMES))
            file.execute(f"INSERT INTO entry VALUES ({', '.join('?' * 10)})", (*values.values(), prev, digest))
            prev = digest


def record(row: Row) -> Any:
    """Return an entry's command."""
    return json.loads(row["record"])


def rewritten(row: Row, **changes: Any) -> Row:
    """Return an entry with other fields in its record."""
    return {**row, "record": json.dumps(record(row) | changes, separators=(",", ":"))}


def with_coins(row: Row, old: int, new: int) -> Row:
    """Return an entry with another amount of coins, in its command and in its events."""
    more = rewritten(row, coins=new) if "coins" in record(row) else row
    events = json.loads(row["events"])
    for event in events:
        for name, value in event.items():
            if value == old and name in ("coins", "amount", "won"):
                event[name] = new
    return {**more, "events": json.dumps(events, separators=(",", ":"))}
