"""Messages: English text by default, translatable, and preserved in the journal."""

import copy
import json
import pickle
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from companion import locale
from companion.journal.replay import dumps
from companion.kernel.messages import (
    Message,
    either,
    in_words_of,
    joined,
    linked,
    listed,
    message,
    plural,
    slots_of,
    unpacked,
)
from companion.locale import Translator
from companion.testing import INSTALLED
from tools.messages import LANGUAGES, ROOT, found, written

BET = message("{player} bets {amount} on {spot}", player="Ann {x}", amount=3, spot=message("Kin"))
SAY = Translator(INSTALLED.packages)


def test_a_message_is_its_english_text():
    assert BET == "Ann {x} bets 3 on Kin"
    assert f"{BET:capital}!" == "Ann {x} bets 3 on Kin!"
    assert f"{message('the bank wins'):capital}" == "The bank wins"
    assert [plural("{n} bet", "{n} bets", n) for n in (-1, 0, 1, 2)] == ["-1 bets", "0 bets", "1 bet", "2 bets"]
    assert [linked(["Ann", "Bo", "Cy"][:count]) for count in range(4)] == ["", "Ann", "Ann and Bo", "Ann and Bo and Cy"]
    assert [listed(["Ann", "Bo", "Cy"][:count]) for count in range(4)] == ["", "Ann", "Ann and Bo", "Ann, Bo and Cy"]


def test_what_stands_in_a_slot_is_said_in_the_language_of_the_whole():
    assert SAY(BET, "de") == "Ann {x} setzt 3 auf Sippe"
    assert SAY(listed(["Ann", message("Kin"), message("Realm")]), "de") == "Ann, Sippe und Reich"


def test_alternatives_end_with_or():
    assert [either(["Ann", "Bo", "Cy"][:count]) for count in range(4)] == ["", "Ann", "Ann or Bo", "Ann, Bo or Cy"]
    assert [SAY(either(["Ann", message("Kin"), "Cy"]), language) for language in ("de", "es")] == [
        "Ann, Sippe oder Cy",
        "Ann, Linaje o Cy",
    ]


def test_the_words_of_the_game_on_the_table_count_before_another_games():
    """Roulette bets on a split, blackjack splits a hand: the same word in English."""
    names = {plugin.name: plugin.package for plugin in INSTALLED.values()}
    on = "blackjack"
    table = Translator(INSTALLED.packages, lambda: names[on])
    assert table(message("Split"), "de") == "Teilen"
    on = "roulette"
    assert table(message("Split"), "de") == "Split"


@pytest.mark.parametrize(("count", "said"), [(0, "0 Einsätze"), (1, "1 Einsatz"), (2, "2 Einsätze")])
def test_a_number_takes_its_form(count: int, said: str):
    assert SAY(plural("{n} bet", "{n} bets", count), "de") == said


def test_somebodys_own_words_and_a_sentence_without_translation_stay():
    assert SAY("Kin", "de") == "Kin"
    assert SAY(message("Nobody {verb} this", verb="translated"), "de") == "Nobody translated this"
    assert SAY(joined([message("Kin"), "Ann"], " · "), "es") == "Linaje · Ann"


def test_it_comes_back_from_the_journal_and_from_a_copy():
    text = dumps({"text": BET, "more": [plural("{n} bet", "{n} bets", 2), "plain", {"say": "Ann", "with": "Bo"}]})
    back = json.loads(text, object_hook=unpacked)
    assert back == {"text": BET, "more": ["2 bets", "plain", {"say": "Ann", "with": "Bo"}]}
    for again in (back["text"], copy.deepcopy(BET), pickle.loads(pickle.dumps(BET))):
        assert isinstance(again, Message)
        assert SAY(again, "es") == SAY(BET, "es") != BET


def test_all_of_a_value_is_said_in_one_language():
    value = {"log": [{"text": BET}], "names": ("Ann",), "n": 3}
    assert in_words_of(value, lambda text: SAY(text, "de")) == {
        "log": [{"text": "Ann {x} setzt 3 auf Sippe"}],
        "names": ["Ann"],
        "n": 3,
    }


FOLDERS = sorted({file.parent.relative_to(ROOT) for file in (ROOT / "companion").rglob("locale/*.po")})


@pytest.fixture(scope="module")
def source():
    """The messages in the source, by the folder with their translations."""
    return found()


def test_every_folder_of_translations_belongs_to_some_source(source):
    assert set(source) == set(FOLDERS), "run: make messages"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.as_posix())
def test_every_sentence_of_the_source_is_translated(source, folder: Path, language: str):
    file = ROOT / folder / f"{language}.po"
    assert written(source[folder], file, language) == file.read_bytes(), "run: make messages"
    for entry in read_po(file.open("rb"), locale=language):
        said = entry.string if isinstance(entry.string, tuple) else (entry.string,)
        keys = entry.id if isinstance(entry.id, tuple) else (entry.id,)
        for one in said if entry.id else ():
            assert one, f"no translation: {keys[0]}"
            assert slots_of(one) | {"n"} == slots_of(keys[-1]) | {"n"}, keys[0]  # "one card" needs no number


def test_a_games_title_is_said_in_the_readers_language_and_what_is_none_stays_as_it_is():
    sentence = "There is no game {game} here. Choose one of {games}."
    assert "König des Roulettes" in SAY(message(sentence, game="King of Roulette", games="x"), "de")
    for sent in ("'{'", "'}'", "'{a'", "'{0}'"):
        assert sent in SAY(message(sentence, game=sent, games="x"), "de")


def test_translations_are_read_once_whichever_game_comes_first(monkeypatch):
    """The current game's catalog comes first, but changing the game does not read all files again."""
    files = []
    really = locale.read_po
    monkeypatch.setattr(locale, "read_po", lambda file, **how: files.append(file) or really(file, **how))
    locale.catalogue.cache_clear()
    locale._own.cache_clear()
    hold = message("Undone: {what}", what="1")
    packages = INSTALLED.packages
    for first in packages[:2]:
        assert Translator(packages, lambda first=first: first)(hold, "de") == "Zurückgenommen: 1"
    assert len(files) == len({file.getvalue() for file in files}) > 2
