"""Schedules decoding: which regions to scan next.

Work is budgeted in estimated milliseconds, not by the clock, so that the same frames always give the same readings.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final, Literal

from companion.vision.boxes import is_inside
from companion.vision.frame import Points
from companion.vision.live.change import Box, Cells, cells_of

# Estimated costs:
_CODES_MS: Final = 11e-6  # search for codes, enlarged twice, per pixel
_TAGS_MS: Final = 65e-6  # search for tags, per pixel
_RETRY_MS: Final = 3.0  # one retry
_KNOWN_MS: Final = 6.0  # one comparison with the known codes
_MIN_CARD_CELLS: Final = 4  # with detail; a finger or a printed line has fewer
_MANY_TASKS: Final = 8


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A decoding task for a box.

    `codes` and `tags` search for codes and for tags; `retry` tries hard to decode one code at `place`, and `known`
    compares that place with the known codes. `plan` and `rescan` plan searches of the cells with detail that no known
    card explains: `plan` after a change, `rescan` periodically.

    Attributes:
        place: float32 (4, 2), px: the expected corners of a code, for `retry` and `known`.
        is_check: whether it is also done where the bare table shows.
    """

    kind: Literal["codes", "plan", "rescan", "tags", "retry", "known"]
    box: Box
    place: Points | None = None
    is_check: bool = False

    @property
    def cost_ms(self) -> float:
        area = (self.box[2] - self.box[0]) * (self.box[3] - self.box[1])
        rates = {"codes": _CODES_MS, "tags": _TAGS_MS}
        fixed = {"codes": 0.5, "tags": 0.2, "retry": _RETRY_MS, "known": _KNOWN_MS, "plan": 1.0, "rescan": 1.0}
        return fixed[self.kind] + area * rates.get(self.kind, 0.0)


class DecodeScheduler:
    """Two queues: `urgent` for changed regions, and after it `routine` for unchanged ones."""

    def __init__(self) -> None:
        self.urgent: deque[Task] = deque()
        self.routine: deque[Task] = deque()

    def __bool__(self) -> bool:
        return bool(self.urgent or self.routine)

    def put_first(self, box: Box, tasks: Iterable[Task]) -> None:
        """Queue tasks that scan a whole box before all others, and drop the pending tasks inside it."""
        self.drop_inside([box])
        self.urgent.extendleft(reversed(list(tasks)))

    def drop_inside(self, boxes: Sequence[Box]) -> None:
        """Drop pending searches inside boxes that are about to be scanned again."""
        for queue in (self.urgent, self.routine):
            old = [k for k in queue if not k.is_check and k.place is None and any(is_inside(k.box, b) for b in boxes)]
            if old:
                kept = [k for k in queue if k not in old]
                queue.clear()
                queue.extend(kept)

    def follow_up(self, tasks: Sequence[Task], queue: deque[Task]) -> None:
        """Queue the tasks of a plan behind the `codes` tasks at the head of the queue.

        Many tasks, as for the first picture, become routine: new cards must not wait for them.
        """
        if len(tasks) > _MANY_TASKS:
            queue = self.routine
        codes = [queue.popleft() for _ in list(takewhile(lambda k: k.kind == "codes", queue))]
        queue.extendleft(reversed((*codes, *tasks)))

    def prioritize(self, detailed: Callable[[], Cells]) -> None:
        """Order the urgent tasks: first regions with the detail of an unknown card, and in them codes before tags.

        A hand leaves much to scan behind it. Its sleeve has as much detail as a card, and tags are expensive to search.

        Args:
            detailed: returns the cells with such detail; called only if there are tasks to order.
        """
        if len(self.urgent) <= 2:
            return
        cells = detailed()

        def rank(task: Task) -> tuple[bool, bool]:
            return bool(cells[cells_of(task.box, cells.shape)].sum() < _MIN_CARD_CELLS), task.kind != "codes"

        self.urgent = deque(sorted(self.urgent, key=rank))
