"""``/setup``: choose the PIN on the first start; later the set-up wizard, and changing the PIN."""

from typing import Final

from flask import Blueprint, current_app, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from companion.kernel.messages import message
from companion.plugins.perception import DiePerception
from web_ui.access import first_start, rights
from web_ui.access.store import AccessError, spaced
from web_ui.game_pages import all_game_texts
from web_ui.pages.for_dealer import dealer_page
from web_ui.problems import status_of

SEATS: Final = 6

blueprint = Blueprint("setup", __name__)


@blueprint.get("/setup")
def show() -> str:
    if current_app.extensions["table_setup"] is not None and rights.access().has_pin and rights.is_dealer():
        return render_template(
            "wizard.html", view=rights.service().view("dealer"), mats=_mats(), dice=_dice(), seats=SEATS,
            game_texts=all_game_texts(),
        )  # fmt: skip
    return _page()


@blueprint.get("/setup/check")
@dealer_page
def check() -> str | Response:
    """Show the check of printed decks."""
    return render_template("deck_check.html", can_check=current_app.extensions["table_setup"] is not None)


@blueprint.get("/setup/pin")
def pin() -> str:
    """Show only the form for changing the PIN."""
    return _page()


def _mats() -> dict[str, str]:
    """Return game -> name of its mat, for games with a mat."""
    return {name: mat.name for name, mat in rights.service().games.mats.items()}


def _dice() -> list[str]:
    """Return the games played with a die in a tray."""
    return [name for name, plugin in rights.service().games.items() if isinstance(plugin.perception, DiePerception)]


@blueprint.post("/setup")
def choose() -> Response | tuple[str, int]:
    """Set the first PIN (with the set-up code), or change it (as the dealer, with the old PIN)."""
    is_first = not rights.access().has_pin
    try:
        _set_pin(request.form.get("pin", ""), request.form.get("again", ""), request.form.get("code", ""))
    except AccessError as error:
        return _page(error.message, is_wrong=error.code == "wrong-code"), status_of(error)
    rights.remember_dealer()
    return redirect(url_for("setup.show" if is_first and current_app.extensions["table_setup"] else "dealer.show"))


@blueprint.post("/setup/code")
def show_code() -> str | tuple[str, int]:
    """Show the set-up code on the table's own screen, or to the first browser in the local network."""
    store = rights.access()
    if store.has_pin or store.setup_code is None:
        return _page()
    try:
        first_start.need_first()
    except AccessError as error:
        return _page(error.message), status_of(error)
    rights.note(message("The set-up code was shown at {address}", address=rights.address()), source="web")
    return _page(code=store.setup_code)


def _set_pin(pin: str, again: str, code: str) -> None:
    if pin != again:
        raise AccessError.coded("bad-pin", "The two PINs differ. Type the same one twice.")
    store = rights.access()
    if not store.has_pin:
        store.choose_first_pin(code, pin, rights.guesser())
        rights.note(message("The PIN was chosen at {address}", address=rights.address()), source="web")
        return
    rights.need_dealer()
    store.check_pin(code, rights.guesser())
    store.set_pin(pin)
    rights.note(message("The PIN was changed at {address}", address=rights.address()), source="web")


def _page(error: str | None = None, code: str | None = None, *, is_wrong: bool = False) -> str:
    """Return the page for choosing or changing the PIN."""
    dealer = rights.access().has_pin and rights.is_dealer()
    decks = current_app.extensions["decks"]
    return render_template(
        "setup.html",
        first=not rights.access().has_pin,
        dealer=dealer,
        error=error,
        code=code,
        is_wrong=is_wrong,
        shown=None if code is None else spaced(code),
        view=rights.service().view("room"),
        decks=decks.all() if decks is not None and dealer else (),
    )
