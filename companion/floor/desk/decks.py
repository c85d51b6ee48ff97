"""House-wide deck register: which deck belongs to which table. Signing keys stay at the tables.

A deck's four-letter id is enough to name a stray card. Only the owning table has the key to verify the card's code, so
it is asked while it is connected.
"""

import re
import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from psycopg import Connection

from companion.floor.database import Connect
from companion.floor.errors import FloorError
from companion.objects.codes import parse_code

MAX_DECKS: Final = 500
"""Most decks of one table."""
MAX_ASKED: Final = 50
"""Most cards waiting at once for verification by their table."""
ASKED_S: Final = 60.0
LONGEST_NAME: Final = 60
_ID: Final = re.compile(r"[A-Z0-9]{4}")

Worth = Literal["unchecked", "genuine", "forged", "unknown"]


@dataclass(frozen=True, slots=True)
class HouseDeck:
    """A deck of one of the house's tables."""

    table: str
    deck: str
    kind: str
    name: str

    def to_json(self) -> dict[str, str]:
        """Return the deck as sent to tables."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Stranger:
    """A card seen on a table that it does not belong to."""

    at: str
    table: str
    card: str
    deck: str
    owner: str | None
    deck_name: str | None
    worth: Worth


@dataclass(frozen=True, slots=True)
class _Asked:
    table_id: int
    owner: int
    code: str
    at: float


class DeckRegister:
    """All decks of the house. Thread-safe.

    Args:
        connect: context manager that yields a database connection.
    """

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._lock = threading.Lock()
        self._version: int | None = None
        self._asked: dict[str, _Asked] = {}

    @property
    def version(self) -> int:
        """Increases with every registered deck."""
        with self._lock:
            if self._version is None:
                with self._connect() as connection:
                    (latest,) = connection.execute("SELECT coalesce(max(id), 0) FROM floor.deck").fetchone() or (0,)
                self._version = int(latest)
            return self._version

    def register(self, table_id: int, told: Sequence[Mapping[str, Any]]) -> None:
        """Register a table's decks; known ones are ignored.

        Raises:
            FloorError: invalid list; nothing was registered.
        """
        if len(told) > MAX_DECKS:
            raise FloorError("bad-decks", f"A table has at most {MAX_DECKS} decks, got {len(told)}.")
        rows = [(table_id, *_deck(one)) for one in told]
        with self._connect() as connection, connection.transaction():
            for row in rows:
                connection.execute(
                    "INSERT INTO floor.deck (table_id, deck, kind, name) VALUES (%s, %s, %s, %s) "
                    "ON CONFLICT DO NOTHING",
                    row,
                )
        with self._lock:
            self._version = None

    def all(self) -> list[HouseDeck]:
        """Return all decks, by table."""
        query = "SELECT table_name, deck, kind, name FROM floor.decks ORDER BY table_name, deck"
        with self._connect() as connection:
            return [HouseDeck(*row) for row in connection.execute(query)]

    # ---- cards of other tables

    def report(self, table_id: int, text: str) -> Worth | None:
        """Record a card that a table does not know, and ask the table that owns its deck to verify it.

        Returns:
            `unknown` if nobody has such a deck, None while its table is being asked.

        Raises:
            FloorError: not a card code.
        """
        code = parse_code(text)
        if code is None:
            raise FloorError("bad-request", "That is no code of a card.")
        with self._connect() as connection:
            row = connection.execute(
                "SELECT table_id FROM floor.decks WHERE deck = %s AND table_id <> %s", (code.deck, table_id)
            ).fetchone()
            if row is None:
                _note(connection, table_id, code.id, code.deck, None, "unknown")
                return "unknown"
        now = time.monotonic()
        with self._lock:
            if any((one.table_id, one.code) == (table_id, text) for one in self._asked.values()):
                return None
            if len(self._asked) < MAX_ASKED:
                self._asked[secrets.token_hex(8)] = _Asked(table_id, int(row[0]), text, now)
                return None
        with self._connect() as connection:
            _note(connection, table_id, code.id, code.deck, int(row[0]), "unchecked")
        return "unchecked"

    def questions_for(self, table_id: int) -> dict[str, str]:
        """Return the codes that a table is asked to verify, by request name."""
        with self._lock:
            return {name: one.code for name, one in self._asked.items() if one.owner == table_id}

    def answer(self, table_id: int, name: str, *, is_genuine: bool) -> None:
        """Record a table's verdict on a card of its own deck; ignored if the request is already answered."""
        with self._lock:
            asked = self._asked.get(name)
            if asked is None or asked.owner != table_id:
                return
            del self._asked[name]
        self._settle(asked, "genuine" if is_genuine else "forged")

    def give_up(self) -> None:
        """Record cards as unverified if their table does not answer in time."""
        now = time.monotonic()
        with self._lock:
            old = [name for name, one in self._asked.items() if now - one.at > ASKED_S]
            left = [self._asked.pop(name) for name in old]
        for one in left:
            self._settle(one, "unchecked")

    def _settle(self, asked: _Asked, worth: Worth) -> None:
        code = parse_code(asked.code)
        assert code is not None, "it was parsed before it was asked"
        with self._connect() as connection:
            _note(connection, asked.table_id, code.id, code.deck, asked.owner, worth)

    def strangers(self, most: int = 100, within_hours: int = 24 * 365) -> list[Stranger]:
        """Return the latest cards seen on other tables than their own, newest first."""
        query = (
            "SELECT s.at::text, s.table_name, s.card, s.deck, s.owner_name, d.name, s.worth FROM floor.strangers s "
            "LEFT JOIN floor.decks d ON d.table_id = s.owner AND d.deck = s.deck "
            "WHERE s.at > now() - make_interval(hours => %s) ORDER BY s.id DESC LIMIT %s"
        )
        with self._connect() as connection:
            return [Stranger(*row) for row in connection.execute(query, (within_hours, most))]


def _note(connection: Connection[Any], table_id: int, card: str, deck: str, owner: int | None, worth: Worth) -> None:
    connection.execute(
        "INSERT INTO floor.stranger (table_id, card, deck, owner, worth) VALUES (%s, %s, %s, %s, %s)",
        (table_id, card, deck, owner, worth),
    )


def _deck(told: Any) -> tuple[str, str, str]:
    deck, kind, name = (told.get(key) if isinstance(told, Mapping) else None for key in ("deck", "kind", "name"))
    if not (isinstance(deck, str) and isinstance(kind, str) and isinstance(name, str)):
        raise FloorError("bad-decks", 'A deck is {"deck": "K7QX", "kind": "standard", "name": "Blue deck"}.')
    if not _ID.fullmatch(deck) or not 0 < len(kind) <= 40 or not 0 < len(name) <= LONGEST_NAME:
        raise FloorError("bad-decks", f"{deck[:20]!r} is no deck's id, or its kind or name is none.")
    if not kind.isprintable() or not name.isprintable():
        raise FloorError("bad-decks", "A deck's kind and name are printable.")
    return deck, kind, name
