"""A running camera: still cards are read once, covered ones are kept, removed ones are forgotten."""

from collections.abc import Iterable

import cv2
import numpy as np
import printed
import pytest
from table_scene import Face, Look, Placed, add_arm, compose, film, grid, paste_tag

from companion.objects.geometry import HAND_POKER
from companion.testing import DECKS
from companion.vision import Frame, FrameReading, Reader

pytestmark = pytest.mark.thorough

LOOK = Look(size=(1280, 720), px_per_module=2.7, tilt_deg=6.0, falloff=0.3, jpeg=None, noise=3.0)
NAMES = ("6D3", "2N1", "7N5", "3D2", "4D4", "5N1")


class Film:
    """Feeds frames to one Reader, 30 per second, with new noise in each."""

    def __init__(self, reader: Reader | None = None) -> None:
        self.reader = reader or Reader(printed.KEYS, DECKS)
        self.noise = np.random.default_rng(3)
        self.number = 0

    def show(self, scene: np.ndarray, frames: int = 1, look: Look = LOOK) -> FrameReading:
        for image in film(scene, look, self.noise, frames):
            reading = self.reader.read(Frame(image, self.number / 30, self.number))
            self.number += 1
        return reading


def laid(faces: dict[str, Face], names: Iterable[str] = NAMES) -> list[Placed]:
    everything = grid([(n, faces[n]) for n in NAMES], LOOK, np.random.default_rng(1))
    return [p for p in everything if p.name in set(names)]


def table(placed: list[Placed]) -> np.ndarray:
    return compose(placed, LOOK, 11)[0]


def ids(reading: FrameReading, status: str = "ok") -> set[str | None]:
    return {c.id for c in reading.cards if c.status == status}


def test_all_cards_are_proven_within_ten_frames(faces: dict[str, Face]) -> None:
    reading = Film().show(table(laid(faces)), 10)
    assert ids(reading) == set(NAMES)
    assert {c.deck for c in reading.cards} == {"K7QX"}
    assert all(c.outline is not None and c.visible == 1.0 for c in reading.cards)
    assert not reading.moving


def test_a_new_card_is_read_within_four_frames_of_coming_to_rest(faces: dict[str, Face]) -> None:
    film = Film()
    film.show(table(laid(faces, NAMES[:5])), 15)
    assert film.show(table(laid(faces)), 1).moving
    assert ids(film.show(table(laid(faces)), 3)) == set(NAMES)


def test_a_card_that_is_taken_away_is_forgotten(faces: dict[str, Face]) -> None:
    film = Film()
    film.show(table(laid(faces)), 12)
    assert ids(film.show(table(laid(faces, NAMES[1:])), 15)) == set(NAMES[1:])


def test_a_hand_over_cards_neither_loses_nor_changes_them(faces: dict[str, Face]) -> None:
    film = Film()
    scene = table(laid(faces))
    film.show(scene, 12)
    for step in range(12):
        reading = film.show(add_arm(scene, (250 + 70 * step, 300)))
        assert ids(reading) == set(NAMES)
        assert {c.status for c in reading.cards} == {"ok"}
    resting = film.show(add_arm(scene, (640, 200)), 30)
    assert ids(resting) == set(NAMES)
    assert min(c.visible for c in resting.cards) < 0.6
    after = film.show(scene, 10)
    assert ids(after) == set(NAMES)
    assert all(c.visible == 1.0 for c in after.cards)


def test_glare_over_a_card_does_not_lose_it(faces: dict[str, Face]) -> None:
    film = Film()
    scene = table(laid(faces))
    before = film.show(scene, 12)
    shone = scene.copy()
    for card in before.cards[:2]:
        x, y = (round(v) for v in np.mean(card.corners, axis=0))
        cv2.circle(shone, (x, y), 22, (255, 255, 255), -1)
    reading = film.show(cv2.GaussianBlur(shone, (0, 0), 2), 40)
    assert ids(reading) == set(NAMES)


