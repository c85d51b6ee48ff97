"""What the pit asks of a table is done once, however often it comes, and whichever floor asks."""

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from companion.app.floor.orders import Orders
from companion.floor.orders import Order
from companion.floor.orders import Orders as Asked
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header


@pytest.fixture
def service(tmp_path: Path) -> Iterator[TableService]:
    with TableService.open(tmp_path / "journal.db", new_header("roche", (("Ann", 10),), {}), INSTALLED) as made:
        yield made


def asked(command: str) -> list[dict[str, Any]]:
    """What a floor that has just been set up, or recovered, tells its first table: it counts orders from 1 on."""
    floor = Asked(nullcontext)  # type: ignore[arg-type]
    floor._open[1] = Order(1, 1, command, "Pia", float("inf"))
    return floor.pending(1)


def test_an_order_is_carried_out_once_however_often_it_comes(service: TableService):
    told = asked("hold")
    Orders(service).take(told)
    service.submit({"do": "release"}, source="dealer")
    Orders(service).take(told)  # after a start of the table
    assert service.view("room")["hold"] is None


def test_another_floor_is_heeded_though_it_counts_from_the_beginning(service: TableService):
    orders = Orders(service)
    orders.take(asked("hold"))
    service.submit({"do": "release"}, source="dealer")
    orders.take(asked("hold"))
    assert service.view("room")["hold"] is not None
    assert [(one["id"], one["refused"]) for one in orders.done()] == [(1, "")]


def test_what_was_done_for_another_floor_answers_no_order_of_this_one(service: TableService):
    """Else the pit hears that a table is held, and it plays on: the table was away while both asked."""
    orders, floor = Orders(service), Asked(nullcontext)  # type: ignore[arg-type]
    orders.take(asked("release"))
    floor._open[1] = Order(1, 1, "hold", "Pia", float("inf"))
    floor.acknowledge(1, orders.done())
    orders.take(floor.pending(1))
    assert service.view("room")["hold"] is not None
    floor.acknowledge(1, orders.done())
    assert floor.pending(1) == []


def test_a_table_of_an_older_version_answers_with_the_number_alone():
    floor = Asked(nullcontext)  # type: ignore[arg-type]
    floor._open[1] = Order(1, 1, "hold", "Pia", float("inf"))
    floor.acknowledge(1, [{"id": 1, "refused": ""}])
    assert floor.pending(1) == []


def test_an_order_of_an_older_floor_has_its_number_alone(service: TableService):
    Orders(service).take([{"id": 7, "do": "hold"}])
    assert service.events(0)[-1]["do"] == "hold"
    assert service.view("room")["hold"] is not None
