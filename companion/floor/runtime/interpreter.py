"""Interpreter settings for the floor's processes, which have many threads and many long-lived objects."""

import gc
import sys
from typing import Final

TURN_S: Final = 0.0005
"""Thread switch interval. A thread that wakes from a socket or the database waits this long for the GIL: 5 ms by
default, for each of a thousand responses."""
COLLECT: Final = (50_000, 20, 100)
"""Garbage collector thresholds. The defaults collect after every 700 new objects and every hundredth time traverse all
that a thousand tables keep alive: a third of the time of their events on the pit's page (`bench_floor.py`)."""


def prepare() -> None:
    """Apply the settings; call once, after the imports."""
    sys.setswitchinterval(TURN_S)
    gc.freeze()
    gc.set_threshold(*COLLECT)
