"""What the pages over evenings are made from, and the page to wait on while the journal is read for it."""

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
"""So long a page waits for the journal to be read."""


def standings() -> Standings:
    """Return what everybody had, and has."""
    found: Standings = current_app.extensions["standings"]
    return found


def bet_book() -> BetBook:
    """Return every decided bet."""
    found: BetBook = current_app.extensions["bet_book"]
    return found


def reading() -> str | None:
    """Return the page that says how far the journal is read, if that takes longer than somebody likes to wait."""
    if caught_up(standings(), bet_book(), PATIENCE_S):
        return None
    read = min(standings().seq, bet_book().seq)
    return render_template("reading.html", read=read, of=service().view("room")["seq"])


def evenings() -> tuple[Evening, ...]:
    """Return all evenings as sessions make them."""
    return standings().evenings()


def days() -> tuple[GameDay, ...]:
    """Return all days at the table, by the clock of the place where it stands."""
    return game_days(evenings())


def asked_season() -> Season:
    """Return the season that the address names; all there is if it names none.

    Raises:
        BadRequest: there is no such season.
    """
    try:
        return Season.named(request.args.get("season", "").strip()[:12])
    except BadScript as error:
        raise BadRequest(error.message) from error
