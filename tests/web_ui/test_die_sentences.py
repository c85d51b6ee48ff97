"""Whatever the die's eyes say or ask is said in every language, as it is put together in the program."""

from dataclasses import replace

import pytest

from companion.games.rugen.camera.throws import THROWS, close_first
from companion.testing import new_table, say
from companion.tracking.dice import questions as asks
from companion.tracking.dice.pace import slow_words
from companion.tracking.dice.sight import _TEXTS
from companion.tracking.dice.verdict import Verdict
from web_ui.strings import LANGUAGES

UNSURE = Verdict("d20", trouble="unsure", likely=("6", "9"))
QUESTIONS = [
    asks.about_unsure(1, UNSURE, None),
    asks.about_unsure(1, Verdict("d20", trouble="at-wall", likely=("6",)), None),
    asks.about_unsure(1, Verdict("d20", trouble="aside"), None),
    asks.about_leaning(1, 1),
    asks.about_leaning(1, 2),
    asks.about_wrong_kind(1, None, THROWS.dice),
    asks.about_wrong_kind(1, "d6", THROWS.dice),
    asks.about_two(2),
    asks.about_two(3),
    asks.about_left(1, "17", None),
    asks.about_flown(1, True),
    asks.about_flown(1, False),
    asks.about_placed(1, "3n", None),
    asks.about_unseen(1, "17", None),
    asks.about_unread(1, UNSURE, None),
    asks.about_twice(1, "17", None),
    asks.about_undone(1, "17", None),
    asks.about_early(
        1, "17", close_first(replace(new_table("rugen-house").situation(), expected=frozenset({"close"})))
    ),
    asks.about_slow(slow_words(0.7)),
]


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_every_question_about_a_die_is_asked_in_every_language(language):
    makers = {name for name in vars(asks) if name.startswith("about_")}
    assert len({question.kind for question in QUESTIONS}) >= len(makers) - 1, "a new question is missing here"
    said = [text for question in QUESTIONS for text in (question.text, *(c.label for c in question.choices))]
    assert [text for text in {*said, *_TEXTS.values()} if say(text, language) == text] == []
