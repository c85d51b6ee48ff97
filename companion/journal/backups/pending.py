"""The persistent record of a restore that the next startup has to finish, and the names of its files."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal, Self

from companion.journal.durable import DAMAGED, write_private
from companion.kernel.errors import CompanionError

PENDING: Final = "restore.pending"
RESTORED: Final = "restored"
BEFORE: Final = "before-restore-"
"""Prefix of the folders with the data from before a restore."""

Stage = Literal["ready", "out", "in"]
"""``ready``: checked, waiting for the switch; ``out``: moving the old data out; ``in``: moving the restored data in."""


class ArchiveError(CompanionError):
    """A backup that failed, or an archive that cannot be trusted. Nothing was changed."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A restore that the next startup has to finish, or to report.

    Attributes:
        archive: the backup's file name.
        made: the time of the backup.
        entries: the number of entries in its journal.
        aside: the folder for the old data, within the data directory.
        stage: the progress of the switch.
        asked_at: the last entry of the table's journal when the restore was requested; None if unknown.
        commands, rounds: number of commands and of decided rounds played since then, set aside with the old data.
    """

    archive: str
    made: str
    entries: int
    aside: str
    stage: Stage = "ready"
    asked_at: int | None = None
    commands: int = 0
    rounds: int = 0

    @classmethod
    def read(cls, data_dir: Path) -> Self | None:
        """Return a data directory's pending restore, or None.

        Raises:
            ArchiveError: its record is damaged.
        """
        try:
            found = cls(**json.loads((data_dir / PENDING).read_text(encoding="utf-8")))
            if not found.aside.startswith(BEFORE) or "/" in found.aside:
                raise ValueError("the old data would go elsewhere")
            return found
        except FileNotFoundError:
            return None
        except (OSError, *DAMAGED) as error:
            raise ArchiveError(f"{data_dir / PENDING} is damaged: a restore cannot be finished. Look there.") from error

    def write(self, data_dir: Path) -> None:
        """Write the record, atomically and durably.

        Raises:
            OSError: it could not be written.
        """
        write_private(data_dir / PENDING, json.dumps(asdict(self)).encode())
