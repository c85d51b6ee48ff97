"""Dice in trays, on coasters and cards: the container is no die and does not hide one."""

from collections.abc import Sequence
from dataclasses import replace

import containers
import cv2
import numpy as np
import plain_dice
import pytest
from fake_classifier import FakeClassifier, prediction

from companion.vision.dice.boxes import Box, DieBox
from companion.vision.dice.faces.predictions import Prediction
from companion.vision.dice.reader import DiceReader


def read(picture: np.ndarray) -> list[tuple[str, int | None, str | None]]:
    """Return each die's kind, value, and for a Rugen die its face."""
    dice = DiceReader().read(picture).dice
    return [(die.kind, die.value, die.face if die.kind == "rugen" else None) for die in dice]


@pytest.mark.parametrize("thing", containers.THINGS)
def test_a_die_is_read_wherever_it_lies(thing: str) -> None:
    picture, die = containers.scene(thing, np.random.default_rng([6, 3]))
    assert read(picture) == [(die.kind, die.value, die.face)]


@pytest.mark.thorough
@pytest.mark.parametrize("thing", containers.THINGS)
def test_most_dice_are_read_and_none_wrongly(thing: str) -> None:
    right = 0
    for seed in range(15):
        picture, die = containers.scene(thing, np.random.default_rng([7, seed]))
        values = [each for each in read(picture) if each[1] is not None]
        assert values in ([], [(die.kind, die.value, die.face)])
        right += bool(values)
    assert right >= 10


@pytest.mark.parametrize(("thing", "seed"), [("on a coaster", 11), ("on a card", 5)])
def test_a_die_is_not_detected_again_together_with_its_coaster_or_card(thing: str, seed: int) -> None:
    picture, die = containers.scene(thing, np.random.default_rng([7, seed]))
    assert read(picture) == [(die.kind, die.value, die.face)]


def white_d6(value: int, size: int) -> np.ndarray:
    rng = np.random.default_rng([8, value])
    drawn = plain_dice.Scene(plain_dice.ground("felt", (640, 640), rng))
    look = plain_dice.Look(body=(205, 210, 215), ink=(20, 20, 20))
    plain_dice.put(drawn, "d6", value, (320, 320), size, look, rng)
    return plain_dice.finish(drawn.image, rng)


@pytest.mark.parametrize(("size", "value"), [(110, 1), (110, 4), (110, 6), (420, 4), (420, 6)])
def test_pips_are_not_taken_for_dice_in_a_tray(size: int, value: int) -> None:
    assert read(white_d6(value, size)) == [("d6", value, None)]


def test_a_one_that_nearly_fills_the_picture_is_asked_about_rather_than_its_pip_read() -> None:
    assert {value for _, value, _ in read(white_d6(1, 420))} <= {None, 1}


def test_a_die_with_an_ambiguous_inner_die_is_asked_about() -> None:
    """A part of a boldly striped die may look like a die itself; which of the two counts is ambiguous."""
    rng = np.random.default_rng(9)
    drawn = plain_dice.Scene(plain_dice.ground("felt", (640, 640), rng))
    plain_dice.put(drawn, "d6", 4, (320, 320), 420, plain_dice.Look(body=(205, 210, 215), ink=(20, 20, 20)), rng)
    plain_dice.put(drawn, "d20", 7, (210, 430), 90, plain_dice.Look(body=(190, 195, 200), ink=(40, 40, 40)), rng)
    seen = DiceReader().read(plain_dice.finish(drawn.image, rng))
    assert [die.value for die in seen.dice] == [None, None]
    assert seen.warnings == (
        "die: it seems to lie on or in another, or in a tray that looks like a die; "
        "use a tray of another color, or enter the roll (2 dice).",
    )


TRAY, IN_IT = (100, 100, 440, 440), (285, 290, 70, 70)


class Found:
    """A finder that takes a tray for a die and detects, or only suspects, another one in it."""

    least_score = 0.5

    def __init__(self, score: float, die: Box = IN_IT) -> None:
        self.tray, self.die = DieBox(TRAY, 0.8), DieBox(die, score)

    def find_nested(
        self, image: np.ndarray, kinds: object, *, empty: object = None
    ) -> tuple[tuple[DieBox, ...], tuple[tuple[DieBox, ...], ...]]:
        is_found = self.die.score >= self.least_score
        return ((self.tray, self.die), ()) if is_found else ((self.tray,), ((self.die,),))


