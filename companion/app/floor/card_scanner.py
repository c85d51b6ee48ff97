"""Detects player cards in the table camera's frames, independently of the game."""

import logging
import time
from collections.abc import Callable
from typing import Final

from companion.app.floor.card_check_in import SOURCE, CardCheckIn
from companion.closing import Worker
from companion.kernel.errors import TableError
from companion.objects.player_code import PlayerCode
from companion.service.table_service import TableService
from companion.vision.decoders.qr import read_codes
from companion.vision.frame import Frame, to_gray

log = logging.getLogger(__name__)

LOOK_EVERY_S: Final = 1.0
"""Polling interval; one 1080-line frame takes 5 ms."""
_FORGOTTEN_S: Final = 5.0
"A card that was out of sight for this long counts as shown again."


class CardScanner(Worker):
    """Asks about each player card once for as long as it stays visible.

    Args:
        frame: returns the camera's newest frame; None if there is none.
    """

    def __init__(
        self,
        frame: Callable[[], Frame | None],
        check_in: CardCheckIn,
        table: TableService,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._frame, self._check_in, self._table, self._clock = frame, check_in, table, clock
        self._seen: dict[PlayerCode, float] = {}
        self._looked_at: Frame | None = None
        super().__init__("player-cards", end_s=1.5)

    def _run(self) -> None:
        while not self._stop.wait(LOOK_EVERY_S):
            try:
                self.look()
            except Exception:
                log.exception("Internal error: a picture was not searched for player cards")

    def look(self) -> None:
        """Process the newest frame once."""
        frame, now = self._frame(), self._clock()
        if frame is None or frame is self._looked_at or frame.image.size == 0:
            return
        self._looked_at = frame
        self._seen = {code: seen for code, seen in self._seen.items() if now - seen < _FORGOTTEN_S}
        for found in read_codes(to_gray(frame.image)).read:
            code = PlayerCode.parse(found.text)
            if code is None:
                continue
            is_new = code not in self._seen
            self._seen[code] = now
            if is_new:
                self._show(code)

    def _show(self, code: PlayerCode) -> None:
        try:
            self._check_in.shown(code)
        except TableError as error:
            self._table.notice(error.message, source=SOURCE, data={"player_card": code.number}, private=True)
