"""The table's journal and the files beside it, opened together."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from companion.journal.checkpoints import Checkpoints
from companion.journal.seals import Seals
from companion.journal.store import Clock, Journal, JournalReader
from companion.journal.trust.guard import Trouble
from companion.journal.trust.proof import Loss, key_trouble, witness_trouble
from companion.journal.trust.witness import WitnessKeeper, WitnessUnusable, read_witness

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TableFiles:
    """A table's files. Only the table thread writes them; ``reader`` and ``seals.open`` are thread-safe."""

    journal: Journal
    reader: JournalReader
    seals: Seals
    checkpoints: Checkpoints
    witness: WitnessKeeper
    latest: tuple[int, str]
    "Seq and time of the latest entry at that time; 0 and empty without one."

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        clock: Clock,
        new_id: Callable[[], str],
        random: Callable[[int], bytes],
        witness: Path | None,
        elapsed: Callable[[], float],
    ) -> Self:
        """Open the journal, or begin one. It is held if it contradicts its witness or its keys.

        For the arguments see `TableService.open`.

        Raises:
            JournalError: a file cannot be used.
        """
        journal = Journal.open(path, clock=clock, new_id=new_id)
        try:
            reader = JournalReader.open(path)
            seals = Seals.beside(path, random)
            seals.check()
            losses = [loss for entry in reader.notices('"loss"') if (loss := Loss.of(entry)) is not None]
            if witness is not None and (unlike := _unlike_witness(journal, witness, losses)) is not None:
                journal.hold(unlike)
            if (replaced := key_trouble(reader.key_changes(), losses)) is not None:
                journal.hold(replaced)
            checkpoints = Checkpoints(path.with_suffix(".shortcut"), journal.code)
            latest = journal.head.seq, journal.latest_at
            return cls(journal, reader, seals, checkpoints, WitnessKeeper(witness, elapsed), latest)
        except BaseException:
            journal.close()
            raise

    def close(self) -> None:
        """Close them. Call once the table thread has ended."""
        self.witness.wait()
        self.reader.close()
        self.journal.close()  # the last connection: on closing it SQLite removes its -wal and -shm files


def _unlike_witness(journal: Journal, path: Path, losses: list[Loss]) -> Trouble | None:
    """Return how the journal contradicts its witness, or None. A missing or unusable witness is only logged."""
    if not path.exists():
        log.warning("The witness file %s is missing: the journal is not compared with it.", path)
        return None
    try:
        statements = read_witness(path)
    except WitnessUnusable as error:
        log.warning("%s The journal is not compared with it.", error)
        return None
    return witness_trouble(statements, journal, losses)
