"""All texts of the Rugen tables and their die are messages and completely translated."""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.games.rugen.mats.zones import MAT
from companion.games.rugen.plugin import CAPITAL, HOUSE, STREET
from companion.kernel.errors import TableError
from companion.kernel.events import Event
from companion.kernel.messages import Message
from companion.kernel.table import Header, Table
from companion.locale import Translator
from companion.odds.fairness import D20, Watch
from companion.printing.mats.sheet import whole_mat_pdf
from companion.testing import INSTALLED, new_header
from companion.tracking.dice.pace import slow_words
from companion.tracking.dice.questions import about_slow, about_unsure
from companion.tracking.dice.verdict import Verdict

SCRIPTS = sorted((Path(__file__).parents[3] / "playthroughs").glob("rugen-*/*.jsonl"))
PLAYERS = (("Ann", 500), ("Bo", 500), ("Cy", 500))
SAY = Translator(INSTALLED.packages)
ENGLISH = re.compile(r"\b(the|by day|by night|is|of|on|and|units?|coins?|takes?|throws?|breaks?|bets?|stakes?|wins?)\b")


def played(script: Path) -> Iterator[str]:
    """Yield all texts of a recorded table: events, reasons of transfers, prompts, refusals, undo labels."""
    lines = [json.loads(line) for line in script.read_text().splitlines() if line.strip() and line[0] != "#"]
    table = Table(Header.parse(lines[0], INSTALLED))
    for record in lines[1:]:
        try:
            happened = table.do(record)
        except TableError as error:
            yield error.message
            continue
        for event in happened:
            yield event.sentence if isinstance(event, Event) else event.why
        view = table.view()
        yield view["prompt"]
        yield from table.game.reasons(table.position.state).values()
        yield from (view["undo"],) if view["undo"] else ()


def left_english(said: Iterable[str], language: str) -> list[str]:
    """Return the texts that are not messages or not completely translated."""
    told = ((text, SAY(text, language)) for text in said)
    return [text for text, other in told if not isinstance(text, Message) or text == other or ENGLISH.search(other)]


SHARED = re.compile(r"^(bet|take back|stake on) \S+/\d|\S+/\d won$|\S+/\d lost$|^buy-in$|^cash-out$")
"""Reasons of transfers shared by all banked games and the cashier."""


@pytest.mark.parametrize("language", ["de", "es"])
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_every_sentence_of_the_recorded_tables_is_translated(script: Path, language: str) -> None:
    said = {text for text in played(script) if not SHARED.search(text)}
    assert len(said) > 3
    assert left_english(said, language) == []


REFUSED: dict[str, list[list[dict[str, Any]]]] = {
    "rugen-house": [
        [{"do": "bet", "player": "Ann", "on": "center/3", "amount": 4}],
        [{"do": "bet", "player": "Ann", "on": "center/9", "amount": 9}],
        [{"do": "throw", "face": "2d"}, {"do": "bet", "player": "Ann", "on": "chain/3", "amount": 4}],
        [
            {"do": "bet", "player": "Ann", "on": "chain/3", "amount": 4},
            {"do": "throw", "face": "2d"},
            {"do": "take-back", "player": "Ann", "on": "chain/3"},
        ],
        [{"do": "throw", "d20": 21}],
        [{"do": "throw", "face": "5d"}],
        [{"do": "throw", "face": "1d", "d20": 20}],
    ],
    "rugen-street": [
        [{"do": "take", "player": "Bo", "number": 2}],
        [{"do": "throw", "face": "3d"}, {"do": "close"}],
        [{"do": "throw", "face": "3d"}, {"do": "stake", "units": 2}, {"do": "take", "player": "Ann", "number": 2}],
        [{"do": "throw", "face": "3d"}, {"do": "stake", "units": 2}, {"do": "take", "player": "Bo", "number": 3}],
        [{"do": "throw", "face": "3d"}, {"do": "stake", "units": 2}, {"do": "take", "player": "Bo", "number": 7}],
        [{"do": "throw", "face": "3d"}, {"do": "stake", "units": 2}, {"do": "throw", "face": "3d"}],
        [
            {"do": "throw", "face": "3d"},
            {"do": "stake", "units": 2},
            {"do": "take", "player": "Bo", "number": 2, "units": 3},
        ],
        [{"do": "throw", "face": "3d"}, {"do": "leave", "player": "Ann"}],
    ],
    "rugen-capital": [
        [{"do": "throw", "face": "3d"}],
        [{"do": "take", "player": "Bo", "number": 2}],
        [{"do": "close"}, {"do": "take", "player": "Bo", "number": 2, "units": 1}],
        [
            {"do": "take", "player": "Bo", "number": 2, "units": 2},
            {"do": "take", "player": "Cy", "number": 3, "units": 1},
        ],
    ],
}


@pytest.mark.parametrize("language", ["de", "es"])
@pytest.mark.parametrize("game", REFUSED)
def test_every_refusal_is_translated(game: str, language: str) -> None:
    for *before, refused in REFUSED[game]:
        table = Table(new_header(game, PLAYERS))
        for record in before:
            table.do(record)
        with pytest.raises(TableError) as error:
            table.do(refused)
        assert left_english([error.value.message], language) == [], refused


def watched(throws: Iterable[int]) -> Watch:
    watch = Watch.start(D20)
    for face in throws:
        watch = watch.after(str(face))
    return watch


@pytest.mark.parametrize("language", ["de", "es"])
def test_what_is_explained_and_judged_is_translated(language: str) -> None:
    fair, uneven = watched(range(1, 21)), watched([17] * 9)
    terms = [term for plugin in (HOUSE, STREET, CAPITAL) for term in plugin.terms if term.word != "Day and night"]
    verdicts = [fair.verdict, uneven.verdict, watched([17] * 40).verdict, watched([*range(1, 21)] * 4).verdict]
    assert len(set(verdicts)) == 4
    asked = about_unsure(1, Verdict("d20", trouble="unsure", likely=("6",)), None)
    said = [*verdicts, *(word for term in terms for word in (term.word, term.means)), asked.text]
    said += [choice.label for choice in asked.choices] + [about_slow(slow_words(0.7)).text]
    assert left_english(said, language) == []


@pytest.mark.parametrize(
    ("late", "at_first", "then"),
    [
        (False, "are made now, before the first throw.", "are closed until it does."),
        (
            True,
            "are made now, or later on a number that has no marker yet.",
            "still taken on a number without a marker.",
        ),
    ],
)
def test_practice_says_when_chain_bets_are_taken(*, late: bool, at_first: str, then: str) -> None:
    table = Table(new_header("rugen-house", PLAYERS, {"late_chain": late}))
    assert HOUSE.practice is not None
    told = [HOUSE.practice(table.view())]
    table.do({"do": "throw", "face": "3d"})
    told.append(HOUSE.practice(table.view()))
    assert told[0].endswith(at_first)
    assert told[1].endswith(then)
    assert left_english(told, "de") == []


def test_the_mat_is_true_at_a_table_that_takes_late_chain_bets_too() -> None:
    """The mat is the same for all settings, so it does not mention them."""
    said: list[str] = []
    whole_mat_pdf(MAT, say=lambda one: said.append(one) or str(one))
    (line,) = (one for one in said if one.startswith("Chain bets"))
    assert "or, where the house allows it, on a number without a marker" in line
    assert left_english([line], "de") == left_english([line], "es") == []
