"""Alarms: what somebody in the house should see to now, worked out from the picture and the time."""

from collections.abc import Iterator
from typing import Final, Literal, get_args

from companion.app.outside.picture import LOST, HealthJson, Instant, Since
from companion.config.outside import AlarmsConfig
from companion.kernel.messages import Words
from companion.kernel.table import is_disputed

Alarm = Literal["question", "camera", "hold", "payout", "disk", "journal", "table"]
ALARMS: Final[tuple[Alarm, ...]] = get_args(Alarm)

STUCK_S: Final = 10
"""A table's thread that has not come round for so long is not well."""


class Alarms:
    """Which alarms are on, and since when what they are about has been so.

    Args:
        config: from when on something is an alarm.
    """

    def __init__(self, config: AlarmsConfig) -> None:
        self._config, self._since = config, Since()

    def on(
        self, *, asked: Instant | None, hold: Words | None, health: HealthJson, now: Instant
    ) -> dict[Alarm, Instant]:
        """Return the alarms that are on, each with the time since when. A clock that is set raises none.

        Args:
            asked: since when a question has waited for the dealer.
            hold: why the table is on hold.
        """
        found: dict[Alarm, Instant] = {}
        if asked is not None and now.passed - asked.passed >= self._config.question_seconds:
            found["question"] = asked
        for kind, is_so, after_s in self._causes(hold, health):
            since = self._since.of(kind, is_so, now)
            if is_so and now.passed - since.passed >= after_s:
                found[kind] = since
        return found

    def _causes(self, hold: Words | None, health: HealthJson) -> Iterator[tuple[Alarm, bool, int]]:
        """Yield each other alarm, whether its cause is there, and after how many seconds that counts."""
        config = self._config
        yield "camera", health["camera"] in LOST, config.camera_seconds
        yield "hold", hold is not None, config.hold_seconds
        yield "payout", is_disputed(hold), 0
        yield "disk", health["disk"] != "ok", 0
        yield "journal", health["journal"] != "ok", 0
        yield "table", health["behind_s"] >= STUCK_S, 0
