"""Day close pages, printable, and their CSV exports."""

from collections.abc import Iterable, Mapping

from flask import Blueprint, redirect, request, session, url_for
from werkzeug.wrappers import Response

from companion.floor.errors import FloorError
from companion.floor.overview.day_close import MOVEMENT, TOTALS, totals
from companion.journal.history.export import as_csv
from web_ui.floor.people import Page, may, page
from web_ui.floor.table_api import house

blueprint = Blueprint("day_closes", __name__)


@blueprint.get("/closes")
@may("report")
def show_all() -> Page:
    """List the day closes."""
    return page("floor/closes.html", closes=house().closes())


@blueprint.post("/closes")
@may("close-day")
def close() -> Page:
    """Close the day. Pressed twice, or by two people, it closes once and both see the same close."""
    after = request.form.get("after", "")
    try:
        number = (
            house().close_day(session["name"], int(after) if after.isdecimal() and len(after) < 10 else None).number
        )
    except FloorError as error:
        if error.code != "closed-meanwhile":
            raise
        number = house().closes()[0].number
    return redirect(url_for("day_closes.show", number=number))


@blueprint.get("/closes/<int:number>")
@may("report")
def show(number: int) -> Page:
    """Show a day close."""
    found = house().close_number(number)
    is_ours = found.is_signed and found.public == house().signer.public
    return page("floor/close.html", close=found, told=found.content, is_ours=is_ours)


@blueprint.get("/closes/<int:number>/totals.csv")
@may("report")
def totals_csv(number: int) -> Page:
    """Export a day close's totals."""
    return _csv(totals(house().close_number(number)), TOTALS, f"close-{number}-totals.csv")


@blueprint.get("/closes/<int:number>/movements.csv")
@may("report")
def movements_csv(number: int) -> Page:
    """Export the postings between the previous day close and this one."""
    return _csv(house().movements(house().close_number(number)), MOVEMENT, f"close-{number}-movements.csv")


def _csv(rows: Iterable[Mapping[str, object]], columns: tuple[str, ...], name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response("".join(as_csv(rows, columns)), mimetype="text/csv", headers=headers)
