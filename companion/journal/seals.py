"""Sealed commands: a commitment scheme that keeps secret commands encrypted in the journal until the game reveals them.

A sealed command consists of a *box*, the command encrypted (ChaCha20-Poly1305) with a key of its own, and its *seal*,
the SHA-256 hash of key and command. The seal is a commitment: it is published at once, and no other command or key
fits it. At the reveal the keys are published, so that everybody can open the boxes and check the seals. All boxes have
the same length.

Keys are derived (HMAC-SHA256 with a nonce) from a random *secret* in an owner-only file beside the journal. Backups
leave the secret out while something is sealed with it. Once the reveal is durable, the secret is *retired*: it is
replaced, and moves to the file of past secrets. Backups include that file, since commands that are never revealed,
such as votes, have to be replayed after a restart. So the owner of the machine can open everything.
"""

import errno
import hashlib
import hmac
import json
import os
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self

from companion.journal.durable import write_private
from companion.journal.store import JournalError
from companion.kernel.commands import Record
from companion.kernel.errors import BadScript, TableError
from companion.kernel.events import Opening

ENDING: Final = ".seal"
"""Suffix of the secret's file, beside the journal."""
PAST_ENDING: Final = ".seals"
"""Suffix of the file of retired secrets."""
SEALED: Final = "sealed"
"""Verb of a sealed command in the journal; no game accepts it."""
PROOF: Final = "sealed_as"
"""Field of an opened command with its seal and key."""
BOX_BYTES: Final = 2048
"""Size of a command's plaintext, after padding: equal for all, so that a box's size reveals nothing."""
_SECRET_BYTES: Final = 32
_NONCE_BYTES: Final = 12


class BrokenSeal(TableError):
    """A box cannot be opened with its key, or its content does not match its seal."""

    code = "bad-script"


class SecretMissing(BrokenSeal):
    """The secret that opens a box is missing, as in a copy of the journal alone."""


class Seals:
    """Seals and opens commands. Only one process may seal; any number of threads and processes may open.

    Args:
        path: the secret's file, created when the first command is sealed.
        random: returns the given number of random bytes.
    """

    def __init__(self, path: Path, random: Callable[[int], bytes] = os.urandom) -> None:
        self._path = path
        self._past = path.with_suffix(PAST_ENDING)
        self._random = random
        self._secrets: Mapping[str, bytes] = {}  # by name, as read last

    @classmethod
    def beside(cls, journal: Path, random: Callable[[int], bytes] = os.urandom) -> Self:
        """Return the seals of a journal."""
        return cls(journal.with_suffix(ENDING), random)

    @property
    def names(self) -> tuple[str, str]:
        """The file names of the current and the retired secrets."""
        return self._path.name, self._past.name

    def check(self) -> None:
        """Check that existing secret files can be read.

        A table that took them for missing would not know the sealed choices, and would begin a new session at the
        reveal.

        Raises:
            JournalError: a file exists but cannot be used.
        """
        for path, read in ((self._path, self._path.read_bytes), (self._past, self._kept_past)):
            try:
                read()
            except FileNotFoundError:
                continue
            except OSError as error:
                raise JournalError(
                    f"{path}, which opens the table's sealed commands, cannot be read: {error.strerror}. Make it a "
                    "file that the table's user can read, or put its copy back. If there is none, move it out of the "
                    "data directory: everybody keeps their coins, but what is still sealed is lost, and a game that "
                    "needs it begins anew."
                ) from error

    def seal(self, record: Record) -> Record:
        """Return a command in its sealed form, for the journal: it shows neither the command nor whose it is.

        Raises:
            BadScript: the command is too long for a box.
            JournalError: the secret cannot be written.
        """
        plain = _padded({name: value for name, value in record.items() if name != PROOF})
        try:
            secret = self._current()
        except OSError as error:
            path = error.filename or self._path
            raise JournalError(f"{path} cannot be written: {error.strerror or error}. Check the disk.") from error
        nonce = self._random(_NONCE_BYTES)
        key = _key(secret, nonce)
        box = b64encode(_encrypted(key, nonce, plain)).decode()
        return {"do": SEALED, "by": _name(secret), "seal": seal_of(key, plain), "nonce": nonce.hex(), "box": box}

    def open(self, record: Record) -> Record:
        """Return a sealed command's content with its proof; any other record unchanged.

        Raises:
            SecretMissing: its secret is missing.
            BrokenSeal: the box is damaged, or does not match its seal.
        """
        if record.get("do") != SEALED:
            return record
        try:
            key = _key(self._secret(record["by"]), bytes.fromhex(record["nonce"]))
        except (KeyError, TypeError, ValueError) as error:
            raise _broken() from error
        return {**opened(record, key), PROOF: {"seal": record["seal"], "key": key.hex()}}

    def retire(self) -> None:
        """Replace the secret, after the reveal: the old one moves to the past secrets, and may go into backups.

        Raises:
            OSError: the files cannot be read or written.
        """
        if self._path.exists():
            secret = self._path.read_bytes()
            past = {**self._kept_past(), _name(secret): secret}
            write_private(self._past, "".join(f"{one.hex()}\n" for one in past.values()).encode())
            self._path.unlink()

    def _current(self) -> bytes:
        if self._path.exists():
            secret = self._path.read_bytes()
            if len(secret) == _SECRET_BYTES and _name(secret) not in self._kept_past():
                return secret  # else it is damaged, or a power cut has interrupted its retirement
        secret = self._random(_SECRET_BYTES)
        write_private(self._path, secret)
        return secret

    def _secret(self, name: str) -> bytes:
        if name not in self._secrets:
            self._secrets = dict(self._read_all())
        if name not in self._secrets:
            raise SecretMissing("A sealed command cannot be opened: its secret is not in this folder.")
        return self._secrets[name]

    def _read_all(self) -> Iterator[tuple[str, bytes]]:
        """Yield the secrets by name. The current one is read first, as it may be retired in between."""
        try:
            secret = self._path.read_bytes()
        except OSError:  # missing, or not readable for this process
            pass
        else:
            yield _name(secret), secret
        with suppress(OSError):
            yield from self._kept_past().items()

    def _kept_past(self) -> dict[str, bytes]:
        """Return the retired secrets by name.

        Raises:
            OSError: they cannot be read, or are damaged; treating that as an empty file would overwrite them.
        """
        try:
            secrets = [bytes.fromhex(line) for line in self._past.read_text(encoding="ascii").splitlines()]
        except FileNotFoundError:
            return {}
        except ValueError as error:
            raise OSError(errno.EBADMSG, "it is damaged", str(self._past)) from error
        return {_name(secret): secret for secret in secrets}


