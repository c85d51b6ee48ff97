"""What the demo agent reads from the journal: who is a real person, and what the companion recognised.

The demo decides nothing for a real person and moves none of their coins. Real is whoever joined with their seat's
code by phone, or was seated by anyone but the demo; the journal records it, so it survives a restart.
"""

from typing import Final

from companion.journal.hash_chain import EntryJson
from companion.kernel.commands import Record
from companion.kernel.timeline import Timeline
from companion.service.one_session import OneSession

SOURCE: Final = "demo"
CARRIED: Final = "table"
"""Who was seated by the table itself was at the session before."""
SLICE: Final = 1000


class JournalReader:
    """Reads on in a journal."""

    def __init__(self, journal: OneSession) -> None:
        self._journal = journal
        self.read = 0
        "So many entries were taken in."
        self.guests: set[str] = set()
        "The names of the real people."
        self._line: Timeline[tuple[int, Record]] = Timeline()

    def catch_up(self) -> bool:
        """Read the next entries; return whether all were read. Until then nobody counts as simulated."""
        entries = self._journal.events(self.read, SLICE)
        for entry in entries:
            self.read += 1
            self._take_in(entry)
        return len(entries) < SLICE

    def understood(self, after: int, card: str) -> str | None:
        """Return the verb under which a card was taken behind an entry, None while it was not. Undone is not taken."""
        for number, record in reversed(self._line.done):
            if number <= after:
                return None
            if record.get("card") == card:
                return str(record["do"])
        return None

    def _take_in(self, entry: EntryJson) -> None:
        record, source = entry["record"], entry["source"]
        if entry["kind"] == "notice":
            joined = record.get("data", {}).get("joined")
            self.guests |= {joined} if isinstance(joined, str) else set()
        elif entry["kind"] == "command":
            self._line.follow(record["do"], (self.read, record))
            if record["do"] == "join" and source != CARRIED:
                (self.guests.discard if source == SOURCE else self.guests.add)(record["player"].strip())
