"""The tables' API, continued: prices, deck register, dealer sign-on, evidence."""

from dataclasses import asdict

from flask import Blueprint, Response, current_app, jsonify, request

from companion.floor.desk.disputes import MAX_BYTES
from companion.floor.errors import FloorError
from web_ui.floor.login_limiter import LoginLimiter
from web_ui.floor.table_api import house, request_json, requesting_table, value_of

blueprint = Blueprint("table_desk", __name__, url_prefix="/floor/v1")


@blueprint.get("/prices")
def prices() -> Response:
    """Return the table's price list."""
    found = house().prices.list_for(requesting_table().name)
    return jsonify(list={game: asdict(one) for game, one in found.items()})


@blueprint.post("/decks")
def decks() -> Response:
    """Register the table's decks and return those of the whole house."""
    who, told = requesting_table(), request_json()
    house().decks.register(who.table_id, value_of(told, "decks", list))
    return jsonify(version=house().decks.version, decks=[one.to_json() for one in house().decks.all()])


@blueprint.post("/strangers")
def stranger() -> Response:
    """Report a card that the table does not know; the response says if nobody in the house has such a deck."""
    return jsonify(worth=house().decks.report(requesting_table().table_id, value_of(request_json(), "code", str)))


@blueprint.post("/cards-held")
def cards_held() -> Response:
    """Receive the table's verdicts on cards of its own decks."""
    who, told = requesting_table(), request_json()
    for name, is_genuine in value_of(told, "cards", dict).items():
        house().decks.answer(who.table_id, str(name), is_genuine=is_genuine is True)
    return jsonify(done=True)


@blueprint.get("/dealers")
def dealers() -> Response:
    """List who may sign on at a table."""
    requesting_table()
    return jsonify(dealers=house().duty.dealers())


@blueprint.post("/dealers")
def check_dealer() -> Response:
    """Return whether a PIN belongs to somebody who may deal."""
    who, told = requesting_table(), request_json()
    guesses: LoginLimiter = current_app.extensions["guesses"]
    name, pin = value_of(told, "dealer", str), value_of(told, "pin", str)
    guesses.know(who.fingerprint)
    is_dealers = name in house().duty.dealers()
    if not guesses.is_right(who.fingerprint, name[:40], lambda: is_dealers and house().is_pin(name, pin[:20])):
        raise FloorError.coded("bad-pin", "Name or PIN is wrong.")
    return jsonify(dealer=name)


@blueprint.post("/evidence")
def evidence() -> Response:
    """Receive evidence that the pit has requested."""
    who = requesting_table()
    request.max_content_length = MAX_BYTES
    told = request_json()
    house().disputes.take(who.table_id, value_of(told, "name", str), told.get("dossier"))
    return jsonify(done=True)
