"""What tables are told with an answer never keeps the answers waiting."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from companion.floor.desk import directives
from companion.floor.desk.directives import Directives
from companion.floor.ingest.writer import Unavailable
from companion.floor.tables import Installation

WHO = Installation("print", 1, "Table 1", 1)


class Away:
    """A price book whose database is away, or is not."""

    def __init__(self) -> None:
        self.asked = 0
        self.is_away = True

    def newest_for(self, table: str) -> int:
        self.asked += 1
        if self.is_away:
            raise Unavailable
        return 3

    def mark_for(self, table: str) -> str:
        return "mark"


def test_a_database_that_is_away_is_waited_for_once_and_not_with_each_answer(monkeypatch: pytest.MonkeyPatch):
    now = [100.0]
    monkeypatch.setattr(directives.time, "monotonic", lambda: now[0])
    book, roster = Away(), SimpleNamespace(now=lambda: {1: "Dora"})
    decks = SimpleNamespace(version=7, questions_for=lambda table_id: [])
    disputes = SimpleNamespace(wanted_of=lambda table_id: None)
    told = Directives(*cast(Any, (book, decks, roster, disputes)))
    assert [told.of(WHO) for _ in range(50)] == [{}] * 50
    assert book.asked == 1
    now[0] += 6
    assert told.of(WHO) == {}
    assert book.asked == 2
    book.is_away = False
    now[0] += 6
    assert told.of(WHO) == {
        "prices": 3,
        "prices_mark": "mark",
        "decks": 7,
        "dealer": "Dora",
        "evidence": None,
        "cards": [],
    }
