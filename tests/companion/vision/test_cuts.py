"""After an abrupt change of the picture no earlier card is claimed, and cards that are still there come back."""

from dataclasses import replace

import cv2
import numpy as np
import printed
import pytest
from cuts import KINDS, Shot, cut, forgery, shot, wrong
from table_scene import Face, Look, Placed, grid

from companion.objects.geometry import HAND_POKER
from companion.testing import DECKS
from companion.vision import Frame, FrameReading, Reader

LOOK = Look(size=(960, 540), px_per_module=2.8, tilt_deg=5.0, jpeg=None, noise=3.0)
NAMES = ("6D3", "2N1", "7N5", "3D2")
FPS = 25


class Film:
    """Feeds shots to one Reader and keeps every reading."""

    def __init__(self, *, thorough: bool = False) -> None:
        self.reader = Reader(printed.KEYS, DECKS, thorough=thorough)
        self.noise = np.random.default_rng(5)
        self.t = 0.0

    def show(self, shot: Shot, frames: int, fps: float = FPS) -> list[FrameReading]:
        readings = []
        for image in shot.frames(frames, self.noise):
            readings.append(self.reader.read(Frame(image, self.t, round(self.t * 1000))))
            self.t += 1 / fps
        return readings


def listed(reading: FrameReading) -> list[tuple[str | None, str]]:
    return [(card.id, card.status) for card in reading.cards]


def ghosts(readings: list[FrameReading], shot: Shot) -> list[tuple[int, list[tuple[str, str]]]]:
    """Return the frames with reported cards that the shot does not show."""
    found = [(number, wrong(listed(reading), shot.truth)) for number, reading in enumerate(readings)]
    return [(number, cards) for number, cards in found if cards]


def table(faces: dict[str, Face], names: tuple[str, ...] = NAMES, look: Look = LOOK, **shift: float) -> Shot:
    placed = grid([(name, faces[name]) for name in NAMES], LOOK, np.random.default_rng(1))
    moved = [replace(p, x=p.x + shift.get("x", 0.0), y=p.y + shift.get("y", 0.0)) for p in placed if p.name in names]
    return shot(moved, look, 11)


