"""``/seat/N/push``: a phone subscribes to notifications or unsubscribes."""

from flask import Blueprint, Response, abort, current_app, jsonify

from companion.kernel.errors import BadScript
from web_ui.access import rights
from web_ui.languages import language
from web_ui.pages.api import json_body
from web_ui.problems import BadRequest
from web_ui.push.sender import Notifier
from web_ui.push.subscriptions import checked

blueprint = Blueprint("push", __name__, url_prefix="/seat/<int:seat>/push")


def notifier() -> Notifier | None:
    """Return the push notifier; None if push is disabled."""
    found: Notifier | None = current_app.extensions["notifier"]
    return found


@blueprint.post("")
def begin(seat: int) -> Response:
    player, body = rights.need_seat(seat).player, json_body()
    found = notifier() or abort(404)
    try:
        one = checked(body.get("endpoint"), body.get("public"), body.get("secret"), player or "", language())
    except BadScript as error:
        raise BadRequest(error.message) from error
    found.subscriptions.add(one)
    return jsonify(told=True)


@blueprint.post("/end")
def end(seat: int) -> Response:
    rights.need_seat(seat)
    found, endpoint = notifier() or abort(404), json_body().get("endpoint")
    if not isinstance(endpoint, str):
        raise BadRequest("Name the endpoint that is to be told no more.")
    found.subscriptions.drop(endpoint)
    return jsonify(told=False)
