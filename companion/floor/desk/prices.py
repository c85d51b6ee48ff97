"""The house's price list: one versioned document for all tables, with author, time and changes of each version.

Settings of a table override those of its group, which override those of the house.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final

from psycopg.errors import UniqueViolation

from companion.config.price_list import GamePrices, InvalidPriceList, PriceList, check_prices, mark_of
from companion.floor import people
from companion.floor.database import Connect
from companion.floor.errors import FloorError
from companion.kernel.messages import message
from companion.plugins.registry import Games

Keys = dict[str, Any]
ByGame = dict[str, Keys]
Document = dict[str, Any]
"""``house`` and each of ``tables`` map games to settings; each of ``groups`` has ``tables``, and ``games`` likewise."""
Setting = tuple[str, str, str]
"""A setting's scope, game and key; with empty game and key, the member tables of a group."""
NOTHING: Final[Document] = {"house": {}, "groups": {}, "tables": {}}
LONGEST_NAME: Final = 40


@dataclass(frozen=True, slots=True)
class Version:
    """A saved version."""

    number: int
    at: str
    who: str
    what: str
    body: str

    @property
    def document(self) -> Document:
        """The parsed document."""
        found: Document = json.loads(self.body)
        return found


@dataclass(frozen=True, slots=True)
class Scope:
    """What a setting applies to: the house, a group of tables, or one table."""

    kind: str
    name: str = ""

    @classmethod
    def parse(cls, text: str) -> Scope:
        """Parse ``house``, ``group/High rollers`` or ``table/Table 3``.

        Raises:
            FloorError: invalid scope.
        """
        kind, _, name = text.partition("/")
        if (kind == "house" and not name) or (kind in ("group", "table") and name):
            return cls(kind, name)
        raise FloorError.coded("bad-scope", "{text} is neither the house, a group nor a table.", text=repr(text[:60]))

    def __str__(self) -> str:
        return f"{self.kind}/{self.name}" if self.name else self.kind

    def games_in(self, document: Document) -> ByGame:
        """Return the mutable settings of this scope in a document.

        Raises:
            FloorError: the document has no such group.
        """
        if self.kind == "house":
            found: ByGame = document["house"]
        elif self.kind == "group":
            if self.name not in document["groups"]:
                raise FloorError.coded("no-group", "There is no group {name} of tables.", name=repr(self.name[:40]))
            found = document["groups"][self.name]["games"]
        else:
            found = document["tables"].setdefault(self.name, {})
        return found


def resolved(document: Document, table: str) -> ByGame:
    """Return the effective settings of a table, by game.

    >>> both = {"house": {"a": {"x": 1, "y": 1}}, "groups": {"g": {"tables": ["T"], "games": {"a": {"y": 2}}}}}
    >>> resolved({**both, "tables": {"T": {"b": {"z": 3}}}}, "T")
    {'a': {'x': 1, 'y': 2}, 'b': {'z': 3}}
    """
    group = group_of(document, table)
    layers: list[ByGame] = [document["house"], *([] if group is None else [document["groups"][group]["games"]]),
                            document["tables"].get(table, {})]  # fmt: skip
    found: ByGame = {}
    for layer in layers:
        for game, keys in layer.items():
            found[game] = {**found.get(game, {}), **keys}
    return {game: keys for game, keys in found.items() if keys}


def group_of(document: Document, table: str) -> str | None:
    """Return the group that a table belongs to."""
    return next((name for name, group in document["groups"].items() if table in group["tables"]), None)


