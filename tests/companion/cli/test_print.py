"""`companion print`: the files it writes, and its errors."""

import json
import os
import pty
import subprocess
import sys
from contextlib import suppress

import pypdfium2
import pytest

from companion.cli import run_command_line as run
from companion.objects.decks import DeckStore
from companion.testing import DECKS, MATS
from web_ui.access.store import AccessStore, spaced


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


@pytest.fixture
def deck(data):
    return DeckStore(data, DECKS).new("roche", name="Friday")


@pytest.fixture
def go(data, tmp_path, capsys, monkeypatch):
    """Run `companion print …` in a folder of its own and return (exit code, stdout, stderr)."""
    monkeypatch.chdir(tmp_path)

    def call(*args):
        code = run(["print", *map(str, args), "--data", str(data)])
        return (code, *capsys.readouterr())

    return call


def test_deck_as_pdf(deck, go, tmp_path):
    """Six pages of faces, six of backs."""
    assert go("deck", "--out", "d.pdf") == (0, "Wrote d.pdf. Print it at 100 % (no scaling).\n", "")
    assert len(pypdfium2.PdfDocument(tmp_path / "d.pdf")) == 12


def test_a_pdf_is_not_called_a_picture(deck, go, tmp_path):
    code, _, err = go("deck", "--out", "d.png")
    assert code == 2
    assert "add --format png" in err
    assert not (tmp_path / "d.png").exists()


@pytest.mark.thorough
def test_deck_as_png(deck, go, tmp_path):
    code, out, _ = go("deck", "--format", "png", "--out", "faces")
    assert (code, out) == (0, "Wrote 55 files to faces.\n")
    names = {path.name for path in (tmp_path / "faces").iterdir()}
    assert names == {f"{card}.png" for card in deck.cards} | {"back.png"}


def test_tokens_as_png(deck, go, tmp_path):
    assert go("tokens", "--format", "png", "--out", "t")[0] == 0
    names = {path.name for path in (tmp_path / "t").iterdir()}
    assert {"T2.png", "T3.png", "T4.png", "T5.png", "T6.png", "T7.png", "LDR.png", "LDR-back.png"} <= names


def test_a_red_deck_has_no_mages(data, go, tmp_path):
    red = DeckStore(data, DECKS).new("red")
    assert go("deck", "--deck", red.id.lower(), "--format", "png", "--out", "r", "--only", "3d1, 7n7")[0] == 0
    assert sorted(p.name for p in (tmp_path / "r").iterdir()) == ["3D1.png", "7N7.png", "back.png"]
    assert go("deck", "--out", "x.pdf", "--only", "2D1") == (
        2,
        "",
        f"companion: Deck {red.id} (red) has no card 2D1. Its cards are named like 3D1, 3D2, 3D3.\n",
    )


def test_the_deck_made_last_is_printed(data, go):
    DeckStore(data, DECKS).new("roche")
    last = DeckStore(data, DECKS).new("standard")
    code, out, _ = go("deck", "--format", "png", "--only", "AS", "--out", "p", "--json")
    assert (code, json.loads(out)) == (0, {"deck": last.id, "files": ["p/AS.png", "p/back.png"]})


@pytest.mark.parametrize("size", ["poker", "tarot"])
@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_reprint_of_one_card_on_each_paper(deck, go, tmp_path, size, paper):
    assert go("deck", "--out", "one.pdf", "--only", "6D3", "--size", size, "--paper", paper)[0] == 0
    pages = pypdfium2.PdfDocument(tmp_path / "one.pdf")
    width, height = {"a4": (210, 297), "letter": (215.9, 279.4)}[paper]
    assert len(pages) == 2
    assert pages[0].get_size() == pytest.approx((width * 72 / 25.4, height * 72 / 25.4), abs=0.1)


def test_a_mat_needs_no_deck(go, tmp_path):
    """Nine A4 pages to glue, or one sheet of its own size."""
    assert go("mat", "--out", "m.pdf")[0] == 0
    assert len(pypdfium2.PdfDocument(tmp_path / "m.pdf")) == 9
    assert go("mat", "--game", "rochi", "--paper", "full", "--out", "f.pdf")[0] == 0
    (page,) = pypdfium2.PdfDocument(tmp_path / "f.pdf")
    assert page.get_size() == pytest.approx((760 * 72 / 25.4, 550 * 72 / 25.4), abs=0.1)


