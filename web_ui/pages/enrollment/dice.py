"""``/setup/dice`` and ``/api/v1/enroll``: enrollment of the owner's dice. Dealers only."""

from collections.abc import Callable

from flask import Blueprint, Response, current_app, jsonify, render_template
from werkzeug.wrappers import Response as AnyResponse

from companion.kernel.errors import TableError
from companion.kernel.messages import message
from companion.objects.dice import DIE_WORDS
from companion.plugins.perception import DiePerception
from companion.tracking.dice.enrollment import DieEnrollment
from web_ui.access import rights
from web_ui.game_pages import all_game_texts
from web_ui.languages import language
from web_ui.pages.api import json_body, text_of, text_or_none
from web_ui.pages.for_dealer import back_end, dealer_api, dealer_page, tell_dealer
from web_ui.problems import BadRequest, problem
from web_ui.strings import catalogue

page = Blueprint("dice", __name__)
blueprint = dealer_api("enroll_api", "/api/v1/enroll")


@page.get("/setup/dice")
@dealer_page
def show() -> str | AnyResponse:
    can_enroll = current_app.extensions["enrollment"] is not None
    return render_template("enroll.html", can_enroll=can_enroll, throws_die=throws_die(), kinds=kinds_named())


def kinds_named() -> dict[str, str]:
    """Return the kinds of dice that can be enrolled, with labels; a game names its own die."""
    texts = catalogue(language(), "enroll") | all_game_texts()
    return {kind: texts.get(f"die_{kind}", word) for kind, word in DIE_WORDS.items()}


def throws_die() -> bool:
    """Whether the current game reads a die in the tray."""
    plugin = rights.service().games.get(rights.service().view("dealer")["game"])
    return plugin is not None and isinstance(plugin.perception, DiePerception)


def enrollment() -> DieEnrollment:
    """Return the service behind these routes."""
    without = message("This table cannot read dice. Install the program again.")
    found: DieEnrollment = back_end("enrollment", without, "cannot-enroll")
    return found


@blueprint.get("")
def state() -> Response:
    return jsonify(enrollment().state())


@blueprint.post("")
def begin() -> Response:
    return jsonify(enrollment().begin(text_of("name"), text_of("kind"), replace=replaces()))


def replaces() -> bool:
    """Return whether the request replaces an existing enrollment of this name."""
    replace = json_body().get("replace", False)
    if not isinstance(replace, bool):
        raise BadRequest('"replace" is true or false.')
    return replace


@blueprint.post("/look")
def look() -> Response:
    return jsonify(enrollment().inspect())


@blueprint.post("/take")
def take() -> Response:
    face = text_of("face")
    return taken(lambda: enrollment().take(face))


def taken(take: Callable[[], object]) -> Response:
    """Return the result of capturing an image; also for one that was rejected."""
    try:
        return jsonify(take())
    except TableError as error:
        picture = getattr(error, "picture", None)
        return problem(409, error.code, error.message, **({} if picture is None else {"picture": picture}))


@blueprint.post("/undo")
def undo() -> Response:
    face = text_or_none("face", 'A face is named, as in {"face": "17"}, or left out for the last one.')
    return jsonify(enrollment().undo(face))


@blueprint.post("/cancel")
def cancel() -> Response:
    return jsonify(enrollment().cancel())


@blueprint.post("/finish")
def finish() -> Response:
    before = enrollment().state()["enrollment"]
    done = enrollment().finish()
    if before is not None:
        tell_dealer(message("The die {name} was learnt", name=before["name"]))
    return jsonify(done)


@blueprint.post("/forget")
def forget() -> Response:
    name = text_of("name")
    done = enrollment().forget(name)
    tell_dealer(message("The die {name} was forgotten", name=name))
    return jsonify(done)
