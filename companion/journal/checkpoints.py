"""Startup cache: a recent table position, so that not every command has to be replayed.

It names the journal entry and the version of the rules that it was made with. If either does not match, or the file
is damaged, it is ignored, and the session is replayed from its start with the same result.
"""

import hashlib
import hmac
import json
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from cattrs import Converter
from cattrs.errors import StructureHandlerNotFoundError
from cattrs.preconf.json import make_converter

from companion.journal.background import Background
from companion.journal.hash_chain import Head
from companion.kernel.accounts import Account
from companion.kernel.events import Result
from companion.kernel.messages import Message, packed, unpacked
from companion.kernel.table import Position, Table
from companion.kernel.values import changed

log = logging.getLogger(__name__)

Results = tuple[tuple[int, Result], ...]
WORTH_IT: Final = 5_000  # commands since the last checkpoint


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The position after the first ``count`` effective commands, as of entry ``seq``."""

    seq: int
    head: str
    rules: str
    count: int
    position: str
    "In the form of `pack`."
    results: Results


Code = Callable[[bytes], str]
"""Returns a MAC of a text. Made with the signing key, so that nobody else can forge a position."""


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def write_checkpoint(path: Path, checkpoint: Checkpoint, code: Code = _digest) -> None:
    """Write a checkpoint file atomically.

    Raises:
        OSError: it could not be written.
    """
    body = json.dumps(_CONVERTER.unstructure(checkpoint), separators=(",", ":"))
    draft = path.with_suffix(".draft")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(f"{code(body.encode())}\n{body}\n")
    draft.replace(path)


def read_checkpoint(path: Path, code: Code = _digest) -> Checkpoint | None:
    """Return a file's checkpoint; None if the file is missing or damaged, or its MAC or version does not match."""
    try:
        digest, body = path.read_text(encoding="ascii").split("\n", 1)
        if not hmac.compare_digest(digest, code(body.rstrip("\n").encode())):
            return None
        return _CONVERTER.structure(json.loads(body), Checkpoint)
    except (OSError, ValueError, KeyError, TypeError):
        return None


class Checkpoints:
    """Keeps a table's checkpoint up to date, in a background thread.

    Args:
        code: the signing key's MAC.
        worth_it: the number of commands after which a new checkpoint is written.
    """

    def __init__(self, path: Path, code: Code = _digest, worth_it: int = WORTH_IT) -> None:
        self._path = path
        self._code = code
        self._worth_it = worth_it
        self._count = 0  # effective commands when the latest checkpoint was made
        self._writer = Background("checkpoint")

    def read(self) -> Checkpoint | None:
        """Return the stored checkpoint, or None."""
        found = read_checkpoint(self._path, self._code)
        self._count = found.count if found else 0
        return found

    def keep(self, table: Table, head: Head, rules: str) -> None:
        """Write a new checkpoint if worthwhile, without waiting.

        Args:
            rules: fingerprint of the table's rules.
        """
        if table.game.secret:  # a position contains secrets, and this file is not encrypted
            return
        if self._writer.is_busy or abs(len(table.records) - self._count) < self._worth_it:
            return
        self._count = len(table.records)
        self._writer.do(partial(self._write, rules, head, *table.earliest_retained()))

    def _write(self, rules: str, head: Head, count: int, position: Position, results: Results) -> None:
        try:
            checkpoint = Checkpoint(head.seq, head.hash, rules, count, pack(position), results)
            write_checkpoint(self._path, checkpoint, self._code)
        except (OSError, TypeError, NameError) as error:
            log.info("The checkpoint was not saved, so the next start will take longer: %s", error)

    def wait(self) -> None:
        """Wait up to 5 s for a write in progress."""
        self._writer.wait(5)


# ---- a position as JSON


def _make_converter() -> Converter:
    converter = make_converter(detailed_validation=False)
    converter.register_unstructure_hook(Account, lambda account: account.text)
    converter.register_structure_hook(Account, lambda text, _: Account.parse(text))
    converter.register_unstructure_hook(Message, lambda said: said)  # `packed` writes it, `unpacked` reads it
    converter.register_structure_hook(str, lambda text, _: text)
    return converter


_CONVERTER: Final = _make_converter()


def _written(position: Position) -> str:
    return json.dumps(packed(_CONVERTER.unstructure(position)), separators=(",", ":"))


def pack(position: Position) -> str:
    """Return a position as JSON.

    Raises:
        TypeError: it does not survive a round trip: a field of the game's state has no type, or too wide a type.
        NameError: a field's type is imported for type checkers only.
    """
    text = _written(position)
    back = unpack(text, type(position.state))
    if back != position or _written(back) != text:  # a message equals its plain text, so compare the JSON as well
        raise TypeError(f"A {type(position.state).__name__} cannot be kept in a checkpoint: give every field its type.")
    return text


def unpack(text: str, state: type[Any]) -> Position | None:
    """Return the position that `pack` wrote; None if it does not fit the state's class.

    Args:
        state: the class of the game's state. Only the declared types of its fields are ever created from a file.
    """
    try:
        record = json.loads(text, object_hook=unpacked)
        position = _CONVERTER.structure(record, Position)
        return changed(position, state=_CONVERTER.structure(record["state"], state))
    except (ValueError, KeyError, TypeError, AttributeError, NameError, StructureHandlerNotFoundError):
        return None