def _name(secret: bytes) -> str:
    """Return the name by which sealed commands refer to their secret."""
    return hashlib.sha256(b"name" + secret).hexdigest()[:16]


def _key(secret: bytes, nonce: bytes) -> bytes:
    return hmac.digest(secret, nonce, "sha256")


def _padded(record: Record) -> bytes:
    """Return a box's plaintext: the command as JSON, padded with spaces to `BOX_BYTES`."""
    plain = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()
    if len(plain) > BOX_BYTES:
        raise BadScript.saying(
            "A secret has room for {most} letters, this one has {n}. Say it in fewer.", most=BOX_BYTES, n=len(plain)
        )
    return plain.ljust(BOX_BYTES)


def seal_of(key: bytes, plain: bytes) -> str:
    """Return the seal, a commitment: no other command or key fits it, and without the key it reveals nothing."""
    return hashlib.sha256(b"seal" + key + plain).hexdigest()


def opened(record: Record, key: bytes) -> dict[str, Any]:
    """Return the command in a sealed record's box.

    Raises:
        BrokenSeal: the key does not open the box, or its content does not match the seal.
    """
    try:
        plain = _decrypted(key, bytes.fromhex(record["nonce"]), b64decode(record["box"], validate=True))
        if not hmac.compare_digest(seal_of(key, plain), record["seal"]):
            raise _broken()
        found: dict[str, Any] = json.loads(plain)
    except (KeyError, TypeError, ValueError) as error:
        raise _broken() from error
    return found


def _broken() -> BrokenSeal:
    return BrokenSeal("A sealed command is not what was sealed.")


def wrong_opening(records: Iterable[Record], opening: Mapping[str, Any]) -> str | None:
    """Return what is wrong with a published opening, or None. Needs no secret, only the journal's sealed records."""
    seal = opening["seal"]
    sealed = next((one for one in records if one.get("do") == SEALED and one["seal"] == seal), None)
    if sealed is None:
        return f"nothing was sealed as {seal[:12]}…"
    try:
        found = opened(sealed, bytes.fromhex(opening["key"]))
    except (BrokenSeal, ValueError):
        return f"its key does not open what was sealed as {seal[:12]}…"
    return None if found == opening["record"] else f"something else was sealed as {seal[:12]}…"


# ---- the cipher, imported only for games with secrets. Each key is used once, so no nonce is repeated under a key.


def _encrypted(key: bytes, nonce: bytes, plain: bytes) -> bytes:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    return ChaCha20Poly1305(key).encrypt(nonce, plain, None)


def _decrypted(key: bytes, nonce: bytes, box: bytes) -> bytes:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    try:
        return ChaCha20Poly1305(key).decrypt(nonce, box, None)
    except InvalidTag as error:
        raise _broken() from error


# ---- reveals


def openings(records: Sequence[Record], reveals: Mapping[str, frozenset[str]]) -> tuple[Opening, ...]:
    """Return the openings published by the latest command: of the sealed commands since the last one of its verb.

    Replaced choices are opened as well: otherwise nobody could check that the one that counted was the last.

    Args:
        records: the effective commands, opened; the latest is a reveal.
        reveals: verb -> the secret verbs that it opens.
    """
    verb = records[-1]["do"]
    found: list[Opening] = []
    for record in reversed(records[:-1]):
        if record["do"] == verb:
            break
        if record["do"] in reveals[verb] and PROOF in record:
            plain = {name: value for name, value in record.items() if name != PROOF}
            found.append(Opening(record[PROOF]["seal"], record[PROOF]["key"], plain))
    return tuple(reversed(found))


def is_something_sealed(records: Sequence[Record], reveals: Mapping[str, frozenset[str]]) -> bool:
    """Whether a sealed command was given since the last reveal."""
    for record in reversed(records):
        if PROOF in record:
            return True
        if record["do"] in reveals:
            return False
    return False