@pytest.mark.parametrize("thorough", [True, False], ids=["file", "live"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.thorough
def test_nothing_of_the_picture_before_a_cut_is_listed_after_it(
    faces: dict[str, Face], kind: str, thorough: bool
) -> None:
    for seed in (20 + KINDS.index(kind), 43 + KINDS.index(kind)):
        before, after = cut(kind, seed, faces)
        film = Film(thorough=thorough)
        assert set(listed(film.show(before, 8)[-1])) == set(before.truth.items())
        readings = film.show(after, 12)
        assert ghosts(readings, after) == []
        assert set(listed(readings[-1])) == set(after.truth.items())


@pytest.mark.parametrize("thorough", [True, False], ids=["file", "live"])
def test_after_dropped_pictures_a_swept_table_is_empty_and_what_lies_there_is_listed_at_once(
    faces: dict[str, Face], thorough: bool
) -> None:
    film = Film(thorough=thorough)
    film.show(table(faces), 8)
    film.t += 5
    left = table(faces, NAMES[:2])
    readings = film.show(left, 12)
    assert ghosts(readings, left) == []
    assert set(listed(readings[0])) == set(left.truth.items())
    film.t += 60
    assert ghosts(film.show(table(faces, ()), 5), table(faces, ())) == []


@pytest.mark.parametrize("level", [0.45, 0.7, 1.5])
def test_a_lamp_that_is_switched_costs_no_card(faces: dict[str, Face], level: float) -> None:
    film, scene = Film(), table(faces, look=replace(LOOK, gain=0.6))
    film.show(scene, 10)
    readings = film.show(replace(scene, scene=np.clip(scene.scene * level, 0, 255)), 6)
    assert [set(listed(r)) for r in readings] == [set(scene.truth.items())] * 6


def test_a_picture_that_is_all_white_for_a_moment_claims_nothing_and_all_cards_are_back_after_it(
    faces: dict[str, Face],
) -> None:
    film, scene = Film(), table(faces)
    film.show(scene, 10)
    (flash,) = film.show(replace(scene, scene=np.full_like(scene.scene, 255)), 1)
    assert listed(flash) == []
    assert len(flash.unsure) > 0
    (after,) = film.show(scene, 1)
    assert set(listed(after)) == set(scene.truth.items())
    assert after.unsure == ()


def test_a_bumped_camera_finds_all_cards_again_and_none_twice(faces: dict[str, Face]) -> None:
    film = Film()
    film.show(table(faces), 10)
    bumped = table(faces, x=3.0, y=-2.0)
    readings = film.show(bumped, 10)
    assert ghosts(readings, bumped) == []
    assert all(len({c.id for c in r.cards}) == len(r.cards) for r in readings)
    assert set(listed(readings[-1])) == set(bumped.truth.items())


def test_a_card_that_makes_way_for_another_in_one_picture_is_not_taken_for_covered(faces: dict[str, Face]) -> None:
    """No hand was there: only paper and cloth show in the card's place."""
    film, before = Film(), table(faces)
    film.show(before, 10)
    gone = table(faces, NAMES[1:])
    assert ghosts(film.show(gone, 6), gone) == []


def test_a_forged_card_stays_forged_while_only_its_tags_are_seen(faces: dict[str, Face]) -> None:
    film, placed = Film(), [Placed("6D3", forgery("6D3"), 0, 0, 10.0), Placed("2N1", faces["2N1"], 90, 0, 0.0)]
    scene = shot(placed, LOOK, 3, "6D3")
    (card,) = [c for c in film.show(scene, 10)[-1].cards if c.id == "6D3"]
    x, y = (round(v) for v in np.mean(card.corners, axis=0))
    covered = scene.scene.copy()
    cv2.circle(covered, (x, y), 44, (255, 255, 255), -1)
    readings = film.show(replace(scene, scene=covered), 100)
    assert {c.status for r in readings for c in r.cards if c.id == "6D3"} == {"forged"}


def test_a_forged_card_that_is_exchanged_for_the_real_one_is_ok_and_never_forged_again(faces: dict[str, Face]) -> None:
    film = Film()
    film.show(shot([Placed("6D3", forgery("6D3"), 0, 0, 10.0)], LOOK, 3, "6D3"), 10)
    real = shot([Placed("6D3", faces["6D3"], 0, 0, 10.0)], LOOK, 3)
    readings = film.show(real, 12)
    assert ghosts(readings[2:], real) == [], "two pictures may pass until the new code is read"
    assert listed(readings[-1]) == [("6D3", "ok")]


def test_a_real_card_whose_code_makes_way_for_another_that_cannot_be_read_is_not_ok_any_more(
    faces: dict[str, Face], pictures: dict[str, np.ndarray]
) -> None:
    """Its tags are the same: they prove nothing about the code in this place now."""
    from table_scene import card_face

    picture = pictures["6D3"].copy()
    s, box = 300 / 25.4, HAND_POKER.qr
    y0, y1, x0, x1 = (round(v * s) for v in (box.y, box.y + box.height, box.x, box.x + box.width))
    picture[y0:y1, x0:x1] = np.roll(picture[y0:y1, x0:x1], 120, axis=(0, 1))  # no code at all
    film = Film(thorough=True)
    others = [Placed(n, faces[n], x, 0, 0.0) for n, x in (("2N1", -90.0), ("7N5", 90.0))]
    film.show(shot([Placed("6D3", faces["6D3"], 0, 0, 10.0), *others], LOOK, 3), 5)
    readings = film.show(shot([Placed("6D3", card_face(picture), 0, 0, 10.0), *others], LOOK, 3), 10)
    assert {c.status for r in readings for c in r.cards if c.id == "6D3"} <= {"tag", "forged", "unreadable"}
