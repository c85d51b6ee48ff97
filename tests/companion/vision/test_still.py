"""Single pictures of a table: printed faces photographed by the simulated camera."""

import math
from collections.abc import Callable

import cv2
import numpy as np
import printed
import pytest
from table_scene import Face, Look, Placed, Truth, card_face, grid, paste_tag, plain_face, stacks, token_face

from companion.objects.codes import make_code
from companion.objects.geometry import HAND_POKER, POKER
from companion.testing import DECKS
from companion.vision import FrameReading, read_image

pytestmark = pytest.mark.thorough

Snap = Callable[..., tuple[np.ndarray, list[Truth], Look]]
SIX = ["2N1", "3D2", "4D4", "5N1", "6D3", "7N5"]


def statuses(reading: FrameReading) -> list[tuple[str | None, str]]:
    return sorted(((c.id, c.status) for c in reading.cards), key=str)


def at(name: str, face: Face, x: float = 0, y: float = 0, turn: float = 0) -> Placed:
    return Placed(name, face, x, y, turn)


@pytest.mark.parametrize("tilt", [0, 10, 20])
def test_every_card_is_proven_and_lies_where_it_lies(snap: Snap, tilt: int) -> None:
    image, truth, _ = snap(tilt, SIX, tilt_deg=tilt, azimuth_deg=70.0)
    reading = read_image(image, printed.KEYS, DECKS)
    assert statuses(reading) == [(n, "ok") for n in SIX]
    assert reading.warnings == ()
    for card in reading.cards:
        there = next(t for t in truth if t.name == card.id)
        assert np.abs(np.array(card.corners) - there.corners).max() < 4
        assert np.abs(np.array(card.outline) - there.outline).max() < 12


@pytest.mark.parametrize("turn", range(0, 360, 24))
def test_a_card_is_read_however_it_is_turned(snap: Snap, faces: dict[str, Face], turn: int) -> None:
    image, truth, _ = snap(turn, placed=lambda _: [at("6D3", faces["6D3"], turn=turn)], px_per_module=2.4, tilt_deg=0.0)
    (card,) = read_image(image, printed.KEYS, DECKS).cards
    assert (card.id, card.deck, card.status) == ("6D3", "K7QX", "ok")
    assert np.abs(np.array(card.corners) - truth[0].corners).max() < 4


def test_an_empty_table_is_empty(snap: Snap) -> None:
    for seed in range(3):
        assert read_image(snap(seed, [])[0], printed.KEYS, DECKS).cards == ()


def test_staggered_stacks_show_the_last_card_and_the_tags_of_the_others(snap: Snap, faces: dict[str, Face]) -> None:
    names = list(faces)

    def lay(look: Look) -> list[Placed]:
        return stacks([(n, faces[n]) for n in names], look, np.random.default_rng(4), piles=3, step=21.5)

    image, truth, _ = snap(4, placed=lay, px_per_module=2.5, tilt_deg=8.0, size=(1920, 1080))
    reading = read_image(image, printed.KEYS, DECKS)
    open_cards = {t.name for t in truth if t.hidden < 0.02}
    assert {c.id for c in reading.cards} == set(names)
    assert {c.id for c in reading.cards if c.status == "ok"} >= open_cards
    assert {c.status for c in reading.cards} <= {"ok", "tag"}
    assert reading.warnings == ()


def test_a_covered_code_leaves_the_card_known_by_its_tag(snap: Snap, faces: dict[str, Face]) -> None:
    cover = Face(np.full((320, 320, 3), (40, 60, 160), np.uint8), 40, 40, np.zeros((4, 2), np.float32))
    lay = [at("6D3", faces["6D3"]), at("cover", cover, 12, -24)]
    image, _, _ = snap(5, placed=lambda _: lay, tilt_deg=5.0)
    assert statuses(read_image(image, printed.KEYS, DECKS)) == [("6D3", "tag")]


