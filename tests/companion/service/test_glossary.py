"""The glossary has every term of the rules' list, and says only what the rules do."""

import re
from collections import Counter

import pytest

from companion.kernel.errors import BadScript
from companion.objects.cards import RANKS, SUIT_NAMES
from companion.service.glossary import glossary
from companion.testing import INSTALLED


def words(game: str) -> set[str]:
    return {word.lower() for term in glossary(INSTALLED, game) for word in (term["word"], *term["also"])}


def test_the_slang_of_the_rules_is_explained():
    slang = {"hand", "round", "stacks", "stories", "ripe", "fresh", "green", "rotten", "dead", "mark", "shield", "poke",
             "count", "buy", "cut", "locked", "fold", "last hand", "leader button", "seed", "marker"}  # fmt: skip
    assert slang <= words("rochi")
    assert {"cut", "ripe", "pass", "locked", "mark"} <= words("captains")
    assert not {"fold", "leader button"} & words("captains")


def test_every_game_has_words():
    assert all(words(game) for game in INSTALLED)
    assert {game for term in glossary(INSTALLED) for game in term["games"]} == set(INSTALLED)


def test_a_word_that_several_games_share_is_explained_once():
    """The games share one object, so that nobody corrects only one of two explanations."""
    words_ = Counter(term["word"] for term in glossary(INSTALLED))
    assert {word for word, times in words_.items() if times > 1} == {"Split", "Surrender"}  # other things in each game


def test_the_cuts_are_those_of_the_deck():
    (cut,) = (term for term in glossary(INSTALLED) if term["word"] == "Cut")
    assert dict(re.findall(r"(\d) (\w+)", cut["means"])) == {str(rank): SUIT_NAMES[rank] for rank in RANKS}


def test_a_term_is_short_enough_to_read_between_two_turns():
    assert all(len(term["means"]) <= 240 and term["means"].endswith(".") for term in glossary(INSTALLED))


def test_an_unknown_game_is_refused():
    with pytest.raises(BadScript):
        glossary(INSTALLED, "poker")
