"""Day closes: totals since the previous close, from the journals, reconciled with the house's books, signed and kept.

A close reads one database snapshot. Closes are numbered and hash-linked, so none can be removed or replaced later; the
signed text is stored verbatim.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, Final

from psycopg import Connection
from psycopg.errors import SerializationFailure, UniqueViolation

from companion.floor.errors import FloorError
from companion.floor.overview.journal_ranges import BEGINNING, Mark, changed_since, takings_at
from companion.floor.overview.takings import Takings
from companion.floor.reports.evaluator import evaluated_to, expected_since
from companion.floor.reports.expectation import NOTHING, expected_json, together
from companion.journal.trust.signing import HeadCheck, Signer
from companion.kernel.messages import Message, message, packed, unpacked

_COLUMNS: Final = "number, at::text, who, body, signature, public"


@dataclass(frozen=True, slots=True)
class DayClose:
    """A stored day close. `body` is the signed JSON text."""

    number: int
    at: str
    who: str
    body: str
    signature: str
    public: str

    @property
    def content(self) -> dict[str, Any]:
        """The parsed body."""
        found: dict[str, Any] = json.loads(self.body, object_hook=unpacked)
        return found

    @property
    def hash(self) -> str:
        """SHA-256 of the signed text."""
        return hashlib.sha256(self.body.encode()).hexdigest()

    @property
    def is_signed(self) -> bool:
        """Whether the signature verifies with the public key stored beside it."""
        try:
            signature = bytes.fromhex(self.signature)
        except ValueError:
            return False
        return HeadCheck("").is_text(_signed_text(self.body), self.public, signature)


def _signed_text(body: str) -> bytes:
    return f"companion day close\n{body}".encode()


def closes(connection: Connection[Any], most: int = 400) -> Sequence[DayClose]:
    """Return the latest closes, newest first."""
    query = f"SELECT {_COLUMNS} FROM floor.day_close ORDER BY number DESC LIMIT %s"
    return [DayClose(*row) for row in connection.execute(query, (most,))]


def all_closes(connection: Connection[Any]) -> Iterator[DayClose]:
    """Yield all closes, oldest first."""
    for row in connection.execute(f"SELECT {_COLUMNS} FROM floor.day_close ORDER BY number"):
        yield DayClose(*row)


def close_number(connection: Connection[Any], number: int) -> DayClose:
    """Return a close.

    Raises:
        FloorError: no such close.
    """
    query = f"SELECT {_COLUMNS} FROM floor.day_close WHERE number = %s"
    row = connection.execute(query, (number,)).fetchone() if number < 2**31 else None
    if row is None:
        raise FloorError.coded("no-close", "There is no day close {number}.", number=str(number))
    return DayClose(*row)


MOVEMENT: Final = ("id", "at", "from_kind", "from_name", "to_kind", "to_name", "coins", "why", "transfer", "who")


def movements(connection: Connection[Any], close: DayClose) -> list[dict[str, Any]]:
    """Return the postings in the house's books between the previous close and this one, oldest first."""
    told = close.content
    posted = close_number(connection, close.number - 1).content["posting"] if close.number > 1 else 0
    query = (
        "SELECT id, at::text, from_kind, from_name, to_kind, to_name, coins, why, transfer, who FROM floor.movements "
        "WHERE id > %s AND id <= %s ORDER BY id"
    )
    rows = connection.execute(query, (posted, told["posting"])).fetchall()
    return [dict(zip(MOVEMENT, row, strict=True)) for row in rows]


TOTALS: Final = ("table", "at_start", "bought", "from_purses", "cashed", "to_purses", "recounted", "game", "win",
                 "at_end", "won", "expected", "error")  # fmt: skip


def totals(close: DayClose) -> list[dict[str, Any]]:
    """Return one row per table, each followed by one row per game played there."""
    rows = []
    for one in close.content["tables"]:
        takings = dict(one["takings"])
        wins = takings.pop("wins")
        ends = {"at_start": one["at_start"], "at_end": one["at_end"]}
        odds = {key: one["expected"][key] for key in ("won", "expected", "error")} if "expected" in one else {}
        rows.append({"table": one["name"], **takings, **ends, "game": "all", "win": one["win"], **odds})
        by_game = one.get("expected_by_game", {})
        for game in sorted(wins.keys() | by_game.keys()):
            odds = {key: by_game[game][key] for key in ("won", "expected", "error")} if game in by_game else {}
            rows.append({"table": one["name"], "game": game, "win": wins.get(game, 0), **odds})
    return rows


