"""`companion deck enroll`: refused requests, and the list of enrolled decks."""

import io
import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.cli import run_command_line as run
from companion.objects.cards import STANDARD_CARDS
from companion.vision.own_deck.store import OwnDecks


def test_no_deck_is_known_at_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["deck", "enroll", "--list", "--data", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "No deck is enrolled yet.\n"
    assert run(["deck", "enroll", "--data", str(tmp_path)]) == 2
    assert "Give it a name" in capsys.readouterr().err


def test_a_picture_without_a_card_is_named_and_nothing_is_stored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = tmp_path / "AS.png"
    cv2.imwrite(str(bare), np.full((200, 200, 3), 60, np.uint8))
    assert run(["deck", "enroll", "house", str(bare), "--data", str(tmp_path)]) == 1
    told = capsys.readouterr().err
    assert "AS.png: no card is to be seen" in told
    assert OwnDecks(tmp_path).all() == ()


def test_a_known_deck_is_listed_and_forgotten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    deck = OwnDecks(tmp_path).store("house", dict.fromkeys(STANDARD_CARDS, np.full((352, 252, 3), 9, np.uint8)))
    assert run(["deck", "enroll", "--list", "--json", "--data", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out)[0]["id"] == deck.id
    assert run(["deck", "enroll", "house", "--forget", "--data", str(tmp_path)]) == 0
    assert run(["deck", "enroll", "house", "--forget", "--data", str(tmp_path)]) == 2
    assert "No enrolled deck is called 'house'" in capsys.readouterr().err


def test_without_a_terminal_a_known_deck_is_taught_anew_only_when_that_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    OwnDecks(tmp_path).store("House", dict.fromkeys(STANDARD_CARDS, np.full((352, 252, 3), 9, np.uint8)))
    bare = tmp_path / "AS.png"
    cv2.imwrite(str(bare), np.full((200, 200, 3), 60, np.uint8))
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    asked = ["deck", "enroll", "house", str(bare), "--data", str(tmp_path)]
    assert run(asked) == 2
    assert "House is already enrolled. Choose another name, or replace it with --replace." in capsys.readouterr().err
    assert run([*asked, "--replace"]) == 1
    assert "no good picture of" in capsys.readouterr().err
