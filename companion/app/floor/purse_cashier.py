"""Table side of transfers between purses and the table.

The table writes one journal entry per transfer, under the key ``transfer/ID``: the buy-in or cash-out itself, or a
notice that declines it. The key is unique, so an accepted transfer is never declined and vice versa, however often
either side retries.
"""

import hashlib
import logging
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from companion.app.floor.cancelled_transfers import CancelledTransfers
from companion.app.floor.card_check_in import CardCheckIn
from companion.app.floor.client import FloorClient, FloorRefused, FloorUnreachable
from companion.app.floor.shapes import PurseHeldJson, PurseJson, PursesJson
from companion.journal.backups.backup import GIVEN_UP
from companion.kernel.errors import KeyReused, MayStillCount, NoAnswer, NotOffered, TableError, WrongPhase
from companion.kernel.messages import message
from companion.service.committing.jobs import Accepted
from companion.service.table_service import TableService

log = logging.getLogger(__name__)

SOURCE: Final = "floor"
_ASK_EVERY_S: Final = 2.0
_GIVEN_UP: Final = message("This buy-in was given up before, so nothing was moved. Ask for it anew.")


class PurseCashier:
    """Buy-ins from purses and cash-outs to them. Thread-safe.

    Args:
        client: a dedicated connection to the floor.
        number: the table's number in the house.
        data_dir: where cancelled transfers survive the restore of an older backup; None: nowhere.
    """

    def __init__(
        self, table: TableService, client: FloorClient, new_id: Callable[[], str] = lambda: secrets.token_hex(12), *,
        number: int = 0, data_dir: Path | None = None,
    ) -> None:  # fmt: skip
        self._number = number
        self._table = table
        self._client = client
        self.cards: Final = CardCheckIn(table, client)
        "Handles player cards."
        self._new_id = new_id
        self._asked_at = -_ASK_EVERY_S
        self._known: list[PurseJson] = []
        self._asked: set[str] = set()
        "Buy-ins requested at this table since it started."
        self._given_up = CancelledTransfers(None if data_dir is None else data_dir / GIVEN_UP)
        "Cancelled buy-ins of which the journal or the floor does not know yet."

    def purses(self) -> PursesJson:
        """Return the house's purses; the last known ones while the floor is unreachable.

        Raises:
            NotOffered: the floor has not answered since the table started.
        """
        try:
            self._known = self._client.get("/floor/v1/purses")["purses"]
        except (FloorUnreachable, FloorRefused) as error:
            if not self._known:
                raise cut_off(error) from error
            return {"purses": self._known, "cut_off": cut_off(error).message}
        return {"purses": self._known}

    def purse(self, number: int) -> PurseHeldJson:
        """Return a purse's balance, and its open transfers with this table.

        Raises:
            NotOffered: no such purse, or the floor is unreachable.
        """
        try:
            held = self._client.get(f"/floor/v1/purses/{number}")
            transfers = self._client.get("/floor/v1/transfers")["transfers"]
        except FloorRefused as error:
            raise NotOffered(error.message) from error
        except FloorUnreachable as error:
            raise cut_off(error) from error
        return {
            "purse": int(held["purse"]),
            "player": str(held["player"]),
            "coins": int(held["coins"]),
            "open": [
                {"id": one["id"], "kind": one["kind"], "coins": one["coins"], "state": one["state"]}
                for one in transfers
                if one["purse"] == number
            ],
        }

    def transfer_of(self, key: str) -> str:
        """Return the transfer id for a client's idempotency key. It includes the table, as keys may repeat there."""
        return hashlib.sha256(f"{self._number}/{key}".encode()).hexdigest()[:32]

    def buy_in(self, player: str, purse: int, coins: int, transfer: str | None = None) -> Accepted:
        """Move coins from a purse to the table. On return they are in front of the player and durable.

        Args:
            transfer: idempotency key of the buy-in, 8 to 56 letters and digits.

        Raises:
            TableError: cancelled, nothing will move: the floor is unreachable, the purse has insufficient coins, or the
                table cannot accept them now.
        """
        told = {"id": transfer or self._new_id(), "purse": purse, "player": player, "coins": coins}
        self._asked.add(str(told["id"]))
        self._given_up.discard(str(told["id"]))
        try:
            state = self._client.post("/floor/v1/transfers", told)["state"]
        except FloorRefused as error:
            raise NotOffered(error.message) from error
        except FloorUnreachable as error:  # may have arrived: our journal decides
            if (taken := self._give_up(told, is_heard=False)) is not None:
                return taken
            raise cut_off(error) from error
        if state == "cancelled":
            raise NotOffered(_GIVEN_UP)
        try:
            return self._take(told)
        except TableError as refused:
            taken = self._give_up_after(refused, told)
            if taken is not None:
                return taken
            if isinstance(refused, KeyReused):  # the journal has declined it already
                raise NotOffered(_GIVEN_UP) from refused
            raise

    def cash_out(self, player: str, purse: int, transfer: str | None = None) -> Accepted:
        """Move all of a player's coins to a purse. Works offline: the coins arrive when the journal is shipped.

        Raises:
            TableError: the player has no coins, or it is not possible now.
        """
        return self._give(transfer or self._new_id(), player, purse)

    def settle_open(self) -> None:
        """Finish transfers left open by a crash or a restored backup; the shipper calls it when the floor answers."""
        if time.monotonic() - self._asked_at < _ASK_EVERY_S:
            return
        self._asked_at = time.monotonic()
        for one in self._client.get("/floor/v1/transfers")["transfers"]:
            self._settle(one)

    def _settle(self, one: dict[str, Any]) -> None:
        try:
            if one["id"] in self._given_up or one.get("given_up"):  # older floors do not send it
                self._give_up({name: one[name] for name in ("id", "purse", "player", "coins")}, is_heard=True)
            elif one["state"] == "owed":
                self._give(str(one["id"]), str(one["player"]), int(one["purse"]))
            else:
                told = {name: one[name] for name in ("id", "purse", "player", "coins")}
                self._take_or_refuse(told)
        except KeyReused:
            log.debug("The journal already settles the transfer %s", one["id"])
        except TableError as error:
            log.warning("The transfer %s of %s could not be settled yet: %s", one["id"], one["player"], error)

    def _take_or_refuse(self, told: dict[str, Any]) -> None:
        before = self._table.situation.seq
        try:
            taken = self._take(told)
        except WrongPhase:  # retried later
            raise
        except KeyReused:
            raise
        except TableError as error:
            if error.code in _FOR_EVER:
                self._decline(told)
            else:
                raise
        else:
            if taken.seq > before and str(told["id"]) not in self._asked:
                self._say_found(told)

    def _say_found(self, told: dict[str, Any]) -> None:
        """Tell the dealer about coins that arrived without a request since the start.

        A journal restored from a backup may have lost the entry that declined them; the player does not have them then.
        """
        self._table.notice(
            message(
                "{player}'s buy-in of {coins} coins from their purse was still open from before this table started, "
                "and was made now. If {player} never got these coins, cash {player} out to the purse, and buy in anew "
                "with what lies there.",
                player=told["player"],
                coins=told["coins"],
            ),
            source=SOURCE,
        )

    def _take(self, told: dict[str, Any]) -> Accepted:
        record = {"do": "buy-in", "player": told["player"], "coins": told["coins"], "transfer": told["id"],
                  "purse": told["purse"]}  # fmt: skip
        return self._table.submit(record, source=SOURCE, key=f"transfer/{told['id']}")

    def _give(self, transfer: str, player: str, purse: int) -> Accepted:
        record = {"do": "cash-out", "player": player, "transfer": transfer, "purse": purse}
        return self._table.submit(record, source=SOURCE, key=f"transfer/{transfer}")

    def _give_up_after(self, refused: TableError, told: dict[str, Any]) -> Accepted | None:
        """Cancel a buy-in that the table has not accepted; raises an error that says so if it may still be accepted."""
        try:
            return self._give_up(told, is_heard=True)
        except NoAnswer as error:
            raise (refused if isinstance(refused, MayStillCount) else error) from None

    def _give_up(self, told: dict[str, Any], *, is_heard: bool) -> Accepted | None:
        """Cancel a buy-in. If that cannot be journaled now, as on a full disk, it is declined later.

        Args:
            is_heard: the floor is reachable, and can remember it for a restart or an older backup of the table.

        Returns:
            The buy-in itself if the table has already accepted it, such as in an earlier attempt.
        """
        self._given_up.add(str(told["id"]))
        try:
            taken = self._decline(told)
        except TableError:
            if is_heard:
                self._have_remembered(str(told["id"]))
            raise
        # A backup restored before the floor has received this entry would accept the transfer.
        if taken is None and not (is_heard and self._have_remembered(str(told["id"]))):
            self._given_up.keep(str(told["id"]))
        else:
            self._given_up.discard(str(told["id"]))
        return taken

    def _have_remembered(self, transfer: str) -> bool:
        try:
            self._client.post("/floor/v1/transfers/given-up", {"id": transfer})
        except (FloorUnreachable, FloorRefused) as error:
            log.info("The floor could not be told that the transfer %s was canceled: %s", transfer, error.message)
            return False
        return True

    def _decline(self, told: dict[str, Any]) -> Accepted | None:
        """Journal that this buy-in is declined; return it if it was accepted already."""
        text = message("No coins of {player}'s purse came to the table.", player=told["player"])
        data = {"refused": {"transfer": told["id"], **{name: told[name] for name in ("purse", "player", "coins")}}}
        try:
            self._table.decline(text, data, source=SOURCE, key=f"transfer/{told['id']}")
        except KeyReused:
            log.debug("The transfer %s was accepted before it could be declined", told["id"])
            return self._take(told)  # idempotent: its key is in the journal
        return None

    def close(self) -> None:
        """Close the connection. Idempotent."""
        self._client.close()


_FOR_EVER: Final = frozenset(
    {"unknown-player", "bad-amount", "bad-name", "bad-script", "unknown-verb", "not-offered", "over-limit"}
)
"""Errors that decline a transfer for good rather than leave it open for a later evening."""


def cut_off(error: FloorUnreachable | FloorRefused) -> NotOffered:
    """Return the error shown to the dealer while the floor cannot be asked about coins."""
    return NotOffered.saying(
        "The house's floor cannot be asked now, so nothing was moved. Buy in with coins over the counter, or try "
        "again. {why}",
        why=error.message,
    )
