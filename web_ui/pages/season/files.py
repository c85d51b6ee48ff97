"""``/api/v1/…``: the statistics as files, and plays for BG Stats."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from flask import Blueprint, Response

from companion.journal.history.export import as_csv, as_json
from companion.statistics.bet_book import SessionBets, rounds_on
from companion.statistics.bgstats import plays
from companion.statistics.league import GameDay, league
from companion.statistics.tables import (
    BET_COLUMNS,
    EVENING_COLUMNS,
    LEAGUE_COLUMNS,
    Row,
    bet_rows,
    evening_rows,
    league_rows,
)
from web_ui.game_pages import game_title
from web_ui.pages.season.books import asked_season, bet_book, days

TYPES: Final = {"csv": "text/csv", "json": "application/json"}

blueprint = Blueprint("season_files", __name__, url_prefix="/api/v1")


@blueprint.get("/evenings.csv", defaults={"kind": "csv"})
@blueprint.get("/evenings.json", defaults={"kind": "json"})
def evenings(kind: str) -> Response:
    return _table(evening_rows(_days()), EVENING_COLUMNS, "evenings", kind)


@blueprint.get("/league.csv", defaults={"kind": "csv"})
@blueprint.get("/league.json", defaults={"kind": "json"})
def league_table(kind: str) -> Response:
    return _table(league_rows(league(_days())), LEAGUE_COLUMNS, "league", kind)


@blueprint.get("/bets.csv", defaults={"kind": "csv"})
@blueprint.get("/bets.json", defaults={"kind": "json"})
def bets(kind: str) -> Response:
    return _table(bet_rows(_sessions()), BET_COLUMNS, "bets", kind)


@blueprint.get("/bgstats.json")
def bgstats() -> Response:
    found = [play for day in _days() for play in plays(day, {game: game_title(game) for game in day.games})]
    return _file(as_json(dict(play) for play in found), "bgstats.json", TYPES["json"])


def _days() -> list[GameDay]:
    season = asked_season()
    return [day for day in days() if season.has(day.date)]


def _sessions() -> list[SessionBets]:
    """Return the sessions with their rounds of the season."""
    dates = {day.date for day in _days()}
    return [replace(one, rounds=tuple(rounds_on([one], dates))) for one in bet_book().sessions()]


def _table(rows: Iterator[Row], columns: tuple[str, ...], name: str, kind: str) -> Response:
    pieces = as_csv(rows, columns) if kind == "csv" else as_json(rows)
    return _file(pieces, f"{name}.{kind}", TYPES[kind])


def _file(pieces: Iterator[str], name: str, mimetype: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(pieces, mimetype=mimetype, headers=headers)
