"""Path-traced pictures: boxes and labels of the dice, also in the training samples cut from them."""

import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from companion.rendering.painter import Die, View, art_corners, outline_of
from companion.rendering.poses import resting
from companion.rendering.solids import SolidName, solid
from tools.training.finder.scenes import SIDE as SCENE_SIDE
from tools.training.rays.arts import MadeDie, random_die
from tools.training.samples.fonts import Fonts
from tools.training.traced import bank
from tools.training.traced.bank import load_parts
from tools.training.traced.cuts import close_crops, scene_from
from tools.training.traced.mesh import rounded, texture_sheet
from tools.training.traced.scene import SIDE, Shot, _PlacedDie

needs_mitsuba = pytest.mark.skipif(not importlib.util.find_spec("mitsuba"), reason="Mitsuba is not installed")


def chance(fonts: Fonts, seed: int = 1) -> MadeDie:
    return random_die(np.random.default_rng(seed), fonts, "train", "d20")


def with_rounding(made: MadeDie, rounding: float) -> Die:
    return replace(made.die, material=replace(made.die.material, rounding=rounding))


@pytest.mark.parametrize("name", ["d4", "d6", "d8", "d10", "d12", "d20"])
def test_a_rounded_die_lies_within_the_sharp_one_and_touches_its_faces(name: SolidName, fonts: Fonts) -> None:
    rng = np.random.default_rng(2)
    die = random_die(rng, fonts, "train", {"d20": "blank20", "d6": "blank6"}.get(name, name)).die  # type: ignore[arg-type]
    shape = solid(name)
    mesh = rounded(replace(die, material=replace(die.material, rounding=0.03)), 1.1)
    heights = mesh.points @ shape.normals.T - (shape.centres * shape.normals).sum(axis=1)
    assert heights.max() < 1e-4
    assert (heights.max(axis=0) > -0.01).all(), "each face is nearly flat in its middle"
    assert np.allclose(np.linalg.norm(mesh.normals, axis=1), 1, atol=1e-5)
    corners = mesh.points[mesh.triangles]
    outward = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert ((outward * corners.mean(axis=1)).sum(axis=1) > 0).all(), "all triangles look outwards"


def test_more_rounding_takes_more_off(fonts: Fonts) -> None:
    made = chance(fonts)
    sizes = [
        np.linalg.norm(rounded(with_rounding(made, soft), 1.1).points, axis=1).max() for soft in (0.004, 0.02, 0.06)
    ]
    assert 1 > sizes[0] > sizes[1] > sizes[2] > 0.8


def test_each_face_has_its_own_place_in_the_art(fonts: Fonts) -> None:
    made = chance(fonts)
    sheet, mesh = texture_sheet(made.die, np.random.default_rng(1)), rounded(made.die, 1.1)
    assert sheet.colours.shape[:2] == sheet.ink.shape == sheet.depth.shape
    assert 0 < sheet.colours.min() < sheet.colours.max() < 1
    each = len(mesh.places) // 20
    cells = np.floor(mesh.places * (5, 4)).astype(int).reshape(20, each, 2)
    assert (cells == cells[:, :1]).all()
    assert len({tuple(cell[0]) for cell in cells.tolist()}) == 20


def shot_of(boxes: list[list[float]], labels: list[list[int]]) -> Shot:
    picture = np.full((SIDE, SIDE, 3), 90, np.uint8)
    for left, top, right, bottom, _ in boxes:
        picture[int(top) : int(bottom), int(left) : int(right)] = (20, 20, 220)
    return Shot(picture, np.array(boxes, np.float32), np.array(labels, np.int16))