def test_a_mat_shows_the_prices_of_its_deck(data, go, tmp_path):
    """The red deck's own prices, and no Mages."""
    red = DeckStore(data, DECKS).new("red")
    assert go("mat", "--deck", red.id, "--paper", "full", "--out", "r.pdf")[0] == 0
    assert go("mat", "--paper", "full", "--out", "f.pdf")[0] == 0
    texts = [pypdfium2.PdfDocument(tmp_path / name)[0].get_textpage().get_text_bounded() for name in ("r.pdf", "f.pdf")]
    assert "Kin cuts · 5:1" in " ".join(texts[0].split())
    assert "Kin cuts · 8:1" in " ".join(texts[1].split())
    assert "Mages" not in texts[0]
    assert "Mages" in texts[1]


def test_into_a_folder_the_pdf_gets_a_name(deck, go, tmp_path):
    assert go("stickers", "--out", tmp_path)[0] == 0
    assert (tmp_path / f"stickers-{deck.id.lower()}.pdf").read_bytes().startswith(b"%PDF")


def test_an_older_print_is_replaced_whole(deck, go, tmp_path):
    (tmp_path / "d.pdf").write_text("old")
    assert go("deck", "--out", "d.pdf", "--only", "6D3")[0] == 0
    assert (tmp_path / "d.pdf").read_bytes().startswith(b"%PDF")
    assert not list(tmp_path.glob(".*draft"))


def test_no_deck_yet(go):
    assert go("deck", "--out", "d.pdf") == (
        2,
        "",
        "companion: There is no deck yet. Make one with `companion deck new`.\n",
    )


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("deck", "--deck", "ZZZZ"), "There is no deck 'ZZZZ' here (known: {id}). Make one with `companion deck new`."),
        (
            ("deck", "--only", "6D3,8D1,6D9"),
            "Deck {id} (roche) has no card 8D1, 6D9. Its cards are named like 2D1, 2D2, 2N1.",
        ),
        (("tokens", "--only", "6D3"), "Deck {id} (roche) has no token 6D3. Its tokens are named like T2, T3, T4."),
        (("deck", "--paper", "full"), "Only a mat prints on one full sheet. Use --paper a4 or --paper letter."),
        (("tokens", "--size", "tarot"), "There is no tarot size of tokens. Leave --size out."),
        (("mat", "--only", "6D3"), "A mat has no single pieces. Leave --only out."),
        (
            ("mat", "--game", "chinchirorin"),
            f"There is no mat for 'chinchirorin' yet. Choose one of {', '.join(MATS)}.",
        ),
    ],
)
def test_what_cannot_be_printed(deck, go, tmp_path, args, message):
    """One line that says what to do, exit code 2, and nothing is written."""
    assert go(*args, "--out", "x.pdf") == (2, "", f"companion: {message.format(id=deck.id)}\n")
    assert not (tmp_path / "x.pdf").exists()


def test_a_game_that_is_played_on_anothers_mat_prints_that_one(go, tmp_path):
    assert go("mat", "--game", "holdem-tournament", "--paper", "full", "--out", "tournament.pdf")[0] == 0
    assert go("mat", "--game", "holdem", "--paper", "full", "--out", "holdem.pdf")[0] == 0
    size, other = (pypdfium2.PdfDocument(tmp_path / f"{name}.pdf")[0].get_size() for name in ("tournament", "holdem"))
    assert size == other


def test_a_standard_deck_has_no_tokens(data, go):
    deck = DeckStore(data, DECKS).new("standard")
    assert go("tokens", "--out", "t.pdf") == (
        2,
        "",
        f"companion: Deck {deck.id} is a standard deck and has no tokens. Name a deck of another kind.\n",
    )


def test_a_standard_deck_fills_six_sheets_with_joker_and_cut_card(data, go, tmp_path):
    DeckStore(data, DECKS).new("standard")
    assert go("deck", "--duplex", "none", "--style", "large", "--out", "d.pdf")[0] == 0
    document = pypdfium2.PdfDocument(tmp_path / "d.pdf")
    assert len(document) == 6
    document.close()
    assert go("stickers", "--only", "JKR,CUT,AS", "--format", "png", "--out", "labels")[0] == 0
    assert sorted(path.name for path in (tmp_path / "labels").iterdir()) == ["AS.png", "CUT.png", "JKR.png"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ("deck", "--style", "huge"),
            "A standard deck has no style 'huge'. Choose four-color, large, or leave --style out.",
        ),
        (
            ("mat", "--style", "large", "--game", "roche"),
            "Only decks and stickers have styles, not mat. Leave --style out.",
        ),
    ],
)
def test_a_style_that_is_none(data, go, tmp_path, args, message):
    DeckStore(data, DECKS).new("standard")
    assert go(*args, "--out", "x.pdf") == (2, "", f"companion: {message}\n")
    assert not (tmp_path / "x.pdf").exists()


