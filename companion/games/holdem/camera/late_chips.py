"""Detects printed chips laid after the betting. Bets themselves come by voice, phone or buttons."""

from typing import Final

from companion.games.holdem.camera.pieces import Now
from companion.games.holdem.state import BETTING, Phase
from companion.tracking.cards.observations import TrackedTable

_GRACE_S: Final = 5.0
"""Grace period after the betting: a caller may still be counting out chips when the board is dealt."""


class LateChips:
    """Tracks chips that came too late."""

    def __init__(self) -> None:
        self._known: set[int] = set()
        self._late: dict[int, int] = {}
        "Late chip -> seat."
        self._closed: float | None = None

    def follow(self, tracked: TrackedTable, now: Now) -> list[tuple[str, int]]:
        """Update from the tracked table; return (player, chip) for each late chip."""
        is_open = now.phase in BETTING or now.phase is Phase.READY
        self._closed = None if is_open else self._closed if self._closed is not None else tracked.t
        here = {chip.id: chip for chip in tracked.chips if chip.is_settled}
        for chip in here.values():
            is_late = self._closed is not None and chip.since - self._closed >= _GRACE_S
            if chip.id not in self._known and is_late and now.phase is not Phase.HOLE:
                self._late[chip.id] = chip.chip.seat
        self._known = set(here)
        self._late = {} if is_open else {chip: seat for chip, seat in self._late.items() if chip in here}
        return [(now.players[seat], chip) for chip, seat in self._late.items() if seat in now.players]
