"""Cashier operations on purses and player cards; each one is written to the audit log."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from psycopg import Connection
from psycopg.rows import class_row

from companion.floor import people, player_cards, purse
from companion.floor.player_cards import PlayerCard
from companion.floor.purse import Transfer
from companion.journal.trust.signing import Signer
from companion.objects.player_code import PlayerCode


@dataclass(frozen=True, slots=True)
class Purse:
    """A player's purse."""

    number: int
    player: str
    coins: int


@dataclass(frozen=True, slots=True)
class Movement:
    """One posting of a purse.

    Attributes:
        coins: positive into the purse, negative out of it.
        other: counterparty: ``bank``, ``transit`` (reserved for a table), or a table's name.
    """

    at: str
    coins: int
    other: str
    why: str
    who: str


class Cashier:
    """Sells and redeems coins, and issues player cards. Thread-safe.

    Args:
        connect: context manager that yields a database connection.
        signer: signs player cards.
    """

    def __init__(self, connect: Callable[[], AbstractContextManager[Connection[Any]]], signer: Signer) -> None:
        self._connect = connect
        self._signer = signer

    # ---- purses

    def purse(self, number: int) -> Purse:
        """Return a purse.

        Raises:
            PurseError: no such purse.
        """
        with self._connect() as connection, connection.cursor(row_factory=class_row(Purse)) as cursor:
            purse.check_purse(connection, number)
            query = "SELECT account AS number, player, coins FROM floor.purses WHERE account = %s"
            found = cursor.execute(query, (number,)).fetchone()
        assert found is not None, "purses stay"
        return found

    def movements(self, number: int, most: int = 200) -> Sequence[Movement]:
        """Return a purse's most recent postings, newest first."""
        query = (
            "SELECT p.at::text AS at, CASE WHEN p.payee = %(purse)s THEN p.coins ELSE -p.coins END AS coins, "
            "coalesce(t.name, o.name) AS other, "
            "p.why, p.who FROM floor.posting p "
            "JOIN floor.account o ON o.id = CASE WHEN p.payee = %(purse)s THEN p.payer ELSE p.payee END "
            "LEFT JOIN floor.house_table t ON t.id = o.table_id "
            "WHERE p.payer = %(purse)s OR p.payee = %(purse)s ORDER BY p.id DESC LIMIT %(most)s"
        )
        with self._connect() as connection, connection.cursor(row_factory=class_row(Movement)) as cursor:
            return cursor.execute(query, {"purse": number, "most": most}).fetchall()

    def open_transfers(self, number: int) -> Sequence[tuple[Transfer, str]]:
        """Return a purse's unsettled transfers, each with the name of its table."""
        query = (
            "SELECT x.id, x.kind, x.table_id, x.purse, x.player, x.coins, x.state, t.name FROM floor.transfer x "
            "JOIN floor.house_table t ON t.id = x.table_id WHERE x.purse = %s AND x.state IN ('reserved', 'owed') "
            "ORDER BY x.asked"
        )
        with self._connect() as connection:
            return [(Transfer(*row[:7]), row[7]) for row in connection.execute(query, (number,))]

    def open_purse(self, player: str, who: str) -> int:
        """Return the number of a player's purse; opens an empty one if they have none.

        Raises:
            PurseError: invalid name.
        """
        with self._connect() as connection, connection.transaction():
            number = purse.open_purse(connection, player)
            people.note(connection, who, "opened a purse", {"purse": number, "player": " ".join(player.split())})
        return number

    def pay(self, number: int, coins: int, who: str, key: str) -> int:
        """Sell coins into a purse, or pay them out if ``coins`` is negative; return the new balance.

        Raises:
            PurseError: rejected; nothing has changed.
        """
        with self._connect() as connection, connection.transaction():
            is_new = purse.is_new_payment(connection, key)
            held = purse.sell(connection, number, coins, who, key)
            if is_new:
                did = "sold coins" if coins > 0 else "paid coins out"
                people.note(connection, who, did, {"purse": number, "coins": coins, "holds": held, "key": key})
        return held

    # ---- player cards

    def add_card(self, number: int, who: str) -> PlayerCode:
        """Issue a card for a purse and return the code to print on it.

        Raises:
            PurseError: no such purse.
        """
        with self._connect() as connection, connection.transaction():
            code = player_cards.add_card(connection, number, who, self._signer)
            people.note(connection, who, "printed a player card", {"purse": number, "card": code.number})
        return code

    def revoke_card(self, card: int, who: str) -> PlayerCard:
        """Revoke a card.

        Raises:
            PurseError: no such card.
        """
        with self._connect() as connection, connection.transaction():
            found = player_cards.revoke_card(connection, card, who)
            people.note(connection, who, "revoked a player card", {"purse": found.purse, "card": card})
        return found

    def cards_of(self, number: int) -> Sequence[PlayerCard]:
        """Return a purse's cards, newest first."""
        with self._connect() as connection:
            return player_cards.cards_of(connection, number)

    def check_card(self, code: PlayerCode) -> PlayerCard:
        """Return the card behind a code.

        Raises:
            PurseError: the card is forged or revoked.
        """
        with self._connect() as connection:
            return player_cards.check_card(connection, code, self._signer)