@pytest.mark.parametrize("form", ["pdf", "png"])
def test_a_place_under_a_file(deck, go, tmp_path, form):
    (tmp_path / "file").write_text("")
    target = "file/x.pdf" if form == "pdf" else "file/x"
    code, out, err = go("deck", "--only", "6D3", "--format", form, "--out", target)
    assert (code, out) == (2, "")
    assert err.startswith("companion: file")
    assert err.endswith("Name another place with --out.\n")


@pytest.mark.parametrize("target", ["/proc/x.pdf", "/proc/nowhere/x.pdf"])
def test_a_place_that_nobody_may_write(deck, go, target):
    code, out, err = go("deck", "--only", "6D3", "--out", target)
    assert (code, out) == (2, "")
    assert err.startswith("companion: /proc")
    assert err.endswith("Name another place with --out.\n")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written(deck, go, tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    code, _, err = go("deck", "--only", "6D3", "--format", "png", "--out", closed)
    assert code == 2
    assert err == f"companion: {closed} cannot be written to (permission denied). Name another place with --out.\n"


@pytest.mark.parametrize("args", [("deck",), ("cards", "--out", "x.pdf"), ("deck", "--out", "x", "--format", "svg")])
def test_bad_usage(go, args):
    code, out, err = go(*args)
    assert (code, out) == (2, "")
    assert err.startswith("companion: ")


def _all_shown(master: int) -> str:
    """Return what comes to a terminal until its last writer ends; a full terminal would stop the writer."""
    shown = b""
    with open(master, "rb", buffering=0) as terminal, suppress(OSError):  # EIO is how a terminal's end reads
        while some := terminal.read(65536):
            shown += some
    return shown.decode()


@pytest.mark.thorough
def test_a_bar_is_shown_on_a_terminal_only(deck, data, tmp_path):
    """stderr is a terminal: the bar goes there, stdout stays clean."""
    master, slave = pty.openpty()
    command = [
        sys.executable,
        "-m",
        "companion",
        "print",
        "deck",
        "--out",
        str(tmp_path / "d.pdf"),
        "--data",
        str(data),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=slave, text=True) as process:
        os.close(slave)
        shown = _all_shown(master)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert out.startswith(f"Wrote {tmp_path / 'd.pdf'}.")
    assert "Drawing" in shown
    assert "/12" in shown


def test_sheets_for_the_table_need_no_deck(go, data, tmp_path):
    """Paper chips, rules, seat cards and the test page; the codes on seat cards are those that the table takes."""
    for what in ("coins", "rules", "seats", "test"):
        assert go(what, "--out", f"{what}.pdf", "--language", "de")[0] == 0
    text = pypdfium2.PdfDocument(tmp_path / "rules.pdf")[0].get_textpage().get_text_bounded()
    assert "So geht es" in text
    assert go("seats", "--only", "2", "--address", "https://table.home/", "--out", "two.pdf")[0] == 0
    text = pypdfium2.PdfDocument(tmp_path / "two.pdf")[0].get_textpage().get_text_bounded()
    assert "table.home/seat/2" in text
    assert spaced(AccessStore(data).seat_code(2)) in text.replace("\ufffe", "-")


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (("test", "--offset", "1"), "Write two numbers of mm"),
        (("test", "--offset", "1,nan"), "Write two numbers of mm"),
        (("test", "--offset", "9,0"), "at most 6 mm"),
        (("seats", "--only", "13"), "There is no seat 13"),
        (("coins", "--only", "7.5"), "There is no paper chip 7.5"),
        (("coins", "--copies", "21"), "Print 1 to 20 copies"),
    ],
)
def test_numbers_that_cannot_be_are_refused(go, tmp_path, args, why):
    code, out, err = go(*args, "--out", "x.pdf")
    assert (code, out) == (2, "")
    assert why in err
    assert not (tmp_path / "x.pdf").exists()
