"""Signs the journal's heads (Ed25519), so that whoever has the file but not the key cannot write it anew.

The private key lies in a file of its own beside the journal that only its owner can read, or comes from the service
manager (systemd's ``LoadCredentialEncrypted=``, sealed by a TPM where there is one) and is then in no file. The public
key is no secret: an auditor checks every signature with it, wherever the journal was copied to.

The key's file also remembers which journals it signs and from which entry on: signatures cannot be taken off silently.
"""

from __future__ import annotations

import hmac
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, Self

from companion.journal.durable import DAMAGED, write_private
from companion.journal.hash_chain import Head
from companion.kernel.errors import CompanionError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

CREDENTIAL: Final = "journal-signing-key"
"""What the service manager calls the key where it hands it over: 64 hexadecimal digits."""
_SEED_BYTES: Final = 32
_SHOWN: Final = 16


class KeyUnusable(CompanionError):
    """The signing key's file cannot be read or written."""


class Signer(Protocol):
    """Signs heads: a key in a file, or one that a TPM or another device keeps."""

    @property
    def public(self) -> str:
        """The public key, in hexadecimal digits."""
        ...

    def sign(self, text: bytes) -> bytes: ...

    def mac(self, text: bytes) -> str:
        """Return a code over a text that only this key's owner can make or check."""
        ...


class SeedSigner:
    """Signs with an Ed25519 key made from 32 secret bytes."""

    def __init__(self, seed: bytes) -> None:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        self._private: Ed25519PrivateKey = Ed25519PrivateKey.from_private_bytes(seed)
        self._mac_key = hmac.digest(seed, b"companion second place", "sha256")
        self.public = self._private.public_key().public_bytes_raw().hex()

    def sign(self, text: bytes) -> bytes:
        """Return the signature, 64 bytes."""
        return self._private.sign(text)

    def mac(self, text: bytes) -> str:
        """Return a code over a text that only this key's owner can make or check."""
        return hmac.digest(self._mac_key, text, "sha256").hex()


def head_text(journal: str, head: Head) -> bytes:
    """Return what is signed of a head: which journal's, its number and its hash, which covers everything before it."""
    return f"companion head {journal} {head.seq} {head.hash}".encode()


class HeadCheck:
    """Checks signatures of one journal's heads."""

    def __init__(self, journal: str) -> None:
        self._journal = journal

    def is_right(self, head: Head, public: str, signature: bytes) -> bool:
        """Say whether a head was signed with a public key's private one."""
        return self.is_text(head_text(self._journal, head), public, signature)

    def is_text(self, text: bytes, public: str, signature: bytes) -> bool:
        """Say whether a text was signed with a public key's private one."""
        from cryptography.exceptions import InvalidSignature

        try:
            _verifier(public)(signature, text)
        except (InvalidSignature, ValueError):
            return False
        return True


@lru_cache(maxsize=4096)  # a floor checks those of all its tables every few seconds
def _verifier(public: str) -> Callable[[bytes, bytes], None]:
    """Return what raises `InvalidSignature` for a wrong signature of a text; a `ValueError` if that is no key."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    return Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify


def brief(public: str) -> str:
    """Return a public key as people compare it.

    >>> brief("ab" * 32)
    'abab abab abab abab'
    """
    return " ".join(public[at : at + 4] for at in range(0, _SHOWN, 4))


@dataclass(frozen=True, slots=True)
class KeyBook:
    """A table's signing key, the keys that it had before, and which journals are signed from which entry on."""

    path: Path
    seed: bytes | None = None
    former: tuple[str, ...] = ()
    "Public keys that signed this table's journals before, as the owner accepted."
    journals: Mapping[str, int] = field(default_factory=dict)
    "A journal's id, and its first signed entry."
    is_external: bool = False
    "Whether the service manager hands the key over: then it is not written to the file."

    @classmethod
    def beside(cls, journal: Path) -> Self:
        """Read the book of a journal; an empty one if there is none.

        Raises:
            KeyUnusable: the file cannot be read, or is damaged.
        """
        path = journal.with_name(f"signing-{journal.stem}.key")
        outside = _handed_over()
        try:
            told = json.loads(path.read_text(encoding="ascii"))
            own = told.get("private")
            seed = outside or (bytes.fromhex(own) if own else None)
            journals = {str(name): int(first) for name, first in told["journals"].items()}
            book = cls(path, seed, tuple(map(str, told["former"])), journals, outside is not None)
        except FileNotFoundError:
            return cls(path, outside, is_external=outside is not None)
        except OSError as error:
            raise KeyUnusable(
                f"The signing key {path} cannot be read: {error.strerror}. Only the user who runs the table may; give "
                "--key with its public key to check without it."
            ) from error
        except DAMAGED as error:
            raise KeyUnusable(f"The signing key {path} is damaged. Bring it back from a backup.") from error
        if seed is not None and len(seed) != _SEED_BYTES:
            raise KeyUnusable(f"The signing key {path} is damaged. Bring it back from a backup.")
        return book

    @property
    def is_empty(self) -> bool:
        """Whether nothing was ever signed with it."""
        return not self.journals

    def signer(self) -> SeedSigner | None:
        """Return the table's signer, if it has a key."""
        return None if self.seed is None else SeedSigner(self.seed)

    def trusted(self) -> frozenset[str]:
        """Return the public keys with which this table's journals may be signed."""
        signer = self.signer()
        return frozenset((*self.former, *(() if signer is None else (signer.public,))))

    def with_key(self, random: Callable[[int], bytes] = os.urandom) -> Self:
        """Return the book with a key, a new one if there was none."""
        return self if self.seed is not None else replace(self, seed=random(_SEED_BYTES))

    def signing(self, journal: str, first: int, former: frozenset[str] = frozenset()) -> Self:
        """Return the book once a journal is signed from an entry on.

        Args:
            former: keys that signed it before, which the owner accepts.
        """
        signer = self.signer()
        own = () if signer is None or not self.is_external else (signer.public,)  # where the key itself is not here
        kept = tuple(dict.fromkeys((*self.former, *sorted(former), *own)))
        return replace(self, journals={**self.journals, journal: first}, former=kept)

    def write(self) -> None:
        """Write it; it is on the disk when this returns.

        Raises:
            OSError: it could not be written.
        """
        own = None if self.is_external or self.seed is None else self.seed.hex()
        told = {"private": own, "former": list(self.former), "journals": dict(self.journals)}
        write_private(self.path, json.dumps(told, indent=1).encode())


def _handed_over() -> bytes | None:
    """Return the key that the service manager hands over, if it does.

    Raises:
        KeyUnusable: it is no key.
    """
    folder = os.environ.get("CREDENTIALS_DIRECTORY")
    path = Path(folder or ".") / CREDENTIAL
    if folder is None or not path.exists():
        return None
    try:
        return bytes.fromhex(path.read_text(encoding="ascii").strip())
    except (OSError, ValueError) as error:
        raise KeyUnusable(f"The credential {CREDENTIAL} is no key: it is 64 hexadecimal digits.") from error
