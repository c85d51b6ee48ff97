"""The camera's axis is estimated from the mat's homography, and dice are rectified by it before they are read."""

import cv2
import numpy as np
import plain_dice
import pytest

from companion.objects.dice import DIE_KINDS
from companion.vision.dice.axis import (
    DEFAULT_LENS,
    ORTHOGRAPHIC,
    UPPER_FACE_HEIGHT,
    Axis,
    Lens,
    axis_of_plane,
    seen_from_above,
)
from companion.vision.dice.boxes import DieBox
from companion.vision.dice.decision_policy import Evidence, gather, judge
from companion.vision.dice.faces.classifier import shared_classifier
from companion.vision.dice.faces.upright import CLOSE_CROP_PX, DIE_PX

F, W, H = 1500.0, 1280, 960
INNER = np.array([[F, 0, W / 2], [0, F, H / 2], [0, 0, 1]])


def camera(tilt_deg, towards_deg, far=800.0):
    """A pinhole camera (3, 4) over the plane x right, y down, z down from the viewer; looks at (0, 0, 0)."""
    t, w = np.radians(tilt_deg), np.radians(towards_deg)
    eye = far * np.array([np.sin(t) * np.cos(w), -np.sin(t) * np.sin(w), -np.cos(t)])
    axis = -eye / far
    right = np.array([1.0, 0.0, 0.0]) - axis[0] * axis
    right /= np.linalg.norm(right)
    turned = np.stack([right, np.cross(axis, right), axis])
    return INNER @ np.hstack([turned, (-turned @ eye)[:, None]])


def to_px(lens):
    return lens[:, [0, 1, 3]]


def apart(a, b):
    return abs((a - b + 180) % 360 - 180)


@pytest.mark.parametrize("tilt", [8.0, 20.0, 35.0])
@pytest.mark.parametrize("towards", [0.0, 75.0, 200.0, 310.0])
def test_the_axis_is_estimated_from_a_homography(tilt, towards):
    plane = to_px(camera(tilt, towards))
    for scale in (1.0, -0.004, 30.0):
        found = axis_of_plane(scale * plane, (H, W))
        assert found.tilt_deg == pytest.approx(tilt, abs=0.1)
        right, up = np.cos(np.radians(towards)), np.cos(np.radians(tilt)) * np.sin(np.radians(towards))
        there = np.degrees(np.arctan2(np.sin(np.radians(towards)), right))
        assert apart(found.towards_deg, there) < 1 + apart(there, np.degrees(np.arctan2(up, right)))
        assert found.lens.width == pytest.approx(W / F if tilt > 10 else DEFAULT_LENS.width, rel=0.01)


def test_a_camera_at_nadir_has_no_tilt_and_the_default_lens():
    assert axis_of_plane(to_px(camera(0.0, 0.0)), (H, W)) == Axis(0.0, lens=DEFAULT_LENS)


@pytest.mark.parametrize(("tilt", "towards"), [(0.0, 0.0), (20.0, 75.0), (33.0, 250.0)])
@pytest.mark.parametrize("place", [(640, 480), (100, 100), (1200, 700), (1250, 30)])
def test_a_die_off_center_is_projected_by_the_lens(tilt, towards, place):
    """Its upper face, size and center match those of points projected by a pinhole camera."""
    seen = camera(tilt, towards)
    up, right = np.array([0.0, 0.0, -1.0]), np.array([1.0, 0.0, 0.0])
    ground = np.linalg.inv(to_px(seen)) @ (*place, 1.0)
    middle = np.array([*(ground[:2] / ground[2]), 0.0])

    def px(point):
        u = seen @ (*point, 1.0)
        return u[:2] / u[2]

    size, step = 20.0, 0.01
    ball = np.array([[np.cos(a) * np.cos(b), np.sin(a) * np.cos(b), np.sin(b)] for a in np.linspace(0, 6.28, 60)
                     for b in np.linspace(-1.57, 1.57, 30)])  # fmt: skip
    outline = np.array([px(middle + size / 2 * each) for each in ball])
    box_px = np.ptp(outline, axis=0).max()
    above = middle + UPPER_FACE_HEIGHT * size * up
    face = np.stack([px(above + step * way) - px(above) for way in (right, np.cross(right, up))], axis=1) / step
    face *= size / box_px
    away = np.linalg.inv(INNER) @ seen[:, :3] @ up  # the table's normal points away from the camera's azimuth
    axis = Axis(tilt, float(np.degrees(np.arctan2(away[1], -away[0]))) % 360, Lens(W / F))
    slant = axis.at((place[0], place[1], 0, 0), (H, W))
    eye = -np.linalg.inv(seen[:, :3]) @ seen[:, 3]
    ray = (eye - middle) / np.linalg.norm(eye - middle)
    assert slant.tilt_deg == pytest.approx(np.degrees(np.arccos(ray @ up)), abs=0.1)
    assert slant.shift == pytest.approx((px(above) - px(middle)) / box_px, abs=0.02)
    assert np.sort(np.linalg.svd(slant.flat)[1]) == pytest.approx(np.sort(np.linalg.svd(face)[1]), abs=0.03)


def test_a_cropped_picture_gives_the_same_view_as_the_whole():
    axis, part = Axis(20.0, 75.0), (0.25, 0.5, 0.5, 0.4)
    whole = axis.at((900, 600, 60, 50), (960, 1280))
    alone = axis.within(part).at((900 - 320, 600 - 480, 60, 50), (384, 640))
    assert (whole.tilt_deg, *whole.shift) == pytest.approx((alone.tilt_deg, *alone.shift))
    assert whole.flat == pytest.approx(alone.flat)


