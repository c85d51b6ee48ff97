"""Texts of the Rugen tables that newcomers understand."""

import pytest

from companion.games.rugen.events import DieThrown
from companion.games.rugen.words import breaker_words, so_far_words
from companion.kernel.events import to_json
from companion.kernel.table import Table
from companion.objects.dice import DAY_NIGHT_FACES, number_of
from companion.testing import new_header, say

PLAYERS = (("Ann", 500), ("Bo", 500), ("Cy", 500))


def said_by(game: str, *records: dict[str, object]) -> list[str]:
    table = Table(new_header(game, PLAYERS))
    return [to_json(event)["text"] for record in records for event in table.do(record) if "text" in to_json(event)]


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_number_may_come_more_often_than_it_needs(number: int) -> None:
    """Ignored numbers in Street, or a chain that continues for side bets."""
    told = [so_far_words(number, count) for count in range(1, 9)]
    assert "it needs" in told[number - 1]
    assert all("before" in words for words in told[number:])
    assert not any("it needs" in words or "before" in words for words in told[: number - 1])


@pytest.mark.parametrize("language", ["de", "es"])
def test_every_throw_is_said_in_every_language(language: str) -> None:
    for face in DAY_NIGHT_FACES:
        for count in range(1, 7):
            words = so_far_words(number_of(face), count)
            assert say(words, language) != words
        sentence = DieThrown(face, number_of(face), 1).sentence
        assert "die shows" not in say(sentence, language)
        assert say(breaker_words(face), language) != breaker_words(face)


def test_a_chain_of_capital_rugen_reads_like_a_story() -> None:
    take = {"do": "take", "player": "Bo", "number": 2, "units": 2}
    assert said_by(
        "rugen-capital", take, {"do": "close"}, {"do": "throw", "face": "2d"}, {"do": "throw", "d20": 5}
    ) == [
        "Bo takes the 2 for 10 coins: 2 units of 5",
        "The house covers what nobody took: 14 on 1, 6 on 3, 4 on 4",
        "The die shows 2 by day: the first of two twos",
        "The die shows 5, that is 2 by night: the second of two twos, the last it needs",
        "The second 2, by night, breaks the chain: Bo wins 24, stake of 10 back: 34 in all",
    ]
