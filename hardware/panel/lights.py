"""What the lights show: pure functions of the view, and of the time for what blinks."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, Final, Literal

Rhythm = tuple[int, ...]
"""Milliseconds on, off, on, off …; one number alone stays on, none stays off."""

Mood = Literal["free", "owned", "ripe", "cut", "locked"]
"""How a suit stands, or a number of the Rugen die."""

STEADY: Final[Rhythm] = (1000,)
DARK: Final[Rhythm] = ()
SLOW: Final[Rhythm] = (600, 600)
FAST: Final[Rhythm] = (120, 120)
DOUBLE: Final[Rhythm] = (120, 180, 120, 980)
WINK: Final[Rhythm] = (900, 100)

Glow = tuple[frozenset[str], Rhythm]
"""Colours of the status light that are on, and how they blink."""

GREEN, BLUE, RED = frozenset({"green"}), frozenset({"blue"}), frozenset({"red"})
AMBER, WHITE = RED | GREEN, RED | GREEN | BLUE


def is_on(rhythm: Sequence[int], t: float) -> bool:
    """Say whether a light with this rhythm is on, ``t`` seconds after the rhythm began.

    >>> [is_on((600, 400), t) for t in (0, 0.5, 0.7, 1.1)]
    [True, True, False, True]
    """
    if len(rhythm) < 2:
        return bool(rhythm)
    ends = list(accumulate(rhythm))
    return bisect_right(ends, round(t * 1000, 3) % ends[-1]) % 2 == 0


def next_change(rhythm: Sequence[int], t: float) -> float | None:
    """Return in how many seconds the light changes; None if it never does.

    >>> next_change((600, 400), 0.5), next_change((1000,), 3.0)
    (0.1, None)
    """
    if len(rhythm) < 2:
        return None
    ends = list(accumulate(rhythm))
    within = round(t * 1000, 3) % ends[-1]
    return round((ends[bisect_right(ends, within)] - within) / 1000, 6)


# ---- suits, and the numbers of the Rugen die


def suit_moods(view: Mapping[str, Any]) -> dict[int, Mood]:
    """Return how each suit stands, by rank; at the Rugen tables how each number stands, on the lights 2 to 5."""
    if "stacks" in view:
        return {stack["suit"]: _stack_mood(stack) for stack in view["stacks"]}
    if str(view.get("game", "")).startswith("rugen"):
        return {number + 1: _number_mood(view, number) for number in (1, 2, 3, 4)}
    return {}


def _stack_mood(stack: Mapping[str, Any]) -> Mood:
    if stack["is_cut"]:
        return "cut"
    if stack.get("is_locked"):
        return "locked"
    if stack["to_cut"] == 1:
        return "ripe"
    owned = stack["owner"] is not None if "owner" in stack else stack["count"] > 0
    return "owned" if owned else "free"


def _number_mood(view: Mapping[str, Any], number: int) -> Mood:
    """A number broke a moment ago, is one throw short, is somebody's or has a marker, or nothing of this."""
    chain, result = view["chain"], view.get("result")
    is_over = view["phase"] in ("point", "chain-start") or len(view.get("free", ())) == 4
    if is_over and not chain and result and result["number"] == number:
        return "cut"
    count = sum(face[0] == str(number) for face in chain)
    is_taken = number not in view["free"] if "free" in view else count > 0
    if is_taken and view["phase"] == "chain" and count == number - 1:
        return "ripe"
    return "owned" if is_taken else "free"


# ---- the status light

_UNDER_WAY: Final = frozenset({"dealing", "turns", "last-player", "chain", "seeding", "odd-coin", "stake"})


def status_glow(view: Mapping[str, Any]) -> Glow:
    """Return what the status light shows: the most urgent thing that is true."""
    if view.get("trouble"):
        return RED, FAST
    if view["hold"] is not None:
        return RED, STEADY
    if view.get("questions"):
        return AMBER, DOUBLE
    if view.get("camera", {}).get("status") == "lost":
        return RED, SLOW
    if view.get("paused"):
        return GREEN, SLOW
    if view["phase"] in _UNDER_WAY:
        return BLUE, STEADY
    return GREEN, STEADY


# ---- what is worth a sound


def cue_between(before: Mapping[str, Any], after: Mapping[str, Any]) -> str | None:
    """Return the cue for what changed from one view to the next, the most urgent one.

    It is named as in ``[panel.cues]``.
    """
    if after["hold"] is not None and before["hold"] is None:
        return "held"
    asked = {question["id"] for question in before.get("questions", ())}
    if any(question["id"] not in asked for question in after.get("questions", ())):
        return "question"
    if _camera(after) == "lost" != _camera(before):
        return "lost"
    if after["rounds"] > before["rounds"]:
        return "decided"
    return "card" if _things(after) > _things(before) else None


def _camera(view: Mapping[str, Any]) -> str:
    return str(view.get("camera", {}).get("status", "none"))


def _things(view: Mapping[str, Any]) -> int:
    """Cards on the stacks and before the players, or throws of the chain."""
    stacks = view.get("stacks", ())
    shields = sum(len(cards) for stack in stacks for cards in stack.get("shields", {}).values())
    on_stacks = sum(int(stack["count"]) for stack in stacks)
    return on_stacks + shields + len(view.get("chain", ()))
