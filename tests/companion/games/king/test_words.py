"""Texts of King of Roulette: consistent form of address, lists of alternatives, named ties."""

import random
import re
from pathlib import Path

import pytest

from companion.games.king import plugin
from companion.games.king.demo.players import phone_choices
from companion.games.king.spaces import Rule
from companion.games.king.view import secrets_of
from companion.kernel.errors import TableError
from companion.locale import Translator
from companion.testing import INSTALLED, moment_at, new_table, say

LOCALE = Path(plugin.__file__).parent / "locale"
FAMILIAR = {
    "de": r"\b(du|dich|dir|deine?[mnrs]?|ihr|euch|[Dd]ecke|[Bb]estimme|[Mm]anipuliere|[Vv]erschieb|nenne)(?!\w)",
    "es": r"\b(tú|tus?|ti|te|vuestr[oa]s?|[Hh]as|elegid|Amaña la ronda(?! en))(?!\w)",
}
"""Words of informal address; the product uses "Sie" and "usted" throughout."""


def said_in(language: str) -> list[str]:
    """Return all translations of a language's catalogues."""
    pages = (LOCALE / f"{language}.json").read_text(encoding="utf-8")
    po = (LOCALE / f"{language}.po").read_text(encoding="utf-8")
    return [*re.findall(r'": (.*)', pages), *re.findall(r"msgstr(?:\[\d\])? ((?:\".*\"\n)+)", po)]


@pytest.mark.parametrize("language", ["de", "es"])
def test_everybody_is_addressed_formally(language):
    said = said_in(language)
    assert len(said) > 150
    assert [text for text in said if re.search(FAMILIAR[language], text)] == []


NAMES = ("Ann", "Bo", "Cy", "Dee")


def play(at, king, one, two, **bets):
    """Reveal a round."""
    at.do({"do": "rule", "text": "So be it", "one": list(one), "two": two})
    at.do({"do": "guess", "range": "2-3"})
    for player, space in bets.items():
        at.do({"do": "bet", "player": player, "space": space})
    at.do({"do": "reveal"})


@pytest.fixture
def reign():
    """A table with two rounds and Ann as the first king."""
    at = new_table("king-of-roulette", [(name, 0) for name in NAMES], {"rounds": 2})
    for name in NAMES:
        at.do({"do": "vote", "player": name, "for": "Ann"})
    return at


def prompt(at):
    return at.view()["prompt"]


def refusal(at, **record):
    with pytest.raises(TableError) as refused:
        at.do(record)
    return str(refused.value.message)


def test_whoever_may_be_elected_or_chosen_is_one_of_several(reign):
    """ "Elects the next king: Bo, Cy" read as if both were elected."""
    play(reign, "Ann", (1, 2), 3, Bo="king", Cy="king", Dee=6)
    assert prompt(reign) == "Ann elects the next king: one of Bo and Cy"
    assert refusal(reign, do="elect", player="Dee") == "Dee cannot be elected. Choose Bo or Cy."
    reign.do({"do": "elect", "player": "Bo"})
    play(reign, "Bo", (1, 2), 3, Ann=1, Cy=6, Dee=6)
    assert prompt(reign) == "Ann chooses the Elimination Candidate: one of Bo, Cy and Dee"
    assert refusal(reign, do="choose", player="Ann") == "Ann is not tied for last. Choose Bo, Cy or Dee."


def test_a_guess_that_is_not_offered_names_the_alternatives(reign):
    assert refusal(reign, do="guess", range="4-5") == "The king cannot guess '4-5'. Guess 0-1 or 2-3."


def test_a_tied_vote_is_named_until_there_is_a_king():
    at = new_table("king-of-roulette", [(name, 0) for name in NAMES])
    assert (prompt(at), at.view()["vote_tied"]) == ("Vote for the first king: waiting for Ann, Bo, Cy, Dee", False)
    for name, king in zip(NAMES, ("Ann", "Ann", "Bo", "Bo"), strict=True):
        at.do({"do": "vote", "player": name, "for": king})
    assert prompt(at) == "The vote was tied. Vote again: waiting for Ann, Bo, Cy, Dee"
    at.do({"do": "vote", "player": "Ann", "for": "Ann"})
    assert prompt(at) == "The vote was tied. Vote again: waiting for Bo, Cy, Dee"
    for name in NAMES[1:]:
        at.do({"do": "vote", "player": name, "for": "Ann"})
    assert (at.view()["king"], at.view()["vote_tied"]) == ("Ann", False)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Spaces 1 and 2 earn 1 point and space 3 earns 2 points.", "„Die Felder 1 und 2 bringen 1 Punkt, Feld 3 "),
        ("So be it", "„So be it“"),
    ],
)
def test_the_log_has_a_rule_without_the_kings_words_in_the_readers_language(reign, text, said):
    reign.do({"do": "rule", "text": text, "one": [1, 2], "two": 3})
    reign.do({"do": "guess", "range": "2-3"})
    for name in NAMES[1:]:
        reign.do({"do": "bet", "player": name, "space": 1})
    (revealed,) = [event for event in reign.do({"do": "reveal"}) if type(event).__name__ == "RoundRevealed"]
    assert said in say(revealed.sentence, "de")


@pytest.mark.parametrize("language", ["de", "es"])
def test_one_who_is_missing_is_not_several(reign, language):
    """ "Runde 1: Es fehlen Dee" was said when only Dee was missing."""
    reign.do({"do": "rule", "text": "So be it", "one": [1, 2], "two": 3})
    reign.do({"do": "guess", "range": "2-3"})
    for name in NAMES[1:-1]:
        reign.do({"do": "bet", "player": name, "space": 4})
    said = Translator(INSTALLED.packages)(prompt(reign), language)
    assert "Dee" in said
    assert not re.search(r"\b(fehlen|faltan)\b", said)


def test_simulated_kings_have_words_of_their_own_in_each_language(reign):
    """They all said "Spaces 1 and 2 earn 1 point and space 3 earns 2 points."."""
    moment, rng, translate = moment_at(reign), random.Random(1), Translator(INSTALLED.packages)
    forms = set()
    for _ in range(40):
        rule = next(one for one in phone_choices(moment, "Ann", rng) if one["do"] == "rule")
        reign.do(rule)
        assert rule["text"] in Rule("", tuple(rule["one"]), rule["two"]).sayings
        forms.add(re.sub(r"\d", "#", rule["text"]))
        kept = secrets_of(reign.position.state, "Ann")["rule"]["text"]
        said = {translate(kept, language) for language in ("en", "de", "es")}
        assert rule["text"] in said
        assert len(said) == 3
    assert len(forms) == 4