def last_number(connection: Connection[Any]) -> int:
    """Return the number of the last close; 0 if there is none."""
    row = connection.execute("SELECT max(number) FROM floor.day_close").fetchone()
    return 0 if row is None or row[0] is None else int(row[0])


def mark_of(connection: Connection[Any], table_id: int) -> Mark:
    """Return a table's position at the last close; the beginning if there is none."""
    return next((_mark(one, table_id) for one in closes(connection, 1)), BEGINNING)


def _mark(close: DayClose, table_id: int) -> Mark:
    one = _table_in(close.content, table_id)
    return BEGINNING if one is None else Mark(one["epoch"], one["seq"])


def evaluated_at_close(connection: Connection[Any]) -> Mapping[int, Mark]:
    """Return, by table, how far its bets were evaluated at the last close."""
    close = next(iter(closes(connection, 1)), None)
    if close is None:
        return {}
    told = close.content
    return {one["table"]: _reckoned(told, one["table"]) for one in told["tables"]}


def _reckoned(told: Mapping[str, Any], table_id: int) -> Mark:
    one = _table_in(told, table_id)
    found = None if one is None else one.get("reckoned")  # absent from closes by earlier versions
    return BEGINNING if found is None else Mark(found["epoch"], found["seq"])


def _table_in(told: Mapping[str, Any], table_id: int) -> Mapping[str, Any] | None:
    return next((one for one in told["tables"] if one["table"] == table_id), None)


def close_day(connection: Connection[Any], who: str, signer: Signer, after: int | None = None) -> DayClose:
    """Total everything since the last close, sign it and store it.

    Args:
        after: the last close that the caller has seen.

    Raises:
        FloorError: somebody else has closed the day meanwhile; nothing was stored.
    """
    meanwhile = FloorError.coded("closed-meanwhile", "Somebody else has just closed the day. Look at that close.")
    try:
        with connection.transaction():
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            before = next(iter(closes(connection, 1)), None)
            number = 1 if before is None else before.number + 1
            if after is not None and number != after + 1:
                raise meanwhile
            body = json.dumps(_body(connection, before, who), sort_keys=True, ensure_ascii=False)
            signature = signer.sign(_signed_text(body)).hex()
            connection.execute(
                "INSERT INTO floor.day_close (number, who, body, signature, public) VALUES (%s, %s, %s, %s, %s)",
                (number, who, body, signature, signer.public),
            )
    except (UniqueViolation, SerializationFailure) as error:
        raise meanwhile from error
    return close_number(connection, number)


def _body(connection: Connection[Any], before: DayClose | None, who: str) -> dict[str, Any]:
    last = None if before is None else before.content
    posted = 0 if last is None else int(last["posting"])
    tables = [
        _table(connection, row, last)
        for row in connection.execute(
            "SELECT table_id, table_name, epoch, seq, hash FROM floor.tables WHERE epoch IS NOT NULL ORDER BY 2"
        ).fetchall()
    ]
    house = reduce(add, (Takings.from_json(one["takings"]) for one in tables), Takings())
    books, upto = _books(connection, posted)
    row = connection.execute("SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')").fetchone()
    assert row is not None, "there is always a time"
    return {
        "number": 1 if before is None else before.number + 1, "previous": None if before is None else before.hash,
        "from": None if last is None else last["to"], "to": row[0], "who": who, "tables": tables,
        "house": {**house.to_json(), "win": house.win, "expected": together(one["expected"] for one in tables)},
        "books": books, "posting": upto,
        "wrong": packed(_wrong(connection, tables, last, posted, books)),
    }  # fmt: skip


