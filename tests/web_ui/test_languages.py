"""Every text in every language: no missing keys, the same slots, including the table's own messages."""

import json
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from babel.messages.pofile import read_po
from flask import Flask
from flask.testing import FlaskClient

from companion.games.roche.plugin import spot_words
from companion.games.rugen.plugin import house_spot
from companion.kernel.errors import TableError
from companion.kernel.events import BoughtIn, to_json
from companion.kernel.table import Header, Table
from companion.plugins.web import Texts
from companion.testing import INSTALLED, say
from web_ui.strings import LANGUAGES, catalogue, filled, game_catalogue, text

OTHERS = [language for language in LANGUAGES if language != "en"]
WEBS = {plugin.web.family: plugin.web for plugin in INSTALLED.values() if plugin.web is not None}
FOLDERS = {"": resources.files("web_ui.strings")} | {
    f"{family}/": resources.files(web.package).joinpath("locale") for family, web in WEBS.items()
}
FILES = sorted(
    prefix + file.name.removeprefix("en.")
    for prefix, folder in FOLDERS.items()
    for file in folder.iterdir()
    if file.name.startswith("en.")
)
SCRIPTS = sorted((Path(__file__).parent.parent / "playthroughs").glob("*/*.jsonl"))


def texts_of(language: str, part: str) -> dict[str, Any]:
    family, slash, name = part.rpartition("/")
    found: dict[str, Any] = json.loads(FOLDERS[family + slash].joinpath(f"{language}.{name}").read_text("utf-8"))
    return found


def slots(value: object) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", json.dumps(value)))


@pytest.mark.parametrize("part", FILES)
@pytest.mark.parametrize("language", OTHERS)
def test_no_text_is_missing_and_each_has_the_same_slots(language: str, part: str) -> None:
    english, other = texts_of("en", part), texts_of(language, part)
    assert sorted(set(english) - set(other)) == [], "not translated"
    assert sorted(set(other) - set(english)) == [], "translated, and used nowhere"
    assert [key for key in english if slots(english[key]) != slots(other[key])] == []
    assert [key for key in english if isinstance(english[key], dict) != isinstance(other[key], dict)] == []


def sentences() -> Iterator[tuple[str, str]]:
    """Return all messages for the room from the recorded playthroughs of all games."""
    for script in SCRIPTS:
        lines = [json.loads(line) for line in script.read_text().splitlines() if line.strip() and line[0] != "#"]
        try:
            table = Table(Header.parse(lines[0], INSTALLED))
            for record in lines[1:]:
                for event in table.do(record):
                    yield script.name, to_json(event).get("text", "")
                view = table.view()
                yield from (
                    (script.name, said) for said in (view["prompt"], view.get("undo"), view.get("hold")) if said
                )
                yield from ((script.name, reason) for reason in (view.get("reasons") or {}).values())
        except TableError:
            continue


@pytest.fixture(scope="module")
def everything_said() -> dict[str, str]:
    return {said: where for where, said in sentences() if said}


@pytest.mark.parametrize("language", OTHERS)
def test_every_sentence_of_the_playthroughs_is_translated(language: str, everything_said: dict[str, str]) -> None:
    assert len(everything_said) > 300
    names = re.compile(r"\b(and|the|is|pays|plays|wins|card|cards|bets|cannot|first|until)\b")
    left = {said: say(said, language) for said in everything_said}
    assert [said for said, told in left.items() if told == said] == []
    assert [told for told in left.values() if names.search(told)] == [], "half a sentence is still English"


def test_names_stay_as_they_are_and_what_nobody_translated_stays_english() -> None:
    assert say(BoughtIn("Anna-Lena O'Hara", 50).sentence, "de") == "Anna-Lena O'Hara kauft sich für 50 ein"
    assert say(BoughtIn("Kin", 50).sentence, "de") == "Kin kauft sich für 50 ein", "a player may be called like a suit"
    assert say("Something of somebody's own", "es") == "Something of somebody's own"


def texts_in(language: str) -> Texts:
    """Find texts of the program and of all games."""
    found = catalogue(language)
    for web in WEBS.values():
        found = found | game_catalogue(web, language)
    return lambda key, /, **values: filled(found[key], **values)


