"""Reads from the journal which players are real people, what the demo's switches say, and how each card was read.

The demo never decides for a real person or moves their coins. A player is real if they joined by phone with their
seat's code, or were seated by anyone but the demo. The journal records both, so this survives a restart.
"""

from typing import Final

from companion.journal.hash_chain import EntryJson
from companion.kernel.commands import Record
from companion.kernel.timeline import Timeline
from companion.service.one_session import OneSession

SOURCE: Final = "demo"
CARRIED_OVER: Final = "table"
"""Source of joins for players carried over from the previous session."""
BATCH_SIZE: Final = 1000


class JournalReader:
    """Reads a journal incrementally."""

    def __init__(self, journal: OneSession) -> None:
        self._journal = journal
        self.read = 0
        "Number of entries processed."
        self.guests: set[str] = set()
        "Names of the real people."
        self.switches: dict[str, bool] = {}
        "Who plays by themselves, as last chosen: `auto` (the house) and `players`."
        self._timeline: Timeline[tuple[int, Record]] = Timeline()

    def catch_up(self) -> bool:
        """Process the next batch of entries; return whether the end was reached.

        Until then `guests` is incomplete, and nobody may be treated as simulated.
        """
        entries = self._journal.events(self.read, BATCH_SIZE)
        for entry in entries:
            self.read += 1
            self._process(entry)
        return len(entries) < BATCH_SIZE

    def verb_of(self, after: int, card: str) -> str | None:
        """Return the verb of the effective command with this card after entry ``after``, or None if there is none."""
        for number, record in reversed(self._timeline.done):
            if number <= after:
                return None
            if record.get("card") == card:
                return str(record["do"])
        return None

    def _process(self, entry: EntryJson) -> None:
        record, source = entry["record"], entry["source"]
        if entry["kind"] == "notice":
            data = record.get("data", {})
            joined = data.get("joined")
            self.guests |= {joined} if isinstance(joined, str) else set()
            if source == SOURCE:
                self.switches |= data
        elif entry["kind"] == "command":
            self._timeline.follow(record["do"], (self.read, record))
            if record["do"] == "join" and source != CARRIED_OVER:
                (self.guests.discard if source == SOURCE else self.guests.add)(record["player"].strip())
