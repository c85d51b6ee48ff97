"""The print page: access, the buttons' downloads, and errors."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from webclient import log_in

from companion.app.setup.sheets import PrintShop, SheetWish
from companion.objects.decks import DeckStore
from companion.service.table_service import TableService
from companion.testing import DECKS, INSTALLED
from web_ui import AccessStore, create_app


class Setup:
    """The part of the back end that this page uses: real sheets, and the recorded requests."""

    def __init__(self, data: Path) -> None:
        self.shop = PrintShop(INSTALLED, data, lambda game: {}, lambda: (1, 5, 10))
        self.store = DeckStore(data, DECKS)
        self.wished: list[SheetWish] = []

    def decks(self) -> list[dict[str, str]]:
        own = {"id": "own-1", "kind": "own", "name": "Old cards", "created": ""}
        return [*({"id": d.id, "kind": d.kind, "name": d.name, "created": d.created} for d in self.store.all()), own]

    def sheet(self, wish: SheetWish) -> bytes:
        self.wished.append(wish)
        return self.shop.sheet(wish)


@pytest.fixture
def setup(tmp_path: Path) -> Setup:
    return Setup(tmp_path)


@pytest.fixture
def app(service: TableService, access: AccessStore, setup: Setup) -> Iterator[Flask]:
    app = create_app(service, access=access, test_config={"TESTING": True})
    app.extensions["table_setup"] = setup
    return app


def test_only_the_dealer_prints(app: Flask, setup: Setup) -> None:
    """A seat card contains the code that gives a phone control of the seat."""
    stranger = app.test_client()
    assert 'name="pin"' in stranger.get("/setup/print").text
    assert stranger.get("/setup/print/seats.pdf").status_code == 401
    assert setup.wished == []


@pytest.mark.thorough
def test_every_button_of_the_page_saves_a_sheet(dealer: FlaskClient, setup: Setup) -> None:
    deck = setup.store.new("roche", "Friday")
    page = dealer.get("/setup/print").text
    assert f"{deck.id} · Friday · Roche deck" in page
    assert "Old cards" not in page, "cards that were enrolled are not printed"
    buttons = re.findall(r'formaction="/setup/print/(\w+)\.pdf"(?: name="(\w+)" value="([\w-]+)")?', page)
    assert {what for what, _, _ in buttons} == {
        "deck", "tokens", "stickers", "rules", "slips", "mat", "seats", "coins", "chips", "dice", "test",
    }  # fmt: skip
    for what, name, value in buttons:
        chosen = {"deck": deck.id, "game": "roche", "mat": "roche", "paper": "letter", "duplex": "short"}
        query = [*chosen.items(), ("right", "0,5"), ("down", "-1"), *([(name, value)] if name else [])]
        answer = dealer.get(f"/setup/print/{what}.pdf", query_string=query)
        assert answer.status_code == 200, (what, answer.text)
        assert answer.data.startswith(b"%PDF")
        assert setup.wished[-1].offset == (0.5, -1.0)
        assert setup.wished[-1].paper == ("full" if value == "full" else "letter")
    assert {wish.copies for wish in setup.wished if wish.what == "tokens"} == {1, 2}
    assert ("LDR",) in {wish.only for wish in setup.wished}


def test_seat_cards_are_of_those_who_sit_there(dealer: FlaskClient, setup: Setup, access: AccessStore) -> None:
    taken = [p["seat"] for p in dealer.get("/api/v1/state").json["players"]]
    assert dealer.get("/setup/print/seats.pdf").status_code == 200
    assert [one.seat for one in setup.wished[-1].seats] == taken
    first = setup.wished[-1].seats[0]
    assert first.player == "Aubrey"
    assert first.code.replace("-", "") == access.seat_code(1)
    assert first.link.endswith(f"/seat/1#{access.seat_code(1)}")
    assert dealer.get("/setup/print/seats.pdf?only=9").status_code == 200
    assert [(one.seat, one.player) for one in setup.wished[-1].seats] == [(9, None)]


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("tokens.pdf?deck={standard}", "has no tokens"),
        ("deck.pdf", "Make one with"),
        ("deck.pdf?deck={standard}&right=9", "at most 6 mm"),
        ("test.pdf?down=low", "down is a number, not low"),
        ("test.pdf?down=nan", "down is a number, not nan"),
        ("seats.pdf?only=13", "There is no seat 13"),
        ("mat.pdf?game=whist", "no mat for"),
        ("rules.pdf?game=whist", "There is no game"),
        ("coins.pdf?only=x", "There is no paper chip X"),
        ("coins.pdf?paper=napkin", "Print one of"),
        ("napkins.pdf", "There are sheets of"),
    ],
)
def test_what_cannot_be_printed_is_said_on_the_page(dealer: FlaskClient, setup: Setup, query: str, why: str) -> None:
    """With the choices kept, so that they can be corrected."""
    standard = setup.store.new("standard")
    answer = dealer.get(f"/setup/print/{query.format(standard=standard.id)}")
    assert 400 <= answer.status_code < 500
    assert why in answer.text
    assert 'role="alert"' in answer.text
    if "right=9" in query:
        assert 'name="right" inputmode="decimal" pattern="-?[0-9]([.,][0-9]+)?" maxlength="5" value="9"' in answer.text


def test_the_wish_says_the_language_of_the_page(app: Flask, setup: Setup) -> None:
    client = app.test_client()
    log_in(client)
    client.get("/setup/print/rules.pdf?game=rochi", headers={"Accept-Language": "de"})
    assert setup.wished[-1] == replace(SheetWish("rules"), game="rochi", language="de")


def test_mats_are_called_by_their_games_in_the_pages_language(dealer: FlaskClient) -> None:
    page = dealer.get("/setup/print", headers={"Accept-Language": "de"}).text
    named = dict(re.findall(r'<option value="([\w-]+)"[^>]*>([^<]+)', page[page.index('name="mat"') :]))
    assert named["rugen-house"] == "Haus-Rugen"
    assert (named["roulette"], named["roulette-american"]) == ("Roulette", "Roulette: Amerikanisch")
    assert (named["roche"], named["grand-roche"]) == ("Roche", "Roche: Groß")
    assert named["holdem"] == "Texas hold&#39;em"
