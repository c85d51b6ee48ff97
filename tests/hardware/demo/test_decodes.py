"""Acid test: plain decoders read all 54 printed cards in the demo's frames."""

import cv2
import pytest
import zxingcpp

from companion.games.roche.demo.felt import felt_of
from companion.games.roche_deck.design import FULL_DECK
from companion.objects.codes import CodeStatus, check_code, parse_code
from companion.testing import DECKS
from hardware.demo.camera import DemoCamera
from hardware.demo.card_table import new_card_table
from hardware.demo.printer import standalone_deck

DECK = standalone_deck(DECKS["roche"])
KEYS = {DECK.id: DECK.key}


@pytest.fixture(scope="module")
def table():
    return new_card_table(DECK, felt_of(DECK.cards), seed=11)


def codes_in(image):
    found = zxingcpp.read_barcodes(image, formats=zxingcpp.BarcodeFormat.QRCode)
    return [code for barcode in found if (code := parse_code(barcode.text)) is not None]


def tags_in(image):
    family = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    _, numbers, _ = cv2.aruco.ArucoDetector(family).detectMarkers(image)
    return sorted(numbers.ravel().tolist()) if numbers is not None else []


def settle(table):
    with DemoCamera(table, paced=False) as camera:
        frame = camera.read(0)
        while table.busy:
            frame = camera.read(0)
        return frame.image


@pytest.mark.thorough
def test_all_54_cards_at_any_angle(table):
    """The code and both tags of each card, twelve cards at a time across the table."""
    for place, cards in enumerate(FULL_DECK[i : i + 12] for i in range(0, 54, 12)):
        table.restore([])
        for i, card in enumerate(cards):
            table.put(card, -310 + 122 * (i % 6), -130 + 160 * (i // 6), 37 * i + 20 * place)
        image = settle(table)
        assert sorted(code.id for code in codes_in(image)) == sorted(cards)
        assert all(check_code(code, KEYS, DECKS.tag_of) is CodeStatus.OK for code in codes_in(image))
        assert tags_in(image) == sorted(2 * [DECKS.tag_of[card] for card in cards])


@pytest.mark.thorough
def test_full_stacks_show_every_first_tag_and_the_top_codes(table):
    dealt = [card for card in FULL_DECK if card[1] == "D"]
    table.restore(dealt)
    image = settle(table)
    assert set(tags_in(image)) == {DECKS.tag_of[card] for card in dealt}
    assert {code.id for code in codes_in(image)} == {f"{rank}D{rank}" for rank in range(2, 8)}


@pytest.mark.thorough
def test_a_card_dealt_by_the_hand_is_read_once_it_lies(table):
    table.restore([])
    for card in ("2N1", "5D2", "7N7"):
        table.deal(card)
        assert card in {code.id for code in codes_in(settle(table))}


def test_forged_and_foreign_cards_look_genuine_and_are_not(table):
    table.restore([])
    table.put("6D3", -200, 0, make="forged")
    table.put("6D4", 0, 0, make="foreign")
    table.put("6D5", 150, 0, face_up=False)
    image = settle(table)
    assert {code.id: check_code(code, KEYS, DECKS.tag_of) for code in codes_in(image)} == {
        "6D3": CodeStatus.FORGED,
        "6D4": CodeStatus.FOREIGN,
    }
    assert tags_in(image) == sorted(2 * [DECKS.tag_of["6D3"], DECKS.tag_of["6D4"]])


def test_glare_hides_the_code_but_not_the_tags(table):
    table.restore(["6D3"])
    settle(table)
    table.glare("6D3", seconds=1)
    image = settle(table)
    assert codes_in(image) == []
    assert DECKS.tag_of["6D3"] in tags_in(image)
    with DemoCamera(table, 2, paced=False) as camera:
        frames = [camera.read(0) for _ in range(4)]
    assert [code.id for code in codes_in(frames[-1].image)] == ["6D3"]
