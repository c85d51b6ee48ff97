"""A shortcut for the start: the table's position some way back, so that not every command must be folded again.

Only a cache. It names the journal entry and the rules it was made under; if either does not fit, or the file is
damaged, it is left aside and everything is folded from the start, with the same outcome.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import logging
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Final

from companion.journal.hash_chain import Head
from companion.kernel.accounts import Account
from companion.kernel.events import Result
from companion.kernel.messages import Message
from companion.kernel.table import Position, Table

log = logging.getLogger(__name__)

OWN: Final = "companion"
Homes = frozenset[str]
"""Names of top packages."""
WORTH_IT: Final = 5_000  # commands since the last one


@dataclass(frozen=True, slots=True)
class Shortcut:
    """The position after the first ``count`` commands that counted when entry ``seq`` was the latest."""

    seq: int
    head: str
    rules: str
    count: int
    position: Position
    results: tuple[tuple[int, Result], ...]


def write_shortcut(path: Path, shortcut: Shortcut) -> None:
    """Write the file, whole or not at all.

    Raises:
        OSError: it could not be written.
    """
    body = json.dumps(
        {
            "seq": shortcut.seq,
            "head": shortcut.head,
            "rules": shortcut.rules,
            "count": shortcut.count,
            "position": pack(shortcut.position),
            "results": shortcut.results,
        },
        separators=(",", ":"),
    )
    draft = path.with_suffix(".draft")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(f"{_digest(body)}\n{body}\n")
    draft.replace(path)


def read_shortcut(path: Path, homes: Homes = frozenset()) -> Shortcut | None:
    """Return the shortcut of a file; None if there is none, or it is damaged or of another version.

    Args:
        homes: the packages that bring the game.
    """
    try:
        digest, body = path.read_text(encoding="ascii").split("\n", 1)
        if digest != _digest(body.rstrip("\n")):
            return None
        record = json.loads(body)
        position = unpack(record["position"], homes)
        results = tuple((count, result) for count, result in record["results"])
        if not isinstance(position, Position):
            return None
        return Shortcut(record["seq"], record["head"], record["rules"], record["count"], position, results)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ImportError):
        return None


def _digest(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()


class Shortcuts:
    """Keeps a table's shortcut up to date, beside the table's own thread.

    Args:
        homes: the packages that bring the game.
    """

    def __init__(self, path: Path, rules: str, homes: Homes = frozenset(), worth_it: int = WORTH_IT) -> None:
        self._path = path
        self._homes = homes
        self._rules = rules
        self._worth_it = worth_it
        self._count = 0  # commands behind the table when the latest one was made
        self._writer: threading.Thread | None = None

    def read(self) -> Shortcut | None:
        """Return the shortcut, if there is one."""
        found = read_shortcut(self._path, self._homes)
        self._count = found.count if found else 0
        return found

    def keep(self, table: Table, head: Head) -> None:
        """Write a new shortcut if it is worth it; comes back at once."""
        if table.game.secret:  # a position holds secrets, and this file is not sealed
            return
        is_writing = self._writer is not None and self._writer.is_alive()
        if is_writing or abs(len(table.records) - self._count) < self._worth_it:
            return
        count, position, results = table.far_back()
        self._count = len(table.records)
        shortcut = Shortcut(head.seq, head.hash, self._rules, count, position, results)
        self._writer = threading.Thread(target=self._write, args=(shortcut,), name="shortcut", daemon=True)
        self._writer.start()

    def _write(self, shortcut: Shortcut) -> None:
        try:
            write_shortcut(self._path, shortcut)
        except (OSError, TypeError) as error:
            log.info("No shortcut for the next start: %s", error)

    def wait(self) -> None:
        """Wait until what is being written is written."""
        if self._writer is not None:
            self._writer.join(timeout=5)


# ---- values of the rules as JSON


def pack(value: Any) -> Any:
    """Return a frozen value of the rules as JSON: dataclasses, enums, accounts, tuples, mappings, numbers and text.

    Raises:
        TypeError: something else is in it.

    >>> unpack(pack(((1, "a"), {"b": None})))
    ((1, 'a'), {'b': None})
    """
    if isinstance(value, Message):
        return value.to_json()
    if value is None or (isinstance(value, bool | int | str) and not isinstance(value, Enum)):
        return value
    if isinstance(value, Account):
        return {"account": value.text}
    if isinstance(value, tuple):
        return [pack(item) for item in value]
    if isinstance(value, list):
        return {"list": [pack(item) for item in value]}
    if isinstance(value, Mapping):
        return {"map": [[pack(key), pack(item)] for key, item in value.items()]}
    if isinstance(value, Enum):
        return {"enum": _name(type(value)), "of": value.name}
    if is_dataclass(value) and not isinstance(value, type):
        return {
            "new": _name(type(value)),
            "of": {f.name: pack(getattr(value, f.name)) for f in fields(value) if f.init},
        }
    raise TypeError(f"{type(value).__name__} cannot be kept in a shortcut")


def unpack(packed: Any, homes: Homes = frozenset()) -> Any:
    """Return the value that `pack` packed.

    Args:
        homes: the packages of a game whose values may be in it, besides our own.
    """
    if isinstance(packed, list):
        return tuple(unpack(item, homes) for item in packed)
    if not isinstance(packed, dict):
        return packed
    if "list" in packed:
        return [unpack(item, homes) for item in packed["list"]]
    if "map" in packed:
        return {unpack(key, homes): unpack(item, homes) for key, item in packed["map"]}
    if "say" in packed:
        return Message(packed["say"], unpack({"map": [*packed.get("with", {}).items()]}, homes), packed.get("plural"))
    if "account" in packed:
        return Account.parse(packed["account"])
    if "enum" in packed:
        return _class(packed["enum"], homes)[packed["of"]]
    return _class(packed["new"], homes)(**{name: unpack(item, homes) for name, item in packed["of"].items()})


def homes_of(rules: object) -> Homes:
    """Return the top packages of a game's rules, whose values may be in a checkpoint."""
    return frozenset(kind.__module__.partition(".")[0] for kind in type(rules).__mro__ if kind is not object)


def _name(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


def _class(name: str, homes: Homes) -> Any:
    """Return one of our own value classes, or of the game's package; nothing else can come out of a file."""
    module, _, attribute = name.partition(":")
    if module.partition(".")[0] not in homes | {OWN}:
        raise ValueError(f"{name} is none of ours")
    kind = getattr(importlib.import_module(module), attribute)
    if not (isinstance(kind, type) and (is_dataclass(kind) or issubclass(kind, Enum))):
        raise ValueError(f"{name} is not a value")
    return kind