def test_covered_tags_leave_the_card_proven(snap: Snap, faces: dict[str, Face]) -> None:
    cover = Face(np.full((160, 160, 3), (40, 60, 160), np.uint8), 20, 20, np.zeros((4, 2), np.float32))
    lay = [at("6D3", faces["6D3"]), at("c1", cover, -20, -32), at("c2", cover, 20, 32)]
    image, _, _ = snap(6, placed=lambda _: lay, tilt_deg=5.0)
    assert statuses(read_image(image, printed.KEYS, DECKS)) == [("6D3", "ok")]


def test_a_forged_signature_is_named(snap: Snap) -> None:
    false = card_face(plain_face("6D3", make_code("6D3", "K7QX", b"wrong").text, POKER), layout="corner")
    reading = read_image(snap(7, placed=lambda _: [at("6D3", false, turn=50)])[0], printed.KEYS, DECKS)
    assert statuses(reading) == [("6D3", "forged")]
    assert "6D3" in reading.warnings[0]


def test_a_tag_from_another_card_is_named(snap: Snap, pictures: dict[str, np.ndarray]) -> None:
    picture = pictures["6D3"].copy()
    paste_tag(picture, DECKS.tag_of["7N1"], HAND_POKER.first_tag.x, HAND_POKER.first_tag.y, HAND_POKER.first_tag.width)
    reading = read_image(snap(8, placed=lambda _: [at("x", card_face(picture), turn=130)])[0], printed.KEYS, DECKS)
    assert statuses(reading) == [("6D3", "forged")]
    assert "6D3" in reading.warnings[0]
    assert "7N1" in reading.warnings[0]


def test_cards_of_an_unknown_house_are_foreign(snap: Snap) -> None:
    reading = read_image(snap(9, SIX[:3])[0], {}, DECKS)
    assert statuses(reading) == [(n, "foreign") for n in SIX[:3]]
    assert {c.deck for c in reading.cards} == {"K7QX"}


def test_the_same_card_twice_is_listed_twice(snap: Snap, faces: dict[str, Face]) -> None:
    lay = [at("6D3", faces["6D3"], -70), at("6D3", faces["6D3"], 70, turn=100)]
    reading = read_image(snap(10, placed=lambda _: lay)[0], printed.KEYS, DECKS)
    assert statuses(reading) == [("6D3", "ok")] * 2
    assert reading.warnings[0].startswith("duplicate: 6D3")


def test_a_menu_with_a_code_on_it_is_no_card(snap: Snap) -> None:
    menu = plain_face("6D3", "HTTP://X.ORG", POKER)
    menu[: round(20 * 11.8), : round(20 * 11.8)] = 250
    menu[-round(20 * 11.8) :, -round(20 * 11.8) :] = 250
    reading = read_image(snap(11, placed=lambda _: [at("menu", card_face(menu))])[0], printed.KEYS, DECKS)
    assert [c for c in reading.cards if c.id is not None] == []
    assert any("HTTP://X.ORG" in w for w in reading.warnings)


def test_a_back_is_no_card_and_no_worry(snap: Snap, faces: dict[str, Face]) -> None:
    back = printed.back()
    lay = [at("back", back, -70, turn=15), at("back", back, 70), at("6D3", faces["6D3"])]
    reading = read_image(snap(12, placed=lambda _: lay)[0], printed.KEYS, DECKS)
    assert statuses(reading) == [("6D3", "ok")]


def test_a_face_without_a_readable_code_is_unreadable(
    snap: Snap, faces: dict[str, Face], pictures: dict[str, np.ndarray]
) -> None:
    scribbled = pictures["3D2"].copy()
    for box in (HAND_POKER.first_tag, HAND_POKER.second_tag, HAND_POKER.qr):
        a, b = round(box.x * 11.81), round(box.y * 11.81)
        size = round(box.width * 11.81)
        noise = np.random.default_rng(1).integers(0, 2, (9, 9)).astype(np.uint8) * 200 + 30
        scrawl = cv2.resize(noise, (size, size), interpolation=cv2.INTER_CUBIC)
        picture = scribbled[b : b + size, a : a + size]
        picture[:] = scrawl[..., None]
    lay = [at("bad", card_face(scribbled), -60, turn=8), at("6D3", faces["6D3"], 60)]
    image, truth, _ = snap(13, placed=lambda _: lay, cloth="felt", shadow=0.1)
    reading = read_image(image, printed.KEYS, DECKS)
    assert statuses(reading) == [("6D3", "ok"), (None, "unreadable")]
    lost = next(c for c in reading.cards if c.id is None)
    assert np.hypot(*(np.array(lost.center) - truth[0].outline.mean(axis=0))) < 20


