"""``/setup/deck`` and ``/api/v1/enroll/deck``: a house's own ordinary deck is enrolled. For the dealer alone."""

from __future__ import annotations

from flask import Blueprint, Response, current_app, jsonify, redirect, render_template, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.kernel.messages import message
from web_ui.access import rights
from web_ui.pages.api import json_body
from web_ui.pages.taught.dice import replaces, taken, text_of
from web_ui.problems import BadRequest
from web_ui.protocols import DeckEnrollment

page = Blueprint("own_deck", __name__)
blueprint = Blueprint("enroll_deck_api", __name__, url_prefix="/api/v1/enroll/deck")


@page.get("/setup/deck")
def show() -> str | AnyResponse:
    if not rights.access().has_pin:
        return redirect(url_for("setup.show"))
    if not rights.is_dealer():
        return render_template("login.html", error=None)
    return render_template("enroll_deck.html", can_enroll=current_app.extensions["deck_enrollment"] is not None)


@blueprint.before_request
def only_the_dealer() -> None:
    rights.need_dealer()


def enrollment() -> DeckEnrollment:
    """Return who teaches the table."""
    found: DeckEnrollment | None = current_app.extensions["deck_enrollment"]
    if found is None:
        why = message("This table has no camera now. Check it at /setup, then come back.")
        raise BadRequest(why, code="cannot-enroll", status=404)
    return found


@blueprint.get("")
def state() -> Response:
    return jsonify(enrollment().state())


@blueprint.post("")
def begin() -> Response:
    return jsonify(enrollment().begin(text_of("name"), replace=replaces()))


@blueprint.post("/look")
def look() -> Response:
    return jsonify(enrollment().inspect())


@blueprint.post("/take")
def take() -> Response:
    card = text_of("card")
    return taken(lambda: enrollment().take(card))


@blueprint.get("/cards/<card>.jpg")
def picture(card: str) -> Response:
    return Response(enrollment().picture(card), mimetype="image/jpeg", headers={"Cache-Control": "no-store"})


@blueprint.post("/undo")
def undo() -> Response:
    card = json_body().get("card")
    if card is not None and not isinstance(card, str):
        raise BadRequest('A card is named, as in {"card": "AS"}, or left out for the last one.')
    return jsonify(enrollment().undo(card))


@blueprint.post("/pause")
def pause() -> Response:
    return jsonify(enrollment().pause())


@blueprint.post("/discard")
def discard() -> Response:
    return jsonify(enrollment().discard())


@blueprint.post("/finish")
def finish() -> Response:
    before = enrollment().state()["enrollment"]
    done = enrollment().finish()
    if before is not None:
        notice = message("The deck {name} was learnt", name=before["name"])
        rights.service().notice(notice, source="web", private=True)
    return jsonify(done)


@blueprint.post("/forget")
def forget() -> Response:
    name = text_of("name")
    done = enrollment().forget(name)
    rights.service().notice(message("The deck {name} was forgotten", name=name), source="web", private=True)
    return jsonify(done)
