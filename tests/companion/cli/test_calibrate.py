"""`companion calibrate` on pictures of the mat that `companion print mat` prints, and of dice."""

import json
import math
import sys
from pathlib import Path

import cv2
import numpy as np
import pypdfium2
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "vision" / "dice"))

import plain_dice

from companion.cli import run_command_line as run
from companion.testing import MATS
from companion.vision.dice.enrolled import EnrolledDice
from companion.vision.dice.faces.classifier import has_network
from companion.vision.mat import MatCalibration

ROCHE = MATS["roche"]
SIZE = (1920, 1080)
PX_PER_MM = 4  # of the sheet that is photographed


@pytest.fixture(scope="session")
def sheet(tmp_path_factory: pytest.TempPathFactory) -> np.ndarray:
    """The mat on one large sheet, as printed, grey."""
    pdf = tmp_path_factory.mktemp("mat") / "mat.pdf"
    home = pdf.parent / "home"
    assert run(["print", "mat", "--paper", "full", "--out", str(pdf), "--data", str(home)]) == 0
    with pypdfium2.PdfDocument(pdf) as document:
        page = document[0]
        picture = page.render(scale=PX_PER_MM * 25.4 / 72, grayscale=True).to_numpy().copy()
        page.close()
    assert picture.shape[1] / PX_PER_MM == pytest.approx(ROCHE.width_mm, abs=0.5)
    assert picture.shape[0] / PX_PER_MM == pytest.approx(ROCHE.height_mm, abs=0.5)
    return picture.reshape(picture.shape[:2])


def camera(px_per_mm: float = 1.85, tilt_deg: float = 8.0, turn_deg: float = 3.0) -> np.ndarray:
    """A camera above the middle of the mat, tilted and turned: homography, mm to px."""
    focal = 1500.0
    tilt, turn = math.radians(tilt_deg), math.radians(turn_deg)
    rx = np.array([[1, 0, 0], [0, math.cos(tilt), -math.sin(tilt)], [0, math.sin(tilt), math.cos(tilt)]])
    rz = np.array([[math.cos(turn), -math.sin(turn), 0], [math.sin(turn), math.cos(turn), 0], [0, 0, 1]])
    lens = np.array([[focal, 0, SIZE[0] / 2], [0, focal, SIZE[1] / 2], [0, 0, 1]])
    centre = np.array([[1, 0, -ROCHE.width_mm / 2], [0, 1, -ROCHE.height_mm / 2], [0, 0, 1]])
    pose = np.column_stack([(rx @ rz)[:, :2], (0, 0, focal / px_per_mm)])
    return lens @ pose @ centre


