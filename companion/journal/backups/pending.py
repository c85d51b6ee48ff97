"""The note of a restore that the next start has to finish, and where its files lie."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal, Self

from companion.journal.durable import DAMAGED, write_private
from companion.kernel.errors import CompanionError

PENDING: Final = "restore.pending"
RESTORED: Final = "restored"
BEFORE: Final = "before-restore-"
"""Beginning of the names of folders with the data from before a restore."""

Stage = Literal["ready", "out", "in"]
"""Checked and waiting for the switch; the old data is going out; the restored is coming in."""


class ArchiveError(CompanionError):
    """A backup that failed, or an archive that cannot be trusted. Nothing was changed."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A restore that the next start has to finish, or to tell of.

    Attributes:
        archive: the backup's file name.
        made: when it was made.
        entries: of its journal.
        aside: the folder that the old data goes to, within the data directory.
        asked_at: the last entry of the table's journal when the restore was asked for; None where that is not known.
        commands, rounds: what the switch has put aside with the old data: played since then, and decided.
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
        """Return what waits in a data directory.

        Raises:
            ArchiveError: its note is damaged.
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
        """Write the note.

        Raises:
            OSError: it could not be written.
        """
        write_private(data_dir / PENDING, json.dumps(asdict(self)).encode())
