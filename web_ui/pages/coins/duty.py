"""``/api/v1/duty``: who is on duty at this table of a house; dealers sign on and off. For the dealer's page alone."""

from __future__ import annotations

from flask import Blueprint, Response, current_app, jsonify

from companion.kernel.messages import message
from web_ui.access import rights
from web_ui.pages.api import json_body
from web_ui.problems import BadRequest
from web_ui.protocols import Duty

blueprint = Blueprint("duty", __name__, url_prefix="/api/v1/duty")


@blueprint.before_request
def only_the_dealer() -> None:
    rights.need_dealer()


def duty() -> Duty:
    """Return the back end."""
    found: Duty | None = current_app.extensions["duty"]
    if found is None:
        text = message("This table has joined no floor, so nobody signs on. See `companion join`.")
        raise BadRequest(text, code="no-floor", status=404)
    return found


@blueprint.get("")
def show() -> Response:
    return jsonify(duty().duty())


@blueprint.post("")
def sign() -> Response:
    """Sign somebody on in place of whoever is on duty; null: nobody is."""
    told = json_body()
    dealer, pin = told.get("dealer"), told.get("pin", "")
    if "dealer" not in told or not (dealer is None or isinstance(dealer, str)) or not isinstance(pin, str):
        raise BadRequest('This is {"dealer": "Dan", "pin": "1234"}, or {"dealer": null} to sign off.')
    return jsonify(duty().sign(dealer, pin))
