"""`companion read` with an enrolled deck: stills and videos, and what is told where a card is not sure."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.cli import run_command_line as run
from companion.objects.cards import STANDARD_CARDS
from companion.vision.own_deck.store import OwnDecks

sys.path.insert(0, str(Path(__file__).parents[1] / "vision" / "own_deck"))

from ordinary_deck import drawn, face_of, look
from table_scene import Placed, photograph

FAN = (("AS", -40.0, 0.0, -20.0), ("5H", -22.0, -2.0, -8.0), ("KD", -4.0, 0.0, 4.0), ("9C", 14.0, 3.0, 16.0))


def photo(cards: Any, **fixed: object) -> np.ndarray:
    placed = [Placed(card, drawn(card), x, y, turn) for card, x, y, turn in cards]
    return photograph(placed, look(**fixed), np.random.default_rng(1))[0]  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with one enrolled deck."""
    folder = tmp_path_factory.mktemp("data")
    OwnDecks(folder).store("house", {card: face_of(card) for card in STANDARD_CARDS})
    return folder


@pytest.fixture
def read(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., list[dict[str, Any]]]:
    def ask(image: np.ndarray, *options: str) -> list[dict[str, Any]]:
        cv2.imwrite(str(tmp_path / "a.png"), image)
        assert run(["read", str(tmp_path / "a.png"), "--data", str(data), "--json", *options]) == 0
        found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["cards"]
        return found

    return ask


@pytest.mark.thorough
def test_a_fan_of_ordinary_cards_is_read_without_proof(read: Any, data: Path) -> None:
    deck = OwnDecks(data).named("house").id
    found = {card["id"]: (card["deck"], card["status"]) for card in read(photo(FAN))}
    assert found == {card[0]: (deck, "tag") for card in FAN}


@pytest.mark.thorough
def test_a_card_that_is_not_sure_is_told_as_unreadable(read: Any) -> None:
    (card,) = read(photo([("AS", 0.0, 0.0, 10.0)], noise=50.0))
    assert (card["id"], card["deck"], card["status"]) == (None, None, "unreadable")


def test_only_expected_decks_are_read(read: Any, data: Path) -> None:
    single = photo([("AS", 0.0, 0.0, 10.0)])
    assert [card["id"] for card in read(single, "--expect", "standard", "--shoe", OwnDecks(data).named("house").id)]
    assert read(single, "--expect", "roche") == []


@pytest.mark.thorough
def test_two_decks_that_read_a_card_differently_make_it_unsure(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second deck was enrolled with two cards exchanged: one of both must be wrong."""
    other = tmp_path / "other"
    swapped = {"AS": "5H", "5H": "AS"}
    OwnDecks(other).store("house", {card: face_of(card) for card in STANDARD_CARDS})
    OwnDecks(other).store("wrong", {card: face_of(swapped.get(card, card)) for card in STANDARD_CARDS})
    cv2.imwrite(str(tmp_path / "a.png"), photo([("AS", -40.0, 0.0, 10.0), ("KD", 40.0, 0.0, 0.0)]))
    assert run(["read", str(tmp_path / "a.png"), "--data", str(other), "--json"]) == 0
    told = {(card["id"], card["status"]) for card in json.loads(capsys.readouterr().out)["cards"]}
    assert told == {("KD", "tag"), (None, "unreadable")}


@pytest.mark.thorough
def test_a_video_is_read_too(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    film, bare, laid = tmp_path / "a.avi", photo([]), photo([("AS", -40.0, 0.0, 10.0), ("KD", 40.0, 0.0, 0.0)])
    writer = cv2.VideoWriter(str(film), cv2.VideoWriter.fourcc(*"MJPG"), 10, (960, 720))
    for image in (*[bare] * 3, *[laid] * 9):
        writer.write(image)
    writer.release()
    assert run(["read", str(film), "--data", str(data), "--json"]) == 0
    lines = [json.loads(line)["cards"] for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == []
    assert {(card["id"], card["status"]) for card in lines[-1]} == {("AS", "tag"), ("KD", "tag")}
