"""Purses: how transfers between the house and its tables are booked in the house's ledger.

A transfer has the same id on both sides, its idempotency key. The table writes exactly one journal entry for it, under
the key ``transfer/ID``: the buy-in or cash-out itself, or a notice that declines it. Only that entry, once shipped,
settles or cancels the transfer, in the transaction that stores the entry.
"""

import json
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from psycopg import Connection
from psycopg.errors import CheckViolation
from psycopg.rows import class_row

from companion.floor.errors import PurseError
from companion.journal.durable import DAMAGED
from companion.journal.hash_chain import Entry, events_of
from companion.kernel.errors import BadName
from companion.kernel.shared.names import alike, new_name

KEY: Final = "transfer/"
"""Prefix of the entries' keys in the table's journal; the transfer's id follows."""
MAX_COINS: Final = 10**12
"""Limit of one sale, and of one buy-in from a purse."""
MAX_MOVED: Final = 10**17
"""Limit of the coins a table may report as moved: winnings can exceed the buy-in, and the house must take them back."""
_LEDGER_LOCK: Final = 17_002
State = Literal["reserved", "settled", "cancelled", "owed"]
Kind = Literal["buy-in", "cash-out"]


@dataclass(frozen=True, slots=True)
class Transfer:
    """Coins in transit between a purse and a table.

    Attributes:
        is_given_up: the dealer was told that the transfer was cancelled, but the table could not yet journal that.
    """

    id: str
    kind: Kind
    table_id: int
    purse: int
    player: str
    coins: int
    state: State
    is_given_up: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the transfer as sent to the table."""
        return {"id": self.id, "kind": self.kind, "purse": self.purse, "player": self.player, "coins": self.coins,
                "state": self.state, "given_up": self.is_given_up}  # fmt: skip


_COLUMNS: Final = "id, kind, table_id, purse, player, coins, state"
_READ: Final = f"{_COLUMNS}, given_up IS NOT NULL AS is_given_up"


# ---- purses


def open_purse(connection: Connection[Any], player: str) -> int:
    """Return the number of a player's purse, opening one if they have none.

    Names that a table would treat as the same player share a purse, however they are typed.

    Raises:
        PurseError: invalid name.
    """
    try:
        name = new_name(" ".join(player.split()))
    except BadName as error:
        raise PurseError("bad-name", error.message) from error
    with connection.transaction():
        _lock(connection)
        known = {
            str(own): int(number) for number, own in connection.execute("SELECT account, player FROM floor.purses")
        }
        found = name if name in known else next((own for own in known if alike(own) == alike(name)), None)
        if found is not None:
            return known[found]
        connection.execute("INSERT INTO floor.account (kind, name) VALUES ('purse', %s)", (name,))
        return _account(connection, "purse", name)


def sell(connection: Connection[Any], purse: int, coins: int, who: str, key: str) -> int:
    """Book a cash desk payment into a purse, or out of it if negative; return the new balance.

    Args:
        key: idempotency key; a repeated payment is booked once.

    Raises:
        PurseError: no such purse, invalid amount, or insufficient coins.
    """
    if type(coins) is not int or coins == 0 or abs(coins) > MAX_COINS:
        raise PurseError.coded("bad-amount", "Say a whole number of coins, not 0 and at most {most}.", most=MAX_COINS)
    with connection.transaction():
        _lock(connection)
        check_purse(connection, purse)
        bank = _account(connection, "bank", "bank")
        payer, payee = (bank, purse) if coins > 0 else (purse, bank)
        done = connection.execute("SELECT payer, payee, coins FROM floor.posting WHERE key = %s", (key,)).fetchone()
        if done is not None and done != (payer, payee, abs(coins)):
            raise PurseError.coded(
                "key-reused", "This payment was asked for before with other coins. Load the page again."
            )
        if done is None:
            _post(connection, payer, payee, abs(coins), "desk", who, key=key)
        return _coins(connection, purse)


def is_new_payment(connection: Connection[Any], key: str) -> bool:
    """Return whether this payment key is unused; remains true until the end of the transaction."""
    _lock(connection)
    return connection.execute("SELECT 1 FROM floor.posting WHERE key = %s", (key,)).fetchone() is None


# ---- transfers


def reserve(connection: Connection[Any], asked: Transfer, who: str) -> Transfer:
    """Reserve a buy-in's coins from the purse for a table. Repeated, it clears `is_given_up` and returns the state.

    Raises:
        PurseError: no such purse, insufficient coins, or the id belongs to another transfer.
    """
    if type(asked.coins) is not int or not 0 < asked.coins <= MAX_COINS or asked.kind != "buy-in":
        raise PurseError.coded("bad-amount", "A buy-in is a whole number of coins, at most {most}.", most=MAX_COINS)
    with connection.transaction():
        _lock(connection)
        found = find(connection, asked.id)
        if found is not None:
            if _what(found) != _what(asked):
                raise PurseError.coded(
                    "key-reused", "The transfer {id} is another one. Ask for this one anew.", id=asked.id
                )
            connection.execute("UPDATE floor.transfer SET given_up = NULL WHERE id = %s", (asked.id,))
            return replace(found, is_given_up=False)
        check_purse(connection, asked.purse)
        connection.execute(
            f"INSERT INTO floor.transfer ({_COLUMNS}) VALUES (%s, 'buy-in', %s, %s, %s, %s, 'reserved')",
            (asked.id, asked.table_id, asked.purse, asked.player, asked.coins),
        )
        _post(connection, asked.purse, _transit(connection), asked.coins, "buy-in", who, transfer=asked.id)
    return Transfer(asked.id, "buy-in", asked.table_id, asked.purse, asked.player, asked.coins, "reserved")


def give_up(connection: Connection[Any], table_id: int, transfer: str) -> None:
    """Mark a buy-in as to be declined, for a table that cannot write the notice now."""
    connection.execute(
        "UPDATE floor.transfer SET given_up = now() WHERE id = %s AND table_id = %s AND state = 'reserved'",
        (transfer, table_id),
    )


def find(connection: Connection[Any], transfer: str) -> Transfer | None:
    """Return a transfer, or None."""
    with connection.cursor(row_factory=class_row(Transfer)) as cursor:
        return cursor.execute(f"SELECT {_READ} FROM floor.transfer WHERE id = %s", (transfer,)).fetchone()


def open_transfers(connection: Connection[Any], table_id: int) -> list[Transfer]:
    """Return the transfers that a table still has to accept, decline or redo."""
    query = f"SELECT {_READ} FROM floor.transfer WHERE table_id = %s AND state IN ('reserved', 'owed') ORDER BY asked"
    with connection.cursor(row_factory=class_row(Transfer)) as cursor:
        return cursor.execute(query, (table_id,)).fetchall()


def tables_with_open_transfers(connection: Connection[Any]) -> frozenset[int]:
    """Return the tables that have open transfers."""
    query = "SELECT DISTINCT table_id FROM floor.transfer WHERE state IN ('reserved', 'owed')"
    return frozenset(table_id for (table_id,) in connection.execute(query))


# ---- from the tables' journals


@dataclass(frozen=True, slots=True)
class Moved:
    """The effect of a journal entry on a transfer.

    Attributes:
        is_refused: the table declined the transfer; otherwise the coins arrived at the table or left it.
    """

    id: str
    kind: Kind
    player: str
    purse: int | None
    coins: int
    is_refused: bool = False


def is_about_transfer(entry: Entry) -> bool:
    """Return whether an entry may affect a transfer."""
    return entry.key is not None and entry.key.startswith(KEY)


def moved_by(entry: Entry) -> Moved | None:
    """Return an entry's effect on a transfer; None if it has none."""
    if entry.key is None or not is_about_transfer(entry):
        return None
    name = entry.key.removeprefix(KEY)
    try:
        return _moved(entry, name) if 8 <= len(name) <= 64 else None
    except DAMAGED:
        return None


