"""Test-time augmentation: a doubtful die is read again, rotated and scaled, and the predictions are averaged."""

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
    """The networks, recording the requested augmentations."""

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
def test_which_predictions_need_augmentation(kind: str | None, p: float, kind_p: float, doubtful: bool):
    assert needs_augmentation(prediction(kind, 2, p, kind_p)) == doubtful  # type: ignore[arg-type]


def test_the_mean_of_differing_predictions_is_unsure():
    assert mean_of((4, 0.98), (4, 0.97), (4, 0.99)).max() == pytest.approx(0.98)
    assert mean_of((4, 0.98), (7, 0.97), (4, 0.6)).max() < 0.6


def ratio_for(value: int, times: float) -> np.ndarray:
    """Neighbor likelihood ratios: a value's index and its ratio."""
    neighbor_ratio = np.full(20, 0.4, np.float32)
    neighbor_ratio[value] = times
    return neighbor_ratio


@pytest.mark.parametrize(("value", "times", "sure"), [(4, 900.0, True), (4, 1.0, False), (7, 900.0, False)])
def test_neighbors_outweigh_a_single_differing_augmentation(value: int, times: float, sure: bool):
    predictions = [replace(prediction("d20", top, p), neighbor_ratio=ratio_for(value, times))
             for top, p in ((4, 0.98), (4, 0.97), (7, 0.6))]  # fmt: skip
    together = with_augmentations(predictions[0], predictions[1:]).d20
    assert together.argmax() == 4
    assert together.sum() == pytest.approx(1)
    assert (together.max() > 0.995) == sure


def test_neighbors_do_not_decide_between_differing_augmentations():
    predictions = [replace(prediction("d20", top, 0.9), neighbor_ratio=ratio_for(4, 900.0)) for top in (4, 7, 11)]
    assert with_augmentations(predictions[0], predictions[1:]).d20.max() < 0.5


def test_a_die_is_matched_by_its_plain_embedding():
    first, second = prediction("d20", 4, 0.9, embedding=np.eye(64)[3]), prediction("d20", 4, 0.9)
    assert np.array_equal(averaged([first, second]).embedding, first.embedding)


def test_only_a_doubtful_die_is_augmented():
    sure, doubtful = Counting(), Counting()
    sure.predict([crop(17)])
    assert sure.augmentations == [NO_AUGMENTATION]
    doubtful.predict([crop(17, blur_px=4)])
    assert doubtful.augmentations == [NO_AUGMENTATION, *AUGMENTATIONS]


@pytest.mark.parametrize("augmentation", AUGMENTATIONS)
def test_every_augmentation_sees_the_same_die_in_the_same_place(augmentation: Augmentation):
    networks, near = Classifier(), crop(17)
    plain, other = networks.raw(near), networks.raw(near, augmentation)
    assert other.whole["d20"].sum(axis=0).argmax() == plain.whole["d20"].sum(axis=0).argmax() == 16
    assert other.at == pytest.approx(plain.at, abs=0.05)
    assert abs((other.orientations[0] - plain.orientations[0] + 180) % 360 - 180) < 12
    assert other.numbers[0].argmax() == plain.numbers[0].argmax() == 16
