"""``/api/v1/…``: the statistics as CSV and JSON files, and plays for BG Stats."""

from typing import Final

from flask import Blueprint, Response

from companion.statistics.files import BGSTATS, Figures, titles_of, written
from web_ui.access.rights import service
from web_ui.pages.season.books import asked_season, bet_book, days

TYPES: Final = {"csv": "text/csv", "json": "application/json"}

blueprint = Blueprint("season_files", __name__, url_prefix="/api/v1")


@blueprint.get("/evenings.csv", defaults={"kind": "csv"})
@blueprint.get("/evenings.json", defaults={"kind": "json"})
def evenings(kind: str) -> Response:
    return _file("evenings", kind)


@blueprint.get("/league.csv", defaults={"kind": "csv"})
@blueprint.get("/league.json", defaults={"kind": "json"})
def league_table(kind: str) -> Response:
    return _file("league", kind)


@blueprint.get("/bets.csv", defaults={"kind": "csv"})
@blueprint.get("/bets.json", defaults={"kind": "json"})
def bets(kind: str) -> Response:
    return _file("bets", kind)


@blueprint.get("/bgstats.json")
def bgstats() -> Response:
    return _file(BGSTATS, "json")


def _file(what: str, kind: str) -> Response:
    found = Figures(days(), bet_book().sessions(), titles_of(service().games)).of(asked_season())
    headers = {"Content-Disposition": f'attachment; filename="{what}.{kind}"'}
    return Response(written(found, what, kind), mimetype=TYPES[kind], headers=headers)
