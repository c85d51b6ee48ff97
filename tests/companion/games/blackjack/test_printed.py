"""The printed basic strategy card for the rules in force."""

from collections import Counter
from pathlib import Path

import numpy as np
import pypdfium2
import pytest

from companion.cli import run_command_line
from companion.games.blackjack.odds.card import letters, strategy_card
from companion.games.blackjack.odds.rule_set import RuleSet
from companion.games.blackjack.plugin import BLACKJACK
from companion.plugins.slips import slips_of
from companion.printing.raster import render
from companion.printing.sheets import Job, make_pdf


def printed(folder: Path, *more: str) -> str:
    """Return the text of the only page."""
    out = folder / "slips.pdf"
    argv = ["print", "slips", "--game", "blackjack", "--out", str(out), "--data", str(folder), *more]
    assert run_command_line(argv) == 0
    document = pypdfium2.PdfDocument(out)
    assert len(document) == 1
    return str(document[0].get_textpage().get_text_range())


def test_a_page_of_credit_cards_and_one_of_a5(tmp_path: Path) -> None:
    assert printed(tmp_path).count("split aces play on") == 9
    assert printed(tmp_path, "--paper", "letter").count("R = surrender") == 9
    assert printed(tmp_path, "--size", "a5").count("R = surrender") == 1


@pytest.mark.parametrize("language", ["en", "de", "es"])
@pytest.mark.parametrize("size", ["card", "a5"])
def test_the_rules_in_force_are_not_the_smallest_print(size: str, language: str) -> None:
    """In German on a credit card they were a third smaller than the rest and under four points; now in two lines."""
    card, *_ = slips_of(BLACKJACK, {}, size, language)
    words = pypdfium2.PdfDocument(make_pdf(Job("Slips", (card,))))[0].get_textpage()
    shown = words.get_text_range()
    begin = shown.index(str(strategy_card(RuleSet())["parts"][0]["rows"][0]["label"]))
    boxes = {"rules": words.get_charbox(shown.rindex("·", 0, begin), loose=True),
             "label": words.get_charbox(begin, loose=True)}  # fmt: skip
    tall = {what: top - bottom for what, (_, bottom, _, top) in boxes.items()}
    assert tall["rules"] > 0.74 * tall["label"]


@pytest.mark.parametrize(
    ("language", "words"),
    [("de", ("X = aufgeben", "Vz", "Weich", "2 Decks")), ("es", ("R = rendirse", "Dc", "Blandas", "2 barajas"))],
)
def test_in_the_players_language(tmp_path: Path, language: str, words: tuple[str, ...]) -> None:
    said = printed(tmp_path, "--language", language, "--size", "a5")
    assert all(word in said for word in words)
    assert "surrender" not in said


def test_the_rules_are_those_of_the_configuration(tmp_path: Path) -> None:
    rules = '[blackjack]\ndecks = 6\nsoft17 = "hit"\nsurrender = "none"\nsplit_aces = "one-card"\n'
    (tmp_path / "companion.toml").write_text(f'[table]\ngame = "roche"\n{rules}')
    said = printed(tmp_path, "--size", "a5")
    assert "6 decks · dealer hits soft 17 · no surrender · one card to split aces" in said
    assert "R = surrender" not in said
    other = tmp_path / "other.toml"
    other.write_text("[blackjack]\ndecks = 8\n")
    assert "8 decks · dealer stands on all 17s" in printed(tmp_path, "--config", str(other))


def test_each_letter_is_on_the_card_once_for_each_cell() -> None:
    """Colour is never the only signal: every cell has a letter in the page's text."""
    rows = [row for part in strategy_card(RuleSet())["parts"] for row in part["rows"]]
    told = Counter(letters(cell) for row in rows for cell in row["cells"])
    (piece,) = slips_of(BLACKJACK, {}, "a5", "en")
    document = pypdfium2.PdfDocument(make_pdf(Job("Slips", (piece,))))
    words = Counter(document[0].get_textpage().get_text_range().split())
    assert {letter: words[letter] - (letter in "HSDPR") for letter in told} == told  # once more in the legend


def test_dark_letters_on_light_grounds() -> None:
    (piece,) = slips_of(BLACKJACK, {}, None, "en")[:1]
    (picture,) = render([piece])
    grey = np.asarray(picture.convert("L"))
    grounds = np.bincount(grey.ravel(), minlength=256)
    assert grounds[np.arange(256) > 150].sum() > 0.75 * grey.size, "light grounds, also without color"
    assert 0.03 * grey.size < grounds[:80].sum() < 0.25 * grey.size, "dark letters"


def test_what_cannot_be_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["print", "slips", "--out", str(tmp_path / "x.pdf"), "--data", str(tmp_path)]
    assert run_command_line([*argv, "--game", "blackjack", "--size", "a6"]) != 0
    assert "no slips of the size a6. Choose card, a5." in capsys.readouterr().err
    assert run_command_line([*argv, "--game", "king-of-roulette", "--size", "a5"]) != 0
    assert "slips of one size" in capsys.readouterr().err
    assert not (tmp_path / "x.pdf").exists()
