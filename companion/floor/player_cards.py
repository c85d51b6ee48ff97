"""Player cards: each carries a signed code for a purse and can be revoked."""

import hmac
from dataclasses import dataclass
from typing import Any

from psycopg import Connection
from psycopg.rows import class_row

from companion.floor.errors import PurseError
from companion.floor.purse import check_purse
from companion.journal.trust.signing import Signer
from companion.objects.player_code import PlayerCode


@dataclass(frozen=True, slots=True)
class PlayerCard:
    """A printed card.

    Attributes:
        printed: PostgreSQL timestamp.
        revoked: PostgreSQL timestamp; None while the card is valid.
    """

    number: int
    purse: int
    player: str
    printed: str
    printed_by: str
    revoked: str | None
    revoked_by: str | None


_CARDS = (
    "SELECT c.number, c.purse, p.player, c.printed::text, c.printed_by, c.revoked::text, c.revoked_by "
    "FROM floor.player_card c JOIN floor.purses p ON p.account = c.purse "
)


def add_card(connection: Connection[Any], purse: int, who: str, signer: Signer) -> PlayerCode:
    """Issue a card for a purse and return the code to print on it.

    Raises:
        PurseError: no such purse.
    """
    check_purse(connection, purse)
    row = connection.execute(
        "INSERT INTO floor.player_card (purse, printed_by) VALUES (%s, %s) RETURNING number", (purse, who)
    ).fetchone()
    assert row is not None, "it was just made"
    return PlayerCode.signed(int(row[0]), signer.mac)


def check_card(connection: Connection[Any], code: PlayerCode, signer: Signer) -> PlayerCard:
    """Return the card behind a code.

    Raises:
        PurseError: ``forged-card`` if this floor never issued it, ``revoked-card`` if it was revoked.
    """
    is_signed = hmac.compare_digest(PlayerCode.signed(code.number, signer.mac).signature, code.signature)
    found = _card(connection, code.number) if is_signed else None
    if found is None:
        raise PurseError.coded("forged-card", "No player card of this house: it is forged, or of another house.")
    if found.revoked is not None:
        raise PurseError.coded(
            "revoked-card", "This card of {player} was reported lost. Keep it, and call the pit.", player=found.player
        )
    return found


def revoke_card(connection: Connection[Any], number: int, who: str) -> PlayerCard:
    """Revoke a card. Idempotent.

    Raises:
        PurseError: no such card.
    """
    connection.execute(
        "UPDATE floor.player_card SET revoked = now(), revoked_by = %s WHERE number = %s AND revoked IS NULL",
        (who, number),
    )
    found = _card(connection, number)
    if found is None:
        raise PurseError.coded("unknown-card", "There is no player card {number}.", number=str(number))
    return found


def cards_of(connection: Connection[Any], purse: int) -> list[PlayerCard]:
    """Return a purse's cards, newest first."""
    with connection.cursor(row_factory=class_row(PlayerCard)) as cursor:
        return cursor.execute(f"{_CARDS} WHERE c.purse = %s ORDER BY c.number DESC", (purse,)).fetchall()


def _card(connection: Connection[Any], number: int) -> PlayerCard | None:
    with connection.cursor(row_factory=class_row(PlayerCard)) as cursor:
        return cursor.execute(f"{_CARDS} WHERE c.number = %s", (number,)).fetchone()
