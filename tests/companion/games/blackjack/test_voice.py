"""Spoken announcements at a blackjack table; they never reveal a face-down card."""

import pytest

from companion.games.blackjack.camera import doubts
from companion.journal.store import FILE_NAME
from companion.kernel.header import Header
from companion.service.announcer import spoken, to_say
from companion.service.questions import Question
from companion.service.table_service import TableService
from companion.testing import INSTALLED, say

DEALT = [
    {"do": "bet", "player": "Ann", "amount": 100},
    {"do": "deal", "to": "Ann", "card": "8S"},
    {"do": "deal", "to": "dealer", "card": "6C"},
    {"do": "deal", "to": "Ann", "card": "8H"},
    {"do": "hole"},
]


@pytest.fixture
def service(tmp_path):
    header = Header(INSTALLED.rules("blackjack"), (("Ann", 900),), {})
    opened = TableService.open(tmp_path / FILE_NAME, header, INSTALLED)
    for record in DEALT:
        opened.submit(record, source="camera")
    yield opened
    opened.close()


def said_of(service, record, language="en"):
    before = spoken(service.glance())
    service.submit(record, source="camera")
    return [say(line.text, language) for line in to_say(before, spoken(service.glance()))]


def test_each_card_is_said_with_the_total_and_then_what_follows(service):
    assert said_of(service, {"do": "split", "player": "Ann", "cards": ["3D"]}) == [
        "Ann splits for 100 more: Three of Diamonds",
        "Ann's hand 1 decides on 11",
    ]
    assert said_of(service, {"do": "double", "player": "Ann", "card": "TC"})[0] == (
        "Ann's hand 1 doubles to 200: Ten of Clubs, 21"
    )


@pytest.mark.parametrize(
    ("language", "drawn", "paid"),
    [
        ("en", "The dealer: Ten of Spades, 16. The dealer must draw", "The dealer is bust with 25. Ann wins 100"),
        ("de", "Der Dealer: ", "25"),
        ("es", "El crupier: ", "25"),
    ],
)
def test_the_dealers_cards_and_what_was_won_are_said(service, language, drawn, paid):
    service.submit({"do": "stand", "player": "Ann"}, source="camera")
    assert said_of(service, {"do": "reveal", "card": "TS"}, language)[0].startswith(drawn)
    assert paid in said_of(service, {"do": "dealer-hit", "card": "9S"}, language)[1]


def test_a_face_down_card_that_was_seen_is_asked_aloud_without_its_name(service):
    doubt = doubts.shown_early("Ann", ())
    service.set_questions("camera", (Question("flashed:7", doubt.kind, doubt.text, (), None, True),))
    said = to_say(spoken(service.glance()), spoken(service.glance()))
    assert said == []
    prompt = spoken(service.glance()).prompt
    assert prompt.startswith("A second card of the dealer's lies open")
    assert say(prompt, "de").startswith("Eine zweite Karte des Dealers liegt offen, aber Ann entscheidet.")
