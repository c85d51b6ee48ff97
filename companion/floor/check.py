"""Read-only integrity check of the floor's database: journal chains, countersigned heads, and coins."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from psycopg import Connection
from psycopg.rows import tuple_row

from companion.floor.overview.day_close import all_closes
from companion.floor.overview.journal_ranges import BEGINNING, changed_since, takings_at
from companion.floor.purse import moved_by
from companion.floor.reports.evaluator import evaluated_to
from companion.journal.hash_chain import Entry, HashChain, Head, genesis
from companion.journal.trust.witness import Statement

_COLUMNS = "seq, at, session, kind, source, key, record, events, prev, hash"


def find_problems(connection: Connection[Any]) -> Iterator[str]:
    """Yield a user-facing message for each problem found."""
    with connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        for table_id, name in connection.execute("SELECT id, name FROM floor.house_table ORDER BY id").fetchall():
            for what in _wrong_with_table(connection, table_id):
                yield f"{name}: {what}"
        yield from _wrong_with_books(connection)
        yield from _wrong_with_closes(connection)


def _wrong_with_table(connection: Connection[Any], table_id: int) -> Iterator[str]:
    epochs = connection.execute(
        "SELECT epoch, journal, fork FROM floor.epoch WHERE table_id = %s ORDER BY epoch", (table_id,)
    ).fetchall()
    heads: dict[str, dict[int, str]] = {}
    last: Head | None = None
    for epoch, journal, fork in epochs:
        known = heads.setdefault(journal, {0: genesis(journal)})
        for seq in [seq for seq in known if seq > fork]:
            del known[seq]
        chain = HashChain(genesis(journal))
        chain.head = Head(fork, known.get(fork, "missing"))
        moved = _brought(connection, table_id, journal, epoch, fork)
        for entry in _entries(connection, table_id, epoch):
            broken = chain.check(entry)
            if broken is not None:
                yield f"epoch {epoch}, {broken}."
                break
            known[entry.seq] = entry.hash
            _count(moved, entry)
        yield from _wrong_signatures(connection, table_id, epoch, known)
        is_last = all(of != journal for old, of, _ in epochs if old > epoch)
        held = _held(connection, table_id, epoch)
        wanted = sum(moved.values()) if is_last else 0
        if held != wanted:
            yield f"epoch {epoch}: the journal brings {wanted} coins to the table, the house's books {held}."
        last = chain.head
    yield from _wrong_head(connection, table_id, last)
    yield from _wrong_results(connection, table_id)


def _brought(connection: Connection[Any], table_id: int, journal: str, epoch: int, fork: int) -> dict[str, int]:
    """Return coins per transfer from entries up to the fork, over all earlier epochs."""
    query = (
        f"SELECT {_COLUMNS} FROM floor.entry e WHERE table_id = %(table)s AND seq <= %(fork)s "
        "AND key LIKE 'transfer/%%' AND epoch = (SELECT max(epoch) FROM floor.epoch WHERE table_id = %(table)s "
        "AND journal = %(journal)s AND epoch < %(epoch)s AND fork < e.seq)"
    )
    moved: dict[str, int] = {}
    for row in connection.execute(query, {"table": table_id, "fork": fork, "journal": journal, "epoch": epoch}):
        _count(moved, Entry(*row))
    return moved


def _count(moved: dict[str, int], entry: Entry) -> None:
    found = moved_by(entry)
    if found is not None and not found.is_refused:
        moved[found.id] = moved.get(found.id, 0) + (found.coins if found.kind == "buy-in" else -found.coins)


def _entries(connection: Connection[Any], table_id: int, epoch: int) -> Iterator[Entry]:
    query = f"SELECT {_COLUMNS} FROM floor.entry WHERE table_id = %s AND epoch = %s ORDER BY seq"
    with connection.cursor(f"entries_{table_id}_{epoch}", row_factory=tuple_row) as cursor:
        for row in cursor.execute(query, (table_id, epoch)):
            yield Entry(*row)


def _wrong_signatures(connection: Connection[Any], table_id: int, epoch: int, known: dict[int, str]) -> Iterator[str]:
    query = "SELECT statement FROM floor.countersignature WHERE table_id = %s AND epoch = %s ORDER BY seq"
    for (line,) in connection.execute(query, (table_id, epoch)):
        statement = Statement.parse(line)
        if not statement.is_signed or not statement.countersigned:
            yield f"epoch {epoch}: head {statement.seq} is not signed as it says."
        elif known.get(statement.seq) != statement.hash:
            yield f"epoch {epoch}: the floor has signed another entry {statement.seq} than it keeps."


def _wrong_head(connection: Connection[Any], table_id: int, last: Head | None) -> Iterator[str]:
    row = connection.execute("SELECT seq, hash FROM floor.head WHERE table_id = %s", (table_id,)).fetchone()
    if (None if row is None else Head(*row)) != last:
        yield "the head that is acknowledged is not the end of its chain."


def _held(connection: Connection[Any], table_id: int, epoch: int) -> int:
    query = "SELECT coins FROM floor.account WHERE kind = 'table' AND name = %s"
    row = connection.execute(query, (f"{table_id}/{epoch}",)).fetchone()
    return 0 if row is None else int(row[0])


def _wrong_results(connection: Connection[Any], table_id: int) -> Iterator[str]:
    """Yield mismatches between the results that reports use and the totals from the journal."""
    mark = evaluated_to(connection, table_id)
    chain = takings_at(connection, table_id, changed_since(connection, table_id, BEGINNING), mark)
    wanted = {
        "bought": chain.bought,
        "cashed": chain.cashed,
        **{f"win at {game}": won for game, won in chain.wins.items()},
    }
    found: Counter[str] = Counter()
    for game, bought, cashed, won in connection.execute(_RESULTS, (table_id, *mark, mark.epoch)).fetchall():
        found.update({"bought": int(bought), "cashed": int(cashed), f"win at {game}": int(won)})
    for name in sorted(wanted.keys() | found.keys()):
        if wanted.get(name, 0) != found[name]:
            yield f"the chain says {name} {wanted.get(name, 0)}, the results of reports {found[name]}."


_RESULTS = (
    "SELECT e.game, sum(bought), sum(cashed), sum(win) FROM floor.result e "
    "JOIN floor.epoch own USING (table_id, epoch) WHERE e.table_id = %s AND (e.epoch, e.seq) <= (%s, %s) "
    "AND NOT EXISTS (SELECT 1 FROM floor.epoch later WHERE "
    "later.table_id = e.table_id AND later.journal = own.journal AND later.epoch > e.epoch AND later.epoch <= %s "
    "AND later.fork < e.seq) GROUP BY e.game"
)


def _wrong_with_books(connection: Connection[Any]) -> Iterator[str]:
    """Yield balances that differ from the sum of their postings, and totals that do not add up to zero."""
    query = (
        "SELECT a.kind, a.name, a.coins, coalesce(sum(p.coins) FILTER (WHERE p.payee = a.id), 0) "
        "- coalesce(sum(p.coins) FILTER (WHERE p.payer = a.id), 0) AS moved FROM floor.account a "
        "LEFT JOIN floor.posting p ON a.id IN (p.payer, p.payee) GROUP BY a.id"
    )
    total = 0
    for kind, name, coins, moved in connection.execute(query):
        total += coins
        if coins != moved:
            yield f"{kind} {name} holds {coins} coins, its postings say {moved}."
    if total:
        yield f"all accounts together hold {total} coins, not 0."
    query = (
        "SELECT (SELECT coalesce(sum(coins), 0) FROM floor.transfer WHERE state = 'reserved'), "
        "(SELECT coins FROM floor.account WHERE kind = 'transit')"
    )
    row = connection.execute(query).fetchone()
    if row is not None and row[0] != row[1]:
        yield f"{row[0]} coins are reserved for tables, {row[1]} are on their way."


def _wrong_with_closes(connection: Connection[Any]) -> Iterator[str]:
    """Yield day closes that are missing, altered, or not linked to the previous one."""
    previous = None
    for number, close in enumerate(all_closes(connection), 1):
        if close.number != number:
            yield f"day close {number} is missing."
            return
        if not close.is_signed:
            yield f"day close {number} is not signed as it says."
        elif close.content["previous"] != previous:
            yield f"day close {number} does not follow the one before it."
        previous = close.hash
