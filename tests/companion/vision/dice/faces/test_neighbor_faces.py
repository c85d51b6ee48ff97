"""The faces beside the upper one: found in the picture, read, and enough to tell a 6 from a 9 that has no mark."""

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
    """What a network would say that reads these numbers beside the upper face, each as it stands outwards."""
    chances = np.zeros((3, 3, 21), np.float32)
    chances[..., -1] = 1.0
    for k, value in enumerate(faces):
        if value is not None:
            chances[k, 0] = (1 - sure) / 20
            chances[k, 0, value - 1] = sure
    return chances


@pytest.mark.parametrize("value", [1, 6, 9, 20])
def test_usual_neighbours_speak_for_a_value_either_way_round(value: int) -> None:
    around = STANDARD_NEIGHBOURS[value]
    for faces in (around, around[::-1]):
        factor = neighbor_likelihoods(reading_of(*faces))
        assert factor.argmax() == value - 1
        assert factor[value - 1] > 50 * np.delete(factor, value - 1).max()


def test_unusual_neighbours_and_none_say_nothing() -> None:
    for chances in (reading_of(1, 2, 3), reading_of(None, None, None)):
        factor = neighbor_likelihoods(chances)
        assert factor.max() < 5 * factor.min()
    assert legibility(reading_of(1, 2, 3)) == pytest.approx(0.97)
    assert legibility(reading_of(None, None, None)) == 0


def test_neighbours_tell_a_d20_from_a_rugen_die_and_both_from_other_things() -> None:
    d20, rugen, other = kind_likelihoods(reading_of(16, 2, 11))
    assert d20 == 1
    assert rugen < 0.01
    assert other < 0.1
    d20, rugen, other = kind_likelihoods(reading_of(4, 3, 4))
    assert d20 < 0.1
    assert rugen == 1
    assert kind_likelihoods(reading_of(16, None, None)) == (1, 1, 1)


def glared(image: np.ndarray, box: DieBox, radius_px: int) -> np.ndarray:
    """A lamp's white reflection on the middle of a die."""
    x, y, w, h = box.box
    glare = cv2.circle(np.zeros(image.shape[:2], np.float32), (x + w // 2, y + h // 2), radius_px, 1.0, -1)
    glare = cv2.GaussianBlur(glare, (0, 0), 3)[..., None]
    return np.asarray(image * (1 - glare) + 250 * glare, np.uint8)


def test_a_number_under_a_glare_is_told_by_usual_neighbours_if_anything_of_it_is_read(classifier: Classifier) -> None:
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


def test_the_faces_beside_are_set_upright_and_read(classifier: Classifier) -> None:
    """Each number that is read there belongs there: a die of random order, so nothing but the picture tells them."""
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


def test_crops_follow_the_die_as_it_turns() -> None:
    """Turned by a third of a turn the same three faces come in another order, and nothing else changes."""
    near = close_crop(*picture(12, 1))
    first, turned = neighbor_crops(near, 10.0, (0.0, 0.0)), neighbor_crops(near, 130.0, (0.0, 0.0))
    for k in range(3):
        for way in range(3):
            off = np.abs(first[3 * ((k + 1) % 3) + way].astype(int) - turned[3 * k + way])
            assert off.mean() < 1.5


def test_likeness_does_not_care_where_one_begins_to_count() -> None:
    rng = np.random.default_rng(1)
    grid = rng.normal(size=(3, 3, 64)).astype(np.float32)
    grid /= np.linalg.norm(grid, axis=2, keepdims=True)
    other = rng.normal(size=(3, 3, 64)).astype(np.float32)
    other /= np.linalg.norm(other, axis=2, keepdims=True)
    assert neighbor_similarity(np.roll(grid, 2, axis=0), np.stack([other, grid])) == pytest.approx(1.0, abs=1e-5)
    assert neighbor_similarity(grid, other[None]) < 0.4


@pytest.mark.thorough
def test_six_and_nine_without_a_mark_are_told_apart_by_a_die_that_was_learnt(classifier: Classifier) -> None:
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


def test_a_stranger_s_unusual_die_is_asked_about(classifier: Classifier) -> None:
    """Its neighbours say nothing: who knows how it is numbered?"""
    for value in (6, 9):
        for seed in range(2, 6):
            reading = read(value, seed, classifier)
            assert reading is not None
            assert reading.value is None
