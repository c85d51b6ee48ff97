"""The pit's pages speak their reader's language: refusals, prices, games, and what a table tells of a dispute."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from floor_database import cluster, database  # noqa: F401  (fixtures)
from floor_pictures import PICTURE
from floor_wire import ServedHouse, until

from companion.app.floor.snapshot_feed import said_of
from companion.floor.cluster import Cluster
from companion.floor.desk.prices import Scope
from companion.kernel.messages import Message, message, plural
from web_ui.languages import COOKIE

ROOT = Path(__file__).parents[3]
FLOOR = "https://floor"
FOR_TABLES = {"table_api.py", "server.py", "table_desk_api.py"}
"""What only tables' programs ask; their dealers are told in the table's own words."""
FOR_PEOPLE = (
    *(path for path in sorted((ROOT / "web_ui/floor").glob("*.py")) if path.name not in FOR_TABLES),
    *(ROOT / "companion/floor" / f"{name}.py" for name in
      ("people", "house", "orders", "tables", "overview/day_close", "alarms/store", "broker/access", "desk/prices",
       "cashier", "purse", "player_cards")),
)  # fmt: skip
DOSSIER: dict[str, Any] = {
    "seq": 7, "round": "rugen-house 2", "hold": "two settlements differ", "disputed": True, "questions": [],
    "settlements": [{"seq": 6, "text": "throw", "differences": [], "lines": [
        {"account": "player/Ann", "first": 5, "second": 6}, {"account": "house", "first": -5, "second": -6},
        {"account": "stake/Ann/center/1", "first": 0, "second": None}, {"account": "no account", "first": 0,
                                                                         "second": 0}]}],
    "pictures": [{"seq": 5, "text": "3", "is_undone": False, "jpeg": None,
                  "facts": {"id": "3", "votes": "9", "confidence": "0.9812", "margin": "0.4000", "at": "20:14"}}],
}  # fmt: skip


def refusals() -> Iterator[Any]:
    """Every text with which the floor refuses a person something; 401 is for scripts, which log in again."""
    for path in FOR_PEOPLE:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
            if (
                name not in ("FloorError", "PurseError", "abort")
                or not isinstance(node, ast.Call)
                or len(node.args) < 2
            ):
                continue
            code, text = node.args[:2]
            if not (isinstance(code, ast.Constant) and code.value in {401}):
                yield pytest.param(text, id=f"{path.name}:{node.lineno}")


@pytest.mark.parametrize("text", list(refusals()))
def test_every_refusal_is_a_message(text: ast.expr) -> None:
    assert not isinstance(text, (ast.Constant, ast.JoinedStr, ast.BinOp)), ast.unparse(text)


@pytest.fixture
def served(cluster: Cluster, database: str, tmp_path: Path) -> Iterator[ServedHouse]:  # noqa: F811
    with ServedHouse(cluster, database, tmp_path / "floor") as house:
        for name, role in (("Olga", "owner"), ("Dan", "dealer")):
            house.house.set_person(name, role, "1234", "test")
        house.house.invite("Table 1", "test")
        yield house


def reader(served: ServedHouse, language: str, name: str = "Olga") -> FlaskClient:
    """A browser of somebody who is logged in and reads a language."""
    client: FlaskClient = served.app.test_client()
    client.set_cookie(COOKIE, language, domain="floor")
    client.get("/login", base_url=FLOOR)
    with client.session_transaction(base_url=FLOOR) as kept:
        token = kept["token"]
    assert client.post(
        "/login", data={"token": token, "name": name, "pin": "1234"}, base_url=FLOOR
    ).status_code == 302  # fmt: skip
    return client


def read(client: FlaskClient, path: str) -> str:
    return client.get(path, base_url=FLOOR).get_data(as_text=True)


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/nothing", 404, "Diese Seite gibt es nicht. Zurück zu den Tischen."),
        ("/tables/99", 404, "Diesen Tisch gibt es nicht."),
        ("/audit", 403, "Als Dealer dürfen Sie das nicht. Fragen Sie den Inhaber."),
        ("/orders/1.json", 403, "Als Dealer dürfen Sie das nicht."),
    ],
)
def test_a_page_that_is_refused_says_so_in_its_readers_language(
    served: ServedHouse, path: str, status: int, said: str
) -> None:
    answer = reader(served, "de", "Dan").get(path, base_url=FLOOR)
    assert answer.status_code == status
    assert said in answer.get_data(as_text=True)


def test_a_wrong_pin_is_told_as_an_error_and_keeps_the_name(served: ServedHouse) -> None:
    client: FlaskClient = served.app.test_client()
    client.get("/login", base_url=FLOOR)
    with client.session_transaction(base_url=FLOOR) as kept:
        token = kept["token"]
    form = {"token": token, "name": 'O"lga', "pin": "9999"}
    page = client.post("/login", data=form, base_url=FLOOR).get_data(as_text=True)
    assert '<p class="error" role="alert">Name or PIN is wrong. Enter both again.</p>' in page
    assert 'name="name" value="O&#34;lga"' in page
    assert "9999" not in page


@pytest.mark.parametrize(
    ("language", "title"), [("en", "House Rugen"), ("de", "Haus-Rugen"), ("es", "Rugen de la Casa")]
)
def test_the_board_and_a_tables_page_name_the_game_as_their_reader_does(
    served: ServedHouse, language: str, title: str
) -> None:
    served.house.live.take(1, {**PICTURE, "game": "rugen-house", "title": "House Rugen"})
    pit = reader(served, language)

    def shown() -> object:
        (line,) = pit.get("/board.json", base_url=FLOOR).get_json()["tables"]
        return line["picture"] and line["picture"]["title"]

    assert until(shown) == title
    assert f"<dd>{title}</dd>" in read(pit, "/tables/1")
    served.house.live.take(1, {**PICTURE, "game": "of-elsewhere", "title": "A game that is not installed here"})
    assert until(lambda: "<dd>A game that is not installed here</dd>" in read(pit, "/tables/1"))


@pytest.mark.thorough
def test_prices_and_their_changes_are_told_in_words(served: ServedHouse) -> None:
    book = served.house.prices
    book.set_games(Scope("house"), "roche", {"table.paytable": {"cut/6": "7:1"}, "table.min": 5}, base=0, who="Olga")
    book.set_group("Oben", ["Table 1"], base=1, who="Olga")
    book.bring_back(1, base=2, who="Olga")
    page = read(reader(served, "de"), "/prices")
    assert "Paytable" not in page
    assert page.count("Das ganze Haus · Roche · Mindesteinsatz: nichts → <strong>5</strong>") == 1
    assert "Das ganze Haus · Roche · Einzelne Preise: nichts → <strong>cut/6 7:1</strong>" in page
    assert "Gruppe Oben: nichts → <strong>Table 1</strong>" in page
    assert "Gruppe Oben: Table 1 → <strong>nichts</strong>" in page
    assert "table.min" not in page


def test_a_table_that_has_not_joined_plays_by_no_prices(served: ServedHouse) -> None:
    served.house.prices.set_games(Scope("house"), "roulette", {"table.min": 5}, base=0, who="Olga")
    page = read(reader(served, "en"), "/prices")
    assert "Not joined yet" in page
    assert "up to date" not in page
    assert "its own prices" not in page


@pytest.mark.parametrize(
    ("language", "title", "accounts", "sure"),
    [
        ("en", "House Rugen 2", ["Ann", "House", "Ann: center/1", "no account"], "0.9812"),
        ("de", "Haus-Rugen 2", ["Ann", "Haus", "Ann: center/1", "no account"], "0,9812"),
    ],
)
def test_a_dispute_names_accounts_round_and_numbers_as_people_do(
    served: ServedHouse, language: str, title: str, accounts: list[str], sure: str
) -> None:
    pit = reader(served, language)
    read(pit, "/tables/1/disputes.json")
    served.house.disputes.take(1, str(served.house.disputes.wanted_of(1)), DOSSIER)
    told = pit.get("/tables/1/disputes.json", base_url=FLOOR).get_json()["told"]
    assert told["round"] == title
    assert [line["account"] for line in told["settlements"][0]["lines"]] == accounts
    facts = told["pictures"][0]["facts"]
    assert (facts["confidence"], facts["votes"], facts["at"], facts["id"]) == (sure, "9", "20:14", "3")


@pytest.mark.parametrize(
    ("path", "here"),
    [("/", "/"), ("/tables/1", "/"), ("/prices", "/prices"), ("/prices/edit?scope=house&game=roche", "/prices"),
     ("/purses", "/purses"), ("/closes", "/closes")],
)  # fmt: skip
def test_the_menu_marks_the_page_that_is_open(served: ServedHouse, path: str, here: str) -> None:
    page = read(reader(served, "en"), path)
    assert re.findall(r'<a href="([^"]*)" aria-current="page">', page) == [here]


def test_a_dispute_is_told_in_the_readers_language(served: ServedHouse) -> None:
    """Of a table of an older version, and of what people wrote, the words stay as they are."""
    differs = "player/Ann would change by 5, the rules say 6"
    values = {"account": "player/Ann", "would": 5, "should": 6}
    told = {
        **DOSSIER,
        "hold": f"two settlements differ: {differs}",
        "questions": [{"kind": "unsure", "text": "The floor does not know this", "choices": ["the bowl"]}],
        "settlements": [{**DOSSIER["settlements"][0], "differences": [differs]}],
        "said": {
            differs: {"say": "{account} would change by {would}, the rules say {should}", "with": values},
            "The floor does not know this": {"say": "{nobody.__class__}", "with": {}},
            "the bowl": "no sentence",
        },
    }
    pit = reader(served, "de")
    read(pit, "/tables/1/disputes.json")
    served.house.disputes.take(1, str(served.house.disputes.wanted_of(1)), told)
    found = pit.get("/tables/1/disputes.json", base_url=FLOOR).get_json()["told"]
    (german,) = found["settlements"][0]["differences"]
    assert german == "Ann würde sich um 5 ändern, die Regeln sagen 6"
    assert found["hold"] == f"zwei Abrechnungen unterscheiden sich: {german}"
    assert found["questions"] == [
        {"kind": "unsure", "text": "The floor does not know this", "choices": ["the bowl"]}
    ]  # fmt: skip
    assert "said" not in found


def counted(n: int) -> Message:
    return plural("{n} card burned", "{n} cards burned", n)


@pytest.mark.parametrize(
    ("language", "n", "said"),
    [
        ("en", 1, "1 card burned"),
        ("en", 3, "3 cards burned"),
        ("de", 1, "1 Karte verbrannt"),
        ("de", 3, "3 Karten verbrannt"),
        ("es", 3, "3 cartas quemadas"),
    ],
)
def test_what_counts_something_is_told_in_the_readers_language_too(
    served: ServedHouse, language: str, n: int, said: str
) -> None:
    inner, outer = counted(n), message("Undone: {what}", what=counted(n))
    told = {
        **DOSSIER,
        "settlements": [{**DOSSIER["settlements"][0], "text": inner}],
        "pictures": [{**DOSSIER["pictures"][0], "text": outer}],
        "said": {str(one): said_of(one) for one in (inner, outer)},
    }
    pit = reader(served, language)
    read(pit, "/tables/1/disputes.json")
    served.house.disputes.take(1, str(served.house.disputes.wanted_of(1)), told)
    found = pit.get("/tables/1/disputes.json", base_url=FLOOR).get_json()["told"]
    assert found["settlements"][0]["text"] == said
    undone = {"en": "Undone: {}", "de": "Zurückgenommen: {}", "es": "Deshecho: {}"}[language]
    assert found["pictures"][0]["text"] == undone.format(said)


@pytest.mark.parametrize(
    ("language", "status", "troubles"),
    [
        ("en", "signed code", ["does not lie flat", "changed since the camera read it", "hit by a sleeve"]),
        ("de", "signierter Code", ["liegt nicht flach", "verändert, seit die Kamera es las", "hit by a sleeve"]),
        ("es", "código firmado", ["no está plano", "cambiada desde que la cámara la leyó", "hit by a sleeve"]),
    ],
)
def test_how_a_picture_was_read_is_told_in_words(
    served: ServedHouse, language: str, status: str, troubles: list[str]
) -> None:
    """What an unknown version of a table tells stays as it is."""
    said = ("leaning", "changed since the camera read it", "hit by a sleeve")
    pictures = [{**DOSSIER["pictures"][0], "facts": {"status": "ok", "trouble": one}} for one in said]
    pit = reader(served, language)
    read(pit, "/tables/1/disputes.json")
    told = {**DOSSIER, "pictures": pictures}
    served.house.disputes.take(1, str(served.house.disputes.wanted_of(1)), told)
    found = pit.get("/tables/1/disputes.json", base_url=FLOOR).get_json()["told"]
    assert [one["facts"]["trouble"] for one in found["pictures"]] == troubles
    assert {one["facts"]["status"] for one in found["pictures"]} == {status}


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("de", "So viele Münzen sind nicht in diesem Geldbeutel: 1.000."),
        ("es", "No hay tantas monedas en ese monedero: 1.000."),
    ],
)
def test_a_purse_that_holds_too_little_says_so_in_its_readers_language(
    served: ServedHouse, language: str, said: str
) -> None:
    number = served.house.cashier.open_purse("Ann", "Olga")
    pit = reader(served, language)
    page = read(pit, f"/purses/{number}")
    form = {name: re.search(rf'name="{name}" value="([^"]+)"', page)[1] for name in ("token", "key")}  # type: ignore[index]
    told = {**form, "way": "out", "coins": "1000"}
    answer = pit.post(f"/purses/{number}/coins", data=told, base_url=FLOOR)
    assert answer.status_code == 400
    assert said in answer.get_data(as_text=True)


def test_a_kind_of_deck_is_called_what_its_reader_calls_it(served: ServedHouse) -> None:
    told = [{"deck": "K7QX", "kind": "roche", "name": "Blau"}, {"deck": "K7QY", "kind": "of-elsewhere", "name": "Rot"}]
    served.house.decks.register(1, told)
    pit = reader(served, "de")
    assert "<td>Roche-Spiel</td>" in read(pit, "/decks")
    assert "<td>of-elsewhere</td>" in read(pit, "/decks")
    assert "Blau, Roche-Spiel</li>" in read(pit, "/tables/1")
