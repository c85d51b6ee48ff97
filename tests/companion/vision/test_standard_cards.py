"""Printed standard cards on the felt: two decks at once, and all kinds of cards that do not belong there."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np
import printed
import pytest
from table_scene import Face, Look, Placed, card_face, compose, film, grid, paste_tag

from companion.games.standard_deck.cards import ALL_CARDS
from companion.objects.geometry import MARGIN_MM, POKER
from companion.printing.cards.stickers import LABEL_HEIGHT, LABEL_WIDTH, TAG_LABEL
from companion.printing.pieces import card_pieces, sticker_pieces
from companion.printing.raster import DPI, render
from companion.testing import DECKS
from companion.tracking.cards.observations import Duplicate
from companion.tracking.cards.tracker import Tracker
from companion.vision import Frame, FrameReading, Reader, read_image

ONE = printed.STANDARD
TWO = replace(ONE, id="QX4K", key=b"two" * 10, tag_set=1)
THREE = replace(ONE, id="L2M3", key=b"three" * 6)
KEYS = {deck.id: deck.key for deck in (ONE, TWO, THREE)}
LOOK = Look(size=(1280, 720), px_per_module=2.7, tilt_deg=6.0, falloff=0.3, jpeg=None, noise=3.0)
PX = DPI / 25.4


def row(*faces: Face) -> list[Placed]:
    """Lay cards side by side, rotated in various ways."""
    return [Placed(str(i), face, -210 + 105.0 * i, 0, 40.0 * i) for i, face in enumerate(faces)]


def watched(placed: list[Placed], frames: int = 14, keys: dict[str, bytes] = KEYS) -> Iterator[FrameReading]:
    """Yield the readings of a running camera of still cards."""
    reader, scene = Reader(keys, DECKS), compose(placed, LOOK, 11)[0]
    for number, image in enumerate(film(scene, LOOK, np.random.default_rng(3), frames)):
        yield reader.read(Frame(image, number / 30, number))


def seen(placed: list[Placed], **more: dict[str, bytes]) -> FrameReading:
    *_, last = watched(placed, **more)
    return last


def named(reading: FrameReading) -> list[tuple[str | None, str | None, str]]:
    return sorted((c.id, c.deck, c.status) for c in reading.cards)


def kinds(reading: FrameReading) -> list[str]:
    return sorted(warning.split(":")[0] for warning in reading.warnings)


def face_of(deck, card: str) -> Face:
    return printed.faces(deck, (card,))[card]


@pytest.fixture(scope="module")
def aces() -> dict[str, Face]:
    """The ace of spades of three stored decks; the first and the third have the same tags."""
    return {deck.id: face_of(deck, "AS") for deck in (ONE, TWO, THREE)}


@pytest.mark.thorough
def test_sixty_cards_of_two_decks_are_read_within_ten_frames() -> None:
    """The same eight cards of two decks lie side by side; no frame has a wrong reading."""
    faces = [((ONE.id, card), face) for card, face in printed.faces(ONE, ALL_CARDS[:52]).items()]
    faces += [
        ((TWO.id, card), face)
        for card, face in printed.faces(TWO, ("AS", "2H", "TD", "KC", "QS", "7H", "9D", "JC")).items()
    ]
    look = Look(px_per_module=2.4, tilt_deg=4.0, falloff=0.3, jpeg=None, noise=3.0)
    placed = grid([("/".join(name), face) for name, face in faces], look, np.random.default_rng(5))
    reader, scene = Reader(KEYS, DECKS), compose(placed, look, 11)[0]
    for number, image in enumerate(film(scene, look, np.random.default_rng(3), 10)):
        reading = reader.read(Frame(image, number / 30, number))
        assert {(c.deck, c.id) for c in reading.cards if c.status == "ok"} <= {name for name, _ in faces}
    assert sorted((c.deck, c.id) for c in reading.cards if c.status == "ok") == sorted(name for name, _ in faces)
    assert reading.warnings == ()


def test_the_same_card_of_two_decks_is_no_duplicate(aces: dict[str, Face]) -> None:
    tracker, observed = Tracker(several=DECKS.twice), []
    for number, reading in enumerate(watched(row(aces[ONE.id], aces[TWO.id], aces[THREE.id]))):
        observed += tracker.update(reading, number / 30)
    assert named(reading) == [("AS", ONE.id, "ok"), ("AS", THREE.id, "ok"), ("AS", TWO.id, "ok")]
    assert reading.warnings == ()
    assert Counter(type(o).__name__ for o in observed) == {"CardSettled": 3}


@pytest.mark.parametrize("other", [TWO, THREE], ids=["tags of its own", "the same tags"])
def test_a_split_pair_of_the_same_card_lies_overlapped(aces: dict[str, Face], other) -> None:
    """The second card covers the code of the first; both stay verified."""
    under = Placed("under", aces[ONE.id], -30, -20, 2.0)
    over = Placed("over", aces[other.id], -6, -20, -1.0)
    reader, tracker, observed = Reader(KEYS, DECKS), Tracker(several=DECKS.twice), []
    scenes = [compose(placed, LOOK, 11)[0] for placed in ([under], [under, over])]
    noise = np.random.default_rng(3)
    for number in range(26):
        (image,) = film(scenes[number >= 10], LOOK, noise, 1)
        reading = reader.read(Frame(image, number / 30, number))
        observed += tracker.update(reading, number / 30)
        assert reading.warnings == ()
    assert [(k.id, k.deck, k.status) for k in tracker.tracked().lying] == [("AS", ONE.id, "ok"), ("AS", other.id, "ok")]
    assert not any(isinstance(o, Duplicate) for o in observed)


def test_a_card_that_one_deck_has_twice_is_named(aces: dict[str, Face]) -> None:
    """A duplicate print, with the same card of the other deck also on the table."""
    tracker, observed = Tracker(several=DECKS.twice), []
    for number, reading in enumerate(watched(row(aces[ONE.id], aces[TWO.id], aces[ONE.id]))):
        observed += tracker.update(reading, number / 30)
    assert kinds(reading) == ["duplicate"]
    assert [o.id for o in observed if isinstance(o, Duplicate)] == ["AS"]


def test_forged_and_foreign_cards_are_named_and_never_genuine(aces: dict[str, Face]) -> None:
    forged, foreign = face_of(replace(ONE, key=b"x" * 32), "KH"), face_of(replace(ONE, id="ZZZZ"), "KD")
    reading = seen(row(aces[ONE.id], forged, foreign))
    assert named(reading) == [("AS", ONE.id, "ok"), ("KD", "ZZZZ", "foreign"), ("KH", ONE.id, "forged")]
    assert kinds(reading) == ["foreign", "forged"]


def test_a_tag_of_another_card_is_a_forgery() -> None:
    """The code of a seven, and the corner tag of a king."""
    picture = printed.printed(ONE, ("7C",))["7C"]
    box = POKER.first_tag
    paste_tag(picture, ONE.tag("KC"), box.x, box.y, box.width)
    reading = seen(row(card_face(picture, layout="corner")))
    assert (named(reading), kinds(reading)) == ([("7C", ONE.id, "forged")], ["forged"])


@pytest.mark.parametrize("deck", [ONE, TWO], ids=["first", "second"])
def test_a_card_whose_code_is_covered_is_known_by_its_tag(deck) -> None:
    """No deck is claimed, and a verified card on the other side of the table stays verified."""
    picture = printed.printed(deck, ("7C",))["7C"]
    x, y = round((POKER.qr.x + 8) * PX), round((POKER.qr.y - 2) * PX)
    cv2.rectangle(picture, (x, y), (x + 200, y + 400), (120, 150, 205), -1)
    reading = seen(row(card_face(picture, layout="corner"), face_of(deck, "8C")))
    assert named(reading) == [("7C", None, "tag"), ("8C", deck.id, "ok")]


def test_joker_and_cut_card_are_cards_of_their_deck() -> None:
    reading = seen(row(*printed.faces(TWO, ("JKR", "CUT")).values()))
    assert named(reading) == [("CUT", TWO.id, "ok"), ("JKR", TWO.id, "ok")]


@pytest.mark.parametrize("style", DECKS["standard"].styles)
def test_every_style_is_read(style: str) -> None:
    cards = ("QC", "TD", "2S", "JKR")
    pictures = render(card_pieces(TWO, only=cards, style=style))
    reading = seen(
        row(*(card_face(cv2.cvtColor(np.array(picture), cv2.COLOR_RGB2BGR), layout="corner") for picture in pictures))
    )
    assert named(reading) == sorted((card, TWO.id, "ok") for card in cards)


def stuck(card: str, slip_mm: float = 0.0) -> Face:
    """Put a deck's labels on an ordinary card, optionally a millimeter out of place."""
    [sheet] = (cv2.cvtColor(np.array(i), cv2.COLOR_RGB2BGR) for i in render(sticker_pieces(ONE, (card,))))
    height, width = round(POKER.height * PX), round(POKER.width * PX)
    ordinary = np.full((height, width, 3), 250, np.uint8)
    for x, y in ((20, 60), (43, 60), (31, 44), (20, 30), (43, 30), (20, 76), (43, 76)):
        cv2.circle(ordinary, (round(x * PX), round(y * PX)), 45, (40, 30, 180), -1)
    large = sheet[: round(LABEL_HEIGHT * PX), : round(LABEL_WIDTH * PX)]
    small = sheet[-round(TAG_LABEL * PX) :, -round(TAG_LABEL * PX) :]
    x = y = round((MARGIN_MM + slip_mm) * PX)
    ordinary[y : y + large.shape[0], x : x + large.shape[1]] = large
    right, foot = width - round(MARGIN_MM * PX), height - round((MARGIN_MM + slip_mm) * PX)
    ordinary[foot - small.shape[0] : foot, right - small.shape[1] : right] = small
    return card_face(ordinary, layout="corner")


def test_an_ordinary_card_with_stickers_is_a_card_of_the_deck() -> None:
    reading = seen(row(stuck("7H"), stuck("KS", 1.0), stuck("TD", -1.0)))
    assert named(reading) == [("7H", ONE.id, "ok"), ("KS", ONE.id, "ok"), ("TD", ONE.id, "ok")]
    assert reading.warnings == ()


def test_a_still_picture_of_both_decks(aces: dict[str, Face]) -> None:
    scene = compose(row(aces[ONE.id], aces[TWO.id]), LOOK, 11)[0]
    (image,) = film(scene, LOOK, np.random.default_rng(3), 1)
    reading = read_image(image, KEYS, DECKS, expect=("standard",))
    assert named(reading) == [("AS", ONE.id, "ok"), ("AS", TWO.id, "ok")]
    assert reading.warnings == ()
