"""Sheets for the table: paper chips, rules cards, seat cards, the printer's test page."""

import io
import re
from dataclasses import replace
from functools import partial

import cv2
import numpy as np
import pypdfium2
import pytest
from babel.numbers import format_decimal
from reportlab.pdfgen.canvas import Canvas

from companion.config.file import load_config
from companion.kernel.messages import Message
from companion.locale import Translator
from companion.objects.mat import Mat
from companion.objects.player_code import PlayerCode
from companion.plugins.rules_text import rules_text
from companion.printing.coins import coin_pieces
from companion.printing.jobs import Order, carry_out
from companion.printing.mats.sheet import tiling
from companion.printing.offset import offset_pages
from companion.printing.pen import Pen
from companion.printing.pieces import PrintError, token_pieces
from companion.printing.player_card import player_card
from companion.printing.raster import render
from companion.printing.rules_card import HEIGHT_MM, WIDTH_MM, rules_cards
from companion.printing.seat_card import SeatCode, seat_cards
from companion.printing.sheets import Duplex, Job, make_pdf, whole_pages
from companion.testing import INSTALLED

MM = 25.4
DPI = 150


def words_of(pdf: bytes) -> str:
    """Return a PDF's text without line breaks, hyphens and double spaces."""
    text = " ".join(page.get_textpage().get_text_bounded() for page in pypdfium2.PdfDocument(pdf))
    return re.sub(r"\s+", " ", text.replace("\ufffe", "-"))


# ---- cards of rules


def say_in(translate, language, text):
    return translate(text, language)


def thousands(language, found):
    return format_decimal(int(found[0]), locale=language)


@pytest.mark.parametrize("language", ["en", "de", "es"])
@pytest.mark.parametrize("game", INSTALLED)
def test_a_card_of_rules_says_all_that_the_plugin_says(game, language):
    """All steps, prices and terms are on the page in each language; nothing is cut off."""
    plugin = INSTALLED[game]
    text = rules_text(plugin, {})
    translate = Translator((plugin.package,))
    cards = rules_cards(text, lambda one: translate(one, language))
    assert len(cards) in (2, 4)
    shown = words_of(make_pdf(Job("Rules", cards)))
    assert game == "holdem" or translate(text.title, language).lower() in shown.lower()
    wanted = [*text.steps, *(word for pair in text.terms for word in pair)]
    wanted += [line.wins_if for line in text.prices]
    assert plugin.steps
    assert plugin.terms
    for sentence in wanted:
        assert " ".join(translate(sentence, language).split()) in shown
    for line in text.prices:
        said = translate(line.pays, language)
        pays = said if isinstance(line.pays, Message) else re.sub(r"\d{4,}", partial(thousands, language), said)
        assert " ".join(pays.split()) in shown


@pytest.mark.parametrize("game", INSTALLED)
def test_a_card_of_rules_is_printed_under_every_game_s_own_settings(game):
    """The king's card was refused at every table: its prices did not know the setting of its garnets."""
    _, header = load_config(None, INSTALLED, game)
    assert rules_text(INSTALLED[game], header.options).steps


def test_a_card_of_rules_has_the_synonyms_of_its_words():
    """Other words of the card speak of Shields, which it has below another name."""
    words = [word for word, _ in rules_text(INSTALLED["rochi"], {}).terms]
    assert "Mark, Shield" in words
    assert "Ripe" in words


@pytest.mark.parametrize("language", ["en", "de", "es"])
@pytest.mark.parametrize("game", INSTALLED)
def test_a_card_of_rules_says_nothing_twice(game, language):
    """House Rugen told in both of its steps when a number breaks the chain."""
    translate = Translator((INSTALLED[game].package,))
    told = [translate(step, language) for step in INSTALLED[game].steps]
    sentences = [one for step in told for one in re.split(r"(?<=[.;:]) ", step)]
    assert len(sentences) == len(set(sentences))


@pytest.mark.parametrize("language", ["en", "de", "es"])
@pytest.mark.parametrize("game", INSTALLED)
def test_no_price_stands_alone_above_or_below_a_fold(game, language):
    """In German the last price of House Rugen was the only one on its second card."""
    translate = Translator((INSTALLED[game].package,))
    limits = {"max": 200, "cap": 200} if game == "rugen-house" else {}
    text = rules_text(INSTALLED[game], limits)
    pages = [
        words_of(make_pdf(Job("Rules", (card,))))
        for card in dict.fromkeys(rules_cards(text, partial(say_in, translate, language)))
    ]
    ends = [" ".join(translate(line.wins_if, language).split()) for line in text.prices]
    counts = [sum(end in page for end in ends) for page in pages]
    assert all(count == 0 or count >= min(3, len(ends)) for count in counts)


