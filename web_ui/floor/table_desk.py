"""What a table asks and tells beside its entries: prices, decks, who is on duty, evidence that the pit asked for."""

from dataclasses import asdict

from flask import Blueprint, Response, current_app, jsonify, request

from companion.floor.desk.disputes import MOST_BYTES
from companion.floor.errors import FloorError
from web_ui.floor.guesses import Guesses
from web_ui.floor.machines import asked_by, house, told_json, value_of

blueprint = Blueprint("table_desk", __name__, url_prefix="/floor/v1")


@blueprint.get("/prices")
def prices() -> Response:
    """Return the price list of the table that asks."""
    found = house().prices.list_for(asked_by().name)
    return jsonify(list={game: asdict(one) for game, one in found.items()})


@blueprint.post("/decks")
def decks() -> Response:
    """Register the decks of the table that asks, and return those of the whole house."""
    who, told = asked_by(), told_json()
    house().decks.register(who.table_id, value_of(told, "decks", list))
    return jsonify(version=house().decks.version, decks=[one.to_json() for one in house().decks.all()])


@blueprint.post("/strangers")
def stranger() -> Response:
    """Note a card that the table that asks does not know; say so if nobody here has such a deck."""
    return jsonify(worth=house().decks.report(asked_by().table_id, value_of(told_json(), "code", str)))


@blueprint.post("/cards-held")
def cards_held() -> Response:
    """Take the word of the table that asks for cards of its own decks."""
    who, told = asked_by(), told_json()
    for name, is_genuine in value_of(told, "cards", dict).items():
        house().decks.answer(who.table_id, str(name), is_genuine=is_genuine is True)
    return jsonify(done=True)


@blueprint.get("/dealers")
def dealers() -> Response:
    """List who may sign on at a table."""
    asked_by()
    return jsonify(dealers=house().duty.dealers())


@blueprint.post("/dealers")
def check_dealer() -> Response:
    """Say whether a PIN is that of somebody who may deal."""
    who, told = asked_by(), told_json()
    guesses: Guesses = current_app.extensions["guesses"]
    name, pin = value_of(told, "dealer", str), value_of(told, "pin", str)
    guesses.know(who.fingerprint)
    is_dealers = name in house().duty.dealers()
    if not guesses.is_right(who.fingerprint, name[:40], lambda: is_dealers and house().is_pin(name, pin[:20])):
        raise FloorError.coded("bad-pin", "Name or PIN is wrong.")
    return jsonify(dealer=name)


@blueprint.post("/evidence")
def evidence() -> Response:
    """Take what the pit has asked the table for."""
    who = asked_by()
    request.max_content_length = MOST_BYTES
    told = told_json()
    house().disputes.take(who.table_id, value_of(told, "name", str), told.get("dossier"))
    return jsonify(done=True)
