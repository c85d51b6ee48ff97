"""No sentence of the table is English only: what refuses, asks, notes and explains is found in the programs themselves.

Sentences are taken from the source, so that a new one without its German and Spanish fails here on the day it is
written. Those for programs alone (a command that is no command, an option in a hand script) stay English.
"""

from __future__ import annotations

import ast
import itertools
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.kernel import errors
from companion.kernel.errors import BadScript, TableError
from companion.testing import INSTALLED
from web_ui.phrases import say
from web_ui.strings import LANGUAGES, catalogue, game_catalogue

ROOT = Path(__file__).parent.parent.parent
OTHERS = [language for language in LANGUAGES if language != "en"]
RAISING = (
    "companion/games",
    "companion/kernel/table.py",
    "companion/kernel/cashier.py",
    "companion/service/question_queue.py",
    "companion/service/table_service.py",
)
FOR_PEOPLE = {
    name
    for name, thing in vars(errors).items()
    if isinstance(thing, type) and issubclass(thing, TableError) and not issubclass(thing, BadScript)
}
IN_A_SLOT = (
    "Ann", "3", "Kin day 3", "Kin", "3n", "A bet", "bets",
    "has to wait: bets are still open. Call no more bets first.",
    "has to wait: the chain has begun. Throw on until a number breaks, or undo.",
    "has to wait: the chain has begun. Throw on until it is decided, or undo.",
)  # fmt: skip
"""What the sentences' slots hold: a name, a number, a card, a suit, a face, a deed, a reason."""


def parts_of(node: ast.expr) -> list[str | None] | None:
    """A text's literal parts, None for each slot; None for the whole if it is no text written there."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return [str(part.value) if isinstance(part, ast.Constant) else None for part in node.values]
    return None


ASKED_BY_PROGRAMS = {"odds", "odds.py", "paytable.py"}
"""What odds and price tables refuse is said on the command line, in English."""


def refusals() -> Iterator[Any]:
    """Every sentence with which a rule, the table or the cage refuses something, with where it stands."""
    for place in RAISING:
        path = ROOT / place
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            if ASKED_BY_PROGRAMS & set(file.parts):
                continue
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
                    name = getattr(node.exc.func, "id", "")
                    parts = parts_of(node.exc.args[0])
                    if name in FOR_PEOPLE and parts:
                        yield pytest.param(parts, id=f"{file.name}:{node.lineno}")


def filled(parts: list[str | None]) -> Iterator[str]:
    for values in itertools.product(IN_A_SLOT, repeat=parts.count(None)):
        given = iter(values)
        yield "".join(next(given) if part is None else part for part in parts)


@pytest.mark.parametrize("parts", list(refusals()))
def test_every_refusal_is_said_in_every_language(parts: list[str | None]) -> None:
    for language in OTHERS:
        assert any(say(text, language) != text for text in filled(parts)), language


ASKED = """
Kin day 3 and Kin day 4 still lie on the table from before this hand. Gather and shuffle before you deal.
Kin day 3 still lies on the table from before this round. Gather and shuffle before you deal.
Kin day 3 came to lie, but it is Ann's turn, and no card may be played or dealt now. Take it back, or undo.
Kin day 3 of deck 0a1b is not in the deck that is played here. Take it off the table.
Kin day 3 is not of this house. Take it off the table.
Kin day 3 is forged: its code is not signed with the house's key. Take it off the table, and keep it.
Kin day 3 was taken off the table. Lay it back, or undo.
Kin day 3, Kin day 4 and Valor night 1 were taken off the table. Lay them back, or undo.
Kin day 3 was dealt and taken off the table. Lay it back, or undo the deal.
A card lies face down or cannot be read, and the deal waits. Turn it over and it counts in its place; take it away and it does not count.
A card that cannot be read came to lie before the cut. Turn it over; if it counts, undo the last deal first.
Kin day 3 came after the card that lay face down was taken up. Is it that card?
Kin day 3 is not seen any more where Valor night 1 lies. Does it lie under it?
Kin day 3 is not seen any more where Valor night 1 lies. Does it lie under it? If it was taken away, undo the deals back to it.
It was taken away: undo the deal of Kin day 3
Kin's token is not on the table any more. Lay it back where it belongs.
The leader button lies on the table twice. Take one of the two away.
Kin day 3 lies before Ann as a Shield, where it does not belong now, and it is Bo's turn. What is it?
Ann laid Kin day 3, and it is Bo's turn. What is it?
Kin day 3 came, its token lies before Ann, and it is nobody's turn. What is it?
Kin day 3 came, and its token did not tell whether it was played or dealt; it is Bo's turn. What is it?
Kin day 3: played or dealt?
Kin day 3 was dealt, not played
A forged Kin day 3 lies on the table.
A card reads as Kin day 3 and as Kin day 5.
A throw could not be read.
3 dice lay in the tray.
Something that is not the die of this game lies in the tray. Take it out, and throw a d20 or a Rugen die.
The die rolled out of the camera's sight, so it does not count. Throw it again, or tap what counts on the dealer's page.
The die was taken up before it could be read: that throw does not count.
The die cannot be read for sure.
Camera 0 stopped sending pictures. Check its cable; it is opened again by itself.
That PIN is wrong. Check it and try again.
Dealer log-in refused at 10.0.0.7: That PIN is wrong. Check it and try again.
There is no such page. Go back to the table.
Something came in between, so nothing was undone. Look at what undo would take back now.
Taking a bet back has to wait: the deal is under way. Deal on until a suit is cut, or undo.
Ann has bought a suit and owns it until somebody buys it. He ends the turn.
""".strip().splitlines()  # noqa: E501 (each is one sentence)
ENGLISH = re.compile(r"\b(the|and|lies|is|table|card|turn|it|before)\b")


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("sentence", ASKED)
def test_questions_and_notices_are_said_whole_in_every_language(sentence: str, language: str) -> None:
    told = say(sentence, language)
    assert told != sentence
    assert not ENGLISH.search(told), told


def test_fairness_is_said_in_every_language() -> None:
    for language in OTHERS:
        for said in (
            "Too few throws to say anything: 12 of 60.",
            "Nothing speaks against the die after 80 throws.",
            "The die is not fair: fewer than 1 fair die in 40000 would ever look like this; 17 came 40 times where 9 "
            "are usual. Take another.",
        ):
            assert say(said, language) != said


def explained() -> Iterator[str]:
    """Every practice text that stands in the program as a whole."""
    for module in {sys.modules[p.practice.__module__] for p in INSTALLED.values() if p.practice is not None}:
        for name, texts in vars(module).items():
            if isinstance(texts, dict) and name.isupper():
                yield from (text for text in texts.values() if isinstance(text, str))


@pytest.mark.parametrize("language", OTHERS)
def test_every_practice_text_is_said_in_every_language(language: str) -> None:
    texts = list(explained())
    assert len(texts) > 10
    assert [text for text in texts if say(text, language) == text] == []


def all_games(language: str) -> dict[str, Any]:
    """The texts of every game's own pages."""
    webs = {plugin.web.package: plugin.web for plugin in INSTALLED.values() if plugin.web is not None}
    return {key: text for web in webs.values() for key, text in game_catalogue(web, language).items()}


