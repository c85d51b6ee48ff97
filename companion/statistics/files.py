"""The statistics of a season as files, for the pages and the command line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from companion.journal.history.export import as_csv, as_json
from companion.plugins.registry import Games
from companion.statistics.bet_book import BetBook, SessionBets, rounds_on
from companion.statistics.bgstats import plays
from companion.statistics.league import GameDay, Season, game_days, league
from companion.statistics.standings import Source, Standings
from companion.statistics.tables import (
    BET_COLUMNS,
    EVENING_COLUMNS,
    LEAGUE_COLUMNS,
    Row,
    bet_rows,
    evening_rows,
    league_rows,
)

COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "league": LEAGUE_COLUMNS,
    "evenings": EVENING_COLUMNS,
    "bets": BET_COLUMNS,
}
BGSTATS: Final = "bgstats"
"""Plays for BG Stats, which has JSON alone."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What a season's files are made from."""

    days: tuple[GameDay, ...]
    sessions: tuple[SessionBets, ...]
    titles: Mapping[str, str]
    "What the games are called."

    def of(self, season: Season) -> Figures:
        """Return those of a season alone."""
        days = tuple(day for day in self.days if season.has(day.date))
        dates = {day.date for day in days}
        return replace(
            self,
            days=days,
            sessions=tuple(replace(one, rounds=tuple(rounds_on([one], dates))) for one in self.sessions),
        )

    def rows(self, what: str) -> Iterable[Row]:
        """Return the rows of a file, by its name in `COLUMNS`, or the plays for `BGSTATS`."""
        if what == "league":
            return league_rows(league(self.days))
        if what == "evenings":
            return evening_rows(self.days)
        if what == "bets":
            return bet_rows(self.sessions)
        return [dict(play) for day in self.days for play in plays(day, self.titles)]


def figures(source: Source) -> Figures:
    """Return the figures of a whole journal."""
    days = game_days(Standings(source).evenings())
    return Figures(days, BetBook(source).sessions(), titles_of(source.games))


def titles_of(games: Games) -> dict[str, str]:
    """Return what the games are called."""
    return {name: plugin.title for name, plugin in games.items()}


def written(found: Figures, what: str, kind: str) -> Iterator[str]:
    """Yield the pieces of a file: CSV, or one JSON list."""
    rows = found.rows(what)
    return as_csv(rows, COLUMNS[what]) if kind == "csv" else as_json(rows)
