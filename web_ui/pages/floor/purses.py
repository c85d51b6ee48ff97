"""``/api/v1/purses``: buy-ins from purses and cash-outs to them. Dealers only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Response, jsonify

from companion.kernel.messages import message
from web_ui.openapi.shapes import Accepted
from web_ui.pages.api import json_body, keyed
from web_ui.pages.for_dealer import back_end, dealer_api
from web_ui.problems import BadRequest

if TYPE_CHECKING:
    from companion.app.floor.purse_cashier import PurseCashier

blueprint = dealer_api("purses", "/api/v1/purses")


def cashier() -> PurseCashier:
    """Return the service behind these routes."""
    without = message("This table has joined no floor, so there are no purses. See `companion join`.")
    found: PurseCashier = back_end("cashier", without, "no-floor")
    return found


@blueprint.get("")
def purses() -> Response:
    return jsonify(cashier().purses())


@blueprint.get("/<int:number>")
def purse(number: int) -> Response:
    """Return a purse's balance and its open transfers with this table."""
    return jsonify(cashier().purse(number))


@blueprint.post("/cards")
def show_card() -> Response:
    """Ask the dealer whether to seat the player of a card whose code was typed."""
    cards = cashier().cards
    code = json_body().get("code")
    if not isinstance(code, str):
        raise BadRequest("Say which card: 'code', as it is printed on it.")
    return jsonify(cards.typed(code))


@blueprint.post("")
def move() -> Response:
    """Buy in or cash out; durable at the table when the response is sent."""
    found = cashier()
    body, key = keyed(json_body())
    do, player, purse, coins = (body.get(name) for name in ("do", "player", "purse", "coins"))
    transfer = None if key is None else found.transfer_of(key)
    if not isinstance(player, str) or type(purse) is not int:
        raise BadRequest("Say whose coins, and which purse: 'player' and 'purse'.")
    if do == "buy-in" and type(coins) is int:
        done = found.buy_in(player, purse, coins, transfer)
    elif do == "cash-out" and coins is None:
        done = found.cash_out(player, purse, transfer)
    else:
        raise BadRequest('This is {"do": "buy-in", …, "coins": 50} or {"do": "cash-out", …}.')
    told: Accepted = {"seq": done.seq, "events": done.events}
    return jsonify(told)
