"""A doubtful die is looked at again, turned and of other sizes, and the mean of all looks counts."""

from dataclasses import replace

import cv2
import numpy as np
import plain_dice
import pytest
from fake_classifier import prediction

from companion.vision.dice.boxes import DieBox
from companion.vision.dice.faces.classifier import AUGMENTATIONS, NO_AUGMENTATION, Augmentation, Classifier
from companion.vision.dice.faces.predictions import Logits, averaged, needs_augmentation, with_augmentations
from companion.vision.dice.faces.upright import close_crop

SHARP = plain_dice.Look(body=(30, 30, 160), ink=(240, 240, 240))


class Counting(Classifier):
    """The networks, and which looks they were asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.augmentations: list[Augmentation] = []

    def raw(self, near: np.ndarray, augmentation: Augmentation = NO_AUGMENTATION) -> Logits:
        self.augmentations.append(augmentation)
        return super().raw(near, augmentation)


def crop(value: int, *, blur_px: float = 0.0) -> np.ndarray:
    rng = np.random.default_rng(3)
    scene = plain_dice.Scene(plain_dice.ground("felt", (300, 300), rng))
    plain_dice.put(scene, "d20", value, (150, 150), 120, SHARP, rng)
    image = cv2.GaussianBlur(scene.image, (0, 0), blur_px) if blur_px else scene.image
    return close_crop(image, DieBox(scene.dice[0].box, 1.0))


def mean_of(*tops: tuple[int, float]) -> np.ndarray:
    return averaged([prediction("d20", top, p) for top, p in tops]).d20


@pytest.mark.parametrize(("kind", "p", "kind_p", "doubtful"), [
    ("d20", 0.999, 0.99, False),
    ("d20", 0.99, 0.99, True),
    ("d20", 0.999, 0.9, True),
    ("rugen", 0.9, 0.99, True),
    ("d6", 0.9, 0.99, False),
    (None, 0.9, 0.99, False),
    (None, 0.9, 0.4, False),
])  # fmt: skip
def test_what_is_worth_another_look(kind: str | None, p: float, kind_p: float, doubtful: bool):
    assert needs_augmentation(prediction(kind, 2, p, kind_p)) == doubtful  # type: ignore[arg-type]


def test_the_mean_of_looks_that_differ_is_sure_of_nothing():
    assert mean_of((4, 0.98), (4, 0.97), (4, 0.99)).max() == pytest.approx(0.98)
    assert mean_of((4, 0.98), (7, 0.97), (4, 0.6)).max() < 0.6


def ratio_for(value: int, times: float) -> np.ndarray:
    """What the faces beside a d20's upper one say: a value's index, and how much likelier they make it."""
    neighbor_ratio = np.full(20, 0.4, np.float32)
    neighbor_ratio[value] = times
    return neighbor_ratio


@pytest.mark.parametrize(("value", "times", "sure"), [(4, 900.0, True), (4, 1.0, False), (7, 900.0, False)])
def test_what_one_look_read_otherwise_hardly_counts_where_the_neighbours_speak(value: int, times: float, sure: bool):
    predictions = [replace(prediction("d20", top, p), neighbor_ratio=ratio_for(value, times))
             for top, p in ((4, 0.98), (4, 0.97), (7, 0.6))]  # fmt: skip
    together = with_augmentations(predictions[0], predictions[1:]).d20
    assert together.argmax() == 4
    assert together.sum() == pytest.approx(1)
    assert (together.max() > 0.995) == sure


def test_neighbours_do_not_decide_where_the_looks_do_not():
    predictions = [replace(prediction("d20", top, 0.9), neighbor_ratio=ratio_for(4, 900.0)) for top in (4, 7, 11)]
    assert with_augmentations(predictions[0], predictions[1:]).d20.max() < 0.5


def test_a_die_is_recognised_by_the_plain_look():
    first, second = prediction("d20", 4, 0.9, embedding=np.eye(64)[3]), prediction("d20", 4, 0.9)
    assert np.array_equal(averaged([first, second]).embedding, first.embedding)


def test_a_sure_die_costs_one_look_and_a_doubtful_one_some_more():
    sure, doubtful = Counting(), Counting()
    sure.predict([crop(17)])
    assert sure.augmentations == [NO_AUGMENTATION]
    doubtful.predict([crop(17, blur_px=4)])
    assert doubtful.augmentations == [NO_AUGMENTATION, *AUGMENTATIONS]


@pytest.mark.parametrize("augmentation", AUGMENTATIONS)
def test_every_look_sees_the_same_die_in_the_same_place(augmentation: Augmentation):
    networks, near = Classifier(), crop(17)
    plain, other = networks.raw(near), networks.raw(near, augmentation)
    assert other.whole["d20"].sum(axis=0).argmax() == plain.whole["d20"].sum(axis=0).argmax() == 16
    assert other.at == pytest.approx(plain.at, abs=0.05)
    assert abs((other.orientations[0] - plain.orientations[0] + 180) % 360 - 180) < 12
    assert other.numbers[0].argmax() == plain.numbers[0].argmax() == 16
