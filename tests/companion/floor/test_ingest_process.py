"""The process that writes what tables ship: what goes to it and comes back, and what happens when it is killed."""

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue

import pytest
from floor_house import Chain, House, Seat

from companion.floor.errors import FloorError
from companion.floor.ingest import process
from companion.floor.ingest.process import IngestProcess, Reply
from companion.journal.hash_chain import Entry

Rows = list[tuple[int, int, Entry]]


@pytest.fixture
def rows() -> Rows:
    return []


@pytest.fixture
def ingest(house: House, rows: Rows, tmp_path: Path) -> Iterator[IngestProcess]:
    made = IngestProcess(house.dsn, tmp_path, "floor", rows.extend, lambda: None)
    made.start()
    yield made
    made.close()


def send(ingest: IngestProcess, seat: Seat, body: bytes) -> Reply:
    replies: SimpleQueue[Reply] = SimpleQueue()
    ingest.submit(seat.who, body, replies.put)
    return replies.get(timeout=30)


def body(seat: Seat, **more: object) -> bytes:
    return json.dumps({**seat.batch(seat.chain.entries).to_json(), **more}).encode()


def test_what_is_committed_is_shown_and_answered(ingest: IngestProcess, house: House, rows: Rows):
    seat = house.begun(Chain().play(3))
    reply = send(ingest, seat, body(seat, picture={"seq": 3}, orders=[{"id": 1, "refused": ""}]))
    assert not isinstance(reply.answer, FloorError)
    assert reply.answer["acknowledged"] == 3
    assert reply.picture == {"seq": 3}
    assert reply.orders == [{"id": 1, "refused": ""}]
    assert house.stored() == [entry for _, _, entry in rows] == seat.chain.entries
    assert ingest.seen()[1][1] == 3


def test_a_clock_that_is_set_back_makes_nobody_younger(
    ingest: IngestProcess, house: House, monkeypatch: pytest.MonkeyPatch
):
    """A table that is gone would else be shown as there for an hour, and no alarm come."""
    seat, sent = house.begun(Chain().play(1)), time.monotonic()
    send(ingest, seat, body(seat))
    now, passed = time.time(), time.monotonic()
    monkeypatch.setattr(process.time, "time", lambda: now - 3600)
    monkeypatch.setattr(process.time, "monotonic", lambda: passed + 30)
    heard, _ = ingest.seen()[1]
    assert 29 < now - 3600 - heard < 32 + passed - sent


@pytest.mark.parametrize(
    "wrong", [b"{", b"[]", b'{"entries": 3}', b"[" * 100_000, b'"\xff"'], ids=["cut", "list", "count", "deep", "bytes"]
)
def test_what_is_no_batch_is_refused_and_the_next_one_written(ingest: IngestProcess, house: House, wrong: bytes):
    seat = house.begun(Chain().play(1))
    refused = send(ingest, seat, wrong).answer
    assert isinstance(refused, FloorError)
    assert refused.code == "bad-request"
    assert not isinstance(send(ingest, seat, body(seat)).answer, FloorError)
    assert house.stored() == seat.chain.entries


def test_a_picture_that_is_nested_too_deeply_is_refused(ingest: IngestProcess, house: House):
    seat = house.begun(Chain().play(1))
    deep = body(seat).replace(b'"run"', b'"picture": ' + b"[" * 5_000 + b"]" * 5_000 + b', "run"')
    assert isinstance(send(ingest, seat, deep).answer, FloorError)
    assert not isinstance(send(ingest, seat, body(seat)).answer, FloorError)


@pytest.mark.thorough
def test_a_killed_process_is_started_again_and_nothing_is_lost(ingest: IngestProcess, house: House):
    seat, busy = house.begun(Chain().play(1)), house.begun(Chain("b" * 32), "Table 2")
    assert not isinstance(send(ingest, seat, body(seat)).answer, FloorError)
    told: SimpleQueue[Reply] = SimpleQueue()
    for _ in range(5):
        seat.chain.play(50)
        for _ in range(20):
            ingest.submit(busy.who, body(busy), told.put)
        os.kill(children(os.getpid())[-1], signal.SIGKILL)
        reply = send(ingest, seat, body(seat)).answer
        while isinstance(reply, FloorError):
            assert reply.code == "unavailable"
            reply = send(ingest, seat, body(seat)).answer
        assert reply["acknowledged"] == len(seat.chain.entries)
    for _ in range(100):
        told.get(timeout=30)  # everybody is told something
    assert house.stored() == seat.chain.entries
    assert house.incidents() == []


def test_it_ends_with_the_floor(ingest: IngestProcess, house: House):
    seat = house.begun(Chain().play(1))
    send(ingest, seat, body(seat))
    assert children(os.getpid())
    ingest.close()
    assert not children(os.getpid())


def children(parent: int) -> list[int]:
    """Return the processes that write for this one, the youngest last."""
    found = []
    for place in Path("/proc").iterdir():
        try:
            if place.name.isdigit() and b"ingest.process" in (place / "cmdline").read_bytes():
                fields = (place / "stat").read_text().rpartition(")")[2].split()
                if int(fields[1]) == parent:
                    found.append(int(place.name))
        except OSError:
            continue
    return sorted(found)
