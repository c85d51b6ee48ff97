"""The pit's pages for one table and its disputes, the deck register, and dealer shifts."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from flask import Blueprint, abort, jsonify, redirect, request, session, url_for
from werkzeug.wrappers import Response

from companion.floor.desk.disputes import to_json
from companion.floor.overview.board import Line
from companion.floor.overview.snapshots import said_by_table
from companion.journal.evidence import CHANGED
from companion.kernel.messages import Message, joined, message
from web_ui.figures import number as written_number
from web_ui.floor.labels import game_words, ledger_words, role_words
from web_ui.floor.people import Page, may, my_role, page
from web_ui.floor.table_api import house
from web_ui.languages import language
from web_ui.strings import catalogue

blueprint = Blueprint("table_pages", __name__)
_NOBODY: Final = ""
_DECIMALS: Final = frozenset({"confidence", "margin", "rest_s"})


def _line(number: int) -> Line:
    found = next((line for line in house().board.lines() if line.table_id == number), None)
    return found or abort(404, message("There is no such table."))


# ---- one table


@blueprint.get("/tables/<int:number>")
@may("look")
def table(number: int) -> Page:
    """Show a table: open disputes with evidence, dealer on duty, decks."""
    line = _line(number)
    decks = [one for one in house().decks.all() if one.table == line.name]
    incidents = [one for one in house().incidents() if one.table == line.name]
    return page("floor/table.html", line=line, decks=decks, incidents=incidents)


@blueprint.get("/tables/<int:number>/disputes.json")
@may("evidence")
def disputes(number: int) -> Page:
    """Return a table's latest evidence; polling it requests fresh evidence."""
    line = _line(number)
    kept = house().disputes.look(number)
    return jsonify(online=line.is_online, told=None if kept is None else _as_read(to_json(kept)))


def _as_read(told: Mapping[str, Any]) -> dict[str, Any]:
    """Return evidence with messages, game, accounts and numbers in the reader's language."""
    game, _, round_number = told["round"].rpartition(" ")
    say = partial(_said, said=told["said"], game=game)
    settled = [
        {
            **one,
            "text": say(one["text"]),
            "differences": [say(text) for text in one["differences"]],
            "lines": [{**line, "account": ledger_words(line["account"], game)} for line in one["lines"]],
        }
        for one in told["settlements"]
    ]
    pictures = [
        {
            **one,
            "text": say(one["text"]),
            "facts": {name: _fact(name, value) for name, value in one["facts"].items()},
        }
        for one in told["pictures"]
    ]
    questions = [
        {**one, "text": say(one["text"]), "choices": [say(choice) for choice in one["choices"]]}
        for one in told["questions"]
    ]
    differing = {_differing(one["differences"]): read for one, read in zip(told["settlements"], settled, strict=True)}
    hold, disputed = told["hold"], differing.get(told["hold"])
    return {
        "seq": told["seq"],
        "at": told["at"],
        "disputed": told["disputed"],
        "round": f"{game_words(game)} {round_number}" if game else told["round"],
        "hold": _differing(disputed["differences"]) if disputed else hold and say(hold),
        "settlements": settled,
        "pictures": pictures,
        "questions": questions,
    }


def _said(text: str, said: Mapping[str, Any], game: str) -> str:
    """Return a text as a translated message if the table has named one that is known."""
    told = said.get(text)
    known = said_by_table(told, house().prices.games.packages) if told is not None else None
    if known is None:
        return text
    values = {
        name: ledger_words(value, game) if name == "account" and isinstance(value, str) else value
        for name, value in known.values.items()
    }
    return Message(known.key, values, known.plural)


def _differing(differences: Sequence[str]) -> Message:
    """Return the message for a hold whose settlements differ."""
    return message("two settlements differ: {differences}", differences=joined(differences, "; "))


def _fact(name: str, value: str) -> str:
    """Return a value of an image's reading in the reader's language; unchanged if it has no label."""
    if name in _DECIMALS:
        return _written(value)
    known = "changed" if value == CHANGED else value
    return str(catalogue(language(), "history").get(f"fact_{name}_{known}", value))


def _written(value: str) -> str:
    """Return a localized decimal number with its digits unchanged; other values as they are."""
    whole, _, digits = value.partition(".")
    if not (value.isascii() and whole.isdecimal() and digits.isdecimal()):
        return value
    return written_number(float(value), len(digits))


@blueprint.get("/tables/<int:number>/pictures/<int:seq>.jpg")
@may("evidence")
def picture(number: int, seq: int) -> Page:
    """Return an image of a reading."""
    return Response(house().disputes.picture(number, seq), mimetype="image/jpeg")


# ---- duty


@blueprint.get("/duty")
@may("look")
def duty() -> Page:
    """Show current and past shifts."""
    role, name = my_role(), session["name"]
    dealers = house().duty.dealers()
    mine = dealers if role in ("owner", "pit") else [name]
    return page("floor/duty.html", lines=house().board.lines(), shifts=house().duty.shifts(), dealers=mine)


@blueprint.post("/duty")
@may("duty")
def sign() -> Page:
    """Sign a dealer on or off at a table. Dealers may only sign themselves on."""
    table, dealer = request.form.get("table", ""), request.form.get("dealer", _NOBODY) or None
    role, name = my_role(), session["name"]
    if role not in ("owner", "pit"):
        numbers = {line.name: line.table_id for line in house().board.lines()}
        on = house().duty.now().get(numbers.get(table, 0))
        if (dealer is None and on != name) or (dealer is not None and dealer != name):
            abort(403, message("As {role} you sign only yourself on and off.", role=role_words(role)))
    house().duty.sign(table, dealer, name)
    return redirect(url_for(".duty"))


# ---- decks


@blueprint.get("/decks")
@may("look")
def decks() -> Page:
    """Show the deck register, and stray cards seen on other tables."""
    house().decks.give_up()
    return page("floor/decks.html", decks=house().decks.all(), strangers=house().decks.strangers())
