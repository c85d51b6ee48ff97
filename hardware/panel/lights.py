"""States of the lights: pure functions of the moment, and of time for blinking."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from companion.plugins.panel import Moment, PanelPart

Rhythm = tuple[int, ...]
"""Alternating on and off times in milliseconds; a single number is always on, none is off."""

STEADY: Final[Rhythm] = (1000,)
DARK: Final[Rhythm] = ()
SLOW: Final[Rhythm] = (600, 600)
FAST: Final[Rhythm] = (120, 120)
DOUBLE: Final[Rhythm] = (120, 180, 120, 980)

StatusLight = tuple[frozenset[str], Rhythm]
"""The lit colours of the status light, and their rhythm."""

GREEN, BLUE, RED = frozenset({"green"}), frozenset({"blue"}), frozenset({"red"})
AMBER, WHITE = RED | GREEN, RED | GREEN | BLUE


def is_on(rhythm: Sequence[int], t: float) -> bool:
    """Whether a light with this rhythm is on, ``t`` seconds after the rhythm began.

    >>> [is_on((600, 400), t) for t in (0, 0.5, 0.7, 1.1)]
    [True, True, False, True]
    """
    if len(rhythm) < 2:
        return bool(rhythm)
    ends = list(accumulate(rhythm))
    return bisect_right(ends, round(t * 1000, 3) % ends[-1]) % 2 == 0


def next_change(rhythm: Sequence[int], t: float) -> float | None:
    """Return the seconds until the light changes; None if it never does.

    >>> next_change((600, 400), 0.5), next_change((1000,), 3.0)
    (0.1, None)
    """
    if len(rhythm) < 2:
        return None
    ends = list(accumulate(rhythm))
    within = round(t * 1000, 3) % ends[-1]
    return round((ends[bisect_right(ends, within)] - within) / 1000, 6)


# ---- the status light


def status_light(part: PanelPart, moment: Moment) -> StatusLight:
    """Return the status light's state: the most urgent condition."""
    if moment.trouble:
        return RED, FAST
    if moment.hold is not None:
        return RED, STEADY
    if moment.questions:
        return AMBER, DOUBLE
    if moment.camera == "lost":
        return RED, SLOW
    if moment.camera == "poor":
        return AMBER, SLOW
    return (BLUE if part.is_under_way(moment) else GREEN), STEADY


# ---- sound cues


def cue_between(part: PanelPart, before: Moment, after: Moment) -> str | None:
    """Return the most urgent cue for the change between two moments, or None.

    Names are those of ``[panel.cues]``.
    """
    if after.hold is not None and before.hold is None:
        return "held"
    asked = {question.id for question in before.questions}
    if any(question.id not in asked for question in after.questions):
        return "question"
    if after.camera in ("lost", "poor") and before.camera not in ("lost", "poor"):
        return "lost"
    if after.rounds > before.rounds:
        return "decided"
    return "card" if part.on_table(after) > part.on_table(before) else None
