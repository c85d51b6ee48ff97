"""The schedule of a casino night: which game begins when. It only reminds the dealer; nothing changes automatically.

Entries have times of day. The first game's time is the occurrence nearest to now, and each further game follows the
one before it, past midnight too. So the same schedule serves every night, and a restart needs no stored state.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from itertools import pairwise

from typing_extensions import TypedDict

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Planned:
    """A scheduled game.

    Attributes:
        at: the time of day at which it begins; None: ``minutes`` after the previous game.
    """

    game: str
    at: time | None = None
    minutes: int = 0


class PlannedJson(TypedDict):
    """A scheduled game."""

    place: int
    "Index in the schedule, from 0."
    game: str
    at: str
    "HH:MM, local time."


class NightJson(TypedDict):
    """The schedule and its current state."""

    plan: list[PlannedJson]
    next: PlannedJson | None
    "The first game whose time is still to come."
    due: PlannedJson | None
    "The game whose time has come, while another that began earlier is still being played."


def times(plan: Sequence[Planned], now: datetime) -> tuple[datetime, ...]:
    """Return the start time of each game, for the night nearest to ``now``.

    >>> at = [Planned("a", time(20)), Planned("b", minutes=90), Planned("c", time(0, 30))]
    >>> [one.strftime("%d %H:%M") for one in times(at, datetime(2026, 5, 2, 23, 50))]
    ['02 20:00', '02 21:30', '03 00:30']
    >>> [one.strftime("%d %H:%M") for one in times(at, datetime(2026, 5, 3, 0, 10))]
    ['02 20:00', '02 21:30', '03 00:30']
    """
    found: list[datetime] = []
    for one in plan:
        if one.at is None:
            found.append((found[-1] if found else now) + timedelta(minutes=one.minutes))
        elif not found:
            found.append(_nearest(one.at, now))
        else:
            found.append(_first_after(one.at, found[-1]))
    return tuple(found)


def _nearest(at: time, now: datetime) -> datetime:
    today = datetime.combine(now.date(), at)
    return min((today - _DAY, today, today + _DAY), key=lambda one: abs(one - now))


def _first_after(at: time, before: datetime) -> datetime:
    same_day = datetime.combine(before.date(), at)
    return same_day if same_day >= before else same_day + _DAY


def shown(plan: Sequence[Planned], now: datetime, game: str, began: datetime) -> NightJson | None:
    """Return the schedule for the pages; None for an empty one.

    Args:
        now: local time, without a time zone.
        game: the game being played.
        began: local time at which it began.

    >>> plan = [Planned("a", time(20)), Planned("b", time(21, 30))]
    >>> evening = datetime(2026, 5, 2)
    >>> shown(plan, evening.replace(hour=21), "a", evening.replace(hour=19))["next"]
    {'place': 1, 'game': 'b', 'at': '21:30'}
    >>> shown(plan, evening.replace(hour=22), "a", evening.replace(hour=19))["due"]
    {'place': 1, 'game': 'b', 'at': '21:30'}
    >>> shown(plan, evening.replace(hour=23), "c", evening.replace(hour=22))["due"]
    """
    if not plan:
        return None
    begins = times(plan, now)
    rows: list[PlannedJson] = [
        {"place": place, "game": one.game, "at": at.strftime("%H:%M")}
        for place, (one, at) in enumerate(zip(plan, begins, strict=True))
    ]
    passed = [place for place, at in enumerate(begins) if at <= now]
    latest = passed[-1] if passed else None
    is_due = latest is not None and rows[latest]["game"] != game and began < begins[latest]
    following = len(passed)
    return {
        "plan": rows,
        "next": rows[following] if following < len(rows) else None,
        "due": rows[latest] if latest is not None and is_due else None,
    }


def is_in_order(plan: Sequence[Planned]) -> bool:
    """Whether a schedule fits into one night: less than a day from its first game to its last.

    >>> is_in_order([Planned("a", time(20)), Planned("b", time(1))])
    True
    >>> is_in_order([Planned("a", time(20)), Planned("b", time(1)), Planned("c", time(21))])
    False
    """
    begins = times(plan, datetime(2000, 1, 1, 12))
    steps = [later - earlier for earlier, later in pairwise(begins)]
    return sum(steps, timedelta()) < _DAY
