"""A card that cannot be read is not passed over in silence; a back, a hand, a known card are no worry."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import printed
import pytest
from table_scene import Face, Look, Placed, add_arm, card_face, compose, expose

from companion.geometry import POKER
from companion.vision import Frame, FrameReading, Reader
from companion.vision.cards import Understood
from companion.vision.ground import Ground
from companion.vision.sightings import CardSighting, Quad
from companion.vision.unread import Unread

LOOK = Look(size=(1280, 720), px_per_module=2.7, tilt_deg=6.0, falloff=0.3, jpeg=None, noise=3.0)
DOTS_A_MM = 11.81


def ruined(picture: np.ndarray, boxes: tuple[tuple[float, float, float, float], ...]) -> Face:
    """Return a printed card on which something was spilt: x, y, width, height in mm each."""
    picture = picture.copy()
    for box in boxes:
        x, y, w, h = (round(value * DOTS_A_MM) for value in box)
        noise = np.random.default_rng(1).integers(0, 2, (9, 9)).astype(np.uint8) * 200 + 30
        picture[y : y + h, x : x + w] = cv2.resize(noise, (w, h), interpolation=cv2.INTER_CUBIC)[..., None]
    return card_face(picture)


def place(box: object) -> tuple[float, float, float, float]:
    return (box.x, box.y, box.width, box.height)  # type: ignore[attr-defined]


TAGS = (place(POKER.first_tag), place(POKER.second_tag))
ALL = (*TAGS, place(POKER.qr))
BOX = (400, 200, 800, 600)


def square(x: float, y: float, side: float = 60) -> Quad:
    return ((x, y), (x + side, y), (x + side, y + side), (x, y + side))


@pytest.fixture
def film() -> Callable[..., FrameReading]:
    """Shows a scene for so many frames, 15 a second, to one reader; returns the last reading."""
    reader, noise, number = Reader(printed.KEYS), np.random.default_rng(3), iter(range(10_000))

    def show(placed: list[Placed], frames: int, arm: tuple[int, int] | None = None) -> FrameReading:
        scene = compose(placed, LOOK, 11)[0]
        scene = scene if arm is None else add_arm(scene, arm)
        for _ in range(frames):
            n = next(number)
            reading = reader.read(Frame(expose(scene.copy(), LOOK, noise), n / 15, n))
        return reading

    return show


def at(name: str, face: Face, x: float, turn: float = 3.0) -> Placed:
    return Placed(name, face, x, 0.0, turn)


def unread(reading: FrameReading) -> list[tuple[float, float]]:
    return [card.center for card in reading.cards if card.status == "unreadable"]


def test_a_card_whose_code_and_tags_are_gone_is_said_to_be_unreadable(film, faces, pictures) -> None:
    """Not at once: it may only be covered for a moment. It is forgotten when it is taken away."""
    good = at("6D3", faces["6D3"], 60)
    film([good], 20)
    bad = [good, at("bad", ruined(pictures["3D2"], ALL), -60, 8)]
    assert unread(film(bad, 8)) == []
    reading = film(bad, 30)
    assert len(unread(reading)) == 1
    assert [card.id for card in reading.cards if card.status == "ok"] == ["6D3"]
    truth = compose(bad, LOOK, 11)[1][1].outline.mean(axis=0)
    assert np.hypot(*(np.array(unread(reading)[0]) - truth)) < 20
    assert unread(film([good], 12)) == []


def test_a_code_that_is_found_and_cannot_be_read_tells_of_a_card() -> None:
    """On a card that lies half on another no outline is seen, only a code: twice, some time apart, and at its place."""
    code, near = square(500, 300), square(503, 298)
    unread = Unread()
    unread.note_codes(BOX, [code], 1.0)
    unread.note_codes(BOX, [near], 1.4)
    assert unread.cards() == ()
    unread.note_codes(BOX, [near], 2.0)
    assert [(card.id, card.status, card.corners) for card in unread.cards()] == [(None, "unreadable", near)]


def test_a_code_that_is_not_found_again_where_one_looked_is_forgotten() -> None:
    unread = Unread()
    for t in (1.0, 2.0):
        unread.note_codes(BOX, [square(500, 300)], t)
    unread.note_codes((0, 0, 520, 320), [], 2.1)  # its edge cuts the code: that says nothing
    assert len(unread.cards()) == 1
    unread.note_codes(BOX, [], 2.2)
    assert unread.cards() == ()


def test_a_code_of_a_card_that_is_known_is_no_stranger() -> None:
    unread, outline = Unread(), square(470, 280, 150)
    for t in (1.0, 2.0):
        unread.note_codes(BOX, [square(500, 300)], t)
    known = Understood((CardSighting("6D3", "K7QX", "tag", square(480, 290, 20), outline),), (), ())
    unread.forget(np.zeros((720, 1280, 3), np.uint8), Ground((1280, 720)), known, 2.0)
    assert unread.cards() == ()


def test_an_unreadable_card_stays_so_under_a_resting_hand(film, faces, pictures) -> None:
    bad = [at("6D3", faces["6D3"], 60), at("bad", ruined(pictures["3D2"], ALL), -60, 8)]
    film([bad[0]], 20)
    assert len(unread(film(bad, 40))) == 1
    assert len(unread(film(bad, 20, arm=(400, 380)))) == 1
    assert len(unread(film(bad, 20))) == 1


def test_backs_and_readable_cards_are_no_worry(film, faces) -> None:
    lay = [at("6D3", faces["6D3"], 75), at("2N1", faces["2N1"], 0), at("back", printed.back(), -75, 12)]
    for _ in range(5):
        assert unread(film(lay, 8)) == []
    assert unread(film(lay, 12, arm=(640, 360))) == []


def test_a_card_that_is_read_at_last_is_only_that_card(film, faces, pictures) -> None:
    """The dealer wipes it clean."""
    good = at("6D3", faces["6D3"], 60)
    film([good], 20)
    assert len(unread(film([good, at("3D2", ruined(pictures["3D2"], ALL), -60, 8)], 40))) == 1
    reading = film([good, at("3D2", faces["3D2"], -60, 8)], 12)
    assert unread(reading) == []
    assert {card.id for card in reading.cards} == {"6D3", "3D2"}