def _moved(entry: Entry, name: str) -> Moved | None:
    record: Any = json.loads(entry.record)
    kind: Kind = "cash-out" if record.get("do") == "cash-out" else "buy-in"
    told, coins = record, 0
    if entry.kind == "notice":
        told = record["data"]["refused"]
        coins = told["coins"]
    elif record["do"] == kind:
        coins = sum(event["coins"] for event in events_of(entry) if event["event"] in ("BoughtIn", "CashedOut"))
    if told["transfer"] != name or type(coins) is not int:
        return None
    purse = told.get("purse")
    is_number = type(purse) is int and 0 < purse < 2**31
    if not 0 < coins <= MAX_MOVED or not isinstance(told["player"], str):
        return None
    number = purse if is_number else None
    return Moved(name, kind, told["player"], number, coins, is_refused=entry.kind == "notice")


def settle(connection: Connection[Any], table_id: int, epoch: int, entry: Entry) -> str | None:
    """Apply a table's new entry to its transfer; return the error if they disagree.

    Runs in the transaction that stores the entry, so exactly once.
    """
    moved = moved_by(entry)
    if moved is None:
        return None
    _lock(connection)
    found = find(connection, moved.id)
    if moved.is_refused:
        _cancel(connection, moved, found, table_id)
        return None
    table, who = _table(connection, table_id, epoch), f"table {table_id}"
    if moved.kind == "cash-out":
        return _cashed_out(connection, moved, found, table, table_id, epoch, entry.seq, who)
    is_right = found is not None and found.state == "reserved" and (found.table_id, found.coins, found.player) == (
        table_id, moved.coins, moved.player,
    )  # fmt: skip
    source = _transit(connection) if is_right else _owed(connection, table_id)
    _post(connection, source, table, moved.coins, "buy-in", who, transfer=moved.id)
    if is_right:
        is_from_before = _is_from_before(connection, moved.id, table_id, epoch)
        _enter(connection, moved.id, "settled", epoch, entry.seq)
        if not is_from_before:
            return None
        return (
            f"Entry {entry.seq} takes {moved.coins} coins that were asked for before this table was restored. If "
            f"{moved.player} never got them, they belong into purse {moved.purse}: have the table cash them out."
        )
    return f"Entry {entry.seq} takes {moved.coins} coins for {moved.player} that the house did not give."


