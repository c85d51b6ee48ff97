"""``/setup/axis`` and ``/api/v1/setup/axis``: how the camera looks at a die's tray. For the dealer alone."""

from __future__ import annotations

from flask import Blueprint, Response, current_app, jsonify, redirect, render_template, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.kernel.messages import message
from web_ui.access import rights
from web_ui.pages.api import json_body
from web_ui.pages.taught.dice import kinds_named, taken, text_of, throws_die
from web_ui.problems import BadRequest
from web_ui.protocols import TrayAxis

page = Blueprint("axis", __name__)
blueprint = Blueprint("axis_api", __name__, url_prefix="/api/v1/setup/axis")


@page.get("/setup/axis")
def show() -> str | AnyResponse:
    if not rights.access().has_pin:
        return redirect(url_for("setup.show"))
    if not rights.is_dealer():
        return render_template("login.html", error=None)
    can_enroll = current_app.extensions["tray_axis"] is not None
    return render_template("axis.html", can_enroll=can_enroll, throws_die=throws_die(), kinds=kinds_named())


@blueprint.before_request
def only_the_dealer() -> None:
    rights.need_dealer()


def tray_axis() -> TrayAxis:
    """Return who is told."""
    found: TrayAxis | None = current_app.extensions["tray_axis"]
    if found is None:
        why = message("This table cannot read dice. Install the program again.")
        raise BadRequest(why, code="cannot-enroll", status=404)
    return found


@blueprint.get("")
def state() -> Response:
    return jsonify(tray_axis().state())


@blueprint.post("")
def begin() -> Response:
    return jsonify(tray_axis().begin(text_of("kind")))


@blueprint.post("/look")
def look() -> Response:
    return jsonify(tray_axis().inspect())


@blueprint.post("/take")
def take() -> Response:
    face = text_of("face")
    return taken(lambda: tray_axis().take(face))


@blueprint.post("/undo")
def undo() -> Response:
    body = json_body()
    number = body.get("number")
    if "place" in body or (number is not None and type(number) is not int):  # places move when one is taken back
        raise BadRequest('A picture is named by its number, as in {"number": 2}, or left out for the last one.')
    return jsonify(tray_axis().undo(number))


@blueprint.post("/cancel")
def cancel() -> Response:
    return jsonify(tray_axis().cancel())


@blueprint.post("/keep")
def keep() -> Response:
    done = tray_axis().keep()
    _note(done["now"]["text"])
    return jsonify(done)


@blueprint.post("/straight")
def straight() -> Response:
    done = tray_axis().straight()
    _note(done["now"]["text"])
    return jsonify(done)


@blueprint.post("/clear")
def clear() -> Response:
    done = tray_axis().clear()
    _note(message("It is no longer set how the camera looks at the tray."))
    return jsonify(done)


@blueprint.post("/view")
def view() -> Response:
    body = json_body()
    if "view" not in body:
        raise BadRequest('The angle of view is in degrees, as in {"view": 66}; null takes it out.')
    done = tray_axis().set_view(body["view"])
    _note(done["now"]["view_text"])
    return jsonify(done)


def _note(text: str) -> None:
    rights.service().notice(text, source="web", private=True)