@pytest.mark.parametrize(("language", "mark"), [("en", "."), ("de", ","), ("es", ",")])
@pytest.mark.parametrize("game", INSTALLED)
def test_a_card_of_rules_writes_figures_as_its_language_does(game, language, mark):
    """Regression: the king's averages had a decimal point in German, where it separates thousands."""
    translate = Translator((INSTALLED[game].package,))
    cards = rules_cards(rules_text(INSTALLED[game], {}), lambda one: translate(one, language))
    shown = words_of(make_pdf(Job("Rules", cards)))
    assert set(re.findall(r"\d([.,])\d{4}", shown)) <= {mark}


def test_nothing_of_a_card_lies_outside_of_its_frame():
    for plugin in INSTALLED.values():
        for image in render(rules_cards(rules_text(plugin, {}), str)):
            pixels = np.asarray(image)
            edge = round(2.0 * 300 / MM)
            assert pixels.shape[:2] == (round(HEIGHT_MM * 300 / MM), round(WIDTH_MM * 300 / MM))
            for strip in (pixels[:edge], pixels[-edge:], pixels[:, :edge], pixels[:, -edge:]):
                assert strip.min() > 250
            bottom = pixels[-round(6.4 * 300 / MM) : -round(3.8 * 300 / MM), 100:-100]
            assert bottom.min() > 250, "text runs into the frame"


def test_a_card_of_rules_has_the_prices_and_limits_in_force():
    """Includes the red deck's own prices and the house's limits."""
    roche = INSTALLED["roche"]
    full, red = (rules_text(roche, {"deck": deck, "max": 20}) for deck in ("full", "red"))
    assert [line.wins_if for line in full.prices][:1] == ["Mages cut"]
    assert "Mages" not in " ".join(line.wins_if for line in red.prices)
    kin = {text: next(line.pays for line in text.prices if line.wins_if == "Kin cut") for text in (full, red)}
    assert (kin[full], kin[red]) == ("8:1", "5:1")
    assert "Maximum per spot: 20" in full.limits


def test_only_a_house_keeps_anything():
    """In games between players there is no house edge, so the card omits it."""
    for plugin in INSTALLED.values():
        assert all((line.edge is not None) == (plugin.house is not None) for line in rules_text(plugin, {}).prices)


# ---- seat cards


class Measuring(Pen):
    """Records the lowest position of its texts."""

    lowest = 0.0

    def text(self, x, y, text, *rest, **more):
        self.lowest = max(self.lowest, y)
        return super().text(x, y, text, *rest, **more)


@pytest.mark.parametrize("language", ["en", "de", "es"])
@pytest.mark.parametrize("player", [None, "Ann", "Maximiliane Bernadottova"])
def test_all_that_a_seat_card_says_stands_on_it(language, player):
    """Regression: in German the code for joining by hand was hidden under the next card."""
    code = SeatCode(1, "https://table.local:8080/seat/1", "ABCD-EFGH", player)
    (card,) = seat_cards([code], lambda text: Translator(())(text, language))
    pen = Measuring(Canvas(io.BytesIO()), card.height)
    card.draw(pen)
    assert pen.lowest <= card.height - 3


def test_a_seat_card_joins_a_phone(codes_on, pdf_pages):
    codes = [SeatCode(seat, f"https://table.local:8080/seat/{seat}", "ABCD-EFGH", "Ann") for seat in (1, 2)]
    (page,) = pdf_pages(make_pdf(Job("Seats", seat_cards(codes, str))), DPI)
    assert set(codes_on(page)) == {f"https://table.local:8080/seat/{seat}#ABCDEFGH" for seat in (1, 2)}
    shown = words_of(make_pdf(Job("Seats", seat_cards(codes, str))))
    assert "table.local:8080/seat/2" in shown
    assert "ABCD-EFGH" in shown


# ---- paper chips


def test_paper_chips_fill_a_page_and_no_camera_takes_them_for_betting_chips(pdf_pages, tags_on, codes_on):
    coins = coin_pieces((1, 5, 10))
    assert [piece.name for piece in coins] == ["coin-1"] * 24 + ["coin-5"] * 12 + ["coin-10"] * 12
    front, back = pdf_pages(make_pdf(Job("Paper chips", coins, coins, cut="round", gap=2.4)), DPI)
    for page in (front, back):
        assert tags_on(page) == []
        assert codes_on(page) == {}