class PriceBook:
    """All versions of the price list. Thread-safe.

    Args:
        connect: context manager that yields a database connection.
        games: returns the installed games, whose models validate the settings.
    """

    def __init__(self, connect: Connect, games: Callable[[], Games]) -> None:
        self._connect, self._games = connect, games
        self._lock = threading.Lock()
        self._lists: dict[str, PriceList] = {}
        self._marks: dict[str, tuple[PriceList, str]] = {}
        self._all: list[Version] = []
        self._is_read = False

    @property
    def games(self) -> Games:
        """The installed games."""
        return self._games()

    def latest(self) -> Version | None:
        """Return the current version; None before the first."""
        return next(iter(self.versions(1)), None)

    def versions(self, most: int = 200) -> Sequence[Version]:
        """Return the latest versions, newest first."""
        query = "SELECT number, at::text, who, what, body FROM floor.price_list ORDER BY number DESC LIMIT %s"
        with self._connect() as connection:
            return [Version(*row) for row in connection.execute(query, (most,))]

    def version(self, number: int) -> Version:
        """Return a version.

        Raises:
            FloorError: no such version.
        """
        query = "SELECT number, at::text, who, what, body FROM floor.price_list WHERE number = %s"
        with self._connect() as connection:
            row = connection.execute(query, (number,)).fetchone() if 0 < number < 2**31 else None
        if row is None:
            raise FloorError.coded("no-version", "There is no version {number} of the price list.", number=str(number))
        return Version(*row)

    # ---- changes

    def set_games(self, scope: Scope, game: str, keys: Keys, *, base: int, who: str) -> Version:
        """Replace a scope's settings for a game; empty ``keys`` remove them.

        Args:
            base: the version that the change is based on (optimistic locking).

        Raises:
            FloorError: invalid settings, or another version was saved meanwhile; nothing has changed.
        """
        document = self._document()
        games = scope.games_in(document)
        games.pop(game, None)
        if keys:
            games[game] = keys
        document["tables"] = {name: one for name, one in document["tables"].items() if one}
        said = ", ".join(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in keys.items())
        return self._save(document, f"{scope}, {game}: {said or 'nothing set'}", base, who)

    def set_group(self, name: str, tables: Sequence[str], *, base: int, who: str) -> Version:
        """Set the member tables of a group; a group without tables is deleted.

        Raises:
            FloorError: as for `set_games`.
        """
        name = " ".join(name.split())
        if not 0 < len(name) <= LONGEST_NAME or not name.isprintable() or "/" in name:
            raise FloorError.coded(
                "bad-name",
                "A group's name has 1 to {most} letters and no /, got {name}.",
                most=LONGEST_NAME,
                name=repr(name[:60]),
            )
        document = self._document()
        games = document["groups"].pop(name, {"games": {}})["games"]
        for group in document["groups"].values():
            group["tables"] = [table for table in group["tables"] if table not in tables]
        if tables:
            document["groups"][name] = {"tables": sorted(set(tables)), "games": games}
        said = ", ".join(document["groups"][name]["tables"]) if tables else "no more"
        return self._save(document, f"group {name}: {said}", base, who)

    def bring_back(self, number: int, *, base: int, who: str) -> Version:
        """Save an old version as a new one.

        Raises:
            FloorError: as for `set_games`.
        """
        return self._save(self.version(number).document, f"version {number} brought back", base, who)

    def _document(self) -> Document:
        found = self.latest()
        return deepcopy(NOTHING) if found is None else found.document

    def _save(self, document: Document, what: str, base: int, who: str) -> Version:
        self._check(document)
        body = json.dumps(document, sort_keys=True, ensure_ascii=False)
        number = base + 1
        try:
            with self._connect() as connection, connection.transaction():
                query = "SELECT coalesce(max(number), 0) FROM floor.price_list"
                (latest,) = connection.execute(query).fetchone() or (0,)
                if latest != base:
                    raise _outdated()
                connection.execute(
                    "INSERT INTO floor.price_list (number, who, what, body) VALUES (%s, %s, %s, %s)",
                    (number, who, what[:2000], body),
                )
                people.note(connection, who, "changed the prices", {"version": number, "what": what[:2000]})
        except UniqueViolation as error:
            raise _outdated() from error
        self.forget()
        return self.version(number)

    def _check(self, document: Document) -> None:
        """Check that every game accepts its effective settings in the house, in each group and at each table."""
        with self._connect() as connection:
            known = {name for (name,) in connection.execute("SELECT name FROM floor.house_table")}
        for name in _tables_in(document):
            if name not in known:
                raise FloorError.coded("no-table", "There is no table {name} at this floor.", name=repr(name[:40]))
        for where, name in _representatives(document):
            for game, keys in resolved(document, name).items():
                try:
                    check_prices(self.games, game, keys)
                except InvalidPriceList as error:
                    raise FloorError.coded(
                        "bad-prices", "{where}: {what} Nothing was changed.", where=where, what=error.message
                    ) from error

    # ---- for tables

    def list_for(self, table: str) -> PriceList:
        """Return a table's price list: for each game, the settings and the version that last changed them."""
        with self._lock:
            if not self._is_read:
                self._read()
            if table not in self._lists:
                found: PriceList = {}
                for version in self._all:
                    found = _follow(found, version, table)
                self._lists[table] = found
            return self._lists[table]

    def newest_for(self, table: str) -> int:
        """Return the version that last changed a table's prices; 0 if none has."""
        return max((one.version for one in self.list_for(table).values()), default=0)

    def mark_for(self, table: str) -> str:
        """Return the digest of a table's list; see `mark_of`."""
        list_ = self.list_for(table)
        kept = self._marks.get(table)
        if kept is None or kept[0] is not list_:
            kept = self._marks[table] = list_, mark_of(list_)
        return kept[1]

    def forget(self) -> None:
        """Invalidate the cache."""
        with self._lock:
            self._is_read = False

    def _read(self) -> None:
        query = "SELECT number, at::text, who, what, body FROM floor.price_list WHERE number > %s ORDER BY number"
        known = self._all[-1].number if self._all else 0
        with self._connect() as connection:
            fresh = [Version(*row) for row in connection.execute(query, (known,))]
        for version in fresh:
            self._lists = {table: _follow(one, version, table) for table, one in self._lists.items()}
        self._all, self._is_read = [*self._all, *fresh], True


def _follow(before: PriceList, version: Version, table: str) -> PriceList:
    """Return a table's list after one more version; games it does not change there keep their version."""
    now = resolved(version.document, table)
    found = dict(before)
    for game in (*now, *(game for game in before if game not in now)):
        keys = now.get(game, {})
        if game not in before or before[game].keys != keys:
            found[game] = GamePrices(version.number, version.who, version.at, keys)
    return found


def _tables_in(document: Document) -> Iterator[str]:
    yield from document["tables"]
    for group in document["groups"].values():
        yield from group["tables"]


def _representatives(document: Document) -> Iterator[tuple[str, str]]:
    """Yield a label and a table's name for each distinct combination of settings; the house's name is empty."""
    yield message("The house"), ""
    for name, group in document["groups"].items():
        yield message("Group {name}", name=name), next(iter(group["tables"]), "")
    for table in document["tables"]:
        yield table, table


def changes_between(before: Mapping[Setting, Any], after: Mapping[Setting, Any]) -> list[tuple[Setting, Any, Any]]:
    """Return each setting that differs, with its old and new value.

    >>> changes_between({("house", "a", "x"): 1, ("house", "a", "y"): 2}, {("house", "a", "y"): 3})
    [(('house', 'a', 'x'), 1, None), (('house', 'a', 'y'), 2, 3)]
    """
    names = sorted(before.keys() | after.keys())
    return [(name, before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)]


def _outdated() -> FloorError:
    return FloorError.coded("outdated", "Somebody has saved another version since you looked. Load the page again.")
