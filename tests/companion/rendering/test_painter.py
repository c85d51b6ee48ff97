"""The painter puts the die where it is told, in its colours, with its numbers the right way round."""

import cv2
import numpy as np
import pytest

from companion.printing.fonts import __file__ as fonts_home
from companion.rendering.faces import SIDE, FaceArt, blank, numeral, pip_faces, place, printed_day_night_faces, room_for
from companion.rendering.layouts import d6_layout
from companion.rendering.lights import Lighting, lamp
from companion.rendering.materials import PATTERNS, Material, pattern_field
from companion.rendering.painter import Die, View, outline_of, paint
from companion.rendering.poses import resting
from companion.rendering.solids import solid

DAYLIGHT = Lighting((lamp(-130, 50, (0.6, 0.6, 0.6)),), (0.5, 0.5, 0.5))
FONT = str(fonts_home).replace("__init__.py", "AlegreyaSans-Bold.ttf")


def table(size=240, colour=(60, 110, 70)):
    return np.full((size, size, 3), colour, np.uint8)


def plain_die(name="d20", colour=(40, 40, 200)):
    die = solid(name)
    return Die(die, tuple(blank() for _ in die.faces), Material(colour, gloss=0.0))


def test_a_die_covers_its_outline_and_nothing_far_from_it():
    canvas, die = table(), plain_die()
    painted = paint(canvas, die, resting(die.solid, 3, 20.0), View((130, 110), 60), DAYLIGHT)
    x, y, width, height = painted.box
    rows, columns = np.nonzero(painted.alpha > 127)
    assert columns.min() == pytest.approx(x, abs=4)
    assert columns.max() == pytest.approx(x + width, abs=4)
    assert rows.min() == pytest.approx(y, abs=4)
    assert rows.max() == pytest.approx(y + height, abs=4)
    assert canvas[110, 130, 2] > canvas[110, 130, 1] + 60  # red in the middle
    assert (canvas[:8, :8] == (60, 110, 70)).all()


def test_the_outline_is_known_without_painting():
    die, view = solid("d12"), View((100, 90), 40, 12, 8, 130)
    pose = resting(die, 5, 12.0)
    painted = paint(table(), plain_die("d12"), pose, view, DAYLIGHT)
    assert np.array_equal(outline_of(die, pose, view), painted.outline)


def test_a_die_off_the_picture_leaves_it_as_it_was():
    canvas, die = table(80), plain_die()
    paint(canvas, die, resting(die.solid, 0), View((900, 900), 30), DAYLIGHT)
    assert (canvas == table(80)).all()


def test_a_number_stands_on_the_top_face_as_it_is_written_and_not_mirrored():
    """Seen from straight above, the art's own mask comes back, turned as the face lies."""
    die = solid("d6")
    written = numeral("7", FONT)
    face = FaceArt(place(written, room_for(die, 0, 45, written.shape[1] / written.shape[0], 0)), (255, 255, 255),
                   turn_deg=45, depth=0)  # fmt: skip
    art = tuple(face if index == 2 else blank() for index in range(6))
    canvas = table(240, (0, 0, 0))
    view = View((120, 120), 100, distance=1e6)
    paint(canvas, Die(die, art, Material((10, 10, 10), gloss=0)), resting(die, 2), view, DAYLIGHT)
    straight, flipped = (
        max(_overlap(canvas, mask, 15 * step, die.reach[2] * 100) for step in range(24))
        for mask in (face.mask, face.mask[:, ::-1])
    )
    assert straight > 0.8
    assert straight > flipped + 0.2


def _overlap(canvas, mask, turn_deg, half_px):
    """Intersection over union of the bright pixels and the art, turned, around the picture's middle."""
    where = cv2.getRotationMatrix2D((SIDE / 2 - 0.5, SIDE / 2 - 0.5), turn_deg, 2 * half_px / SIDE)
    where[:, 2] += 120 - SIDE / 2
    art = cv2.warpAffine(np.ascontiguousarray(mask), where, (240, 240)) > 127
    seen = canvas.max(axis=2) > 100
    return (seen & art).sum() / (seen | art).sum()


@pytest.mark.parametrize("value", range(1, 7))
def test_a_d6_shows_as_many_pips_as_its_top_face_has(value):
    layout = d6_layout("western")
    art = pip_faces(layout, "western", (0, 0, 0), [0.0] * 6, radius=0.15, spread=0.5, depth=0.0)
    canvas = table()
    view = View((120, 120), 90, distance=1e6)
    die = Die(solid("d6"), art, Material((240, 240, 240), gloss=0.0))
    paint(canvas, die, resting(die.solid, layout.index(value), 30.0), view, DAYLIGHT)
    dark = (canvas.max(axis=2) < 50).astype(np.uint8)
    assert cv2.connectedComponents(dark)[0] - 1 == value


def test_a_bar_or_a_dot_marks_6_and_9_alone():
    for mark in ("bar", "dot"):
        assert numeral("6", FONT, mark=mark).shape != numeral("6", FONT).shape
        assert numeral("9", FONT, mark=mark).shape != numeral("9", FONT).shape
        assert np.array_equal(numeral("16", FONT, mark=mark), numeral("16", FONT))


def test_printed_day_night_faces_are_light_by_day_and_dark_by_night():
    faces = printed_day_night_faces()
    assert len(faces) == 20
    day, night = faces[0], faces[19]  # 1d and 4n
    corner = (int(SIDE * 0.15), SIDE // 2)  # just below the head of the triangle
    assert day.ink[corner].mean() > 180 > 90 > night.ink[corner].mean()


@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns_stay_between_none_and_all_and_come_back_the_same(pattern):
    field = pattern_field(pattern, 1)
    assert field.min() >= 0
    assert field.max() <= 1
    assert (field.std() > 0.05) == (pattern != "solid")
