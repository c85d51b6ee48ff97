"""``/api/v1/duty``: dealer sign-on at a table of a house. For the dealer's page only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Response, jsonify

from companion.kernel.messages import message
from web_ui.pages.api import json_body
from web_ui.pages.for_dealer import back_end, dealer_api
from web_ui.problems import BadRequest

if TYPE_CHECKING:
    from companion.app.floor.desk.directives import DirectiveFollower

blueprint = dealer_api("duty", "/api/v1/duty")


def duty() -> DirectiveFollower:
    """Return the service behind these routes."""
    without = message("This table has joined no floor, so nobody signs on. See `companion join`.")
    found: DirectiveFollower = back_end("duty", without, "no-floor")
    return found


@blueprint.get("")
def show() -> Response:
    return jsonify(duty().duty())


@blueprint.post("")
def sign() -> Response:
    """Sign a dealer on, ending the current shift; null only ends it."""
    told = json_body()
    dealer, pin = told.get("dealer"), told.get("pin", "")
    if "dealer" not in told or not (dealer is None or isinstance(dealer, str)) or not isinstance(pin, str):
        raise BadRequest('This is {"dealer": "Dan", "pin": "1234"}, or {"dealer": null} to sign off.')
    return jsonify(duty().sign(dealer, pin))
