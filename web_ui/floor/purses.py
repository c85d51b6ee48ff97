"""The pit's purse pages: open a purse, sell and redeem coins, postings, player cards."""

import secrets
from typing import Any

from flask import Blueprint, abort, redirect, request, session, url_for
from werkzeug.wrappers import Response

from companion.floor.cashier import Cashier
from companion.floor.errors import FloorError
from companion.kernel.messages import message
from web_ui.floor.people import Page, may, page
from web_ui.floor.table_api import house
from web_ui.languages import said

blueprint = Blueprint("pit_purses", __name__, url_prefix="/purses")


def _cashier() -> Cashier:
    return house().cashier


@blueprint.get("")
@may("look")
def show_all() -> Page:
    """Show every purse."""
    return page("floor/purses.html", purses=house().purses())


@blueprint.post("/new")
@may("sell")
def open_purse() -> Page:
    """Open a purse, or find the player's existing one."""
    return redirect(url_for(".show", number=_cashier().open_purse(request.form.get("player", ""), session["name"])))


@blueprint.get("/<int:number>")
@may("look")
def show(number: int) -> Page:
    """Show a purse: balance, open transfers, cards, postings."""
    cashier = _cashier()
    purse = cashier.purse(number)  # raises if there is no such purse
    told: dict[str, Any] = {"movements": cashier.movements(number), "cards": cashier.cards_of(number)}
    return page("floor/purse.html", purse=purse, open=cashier.open_transfers(number), key=secrets.token_hex(12), **told)


@blueprint.post("/<int:number>/coins")
@may("sell")
def pay(number: int) -> Page:
    """Sell or redeem coins; a resubmitted form is booked once."""
    way, text, key = (request.form.get(name, "") for name in ("way", "coins", "key"))
    if not (text.isascii() and text.isdecimal()) or len(text) > 13:
        raise FloorError.coded("bad-amount", "Enter a whole number of coins, 1 or more.")
    if way not in ("in", "out") or not (16 <= len(key) <= 64 and key.isalnum()):
        abort(400, message("This page is too old. Load it again."))
    _cashier().pay(number, int(text) if way == "in" else -int(text), session["name"], f"desk/{number}/{key}")
    return redirect(url_for(".show", number=number))


# ---- player cards


@blueprint.post("/<int:number>/cards")
@may("sell")
def print_card(number: int) -> Page:
    """Issue a card and return it for printing."""
    from companion.printing.player_card import player_card
    from companion.printing.sheets import Job, make_pdf

    purse = _cashier().purse(number)
    code = _cashier().add_card(number, session["name"])
    job = Job(purse.player, (player_card(purse.player, code, said),), say=said)
    answer = Response(make_pdf(job), mimetype="application/pdf")
    answer.headers["Content-Disposition"] = f'inline; filename="player-card-{code.number}.pdf"'
    return answer


@blueprint.post("/cards/<int:card>/revoke")
@may("sell")
def revoke(card: int) -> Page:
    """Revoke a lost card."""
    found = _cashier().revoke_card(card, session["name"])
    return redirect(url_for(".show", number=found.purse))
