"""``/api/v1/setup``: the API of the set-up page, for the dealer only."""

from flask import Response, jsonify

from companion.app.setup.service import TableSetup
from companion.app.setup.shapes import Setup
from companion.kernel.messages import message
from companion.odds.exposure import TableLimits
from web_ui.game_pages import spot_words
from web_ui.languages import language
from web_ui.openapi.shapes import LimitsWorded
from web_ui.pages.api import json_body, text_of, text_or_none
from web_ui.pages.for_dealer import back_end, dealer_api, tell_dealer
from web_ui.pages.sheets.asked import sheets
from web_ui.problems import BadRequest
from web_ui.strings import LANGUAGES, text

blueprint = dealer_api("setup_api", "/api/v1/setup")


def table_setup() -> TableSetup:
    """Return the page's back end."""
    without = message("This table cannot be set up from here. Edit its configuration.")
    found: TableSetup = back_end("table_setup", without, "no-setup")
    return found


@blueprint.get("")
def state() -> Response:
    setup = table_setup()
    answer: Setup = {
        "settings": setup.settings(),
        "games": setup.games(),
        "decks": setup.decks(),
        "deck_kinds": setup.deck_kinds(),
        "cameras": setup.cameras(),
        "panel": setup.panel_state(),
        "steps": setup.steps(),
    }
    return jsonify(answer)


@blueprint.post("/settings")
def save() -> Response:
    changes = json_body().get("changes")
    if not isinstance(changes, dict) or not changes:
        raise BadRequest('Settings are {"changes": {"table.min": 5}}.')
    saved = table_setup().save(changes)
    tell_dealer(message("Settings were changed: {keys}", keys=", ".join(sorted(changes))))
    return jsonify(saved)


@blueprint.post("/edges")
def edges() -> Response:
    body = json_body()
    options = body.get("options", {})
    if not isinstance(options, dict):
        raise BadRequest('Edges are asked for as {"game": "…", "options": {"deck": "red"}}.')
    return jsonify(table_setup().edges(text_of("game"), options))


@blueprint.post("/limits")
def limits() -> Response:
    changes = json_body().get("changes", {})
    if not isinstance(changes, dict):
        raise BadRequest('Limits are asked for as {"changes": {"table.bank": 2000}}.')
    found = table_setup().limits(changes)
    game = str(changes.get("table.game", table_setup().settings()["values"]["table.game"]))
    answer: LimitsWorded = {**found, "spots": _spots_named(found["limits"], game)}
    return jsonify(answer)


def _spots_named(limits: TableLimits | None, game: str) -> dict[str, str]:
    """Return spot -> words for the spots in the limits."""
    if limits is None:
        return {}
    one_bet = [limits["one_bet"]["on"]] if limits["one_bet"] else []
    return {on: spot_words(game, on) for on in (*limits["closed"], *one_bet)}


@blueprint.post("/decks")
def new_deck() -> Response:
    return jsonify(table_setup().new_deck(text_of("kind"), text_of("name", "")))


@blueprint.get("/sheets/<what>.pdf")
def sheet(what: str) -> Response:
    return sheets(table_setup(), what)


@blueprint.post("/camera")
def look() -> Response:
    return jsonify(table_setup().view_camera(text_of("source")))


@blueprint.post("/card")
def card() -> Response:
    return jsonify(table_setup().show_card())


@blueprint.get("/check")
def checking() -> Response:
    return jsonify(table_setup().deck_trial.state())


@blueprint.post("/check")
def begin_check() -> Response:
    decks = json_body().get("decks")
    if not isinstance(decks, list) or not all(isinstance(deck, str) for deck in decks):
        raise BadRequest('Decks are named by their ids, as in {"decks": ["K7QX"]}.')
    return jsonify(table_setup().deck_trial.begin(decks))


@blueprint.post("/check/look")
def check_once() -> Response:
    return jsonify(table_setup().deck_trial.look())


@blueprint.post("/check/end")
def end_check() -> Response:
    return jsonify(table_setup().deck_trial.end())


@blueprint.post("/mat")
def calibrate() -> Response:
    mat = text_or_none("mat", 'A mat is named, as in {"mat": "…"}, or left out.')
    return jsonify(table_setup().calibrate(mat))


@blueprint.post("/panel")
def panel() -> Response:
    if json_body().get("test") is False:
        return jsonify(table_setup().panel_end())
    line = text_or_none("line", 'A line of the panel is named, as in {"line": "lamp/deal"}.')
    return jsonify(table_setup().panel_test(line))


@blueprint.post("/voice")
def speak() -> Response:
    wanted = json_body().get("language")
    spoken = wanted if isinstance(wanted, str) and wanted in LANGUAGES else language()
    table_setup().speak(text("voice_test", spoken), spoken)
    return jsonify(language=spoken)


@blueprint.post("/done")
def mark() -> Response:
    body = json_body()
    results, skip = body.get("results", {}), body.get("skip", False)
    if not isinstance(results, dict) or not all(isinstance(one, bool) for one in results.values()):
        raise BadRequest('Results name the parts of the panel, as in {"results": {"lamp/deal": true}}.')
    if not isinstance(skip, bool):
        raise BadRequest('A step is skipped with {"skip": true}.')
    return jsonify(steps=table_setup().mark(text_of("step"), results, skip=skip))


@blueprint.post("/restart")
def restart() -> tuple[Response, int]:
    table_setup().restart()
    return jsonify(status="starting anew"), 202


@blueprint.get("/bug-report.zip")
def bug_report() -> Response:
    head = {"Content-Disposition": 'attachment; filename="companion-bug-report.zip"'}
    return Response(table_setup().bug_report(), mimetype="application/zip", headers=head)
