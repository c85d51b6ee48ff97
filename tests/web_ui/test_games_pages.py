"""The pages of every game: their scripts, their size, what a seat may say, and what the dealer intends."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from webclient import bearer, command, csrf_of, log_in

import web_ui
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
from web_ui import AccessStore, create_app
from web_ui.families import FAMILIES, page_files

STATIC = Path(web_ui.__file__).parent / "static"
FIRST_PAINT_BYTES = 100_000
TRIO = (("Aubrey", 100), ("Benedict", 100), ("Chance", 100))
Seated = Callable[..., tuple[FlaskClient, TableService]]


@pytest.fixture
def seated(tmp_path: Path, access: AccessStore) -> Iterator[Seated]:
    """Open a table of a game with a client that is the phone of seat 1."""
    tables: list[TableService] = []

    def open_table(game: str, *, seat: int = 1) -> tuple[FlaskClient, TableService]:
        players = TRIO[:2] if game == "captains" else TRIO
        table = TableService.open(tmp_path / f"{game}.db", new_header(game, players), INSTALLED)
        tables.append(table)
        client = create_app(table, access=access, test_config={"TESTING": True}).test_client()
        form = {"code": access.seat_code(seat), "csrf_token": csrf_of(client, f"/seat/{seat}")}
        assert client.post(f"/seat/{seat}/join", data=form).status_code == 302
        return client, table

    yield open_table
    for table in tables:
        table.close()


def scripts_of(page: str) -> set[str]:
    """Return a page's script and every module that it imports, near or far."""
    found = set(re.findall(r'type="module" src="/static/\w+/(js/\w+\.js)"', page))
    assert len(found) == 1
    while more := {f"js/{n}" for f in found for n in imported(f)} - found:
        found |= more
    return found


def imported(name: str) -> list[str]:
    return re.findall(r'from "\./([\w.]+)"', (STATIC / name).read_text())


@pytest.mark.parametrize("game", sorted(INSTALLED))
def test_every_page_of_a_game_has_its_script_and_a_small_first_paint(seated: Seated, game: str) -> None:
    client, _ = seated(game)
    for path in ("/", "/odds", "/seat/1"):
        page = client.get(path).get_data(as_text=True)
        files = scripts_of(page)
        sheets = set(re.findall(r'href="/static/\w+/(css/\w+\.css)"', page))
        total = len(client.get(path, headers={"Accept-Encoding": "gzip"}).data)
        total += sum(len(gzip.compress((STATIC / name).read_bytes(), 9)) for name in files | sheets)
        total += (STATIC / "fonts/cinzel-bold.woff2").stat().st_size
        assert total <= FIRST_PAINT_BYTES, f"{path}: {total} bytes"
        style = page_files("table", game)["style"]
        assert style is None or style in sheets


def test_every_game_but_roche_has_a_family() -> None:
    assert set(INSTALLED) - {"roche"} == set(FAMILIES)


def test_a_page_is_compressed_unless_its_address_has_a_query(seated: Seated) -> None:
    client, _ = seated("rochi")
    packed = client.get("/", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in packed.headers["Vary"]
    assert b"page-data" in gzip.decompress(packed.data)
    assert "Content-Encoding" not in client.get("/?x=1", headers={"Accept-Encoding": "gzip"}).headers
    assert "Content-Encoding" not in client.get("/").headers


# ---- what a seat may say


def refused(response: Any) -> tuple[int, str]:
    return response.status_code, response.get_json()["code"]


def test_a_seat_takes_a_number_for_itself_only(seated: Seated) -> None:
    phone, table = seated("rugen-capital")
    assert command(phone, {"do": "take", "number": 1, "units": 2}, "/seat/1").status_code == 200
    other = {"do": "take", "player": "Benedict", "number": 2}
    assert refused(command(phone, other, "/seat/1")) == (403, "not-your-seat")
    assert refused(command(phone, {"do": "close"}, "/seat/1")) == (403, "not-allowed")
    assert table.view()["wager"]["claims"] == [{"number": 1, "player": "Aubrey", "amount": 16}]


def test_only_the_shooters_phone_stakes(seated: Seated) -> None:
    phone, table = seated("rugen-street")
    table.submit({"do": "throw", "face": "3n"}, source="dealer")
    assert command(phone, {"do": "stake", "units": 2}, "/seat/1").status_code == 200
    assert table.view()["players"][0]["staked"] == 8


def test_another_phone_does_not_stake_the_shooters_coins(seated: Seated) -> None:
    phone, table = seated("rugen-street", seat=2)
    table.submit({"do": "throw", "face": "3n"}, source="dealer")
    assert refused(command(phone, {"do": "stake", "units": 2}, "/seat/2")) == (403, "not-your-seat")
    assert table.view()["staked"] == 0


def test_a_seat_folds_in_its_own_turn_only(seated: Seated) -> None:
    phone, table = seated("rochi", seat=2)
    for card in ("6D1", "7D1", "5N2", "4D1", "3D1", "2D1"):
        table.submit({"do": "seed", "card": card}, source="dealer")
    assert refused(command(phone, {"do": "fold"}, "/seat/2")) == (409, "not-your-turn")
    table.submit({"do": "fold"}, source="dealer")
    assert command(phone, {"do": "fold"}, "/seat/2").status_code == 200
    assert [one["has_folded"] for one in table.view()["hands"]] == [True, True, False]


@pytest.mark.parametrize("record", [{"do": "play", "card": "6D3"}, {"do": "undo"}, {"do": "leave", "player": "Aubrey"}])
def test_a_seat_says_nothing_else(seated: Seated, record: dict[str, Any]) -> None:
    phone, _ = seated("rochi")
    assert refused(command(phone, record, "/seat/1")) == (403, "not-allowed")


# ---- what the dealer intends


def test_the_dealer_says_what_the_next_card_is(seated: Seated) -> None:
    client, table = seated("rochi")
    log_in(client)
    sent = client.post("/api/v1/intentions", json={"next": "deal"}, headers=bearer())
    assert (sent.status_code, sent.get_json()) == (200, {"next": "deal"})
    assert table.take_intentions() == (("deal", "api"),)
    assert table.view("dealer")["intention"] == "deal"
    assert "intention" not in table.view("room")


def test_nobody_else_does(seated: Seated) -> None:
    phone, table = seated("rochi")
    token = {"X-CSRFToken": csrf_of(phone, "/seat/1")}
    assert refused(phone.post("/api/v1/intentions", json={"next": "play"}, headers=token)) == (401, "not-logged-in")
    wrong = phone.post("/api/v1/intentions", json={"next": "burn"}, headers=bearer())
    assert wrong.status_code == 400
    assert table.take_intentions() == ()
