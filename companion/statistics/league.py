"""The league: results and points of every evening of a season.

An evening is a game day, which ends at six in the morning, so that a table that is never closed has evenings, too.
Players get a point for everybody they finished ahead of that evening, and half a point for everybody level with them,
so the size of tables and stakes does not matter. Buy-ins and cash-outs are not part of results.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, tzinfo
from fractions import Fraction
from itertools import groupby
from typing import Final

from companion.kernel.errors import BadScript
from companion.kernel.shared.names import alike
from companion.statistics.standings import Evening, Hour

DAY_ENDS_H: Final = 6
"""Local hour at which an evening ends."""
QUARTERS: Final = ("Q1", "Q2", "Q3", "Q4")


@dataclass(frozen=True, slots=True)
class GameDay:
    """Results of one game day."""

    date: date
    games: tuple[str, ...]
    sessions: tuple[int, ...]
    hands: int
    first: str
    last: str
    "Times of the first and the last command, ISO 8601 in UTC."
    results: Mapping[str, int]
    "Player -> net gain in coins."
    house: int
    by_game: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    "Game -> player -> net gain."

    @property
    def points(self) -> dict[str, Fraction]:
        """Player -> league points."""
        return points_for(self.results)


def points_for(results: Mapping[str, int]) -> dict[str, Fraction]:
    """Return player -> points: one for everybody with a lower result, half for everybody with the same.

    >>> {name: str(points) for name, points in points_for({"Ann": 5, "Bo": 5, "Cy": -10}).items()}
    {'Ann': '3/2', 'Bo': '3/2', 'Cy': '0'}
    """
    others = list(results.values())
    return {
        name: Fraction(2 * sum(one < coins for one in others) + others.count(coins) - 1, 2)
        for name, coins in results.items()
    }


def game_days(evenings: Iterable[Evening], zone: tzinfo | None = None) -> tuple[GameDay, ...]:
    """Return all game days with decisions, oldest first.

    Args:
        zone: the table's time zone; None for the machine's.
    """
    hours = sorted(
        (hour for evening in evenings for hour in evening.hours), key=lambda hour: (hour.first, hour.session)
    )
    days = groupby(hours, key=lambda hour: day_of(hour.hour, zone))
    found = (_day(on, list(some)) for on, some in days)
    return tuple(day for day in found if day.hands)


def day_of(at: str, zone: tzinfo | None = None) -> date:
    """Return the evening to which a time in UTC belongs.

    >>> from datetime import timezone
    >>> berlin = timezone(timedelta(hours=1))
    >>> day_of("2026-03-02T04", berlin).isoformat(), day_of("2026-03-02T05", berlin).isoformat()
    ('2026-03-01', '2026-03-02')
    """
    local = datetime.fromisoformat(f"{at[:13]}:00+00:00").astimezone(zone)
    return (local - timedelta(hours=DAY_ENDS_H)).date()


def _day(on: date, hours: Sequence[Hour]) -> GameDay:
    by_game: dict[str, dict[str, int]] = {}
    names: dict[str, str] = {}  # names that differ in case only are the same player
    for hour in hours:
        sums = by_game.setdefault(hour.game, {})
        for written, coins in hour.gains.items():
            name = names.setdefault(alike(written), written)
            sums[name] = sums.get(name, 0) + coins
    results: dict[str, int] = {}
    for sums in by_game.values():
        for name, coins in sums.items():
            results[name] = results.get(name, 0) + coins
    return GameDay(
        on, tuple(by_game), tuple(dict.fromkeys(hour.session for hour in hours)), sum(hour.decided for hour in hours),
        hours[0].first, max(hour.last for hour in hours), results, sum(hour.house for hour in hours), by_game,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Season:
    """The period of a league; without bounds, all time.

    >>> Season.named("2026-Q2").begins.isoformat(), Season.named("2026").ends.isoformat()
    ('2026-04-01', '2026-12-31')
    """

    name: str = ""
    begins: date | None = None
    ends: date | None = None
    "Last day."

    @classmethod
    def named(cls, name: str) -> Season:
        """Return the season for a name: a year such as ``2026``, a quarter such as ``2026-Q2``, or empty for all time.

        Raises:
            BadScript: another name.
        """
        if not name:
            return cls()
        year, _, quarter = name.partition("-")
        if not (len(year) == 4 and year.isascii() and year.isdigit() and year > "0000") or (
            "-" in name and quarter not in QUARTERS
        ):
            raise BadScript.saying("A season is a year such as 2026 or a quarter such as 2026-Q2. Choose one of them.")
        first = 3 * QUARTERS.index(quarter) + 1 if quarter else 1
        last = first + 2 if quarter else 12
        after = date(int(year) + last // 12, last % 12 + 1, 1) if int(year) < 9999 else date.max
        return cls(name, date(int(year), first, 1), after - timedelta(days=1))

    def has(self, on: date) -> bool:
        """Whether a day belongs to the season."""
        return (self.begins is None or self.begins <= on) and (self.ends is None or on <= self.ends)


def seasons_of(days: Iterable[GameDay]) -> tuple[str, ...]:
    """Return the names of seasons with game days, latest first, quarters after their year."""
    years: dict[str, set[str]] = {}
    for day in days:
        years.setdefault(f"{day.date.year:04}", set()).add(QUARTERS[(day.date.month - 1) // 3])
    return tuple(
        name
        for year, quarters in sorted(years.items(), reverse=True)
        for name in (year, *(f"{year}-{quarter}" for quarter in sorted(quarters, reverse=True)))
    )


@dataclass(frozen=True, slots=True)
class Record:
    """A player's season."""

    name: str
    "In its latest spelling."
    days: tuple[tuple[GameDay, int], ...]
    "(Evening, net gain)."
    points: Fraction

    @property
    def won(self) -> int:
        """Total net gain."""
        return sum(coins for _, coins in self.days)

    @property
    def best(self) -> int:
        return max(coins for _, coins in self.days)

    @property
    def worst(self) -> int:
        return min(coins for _, coins in self.days)

    @property
    def firsts(self) -> int:
        """Number of evenings on which nobody had a better result."""
        return sum(coins == max(day.results.values()) for day, coins in self.days)

    @property
    def by_game(self) -> dict[str, int]:
        """Game -> net gain."""
        sums: dict[str, int] = {}
        for day, _ in self.days:
            for game, results in day.by_game.items():
                for name, coins in results.items():
                    if alike(name) == alike(self.name):
                        sums[game] = sums.get(game, 0) + coins
        return sums


