"""No sentence of the table is English only: what refuses, asks, notes and explains is a message with its translations.

What stands in the source is found there, so that a sentence that cannot be translated fails here on the day it is
written; that each message has its German and Spanish says `test_messages.py`. What is for programs alone (a command
that is no command, an option in a hand script) stays English.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.kernel import errors
from companion.kernel.errors import BadScript, TableError
from companion.testing import INSTALLED, say
from web_ui.strings import LANGUAGES, catalogue, game_catalogue

ROOT = Path(__file__).parent.parent.parent
OTHERS = [language for language in LANGUAGES if language != "en"]
RAISING = (
    "companion/games",
    "companion/kernel/table.py",
    "companion/kernel/cashier.py",
    "companion/service/committing/table_loop.py",
    "companion/service/question_queue.py",
)
FOR_PEOPLE = {
    name
    for name, thing in vars(errors).items()
    if isinstance(thing, type) and issubclass(thing, TableError) and not issubclass(thing, BadScript)
}
ASKED_BY_PROGRAMS = {"odds", "odds.py", "paytable.py"}
"""What odds and price tables refuse is said on the command line, in English."""


def refusals() -> Iterator[Any]:
    """Every text with which a rule, the table or the cage refuses something, with where it stands."""
    for place in RAISING:
        path = ROOT / place
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            if ASKED_BY_PROGRAMS & set(file.parts):
                continue
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                error = node.exc if isinstance(node, ast.Raise) else None
                if isinstance(error, ast.Call) and error.args and getattr(error.func, "id", "") in FOR_PEOPLE:
                    yield pytest.param(error.args[0], id=f"{file.name}:{error.lineno}")


@pytest.mark.parametrize("text", list(refusals()))
def test_every_refusal_is_a_message(text: ast.expr) -> None:
    assert not isinstance(text, (ast.Constant, ast.JoinedStr, ast.BinOp)), ast.unparse(text)


def explained() -> Iterator[str]:
    """Every practice text that stands in the program as a whole."""
    for module in {sys.modules[p.practice.__module__] for p in INSTALLED.values() if p.practice is not None}:
        for name, texts in vars(module).items():
            if isinstance(texts, dict) and name.isupper():
                yield from sentences(texts)


def sentences(texts: dict[str, Any]) -> Iterator[str]:
    for text in texts.values():
        if isinstance(text, dict):
            yield from sentences(text)
        elif isinstance(text, str):
            yield text


@pytest.mark.parametrize("language", OTHERS)
def test_every_practice_text_is_said_in_every_language(language: str) -> None:
    texts = list(explained())
    assert len(texts) > 16
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
