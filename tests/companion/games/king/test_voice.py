"""Spoken announcements of a revealed round of King of Roulette, in each language."""

import pytest

from companion.journal.store import FILE_NAME
from companion.kernel.header import Header
from companion.service.announcer import spoken, to_say
from companion.service.table_service import TableService
from companion.testing import INSTALLED, say

NAMES = ("Ann", "Bo", "Cy", "Dee")
ROUND = [
    *({"do": "vote", "player": name, "for": "Ann"} for name in NAMES),
    {"do": "rule", "text": "The brave win", "one": [1, 2], "two": 3},
    {"do": "guess", "range": "2-3"},
    {"do": "bet", "player": "Bo", "space": 1},
    {"do": "bet", "player": "Cy", "space": 3},
    {"do": "bet", "player": "Dee", "space": "king"},
]


@pytest.fixture
def service(tmp_path):
    header = Header(INSTALLED.rules("king-of-roulette"), tuple((name, 9) for name in NAMES), {})
    opened = TableService.open(tmp_path / FILE_NAME, header, INSTALLED)
    for record in ROUND:
        opened.submit(record, source="dealer")
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("language", "rule", "king", "prompt"),
    [
        ("en", "Round 1: “The brave win”", "Dee is the king of round 2", "Round 2: waiting for"),
        ("de", "Runde 1: „The brave win“", "Dee ist König der Runde 2", "Runde 2: "),
        ("es", "Ronda 1: «The brave win»", "Dee es rey en la ronda 2", "Ronda 2: "),
    ],
)
def test_the_reveal_is_said_and_then_what_follows(service, language, rule, king, prompt):
    before = spoken(service.glance())
    service.submit({"do": "reveal"}, source="dealer")
    said = [say(line.text, language) for line in to_say(before, spoken(service.glance()))]
    assert said[0].startswith(rule)
    assert king in said
    assert said[-1].startswith(prompt)


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"do": "bet", "player": "Dee", "space": 6}, "Dee has made a secret choice"),
        ({"do": "bet", "player": "Bo", "space": 6}, "A secret choice was made or changed"),
        ({"do": "use-bonus", "player": "Dee"}, "A secret choice was made or changed"),
    ],
)
def test_of_a_secret_only_what_everybody_sees_is_said(service, record, said):
    service.submit({"do": "undo"}, source="dealer")  # Dee's bet
    service.submit({"do": "buy-bonus", "player": "Dee"}, source="dealer")
    before = spoken(service.glance())
    service.submit(record, source="dealer")
    assert to_say(before, spoken(service.glance()))[0].text == said
