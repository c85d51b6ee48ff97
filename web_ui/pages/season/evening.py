"""``/evenings/DAY``: an evening's results, also as a picture to share."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from flask import Blueprint, Response, abort, current_app, render_template

from companion.statistics.bgstats import link_to, plays
from companion.statistics.league import GameDay, day_of, league
from companion.statistics.standings import Point
from web_ui.figures import local_day, local_time, signed
from web_ui.game_pages import game_title
from web_ui.languages import language
from web_ui.pages.history.hands import thinned
from web_ui.pages.season.books import days, evenings, reading
from web_ui.strings import text

if TYPE_CHECKING:
    from companion.statistics.picture import EveningCard

MAX_POINTS: Final = 200
"""Maximum number of hands in the picture's chart."""
PICTURES_KEPT: Final = 8

blueprint = Blueprint("evening", __name__, url_prefix="/evenings")


@blueprint.get("/<day>")
def show(day: str) -> str:
    waiting = reading()
    if waiting is not None:
        return waiting
    found = _found(day)
    titles = {game: game_title(game) for game in found.games}
    return render_template(
        "evening.html",
        day=found,
        games=", ".join(titles.values()),
        places=league([found]),
        plays=[(play["game"]["name"], link_to(play)) for play in plays(found, titles)],
    )


@blueprint.get("/<day>.png")
def picture(day: str) -> Response:
    found = _found(day)
    headers = {"Content-Disposition": f'inline; filename="evening-{found.date.isoformat()}.png"'}
    return Response(_drawn(found), mimetype="image/png", headers=headers)


def _drawn(day: GameDay) -> bytes:
    """Return the picture, cached by content and language.

    Drawing is slow, so only one picture is drawn at a time, and concurrent requests for it share the result: otherwise
    drawing could delay the dealer's commands.
    """
    from companion.statistics.picture import evening_png  # the drawing code is loaded on first use

    drawn: dict[tuple[object, ...], bytes] = current_app.extensions.setdefault("evening_pictures", {})
    drawing: threading.Lock = current_app.extensions.setdefault("evening_drawing", threading.Lock())
    results = tuple(day.results.items())
    key = day.date, language(), local_time(day.last, "clock"), day.hands, day.house, results
    with drawing:
        if key not in drawn:
            while len(drawn) >= PICTURES_KEPT:
                drawn.pop(next(iter(drawn)))
            drawn[key] = evening_png(_card(day))
        return drawn[key]


def _found(day: str) -> GameDay:
    return next((one for one in days() if one.date.isoformat() == day), None) or abort(404)


def _card(day: GameDay) -> EveningCard:
    from companion.statistics.picture import EveningCard, Row

    spoken = language()
    points = thinned(_points(day), MAX_POINTS)
    places = league([day])
    times = f"{local_time(day.first, 'clock')}–{local_time(day.last, 'clock')}"
    house = [f"{text('house', spoken)} {signed(day.house)}"] if day.house else []
    return EveningCard(
        title=local_day(day.date),
        about=", ".join(game_title(game) for game in day.games),
        rows=[Row(one.place, one.record.name, signed(one.record.won), one.record.won) for one in places],
        lines={place.record.name: [point.coins.get(place.record.name) for point in points] for place in places},
        chart=text("chart_coins", spoken),
        foot=" · ".join([times, text("day_hands", spoken, count=day.hands), *house, text("app", spoken)]),
        more=text("day_more", spoken, count=len(places)),
    )


def _points(day: GameDay) -> list[Point]:
    """Return the coins after each hand of the day."""
    return [point for evening in evenings() for point in evening.points if day_of(point.at) == day.date]