def _is_from_before(connection: Connection[Any], transfer: str, table_id: int, epoch: int) -> bool:
    """Return whether a buy-in that no entry has settled was requested before this epoch of the table's journal.

    It may have been declined in entries that the table lost. One accepted in those was reopened with the epoch.
    """
    query = (
        "SELECT 1 FROM floor.transfer x JOIN floor.epoch e ON e.table_id = x.table_id AND e.begun > x.changed "
        "JOIN floor.epoch b ON b.table_id = x.table_id AND b.epoch < e.epoch AND b.begun <= x.changed "
        "WHERE x.id = %s AND e.table_id = %s AND e.epoch = %s LIMIT 1"
    )
    return connection.execute(query, (transfer, table_id, epoch)).fetchone() is not None


def _cancel(connection: Connection[Any], moved: Moved, found: Transfer | None, table_id: int) -> None:
    if found is None and moved.purse is not None and _is_purse(connection, moved.purse):
        connection.execute(  # a late request from the table finds this answer
            f"INSERT INTO floor.transfer ({_COLUMNS}) VALUES (%s, 'buy-in', %s, %s, %s, %s, 'cancelled')",
            (moved.id, table_id, moved.purse, moved.player, moved.coins),
        )
    if found is None or found.table_id != table_id or found.state != "reserved":
        return
    _post(connection, _transit(connection), found.purse, found.coins, "refused", f"table {table_id}", transfer=found.id)
    _enter(connection, found.id, "cancelled", None, None)


def _cashed_out(
    connection: Connection[Any], moved: Moved, found: Transfer | None, table: int, table_id: int, epoch: int, seq: int,
    who: str,
) -> str | None:  # fmt: skip
    if found is not None and found.state == "owed" and found.table_id == table_id:
        _post(connection, table, _owed(connection, table_id), moved.coins, "cash-out, again", who, transfer=moved.id)
        _enter(connection, moved.id, "settled", epoch, seq)
        if moved.coins == found.coins:
            return None
        connection.execute("UPDATE floor.transfer SET coins = %s WHERE id = %s", (moved.coins, moved.id))
        return f"{moved.player} cashed out {moved.coins} coins again, and {found.coins} before the table was restored."
    is_known = moved.purse is not None and _is_purse(connection, moved.purse)
    if found is not None or not is_known:
        unclaimed = _account(connection, "unclaimed", "unclaimed")
        _post(connection, table, unclaimed, moved.coins, "cash-out", who, transfer=moved.id)
        return f"Entry {seq} sends {moved.coins} coins of {moved.player} to a purse that the house does not have."
    assert moved.purse is not None, "a known purse"
    connection.execute(
        f"INSERT INTO floor.transfer ({_COLUMNS}, epoch, seq) "
        "VALUES (%s, 'cash-out', %s, %s, %s, %s, 'settled', %s, %s)",
        (moved.id, table_id, moved.purse, moved.player, moved.coins, epoch, seq),
    )
    _post(connection, table, moved.purse, moved.coins, "cash-out", who, transfer=moved.id)
    return None


def fork_money(connection: Connection[Any], table_id: int, journal: str, before: int, epoch: int, fork: int) -> None:
    """Reverse bookings that a table's journal no longer contains, and carry the rest over to the new epoch.

    Buy-ins after the fork become reserved again, for the table to accept or decline. Cash-outs after it stay in the
    purse and the table owes the coins. Coins owed or unclaimed after the fork are no longer so.

    Args:
        before: the journal's latest epoch until now.
    """
    _lock(connection)
    old, new = _table(connection, table_id, before), _table(connection, table_id, epoch)
    why, who = f"lost behind entry {fork} of epoch {before}", f"table {table_id}"
    for seq, moved in _lost_moves(connection, table_id, journal, before, fork):
        query = "SELECT 1 FROM floor.transfer WHERE id = %s AND table_id = %s AND epoch = %s AND seq = %s"
        is_right = connection.execute(query, (moved.id, table_id, before, seq)).fetchone() is not None
        if moved.kind == "buy-in":
            back = _transit(connection) if is_right else _owed(connection, table_id)
            _post(connection, old, back, moved.coins, why, who, transfer=moved.id)
        else:
            gave = _owed(connection, table_id) if is_right else _account(connection, "unclaimed", "unclaimed")
            _post(connection, gave, old, moved.coins, why, who, transfer=moved.id)
        if is_right:
            _enter(connection, moved.id, "reserved" if moved.kind == "buy-in" else "owed", None, None)
    connection.execute(
        "UPDATE floor.transfer SET epoch = %s WHERE table_id = %s AND epoch = %s", (epoch, table_id, before)
    )
    left = _coins(connection, old)
    if left:
        payer, payee = (old, new) if left > 0 else (new, old)
        _post(connection, payer, payee, abs(left), f"epoch {epoch}", who)


