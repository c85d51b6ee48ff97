"""Follows the floor's directives for this table, in its own thread and over its own connection.

Neither play nor journal shipping waits for it.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from companion.app.floor.client import FloorClient, FloorRefused, FloorUnreachable
from companion.app.floor.desk.evidence import dossier
from companion.app.floor.desk.house_decks import KnownHouseDecks
from companion.app.floor.desk.prices import TablePrices
from companion.app.floor.shapes import DutyJson
from companion.closing import Worker
from companion.config.price_list import mark_of
from companion.journal.evidence import EvidenceRing
from companion.kernel.errors import CompanionError, JournalDamaged, NoAnswer, NotOffered, NotSaved
from companion.kernel.messages import Message, message
from companion.service.snapshot import FloorNews
from companion.service.table_service import TableService

log = logging.getLogger(__name__)

EVERY_S: Final = 0.5
BACK_OFF_S: Final = 5.0
_OWN_WORD_S: Final = 5.0
"""How long the floor may not know yet who signed on here."""


@dataclass(frozen=True, slots=True)
class Desk:
    """The table's state that directives change."""

    prices: TablePrices
    decks: KnownHouseDecks
    pictures: EvidenceRing
    configured_game: Callable[[], str]


class DirectiveFollower(Worker):
    """Follows the floor's directives. Thread-safe; a context manager.

    Args:
        client: a dedicated connection to the floor.
    """

    def __init__(self, table: TableService, client: FloorClient, desk: Desk) -> None:
        self._table, self._client, self.desk = table, client, desk
        self._directives: Mapping[str, Any] = {}
        list_ = desk.prices.list_
        self._taken = max((one.version for one in list_.values()), default=0), mark_of(list_)
        "Version and digest of the stored price list."
        self._news = FloorNews()
        self._refused: tuple[tuple[int, str], int] | None = None
        self._told = ""
        self._dealers: list[str] = []
        self._own_word_at = -_OWN_WORD_S
        self._lock = threading.Lock()
        self._bell = threading.Event()
        super().__init__("floor-desk", end_s=1.5)

    def receive(self, directives: Mapping[str, Any]) -> None:
        """Queue the directives of the floor's latest response; returns at once."""
        if directives != self._directives:
            self._directives = directives
            self._bell.set()

    def __enter__(self) -> Self:
        return self.start()

    def close(self) -> None:
        """Stop. Idempotent."""
        self._stop.set()
        self._bell.set()
        self._client.close()
        super().close()

    # ---- the thread

    def _run(self) -> None:
        while not self._stop.is_set():
            self._bell.wait(EVERY_S)
            self._bell.clear()
            if self._stop.is_set():
                return
            try:
                self._follow_prices()
                if self._directives:
                    self._do(self._directives)
            except CompanionError as error:  # floor unreachable, or local damage, such as a deck file
                log.info("The floor's requests are delayed: %s", error)
                self._stop.wait(BACK_OFF_S)
            except Exception:
                log.exception("Internal error: the floor's requests were not handled")
                self._stop.wait(BACK_OFF_S)

    def _do(self, directives: Mapping[str, Any]) -> None:
        wanted_list = int(directives.get("prices", 0)), str(directives.get("prices_mark", self._taken[1]))
        if wanted_list != self._taken:
            told = self._client.get("/floor/v1/prices")["list"]
            self.desk.prices.take(told, self._table, self.desk.configured_game())
            self._taken, self._refused = wanted_list, None
            self._follow_prices()
        if time.monotonic() - self._own_word_at > _OWN_WORD_S:
            self._show(dealer=directives.get("dealer"))
        if wanted := directives.get("evidence"):
            self._tell_evidence(str(wanted))
        self.desk.decks.register(self._client, int(directives.get("decks", 0)))
        self.desk.decks.tell_met(self._client)
        cards = dict(directives.get("cards", {}))
        if cards and str(cards) != self._told:
            self.desk.decks.hold(self._client, cards)
            self._told = str(cards)

    def _tell_evidence(self, name: str) -> None:
        try:
            self._client.post("/floor/v1/evidence", {"name": name, "dossier": dossier(self._table, self.desk.pictures)})
        except FloorRefused as error:
            log.info("The floor refused the evidence that the pit requested: %s", error)
        self._directives = {**self._directives, "evidence": None}

    def _follow_prices(self) -> None:
        """Apply the latest price list once no round is in progress."""
        if self._refused == (self._taken, self._table.session):
            return
        try:
            self._show(prices=self.desk.prices.follow(self._table), refused=None)
        except (NotSaved, JournalDamaged, NoAnswer) as error:  # retried until it is journaled or rejected
            log.info("The floor's new prices are not applied yet: %s", error)
            self._show(prices=error.message)
        except CompanionError as error:
            self._refused = (self._taken, self._table.session)
            text = message("The floor's new prices cannot hold at this table, and it goes on as before: {why}",
                           why=error.message)  # fmt: skip
            log.warning("%s", text)
            self._show(prices=text, refused=error.message)

    def _show(self, **changes: Any) -> None:
        with self._lock:
            news = FloorNews(**{name: changes.get(name, getattr(self._news, name)) for name in _NEWS})
            if news == self._news:
                return
            self._news = news
        self._table.set_floor_news(news)

    # ---- dealer sign-on

    def duty(self) -> DutyJson:
        """Return who is on duty and who may sign on; the last known dealers while the floor is unreachable."""
        try:
            self._dealers = [str(name) for name in self._client.get("/floor/v1/dealers")["dealers"]]
        except (FloorUnreachable, FloorRefused) as error:
            log.info("The floor's list of dealers could not be updated: %s", error)
        return {"dealer": self._news.dealer, "dealers": self._dealers}

    def sign(self, dealer: str | None, pin: str) -> DutyJson:
        """Sign a dealer on, ending the current shift, or None to only end it; the change is journaled.

        The floor verifies the PIN. While it is unreachable the name is accepted and marked as unverified.

        Raises:
            NotOffered: wrong name or PIN, or no change.
        """
        if dealer == self._news.dealer:
            raise NotOffered.saying("{name} is on duty already.", name=dealer or "—")
        if dealer is not None and not (0 < len(dealer) <= 40 and dealer.isprintable()):
            raise NotOffered.saying("A dealer's name has 1 to 40 letters.")
        is_checked = dealer is None or self._is_checked(dealer, pin)
        self._own_word_at = time.monotonic()
        self._table.notice(_sentence(dealer, is_checked=is_checked), source="dealer",
                           data={"duty": {"dealer": dealer, "checked": is_checked}})  # fmt: skip
        self._show(dealer=dealer)
        return {"dealer": dealer, "dealers": self._dealers}

    def _is_checked(self, dealer: str, pin: str) -> bool:
        try:
            self._client.post("/floor/v1/dealers", {"dealer": dealer, "pin": pin})
        except FloorRefused as error:
            raise NotOffered(error.message) from error
        except FloorUnreachable:
            return False
        return True


_NEWS: Final = ("prices", "refused", "dealer")


def _sentence(dealer: str | None, *, is_checked: bool) -> Message:
    if dealer is None:
        return message("The dealer signs off.")
    if is_checked:
        return message("{dealer} signs on as the dealer.", dealer=dealer)
    return message("{dealer} signs on as the dealer. The floor could not be asked for the PIN.", dealer=dealer)
