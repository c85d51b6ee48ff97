"""How the program is updated where it is installed, and what came of it.

The table cannot do it itself: its service may write nothing but its data. The owner runs a command at the machine; the
installer then starts the new release, and goes back to the last one if that does not open the table.
"""

import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Final, Self

PREFIX: Final = Path("/opt/table-companion")
"""Where ``systemd/install.sh`` lays releases, and the Debian package its wheels."""
RECENT: Final = timedelta(hours=24)
"""A backup of so short a time ago is good enough to update on."""
_BEGUN: Final = datetime.now(UTC)


LOG: Final = "journalctl -u companion -n 50"
"""Says at the machine why a release did not start."""


class Way(StrEnum):
    """How the program came onto this machine, and so how the next version does."""

    PACKAGE = "package"
    "With a Debian package."
    RELEASE = "release"
    "With ``make install``, from a folder of its source."
    SOURCE = "source"
    "It runs from a folder of its source."


COMMANDS: Final = {
    Way.PACKAGE: ("sudo apt install ./table-companion_*.deb",),
    Way.RELEASE: ("cd table-companion", "git pull", "sudo make install"),
    Way.SOURCE: ("git pull", "make run"),
}
"""What is typed at the machine, line by line."""


@dataclass(frozen=True, slots=True)
class Installed:
    """The program as it runs.

    Attributes:
        release: the name of its release's folder, which is the time when it was made; empty without one.
        packaged: the version that the installed Debian package holds; empty without one.
    """

    version: str
    release: str
    way: Way
    packaged: str = ""
    begun: datetime = _BEGUN

    @classmethod
    def found(cls, version: str, *, program: Path | None = None, prefix: Path = PREFIX) -> Self:
        """Look at how a program of this version is installed.

        Args:
            program: its environment's folder; by default the one that runs.
        """
        home = (program or Path(sys.prefix)).resolve()
        wheels = sorted((prefix / "wheels").glob("table_companion-*.whl"))
        packaged = wheels[-1].name.split("-")[1] if wheels else ""
        if home.parent != (prefix / "releases").resolve():
            return cls(version, "", Way.SOURCE)
        return cls(version, home.name, Way.PACKAGE if packaged else Way.RELEASE, packaged)

    @property
    def commands(self) -> tuple[str, ...]:
        """What is typed at the machine to update it."""
        return COMMANDS[self.way]

    @property
    def mark(self) -> str:
        """Differs after each start; what stands before the ``@`` only after an update."""
        return f"{self.version} {self.release}@{self.begun:%Y%m%dT%H%M%S.%f}"

    def came_after(self, mark: str) -> bool | None:
        """Return whether this is another release than the one with a mark; None while that one still runs.

        >>> old = Installed("1.0", "a", Way.RELEASE)
        >>> Installed("1.1", "b", Way.RELEASE).came_after(old.mark), old.came_after(old.mark)
        (True, None)
        """
        return None if mark == self.mark else mark.partition("@")[0] != self.mark.partition("@")[0]
