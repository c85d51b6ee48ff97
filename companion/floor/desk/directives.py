"""Directives for tables, piggybacked on every response; served from memory, independent of the database."""

import time
from dataclasses import dataclass, field
from typing import Any, Final

from companion.floor.desk.decks import DeckRegister
from companion.floor.desk.disputes import Disputes
from companion.floor.desk.duty import Roster
from companion.floor.desk.prices import PriceBook
from companion.floor.errors import FloorError
from companion.floor.tables import Installation

_AWAY_S: Final = 5.0
"""After a database failure, how long not to query it again: otherwise every response would wait for a timeout."""


@dataclass(slots=True)
class Directives:
    """Collects the pending directives of each table."""

    prices: PriceBook
    decks: DeckRegister
    duty: Roster
    disputes: Disputes
    _asks_again_at: float = field(default=0.0, init=False)

    def of(self, who: Installation) -> dict[str, Any]:
        """Return a table's directives; empty while the database is unavailable.

        ``prices`` is the version that last changed the table's prices and ``prices_mark`` a digest of its list;
        ``decks`` is the version of the deck register; ``dealer`` is who is on duty; ``evidence`` names the evidence
        that the pit requests; ``cards`` are codes to verify with the table's deck keys.
        """
        if time.monotonic() < self._asks_again_at:
            return {}
        try:
            return {
                "prices": self.prices.newest_for(who.name),
                "prices_mark": self.prices.mark_for(who.name),
                "decks": self.decks.version,
                "dealer": self.duty.now().get(who.table_id),
                "evidence": self.disputes.wanted_of(who.table_id),
                "cards": self.decks.questions_for(who.table_id),
            }
        except FloorError:
            self._asks_again_at = time.monotonic() + _AWAY_S
            return {}
