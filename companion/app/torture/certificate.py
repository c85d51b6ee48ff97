"""Signed report of a torture test: what was tested, in which versions, and the outcome."""

import json
import platform
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, Self

from companion.journal.durable import DAMAGED, small_text, write_private
from companion.journal.trust.signing import HeadCheck, Signer
from companion.kernel.errors import CompanionError

WHAT: Final = "companion torture"
_FORM: Final = 1


class CertificateUnusable(CompanionError):
    """Not a report, or its signature is invalid."""


def versions() -> dict[str, str]:
    """Return the versions of the software tested."""
    return {
        "companion": version("table-companion"),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


@dataclass(frozen=True, slots=True)
class Certificate:
    """Report of a torture test.

    Attributes:
        journal, head, entries: of the tested journal; empty if there was none.
        rules: fingerprints of the games' rules.
        figures: counters of actions and faults.
        faults: invariants violated; empty if the test passed.
        is_own_key: signed with the table's own key; otherwise with one generated for this report.
    """

    began: str
    ended: str
    seed: int
    journal: str
    head: str
    entries: int
    versions: Mapping[str, str]
    rules: Mapping[str, str]
    figures: Mapping[str, float]
    faults: tuple[str, ...]
    is_own_key: bool
    public: str = ""
    signature: str = ""
    what: str = WHAT
    form: int = _FORM

    def signed(self, signer: Signer) -> Self:
        """Return it with a signature."""
        named = replace(self, public=signer.public)
        return replace(named, signature=signer.sign(named.text).hex())

    @property
    def text(self) -> bytes:
        """The signed bytes: everything but the signature, in canonical order."""
        return f"{WHAT} ".encode() + json.dumps(self._told(), sort_keys=True).encode()

    def _told(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name != "signature"}

    @property
    def is_as_signed(self) -> bool:
        """Whether the signature is valid."""
        try:
            return HeadCheck("").is_text(self.text, self.public, bytes.fromhex(self.signature))
        except ValueError:
            return False

    def write(self, path: Path) -> None:
        """Write it to a file.

        Raises:
            OSError: it cannot be written.
        """
        write_private(path, f"{json.dumps({**self._told(), 'signature': self.signature}, indent=1)}\n".encode())

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a report and verify its signature.

        Raises:
            CertificateUnusable: malformed, or the signature is invalid.
        """
        try:
            told = json.loads(small_text(path))
            if told["what"] != WHAT or told["form"] != _FORM:
                raise ValueError
            found = cls(**{**told, "faults": tuple(told["faults"])})
        except OSError as error:
            raise CertificateUnusable(f"{path} cannot be read: {error.strerror}. Check the path.") from error
        except DAMAGED as error:
            raise CertificateUnusable(f"{path} is no certificate of `companion torture`, or is damaged.") from error
        if not found.is_as_signed:
            raise CertificateUnusable(f"{path} is not as it was signed: somebody has changed it. Do not trust it.")
        return found
