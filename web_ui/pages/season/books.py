"""Data sources of the statistics pages, and the waiting page while the journal is being read."""

from typing import Final

from flask import current_app, render_template, request

from companion.kernel.errors import BadScript
from companion.statistics.bet_book import BetBook
from companion.statistics.league import GameDay, Season, game_days
from companion.statistics.standings import Evening, Standings
from web_ui.access.rights import service
from web_ui.history_prefetch import caught_up
from web_ui.problems import BadRequest

PATIENCE_S: Final = 0.3
"""How long a page waits for the journal to be read."""


def standings() -> Standings:
    """Return the players' balances over time."""
    found: Standings = current_app.extensions["standings"]
    return found


def bet_book() -> BetBook:
    """Return the decided bets."""
    found: BetBook = current_app.extensions["bet_book"]
    return found


def reading() -> str | None:
    """Return the waiting page with the progress, or None if the journal is read within `PATIENCE_S`."""
    if caught_up(standings(), bet_book(), PATIENCE_S):
        return None
    read = min(standings().seq, bet_book().seq)
    return render_template("reading.html", read=read, of=service().view("room")["seq"])


def evenings() -> tuple[Evening, ...]:
    """Return all evenings, made up of sessions."""
    return standings().evenings()


def days() -> tuple[GameDay, ...]:
    """Return all days at the table, in its time zone."""
    return game_days(evenings())


def asked_season() -> Season:
    """Return the season in the query; by default all time.

    Raises:
        BadRequest: an invalid season.
    """
    try:
        return Season.named(request.args.get("season", "").strip()[:12])
    except BadScript as error:
        raise BadRequest(error.message) from error