@dataclass(frozen=True, slots=True)
class Place:
    """A line of the league table; players with equal points and coins share a place."""

    place: int
    record: Record


def league(days: Iterable[GameDay], season: Season = Season()) -> tuple[Place, ...]:
    """Return the league table of a season, by points, then by coins."""
    records = [*_records(day for day in days if season.has(day.date))]
    records.sort(key=lambda one: (-one.points, -one.won, alike(one.name)))
    places: list[Place] = []
    for number, record in enumerate(records, start=1):
        before = places[-1] if places else None
        level = before is not None and (before.record.points, before.record.won) == (record.points, record.won)
        places.append(Place(before.place if before is not None and level else number, record))
    return tuple(places)


def _records(days: Iterable[GameDay]) -> Iterable[Record]:
    names: dict[str, str] = {}
    played: dict[str, list[tuple[GameDay, int]]] = {}
    points: dict[str, Fraction] = {}
    for day in days:
        for name, coins in day.results.items():
            key = alike(name)
            names[key] = name
            played.setdefault(key, []).append((day, coins))
            points[key] = points.get(key, Fraction(0)) + day.points[name]
    return (Record(names[key], tuple(some), points[key]) for key, some in played.items())


def record_of(days: Iterable[GameDay], player: str, season: Season = Season()) -> Record | None:
    """Return a player's season; None if they did not play."""
    key = alike(player)
    found = (place.record for place in league(days, season) if alike(place.record.name) == key)
    return next(found, None)
