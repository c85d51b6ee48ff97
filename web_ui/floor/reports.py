"""CSV downloads of the views documented in docs/floor.md."""

from collections.abc import Iterator
from datetime import date

from flask import Blueprint, abort, request
from werkzeug.wrappers import Response

from companion.floor.errors import FloorError
from companion.floor.house import House
from companion.floor.people import MAY
from companion.floor.reports.csv_views import REPORTS, Report, rows
from companion.journal.history.export import as_csv
from companion.kernel.messages import message
from web_ui.floor.labels import not_as
from web_ui.floor.people import Page, may, my_role, page
from web_ui.floor.table_api import house

blueprint = Blueprint("reports", __name__, url_prefix="/reports")


@blueprint.get("")
@may("report")
def show() -> Page:
    """List the reports."""
    role = my_role()
    offered = [name for name, one in REPORTS.items() if role is not None and one.right in MAY[role]]
    return page("floor/reports.html", reports=offered, today=date.today().isoformat())


@blueprint.get("/<name>.csv")
@may("report")
def download(name: str) -> Page:
    """Stream a report for a range of days."""
    report = REPORTS.get(name) or abort(404, message("There is no such report."))
    role = my_role()
    if role is None or report.right not in MAY[role]:
        abort(403, not_as(role))
    first, last = _day("from"), _day("to")
    house().role_of("")  # fails early if the database is down, before streaming begins
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    pieces = as_csv(_rows(house(), report, first, last), report.columns)
    return Response(pieces, mimetype="text/csv", headers=headers)


def _rows(floor: House, report: Report, first: date | None, last: date | None) -> Iterator[dict[str, object]]:
    with floor.connection() as connection:
        yield from rows(connection, report, first, last)


def _day(name: str) -> date | None:
    text = request.args.get(name, "")
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise FloorError.coded("bad-day", "{text} is no day. Write it as 2026-05-01.", text=repr(text[:20])) from error
