"""What tables are told with the floor's next answer: a handful of words from memory, whatever the database does."""

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
"""So long nobody waits again for a database that was away: each answer would, and all tables for all answers."""


@dataclass(slots=True)
class Errands:
    """Knows what each table has to do beside its game."""

    prices: PriceBook
    decks: DeckRegister
    duty: Roster
    disputes: Disputes
    _asks_again_at: float = field(default=0.0, init=False)

    def of(self, who: Installation) -> dict[str, Any]:
        """Return what a table is told; nothing while the database cannot be asked.

        ``prices`` is the version that changed something there last, and ``prices_mark`` tells its list from another;
        ``decks`` is the register's version; ``dealer`` is who is on duty, ``evidence`` names what the pit wants to see,
        ``cards`` are codes to hold against the table's decks.
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