def test_paper_chips_of_other_values():
    assert {piece.name for piece in coin_pieces((1, 5, 10), ("25",))} == {"coin-25"}
    assert len({piece.name for piece in coin_pieces((1, 5, 25, 100, 500, 1000))}) == 6
    for wrong in ("0", "x", "1000000", "²"):
        with pytest.raises(PrintError, match="Name values from 1"):
            coin_pieces((1, 5, 10), (wrong,))


# ---- the printer's offset


@pytest.mark.parametrize("duplex", ["long", "short"])
@pytest.mark.parametrize("off", [(0.0, 0.0), (1.5, -0.75)])
def test_what_the_test_page_says_puts_the_backs_right(duplex: Duplex, off, pdf_pages):
    """With the offset corrected, a printer with shifted backs prints them behind their faces."""
    front, back = pdf_pages(whole_pages("Test page", offset_pages("a4", duplex, off, str), duplex), DPI)
    cross = _cross_through_the_paper(back, duplex) + np.array(off)
    middle = np.array([front.shape[1], front.shape[0]]) / 2 / DPI * MM
    assert np.abs(cross - middle).max() < 0.15


def test_the_offset_moves_the_backs_of_every_sheet(deck, pdf_pages, codes_on, tags_on):
    faces, backs = zip(*token_pieces(deck, ("T6",)), strict=True)
    job = Job("tokens", faces, backs, cut="round", gap=4, offset=(2.0, 1.0))
    front, back = pdf_pages(make_pdf(job, duplex="long"), DPI)
    ((_, tag),) = tags_on(front)
    (code,) = codes_on(back).values()
    behind = np.array([front.shape[1] - code[0], code[1]]) / DPI * MM
    assert behind - tag.mean(axis=0) / DPI * MM == pytest.approx((-2.0, -1.0), abs=0.3)


def _cross_through_the_paper(back: np.ndarray, duplex: Duplex) -> np.ndarray:
    """Return where the middle cross of a back lies seen from the face, mm."""
    red = (back[:, :, 2].astype(int) - back[:, :, 1] > 60).astype(np.uint8)
    red = red[:, ::-1] if duplex == "long" else red[::-1]
    _, _, stats, centers = cv2.connectedComponentsWithStats(np.ascontiguousarray(red))
    large = centers[stats[:, cv2.CC_STAT_AREA] > 30][1:]
    middle = np.array([red.shape[1], red.shape[0]]) / 2
    return (large[np.abs(large - middle).sum(axis=1).argmin()] + 0.5) / DPI * MM


# ---- heads and foot lines

HEADS = {
    "en": ("Page 1 of 2 · faces", "Page 2 of 2 · backs", "Print at 100 %, turn on the short edge",
           "this line is 100 mm long", "Home deck · tokens"),
    "de": ("Seite 1 von 2 · Vorderseiten", "Seite 2 von 2 · Rückseiten",
           "Mit 100 % drucken, über die kurze Kante wenden", "diese Linie ist 100 mm lang", "Home deck · Marken"),
    "es": ("Página 1 de 2 · caras", "Página 2 de 2 · dorsos", "Imprima al 100 %, gire por el borde corto",
           "esta línea mide 100 mm", "Home deck · fichas"),
}  # fmt: skip


def said_in(language):
    translate = Translator(())
    return lambda text: translate(text, language)


@pytest.mark.parametrize("language", HEADS)
def test_heads_and_foot_lines_are_in_the_sheets_language(deck, tmp_path, language):
    order = Order("tokens", deck, duplex="short", say=said_in(language))
    (path,) = carry_out(order, tmp_path / "t.pdf")
    shown = words_of(path.read_bytes())
    for line in HEADS[language]:
        assert line in shown


@pytest.mark.parametrize("language", ["de", "es"])
@pytest.mark.parametrize("what", ["deck", "stickers", "tokens", "mat", "dice", "chips", "coins"])
def test_no_sheet_keeps_an_english_head(deck, tmp_path, language, what):
    mat = INSTALLED["roche"].mats[0]
    (path,) = carry_out(Order(what, deck, mat=mat, say=said_in(language)), tmp_path / "sheet.pdf")
    shown = words_of(path.read_bytes())
    assert {"de": " von ", "es": " de "}[language] in shown
    for english in ("Page ", "Print ", "print at", " faces", " backs", "this line", "Stick ", "Paper", "cut along"):
        assert english not in shown, english
    if what == "dice":
        assert "11,5 mm" in shown


