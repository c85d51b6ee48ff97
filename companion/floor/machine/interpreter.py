"""How Python runs in the floor's processes: many threads, and much that lives long."""

import gc
import sys
from typing import Final

TURN_S: Final = 0.0005
"""A thread that has waited for a socket or the database waits for its next turn: 5 ms by default, and for each of a
thousand answers."""
COLLECT: Final = (50_000, 20, 100)
"""Python looks for unreachable cycles after each 700 new objects by default, and every hundredth time through all that
a thousand tables keep alive: a third of the time of their events on the pit's page, measured with `bench_floor.py`."""


def prepare() -> None:
    """Set the interpreter up; called once, after the imports."""
    sys.setswitchinterval(TURN_S)
    gc.freeze()
    gc.set_threshold(*COLLECT)