def test_crops_show_the_dice_that_may_be_learnt_from() -> None:
    boxes = [[40, 60, 120, 140, 0], [200, 200, 260, 260, 12], [280, 10, 310, 40, 0]]
    labels = [[0, 4, 0, 80, 90, 10, -20, 100, 45], [0, 4, -1, 60, -1, 0, 0, 100, 45], [1, 2, 0, 30, -1, 0, 0, 100, 45]]
    crops = close_crops([shot_of(boxes, labels)], np.random.default_rng(3), each=5)
    assert len(crops) == 5, "one is for the finder only, one too small"
    assert crops.labels[:, :3].tolist() == [[0, 4, 0]] * 5
    assert all(40 <= size <= 80 for size in crops.labels[:, 3])
    for image in crops.images:
        red = image[..., 2].astype(int) - image[..., 1] > 60
        assert red[104, 104]
        assert np.ptp(np.nonzero(red.any(axis=0))[0]) == pytest.approx(128, abs=14)


def test_parts_say_where_their_dice_are() -> None:
    boxes = [[40, 60, 120, 140, 0], [200, 200, 260, 260, 12]]
    shot = shot_of(boxes, [[0, 4, 0, 80, 90, 10, -20, 100, 45]] * 2)
    rng, seen = np.random.default_rng(4), 0
    for _ in range(30):
        part = scene_from(shot, rng)
        assert part.picture.shape == (SCENE_SIDE, SCENE_SIDE, 3)
        for left, top, right, bottom, lean in part.boxes:
            x, y = (left + right) / 2, (top + bottom) / 2
            assert lean in (0, 12)
            if 3 < x < SCENE_SIDE - 3 and 3 < y < SCENE_SIDE - 3:
                seen += 1
                around = part.picture[int(y) - 2 : int(y) + 3, int(x) - 2 : int(x) + 3].mean(axis=(0, 1))
                assert around[2] > around[1] + 40
    assert seen > 20


@needs_mitsuba
def test_a_traced_picture_shows_its_dice_where_it_says(
    fonts: Fonts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bank, "PART", 3)
    path = bank.make_part(tmp_path / "traced.npz", "train", 4, 0, fonts)
    monkeypatch.setattr(bank, "random_shot", lambda *_: pytest.fail("made again"))
    bank.make_part(path, "train", 4, 0, fonts)
    shots = list(load_parts([path]))
    assert len(shots) == 3
    assert sum(len(shot.boxes) for shot in shots) > 3
    for shot in shots:
        for (left, top, right, bottom, lean), label in zip(shot.boxes, shot.labels, strict=True):
            assert label[3] == round(max(right - left, bottom - top))
            assert label[2] in (-1, 0, 1, 2)
            assert lean >= 0


def test_labels_agree_with_the_painter_s(fonts: Fonts) -> None:
    """A die in the picture's center, and its number, are where the first renderer would paint them."""
    made = chance(fonts, 6)
    view = View((SIDE / 2, SIDE / 2), 60.0, 20.0, 25.0, 130.0)
    face = 7
    pose = resting(made.die.solid, face, 40.0)
    mesh = rounded(with_rounding(made, 0.004), 2.0)
    lying = _PlacedDie(made, 0, pose, mesh, np.zeros(3), 1.0)
    outline = outline_of(made.die.solid, pose, view)
    left, top, right, bottom = lying.box(view)
    assert (left, top) == pytest.approx(outline.min(axis=0), abs=2)
    assert (right, bottom) == pytest.approx(outline.max(axis=0), abs=2)
    _, value, note, size, up, x, y, tilt, towards = lying.label(view)
    corners = art_corners(made.die, face, pose, view)
    head = corners[:2].mean(axis=0) - corners[2:].mean(axis=0)
    middle = (corners.mean(axis=0) - ((left + right) / 2, (top + bottom) / 2)) / size
    assert value == made.values[face]
    assert note == 0
    assert (up - np.degrees(np.arctan2(head[0], -head[1])) + 180) % 360 == pytest.approx(180, abs=1)
    assert (x, y) == pytest.approx(1000 * middle, abs=25)
    assert (tilt, towards) == (250, 130)
