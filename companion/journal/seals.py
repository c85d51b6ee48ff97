"""Seals: secret commands lie encrypted in the journal until the game reveals them, and then prove to be the same.

A sealed command is a *box*, the command encrypted under a key of its own, and its *seal*, SHA-256 over key and
command. The seal is published at once, and nobody can make another command that fits it; at the reveal the keys are
published, too, so everybody can open the boxes and check the seals. The keys come from a random secret, which lies in a
file beside the journal and goes into no backup; with each reveal another one takes its place.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from companion.kernel.commands import Record
from companion.kernel.errors import TableError
from companion.kernel.events import Opening

ENDING: Final = ".seal"
"""Of the secret's file, beside the journal's."""
PAST_ENDING: Final = ".seals"
"""Of the file with the secrets that are retired."""
SEALED: Final = "sealed"
"""The verb of a sealed command in the journal; no game takes it."""
PROOF: Final = "sealed_as"
"""The field in which an opened command has its seal and key."""
_BLOCK: Final = 1024
"""Boxes are as long as multiples of this many bytes: their size shall not tell what is in them."""
_BYTES: Final = 32


class BrokenSeal(TableError):
    """A box does not hold what was sealed."""

    code = "bad-script"


class SecretMissing(BrokenSeal):
    """The secret that opens a box is not here: only a copy of the journal is."""


@dataclass(frozen=True, slots=True)
class Seals:
    """Seals commands and opens them again. ``path`` is the secret's file, made when the first command is sealed."""

    path: Path
    random: Callable[[int], bytes] = os.urandom

    @classmethod
    def beside(cls, journal: Path, random: Callable[[int], bytes] = os.urandom) -> Seals:
        """Return the seals of a journal."""
        return cls(journal.with_suffix(ENDING), random)

    def seal(self, text: str) -> Record:
        """Return a command as the journal keeps it: what it is and whose, nobody can tell."""
        secret, nonce = self._current(), self.random(16)
        key = _key(secret, nonce)
        plain = text.encode()
        plain += b" " * (-len(plain) % _BLOCK)
        box = b64encode(_crypted(key, plain)).decode()
        return {"do": SEALED, "by": _name(secret), "seal": seal_of(key, plain), "nonce": nonce.hex(), "box": box}

    def open(self, record: Record) -> Record:
        """Return a sealed command as it was given, with its proof; any other record as it is.

        Raises:
            SecretMissing: the secret is not here.
            BrokenSeal: the box does not hold what was sealed.
        """
        if record.get("do") != SEALED:
            return record
        secret = next((one for one in self._known() if _name(one) == record["by"]), None)
        if secret is None:
            raise SecretMissing("A sealed command cannot be opened: its secret is not in this folder.")
        key = _key(secret, bytes.fromhex(record["nonce"]))
        return {**opened(record["box"], record["seal"], key), PROOF: {"seal": record["seal"], "key": key.hex()}}

    def retire(self) -> None:
        """Seal with another secret from now on: what the old one sealed was revealed, and may go into backups."""
        if self.path.exists():
            _append(self.past, self.path.read_bytes().hex() + "\n")
            self.path.unlink()

    @property
    def past(self) -> Path:
        """The file of the secrets that are retired, one a line."""
        return self.path.with_suffix(PAST_ENDING)

    def _known(self) -> Iterator[bytes]:
        if self.path.exists():
            yield self.path.read_bytes()
        if self.past.exists():
            yield from map(bytes.fromhex, reversed(self.past.read_text(encoding="ascii").splitlines()))

    def _current(self) -> bytes:
        if not self.path.exists():
            secret = self.random(_BYTES)
            draft = self.path.with_suffix(".tmp")
            draft.unlink(missing_ok=True)
            _append(draft, secret)
            draft.replace(self.path)
        return self.path.read_bytes()


def _append(path: Path, data: bytes | str) -> None:
    """Write at the end of a file that is its owner's alone; it is on the disk when this returns."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(handle, "ab") as file:
        file.write(data if isinstance(data, bytes) else data.encode("ascii"))
        file.flush()
        os.fsync(file.fileno())


def _name(secret: bytes) -> str:
    """Return what a secret is called in the boxes that it opens."""
    return hashlib.sha256(b"name" + secret).hexdigest()[:16]


def _key(secret: bytes, nonce: bytes) -> bytes:
    return hmac.digest(secret, nonce, "sha256")


def seal_of(key: bytes, plain: bytes) -> str:
    """Return the seal: it fits no other command, and tells nothing without the key."""
    return hashlib.sha256(b"seal" + key + plain).hexdigest()


def opened(box: str, seal: str, key: bytes) -> dict[str, Any]:
    """Return the command in a box.

    Raises:
        BrokenSeal: the box does not hold what was sealed.
    """
    plain = _crypted(key, b64decode(box))
    if not hmac.compare_digest(seal_of(key, plain), seal):
        raise BrokenSeal("A sealed command is not what was sealed.")
    found: dict[str, Any] = json.loads(plain)
    return found


def wrong_opening(records: Iterable[Record], opening: Mapping[str, Any]) -> str | None:
    """Return what is wrong with a published opening, or None: needs no secret, only the journal's sealed records."""
    seal = opening["seal"]
    box = next((one["box"] for one in records if one.get("do") == SEALED and one["seal"] == seal), None)
    if box is None:
        return f"nothing was sealed as {seal[:12]}…"
    try:
        found = opened(box, seal, bytes.fromhex(opening["key"]))
    except (BrokenSeal, ValueError):
        return f"its key does not open what was sealed as {seal[:12]}…"
    return None if found == opening["record"] else f"something else was sealed as {seal[:12]}…"


def _crypted(key: bytes, data: bytes) -> bytes:
    """Encrypt or decrypt: each key is used for one box only, so its stream is a one-time pad."""
    stream = hashlib.shake_256(b"box" + key).digest(len(data))
    return (int.from_bytes(data) ^ int.from_bytes(stream)).to_bytes(len(data))


def openings(records: Sequence[Record], reveals: Mapping[str, frozenset[str]]) -> tuple[Opening, ...]:
    """Return what the latest command opens: the sealed ones since the last command of its verb.

    Args:
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
