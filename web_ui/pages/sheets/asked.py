"""Parses print requests and returns the PDF."""

from math import isfinite
from typing import Final, get_args

from flask import Response, request
from werkzeug.datastructures import MultiDict

from companion.app.setup.service import TableSetup
from companion.app.setup.sheets import SheetWish
from companion.kernel.messages import message
from companion.printing.jobs import What
from companion.printing.seat_card import SeatCode
from web_ui.access import rights
from web_ui.access.store import spaced
from web_ui.addresses import public_base
from web_ui.languages import language
from web_ui.problems import BadRequest

SEATS: Final = range(1, 13)
_USUAL: Final = range(1, 7)
_OF_A_DECK: Final = ("deck", "tokens", "stickers")
_OF_A_GAME: Final = ("mat", "slips", "rules")


def sheets(setup: TableSetup, what: str) -> Response:
    """Return the requested sheets as a PDF download.

    Raises:
        BadRequest: an unknown kind of sheet, or an invalid number.
        CompanionError: the sheets cannot be printed as requested.
    """
    if what not in get_args(What):
        raise BadRequest(f"There are sheets of {', '.join(get_args(What))}.", status=404, code="not-found")
    wish = wish_of(what, request.args)
    of = wish.deck if what in _OF_A_DECK else wish.game
    name = f"{what}-{of}.pdf" if of else f"{what}.pdf"
    disposition = f'attachment; filename="{_plain(name)}"'
    return Response(setup.sheet(wish), mimetype="application/pdf", headers={"Content-Disposition": disposition})


def wish_of(what: str, asked: MultiDict[str, str]) -> SheetWish:
    """Return the print request in a query. If paper or game is given twice, the last one, the button's, counts."""
    only = tuple(name.strip().upper() for name in asked.get("only", "").split(",") if name.strip())
    return SheetWish(
        what,
        asked.get("deck") or None,
        _last(asked, "paper") or "a4",
        _game(what, asked),
        asked.get("size"),
        () if what == "seats" else only,
        int(_number(asked, "copies", 1)),
        asked.get("duplex", "long"),
        (_number(asked, "right", 0), _number(asked, "down", 0)),
        _seat_codes(only) if what == "seats" else (),
        language(),
    )


def _game(what: str, asked: MultiDict[str, str]) -> str:
    if what not in _OF_A_GAME:
        return ""
    mat = asked.get("mat") if what == "mat" else None
    return mat or _last(asked, "game") or rights.service().games.default.name


def _last(asked: MultiDict[str, str], name: str) -> str | None:
    return next(reversed(asked.getlist(name)), None)


def _number(asked: MultiDict[str, str], name: str, default: float) -> float:
    text = asked.get(name) or str(default)
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise BadRequest(message("{name} is a number, not {text}.", name=name, text=text[:20]))
    return value


def _seat_codes(only: tuple[str, ...]) -> tuple[SeatCode, ...]:
    """Return the codes of the named seats; by default of the occupied ones, or if there are none the usual ones."""
    if strangers := [name for name in only if name not in map(str, SEATS)]:
        raise BadRequest(
            message("There is no seat {seat}. Name seats from 1 to {last}.", seat=strangers[0][:20], last=SEATS[-1])
        )
    taken = [player["seat"] for player in rights.service().view("room")["players"]]
    seats = map(int, only) if only else sorted(taken) or _USUAL
    return tuple(
        SeatCode(seat, f"{public_base()}/seat/{seat}", spaced(rights.access().seat_code(seat)), rights.player_in(seat))
        for seat in seats
    )


def _plain(name: str) -> str:
    return "".join(letter for letter in name if letter.isascii() and (letter.isalnum() or letter in "-."))