def _lost_moves(
    connection: Connection[Any], table_id: int, journal: str, before: int, fork: int
) -> list[tuple[int, Moved]]:
    """Return the entries after a fork that moved coins, each with its effect."""
    query = (
        "SELECT seq, at, session, kind, source, key, record, events, prev, hash FROM floor.entry e "
        "WHERE table_id = %(table)s AND seq > %(fork)s AND starts_with(key, %(key)s) AND epoch = (SELECT max(epoch) "
        "FROM floor.epoch WHERE table_id = %(table)s AND journal = %(journal)s AND epoch <= %(before)s "
        "AND fork < e.seq) ORDER BY seq"
    )
    asked = {"table": table_id, "journal": journal, "before": before, "fork": fork, "key": KEY}
    lost = ((row[0], moved_by(Entry(*row))) for row in connection.execute(query, asked).fetchall())
    return [(seq, moved) for seq, moved in lost if moved is not None and not moved.is_refused]


# ---- the books


def _lock(connection: Connection[Any]) -> None:
    """Serialize all coin movements, so that no lock order can deadlock."""
    connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LEDGER_LOCK,))


def _post(
    connection: Connection[Any], payer: int, payee: int, coins: int, why: str, who: str, *, transfer: str | None = None,
    key: str | None = None,
) -> None:  # fmt: skip
    try:
        connection.execute(
            "INSERT INTO floor.posting (payer, payee, coins, why, who, transfer, key) "
            "VALUES (%s, %s, %s, %s, %s, %s, %s)",
            (payer, payee, coins, why, who, transfer, key),
        )
    except CheckViolation as error:
        raise PurseError.coded("not-enough-coins", "There are not {coins} coins in that purse.", coins=coins) from error


def _enter(connection: Connection[Any], transfer: str, state: State, epoch: int | None, seq: int | None) -> None:
    connection.execute(
        "UPDATE floor.transfer SET state = %s, epoch = %s, seq = %s, changed = now(), given_up = NULL WHERE id = %s",
        (state, epoch, seq, transfer),
    )


def _what(transfer: Transfer) -> tuple[object, ...]:
    return transfer.kind, transfer.table_id, transfer.purse, transfer.player, transfer.coins


def _account(connection: Connection[Any], kind: str, name: str) -> int:
    row = connection.execute("SELECT id FROM floor.account WHERE kind = %s AND name = %s", (kind, name)).fetchone()
    assert row is not None, f"there is an account {name}"
    return int(row[0])


def _transit(connection: Connection[Any]) -> int:
    return _account(connection, "transit", "transit")


def _table(connection: Connection[Any], table_id: int, epoch: int) -> int:
    name = f"{table_id}/{epoch}"
    connection.execute(
        "INSERT INTO floor.account (kind, name, table_id, epoch) VALUES ('table', %s, %s, %s) ON CONFLICT DO NOTHING",
        (name, table_id, epoch),
    )
    return _account(connection, "table", name)


def _owed(connection: Connection[Any], table_id: int) -> int:
    connection.execute(
        "INSERT INTO floor.account (kind, name, table_id) VALUES ('owed', %s, %s) ON CONFLICT DO NOTHING",
        (str(table_id), table_id),
    )
    return _account(connection, "owed", str(table_id))


def _is_purse(connection: Connection[Any], purse: int) -> bool:
    query = "SELECT 1 FROM floor.account WHERE id = %s AND kind = 'purse'"
    return purse < 2**31 and connection.execute(query, (purse,)).fetchone() is not None


def check_purse(connection: Connection[Any], purse: int) -> None:
    """Check that a purse exists.

    Raises:
        PurseError: no such purse.
    """
    if not _is_purse(connection, purse):
        raise PurseError.coded(
            "unknown-purse", "The house has no purse {number}. Ask the pit to open one.", number=str(purse)
        )


def _coins(connection: Connection[Any], account: int) -> int:
    row = connection.execute("SELECT coins FROM floor.account WHERE id = %s", (account,)).fetchone()
    assert row is not None, "the account is there"
    return int(row[0])
