"""``/setup/deck`` and ``/api/v1/enroll/deck``: enrollment of an ordinary deck. Dealers only."""

from flask import Blueprint, Response, current_app, jsonify, render_template
from werkzeug.wrappers import Response as AnyResponse

from companion.kernel.messages import message
from companion.tracking.cards.enrollment import OwnDeckEnrollment
from web_ui.pages.api import text_of, text_or_none
from web_ui.pages.enrollment.dice import replaces, taken
from web_ui.pages.for_dealer import back_end, dealer_api, dealer_page, tell_dealer

page = Blueprint("own_deck", __name__)
blueprint = dealer_api("enroll_deck_api", "/api/v1/enroll/deck")


@page.get("/setup/deck")
@dealer_page
def show() -> str | AnyResponse:
    return render_template("enroll_deck.html", can_enroll=current_app.extensions["deck_enrollment"] is not None)


def enrollment() -> OwnDeckEnrollment:
    """Return the service behind these routes."""
    without = message("This table has no camera now. Check it at /setup, then come back.")
    found: OwnDeckEnrollment = back_end("deck_enrollment", without, "cannot-enroll")
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
    card = text_or_none("card", 'A card is named, as in {"card": "AS"}, or left out for the last one.')
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
        tell_dealer(message("The deck {name} was learnt", name=before["name"]))
    return jsonify(done)


@blueprint.post("/forget")
def forget() -> Response:
    name = text_of("name")
    done = enrollment().forget(name)
    tell_dealer(message("The deck {name} was forgotten", name=name))
    return jsonify(done)