def _table(connection: Connection[Any], row: Sequence[Any], last: Mapping[str, Any] | None) -> dict[str, Any]:
    table_id, name, epoch, seq, digest = row
    told = None if last is None else _table_in(last, table_id)
    since = BEGINNING if told is None else Mark(told["epoch"], told["seq"])
    parts, now = changed_since(connection, table_id, since), Mark(epoch, seq)
    at_end, at_start = (takings_at(connection, table_id, parts, mark) for mark in (now, since))
    day = at_end - at_start
    reckoned = BEGINNING if last is None else _reckoned(last, table_id)
    expected = expected_since(connection, table_id, reckoned)
    return {
        "table": table_id, "name": name, "epoch": epoch, "seq": seq, "hash": digest, "at_start": at_start.lying,
        "at_end": at_end.lying, "takings": day.to_json(), "win": day.win,
        "expected": expected_json(sum(expected.values(), NOTHING)),
        "expected_by_game": {game: expected_json(one) for game, one in sorted(expected.items())},
        "reckoned": evaluated_to(connection, table_id)._asdict(),
        "shifts": _shifts(connection, table_id, None if last is None else last["to"]),
    }  # fmt: skip


def _shifts(connection: Connection[Any], table_id: int, since: str | None) -> list[dict[str, Any]]:
    """Return the shifts at a table since a time, oldest first."""
    query = (
        "SELECT dealer, since::text, until::text FROM floor.shifts WHERE table_id = %(table)s AND "
        "(%(since)s::timestamptz IS NULL OR until IS NULL OR until > %(since)s::timestamptz) "
        "ORDER BY floor.shifts.since"
    )
    rows = connection.execute(query, {"table": table_id, "since": since})
    return [{"dealer": dealer, "from": begun, "to": ended} for dealer, begun, ended in rows]


def _books(connection: Connection[Any], posted: int) -> tuple[dict[str, Any], int]:
    """Return the balances of the house's books, and the number of their latest posting."""
    balances = dict(connection.execute("SELECT kind, coins FROM floor.balances ORDER BY kind").fetchall())
    query = (
        "SELECT coalesce(sum(coins) FILTER (WHERE from_kind = 'bank'), 0)::bigint, "
        "coalesce(sum(coins) FILTER (WHERE to_kind = 'bank'), 0)::bigint FROM floor.movements WHERE id > %s"
    )
    row = connection.execute(query, (posted,)).fetchone()
    latest = connection.execute("SELECT coalesce(max(id), 0) FROM floor.posting").fetchone()
    assert row is not None, "sums are one row"
    assert latest is not None, "so is a maximum"
    return {"balances": balances, "sold": row[0], "paid_out": row[1]}, max(posted, int(latest[0]))


def _wrong(
    connection: Connection[Any], tables: Sequence[Mapping[str, Any]], last: Mapping[str, Any] | None, posted: int,
    books: Mapping[str, Any],
) -> list[Message]:  # fmt: skip
    """Return the discrepancies found in the reconciliation; empty if all coins are accounted for."""
    wrong: list[Message] = []
    query = (
        "SELECT coalesce(sum(CASE WHEN a.id = p.payee THEN p.coins ELSE -p.coins END), 0)::bigint FROM floor.posting p "
        "JOIN floor.account a ON a.id IN (p.payer, p.payee) WHERE a.kind = 'table' AND a.table_id = %s AND p.id > %s"
    )
    for one in tables:
        told = None if last is None else _table_in(last, one["table"])
        left = 0 if told is None else told["at_end"]
        if one["at_start"] != left:
            wrong.append(
                message(
                    "{table}: {coins} coins lay there at the last close, the chain says {chain}.",
                    table=one["name"],
                    coins=left,
                    chain=one["at_start"],
                )
            )
        row = connection.execute(query, (one["table"], posted)).fetchone()
        brought = one["takings"]["from_purses"] - one["takings"]["to_purses"]
        if row is None or row[0] != brought:
            wrong.append(
                message(
                    "{table}: the chain brings {coins} coins from purses, the books {books}.",
                    table=one["name"],
                    coins=brought,
                    books="—" if row is None else int(row[0]),
                )
            )
    total = sum(books["balances"].values())
    if total:
        wrong.append(message("All accounts of the books together hold {coins} coins, not 0.", coins=int(total)))
    return wrong
