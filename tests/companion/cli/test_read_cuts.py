"""`companion read` on films that are cut: a line of a frame lists what that frame shows, whatever lay there before."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "vision"))

import printed
from cuts import KINDS, SIZE, Shot, cut, shot, spoilt, wrong
from table_scene import Face, Look, Placed

from companion.cli import run_command_line as run
from companion.objects.decks import Deck, DeckStore
from companion.testing import DECKS

FRAMES = 6
NAMES = ("6D3", "2N1", "7N5", "3D2", "4D4", "5N1", "7D7", "6N6")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def deck(data: Path) -> Deck:
    return DeckStore(data, DECKS).new("roche", "Test")


@pytest.fixture(scope="module")
def faces(deck: Deck) -> dict[str, Face]:
    return printed.faces(deck, NAMES)


def write(path: Path, shots: list[Shot], seed: int) -> list[dict[str, str]]:
    """Write a video; return what each frame shows."""
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 25, SIZE)
    noise = np.random.default_rng(seed)
    for each in shots:
        for image in each.frames(FRAMES, noise):
            writer.write(image)
    writer.release()
    return [dict(each.truth) for each in shots for _ in range(FRAMES)]


def read(capsys: pytest.CaptureFixture[str], data: Path, film: Path) -> list[dict[str, Any]]:
    assert run(["read", "--json", "--expect", "roche", "--data", str(data), str(film)]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def check(lines: list[dict[str, Any]], truths: list[dict[str, str]]) -> None:
    assert len(lines) == len(truths)
    listed = [[(card["id"], card["status"]) for card in line["cards"]] for line in lines]
    found = [(k, wrong(cards, truth)) for k, (cards, truth) in enumerate(zip(listed, truths, strict=True))]
    assert [(k, cards) for k, cards in found if cards] == []
    last = range(FRAMES - 1, len(truths), FRAMES)
    assert [set(listed[k]) for k in last] == [set(truths[k].items()) for k in last]


@pytest.mark.parametrize("seed", [60, 81])
@pytest.mark.thorough
def test_no_line_lists_a_card_of_the_shot_before(
    capsys: pytest.CaptureFixture[str], data: Path, deck: Deck, faces: dict[str, Face], tmp_path: Path, seed: int
) -> None:
    """One film with every kind of cut, one after the other."""
    shots = [each for k, kind in enumerate(KINDS) for each in cut(kind, seed + k, faces, 4, deck.id)]
    truths = write(tmp_path / "film.avi", shots, seed)
    check(read(capsys, data, tmp_path / "film.avi"), truths)


@pytest.mark.parametrize("level", [90, 105, 120, 135])
def test_a_cut_to_a_cloth_as_light_as_a_code_lists_nothing(
    capsys: pytest.CaptureFixture[str], data: Path, faces: dict[str, Face], tmp_path: Path, level: int
) -> None:
    look = Look(size=SIZE, px_per_module=2.8, jpeg=None, noise=2.0, gain=1.0)
    card = shot([Placed("6D3", faces["6D3"], 0, 0, 12.0), Placed("2N1", faces["2N1"], 90, 10, 80.0)], look, 4)
    bare = Shot(np.full((SIZE[1], SIZE[0], 3), float(level), np.float32), look, {})
    truths = write(tmp_path / "film.avi", [card, bare], level)
    check(read(capsys, data, tmp_path / "film.avi"), truths)


def test_a_card_is_not_listed_where_another_lies_whose_code_cannot_be_read(
    capsys: pytest.CaptureFixture[str], data: Path, deck: Deck, faces: dict[str, Face], tmp_path: Path
) -> None:
    """The finder patterns of all codes are alike; they alone prove nothing."""
    look = Look(size=SIZE, px_per_module=2.8, jpeg=None, noise=2.0)
    other = spoilt(printed.printed(deck, ("2N1",))["2N1"])
    before = shot([Placed("6D3", faces["6D3"], 0, 0, 12.0)], look, 4)
    after = replace(shot([Placed("2N1", other, 0, 0, 12.0)], look, 4), truth={})
    truths = write(tmp_path / "film.avi", [before, *([after] * 4)], 3)
    lines = read(capsys, data, tmp_path / "film.avi")
    assert [len(line["cards"]) for line in lines[:FRAMES]] == [1] * FRAMES
    listed = {card["id"] for line in lines[FRAMES:] for card in line["cards"]}
    assert (len(lines), listed) == (len(truths), set())