def test_tokens_are_seen_beside_cards(snap: Snap, faces: dict[str, Face]) -> None:
    lay = [
        at("T6", token_face(DECKS.tag_of["T6"]), -60),
        at("LDR", token_face(DECKS.tag_of["LDR"]), 60, turn=77),
        at("6D3", faces["6D3"]),
    ]
    image, truth, _ = snap(14, placed=lambda _: lay)
    reading = read_image(image, printed.KEYS, DECKS)
    assert sorted(t.id for t in reading.tokens) == ["LDR", "T6"]
    assert statuses(reading) == [("6D3", "ok")]
    t6 = next(t for t in reading.tokens if t.id == "T6")
    assert np.abs(np.array(t6.corners) - truth[0].corners).max() < 3


def test_what_is_not_expected_gets_no_value(snap: Snap, faces: dict[str, Face]) -> None:
    lay = [at("T6", token_face(DECKS.tag_of["T6"]), -60), at("6D3", faces["6D3"])]
    image, _, _ = snap(15, placed=lambda _: lay)
    only_tokens = read_image(image, printed.KEYS, DECKS, expect=["tokens"])
    assert (only_tokens.cards, [t.id for t in only_tokens.tokens]) == ((), ["T6"])
    assert any("6D3" in w for w in only_tokens.warnings)
    nothing = read_image(image, printed.KEYS, DECKS, expect=[])
    assert (nothing.cards, nothing.tokens) == ((), ())


def test_blur_that_defeats_the_code_leaves_the_tag(snap: Snap) -> None:
    image, truth, _ = snap(16, SIX[:4], px_per_module=3.2, defocus=1.6, noise=2.0, tilt_deg=5.0)
    reading = read_image(image, printed.KEYS, DECKS)
    assert {c.id for c in reading.cards} <= {t.name for t in truth}
    assert {c.status for c in reading.cards} <= {"ok", "tag"}
    assert len(reading.cards) >= 3


@pytest.mark.thorough
def test_a_large_still_of_twelve_megapixels(snap: Snap) -> None:
    image, _, _ = snap(17, SIX, size=(4056, 3040), px_per_module=5.5, tilt_deg=12.0)
    assert statuses(read_image(image, printed.KEYS, DECKS)) == [(n, "ok") for n in SIX]


@pytest.mark.parametrize("seed", range(600, 606))
def test_nothing_wrong_comes_out_of_a_busy_table(faces: dict[str, Face], snap: Snap, seed: int) -> None:
    """Random hands, glare and overlaps: cards may be missed, but never misread."""

    def lay(look: Look) -> list[Placed]:
        rng = np.random.default_rng(seed)
        spread = grid([(n, faces[n]) for n in faces], look, rng)
        return [Placed(p.name, p.face, p.x * 0.7, p.y * 0.7, p.turn_deg) for p in spread]

    image, truth, _ = snap(seed, placed=lay, size=(1600, 900), hands=2, glare=4, px_per_module=2.5)
    reading = read_image(image, printed.KEYS, DECKS)
    there = {t.name: t for t in truth}
    for card in reading.cards:
        assert card.status in ("ok", "tag", "unreadable")
        if card.id is not None:
            middle = np.mean(card.corners, axis=0)
            assert cv2.pointPolygonTest(there[card.id].outline, tuple(map(float, middle)), False) >= 0
    ok = {c.id for c in reading.cards if c.status in ("ok", "tag")}
    assert ok >= {t.name for t in truth if t.hidden < 0.05 and math.sqrt(cv2.contourArea(t.corners)) / 21 >= 2.3}
