"""What the pit asks of a table from its page: to hold, or to go on."""

from flask import Blueprint, jsonify, request, session

from companion.floor.errors import FloorError
from web_ui.floor.machines import house
from web_ui.floor.people import Page, may

blueprint = Blueprint("orders", __name__)


@blueprint.post("/tables/<int:table>/order")
@may("hold")
def ask(table: int) -> Page:
    """Ask a table to hold or to go on; it is told with its next message, within two seconds."""
    if table >= 2**31:
        raise FloorError.coded("bad-request", "There is no such table.")
    return jsonify(order=house().orders.ask(table, request.form.get("command", ""), session["name"]))


@blueprint.get("/orders/<int:number>.json")
@may("hold")
def show(number: int) -> Page:
    """Say what came of an order."""
    return jsonify(house().orders.outcome(number))
