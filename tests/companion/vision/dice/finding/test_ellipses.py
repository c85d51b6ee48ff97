"""The aspect ratio of round containers that dice lie in."""

import cv2
import numpy as np
import plain_dice
import pytest

from companion.vision.dice.axis import Axis
from companion.vision.dice.boxes import DieBox
from companion.vision.dice.finding.ellipses import OFF_AXIS_ASPECT, container_aspect
from companion.vision.dice.reader import IN_ELLIPSE, DiceReader

DIE = DieBox((380, 210, 90, 90), 1.0)


def dish(ratio: float, ground: str = "felt", turned_deg: float = 25.0) -> np.ndarray:
    """A dish with two rings on a table, with this aspect ratio."""
    rng = np.random.default_rng(3)
    image = plain_dice.ground(ground, (800, 560), rng)
    for size, color in ((220, (70, 90, 120)), (180, (150, 160, 170)), (60, (90, 120, 60))):
        cv2.ellipse(image, ((400, 270), (2 * size, 2 * size * ratio), turned_deg), color, -1, cv2.LINE_AA)
    noisy = image + rng.normal(0, 4, image.shape)
    return cv2.GaussianBlur(np.clip(noisy, 0, 255).astype(np.uint8), (3, 3), 0)


@pytest.mark.parametrize("ground", plain_dice.GROUNDS)
@pytest.mark.parametrize("ratio", [1.0, 0.96, 0.87, 0.78])
def test_the_aspect_ratio_of_a_dish_is_measured(ratio: float, ground: str) -> None:
    assert container_aspect(dish(ratio, ground), [DIE]) == pytest.approx(ratio, abs=0.03)


def test_partial_occlusion_is_tolerated() -> None:
    image = dish(0.85)
    cv2.rectangle(image, (0, 300), (330, 560), (40, 40, 200), -1)
    assert container_aspect(image, [DIE]) == pytest.approx(0.85, abs=0.03)


def test_only_containers_of_dice_count() -> None:
    assert container_aspect(dish(0.85), [DieBox((20, 20, 90, 90), 1.0)]) is None
    assert container_aspect(dish(0.85), []) is None


def test_square_and_oval_trays_are_ignored() -> None:
    image = plain_dice.ground("felt", (800, 560), np.random.default_rng(3))
    assert container_aspect(image, [DIE]) is None
    cv2.rectangle(image, (200, 90), (640, 470), (70, 90, 120), -1)
    assert container_aspect(image, [DIE]) is None
    assert container_aspect(dish(0.55), [DIE]) is None


def lying_in(ratio: float, kind: str) -> tuple[np.ndarray, str]:
    """A die in a dish, apparently seen from above."""
    rng = np.random.default_rng(8)
    scene = plain_dice.Scene(dish(ratio))
    drawn = plain_dice.put(scene, kind, 5, (420, 250), 110, plain_dice.Look(), rng)
    return plain_dice.finish(scene.image, rng), str(drawn.value)


@pytest.mark.parametrize("kind", ["d20", "d6"])
def test_a_d20_in_an_ellipse_has_no_value_with_an_unknown_axis(kind: str) -> None:
    for ratio in (1.0, 0.85):
        image, shown = lying_in(ratio, kind)
        (die,) = DiceReader().read(image).dice
        if kind == "d20" and ratio < OFF_AXIS_ASPECT:
            assert (die.value, die.reason) == (None, IN_ELLIPSE)
        else:
            assert str(die.value) == shown
        assert str(DiceReader(axis=Axis(0.0)).read(image).dice[0].value) == shown
