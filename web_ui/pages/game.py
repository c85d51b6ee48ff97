"""``/api/v1/game``: changes the game on the table, and edits the night's plan. For the dealer only."""

from typing import cast

from flask import Response, jsonify

from companion.app.game_changer import GameChanger
from companion.app.game_offers import PlanRow
from companion.kernel.messages import message
from web_ui.access import rights
from web_ui.game_pages import all_game_texts
from web_ui.languages import language
from web_ui.openapi.shapes import Offers, Plan
from web_ui.pages.api import json_body, keyed, meant_session, source_of
from web_ui.pages.for_dealer import back_end, dealer_api
from web_ui.problems import BadRequest
from web_ui.strings import Catalogue, catalogue

blueprint = dealer_api("game", "/api/v1/game")

_ROW = frozenset({"game", "at", "minutes"})


def changer() -> GameChanger:
    """Return the back end."""
    without = message("This table plays one game only. Start it with `companion run`.")
    found: GameChanger = back_end("changer", without, "no-change")
    return found


@blueprint.get("")
def offers() -> Response:
    answer: Offers = {**changer().offers(), "texts": _texts()}
    return jsonify(answer)


def _texts() -> Catalogue:
    """Return the labels of the games' settings, as on the set-up page."""
    every = catalogue(language(), "setup") | all_game_texts()
    return {key: value for key, value in every.items() if key.startswith(("key_", "val_"))}


@blueprint.post("")
def change() -> Response:
    """Change to a game with given settings, to a planned one, or back to the previous one."""
    body, key = keyed(json_body())
    game, place, changes = body.get("game"), body.get("place"), body.get("changes", {})
    source, session = source_of(rights.viewer()), meant_session()
    scoped = None if key is None else f"game:{key}"
    if body.get("back") is True:
        return jsonify(changer().change_back(session=session, source=source, key=scoped))
    if type(place) is int and isinstance(game, str | None):
        return jsonify(changer().change_as_planned(place, game, session=session, source=source, key=scoped))
    if place is not None or not isinstance(game, str) or not isinstance(changes, dict):
        raise BadRequest('A change is {"game": "…", "changes": {…}}, {"place": 1} of the plan, or {"back": true}.')
    return jsonify(changer().change(game, changes, session=session, source=source, key=scoped))


@blueprint.post("/plan")
def plan() -> Response:
    rows = json_body().get("plan")
    if not isinstance(rows, list) or not all(map(_is_row, rows)):
        raise BadRequest('A plan is {"plan": [{"game": "…", "at": "20:00"}, {"game": "…", "minutes": 60}]}.')
    answer: Plan = {"plan": changer().save_plan(cast("list[PlanRow]", rows))}
    return jsonify(answer)


def _is_row(row: object) -> bool:
    return isinstance(row, dict) and _ROW.issuperset(row) and isinstance(row.get("game"), str)
