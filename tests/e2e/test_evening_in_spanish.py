"""An evening whose dealer reads Spanish: no game is named in English, spots are typed by their names, files come."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from webhouse import House

pytestmark = pytest.mark.browser

TRIO = (("María José", 100), ("Íñigo", 100), ("Ana", 100))
SPANISH = {"locale": "es"}


@pytest.mark.thorough
def test_a_spot_is_typed_by_its_name_on_the_page(open_house: Callable[..., House], sit: Callable[..., Page]) -> None:
    house = open_house("roulette", TRIO, bank=20_000)
    dealer = sit(house, 0, **SPANISH)
    for typed, says in (("3 rojo 4", "Ana: 4 en Rojo"), ("2 numero17 3", "Íñigo: 3 en Número 17")):
        dealer.keyboard.type(typed)
        expect(dealer.locator(".quick-says")).to_contain_text(says)
        dealer.keyboard.press("Enter")
        expect(dealer.locator(".quick-text")).to_have_value("")
        dealer.keyboard.press("Escape")
    expect(dealer.locator(".bet-list")).to_contain_text("Rojo")
    expect(dealer.locator(".bet-list")).to_contain_text("Número 17")
    assert {bet["on"]: bet["amount"] for bet in house.service.view()["bets"]} == {"red": 4, "straight/17": 3}


def test_games_are_named_in_the_readers_language(open_house: Callable[..., House], sit: Callable[..., Page]) -> None:
    dealer = sit(open_house("roulette", TRIO), 0, **SPANISH)
    dealer.get_by_role("button", name="Cambiar de juego").click()
    expect(dealer.get_by_role("dialog")).to_contain_text("Rey de la ruleta es para 4 jugadores o más")
    dealer.keyboard.press("Escape")
    dealer.get_by_role("tab", name="Registro").click()
    expect(dealer.locator(".log")).to_contain_text("Empieza una sesión de Ruleta")


@pytest.mark.thorough
def test_every_file_of_an_evening_comes_and_agrees(open_house: Callable[..., House], sit: Callable[..., Page]) -> None:
    """What the links bring says the same in every form, to the coin and to the accent."""
    house = open_house("roche", TRIO, bank=2000)
    house.do(do="bet", player="Íñigo", on="cut/3", amount=4)
    house.do(do="bet", player="Ana", on="cut/6", amount=5)
    house.do(do="no-more-bets")
    for card in ("3D1", "3N1", "3D2"):
        house.do(do="deal", card=card)
    dealer = sit(house, 0, **SPANISH)
    files = {}
    for path in ("/history", "/players"):
        dealer.goto(house.url + path)
        for link in dealer.locator("main a[href^='/api/v1/']").all():
            with dealer.expect_download() as coming:
                link.click()
            files[coming.value.suggested_filename] = Path(coming.value.path()).read_text("utf-8-sig")
    names = {"hands", "transfers", "league", "evenings", "bets"}
    assert set(files) == {f"{name}.{form}" for name in names for form in ("csv", "json")} | {"bgstats.json"}
    for name in names:
        assert len(list(csv.DictReader(io.StringIO(files[f"{name}.csv"])))) == len(json.loads(files[f"{name}.json"]))
    won = {one["player"]: int(one["won"]) for one in csv.DictReader(io.StringIO(files["evenings.csv"]))}
    assert (won["Íñigo"], won["Ana"]) == (14, -5)
    plays = json.loads(files["bgstats.json"])
    assert {one["name"]: one["score"] for one in plays[0]["players"]}.items() >= {"Íñigo": 14, "Ana": -5}.items()
