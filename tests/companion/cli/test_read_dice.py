"""`companion read --expect d20|rugen|d6`: the contract's shape, and no value for anything that is not sure."""

import json
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "vision" / "dice"))

import plain_dice

from companion.cli import run_command_line as run
from companion.vision.dice.faces.classifier import has_network

pytestmark = [pytest.mark.skipif(not has_network(), reason="the network is not trained yet"), pytest.mark.thorough]


def lines_of(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[dict[str, Any]]:
    assert run(["read", *map(str, arguments), "--json"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def photo(
    path: Path, seed: int, *dice: tuple[str, int], ground: str = "felt", axis: tuple[float, float] = (0.0, 0.0)
) -> list[plain_dice.Drawn]:
    """Draw dice of 110 px beside each other into a picture file; ``axis``: tilt and direction of the camera."""
    rng = np.random.default_rng(seed)
    scene = plain_dice.Scene(plain_dice.ground(ground, (200 + 180 * max(0, len(dice) - 1), 220), rng))
    for k, (kind, value) in enumerate(dice):
        look, at = plain_dice.random_look(rng), (100 + 180 * k, 110)
        plain_dice.put(scene, kind, value, at, 110, look, rng, tilt_deg=axis[0], towards_deg=axis[1])  # type: ignore[arg-type]
    cv2.imwrite(str(path), plain_dice.finish(scene.image, rng))
    return scene.dice


def test_a_d20_has_the_contracts_shape(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answered = 0
    for seed in range(8):
        path = tmp_path / f"{seed}.png"
        photo(path, seed, ("d20", 17), ground="paper")
        (line,) = lines_of(capsys, path, "--expect", "d20", "--data", tmp_path)
        (die,) = line["dice"]
        assert set(die) == {"kind", "value", "face", "confidence", "box"}
        assert (die["kind"], die["value"], die["face"]) in (("d20", 17, "4n"), ("d20", None, None))
        assert 0 <= die["confidence"] <= 1
        assert len(die["box"]) == 4
        answered += die["value"] is not None
        assert bool(line["warnings"]) == (die["value"] is None)
    assert answered >= 2


def test_three_d6_are_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = answered = 0
    for seed in range(6):
        path = tmp_path / f"{seed}.png"
        truth = photo(path, 20 + seed, ("d6", 1 + seed % 6), ("d6", 1 + (seed + 2) % 6), ("d6", 4))
        (line,) = lines_of(capsys, path, "--expect", "d6", "--data", tmp_path)
        answers = [die for die in line["dice"] if die["value"] is not None]
        assert all(set(die) == {"kind", "value", "confidence", "box"} and die["kind"] == "d6" for die in answers)
        for drawn in truth:
            near = [d for d in line["dice"] if abs(d["box"][0] - drawn.box[0]) < 30 and d["value"] is not None]
            answered += len(near)
            wrong += any(d["value"] != drawn.value for d in near)
    assert wrong == 0
    assert answered >= 14


@pytest.mark.parametrize("other", ["d8", "d12", "coin", "chip", "card", "nothing"])
def test_other_things_are_never_answered(other: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = []
    for seed in range(5):
        rng = np.random.default_rng(50 + seed)
        ground = plain_dice.GROUNDS[seed]
        scene = plain_dice.Scene(plain_dice.ground(ground, (260, 260), rng))
        plain_dice.put_other(scene, other, (130, 130), 110, rng)
        paths.append(tmp_path / f"{seed}.png")
        cv2.imwrite(str(paths[-1]), plain_dice.finish(scene.image, rng))
    for line in lines_of(capsys, *paths, "--expect", "d20,rugen,d6", "--data", tmp_path):
        assert [die["value"] for die in line["dice"]] == [None] * len(line["dice"])


def test_what_is_not_expected_gets_no_value(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "d6.png"
    photo(path, 3, ("d6", 5), ground="paper")
    (line,) = lines_of(capsys, path, "--expect", "d20", "--data", tmp_path)
    assert all(die["value"] is None for die in line["dice"])
    (line,) = lines_of(capsys, path, "--expect", "roche", "--data", tmp_path)
    assert line["dice"] == []


def test_two_dice_where_one_is_expected_get_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "two.png"
    photo(path, 3, ("d20", 5), ("d20", 12), ground="paper")
    (line,) = lines_of(capsys, path, "--expect", "d20", "--data", tmp_path)
    assert len(line["dice"]) == 2
    assert all(die["value"] is None for die in line["dice"])
    assert line["warnings"]
    assert run(["read", str(path), "--expect", "d20", "--data", str(tmp_path)]) == 0
    rows = [row.split() for row in capsys.readouterr().out.splitlines() if " d20 " in row]
    assert [row[:3] for row in rows] == [["?", "d20", "-"]] * 2, "what is not read has no certainty"


def test_people_get_a_line_for_each_die(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "d6.png"
    photo(path, 21, ("d6", 2))
    assert run(["read", str(path), "--expect", "d6", "--data", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "1 die" in said
    assert "d6" in said


def test_dice_seen_from_aside_are_read_by_the_axis_that_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = untold = 0
    for seed in range(4):
        path = tmp_path / f"{seed}.png"
        photo(path, 70 + seed, ("d6", 2), ("d6", 5), ("d6", 3), axis=(28.0, 250.0))
        (line,) = lines_of(capsys, path, "--expect", "d6", "--data", tmp_path)
        values = [die["value"] for die in line["dice"]]
        untold += sum(value is not None for value in values)
        assert values.count(None) < 2 or any("the camera looks from aside" in text for text in line["warnings"])
        (line,) = lines_of(capsys, path, "--expect", "d6", "--axis", "28,250", "--data", tmp_path)
        shown = [die["value"] for die in line["dice"]]
        assert all(value in (None, wanted) for value, wanted in zip(shown, (2, 5, 3), strict=True))
        assert not any("the camera looks from aside" in text for text in line["warnings"])
        told += sum(value is not None for value in shown)
    assert told >= 10
    assert untold < told / 2


@pytest.mark.parametrize("axis", ["25", "36,0", "20,360", "-1,0", "nan,0", "20,nan", "a,b", "1,2,3", ""])
def test_an_axis_that_is_none_is_refused(axis: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    photo(tmp_path / "die.png", 1, ("d6", 2))
    assert run(["read", str(tmp_path / "die.png"), "--axis", axis, "--data", str(tmp_path)]) == 2
    assert "such as 25,270" in capsys.readouterr().err


def test_a_view_without_an_axis_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["read", str(tmp_path / "die.png"), "--view", "66", "--data", str(tmp_path)]) == 2
    assert "add --axis 0,0 if the camera stands above" in capsys.readouterr().err


def test_dice_at_the_edge_are_read_by_the_camera_s_angle_of_view(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A camera of 66 degrees straight above sees what lies near its picture's left edge from 24 degrees aside."""
    rng = np.random.default_rng(5)
    scene = plain_dice.Scene(plain_dice.ground("felt", (1280, 400), rng))
    look = plain_dice.Look()
    drawn = plain_dice.put(scene, "rugen", 4, (210, 200), 100, look, rng, tilt_deg=23.6, towards_deg=0.0)  # type: ignore[arg-type]
    path = tmp_path / "edge.png"
    cv2.imwrite(str(path), plain_dice.finish(scene.image, rng))
    told = [*("--expect", "rugen", "--data", tmp_path), "--axis", "0,0", "--view"]
    (wide,) = lines_of(capsys, path, *told, "66")
    assert [die["face"] for die in wide["dice"]] == [drawn.face]
    (narrow,) = lines_of(capsys, path, *told, "20")
    assert [die["value"] for die in narrow["dice"]] == [None]
