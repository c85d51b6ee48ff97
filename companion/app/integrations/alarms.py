"""Alarms: conditions that need attention now, computed from the public state and the time."""

from collections.abc import Iterator
from typing import Final, Literal, get_args

from companion.app.integrations.public_snapshot import LOST, ChangeTimes, HealthJson, Instant
from companion.config.integrations import AlarmsConfig
from companion.kernel.messages import Words
from companion.kernel.table import is_disputed

Alarm = Literal["question", "camera", "hold", "payout", "disk", "journal", "table"]
ALARMS: Final[tuple[Alarm, ...]] = get_args(Alarm)

STUCK_S: Final = 10
"""The table counts as stuck if its thread has completed no loop iteration for this long."""


class Alarms:
    """Active alarms, and since when their conditions have lasted.

    Args:
        config: thresholds.
    """

    def __init__(self, config: AlarmsConfig) -> None:
        self._config, self._since = config, ChangeTimes()

    def on(
        self, *, asked: Instant | None, hold: Words | None, health: HealthJson, now: Instant
    ) -> dict[Alarm, Instant]:
        """Return the active alarms with their start times. Setting the clock raises none.

        Args:
            asked: since when a question has waited for the dealer.
            hold: why the table is on hold.
        """
        found: dict[Alarm, Instant] = {}
        if asked is not None and now.monotonic_s - asked.monotonic_s >= self._config.question_seconds:
            found["question"] = asked
        for kind, is_so, after_s in self._causes(hold, health):
            since = self._since.of(kind, is_so, now)
            if is_so and now.monotonic_s - since.monotonic_s >= after_s:
                found[kind] = since
        return found

    def _causes(self, hold: Words | None, health: HealthJson) -> Iterator[tuple[Alarm, bool, int]]:
        """Yield each other alarm, whether its condition holds, and its delay in seconds."""
        config = self._config
        yield "camera", health["camera"] in LOST, config.camera_seconds
        yield "hold", hold is not None, config.hold_seconds
        yield "payout", is_disputed(hold), 0
        yield "disk", health["disk"] != "ok", 0
        yield "journal", health["journal"] != "ok", 0
        yield "table", health["behind_s"] >= STUCK_S, 0
