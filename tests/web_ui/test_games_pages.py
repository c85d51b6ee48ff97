"""The pages of every game: their scripts, their size, what a seat may say, and what the dealer intends."""

import gzip
import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from webclient import bearer, command, csrf_of, log_in

from companion.config.games import games_part
from companion.config.tables import Config
from companion.plugins.registry import Games
from companion.plugins.web import WebPart
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
from web_ui import AccessStore, create_app
from web_ui.assets import Assets
from web_ui.strings import catalogue, game_catalogue

FILES = Assets(plugin.web for plugin in INSTALLED.values() if plugin.web is not None).files
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
    found = set(re.findall(r'type="module" src="/static/\w+/([\w/]+\.js)"', page))
    assert len(found) == 1
    while more := {n for f in found for n in imported(f)} - found:
        found |= more
    return found


def imported(name: str) -> list[str]:
    named = re.findall(r'from "([\w./]+)"', FILES[name].decode())
    return [posixpath.normpath(posixpath.join(posixpath.dirname(name), one)) for one in named]


@pytest.mark.parametrize("game", sorted(INSTALLED))
def test_every_page_of_a_game_has_its_script_and_a_small_first_paint(seated: Seated, game: str) -> None:
    client, _ = seated(game)
    for path, kind in (("/", "table"), ("/odds", "odds"), ("/seat/1", "seat")):
        page = client.get(path).get_data(as_text=True)
        files = scripts_of(page)
        sheets = set(re.findall(r'href="/static/\w+/([\w/]+\.css)"', page))
        prefix = re.findall(r'"(/static/\w+)/', page)[0]
        names = {f"{prefix}/{name}" for name in files | sheets | {"fonts/cinzel-bold.woff2"}}
        total = sum(len(client.get(name, headers={"Accept-Encoding": "gzip"}).data) for name in (path, *names))
        assert total <= FIRST_PAINT_BYTES, f"{path}: {total} bytes"
        web = INSTALLED[game].web
        assert web is not None
        styles = {f"games/{web.family}/{style}" for style in web.styles} if kind in web.pages else set()
        assert styles <= sheets


@pytest.mark.parametrize("game", sorted(INSTALLED))
def test_a_games_pages_lie_in_its_package(game: str) -> None:
    web = INSTALLED[game].web
    assert web is not None
    for name in (*(f"{page}.js" for page in web.pages), *web.styles):
        assert f"games/{web.family}/{name}" in FILES


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".js")])
def test_a_script_imports_what_there_is_and_nothing_of_another_game(name: str) -> None:
    folder = posixpath.dirname(name)
    for other in imported(name):
        assert other in FILES, other
        assert posixpath.dirname(other) in (folder, "js"), other


@pytest.mark.parametrize("game", [name for name, plugin in INSTALLED.items() if plugin.house is not None])
def test_what_the_house_keeps_is_said_of_bets_by_their_names(game: str) -> None:
    """The set-up page of blackjack said “insurance” in German."""
    plugin = INSTALLED[game]
    assert plugin.web is not None
    edges = plugin.house_edges(games_part(Config(), plugin).for_edges({}))
    assert edges
    for language in ("en", "de", "es"):
        words = {**catalogue(language, "setup"), **game_catalogue(plugin.web, language, "setup")}
        assert {f"fam_{part.family}" for part in edges} <= set(words)


def test_two_families_of_one_name_are_refused() -> None:
    mine, other = (
        replace(INSTALLED[game], web=WebPart(package=f"companion.games.{game}", family="poker"))
        for game in ("roche", "rochi")
    )
    with pytest.raises(
        ValueError, match=r"^companion\.games\.rochi and companion\.games\.roche are both called 'poker'$"
    ):
        Games((mine, other))


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


def test_the_bankers_phone_says_the_bank_and_nobody_elses(seated: Seated) -> None:
    phone, table = seated("chinchirorin", seat=2)
    for player, die in (("Aubrey", 1), ("Benedict", 6), ("Chance", 2)):
        table.submit({"do": "throw-for-bank", "player": player, "die": die}, source="dealer")
    assert refused(command(phone, {"do": "bank", "player": "Aubrey", "amount": 5}, "/seat/2")) == (403, "not-your-seat")
    assert command(phone, {"do": "bank", "amount": 5}, "/seat/2").status_code == 200
    assert table.view()["bank"] == 5
    assert refused(command(phone, {"do": "bet", "amount": 5}, "/seat/2")) == (409, "not-offered")


@pytest.mark.parametrize("record", [
    {"do": "bet", "amount": 5, "allowed": True}, {"do": "close"}, {"do": "throw", "dice": [6, 6, 6]},
    {"do": "throw-for-bank", "die": 6}, {"do": "undo"}, {"do": ["bet"]},
])  # fmt: skip
def test_the_bankers_word_and_the_dice_are_not_a_phones(seated: Seated, record: dict[str, Any]) -> None:
    phone, _ = seated("chinchirorin")
    assert refused(command(phone, record, "/seat/1")) == (403, "not-allowed")


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


def test_payments_are_ticked_by_the_dealer_alone(seated: Seated) -> None:
    phone, table = seated("roche")
    for record in (
        {"do": "bet", "player": "Aubrey", "on": "cut/2", "amount": 4},
        *({"do": "no-more-bets"}, {"do": "deal", "card": "2D1"}, {"do": "deal", "card": "2D2"}),
    ):
        table.submit(record, source="test")
    sheet = table.view()["pay_sheet"]
    assert sheet is not None
    body: dict[str, Any] = {"sheet": sheet["id"], "steps": [sheet["steps"][0]["key"]], "paid": True}
    token = {"X-CSRFToken": csrf_of(phone, "/seat/1")}
    assert refused(phone.post("/api/v1/payments", json=body, headers=token)) == (401, "not-logged-in")
    for wrong in ({"sheet": 1}, {"steps": "pay"}, {"steps": [1]}, {"paid": 1}):
        assert phone.post("/api/v1/payments", json=body | wrong, headers=bearer()).status_code == 400
    assert refused(phone.post("/api/v1/payments", json=body | {"sheet": "1-x"}, headers=bearer())) == (
        409,
        "nothing-done",
    )
    sent = phone.post("/api/v1/payments", json=body, headers=bearer())
    assert (sent.status_code, sent.get_json()["seq"]) == (200, table.view()["seq"])
    ticked = table.view()["pay_sheet"]
    assert ticked is not None
    assert (ticked["paid"], ticked["left"]) == (body["steps"], 0)


def test_nobody_else_does(seated: Seated) -> None:
    phone, table = seated("rochi")
    token = {"X-CSRFToken": csrf_of(phone, "/seat/1")}
    assert refused(phone.post("/api/v1/intentions", json={"next": "play"}, headers=token)) == (401, "not-logged-in")
    wrong = phone.post("/api/v1/intentions", json={"next": "burn"}, headers=bearer())
    assert wrong.status_code == 400
    assert table.take_intentions() == ()
