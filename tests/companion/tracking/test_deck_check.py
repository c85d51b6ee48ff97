"""Deck check: missing, duplicate, forged and foreign cards."""

import json

import cv2
import pytest

from companion.cli import run_command_line as run
from companion.objects.decks import Deck, DeckStore
from companion.testing import DECKS
from companion.tracking.cards.deck_check import DeckCheck
from companion.vision.sightings import FrameReading
from hardware.demo.printer import DeckPrinter

from .conftest import sighting

DECK = Deck("K7QX", DECKS["red"], "Red", b"", "")


def reading(*cards):
    return FrameReading((1920, 1080), cards)


def test_all_cards_in_any_order_make_it_complete():
    check = DeckCheck(DECK)
    for i, card in enumerate(reversed(DECK.cards)):
        assert check.see(reading(sighting(card, 10 * i, 0))) == (card,)
    assert check.is_complete
    assert check.problems() == ()


def test_a_card_known_by_its_tag_only_is_not_counted():
    check = DeckCheck(DECK)
    check.see(reading(sighting("6D3", 0, 0, status="tag")))
    assert "6D3" in check.missing
    assert any("could not be read: 6D3" in text for text in check.problems())


def test_a_copy_must_be_seen_beside_the_card_for_some_frames():
    check = DeckCheck(DECK)
    both = reading(sighting("6D3", 0, 0), sighting("6D3", 500, 0))
    for _ in range(4):
        check.see(both)
    assert not check.double
    check.see(both)
    assert list(check.double) == ["6D3"]


def test_a_photograph_accuses_at_once():
    check = DeckCheck(DECK, sure_frames=1)
    check.see(
        reading(
            sighting("6D1", 0, 0, status="forged"),
            sighting("6D2", 200, 0, status="foreign", deck="ZZZZ"),
            sighting("6D3", 400, 0, deck="B222"),
        )
    )
    assert check.to_json() | {"missing": 0, "seen": 0} == {
        "deck": "K7QX",
        "kind": "red",
        "cards": 50,
        "seen": 0,
        "missing": 0,
        "double": [],
        "forged": ["6D1"],
        "foreign": ["6D2 of deck ZZZZ"],
        "other_deck": ["6D3 of deck B222"],
        "complete": False,
    }


@pytest.fixture(scope="module")
def photographs(tmp_path_factory):
    """Photographs of a deck's cards, one missing and one forged."""
    home = tmp_path_factory.mktemp("home")
    deck = DeckStore(home, DECKS).new("red")
    printer = DeckPrinter(deck)

    def draw(card, make):
        return cv2.resize(printer(card, make), None, fx=0.4, fy=0.4, interpolation=cv2.INTER_AREA)

    pictures = home / "pictures"
    pictures.mkdir()
    for card in deck.cards:
        if card != "7N7":
            cv2.imwrite(str(pictures / f"{card}.png"), draw(card, "forged" if card == "3D1" else "genuine"))
    return home, pictures, deck, draw


@pytest.mark.thorough
def test_the_command_names_what_is_missing_and_forged(photographs, capsys):
    home, pictures, deck, draw = photographs
    assert run(["deck", "check", "--data", str(home), "--camera", str(pictures), "--json"]) == 1
    out, err = capsys.readouterr()
    record = json.loads(out)
    assert (record["missing"], record["forged"], record["complete"]) == (["3D1", "7N7"], ["3D1"], False)
    assert err.startswith("companion: Missing: 3D1, 7N7.")
    assert f"companion print deck --deck {deck.id} --only 3D1,7N7" in err
    for card in ("3D1", "7N7"):
        cv2.imwrite(str(pictures / f"{card}.png"), draw(card, "genuine"))
    assert run(["deck", "check", "--data", str(home), "--camera", str(pictures)]) == 0
    assert f"Deck {deck.id} is complete: all 50 cards were seen." in capsys.readouterr().out


def test_without_a_deck_it_says_what_to_do(tmp_path, capsys):
    assert run(["deck", "check", "--data", str(tmp_path), "--camera", "demo"]) == 2
    assert "Make one with `companion deck new`" in capsys.readouterr().err


def test_without_a_camera_no_deck_is_complete(tmp_path, capsys, monkeypatch):
    """The demo table stood in, drew every card, and the deck that nobody had shown was complete."""
    monkeypatch.setattr("hardware.cameras.open.count_cameras", lambda: 0)
    monkeypatch.setattr("hardware.cameras.open.capture_devices", list)
    DeckStore(tmp_path, DECKS).new("red")
    assert run(["deck", "check", "--data", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "No camera is connected. The demo table stands in. But this needs a real camera" in err


def test_several_decks_are_one_shoe(tmp_path, capsys):
    """Cards of both decks belong; one of a third deck, a forged one and a copy are each reported."""
    store = DeckStore(tmp_path, DECKS)
    one, two, third = (store.new("standard") for _ in range(3))
    check = [DeckCheck(deck, 1, (one.id, two.id)) for deck in (one, two)]
    for found in check:
        found.see(
            reading(
                *(sighting(card, 70 * i, 0, deck=deck.id) for deck in (one, two) for i, card in enumerate(deck.cards)),
                sighting("AS", 0, 300, deck=third.id),
                sighting("KS", 100, 300, status="forged", deck=one.id),
                sighting("7C", 200, 300, deck=two.id),
            )
        )
    assert [found.is_complete for found in check] == [True, True]
    stray = f"Not of this shoe, but of another of your decks: AS of deck {third.id}. Put them back there."
    assert check[0].problems() == (
        "Forged: KS. Keep them out of the deck, and ask where they came from.",
        stray,
    )
    copies = f"Deck {two.id}: Double: 7C. Destroy the copies; only one of each may be in the deck."
    assert check[1].problems() == (copies, *check[0].problems())


def test_the_command_checks_a_whole_shoe(tmp_path, capsys):
    """From a photograph of one ace, the rest of both decks is reported missing, by deck id."""
    store = DeckStore(tmp_path, DECKS)
    one, two, third = (store.new("standard") for _ in range(3))
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    for deck in (one, two, third):
        cv2.imwrite(
            str(pictures / f"{deck.id}.png"), cv2.resize(DeckPrinter(deck)("AS", "genuine"), None, fx=0.4, fy=0.4)
        )
    shoe = ("--deck", one.id.lower(), "--deck", two.id)
    assert run(["deck", "check", "--data", str(tmp_path), "--camera", str(pictures), *shoe, "--json"]) == 1
    out, err = capsys.readouterr()
    record = json.loads(out)
    assert [(deck["deck"], deck["seen"]) for deck in record["decks"]] == [(one.id, ["AS"]), (two.id, ["AS"])]
    assert record["complete"] is False
    assert err.count("Not of this shoe") == 1
    assert all(f"Deck {deck.id}: Missing: 2S," in err for deck in (one, two))