class Says(FakeClassifier):
    """A classifier that reads a dark crop, the tray's, as a one or as given."""

    def __init__(self, die: Prediction, tray: Prediction | None = None) -> None:
        super().__init__()
        self.die, self.tray = die, tray or prediction("d6", 0, p=0.999, kind_p=0.998)

    def predict(self, crops: Sequence[np.ndarray], *, read_neighbors: bool = False) -> list[Prediction]:
        return [self.die if crop.mean() > 120 else self.tray for crop in crops]

    def kinds(self, crops: Sequence[np.ndarray]) -> np.ndarray:
        return np.stack([self.predict([crop])[0].kinds for crop in crops])


@pytest.mark.parametrize(
    ("score", "die", "wanted"),
    [
        (0.7, prediction(None, kind_p=0.99), [None, None]),  # another kind of die, but a confident detection
        (0.42, prediction("d6", 3, p=0.999, kind_p=0.86), [4]),  # a weak detection, but with a value
        (0.42, prediction("d6", 3, p=0.999, kind_p=0.7), [None, None]),
        (0.42, prediction("d6", 3, p=0.3, kind_p=0.7), [1]),  # a pip
        (0.42, prediction(None, kind_p=0.99), [1]),
    ],
)
def test_a_tray_with_one_die_is_not_read_as_a_one(score: float, die: Prediction, wanted: list[int | None]) -> None:
    """On 900 photographs of a red six-sided tray it was read as a one ten times: the die in it was the pip."""
    assert in_tray(score, Says(die)) == wanted


def in_tray(score: float, says: Says, die: Box = IN_IT, *, with_pip: bool = False) -> list[int | None]:
    picture = np.full((640, 640, 3), 40, np.uint8)
    x, y, w, h = die
    picture[y - 15 : y + h + 15, x - 15 : x + w + 15] = 220
    if with_pip:
        cv2.circle(picture, (320, 320), 40, (220, 220, 220), -1, cv2.LINE_AA)
    reader = DiceReader(("d6", "d20"), finder=Found(score, die), classifier=says)  # type: ignore[arg-type]
    return [die.value for die in reader.read(picture).dice]


def test_the_side_of_a_one_is_not_read_as_another_die() -> None:
    """One beveled die of 300 path-traced ones was a four: its side, 35 degrees off-axis, looks much like a die."""
    says, beside = Says(prediction("d6", 3, p=0.95, kind_p=0.95)), (430, 400, 70, 70)
    assert in_tray(0.62, says, beside, with_pip=True) == [None, None]
    assert in_tray(0.62, says, beside) == [4], "a tray has no pip in its middle"
    assert in_tray(0.62, says, with_pip=True) == [4], "the die is the pip"


@pytest.mark.parametrize("kind_p", [0.8, 0.97])
def test_an_inner_die_with_a_value_makes_the_outer_box_a_tray(kind_p: float) -> None:
    """On 300 photographs of d6 with numerals in such a tray 29 gave neither: both had low kind probabilities."""
    tray = prediction("d6", 3, p=0.4, kind_p=kind_p)
    numeral = replace(prediction("d6", 4, p=0.995, kind_p=0.84), numeral_d6=np.eye(6, dtype=np.float32)[4])
    assert in_tray(1.0, Says(numeral, tray)) == [5]
    pip = prediction("d6", 0, p=0.999, kind_p=0.99)
    assert in_tray(1.0, Says(replace(pip, kinds=numeral.kinds), tray)) == [None], "a pip is no one"


def test_the_numbers_of_an_answered_die_are_not_dice_on_it() -> None:
    """On 3 of 20 photographs of a d20 parts of its numbers looked like dice, none confident enough for a value."""
    d20 = prediction("d20", 16, p=0.999, kind_p=0.998)
    assert in_tray(0.96, Says(prediction("d6", 1, p=0.9, kind_p=0.99), d20)) == [17]
    assert in_tray(0.96, Says(prediction("d6", 1, p=0.999, kind_p=0.99), d20)) == [None, None], "it may be a tray"