def test_cards_and_spots_have_names_in_every_language() -> None:
    assert spot_words("card/6N2", texts_in("es")) == "Linaje noche 2 en el corte"
    assert spot_words("terminus/6N2", texts_in("de")) == "Sippe Nacht 2 kommt zuletzt"
    assert house_spot("chain/3", texts_in("en")) == "Chain 3"
    assert text("to_cut", "es", count=1) == "falta 1"


# ---- which language a page is in


def lang_of(client: FlaskClient, path: str, asked: str) -> str:
    found = re.search(
        r'<html lang="(\w+)"', client.get(path, headers={"Accept-Language": asked}).get_data(as_text=True)
    )
    assert found
    return found[1]


def test_the_browser_decides_unless_somebody_chose(room: FlaskClient) -> None:
    assert lang_of(room, "/odds", "de-AT,de;q=0.9,en;q=0.5") == "de"
    assert lang_of(room, "/odds", "fr") == "en"
    room.set_cookie("language", "es")
    assert lang_of(room, "/odds", "de") == "es"
    room.set_cookie("language", "klingon")
    assert lang_of(room, "/odds", "de") == "de"


def test_the_house_decides_for_the_rooms_screen_alone(app: Flask) -> None:
    app.config["ROOM_LANGUAGE"] = "es"
    screen = app.test_client()
    assert lang_of(screen, "/", "en") == "es"
    assert lang_of(screen, "/odds", "en") == "en"
    screen.set_cookie("language", "de")
    assert lang_of(screen, "/", "en") == "de"


def test_what_is_refused_on_a_page_is_said_in_its_language(room: FlaskClient) -> None:
    page = room.get("/dealer", headers={"Accept-Language": "de"}).get_data(as_text=True)
    token = re.search(r'name="csrf_token" value="([^"]+)"', page)
    assert token
    form = {"pin": "9999", "csrf_token": token[1]}
    said = room.post("/dealer/login", data=form, headers={"Accept-Language": "de"}).get_data(as_text=True)
    assert "Diese PIN ist falsch." in said


FAMILIAR = {
    "de": r"\b(?:[Dd]u|[Dd]ich|[Dd]ir|[Dd]ein\w*)\b"
    r"|(?:^|[.!?:;,] |\boder |\bund )(?i:kaufe|frag|frage neu|nimm|drücke|prüfe|wähle|gib|öffne|sieh|lies|tippe|zeige|"
    r"starte|versuche|rufe|decke das|lege|warte|schalte|zahle|wirf|wende)\b(?! Sie\b)",
    "es": r"\b(?:[Tt]ú|[Tt]e|[Tt]i|[Tt]us?|[Cc]ontigo)\b"
    r"|(?:^|[.!?:;] )(?:Compra con|Muestra primero|Apuesta en su|Llama|Pulsa|Elige|Escribe|Toca|Mira|Abre|Haz|Pon|"
    r"Prueba|Comprueba|Quita|Guarda|Coloca|Busca|Usa)\b",
}
"""How nobody is addressed: the table says Sie and usted."""


def said_in(language: str) -> Iterator[str]:
    """Everything that is said in a language: the pages' texts and the program's sentences."""
    for part in FILES:
        for value in texts_of(language, part).values():
            yield from value.values() if isinstance(value, dict) else [str(value)]
    for place in ("companion", "hardware", "web_ui"):
        for file in sorted((Path(__file__).parents[2] / place).rglob(f"{language}.po")):
            with file.open("rb") as opened:
                for entry in read_po(opened, locale=language):
                    yield from [entry.string] if isinstance(entry.string, str) else entry.string


@pytest.mark.parametrize("language", OTHERS)
def test_everybody_is_addressed_formally(language: str) -> None:
    assert [one for one in said_in(language) if re.search(FAMILIAR[language], one)] == []


ANOTHER_WORD = {"de": r"\bFloors?\b|Börse", "es": r"\bfloor\b(?!\.md)|\b[Bb]olsas?\b"}
"""Second words for what has one already: Leitstelle and Geldbeutel, sala central and monedero, at the table and in the
pit alike."""


@pytest.mark.parametrize("language", OTHERS)
def test_the_pit_and_the_tables_call_things_by_the_same_words(language: str) -> None:
    assert [one for one in said_in(language) if re.search(ANOTHER_WORD[language], one)] == []
