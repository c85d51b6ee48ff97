"""The pit's pages of one table with its disputes, of the house's decks, and of who is on duty."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from flask import Blueprint, abort, jsonify, redirect, request, session, url_for
from werkzeug.wrappers import Response

from companion.floor.desk.disputes import to_json
from companion.floor.overview.board import Line
from companion.floor.overview.live import said_by_table
from companion.journal.evidence import CHANGED
from companion.kernel.messages import Message, joined, message
from web_ui.figures import number as written_number
from web_ui.floor.machines import house
from web_ui.floor.people import Page, may, my_role, page
from web_ui.floor.words import game_words, ledger_words, role_words
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
    """Show a table: what is open there with its evidence, who is on duty, and its decks."""
    line = _line(number)
    decks = [one for one in house().decks.all() if one.table == line.name]
    incidents = [one for one in house().incidents() if one.table == line.name]
    return page("floor/table.html", line=line, decks=decks, incidents=incidents)


@blueprint.get("/tables/<int:number>/disputes.json")
@may("evidence")
def disputes(number: int) -> Page:
    """Tell what is open at a table, as it said last; while somebody asks, it is asked again."""
    line = _line(number)
    kept = house().disputes.look(number)
    return jsonify(online=line.is_online, told=None if kept is None else _as_read(to_json(kept)))


def _as_read(told: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a table told with its sentences, game, accounts and numbers as the reader says and writes them."""
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
    """Return a text as a sentence in the reader's language where the table has named one that there is."""
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
    """Return why a table holds whose settlements differ."""
    return message("two settlements differ: {differences}", differences=joined(differences, "; "))


def _fact(name: str, value: str) -> str:
    """Return what a table told of a picture as the reader says it; what has no words of its own stays as it is."""
    if name in _DECIMALS:
        return _written(value)
    known = "changed" if value == CHANGED else value
    return str(catalogue(language(), "history").get(f"fact_{name}_{known}", value))


def _written(value: str) -> str:
    """Return a decimal number with as many digits as were told; anything else as it is."""
    whole, _, digits = value.partition(".")
    if not (value.isascii() and whole.isdecimal() and digits.isdecimal()):
        return value
    return written_number(float(value), len(digits))


@blueprint.get("/tables/<int:number>/pictures/<int:seq>.jpg")
@may("evidence")
def picture(number: int, seq: int) -> Page:
    """Return a picture of what was read."""
    return Response(house().disputes.picture(number, seq), mimetype="image/jpeg")


# ---- duty


@blueprint.get("/duty")
@may("look")
def duty() -> Page:
    """Show who is on duty, and who was."""
    role, name = my_role(), session["name"]
    dealers = house().duty.dealers()
    mine = dealers if role in ("owner", "pit") else [name]
    return page("floor/duty.html", lines=house().board.lines(), shifts=house().duty.shifts(), dealers=mine)


@blueprint.post("/duty")
@may("duty")
def sign() -> Page:
    """Sign somebody on at a table, or nobody. A dealer signs nobody but themselves."""
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
    """Show which deck belongs to which table, and cards that lay on another."""
    house().decks.give_up()
    return page("floor/decks.html", decks=house().decks.all(), strangers=house().decks.strangers())
