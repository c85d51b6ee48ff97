"""``/players``: the league of a season, and every player's profile over evenings."""

from itertools import accumulate
from typing import Final

from flask import Blueprint, abort, render_template

from companion.kernel.shared.names import alike
from companion.statistics.bet_book import rounds_on
from companion.statistics.league import GameDay, Record, league, record_of, seasons_of
from companion.statistics.luck import FEW_ROUNDS, of_player
from web_ui.charts import Line, error_bar, line_chart
from web_ui.game_pages import game_title, luck_notes
from web_ui.languages import language
from web_ui.pages.season.books import asked_season, bet_book, days, reading
from web_ui.strings import text

EVENINGS_SHOWN: Final = 60

blueprint = Blueprint("players", __name__, url_prefix="/players")


@blueprint.get("")
def show() -> str:
    waiting = reading()
    if waiting is not None:
        return waiting
    all_days, season = days(), asked_season()
    shown = [day for day in all_days if season.has(day.date)]
    return render_template(
        "players.html",
        places=league(shown),
        days=[_told(day) for day in reversed(shown[-EVENINGS_SHOWN:])],
        season=season.name,
        seasons=seasons_of(all_days),
    )


def _told(day: GameDay) -> dict[str, object]:
    """Return an evening with its winners."""
    best = sorted(day.results.items(), key=lambda one: -one[1])
    return {"day": day, "best": best[:3], "games": ", ".join(game_title(game) for game in day.games)}


@blueprint.get("/<path:player>")
def profile(player: str) -> str:
    waiting = reading()
    if waiting is not None:
        return waiting
    all_days, season = days(), asked_season()
    whole = record_of(all_days, player)
    if whole is None:
        abort(404)
    shown = [day for day in all_days if season.has(day.date)]
    places = league(shown)
    place = next((one for one in places if alike(one.record.name) == alike(player)), None)
    sessions = bet_book().sessions()
    luck = of_player(rounds_on(sessions, {day.date for day in shown}), player)
    return render_template(
        "player.html",
        name=whole.name,
        place=place,
        record=place.record if place else None,
        among=len(places),
        luck=luck,
        few=FEW_ROUNDS,
        bar=error_bar(float(luck.expected), luck.error, luck.net, text("luck_bar", language())),
        chart=_chart(place.record) if place else "",
        missing=[one.session for one in sessions if not one.is_whole],
        notes=luck_notes(one.game for one in sessions),
        season=season.name,
        seasons=seasons_of(all_days),
    )


def _chart(record: Record) -> str:
    """Return the chart of the cumulative coins won after each evening."""
    won = tuple(accumulate((coins for _, coins in record.days), initial=0))
    name, spoken = record.name, language()
    return line_chart([Line(name, 1, won)], text("chart_won", spoken), text("chart_evenings", spoken))
