"""``/setup/print``: the print page, with all sheets, for the dealer only. Works without scripts."""

import re

from flask import Blueprint, Response, current_app, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.app.setup.service import TableSetup
from companion.app.setup.shapes import DeckJson
from companion.kernel.errors import CompanionError
from web_ui.access import rights
from web_ui.game_pages import all_game_texts, game_title
from web_ui.languages import language, said
from web_ui.pages.sheets.asked import sheets
from web_ui.problems import BadRequest
from web_ui.strings import catalogue

blueprint = Blueprint("sheets", __name__, url_prefix="/setup/print")


@blueprint.get("")
def show() -> str | AnyResponse:
    if not rights.access().has_pin or _setup() is None:
        return redirect(url_for("setup.show"))
    if not rights.is_dealer():
        return render_template("login.html", error=None)
    return _page()


@blueprint.get("/<what>.pdf")
def sheet(what: str) -> AnyResponse:
    """Return the sheets; if they cannot be printed, the page with the error and the choices kept."""
    rights.need_dealer()
    setup = _setup()
    if setup is None:
        return redirect(url_for("setup.show"))
    try:
        return sheets(setup, what)
    except CompanionError as error:
        return Response(_page(said(error.message)), 409)
    except BadRequest as error:
        return Response(_page(said(error.message)), error.status)


def _setup() -> TableSetup | None:
    found: TableSetup | None = current_app.extensions["table_setup"]
    return found


def _deck_words(deck: DeckJson) -> str:
    title = said(rights.service().games.decks[deck["kind"]].title)
    return (
        f"{deck['id']} · {deck['name']} · {title}"
        if deck["name"] != f"Deck {deck['id']}"
        else f"{deck['id']} · {title}"
    )


def _page(error: str | None = None) -> str:
    setup, games = _setup(), rights.service().games
    assert setup is not None
    printed = [deck for deck in setup.decks() if deck["kind"] in games.decks]
    chosen = request.args.get("game") or rights.service().view("room")["game"]
    game = chosen if chosen in games else games.default.name
    return render_template(
        "sheets.html",
        error=error,
        asked=request.args,
        decks=printed,
        decks_named=[(deck["id"], _deck_words(deck)) for deck in printed],
        with_tokens=any(games.decks[deck["kind"]].tokens for deck in printed),
        games_named=[(name, game_title(name)) for name in games],
        game=game,
        with_slips=[(name, game_title(name)) for name, one in games.items() if one.slips is not None],
        mats=[(name, _mat_words(name)) for name in games.mats],
        mat=request.args.get("mat") or next((mat.name for mat in games[game].mats), ""),
    )


def _mat_words(mat: str) -> str:
    """Return a mat's display name: its game, and the layout or wheel if the game has several."""
    games = rights.service().games
    game = (
        mat if mat in games else next((name for name, one in games.items() if mat in (m.name for m in one.mats)), mat)
    )
    kind = mat.replace(game, "").strip("-")
    if not kind:
        return game_title(game)
    texts = catalogue(language(), "setup") | all_game_texts()
    said_of = next((str(text) for key, text in texts.items() if re.fullmatch(f"val_.+_{re.escape(kind)}", key)), kind)
    return f"{game_title(game)}: {said_of.partition(':')[0]}"
