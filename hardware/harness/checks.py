"""Pure helper functions of the runner's checks: values in a view, and rhythms in a line's changes."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from companion.journal.hash_chain import EntryJson
from companion.kernel.commands import Record
from hardware.harness.rig import Change

MISSING: Final = "(nothing)"
_NAMES: Final = ("name", "player", "suit", "number", "seat", "id", "on")


def value_at(view: object, path: str) -> object:
    """Return the value at a dotted path in a view; list elements are addressed by name, suit or index.

    >>> value_at({"players": [{"name": "Ann", "coins": 7}]}, "players.Ann.coins")
    7
    >>> value_at({"stacks": [{"suit": 6, "count": 2}]}, "stacks.6.count"), value_at({}, "phase")
    (2, '(nothing)')
    """
    found = view
    for part in path.split("."):
        found = _inside(found, part)
    return found


def _inside(thing: object, part: str) -> object:
    if isinstance(thing, Mapping):
        return thing.get(part, MISSING)
    if isinstance(thing, Sequence) and not isinstance(thing, str):
        for key in _NAMES:
            named = [item for item in thing if isinstance(item, Mapping) and str(item.get(key)) == part]
            if named:
                return named[0]
        return thing[int(part)] if part.isdigit() and int(part) < len(thing) else MISSING
    return MISSING


def matches(found: object, wanted: object) -> bool:
    """Whether a value equals the wanted one; a wanted text starting with a tilde must be contained in it.

    >>> matches("Deal the next card", "~next"), matches([1, 2], [1, 2]), matches("no", "~yes")
    (True, True, False)
    """
    if isinstance(wanted, str) and wanted.startswith("~"):
        return wanted[1:] in str(found)
    return bool(found == wanted)


def has_fields(entry: EntryJson, wanted: Record) -> bool:
    """Whether a journal entry has the wanted source and command fields."""
    whole = {**entry["record"], "do": entry["do"], "source": entry["source"]}
    return all(whole.get(key, MISSING) == value for key, value in wanted.items())


def durations(changes: Sequence[Change], line: str, since: float) -> list[tuple[bool, float]]:
    """Return a line's finished intervals since a time, as (is on, milliseconds)."""
    own_changes = [change for change in changes if change.line == line and change.t >= since]
    return [(a.on, (b.t - a.t) * 1000) for a, b in pairwise(own_changes)]


def follows_rhythm(intervals: Sequence[tuple[bool, float]], rhythm: Sequence[int], slack_ms: float) -> bool:
    """Whether intervals follow a rhythm (milliseconds on, off, on, off …), starting anywhere in it.

    >>> follows_rhythm([(True, 600), (False, 401), (True, 599)], (600, 400), 5)
    True
    >>> follows_rhythm([(False, 600), (True, 400)], (600, 400), 5)
    False
    """
    if not intervals or len(rhythm) % 2:
        return False
    starts = range(0 if intervals[0][0] else 1, len(rhythm), 2)
    return any(
        all(
            abs(length - rhythm[(start + place) % len(rhythm)]) <= slack_ms
            for place, (_, length) in enumerate(intervals)
        )
        for start in starts
    )


def contains_cue(intervals: Sequence[tuple[bool, float]], cue: Sequence[int], slack_ms: float) -> bool:
    """Whether the intervals contain a complete cue (milliseconds on, off, on …).

    >>> contains_cue([(False, 60), (True, 90), (False, 120), (True, 91)], (90, 120, 90), 5)
    True
    >>> contains_cue([(True, 90), (False, 120)], (90, 120, 90), 5)
    False
    """
    return any(
        intervals[start][0]
        and all(
            abs(length - part) <= slack_ms
            for (_, length), part in zip(intervals[start : start + len(cue)], cue, strict=True)
        )
        for start in range(len(intervals) - len(cue) + 1)
    )


def interval_text(intervals: Sequence[tuple[bool, float]]) -> str:
    """Return intervals as text, for failure messages.

    >>> interval_text([(True, 600.0), (False, 400.04)])
    'on 600, off 400 ms'
    """
    if not intervals:
        return "no change at all"
    return ", ".join(f"{'on' if on else 'off'} {length:.0f}" for on, length in intervals) + " ms"