@pytest.mark.parametrize("language", OTHERS)
def test_the_words_of_the_game_are_explained_in_every_language(language: str) -> None:
    """The page's glossary has its texts in the catalogue; the API's, for programs, is English."""
    english, other = all_games("en"), all_games(language)
    means = [key for key in english if key.startswith("means_")]
    assert len(means) >= 12
    assert [key for key in means if other[key] == english[key]] == []


# ---- no page speaks past the catalogue

FOLDERS = ("web_ui/static/js", "companion/games/*/web")
SCRIPTS = [path for folder in FOLDERS for path in sorted(ROOT.glob(f"{folder}/*.js"))]
TEMPLATES = sorted((ROOT / "web_ui" / "templates").glob("*.html"))
SHOWN = re.compile(r"""(?:h\([^()"']*|,\s*|toast\(|announce\()"([A-Z][a-z]+(?: [a-z]+)+[.!?]?)\"""")
NOT_SHOWN = re.compile(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}|<script.*?</script>|<!--.*?-->", re.DOTALL)
LABELS = re.compile(r"""(?:aria-label|title|placeholder|alt)(?:"?:|=)\s*"([A-Z]?[a-z]+(?: [a-z]+)*[.!?]?)\"""")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_no_script_shows_words_of_its_own(script: Path) -> None:
    text = re.sub(r"//.*|/\*[^*]*\*/", "", script.read_text(encoding="utf-8"))
    assert SHOWN.findall(text) + LABELS.findall(text) == []


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_no_template_shows_words_of_its_own(template: Path) -> None:
    text = NOT_SHOWN.sub("", template.read_text(encoding="utf-8"))
    assert LABELS.findall(text) == []
    words = re.findall(r"[A-Za-z]{3,}", re.sub(r"<[^>]*>", " ", text))
    assert [word for word in words if word not in ("UTC", "CSV", "JSON")] == []


PARTS = sorted(file.stem.removeprefix("en.") for file in (ROOT / "web_ui" / "strings").glob("en.*.json"))


def keys_in(text: str) -> set[str]:
    """Texts that a script or template asks for by a key of its own, not by one put together."""
    return set(re.findall(r"""(?<![\w.])t\(["']([a-z0-9_]+)["'][,)]""", text))


@pytest.mark.parametrize("file", [*SCRIPTS, *TEMPLATES], ids=lambda path: path.name)
def test_every_text_that_is_asked_for_is_in_the_catalogue(file: Path) -> None:
    known = catalogue("en", *PARTS) | all_games("en")
    assert sorted(keys_in(file.read_text(encoding="utf-8")) - set(known)) == []
