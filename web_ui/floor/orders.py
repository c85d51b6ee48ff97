"""Remote hold and release of a table from its page."""

from flask import Blueprint, jsonify, request, session

from companion.floor.errors import FloorError
from web_ui.floor.people import Page, may
from web_ui.floor.table_api import house

blueprint = Blueprint("orders", __name__)


@blueprint.post("/tables/<int:table>/order")
@may("hold")
def ask(table: int) -> Page:
    """Send hold or release to a table; it is delivered with its next heartbeat, within two seconds."""
    if table >= 2**31:
        raise FloorError.coded("bad-request", "There is no such table.")
    return jsonify(order=house().orders.queue(table, request.form.get("command", ""), session["name"]))


@blueprint.get("/orders/<int:number>.json")
@may("hold")
def show(number: int) -> Page:
    """Return the outcome of a command."""
    return jsonify(house().orders.outcome(number))