def test_a_card_that_is_moved_is_one_card_all_along(faces: dict[str, Face]) -> None:
    film = Film()
    start = laid(faces, NAMES[:3])
    film.show(table(start), 12)
    card = start[0]
    for step in range(1, 9):
        moved = [Placed(card.name, card.face, card.x, card.y + 6 * step, card.turn_deg), *start[1:]]
        reading = film.show(table(moved))
        assert len([c for c in reading.cards if c.id == card.name]) <= 1
        assert reading.warnings == ()
    rest = film.show(table(moved), 15)
    assert ids(rest) == set(NAMES[:3])


def test_the_light_may_change(faces: dict[str, Face]) -> None:
    film = Film()
    scene = table(laid(faces))
    film.show(scene, 12)
    for level in (0.8, 0.6, 0.5, 0.9, 1.2):
        reading = film.show(np.clip(scene * level, 0, 255), 3)
        assert ids(reading) == set(NAMES)


def test_a_card_laid_upon_another_covers_it(faces: dict[str, Face]) -> None:
    film = Film()
    below = laid(faces, NAMES[:3])
    film.show(table(below), 12)
    on_top = Placed("4D4", faces["4D4"], below[0].x, below[0].y, below[0].turn_deg)
    reading = film.show(table([*below, on_top]), 15)
    assert ids(reading) == {"4D4", below[1].name, below[2].name}
    assert ids(reading, "forged") == set()


def test_a_tampered_card_is_never_ok_not_for_one_frame(faces: dict[str, Face], pictures: dict[str, np.ndarray]) -> None:
    from table_scene import card_face

    picture = pictures["6D3"].copy()
    for box, turns in ((HAND_POKER.first_tag, 0), (HAND_POKER.second_tag, 2)):
        paste_tag(picture, DECKS.tag_of["7N1"], box.x, box.y, box.width, turns)
    placed = [Placed("6D3", card_face(picture), 0, 0, 20.0)]
    film, scene = Film(), table(placed)
    readings = [film.show(scene) for _ in range(40)]
    assert {c.status for r in readings for c in r.cards} == {"forged"}
    assert "6D3" in readings[-1].warnings[0]
    assert "7N1" in readings[-1].warnings[0]


def test_another_size_of_picture_starts_afresh(faces: dict[str, Face]) -> None:
    film = Film()
    film.show(table(laid(faces)), 10)
    small = Look(size=(960, 540), px_per_module=3.0, jpeg=None)
    scene = compose([Placed("6D3", faces["6D3"], 0, 0, 0.0)], small, 5)[0]
    reading = film.show(scene, 6, small)
    assert (reading.size, ids(reading)) == ((960, 540), {"6D3"})


def test_a_thorough_reader_reads_cards_on_the_move(faces: dict[str, Face]) -> None:
    film = Film(Reader(printed.KEYS, DECKS, thorough=True))
    for step in range(6):
        scene = table([Placed("6D3", faces["6D3"], -40.0 + 7 * step, 0, 10.0)])
        reading = film.show(scene)
        assert [(c.id, c.status) for c in reading.cards] == [("6D3", "ok")]


def test_a_hand_that_rests_on_a_card_does_not_lose_it(faces: dict[str, Face]) -> None:
    film = Film()
    film.show(table([]), 25)
    scene = table(laid(faces, NAMES[:2]))
    film.show(scene, 15)
    x, y = (round(v) for v in np.mean(film.show(scene).cards[0].corners, axis=0))
    covered = scene.copy()
    cv2.rectangle(covered, (x - 150, y - 150), (x + 150, y + 150), (120, 150, 200), -1)
    readings = film.show(covered, 150)
    assert ids(readings) == set(NAMES[:2])
    assert min(c.visible for c in readings.cards) < 0.1
    assert ids(film.show(scene, 10)) == set(NAMES[:2])
    assert ids(film.show(table([]), 15)) == set()
