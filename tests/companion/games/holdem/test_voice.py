"""Spoken announcements at a hold'em table: events in each language, and the next step."""

import pytest

from companion.journal.store import FILE_NAME
from companion.kernel.header import Header
from companion.service.announcer import aloud, spoken, to_say
from companion.service.questions import Question
from companion.service.table_service import TableService
from companion.testing import INSTALLED, say


@pytest.fixture
def service(tmp_path):
    header = Header(INSTALLED.rules("holdem"), (("Ann", 1000), ("Bo", 1000)), {})
    opened = TableService.open(tmp_path / FILE_NAME, header, INSTALLED)
    yield opened
    opened.close()


def heard(service, language, *records):
    """Return the announcement after the last of these commands."""
    for record in records:
        before = spoken(service.glance())
        service.submit(record, source="dealer")
    return [say(line.text, language) for line in to_say(before, spoken(service.glance()))]


START = ({"do": "post"}, {"do": "hole", "player": "Bo"}, {"do": "hole", "player": "Ann"})
TO_RIVER = (
    {"do": "call"}, {"do": "check"}, {"do": "board", "cards": ["AS", "KD", "2C"]}, {"do": "check"}, {"do": "check"},
    {"do": "board", "cards": ["7H"]}, {"do": "check"}, {"do": "check"}, {"do": "board", "cards": ["9C"]},
)  # fmt: skip


@pytest.mark.parametrize(
    ("language", "raised", "flop"),
    [
        ("en", "Ann raises to 150", "Deal the flop: three cards"),
        ("de", "Ann erhöht auf 150", "Den Flop geben: drei Karten"),
        ("es", "Ann sube a 150", "Reparta el flop: tres cartas"),
    ],
)
def test_each_bet_is_said_and_then_whose_turn_it_is(service, language, raised, flop):
    said = heard(service, language, *START, {"do": "raise", "to": 150})
    assert said[0] == raised
    assert "Bo" in said[-1]
    assert "100" in said[-1]
    assert heard(service, language, {"do": "call"})[-1] == flop


@pytest.mark.parametrize(
    ("language", "shown", "won"),
    [
        ("en", "Bo shows Q♠ Q♦: a pair", "Ann wins 100 from the main pot"),
        ("de", "Bo zeigt Q♠ Q♦: ", "Ann gewinnt 100 "),
        ("es", "Bo muestra Q♠ Q♦: ", "Ann gana 100 "),
    ],
)
def test_hands_that_are_shown_and_the_pot_are_said(service, language, shown, won):
    two = ({"do": "check"}, {"do": "check"})
    said = heard(service, language, *START, *TO_RIVER, *two, {"do": "show", "player": "Bo", "cards": ["QS", "QD"]})
    assert said[0].startswith(shown)
    said = heard(service, language, {"do": "show", "player": "Ann", "cards": ["AD", "AH"]})
    assert any(text.startswith(won) for text in said)


def test_what_the_camera_asks_is_said_in_place_of_the_prompt(service):
    """The question stops the deal, and mentions only the card's position."""
    before = spoken(service.glance())
    text = "A card lies open at Ann's place. Turn it over, or take it back into the deck."
    service.set_questions("camera", (Question("exposed::1", "exposed", text, (), None, blocks=True),))
    assert [line.text for line in to_say(before, spoken(service.glance()))] == [text]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Bo shows Queen of Spades, Ten of Diamonds: high card"),
        ("de", "Bo zeigt Pik Dame, Karo Zehn: "),
        ("es", "Bo muestra Reina de picas, Diez de diamantes: "),
    ],
)
def test_cards_are_said_in_words(service, language, said):
    """Speech engines read suit symbols badly or not at all."""
    checks = ({"do": "check"}, {"do": "check"})
    shown = {"do": "show", "player": "Bo", "cards": ["QS", "TD"]}
    written = heard(service, language, *START, *TO_RIVER, *checks, shown)[0]
    assert aloud(written, lambda card: say(card, language)).startswith(said)
