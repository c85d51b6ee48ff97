"""Statistics of a season as files, for pages and the command line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from companion.journal.history.export import as_csv, as_json
from companion.plugins.registry import Games
from companion.statistics.bet_book import BetBook, SessionBets, rounds_on
from companion.statistics.bgstats import plays
from companion.statistics.league import GameDay, Place, Season, game_days, league
from companion.statistics.standings import Source, Standings

Row = Mapping[str, object]

COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "league": ("place", "player", "points", "won", "evenings", "firsts", "best", "worst"),
    "evenings": ("date", "player", "won", "points", "games", "hands", "begun", "ended"),
    "bets": ("session", "game", "seq", "at", "player", "on", "amount", "net", "expected", "deviation"),
}
BGSTATS: Final = "bgstats"
"""Plays for BG Stats, as JSON only."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Data for a season's files."""

    days: tuple[GameDay, ...]
    sessions: tuple[SessionBets, ...]
    titles: Mapping[str, str]
    "Game -> title."

    def of(self, season: Season) -> Figures:
        """Return the data of one season."""
        days = tuple(day for day in self.days if season.has(day.date))
        dates = {day.date for day in days}
        return replace(
            self,
            days=days,
            sessions=tuple(replace(one, rounds=tuple(rounds_on([one], dates))) for one in self.sessions),
        )

    def rows(self, what: str) -> Iterable[Row]:
        """Return the rows of a file by its name in `COLUMNS`, or the plays for `BGSTATS`."""
        if what == "league":
            return league_rows(league(self.days))
        if what == "evenings":
            return evening_rows(self.days)
        if what == "bets":
            return bet_rows(self.sessions)
        return [dict(play) for day in self.days for play in plays(day, self.titles)]


def figures(source: Source) -> Figures:
    """Return the data of a whole journal."""
    days = game_days(Standings(source).evenings())
    return Figures(days, BetBook(source).sessions(), titles_of(source.games))


def titles_of(games: Games) -> dict[str, str]:
    """Return game -> title."""
    return {name: plugin.title for name, plugin in games.items()}


def written(found: Figures, what: str, kind: str) -> Iterator[str]:
    """Yield the parts of a file: CSV, or one JSON list."""
    rows = found.rows(what)
    return as_csv(rows, COLUMNS[what]) if kind == "csv" else as_json(rows)


def evening_rows(days: Iterable[GameDay]) -> Iterator[Row]:
    """Yield a row per player and evening."""
    for day in days:
        about = {"date": day.date.isoformat(), "games": list(day.games), "hands": day.hands}
        for name, coins in day.results.items():
            points = float(day.points[name])
            yield {**about, "player": name, "won": coins, "points": points, "begun": day.first, "ended": day.last}


def league_rows(places: Iterable[Place]) -> Iterator[Row]:
    """Yield a row per place."""
    for place in places:
        one = place.record
        yield {
            "place": place.place, "player": one.name, "points": float(one.points), "won": one.won,
            "evenings": len(one.days), "firsts": one.firsts, "best": one.best, "worst": one.worst,
        }  # fmt: skip


def bet_rows(sessions: Iterable[SessionBets]) -> Iterator[Row]:
    """Yield a row per decided bet; expectations are empty without exact odds."""
    for session in sessions:
        for one in session.rounds:
            about = {"session": session.session, "game": session.game, "seq": one.seq, "at": one.at}
            for bet in one.bets:
                known = bet.mean is not None
                yield {
                    **about, "player": bet.player, "on": bet.on, "amount": bet.amount, "net": bet.net,
                    "expected": float(bet.mean) if bet.mean is not None else None,
                    "deviation": bet.deviation if known else None,
                }  # fmt: skip
