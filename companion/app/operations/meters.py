"""Lifetime meters, as on a slot machine: monotonic counters that survive the restore of an older backup."""

import json
import logging
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from companion.journal.backups.backup import METERS
from companion.journal.durable import DAMAGED, write_private
from companion.journal.hash_chain import Entry
from companion.journal.replay import transfers
from companion.kernel.accounts import CAGE, Kind
from companion.kernel.ledger import BUY_IN, CASH_OUT

SHOWN: Final = ("starts", "commands", "rounds", "bought", "cashed", "staked", "restores", "backups", "clock_steps")
_AT_ONCE: Final = 1000

log = logging.getLogger("companion.meters")

Fetch = Callable[[int, int], Iterable[Entry]]


class Meters:
    """Counts each journal entry once, plus events reported directly. One writer thread, any number of readers.

    Args:
        data_dir: contains the meters' file, which a restore leaves in place.
        fetch: returns up to a number of entries after a sequence number.
    """

    def __init__(self, data_dir: Path, fetch: Fetch) -> None:
        self._path, self._fetch = data_dir / METERS, fetch
        self._counts: Counter[str] = Counter()
        self._seq, self._hash = 0, ""
        self._read()
        self._skip_what_was_counted()

    def _read(self) -> None:
        try:
            told = json.loads(self._path.read_text(encoding="utf-8"))
            counts = {str(name): int(count) for name, count in told["counts"].items()}
            self._seq, self._hash = int(told["seq"]), str(told["hash"])
        except FileNotFoundError:
            return
        except (OSError, *DAMAGED) as error:
            log.warning("The lifetime meters in %s cannot be read and restart from zero: %s", self._path, error)
            return
        self._counts.update(counts)

    def _skip_what_was_counted(self) -> None:
        """Resume after the last counted entry; skip another or an older journal, whose entries were counted before."""
        if not self._seq or next((e.hash for e in self._fetch(self._seq - 1, 1)), None) == self._hash:
            return
        self._seq, self._hash = 0, ""
        while entries := tuple(self._fetch(self._seq, _AT_ONCE)):
            self._seq, self._hash = entries[-1].seq, entries[-1].hash

    @property
    def counts(self) -> dict[str, int]:
        """The meters by name."""
        return {name: self._counts[name] for name in SHOWN}

    def count(self, name: str) -> None:
        """Count an event that is in no journal."""
        self._counts[name] += 1
        self._write()

    def catch_up(self) -> None:
        """Count new journal entries."""
        is_new = False
        while entries := tuple(self._fetch(self._seq, _AT_ONCE)):
            is_new = True
            for entry in entries:
                self._counts.update(_counted(entry))
            self._seq, self._hash = entries[-1].seq, entries[-1].hash
        if is_new:
            self._write()

    def _write(self) -> None:
        told = {"counts": dict(self._counts), "seq": self._seq, "hash": self._hash}
        try:
            write_private(self._path, json.dumps(told).encode())
        except OSError as error:  # recounted from the position in the file
            log.debug("The meters cannot be written: %s", error)


def _counted(entry: Entry) -> Counter[str]:
    """Return an entry's increments. Undone commands count, too."""
    counts: Counter[str] = Counter()
    if entry.kind != "command":
        return counts
    counts["commands"] = 1
    counts["rounds"] = int('"Decided"' in entry.events)
    for one in transfers(entry):
        if one.payee.kind is Kind.STAKE:
            counts["staked"] += one.coins
        counts["bought"] += one.coins if one.payer == CAGE and one.why == BUY_IN else 0
        counts["cashed"] += one.coins if one.payee == CAGE and one.why == CASH_OUT else 0
    return counts
