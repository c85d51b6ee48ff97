"""Compares the installed files with the list that the installer recorded: a damaged card or a stray edit shows."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final, Literal

DISTRIBUTION: Final = "table-companion"
PACKAGES: Final = ("companion", "hardware", "web_ui")
_MOST_NAMED: Final = 5


@dataclass(frozen=True, slots=True)
class SelfCheck:
    """What was found.

    Attributes:
        state: ``same``; ``changed``; ``unlisted``: runs from a source folder, for which nothing was recorded.
        count: files that were compared.
        wrong: some of those that are changed, missing, or additional Python files.
    """

    state: Literal["same", "changed", "unlisted"]
    count: int = 0
    wrong: tuple[str, ...] = ()


def self_check(distribution: metadata.Distribution | None = None) -> SelfCheck:
    """Compare every file of the installation with its recorded SHA-256.

    Args:
        distribution: what is compared; None: this program's.
    """
    try:
        found = distribution or metadata.distribution(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return SelfCheck("unlisted")
    listed = [path for path in found.files or () if path.parts[0] in PACKAGES and path.hash is not None]
    if not listed:
        return SelfCheck("unlisted")
    wrong = [str(path) for path in listed if _digest(Path(str(path.locate()))) != (path.hash and path.hash.value)]
    root = Path(str(found.locate_file("")))
    known = {str(path) for path in listed}
    present = (path for package in PACKAGES for path in (root / package).rglob("*.py"))
    wrong += [name for path in present if (name := path.relative_to(root).as_posix()) not in known]
    return SelfCheck("changed" if wrong else "same", len(listed), tuple(sorted(wrong)[:_MOST_NAMED]))


def _digest(path: Path) -> str:
    """Return a file's SHA-256 as the list has it; nothing if it cannot be read."""
    try:
        digest = hashlib.sha256(path.read_bytes()).digest()
    except OSError:
        return ""
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")
