"""Detecting dice: every die on every kind of background, and no false positives."""

from typing import Any

import cv2
import numpy as np
import plain_dice
import pytest

from companion.vision.dice.boxes import DieBox, iou
from companion.vision.dice.finding.finder import Finder, is_same_die, shared_finder
from companion.vision.dice.finding.segments import segments
from companion.vision.dice.reader import DiceReader

find = shared_finder().find


def scene(ground: str, sizes: tuple[int, ...], seed: int) -> plain_dice.Scene:
    """Dice of these sizes in a row, a d20, a d6 and a Rugen die in turn."""
    rng = np.random.default_rng(seed)
    drawn = plain_dice.Scene(plain_dice.ground(ground, (640, 360), rng))
    for k, size in enumerate(sizes):
        at = (110 + 210 * k, 180 + 30 * (k - 1))
        plain_dice.put(drawn, ("d20", "d6", "rugen")[k], 1 + k, at, size, plain_dice.random_look(rng), rng)  # type: ignore[arg-type]
    drawn.image = plain_dice.finish(drawn.image, rng)
    return drawn


@pytest.mark.parametrize("ground", plain_dice.GROUNDS)
@pytest.mark.parametrize("sizes", [(60, 90, 120), (130, 70, 45)])
def test_every_die_is_found_and_nothing_else(ground: str, sizes: tuple[int, ...]) -> None:
    drawn = scene(ground, sizes, 9)
    found = find(drawn.image)
    assert len(found) == 3
    for die, truth in zip(found, drawn.dice, strict=True):  # both from the left
        assert iou(die.box, truth.box) > 0.65


def test_a_whole_heap_of_dice_is_found() -> None:
    rng = np.random.default_rng(12)
    drawn = plain_dice.Scene(plain_dice.ground("felt", (800, 600), rng))
    for k in range(24):
        at = (90 + 120 * (k % 6) + 8 * (k // 6), 90 + 130 * (k // 6))
        plain_dice.put(drawn, "d6", 1 + k % 6, at, 62, plain_dice.random_look(rng), rng)
    assert len(find(plain_dice.finish(drawn.image, rng))) == 24


@pytest.mark.parametrize("ground", plain_dice.GROUNDS)
def test_a_bare_background_has_no_dice(ground: str) -> None:
    assert find(scene(ground, (), 8).image) == ()


def test_a_die_that_fills_the_picture_is_found() -> None:
    rng = np.random.default_rng(3)
    drawn = plain_dice.Scene(plain_dice.ground("felt", (256, 256), rng))
    truth = plain_dice.put(drawn, "d20", 12, (128, 128), 190, plain_dice.random_look(rng), rng)
    found = find(plain_dice.finish(drawn.image, rng))
    assert len(found) == 1
    assert iou(found[0].box, truth.box) > 0.7


def test_a_large_picture_is_no_harder_than_a_small_one() -> None:
    small = scene("wood", (60, 90, 120), 5)
    large = small.image.repeat(5, axis=0).repeat(5, axis=1)
    found = find(large)
    assert [round(d.center[0] / 5 / 70) for d in found] == [round(d.center[0] / 70) for d in find(small.image)]


def test_unchanged_regions_are_no_dice() -> None:
    drawn = scene("mat", (90, 90, 90), 4)
    assert find(drawn.image, empty=drawn.image) == ()
    assert len(find(drawn.image, empty=scene("mat", (), 4).image)) == 3


@pytest.mark.parametrize("shape", [(0, 0, 3), (1, 1, 3), (5, 900, 3), (64, 64, 3)])
def test_pictures_too_small_for_a_die_have_none(shape: tuple[int, int, int]) -> None:
    assert find(np.full(shape, 90, np.uint8)) == ()
    assert find(np.full((200, 200, 3), 90, np.uint8), ()) == ()


def test_segmentation_alone_separates_a_die_from_the_background_and_from_a_stick() -> None:
    picture = np.full((300, 300, 3), 60, np.uint8)
    picture[50:100, 40:92] = 200
    picture[200:210, 20:280] = 200
    assert [tuple(round(v / 6) for v in box) for box in segments(picture, 24)][:1] == [(7, 8, 9, 8)]
    assert all(box[1] < 150 for box in segments(picture, 24))


@pytest.mark.parametrize("colour", [(140, 50, 150), (170, 240, 150), (80, 100, 205)])
def test_a_round_dish_is_no_die_but_the_die_in_it_is(colour: tuple[int, int, int]) -> None:
    rng = np.random.default_rng(8)
    drawn = plain_dice.Scene(plain_dice.ground("wood", (480, 480), rng))
    for radius, light in ((214, 0.8), (202, 1.1), (176, 1.0)):
        shade = tuple(min(255.0, c * light) for c in colour)
        cv2.circle(drawn.image, (240, 240), radius, shade, -1, cv2.LINE_AA)
    for k in range(3):
        at = (int(240 + 80 * np.cos(2.1 * k)), int(240 + 80 * np.sin(2.1 * k)))
        plain_dice.put(drawn, "d6", k + 2, at, 62, plain_dice.Look(body=(200, 205, 215), ink=(20, 20, 20)), rng)
    found = find(plain_dice.finish(drawn.image, rng))
    assert len(found) == 3
    assert max(die.size_px for die in found) < 90


class TakesDishForDie(Finder):
    """Also detects the dish of the next test, as the network once did with some dishes."""

    def find_nested(self, *args: Any, **named: Any) -> Any:
        dice, undecided = super().find_nested(*args, **named)
        return (DieBox((50, 50, 800, 800), 0.9), *dice), undecided


@pytest.mark.thorough
@pytest.mark.parametrize("seed", [6, 12, 31])
def test_a_dish_detected_as_a_die_does_not_hide_the_dice_in_it(seed: int) -> None:
    """Only reading it shows whether it is a die: the dice are read, the dish is not."""
    rng = np.random.default_rng(seed)
    drawn = plain_dice.Scene(plain_dice.ground("wood", (900, 900), rng))
    for radius, colour in ((400, (100, 90, 30)), (380, (150, 140, 50)), (330, (135, 125, 45))):
        cv2.circle(drawn.image, (450, 450), radius, colour, -1, cv2.LINE_AA)
    for at, value in (((425, 257), 4), ((600, 515), 2), ((330, 535), 4)):
        plain_dice.put(drawn, "d6", value, at, 146, plain_dice.random_look(rng), rng)
    picture = plain_dice.finish(drawn.image, rng)
    seen = DiceReader(finder=TakesDishForDie()).read(picture)
    assert sorted((die.kind, die.value) for die in seen.dice) == [("d6", 2), ("d6", 4), ("d6", 4)]


def test_duplicate_boxes_are_distinguished_from_a_die_in_a_dish() -> None:
    on_card, closer, pip = (
        DieBox(box, 0.3) for box in ((508, 340, 294, 296), (537, 373, 204, 211), (600, 450, 40, 40))
    )
    assert is_same_die(on_card, closer)
    assert not is_same_die(on_card, pip)
