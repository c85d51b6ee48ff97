"""`companion enroll`: what it refuses without a camera, and a die learnt from pictures."""

import contextlib
import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "vision" / "dice"))

import plain_dice

from companion.cli import run_command_line as run
from companion.vision.dice.enrolled import EnrolledDice
from companion.vision.dice.faces.classifier import has_network
from companion.vision.dice.faces.upright import CLOSE_CROP_PX

LOOK = plain_dice.Look(body=(120, 50, 30), glare=0.1)
needs_network = pytest.mark.skipif(not has_network(), reason="the network is not trained yet")


def picture(value: int, seed: int) -> np.ndarray:
    """One and the same blue d20 with a value up, on paper."""
    rng = np.random.default_rng(seed * 1000 + value)
    scene = plain_dice.Scene(plain_dice.ground("paper", (220, 220), rng))
    at = (int(rng.uniform(95, 125)), int(rng.uniform(95, 125)))
    plain_dice.put(scene, "d20", value, at, 120, LOOK, rng, order=5)
    return plain_dice.finish(scene.image, rng)


@pytest.fixture(scope="module")
def faces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("faces")
    for value in range(1, 21):
        cv2.imwrite(str(folder / f"{value}.png"), picture(value, 1))
    return folder


def test_no_die_is_known_at_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["enroll", "--list", "--data", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "No die is enrolled yet.\n"
    assert run(["enroll", "--list", "--json", "--data", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_a_die_needs_a_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["enroll", "--data", str(tmp_path)]) == 2
    assert "Give it a name" in capsys.readouterr().err
    assert run(["enroll", "nobody", "--forget", "--data", str(tmp_path)]) == 2
    assert "No die is called 'nobody'" in capsys.readouterr().err


def test_pictures_without_a_die_are_named_and_nothing_is_stored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = tmp_path / "17.png"
    cv2.imwrite(str(bare), np.full((200, 200, 3), 180, np.uint8))
    assert run(["enroll", "house", str(bare), "--data", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert "house is not stored: no good picture of 1, 2, 3" in said
    assert "17.png: no die is to be seen." in said
    assert run(["enroll", "house", str(bare), "--kind", "d6", "--data", str(tmp_path)]) == 2
    assert "A d6 does not show '17'" in capsys.readouterr().err


@pytest.fixture
def known(tmp_path: Path) -> Path:
    """The picture of a known die's six."""
    kept = EnrolledDice(tmp_path).store("House", "d6", {"6": [np.full((CLOSE_CROP_PX, CLOSE_CROP_PX, 3), 9, np.uint8)]})
    return kept / "6-0.png"


def test_without_a_terminal_a_known_die_is_taught_anew_only_when_that_is_said(
    known: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = tmp_path / "6.png"
    cv2.imwrite(str(bare), np.full((200, 200, 3), 180, np.uint8))
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    asked = ["enroll", "house", str(bare), "--kind", "d6", "--data", str(tmp_path)]
    assert run(asked) == 2
    assert "House is already enrolled. Choose another name, or replace it with --replace." in capsys.readouterr().err
    assert run([*asked, "--replace"]) == 1
    assert "no good picture of 1, 2, 3" in capsys.readouterr().err
    assert known.exists()


def test_on_a_terminal_it_is_asked_before_the_first_picture(known: Path, tmp_path: Path) -> None:
    before, (ours, theirs) = known.read_bytes(), pty.openpty()
    os.write(ours, b"n\n")
    asked = [sys.executable, "-m", "companion", "enroll", "HOUSE", str(tmp_path / "none.png"), "--data", str(tmp_path)]
    told = subprocess.run(asked, stdin=theirs, capture_output=True, text=True, timeout=60, check=False)
    assert told.returncode == 1
    assert "House is already enrolled. Replace it? [y/N]" in told.stderr
    assert known.read_bytes() == before


@needs_network
@pytest.mark.thorough
def test_a_die_learnt_from_pictures_is_read_for_certain(
    tmp_path: Path, faces: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["enroll", "house", str(faces), "--data", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"name": "house", "kind": "d20", "faces": 20, "refused": []}
    shots = []
    for value in (1, 6, 7, 9, 14, 20):
        shots.append(tmp_path / f"throw{value}.png")
        cv2.imwrite(str(shots[-1]), picture(value, 2))
    assert run(["read", *map(str, shots), "--expect", "d20", "--data", str(tmp_path), "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    values = [line["dice"][0]["value"] for line in lines]
    assert all(said in (None, true) for said, true in zip(values, (1, 6, 7, 9, 14, 20), strict=True))
    assert sum(value is not None for value in values) >= 5
    assert run(["enroll", "house", "--forget", "--data", str(tmp_path)]) == 0


@pytest.mark.thorough
@needs_network
def test_faces_that_did_not_do_are_asked_for_again_and_the_others_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    strangers = [("2", "5")]  # what is drawn here is always known again

    def prompt(text: str, **_: object) -> str:
        asked.append(text.split(" with ")[1].split(" ")[0])
        return ""

    def seen(_: object) -> np.ndarray:
        rng = np.random.default_rng(int(asked[-1]))
        scene = plain_dice.Scene(plain_dice.ground("paper", (480, 480), rng))
        plain_dice.put(scene, "d6", int(asked[-1]), (240, 240), 120, LOOK, rng)
        return plain_dice.finish(scene.image, rng)

    monkeypatch.setattr("click.prompt", prompt)
    monkeypatch.setattr("companion.cli.enroll.latest", seen)
    monkeypatch.setattr("hardware.cameras.open_camera", lambda _: contextlib.nullcontext())
    monkeypatch.setattr(
        "companion.vision.dice.enrollment.unrecognized_faces", lambda *_: strangers.pop() if strangers else ()
    )
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    assert run(["enroll", "house", "--kind", "d6", "--data", str(tmp_path)]) == 0
    said = capsys.readouterr()
    assert "would hardly know these faces again: 2, 5." in said.err
    assert "Show these faces again? The others are kept. [Y/n]" in said.err
    assert asked == ["1", "2", "3", "4", "5", "6", "2", "5"]
    assert EnrolledDice(tmp_path).names() == {"house": "d6"}
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    strangers.append(("3",))
    assert run(["enroll", "other", "--kind", "d6", "--data", str(tmp_path)]) == 1
    assert EnrolledDice(tmp_path).names() == {"house": "d6"}
