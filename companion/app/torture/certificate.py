"""The certificate of a torture: what was tried, with which versions, and what came of it, signed with a table's key."""

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
    """A file that is no certificate, or not as it was signed."""


def versions() -> dict[str, str]:
    """Return the versions of what was tried."""
    return {
        "companion": version("table-companion"),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


@dataclass(frozen=True, slots=True)
class Certificate:
    """What a torture has shown.

    Attributes:
        journal, head, entries: of the journal a copy of which was tortured; empty where there was none.
        rules: the fingerprints of the games' rules.
        figures: what was done and counted.
        faults: the promises that were broken, in plain words; none in a good certificate.
        is_own_key: whether the table's own key signed it; else one that was made for it alone.
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
        """Return it with a signature over all of it."""
        named = replace(self, public=signer.public)
        return replace(named, signature=signer.sign(named.text).hex())

    @property
    def text(self) -> bytes:
        """What is signed: all but the signature itself, in one order."""
        return f"{WHAT} ".encode() + json.dumps(self._told(), sort_keys=True).encode()

    def _told(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name != "signature"}

    @property
    def is_as_signed(self) -> bool:
        """Whether it is what the key signed."""
        try:
            return HeadCheck("").is_text(self.text, self.public, bytes.fromhex(self.signature))
        except ValueError:
            return False

    def write(self, path: Path) -> None:
        """Write it into a file.

        Raises:
            OSError: it cannot be written.
        """
        write_private(path, f"{json.dumps({**self._told(), 'signature': self.signature}, indent=1)}\n".encode())

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read one, and see that it is as it was signed.

        Raises:
            CertificateUnusable: it is not, or is no certificate.
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
