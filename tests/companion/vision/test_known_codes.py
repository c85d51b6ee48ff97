"""Known codes are recognized where no decoder reads them, and nothing else is mistaken for one."""

from collections import Counter

import cv2
import numpy as np
import printed
import pytest
from table_scene import Look, Placed, compose, expose, grid, photograph

from companion.objects.qr_modules import qr_modules
from companion.testing import DECKS
from companion.vision import Frame, Reader, read_image
from companion.vision.decoders.known import KnownCodes
from companion.vision.decoders.qr import read_codes
from companion.vision.frame import Gray, Points

NAMES = ["6D3", "2N1", "7N5", "4D4"]
BASE_32 = list("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")


@pytest.fixture(scope="module")
def house() -> KnownCodes:
    codes = KnownCodes({printed.DECK.id: printed.DECK.key}, sorted(DECKS["roche"].cards))
    assert codes.prepare()
    return codes


def texts(house: KnownCodes) -> list[str]:
    return house._texts


def drawn(text: str, rng: np.random.Generator, *, module: float, blur: float, noise: float) -> tuple[Gray, Points]:
    """Return a picture of a code on dark cloth, rotated and slanted, and its approximate corners."""
    modules = np.where(np.array(qr_modules(text)), 40.0, 200.0)
    flat = np.kron(np.pad(modules, 4, constant_values=200.0), np.ones((12, 12))).astype(np.float32)
    a, b, half, turn = 48.0, 300.0, 10.5 * module, rng.uniform(0, 2 * np.pi)
    square = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
    turned = square @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    side = int(32 * module + 40)
    at = (turned + side / 2 + rng.normal(0, 0.3 * module, (4, 2))).astype(np.float32)
    to_picture = cv2.getPerspectiveTransform(np.array([[a, a], [b, a], [b, b], [a, b]], np.float32), at)
    picture = cv2.warpPerspective(cv2.GaussianBlur(flat, (0, 0), 5), to_picture, (side, side), borderValue=200.0)
    seen = cv2.GaussianBlur(picture, (0, 0), blur * module) + rng.normal(0, noise, picture.shape)
    return seen.clip(0, 255).astype(np.uint8), (at + rng.normal(0, 0.7 * module, 2)).astype(np.float32)


def test_a_code_is_recognized_where_no_decoder_reads_it(house: KnownCodes) -> None:
    rng = np.random.default_rng(1)
    found: Counter[str] = Counter()
    for text in texts(house)[:12]:
        gray, place = drawn(text, rng, module=3.0, blur=1.0, noise=4)
        assert not read_codes(gray, 2.0).read
        seen = house.read(gray, place)
        found["right" if seen is not None and seen.text == text else "wrong" if seen else "none"] += 1
        if seen is not None:
            assert np.abs(np.array(seen.corners) - place).max() < 3 * 3.0
    assert not found["wrong"]
    assert found["right"] >= 11


def strange(house: KnownCodes, count: int, seed: int) -> int:
    """Return how many of a number of foreign codes are mistaken for known ones."""
    rng, taken = np.random.default_rng(seed), 0
    for k in range(count):
        genuine = texts(house)[k % len(texts(house))]
        forged = "".join(rng.choice(BASE_32, 9))
        text = (genuine[:7] + forged, genuine[:3] + "ZZZ9" + forged, forged[:7] + forged)[k % 3]
        gray, place = drawn(
            text, rng, module=rng.uniform(1.6, 4.5), blur=rng.uniform(0.1, 1.5), noise=rng.uniform(1, 8)
        )
        taken += house.read(gray, place) is not None
    return taken


def test_forged_and_foreign_codes_are_never_taken_for_genuine_ones(house: KnownCodes) -> None:
    assert strange(house, 60, seed=2) == 0


@pytest.mark.slow
def test_none_of_thousands_of_forged_codes_is_taken_for_a_genuine_one(house: KnownCodes) -> None:
    assert strange(house, 5000, seed=3) == 0


def test_nothing_is_recognized_where_no_code_is(house: KnownCodes) -> None:
    rng = np.random.default_rng(4)
    place = np.array([[60, 60], [120, 60], [120, 120], [60, 120]], np.float32)
    for blur in (0.5, 2.0, 6.0):
        gray = cv2.normalize(cv2.GaussianBlur(rng.normal(size=(180, 180)), (0, 0), blur), None, 0, 255, cv2.NORM_MINMAX)
        assert house.read(gray.astype(np.uint8), place) is None
    assert house.read(np.full((180, 180), 90, np.uint8), place) is None
    assert KnownCodes({}, ["6D3"]).read(np.zeros((180, 180), np.uint8), place) is None


@pytest.mark.thorough
@pytest.mark.parametrize("look", [{"defocus": 2.5}, {"gain": 0.12, "noise": 5.0}])
def test_cards_out_of_focus_and_in_the_dark_are_known_in_a_picture(look: dict[str, float]) -> None:
    faces = printed.faces(printed.DECK, NAMES)
    seen = Look(size=(1280, 960), px_per_module=3.2, tilt_deg=8, **look)  # type: ignore[arg-type]
    rng = np.random.default_rng(5)
    image, _ = photograph(grid([(n, faces[n]) for n in NAMES[:3]], seen, rng), seen, rng)
    statuses = {card.id: card.status for card in read_image(image, printed.KEYS, DECKS).cards}
    assert {name: statuses.get(name) for name in NAMES[:3]} == dict.fromkeys(NAMES[:3], "ok")


def test_a_card_dealt_out_of_focus_is_read_by_the_running_camera() -> None:
    face = printed.faces(printed.DECK, NAMES[:1])[NAMES[0]]
    look = Look(size=(960, 720), px_per_module=3.2, tilt_deg=4, defocus=2.5)
    noise = np.random.default_rng(6)
    bare, card = (
        expose(compose(placed, look, 6)[0], look, noise) for placed in ([], [Placed(NAMES[0], face, 20, -10, 30)])
    )
    reader = Reader(printed.KEYS, DECKS, expect=["roche"])
    frames = [Frame(bare if k < 25 else card, k / 30, k) for k in range(80)]
    readings = [reader.read(frame) for frame in frames]
    assert not any(card.id not in (None, NAMES[0]) for reading in readings for card in reading.cards)
    assert [(card.id, card.status) for card in readings[-1].cards] == [(NAMES[0], "ok")]
    assert readings[-1].unread_objects == ()


def test_cards_that_lie_out_of_focus_when_the_camera_starts_are_read() -> None:
    faces = printed.faces(printed.DECK, NAMES[:2])
    look = Look(size=(1280, 720), px_per_module=3.6, tilt_deg=4, defocus=2.5)
    placed = [Placed(NAMES[0], faces[NAMES[0]], -70, -10, 30), Placed(NAMES[1], faces[NAMES[1]], 70, 10, -80)]
    image = expose(compose(placed, look, 7)[0], look, np.random.default_rng(7))
    reader = Reader(printed.KEYS, DECKS, expect=["roche"])
    for k in range(90):
        reading = reader.read(Frame(image, k / 30, k))
    assert {(card.id, card.status) for card in reading.cards} == {(name, "ok") for name in NAMES[:2]}
