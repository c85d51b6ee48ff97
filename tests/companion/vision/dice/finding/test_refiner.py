"""The refiner: displaced boxes are corrected, and false positives are rejected."""

from pathlib import Path

import numpy as np
import plain_dice
import pytest

from companion.vision.dice.boxes import DieBox, iou
from companion.vision.dice.finding.refiner import REFINER_PX, BoxRefiner, refiner_crop
from companion.vision.networks import NoNetwork

refined = BoxRefiner().refined


def thrown(kind: str, ground: str, seed: int, size: int = 80) -> tuple[np.ndarray, DieBox]:
    rng = np.random.default_rng(seed)
    scene = plain_dice.Scene(plain_dice.ground(ground, (320, 320), rng))
    truth = plain_dice.put(scene, kind, 3, (160, 160), size, plain_dice.random_look(rng), rng)  # type: ignore[arg-type]
    return plain_dice.finish(scene.image, rng), DieBox(truth.box, 1.0)


@pytest.mark.parametrize("ground", plain_dice.GROUNDS)
@pytest.mark.parametrize("kind", ["d20", "d6", "rugen"])
def test_a_displaced_box_is_corrected(kind: str, ground: str) -> None:
    picture, die = thrown(kind, ground, 4)
    x, y, w, h = die.box
    off = [DieBox((x + right * w // 8, y + down * h // 8, w * size // 8, h * size // 8), 0.5)
           for right, down, size in ((2, 0, 8), (-1, -2, 9), (0, 1, 7), (-2, -1, 11))]  # fmt: skip
    for before, after in zip(off, refined(picture, refined(picture, off)), strict=True):
        assert after.score > 0.5
        assert iou(after.box, die.box) > max(0.75, iou(before.box, die.box))


@pytest.mark.parametrize("ground", plain_dice.GROUNDS)
def test_a_bare_background_is_no_die(ground: str) -> None:
    rng = np.random.default_rng(7)
    picture = plain_dice.finish(plain_dice.ground(ground, (320, 320), rng), rng)
    places = [DieBox((x, y, side, side), 0.5) for side in (40, 90) for x in (-20, 100, 220) for y in (60, 190)]
    assert max(die.score for die in refined(picture, places)) < 0.5


def test_a_pip_is_no_die_and_the_die_around_it_is() -> None:
    picture, die = thrown("d6", "felt", 4, 150)
    x, y = die.center
    pip = DieBox((round(x - 12), round(y - 12), 24, 24), 0.5)
    on_pip, whole = refined(picture, [pip, die])
    assert on_pip.score < 0.5 < whole.score


def test_no_candidates_need_no_network(tmp_path: Path) -> None:
    assert BoxRefiner(tmp_path / "refiner.onnx").refined(np.zeros((9, 9, 3), np.uint8), []) == []


def test_a_missing_network_is_named(tmp_path: Path) -> None:
    with pytest.raises(NoNetwork, match=r"refines the boxes of dice \(refiner.onnx\) is missing. Install"):
        BoxRefiner(tmp_path / "refiner.onnx").refined(np.zeros((90, 90, 3), np.uint8), [DieBox((0, 0, 40, 40), 0.5)])


def test_a_crop_has_its_size_beyond_the_picture_too() -> None:
    picture = np.full((30, 50, 3), 90, np.uint8)
    look = refiner_crop(picture, DieBox((-40, -20, 60, 60), 0.5))
    assert look.shape == (REFINER_PX, REFINER_PX, 3)
    assert (look == 90).all()