@pytest.mark.thorough
@pytest.mark.parametrize("what", ["deck", "stickers", "tokens"])
def test_the_head_of_a_deck_in_another_script_is_its_id(deck, tmp_path, what):
    for name in ("東京", "Жанна", "Nguyễn"):
        (path,) = carry_out(Order(what, replace(deck, name=name), only=(), duplex="none"), tmp_path / "sheet.pdf")
        shown = words_of(path.read_bytes())
        assert "?" not in shown
        assert deck.id in shown
        assert ("· Nguyên" in shown) == (name == "Nguyễn")


# ---- player cards


def test_a_name_in_another_script_is_written_by_hand():
    """Question marks were printed, the same for everybody; marks that the font has not are left out."""
    code = PlayerCode.signed(7, lambda _: "ab" * 32)
    for name, shown in (("李小龙", ""), ("Жанна", ""), ("B李", ""), ("Nguyễn", "Nguyên")):
        seat = SeatCode(1, "https://table.local/seat/1", "ABCD-EFGH", name)
        for piece in (player_card(name, code), *seat_cards((seat,), str)):
            text = words_of(whole_pages("Card", (piece,), "none"))
            assert "?" not in text
            assert shown in text
            assert ("Nguy" in text) == bool(shown)


@pytest.mark.parametrize(
    "name",
    ["Ann", "Anna-Lena O'Hara", "Alexandrine von Hohenstaufen-Wittelsb 01", "W" * 40,
     "Wolfeschlegelsteinhausenbergerdorff-Xbcd"],
)  # fmt: skip
def test_a_long_name_stands_on_a_player_card_in_letters_that_can_be_read(name):
    """In as many lines as necessary, above the code; never in tiny type."""
    code = PlayerCode.signed(7, lambda _: "ab" * 32)
    (page,) = pypdfium2.PdfDocument(whole_pages("Card", (player_card(name, code),), "none"))
    text = page.get_textpage()
    boxes = [(text.get_text_range(i, 1), text.get_charbox(i)) for i in range(text.count_chars())]
    first_of_code = next(i for i, (letter, _) in enumerate(boxes) if letter == code.spaced[0] and i >= len(name) - 2)
    letters = [box for letter, box in boxes[:first_of_code] if letter.isalpha()]
    millimetres = 72 / MM
    assert len(letters) == sum(letter.isalpha() for letter in name)
    assert min(top - bottom for _, bottom, _, top in letters) > 1.9 * millimetres
    assert max(right for _, _, right, _ in letters) < 43 * millimetres, "it runs into the code"
    assert min(bottom for _, bottom, _, _ in letters) > boxes[first_of_code][1][3], "it lies over the letters below"


# ---- orders


def test_spare_tokens_come_with_their_backs(deck, tmp_path, pdf_pages, tags_on, codes_on):
    (path,) = carry_out(Order("tokens", deck, copies=2), tmp_path / "t.pdf")
    pages = pdf_pages(path.read_bytes(), DPI)
    assert len(pages) == 2
    tags = sorted(number for number, _ in tags_on(pages[0]))
    assert tags == sorted(2 * [deck.tag(token) for token in deck.tokens])
    assert set(codes_on(pages[1])) == {deck.code(token).text for token in deck.tokens}


def test_a_mat_on_a3_takes_four_sheets():
    mat = Mat("any", 760, 550, {}, {}, lambda: lambda pen, mat, deck: None)
    plan = tiling(mat, "a3")
    assert (plan.columns, plan.rows) == (2, 2)


@pytest.mark.parametrize(
    ("order", "why"),
    [
        ({"what": "tokens", "copies": 0}, "Print 1 to 20 copies"),
        ({"what": "mat", "copies": 2}, "no copies"),
        ({"what": "deck", "offset": (7.0, 0.0)}, "at most 6 mm"),
        ({"what": "rules", "only": ("1",)}, "no single pieces"),
        ({"what": "rules"}, "Name one with --game"),
        ({"what": "seats"}, "No seat was named"),
    ],
)
def test_what_cannot_be_printed_says_why(deck, tmp_path, order, why):
    with pytest.raises(PrintError, match=why):
        carry_out(Order(deck=deck, **order), tmp_path / "x.pdf")
    assert not list(tmp_path.iterdir())
