"""Signs the journal's heads (Ed25519), so that the file cannot be rewritten without the key.

The private key is in an owner-only file beside the journal, or comes from the service manager (systemd's
``LoadCredentialEncrypted=``, sealed by a TPM if there is one) and is then stored in no file. With the public key an
auditor can check every signature of any copy of the journal.

The key's file also records which journals are signed and from which entry on, so that signatures cannot be removed
unnoticed.
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
"""Name of the service manager's credential with the key: 64 hexadecimal digits."""
_SEED_BYTES: Final = 32
_SHOWN: Final = 16


class KeyUnusable(CompanionError):
    """The signing key's file cannot be read or written."""


class Signer(Protocol):
    """A signing key: in a file, or held by a TPM or another device."""

    @property
    def public(self) -> str:
        """The public key, in hexadecimal digits."""
        ...

    def sign(self, text: bytes) -> bytes: ...

    def mac(self, text: bytes) -> str:
        """Return a MAC of a text, which only this key's owner can create or check."""
        ...


class SeedSigner:
    """Signs with the Ed25519 key of a 32-byte seed."""

    def __init__(self, seed: bytes) -> None:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        self._private: Ed25519PrivateKey = Ed25519PrivateKey.from_private_bytes(seed)
        self._mac_key = hmac.digest(seed, b"companion second place", "sha256")
        self.public = self._private.public_key().public_bytes_raw().hex()

    def sign(self, text: bytes) -> bytes:
        """Return the signature, 64 bytes."""
        return self._private.sign(text)

    def mac(self, text: bytes) -> str:
        """Return the HMAC-SHA256 of a text, in hexadecimal digits, under a key derived from the seed."""
        return hmac.digest(self._mac_key, text, "sha256").hex()


def head_text(journal: str, head: Head) -> bytes:
    """Return the text that is signed for a head: the journal's id, seq and hash, which covers all entries before it."""
    return f"companion head {journal} {head.seq} {head.hash}".encode()


class HeadCheck:
    """Verifies signatures of one journal's heads."""

    def __init__(self, journal: str) -> None:
        self._journal = journal

    def is_right(self, head: Head, public: str, signature: bytes) -> bool:
        """Whether a head's signature is valid for a public key."""
        return self.is_text(head_text(self._journal, head), public, signature)

    def is_text(self, text: bytes, public: str, signature: bytes) -> bool:
        """Whether a text's signature is valid for a public key; False for a malformed key."""
        from cryptography.exceptions import InvalidSignature

        try:
            _verifier(public)(signature, text)
        except (InvalidSignature, ValueError):
            return False
        return True


@lru_cache(maxsize=4096)  # a floor verifies the heads of all its tables every few seconds
def _verifier(public: str) -> Callable[[bytes, bytes], None]:
    """Return the key's function of signature and text, which raises `InvalidSignature` for an invalid signature.

    Raises:
        ValueError: malformed key.
    """
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    return Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify


def brief(public: str) -> str:
    """Return the beginning of a public key, in groups of four digits for people to compare.

    >>> brief("ab" * 32)
    'abab abab abab abab'
    """
    return " ".join(public[at : at + 4] for at in range(0, _SHOWN, 4))


@dataclass(frozen=True, slots=True)
class KeyBook:
    """A table's key file: its signing key, its former keys, and the journals signed."""

    path: Path
    seed: bytes | None = None
    former: tuple[str, ...] = ()
    "Former public keys whose signatures the owner has accepted."
    journals: Mapping[str, int] = field(default_factory=dict)
    "Journal id -> its first signed entry."
    is_external: bool = False
    "Whether the service manager provides the key, which is then not written to the file."

    @classmethod
    def beside(cls, journal: Path) -> Self:
        """Read the key book beside a journal; empty if there is none.

        Raises:
            KeyUnusable: the file cannot be read, or is damaged.
        """
        path = journal.with_name(f"signing-{journal.stem}.key")
        outside = _credential_key()
        try:
            data = json.loads(path.read_text(encoding="ascii"))
            own = data.get("private")
            seed = outside or (bytes.fromhex(own) if own else None)
            journals = {str(name): int(first) for name, first in data["journals"].items()}
            book = cls(path, seed, tuple(map(str, data["former"])), journals, outside is not None)
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
        """Whether no journal was ever signed."""
        return not self.journals

    def signer(self) -> SeedSigner | None:
        """Return the table's signer, or None without a key."""
        return None if self.seed is None else SeedSigner(self.seed)

    def trusted(self) -> frozenset[str]:
        """Return the public keys accepted for this table's journals: its own and the former ones."""
        signer = self.signer()
        return frozenset((*self.former, *(() if signer is None else (signer.public,))))

    def with_key(self, random: Callable[[int], bytes] = os.urandom) -> Self:
        """Return the book with its key; a new one is generated if it had none."""
        return self if self.seed is not None else replace(self, seed=random(_SEED_BYTES))

    def signing(self, journal: str, first: int, former: frozenset[str] = frozenset()) -> Self:
        """Return the book with a journal added.

        Args:
            first: the journal's first signed entry.
            former: public keys whose earlier signatures the owner accepts.
        """
        signer = self.signer()
        own = () if signer is None or not self.is_external else (signer.public,)  # an external key is not in the file
        kept = tuple(dict.fromkeys((*self.former, *sorted(former), *own)))
        return replace(self, journals={**self.journals, journal: first}, former=kept)

    def write(self) -> None:
        """Write the file; durable when this returns.

        Raises:
            OSError: it could not be written.
        """
        own = None if self.is_external or self.seed is None else self.seed.hex()
        data = {"private": own, "former": list(self.former), "journals": dict(self.journals)}
        write_private(self.path, json.dumps(data, indent=1).encode())


def _credential_key() -> bytes | None:
    """Return the key that the service manager provides, or None.

    Raises:
        KeyUnusable: the credential is not a key.
    """
    folder = os.environ.get("CREDENTIALS_DIRECTORY")
    path = Path(folder or ".") / CREDENTIAL
    if folder is None or not path.exists():
        return None
    try:
        return bytes.fromhex(path.read_text(encoding="ascii").strip())
    except (OSError, ValueError) as error:
        raise KeyUnusable(f"The credential {CREDENTIAL} is no key: it is 64 hexadecimal digits.") from error
