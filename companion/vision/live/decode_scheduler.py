"""Schedules decoding: which regions to scan next.

Work is measured in estimated milliseconds, not by the clock: the same frames always give the same readings.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final, Literal

from companion.vision.boxes import is_inside
from companion.vision.frame import Points
from companion.vision.live.change import Box, Cells, cells_of

_CODES_MS: Final = 11e-6  # to search one pixel for codes, enlarged twice
_TAGS_MS: Final = 65e-6  # to search one pixel for tags
_RETRY_MS: Final = 3.0  # a retry at one place
_KNOWN_MS: Final = 6.0  # to compare one place with the house's own codes
_PAPER_CELLS: Final = 4  # with detail: more than a finger or a printed line has
_MANY: Final = 8


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A decoding task for a box.

    `codes` and `scan` search for codes and for tags, `retry` tries hard for one code at a place, `known` compares it
    with the house's own codes. `tags` and `again` plan scans where there is detail that no known card explains: `tags`
    after a change, `again` now and then.
    """

    kind: Literal["codes", "tags", "again", "scan", "retry", "known"]
    box: Box
    place: Points | None = None
    is_check: bool = False  # done even where the bare table is known

    @property
    def cost_ms(self) -> float:
        area = (self.box[2] - self.box[0]) * (self.box[3] - self.box[1])
        rates = {"codes": _CODES_MS, "scan": _TAGS_MS}
        fixed = {"codes": 0.5, "scan": 0.2, "retry": _RETRY_MS, "known": _KNOWN_MS, "tags": 1.0, "again": 1.0}
        return fixed[self.kind] + area * rates.get(self.kind, 0.0)


class DecodeScheduler:
    """Two queues: `fresh`, for changed regions, goes before `calm`, for unchanged ones."""

    def __init__(self) -> None:
        self.fresh: deque[Task] = deque()
        self.calm: deque[Task] = deque()

    def __bool__(self) -> bool:
        return bool(self.fresh or self.calm)

    def put_first(self, box: Box, tasks: Iterable[Task]) -> None:
        """Do these next; they scan the whole box, so pending tasks there can be dropped."""
        self.drop_inside([box])
        self.fresh.extendleft(reversed(list(tasks)))

    def drop_inside(self, boxes: Sequence[Box]) -> None:
        """Drop pending tasks inside boxes that are about to be scanned again."""
        for queue in (self.fresh, self.calm):
            old = [k for k in queue if not k.is_check and k.place is None and any(is_inside(k.box, b) for b in boxes)]
            if old:
                kept = [k for k in queue if k not in old]
                queue.clear()
                queue.extend(kept)

    def follow_up(self, tasks: Sequence[Task], queue: deque[Task]) -> None:
        """Do what a plan asks for, after the codes that wait at the queue's head.

        A picture seen for the first time asks for much: new cards must not wait for all that.
        """
        if len(tasks) > _MANY:
            queue = self.calm
        codes = [queue.popleft() for _ in list(takewhile(lambda k: k.kind == "codes", queue))]
        queue.extendleft(reversed((*codes, *tasks)))

    def paper_first(self, detailed: Callable[[], Cells]) -> None:
        """Put first what has the detail of a card that is not known yet: a hand leaves much to scan behind it.

        Codes come before tags there: a sleeve has as much detail as a card, and tags are expensive to search.

        Args:
            detailed: finds the cells with such detail; asked only if there is anything to put in order.
        """
        if len(self.fresh) <= 2:
            return
        cells = detailed()

        def rank(task: Task) -> tuple[bool, bool]:
            return bool(cells[cells_of(task.box, cells.shape)].sum() < _PAPER_CELLS), task.kind != "codes"

        self.fresh = deque(sorted(self.fresh, key=rank))
