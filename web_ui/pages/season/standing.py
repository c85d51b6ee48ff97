"""``/dealer/standing``: the house's winnings from each bet, compared with the expected ones."""

from datetime import date

from flask import Blueprint, abort, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from companion.statistics.bet_book import SessionBets, rounds_on
from companion.statistics.bets import PlayedRound
from companion.statistics.league import GameDay
from companion.statistics.luck import Luck, by_spot, of_house
from web_ui.charts import error_bar
from web_ui.game_pages import game_title, luck_notes, spot_words
from web_ui.languages import language
from web_ui.pages.for_dealer import dealer_page
from web_ui.pages.season.books import bet_book, days, reading
from web_ui.strings import text

blueprint = Blueprint("standing", __name__, url_prefix="/dealer/standing")


@blueprint.get("")
@dealer_page
def show() -> str | AnyResponse:
    waiting = reading()
    if waiting is not None:
        return waiting
    all_days = days()
    wanted = _asked(all_days)
    shown = [day for day in all_days if wanted in (None, day.date)]
    sessions = tuple(one for one in bet_book().sessions() if one.has_house)
    dates = {day.date for day in shown}
    rounds = rounds_on(sessions, dates)
    whole = of_house(rounds)
    return render_template(
        "standing.html",
        days=all_days[::-1],
        wanted=wanted,
        house=sum(day.house for day in shown),
        whole=whole,
        bar=_bar(whole),
        games=[_game(one.game, rounds_on(some, dates)) for one, some in _by_game(sessions) if rounds_on(some, dates)],
        missing=[one.session for one in sessions if not one.is_whole],
        notes=luck_notes(one.game for one in sessions),
    )


def _asked(all_days: tuple[GameDay, ...]) -> date | None:
    """Return the evening in the query, by default the latest; None for all."""
    named = request.args.get("day", "")
    if named == "all" or not all_days:
        return None
    found = [day.date for day in all_days if day.date.isoformat() == named]
    if named and not found:
        abort(404)
    return found[0] if found else all_days[-1].date


def _by_game(sessions: tuple[SessionBets, ...]) -> list[tuple[SessionBets, list[SessionBets]]]:
    """Return the sessions of each game, with the first of them."""
    firsts = {one.game: one for one in reversed(sessions)}
    return [(first, [one for one in sessions if one.game == game]) for game, first in firsts.items()]


def _game(game: str, rounds: list[PlayedRound]) -> dict[str, object]:
    spots = [{"words": spot_words(game, on), "luck": luck, "bar": _bar(luck)} for on, luck in by_spot(rounds).items()]
    return {"title": game_title(game), "spots": spots, "whole": of_house(rounds)}


def _bar(luck: Luck) -> str:
    return error_bar(float(luck.expected), luck.error, luck.net, text("luck_bar", language())) if luck.bets else ""
