"""Pictures of dice in a bowl."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.rendering.bowls.rays import Camera, Die, Lamp, Scene, Surface, linear_of, render
from companion.rendering.bowls.renderer import BowlRenderer
from companion.rendering.bowls.shapes import Bowl, rest, upright
from companion.rendering.faces import pip_faces
from companion.rendering.layouts import d6_layout
from companion.rendering.materials import Material
from companion.rendering.solids import solid

BOWL = Bowl(radius=3.0, height=1.4, depth=1.2)


def plain(colour: tuple[int, int, int], span: float) -> Surface:
    return Surface(np.full((8, 8, 3), colour, np.uint8), span)


def scene(*, face: int = 1, tilt_deg: float = 0.0, dice: bool = True) -> Scene:
    layout = d6_layout("western")
    axis = int(abs(solid("d6").normals[layout.index(face)]).argmax())
    sign = int(np.sign(solid("d6").normals[layout.index(face)][axis]))
    pose = rest(BOWL, 0.6, 0.0, upright(axis, sign, 0.3))
    assert pose is not None
    art = pip_faces(layout, "western", (10, 10, 10), [0.0] * 6, radius=0.16, spread=0.5)
    die = Die(art, Material((240, 240, 240), gloss=0.1), pose)
    camera = Camera((160, 160), 20 * 30.0, 30.0, np.radians(tilt_deg), 0.5, 1.0)
    lamp = Lamp(np.array([0.5, 0.3, 0.81]), 0.05, (0.8, 0.8, 0.8))
    return Scene(
        BOWL, plain((40, 40, 160), 6.0), plain((30, 30, 90), 8.0), plain((60, 120, 60), 20.0), (die,) if dice else (),
        (lamp,), (0.4, 0.4, 0.4), np.full((16, 16, 3), 0.4, np.float32), camera,
    )  # fmt: skip


def test_the_same_seed_gives_the_same_picture():
    first, _ = render(scene(), np.random.default_rng(3))
    again, _ = render(scene(), np.random.default_rng(3))
    assert np.array_equal(first, again)


@pytest.mark.parametrize("tilt_deg", [0.0, 25.0])
def test_a_die_is_where_the_camera_projects_it(tilt_deg: float):
    shown = scene(tilt_deg=tilt_deg)
    _, owner = render(shown, np.random.default_rng(0))
    flat = shown.camera.project(shown.dice[0].pose.corners)
    ys, xs = np.nonzero(owner == 1)
    assert (xs.min(), xs.max()) == pytest.approx((flat[:, 0].min(), flat[:, 0].max()), abs=2.5)
    assert (ys.min(), ys.max()) == pytest.approx((flat[:, 1].min(), flat[:, 1].max()), abs=2.5)


@pytest.mark.parametrize("face", range(1, 7))
def test_as_many_pips_are_up_as_the_face_has(face: int):
    picture, owner = render(scene(face=face), np.random.default_rng(0), fine=2)
    dark = ((picture.max(axis=2) < 110) & (cv2.erode((owner == 1).astype(np.uint8), np.ones((3, 3))) > 0)).astype(
        np.uint8
    )
    count, _, stats, _ = cv2.connectedComponentsWithStats(dark)
    assert sum(stats[i, cv2.CC_STAT_AREA] >= 3 for i in range(1, count)) == face


def test_the_bowl_is_red_and_a_die_throws_a_shadow():
    lit, _ = render(scene(dice=False), np.random.default_rng(0))
    shaded, owner = render(scene(), np.random.default_rng(0))
    middle = lit[80, 80].astype(int)
    assert middle[2] > middle[0] + 40
    darker = (lit.astype(int).sum(axis=2) - shaded.astype(int).sum(axis=2) > 60) & (owner == 0)
    assert 20 < darker.sum() < 3000


def test_light_of_a_colour():
    assert linear_of([0, 255]).tolist() == [0.0, 1.0]


def test_a_part_of_a_picture_is_that_part_of_the_whole():
    whole = scene(tilt_deg=15.0)
    part = replace(whole, camera=whole.camera.part((50, 40, 70, 60)))
    wanted, _ = render(whole, np.random.default_rng(0), fine=1, samples=1, white=0.7)
    found, _ = render(part, np.random.default_rng(0), fine=1, samples=1, white=0.7)
    assert np.abs(wanted[40:100, 50:120].astype(int) - found).mean() < 1.5


def test_a_stage_changes_only_where_dice_lie():
    bare = scene(dice=False)
    renderer = BowlRenderer(bare)
    with_die = renderer.with_dice(scene().dice)
    wanted, owner = render(scene(), np.random.default_rng(0))
    ys, xs = np.nonzero((renderer.empty != with_die).any(axis=2))
    on = owner == 1
    assert (ys.min(), xs.min(), ys.max(), xs.max()) > (15, 15, 60, 60)
    assert len(ys) < 0.35 * owner.size
    assert np.abs(wanted[on].astype(int) - with_die[on]).mean() < 25
    assert renderer.with_dice(()).tobytes() == renderer.empty.tobytes()
