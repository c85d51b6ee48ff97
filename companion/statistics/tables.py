"""The statistics as tables for spreadsheets and programs."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from companion.statistics.bet_book import SessionBets
from companion.statistics.league import GameDay, Place

Row = Mapping[str, object]

EVENING_COLUMNS: Final = ("date", "player", "won", "points", "games", "hands", "begun", "ended")
LEAGUE_COLUMNS: Final = ("place", "player", "points", "won", "evenings", "firsts", "best", "worst")
BET_COLUMNS: Final = ("session", "game", "seq", "at", "player", "on", "amount", "net", "expected", "deviation")


def evening_rows(days: Iterable[GameDay]) -> Iterator[Row]:
    """Yield a row for each player and evening."""
    for day in days:
        about = {"date": day.date.isoformat(), "games": list(day.games), "hands": day.hands}
        for name, coins in day.results.items():
            points = float(day.points[name])
            yield {**about, "player": name, "won": coins, "points": points, "begun": day.first, "ended": day.last}


def league_rows(places: Iterable[Place]) -> Iterator[Row]:
    """Yield a row for each place."""
    for place in places:
        one = place.record
        yield {
            "place": place.place, "player": one.name, "points": float(one.points), "won": one.won,
            "evenings": len(one.days), "firsts": one.firsts, "best": one.best, "worst": one.worst,
        }  # fmt: skip


def bet_rows(sessions: Iterable[SessionBets]) -> Iterator[Row]:
    """Yield a row for each decided bet; without exact odds nothing was expected of it."""
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
