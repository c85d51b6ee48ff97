"""`companion deck new` and `companion deck list`."""

import json

import pytest

from companion.cli import run_command_line as run
from companion.objects.decks import DeckStore
from companion.testing import DECKS


def test_new_prints_the_id_and_says_what_to_do_next(tmp_path, capsys):
    assert run(["deck", "new", "--name", "Friday", "--data", str(tmp_path)]) == 0
    (deck,) = DeckStore(tmp_path, DECKS).all()
    out, err = capsys.readouterr()
    assert out == f"{deck.id}\n"
    assert err == (
        f"Friday is ready: 54 cards to print. "
        f"Print them with `companion print deck --deck {deck.id} --data {tmp_path} --out {deck.id}.pdf`.\n"
    )


def test_the_usual_data_directory_is_not_said_again(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path))
    assert run(["deck", "new"]) == 0
    assert "--data" not in capsys.readouterr().err


def test_the_joker_and_the_cut_card_are_printed_too(tmp_path, capsys):
    assert run(["deck", "new", "--kind", "standard", "--data", str(tmp_path)]) == 0
    assert "is ready: 54 cards to print." in capsys.readouterr().err


@pytest.mark.parametrize(("kind", "cards"), [("roche", 54), ("red", 50), ("standard", 52)])
def test_new_as_json(tmp_path, capsys, kind, cards):
    """One document, with the id, and never the key."""
    assert run(["deck", "new", "--kind", kind, "--json", "--data", str(tmp_path)]) == 0
    shown = json.loads(capsys.readouterr().out)
    (deck,) = DeckStore(tmp_path, DECKS).all()
    assert (shown["id"], shown["kind"], shown["cards"]) == (deck.id, kind, cards)
    assert deck.key.hex() not in json.dumps(shown)


def test_list_shows_all_decks(tmp_path, capsys):
    first, second = (
        DeckStore(tmp_path, DECKS).new("roche", name="One"),
        DeckStore(tmp_path, DECKS).new("standard", "Two"),
    )
    assert run(["deck", "list", "--data", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert f"{first.id}  roche     54 cards" in out
    assert f"{second.id}  standard  52 cards" in out
    assert run(["deck", "list", "--json", "--data", str(tmp_path)]) == 0
    assert [d["name"] for d in json.loads(capsys.readouterr().out)["decks"]] == ["One", "Two"]


def test_list_without_decks_says_what_to_do(tmp_path, capsys):
    assert run(["deck", "list", "--data", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "There is no deck yet. Make one with `companion deck new`.\n"


def test_an_unknown_kind_is_bad_usage(tmp_path, capsys):
    assert run(["deck", "new", "--kind", "pinochle", "--data", str(tmp_path)]) == 2
    assert "'pinochle' is not one of" in capsys.readouterr().err


def test_a_data_folder_that_cannot_be_written_is_one_line(tmp_path, capsys):
    (tmp_path / "decks").write_text("in the way")
    assert run(["deck", "new", "--data", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert str(tmp_path / "decks") in err
