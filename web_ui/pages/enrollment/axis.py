"""``/setup/axis`` and ``/api/v1/setup/axis``: calibration of the camera's angle to the dice tray. Dealers only."""

from flask import Blueprint, Response, current_app, jsonify, render_template
from werkzeug.wrappers import Response as AnyResponse

from companion.app.setup.tray_axis import TrayAxis
from companion.kernel.messages import message
from web_ui.pages.api import json_body, text_of
from web_ui.pages.enrollment.dice import kinds_named, taken, throws_die
from web_ui.pages.for_dealer import back_end, dealer_api, dealer_page, tell_dealer
from web_ui.problems import BadRequest

page = Blueprint("axis", __name__)
blueprint = dealer_api("axis_api", "/api/v1/setup/axis")


@page.get("/setup/axis")
@dealer_page
def show() -> str | AnyResponse:
    can_enroll = current_app.extensions["tray_axis"] is not None
    return render_template("axis.html", can_enroll=can_enroll, throws_die=throws_die(), kinds=kinds_named())


def tray_axis() -> TrayAxis:
    """Return the service behind these routes."""
    without = message("This table cannot read dice. Install the program again.")
    found: TrayAxis = back_end("tray_axis", without, "cannot-enroll")
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
    if "place" in body or (number is not None and type(number) is not int):  # positions shift when one is removed
        raise BadRequest('A picture is named by its number, as in {"number": 2}, or left out for the last one.')
    return jsonify(tray_axis().undo(number))


@blueprint.post("/cancel")
def cancel() -> Response:
    return jsonify(tray_axis().cancel())


@blueprint.post("/keep")
def keep() -> Response:
    done = tray_axis().keep()
    tell_dealer(done["now"]["text"])
    return jsonify(done)


@blueprint.post("/straight")
def straight() -> Response:
    done = tray_axis().straight()
    tell_dealer(done["now"]["text"])
    return jsonify(done)


@blueprint.post("/clear")
def clear() -> Response:
    done = tray_axis().clear()
    tell_dealer(message("It is no longer set how the camera looks at the tray."))
    return jsonify(done)


@blueprint.post("/view")
def view() -> Response:
    body = json_body()
    if "view" not in body:
        raise BadRequest('The angle of view is in degrees, as in {"view": 66}; null takes it out.')
    done = tray_axis().set_view(body["view"])
    tell_dealer(done["now"]["view_text"])
    return jsonify(done)
