"""CSV reports: each exports a documented database view, by day."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from psycopg import Connection


@dataclass(frozen=True, slots=True)
class Report:
    """A report: its view's columns, and the column with the time.

    Attributes:
        right: permission required.
    """

    view: str
    columns: tuple[str, ...]
    when: str
    order: str
    right: str = "report"


REPORTS: Final[Mapping[str, Report]] = {
    "takings": Report(
        "floor.takings",
        ("day", "table_name", "game", "dealer", "bought", "from_purses", "cashed", "to_purses", "recounted", "win",
         "rounds", "bets", "staked", "won_on_known_odds", "expected", "deviation", "bets_without_odds"),
        "day", "day, table_name, game, dealer",
    ),
    "movements": Report(
        "floor.movements",
        ("id", "at", "from_kind", "from_name", "to_kind", "to_name", "coins", "why", "transfer", "who"), "at", "id",
    ),
    "incidents": Report(
        "floor.incidents",
        ("id", "table_name", "epoch", "kind", "text", "first", "last", "opened", "closed", "closed_by"), "opened", "id",
    ),
    "shifts": Report("floor.shifts", ("table_name", "dealer", "since", "until", "who"), "since", "since, table_name"),
    "strangers": Report(
        "floor.strangers", ("id", "at", "table_name", "card", "deck", "owner_name", "worth"), "at", "id"
    ),
    "prices": Report("floor.price_list", ("number", "at", "who", "what", "body"), "at", "number"),
    "audit": Report("floor.audit", ("id", "at", "who", "did", "about"), "at", "id", "audit"),
}  # fmt: skip


def rows(
    connection: Connection[Any], report: Report, first: date | None, last: date | None
) -> Iterator[dict[str, object]]:
    """Yield a report's rows between two days inclusive, in the database's time zone."""
    texts = ", ".join(f"{column}::text" for column in report.columns)
    query = (
        f"SELECT {texts} FROM {report.view} WHERE (%(first)s::date IS NULL OR {report.when}::date >= %(first)s::date) "
        f"AND (%(last)s::date IS NULL OR {report.when}::date <= %(last)s::date) ORDER BY {report.order}"
    )
    with connection.transaction(), connection.cursor("report") as cursor:
        for row in cursor.execute(query.encode(), {"first": first, "last": last}):
            yield dict(zip(report.columns, row, strict=True))
