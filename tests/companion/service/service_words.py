"""Helpers of the service's tests: their table, and its commands."""

import threading
from datetime import UTC, datetime
from typing import Any

import pytest

from companion.kernel.errors import TableError
from companion.service.committing.jobs import Accepted
from companion.service.questions import Choice, Question
from companion.service.table_service import TableService
from companion.testing import new_header

NOON = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
TWO = new_header("roche", (("Ann", 100), ("Bo", 50)), {"layout": "basic", "deck": "full"})
BET = {"do": "bet", "player": "Ann", "on": "cut/2", "amount": 10}
QUESTION = Question(
    "q1",
    "early",
    "7D1 lies on the table, but bets are open.",
    (
        Choice("close", "No more bets", {"do": "no-more-bets"}),
        Choice("away", "Taken away"),
        Choice("bad", "x", {"do": "new-round"}),
    ),
    card="7D1",
)


def do(service: TableService, *verbs: str, source: str = "dealer") -> Accepted:
    """Submit commands written as in ``deal 6D3`` or ``bet Ann cut/6 5``."""
    for text in verbs:
        accepted = service.submit(record(text), source=source)
    return accepted


def record(text: str) -> dict[str, Any]:
    verb, *rest = text.split()
    fields = {
        "deal": ["card"],
        "throw": ["face"],
        "seed": ["card"],
        "bet": ["player", "on", "amount"],
        "burn": ["count"],
        "buy-in": ["player", "coins"],
    }
    values = [int(value) if value.isdigit() else value for value in rest]
    return {"do": verb} | dict(zip(fields.get(verb, []), values, strict=True))


def coins(service: TableService) -> dict[str, int]:
    return {player["name"]: player["coins"] for player in service.view()["players"]}


def code(error: pytest.ExceptionInfo[TableError]) -> str:
    return error.value.code


def blocked(service: TableService) -> threading.Event:
    """Block the table thread at its next command, so that those given meanwhile share a commit; set it to go on."""
    gate, do = threading.Event(), service._table.do
    service._table.do = lambda record: (gate.wait(10), do(record))[1]  # type: ignore[method-assign,assignment]
    return gate
