"""The table's side of transfers between purses and the table.

What the table does with a transfer is an entry of its journal under the key ``transfer/ID``: the buy-in or cash-out
itself, or a notice that it never will be. There can be one such entry only, so a transfer that is taken is never
refused, and the other way round, however often either side asks.
"""

import hashlib
import logging
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from companion.app.floor.card_door import CardDoor
from companion.app.floor.client import FloorClient, FloorRefused, FloorUnreachable
from companion.app.floor.given_up import GivenUp
from companion.app.floor.shapes import PurseHeldJson, PurseJson, PursesJson
from companion.journal.backups.backup import GIVEN_UP
from companion.kernel.errors import KeyReused, MayStillCount, NoAnswer, NotOffered, TableError, WrongPhase
from companion.kernel.messages import message
from companion.service.jobs import Accepted
from companion.service.table_service import TableService

log = logging.getLogger(__name__)

SOURCE: Final = "floor"
_ASK_EVERY_S: Final = 2.0
_GIVEN_UP: Final = message("This buy-in was given up before, so nothing was moved. Ask for it anew.")


class Counter:
    """Buys in from purses and cashes out to them. Thread-safe.

    Args:
        client: a connection of its own to the floor.
        number: the table's in the house.
        data_dir: keeps what a restore of an older backup would forget; None: nothing does.
    """

    def __init__(
        self, table: TableService, client: FloorClient, new_id: Callable[[], str] = lambda: secrets.token_hex(12), *,
        number: int = 0, data_dir: Path | None = None,
    ) -> None:  # fmt: skip
        self._number = number
        self._table = table
        self._client = client
        self.cards: Final = CardDoor(table, client)
        "Asks the dealer about players' cards."
        self._new_id = new_id
        self._asked_at = -_ASK_EVERY_S
        self._known: list[PurseJson] = []
        self._asked: set[str] = set()
        "Buy-ins that this table's dealer has asked for since it started."
        self._given_up = GivenUp(None if data_dir is None else data_dir / GIVEN_UP)
        "Buy-ins whose dealer was told that nothing moves, and which journal or floor do not know yet."

    def purses(self) -> PursesJson:
        """Return the house's purses; while the floor does not answer, those that it named last.

        Raises:
            NotOffered: the floor does not answer, and has not since this table was started.
        """
        try:
            self._known = self._client.get("/floor/v1/purses")["purses"]
        except (FloorUnreachable, FloorRefused) as error:
            if not self._known:
                raise cut_off(error) from error
            return {"purses": self._known, "cut_off": cut_off(error).message}
        return {"purses": self._known}

    def purse(self, number: int) -> PurseHeldJson:
        """Return what a purse holds, and what is on its way between it and this table.

        Raises:
            NotOffered: there is no such purse, or the floor does not answer.
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
        """Return the id of the transfer that a client's key names: another table's client may have the same keys."""
        return hashlib.sha256(f"{self._number}/{key}".encode()).hexdigest()[:32]

    def buy_in(self, player: str, purse: int, coins: int, transfer: str | None = None) -> Accepted:
        """Bring coins of a purse to the table. When this returns they are in front of the player, on the disk.

        Args:
            transfer: names this very buy-in, 8 to 56 letters and digits, so that asking again is safe.

        Raises:
            TableError: nothing has moved, and nothing will: the floor does not answer, the purse has not so many
                coins, or the table cannot take them now.
        """
        told = {"id": transfer or self._new_id(), "purse": purse, "player": player, "coins": coins}
        self._asked.add(str(told["id"]))
        self._given_up.discard(str(told["id"]))
        try:
            state = self._client.post("/floor/v1/transfers", told)["state"]
        except FloorRefused as error:
            raise NotOffered(error.message) from error
        except FloorUnreachable as error:  # it may have heard the question: what is written down here holds for both
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
            if isinstance(refused, KeyReused):  # the journal says already that it never will be
                raise NotOffered(_GIVEN_UP) from refused
            raise

    def cash_out(self, player: str, purse: int, transfer: str | None = None) -> Accepted:
        """Send all coins of a player to a purse. It needs no floor: the coins arrive once the journal does.

        Raises:
            TableError: the player has none, or it cannot be done now.
        """
        return self._give(transfer or self._new_id(), player, purse)

    def settle_open(self) -> None:
        """Do what a crash or a restored backup has left open; for the follower's thread, whenever the floor answers."""
        if time.monotonic() - self._asked_at < _ASK_EVERY_S:
            return
        self._asked_at = time.monotonic()
        for one in self._client.get("/floor/v1/transfers")["transfers"]:
            self._settle(one)

    def _settle(self, one: dict[str, Any]) -> None:
        try:
            if one["id"] in self._given_up or one.get("given_up"):  # an older floor does not remember any
                self._give_up({name: one[name] for name in ("id", "purse", "player", "coins")}, is_heard=True)
            elif one["state"] == "owed":
                self._give(str(one["id"]), str(one["player"]), int(one["purse"]))
            else:
                told = {name: one[name] for name in ("id", "purse", "player", "coins")}
                self._take_or_refuse(told)
        except KeyReused:
            log.debug("The transfer %s is decided in the journal already", one["id"])
        except TableError as error:
            log.warning("The transfer %s of %s stays open: %s", one["id"], one["player"], error)

    def _take_or_refuse(self, told: dict[str, Any]) -> None:
        before = self._table.situation.seq
        try:
            taken = self._take(told)
        except WrongPhase:  # later
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
        """Tell the dealer of coins that came without being asked for since the start.

        A journal that was restored from a backup may have lost that they were refused: the player has none then.
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
        """Let a buy-in never be that the table has not taken; raises that it may still count where this may be so."""
        try:
            return self._give_up(told, is_heard=True)
        except NoAnswer as error:
            raise (refused if isinstance(refused, MayStillCount) else error) from None

    def _give_up(self, told: dict[str, Any], *, is_heard: bool) -> Accepted | None:
        """Let a buy-in never be. What cannot be written down now, such as on a full disk, is refused once it can be.

        Args:
            is_heard: the floor answers, and can remember that for a table started anew, or from an older backup.

        Returns:
            The buy-in itself where the table has taken it already, such as when this was asked the first time.
        """
        self._given_up.add(str(told["id"]))
        try:
            taken = self._decline(told)
        except TableError:
            if is_heard:
                self._have_remembered(str(told["id"]))
            raise
        # An older backup, restored before the floor has this entry, would take it.
        if taken is None and not (is_heard and self._have_remembered(str(told["id"]))):
            self._given_up.keep(str(told["id"]))
        else:
            self._given_up.discard(str(told["id"]))
        return taken

    def _have_remembered(self, transfer: str) -> bool:
        try:
            self._client.post("/floor/v1/transfers/given-up", {"id": transfer})
        except (FloorUnreachable, FloorRefused) as error:
            log.info("The floor does not remember that %s was given up: %s", transfer, error.message)
            return False
        return True

    def _decline(self, told: dict[str, Any]) -> Accepted | None:
        """Write down that this buy-in never will be; return it if it has been, already."""
        text = message("No coins of {player}'s purse came to the table.", player=told["player"])
        data = {"refused": {"transfer": told["id"], **{name: told[name] for name in ("purse", "player", "coins")}}}
        try:
            self._table.decline(text, data, source=SOURCE, key=f"transfer/{told['id']}")
        except KeyReused:
            log.debug("The transfer %s was taken after all", told["id"])
            return self._take(told)  # its key is known, so this moves nothing
        return None

    def close(self) -> None:
        """End the connection; may be called twice."""
        self._client.close()


_FOR_EVER: Final = frozenset(
    {"unknown-player", "bad-amount", "bad-name", "bad-script", "unknown-verb", "not-offered", "over-limit"}
)
"""Why a table refuses coins for good: what it may take on another evening is not for it to keep until then."""


def cut_off(error: FloorUnreachable | FloorRefused) -> NotOffered:
    """Return what the dealer is told when the floor cannot be asked about coins."""
    return NotOffered.saying(
        "The house's floor cannot be asked now, so nothing was moved. Buy in with coins over the counter, or try "
        "again. {why}",
        why=error.message,
    )
