"""Neighboring faces: rectified, read, and enough to distinguish an unmarked 6 from a 9."""

import cv2
import numpy as np
import plain_dice
import pytest

from companion.rendering.layouts import STANDARD_NEIGHBOURS
from companion.vision.dice.boxes import DieBox
from companion.vision.dice.decision_policy import DieReading, gather, judge
from companion.vision.dice.enrolled import EnrolledDie
from companion.vision.dice.faces.classifier import Classifier, shared_classifier
from companion.vision.dice.faces.neighbor_faces import (
    kind_likelihoods,
    legibility,
    neighbor_crops,
    neighbor_likelihoods,
    neighbor_similarity,
)
from companion.vision.dice.faces.nets import softmax
from companion.vision.dice.faces.upright import close_crop

NO_AUGMENTATION = plain_dice.Look(body=(120, 50, 30), mark="none")
"""A die whose 6 and 9 look the same upside down."""
RANDOM_ORDER = 5


@pytest.fixture(scope="module")
def classifier() -> Classifier:
    return shared_classifier()


def picture(value: int, seed: int, order: plain_dice.Order = RANDOM_ORDER) -> tuple[np.ndarray, DieBox]:
    rng = np.random.default_rng(seed * 100 + value)
    scene = plain_dice.Scene(plain_dice.ground("felt", (200, 200), rng))
    drawn = plain_dice.put(scene, "d20", value, (100, 100), 130, NO_AUGMENTATION, rng, order=order, tilt_deg=4)
    return plain_dice.finish(scene.image, rng), DieBox(drawn.box, 1.0)


def read(value: int, seed: int, classifier: Classifier, known: tuple[EnrolledDie, ...] = ()) -> DieReading | None:
    image, box = picture(value, seed)
    return judge([gather(image, box, classifier, read_neighbors=bool(known))], {"d20"}, classifier.calibration, known)


def reading_of(*faces: int | None, sure: float = 0.97) -> np.ndarray:
    """The probabilities of a network that reads these numbers on the neighboring faces, each pointing outwards."""
    chances = np.zeros((3, 3, 21), np.float32)
    chances[..., -1] = 1.0
    for k, value in enumerate(faces):
        if value is not None:
            chances[k, 0] = (1 - sure) / 20
            chances[k, 0, value - 1] = sure
    return chances


@pytest.mark.parametrize("value", [1, 6, 9, 20])
def test_standard_neighbors_favor_a_value_in_either_layout(value: int) -> None:
    around = STANDARD_NEIGHBOURS[value]
    for faces in (around, around[::-1]):
        factor = neighbor_likelihoods(reading_of(*faces))
        assert factor.argmax() == value - 1
        assert factor[value - 1] > 50 * np.delete(factor, value - 1).max()


def test_unusual_or_missing_neighbors_are_neutral() -> None:
    for chances in (reading_of(1, 2, 3), reading_of(None, None, None)):
        factor = neighbor_likelihoods(chances)
        assert factor.max() < 5 * factor.min()
    assert legibility(reading_of(1, 2, 3)) == pytest.approx(0.97)
    assert legibility(reading_of(None, None, None)) == 0


def test_neighbors_distinguish_a_d20_a_rugen_die_and_other_objects() -> None:
    d20, rugen, other = kind_likelihoods(reading_of(16, 2, 11))
    assert d20 == 1
    assert rugen < 0.01
    assert other < 0.1
    d20, rugen, other = kind_likelihoods(reading_of(4, 3, 4))
    assert d20 < 0.1
    assert rugen == 1
    assert kind_likelihoods(reading_of(16, None, None)) == (1, 1, 1)


def glared(image: np.ndarray, box: DieBox, radius_px: int) -> np.ndarray:
    """A white lamp reflection on the center of a die."""
    x, y, w, h = box.box
    glare = cv2.circle(np.zeros(image.shape[:2], np.float32), (x + w // 2, y + h // 2), radius_px, 1.0, -1)
    glare = cv2.GaussianBlur(glare, (0, 0), 3)[..., None]
    return np.asarray(image * (1 - glare) + 250 * glare, np.uint8)


def test_standard_neighbors_resolve_a_number_under_glare_if_it_is_partly_read(classifier: Classifier) -> None:
    answered = 0
    for value in range(1, 21):
        image, box = picture(value, 0, "as sold")
        seen = judge([gather(glared(image, box, 20), box, classifier)], {"d20"}, classifier.calibration)
        assert seen is not None
        assert seen.value in (None, value)
        answered += seen.value is not None
        hidden = judge([gather(glared(image, box, 34), box, classifier)], {"d20"}, classifier.calibration)
        assert hidden is None or hidden.value is None
    assert answered >= 4


def test_neighboring_faces_are_rectified_and_read(classifier: Classifier) -> None:
    """The numbers read are the true ones, on a random layout, so that only the picture can give them."""
    value, seen = 17, set()
    for seed in range(4):
        near = close_crop(*picture(value, seed))
        raw = classifier.raw(near)
        found = classifier.neighbor_faces(near, raw)
        assert found.numbers.shape == (3, 3, 21)
        assert found.embeddings.shape == (3, 3, 64)
        chances = softmax(found.numbers)[..., :-1]
        assert legibility(softmax(found.numbers)) > 0.5
        seen |= {1 + int(face.max(axis=0).argmax()) for face in chances if face.max() > 0.8}
    assert len(seen) == 3
    assert value not in seen


def test_crops_follow_the_rotation_of_the_die() -> None:
    """Rotated by a third of a turn, the same three faces come in another order, and nothing else changes."""
    near = close_crop(*picture(12, 1))
    first, turned = neighbor_crops(near, 10.0, (0.0, 0.0)), neighbor_crops(near, 130.0, (0.0, 0.0))
    for k in range(3):
        for way in range(3):
            off = np.abs(first[3 * ((k + 1) % 3) + way].astype(int) - turned[3 * k + way])
            assert off.mean() < 1.5


def test_similarity_does_not_depend_on_the_first_neighbor() -> None:
    rng = np.random.default_rng(1)
    grid = rng.normal(size=(3, 3, 64)).astype(np.float32)
    grid /= np.linalg.norm(grid, axis=2, keepdims=True)
    other = rng.normal(size=(3, 3, 64)).astype(np.float32)
    other /= np.linalg.norm(other, axis=2, keepdims=True)
    assert neighbor_similarity(np.roll(grid, 2, axis=0), np.stack([other, grid])) == pytest.approx(1.0, abs=1e-5)
    assert neighbor_similarity(grid, other[None]) < 0.4


@pytest.mark.thorough
def test_enrollment_distinguishes_an_unmarked_six_from_a_nine(classifier: Classifier) -> None:
    pictures = {str(value): [close_crop(*picture(value, 1))] for value in range(1, 21)}
    known = (EnrolledDie.learn("house", "d20", pictures, classifier),)
    told = 0
    for value in (6, 9):
        for seed in range(2, 5):
            reading = read(value, seed, classifier, known)
            assert reading is not None
            assert reading.value in (value, None)
            told += reading.value == value
    assert told >= 5


@pytest.mark.thorough
def test_an_unknown_die_with_an_unusual_layout_is_asked_about(classifier: Classifier) -> None:
    """Its neighbors are no evidence, as its layout is unknown."""
    for value in (6, 9):
        for seed in range(2, 6):
            reading = read(value, seed, classifier)
            assert reading is not None
            assert reading.value is None
