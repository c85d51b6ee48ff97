"""How the installed program is updated, and whether an update succeeded.

The table cannot update itself: its service may write only its data. The owner runs a command on the machine; the
installer starts the new release and rolls back if that does not open the table.
"""

import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Final, Self

PREFIX: Final = Path("/opt/table-companion")
"""Where ``systemd/install.sh`` installs releases, and the Debian package its wheels."""
RECENT: Final = timedelta(hours=24)
"""Largest age of a backup that suffices before an update."""
_BEGUN: Final = datetime.now(UTC)


LOG: Final = "journalctl -u companion -n 50"
"""Command that shows why a release did not start."""


class InstallMethod(StrEnum):
    """How the program was installed, and so how it is updated."""

    PACKAGE = "package"
    "Debian package."
    RELEASE = "release"
    "``make install`` from a source folder."
    SOURCE = "source"
    "Runs from a source folder."


COMMANDS: Final = {
    InstallMethod.PACKAGE: ("sudo apt install ./table-companion_*.deb",),
    InstallMethod.RELEASE: ("cd table-companion", "git pull", "sudo make install"),
    InstallMethod.SOURCE: ("git pull", "make run"),
}
"""Update commands, one per line."""


@dataclass(frozen=True, slots=True)
class Installed:
    """The running installation.

    Attributes:
        release: name of the release folder, which is its creation time; empty without one.
        packaged: version of the installed Debian package; empty without one.
    """

    version: str
    release: str
    way: InstallMethod
    packaged: str = ""
    begun: datetime = _BEGUN

    @classmethod
    def found(cls, version: str, *, program: Path | None = None, prefix: Path = PREFIX) -> Self:
        """Detect how a program of this version is installed.

        Args:
            program: its virtual environment; by default the running one.
        """
        home = (program or Path(sys.prefix)).resolve()
        wheels = sorted((prefix / "wheels").glob("table_companion-*.whl"))
        packaged = wheels[-1].name.split("-")[1] if wheels else ""
        if home.parent != (prefix / "releases").resolve():
            return cls(version, "", InstallMethod.SOURCE)
        return cls(version, home.name, InstallMethod.PACKAGE if packaged else InstallMethod.RELEASE, packaged)

    @property
    def commands(self) -> tuple[str, ...]:
        """The commands that update it."""
        return COMMANDS[self.way]

    @property
    def mark(self) -> str:
        """Changes at every start; the part before the ``@`` only after an update."""
        return f"{self.version} {self.release}@{self.begun:%Y%m%dT%H%M%S.%f}"

    def is_other_release_than(self, mark: str) -> bool | None:
        """Return whether this is another release than a mark's; None if the mark is from this process.

        >>> old = Installed("1.0", "a", InstallMethod.RELEASE)
        >>> Installed("1.1", "b", InstallMethod.RELEASE).is_other_release_than(old.mark)
        True
        >>> old.is_other_release_than(old.mark) is None
        True
        """
        return None if mark == self.mark else mark.partition("@")[0] != self.mark.partition("@")[0]