def test_a_die_that_appears_too_near_means_a_cropped_picture():
    """A die a third as wide as the picture: no camera is only three die sizes away."""
    far_off = Axis(0.0).at((400, 100, 40, 40), (480, 640)).tilt_deg
    close_up = Axis(0.0).at((400, 100, 200, 200), (480, 640)).tilt_deg
    assert far_off > 10 > 5 > close_up


def test_the_upper_face_is_rectified_and_centered():
    for tilt, towards in ((15.0, 40.0), (35.0, 250.0)):
        t, w = np.radians(tilt), np.radians(towards)
        angle = np.linspace(0, 2 * np.pi, 90, endpoint=False)
        way = np.array([np.cos(w), -np.sin(w)])  # the camera's azimuth in the image
        round_, aside = np.outer(np.cos(angle), way) * np.cos(t), np.outer(np.sin(angle), (-way[1], way[0]))
        ring = 0.3 * DIE_PX * (round_ + aside) - UPPER_FACE_HEIGHT * DIE_PX * np.sin(t) * way + (CLOSE_CROP_PX - 1) / 2
        near = np.zeros((CLOSE_CROP_PX, CLOSE_CROP_PX, 3), np.uint8)
        cv2.fillPoly(near, [np.round(ring).astype(np.int32)], (255, 255, 255))
        ys, xs = np.nonzero(seen_from_above(near, Axis(tilt, towards).along())[..., 0] > 127)
        assert np.ptp(xs) == pytest.approx(0.6 * DIE_PX, abs=3)
        assert np.ptp(ys) == pytest.approx(0.6 * DIE_PX, abs=3)
        assert (xs.mean(), ys.mean()) == pytest.approx(((CLOSE_CROP_PX - 1) / 2,) * 2, abs=2)


def aslant(kind, value, tilt_deg, rng):
    """A die under an off-axis camera: the picture, its box, its face and the axis."""
    scene = plain_dice.Scene(plain_dice.ground("felt", (360, 320), rng))
    towards, look = rng.uniform(0, 360), plain_dice.Look()
    drawn = plain_dice.put(
        scene, kind, value, (180, 160), 125, look, rng, tilt_deg=tilt_deg, towards_deg=towards, order=5
    )
    picture = plain_dice.finish(scene.image, rng)
    return picture, DieBox(drawn.box, 1.0), drawn.face or str(drawn.value), Axis(tilt_deg, towards, ORTHOGRAPHIC)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["d20", "rugen"])
def test_a_known_axis_makes_dice_readable(kind):
    rng, networks = np.random.default_rng(12), shared_classifier()
    known = unknown = 0
    for value in (1, 4, 7, 8, 12, 14, 17, 20):
        picture, box, shown, axis = aslant(kind, value, 22.0, rng)
        for seen in (axis, None):
            reading = judge([gather(picture, box, networks, axis=seen)], DIE_KINDS, networks.calibration)
            said = None if reading is None or reading.value is None else reading
            right = said is not None and (said.face if kind == "rugen" else str(said.value)) == shown
            assert said is None or right or seen is None
            known, unknown = known + (right and seen is not None), unknown + (right and seen is None)
    assert known >= 6
    assert unknown <= 2


def test_a_die_seen_too_much_from_the_side_has_no_value():
    picture, box, _, _ = aslant("d20", 7, 0.0, np.random.default_rng(3))
    networks = shared_classifier()
    seen = gather(picture, box, networks)
    assert judge([seen], DIE_KINDS, networks.calibration).value == 7
    slanted = Evidence(seen.die, seen.predictions, seen.pips, seen.tag, seen.sharpness, tilt_deg=43.0)
    reading = judge([slanted], DIE_KINDS, networks.calibration)
    assert (reading.value, reading.reason) == (None, "seen too much from the side")


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["d20", "rugen"])
def test_dice_at_the_edge_of_a_wide_picture_are_rectified_by_their_own_ray(kind):
    """With a view of 55 degrees the center is seen from nadir, but a die at the edge from 21 degrees off-axis."""
    rng, networks = np.random.default_rng(31), shared_classifier()
    by_ray = as_if_below = 0
    for value in (1, 4, 7, 8, 12, 14, 17, 20):
        scene = plain_dice.Scene(plain_dice.ground("felt", (W, H), rng))
        drawn = plain_dice.put(
            scene, kind, value, (1120, 480), 100, plain_dice.Look(), rng, tilt_deg=21.3, towards_deg=180, order=5
        )
        picture, box = plain_dice.finish(scene.image, rng), DieBox(drawn.box, 1.0)
        for axis in (Axis(0.0), Axis(0.0, lens=ORTHOGRAPHIC)):
            reading = judge([gather(picture, box, networks, axis=axis)], DIE_KINDS, networks.calibration)
            said = None if reading is None or reading.value is None else str(reading.face or reading.value)
            shown = drawn.face if kind == "rugen" else str(value)
            is_right = said is not None and (said if kind == "rugen" else str(reading.value)) == shown
            assert said is None or is_right or axis.lens == ORTHOGRAPHIC
            by_ray, as_if_below = (
                by_ray + (is_right and axis.lens != ORTHOGRAPHIC),
                as_if_below + (is_right and axis.lens == ORTHOGRAPHIC),
            )
    assert by_ray >= 6
    assert as_if_below <= 3
