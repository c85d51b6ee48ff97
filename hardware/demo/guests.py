"""Who at the demo table is a real person: for them the demo decides nothing, and moves none of their coins.

The journal says so, and so it is known after a restart as well: a phone joined their seat with its code, or somebody
other than the demo seated them.
"""

from __future__ import annotations

from typing import Any, Final, Protocol

SOURCE: Final = "demo"
CARRIED: Final = "table"
"""Who was seated by the table itself was at the session before."""
SLICE: Final = 1000


class Journal(Protocol):
    """Where the accepted commands and the notices are read."""

    def events(self, after: int = 0, limit: int = 100, viewer: str = "room") -> list[dict[str, Any]]:
        """Return the journal's entries behind ``after``."""


class Guests:
    """The names of the real people, followed from the journal."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._read = 0
        self._names: set[str] = set()

    def catch_up(self) -> bool:
        """Take in the next entries; return whether all are taken in. Before that nobody is known to be simulated."""
        entries = self._journal.events(self._read, SLICE)
        for entry in entries:
            self._take_in(entry)
        self._read += len(entries)
        return len(entries) < SLICE

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def _take_in(self, entry: dict[str, Any]) -> None:
        record, source = entry["record"], entry["source"]
        if entry["kind"] == "notice":
            joined = record.get("data", {}).get("joined")
            self._names |= {joined} if isinstance(joined, str) else set()
        elif entry["kind"] == "command" and record["do"] == "join" and source != CARRIED:
            name = record["player"].strip()
            (self._names.discard if source == SOURCE else self._names.add)(name)