def photograph(sheet: np.ndarray, matrix: np.ndarray, file: Path, cover: int | None = None) -> None:
    """The sheet on a dark table, blurred and noisy, with a hand's patch over one tag."""
    laid = sheet.copy()
    if cover is not None:
        box = ROCHE.tags[cover]
        x, y, side = (round(v * PX_PER_MM) for v in (box.x, box.y, box.width))
        laid[y + side // 3 : y + side + 40, x - 40 : x + side + 40] = 150
    seen = cv2.GaussianBlur(laid, (0, 0), 1.0)  # the lens, before the sensor's coarser pixels
    picture = cv2.warpPerspective(
        seen, matrix @ np.diag([1 / PX_PER_MM, 1 / PX_PER_MM, 1]), SIZE, flags=cv2.INTER_AREA, borderValue=60
    )
    noisy = cv2.GaussianBlur(picture, (0, 0), 0.6) * 0.85 + np.random.default_rng(3).normal(12, 3, picture.shape)
    cv2.imwrite(str(file), cv2.cvtColor(np.clip(noisy, 0, 255).astype(np.uint8), cv2.COLOR_GRAY2BGR))


@pytest.mark.parametrize("turn", [3.0, 180.0])
@pytest.mark.thorough
def test_zones_of_the_printed_mat_are_stored_to_two_millimetres(sheet, tmp_path, capsys, turn):
    matrix = camera(turn_deg=turn)
    photograph(sheet, matrix, tmp_path / "mat.png")
    home = tmp_path / "home"
    assert run(["calibrate", "--camera", str(tmp_path / "mat.png"), "--data", str(home)]) == 0
    out = capsys.readouterr().out
    assert "Mat: roche" in out
    assert "PASS" in out
    stored = MatCalibration.from_json(json.loads((home / "calibration.json").read_text()), MATS)
    for name, box in ROCHE.zones.items():
        for corner, found in zip(box.corners, stored.zones()[name], strict=True):
            truth = cv2.perspectiveTransform(np.array([[corner]], np.float64), matrix)[0, 0]
            assert math.dist(stored.mm((float(truth[0]), float(truth[1]))), corner) < 2
            assert math.dist(found, truth) < 2 * stored.px_per_mm


@pytest.mark.thorough
def test_a_covered_tag_is_named_with_the_fix_and_nothing_is_stored(sheet, tmp_path, capsys):
    third = list(ROCHE.tags)[2]
    photograph(sheet, camera(), tmp_path / "mat.png", cover=third)
    assert run(["calibrate", "--camera", str(tmp_path / "mat.png"), "--data", str(tmp_path / "home")]) == 1
    assert f"tag {third}: uncover the bottom right corner" in capsys.readouterr().err
    assert not (tmp_path / "home" / "calibration.json").exists()


@pytest.mark.thorough
def test_a_camera_too_far_away_is_refused(sheet, tmp_path, capsys):
    photograph(sheet, camera(1.2), tmp_path / "mat.png")
    assert run(["calibrate", "--camera", str(tmp_path / "mat.png"), "--data", str(tmp_path), "--json"]) == 1
    out, err = capsys.readouterr()
    assert json.loads(out)["ok"] is False
    assert "Cards are too small" in err


def test_no_mat_at_all(tmp_path, capsys):
    cv2.imwrite(str(tmp_path / "bare.png"), np.full((1080, 1920, 3), 90, np.uint8))
    assert run(["calibrate", "--camera", str(tmp_path / "bare.png"), "--data", str(tmp_path)]) == 1
    assert "No mat was seen" in capsys.readouterr().err


# ---- by a die

needs_network = pytest.mark.skipif(not has_network(), reason="the network is not trained yet")


def die_picture(file: Path, value: int, tilt_deg: float = 26.0, towards_deg: float = 250.0) -> Path:
    """A picture file of one and the same blue d6."""
    rng = np.random.default_rng(value)
    scene = plain_dice.Scene(plain_dice.ground("felt", (340, 300), rng))
    look = plain_dice.Look(body=(120, 50, 30), glare=0.1)
    plain_dice.put(scene, "d6", value, (170, 150), 115, look, rng, tilt_deg=tilt_deg, towards_deg=towards_deg, order=5)
    cv2.imwrite(str(file), plain_dice.finish(scene.image, rng))
    return file


@pytest.mark.thorough
@needs_network
def test_a_die_tells_how_the_camera_looks_and_can_be_taught_then(tmp_path, capsys):
    faces = [die_picture(tmp_path / f"{value}.png", value) for value in range(1, 7)]
    assert run(["calibrate", "--die", "d6", *map(str, faces[1:]), "--json", "--data", str(tmp_path)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["axis"] == [pytest.approx(26, abs=6), pytest.approx(250, abs=15)]
    assert (told["pictures"], told["refused"]) == (5, [])
    axis = ",".join(map(str, told["axis"]))
    assert run(["enroll", "ours", *map(str, faces), "--kind", "d6", "--data", str(tmp_path)]) == 1
    assert "the die is leaning" in capsys.readouterr().err
    assert run(["enroll", "ours", *map(str, faces), "--kind", "d6", "--axis", axis, "--data", str(tmp_path)]) == 0
    assert EnrolledDice(tmp_path).names() == {"ours": "d6"}


@pytest.mark.thorough
@needs_network
def test_people_are_told_the_line_for_the_configuration_and_what_was_refused(tmp_path, capsys):
    faces = [die_picture(tmp_path / f"{value}.png", value, 0.0) for value in (2, 3, 5)]
    cv2.imwrite(str(tmp_path / "6.png"), np.full((300, 340, 3), 90, np.uint8))
    assert run(["calibrate", "--die", "d6", *map(str, faces), str(tmp_path / "6.png"), "--data", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("6.png: no die is to be seen.\nThe camera looks straight down. It is accurate to a few ")
    assert "\n[die]\naxis = [" in said
    assert "view" not in said


@pytest.mark.thorough
@needs_network
def test_the_angle_of_view_that_was_told_belongs_to_the_axis_in_the_configuration(tmp_path, capsys):
    """Read by another angle of view the same axis would be wrong away from the picture's middle."""
    faces = [str(die_picture(tmp_path / f"{value}.png", value)) for value in (2, 3, 5, 6)]
    told = ["calibrate", "--die", "d6", *faces, "--view", "66", "--data", str(tmp_path)]
    assert run(told) == 0
    assert "]\nview = 66\n\nRepeat this" in capsys.readouterr().out
    assert run([*told, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["view"] == 66


@pytest.mark.thorough
@needs_network
def test_no_axis_is_told_by_too_few_pictures_or_by_two_cameras(tmp_path, capsys):
    two = [die_picture(tmp_path / f"{value}.png", value) for value in (2, 5)]
    assert run(["calibrate", "--die", "d6", *map(str, two), "--data", str(tmp_path)]) == 1
    assert "At least 3 good pictures are needed." in capsys.readouterr().err
    more = [die_picture(tmp_path / "3.png", 3), die_picture(tmp_path / "6.png", 6, 30.0, 70.0)]
    assert run(["calibrate", "--die", "d6", *map(str, two + more), "--data", str(tmp_path)]) == 1
    assert (
        "The pictures of 6 do not fit the others. Was another face up, or the camera moved?" in capsys.readouterr().err
    )


@pytest.mark.thorough
@needs_network
def test_a_camera_too_far_aside_gets_no_axis(tmp_path, capsys):
    faces = [die_picture(tmp_path / f"{value}.png", value, 44.0) for value in (2, 3, 5, 6)]
    assert run(["calibrate", "--die", "d6", *map(str, faces), "--data", str(tmp_path)]) == 1
    assert "The camera looks from more than 35 degrees aside." in capsys.readouterr().err


def test_pictures_are_for_dice_only(tmp_path, capsys):
    assert run(["calibrate", str(tmp_path / "1.png"), "--data", str(tmp_path)]) == 2
    assert "Picture files are for --die only" in capsys.readouterr().err
    assert run(["calibrate", "--view", "66", "--data", str(tmp_path)]) == 2
    assert "--view counts with --die only" in capsys.readouterr().err
    assert run(["calibrate", "--die", "d6", "--mat", "roche", "--data", str(tmp_path)]) == 2
    assert "Give either --mat or --die, not both" in capsys.readouterr().err
