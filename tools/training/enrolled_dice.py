"""Repeated pictures of single dice: fits the embedding of faces and the trust in readings of enrolled dice."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.rendering.lights import Lighting
from companion.rendering.painter import Die, Image, View, art_corners, paint
from companion.rendering.poses import resting
from companion.vision.dice.enrolled import EnrolledDie, Similarity, fused
from companion.vision.dice.faces.classifier import Classifier
from companion.vision.dice.faces.predictions import Prediction, Trust
from companion.vision.dice.faces.upright import DIE_PX
from tools.training.report import Score
from tools.training.samples.appearance import random_lighting, random_table
from tools.training.samples.camera import photographed
from tools.training.samples.fonts import Fonts, Split
from tools.training.samples.random_dice import random_d20
from tools.training.samples.scenes import CANVAS, STORED, Upright, framed, upright_of

SHOTS: Final = 3
"""Pictures of each face; the first is the one that the owner would enroll."""
WRONG_ALLOWED: Final = 0.0005
_SAME_TABLE_SHARE: Final = 0.7  # of the dice
_SHARPNESS: Final = (3.0, 5.0, 8.0, 12.0, 20.0, 30.0)
_NETWORK_WEIGHTS: Final = (0.2, 0.35, 0.5, 0.7, 1.0, 1.4)
_NEIGHBOR_WEIGHTS: Final = (5.0, 10.0, 15.0, 20.0, 30.0)
_MIN_P: Final = 0.99  # with 0.92, which the dice it was fitted on allow, two of 1,600 others were read wrong
_STRANGER_SHARE: Final = 0.005  # of an enrolled die's crops, taken for another die and read without its pictures


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """One picture of a face: a close crop, uint8 (208, 208, 3) BGR, and the position of its number."""

    near: Image
    number: Upright


@dataclass(frozen=True, slots=True, eq=False)
class DiePictures:
    """Pictures of one d20: by value, `SHOTS` each."""

    pictures: tuple[tuple[Shot, ...], ...]


def enrolled_dice(count: int, rng: np.random.Generator, fonts: Fonts, split: Split) -> Iterator[DiePictures]:
    """Render d20s with `render_faces`, their pictures ordered by value."""
    for _ in range(count):
        die, layout, _ = random_d20(rng, fonts, split)
        pictures = render_faces(die, rng)
        yield DiePictures(tuple(pictures[face] for face in sorted(range(20), key=lambda face: layout[face])))


def render_faces(die: Die, rng: np.random.Generator) -> list[tuple[Shot, ...]]:
    """Render each face of a die `SHOTS` times as at an owner's table: in any rotation, nearly from above, 90 to 250 px.

    Most dice stay on one table, with one light and one camera of constant exposure and focus; the others are on another
    table in every picture.
    """
    size_px = int(np.exp(rng.uniform(np.log(90), np.log(250))))
    place = _random_place(rng)
    same_table = rng.random() < _SAME_TABLE_SHARE
    return [tuple(_shot(die, face, size_px, place if same_table else _random_place(rng), rng) for _ in range(SHOTS))
            for face in range(len(die.art))]  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """A table, its light, and the random seed of its camera's exposure and focus."""

    table: Image
    light: Lighting
    camera: int


def _random_place(rng: np.random.Generator) -> _Place:
    return _Place(random_table(rng, CANVAS), random_lighting(rng), int(rng.integers(1 << 30)))


def _shot(die: Die, face: int, size_px: int, place: _Place, rng: np.random.Generator) -> Shot:
    pose = resting(die.solid, face, float(rng.uniform(0, 360)))
    distance = float(np.exp(rng.uniform(np.log(8), np.log(40))))
    view = framed(die, pose, View((0, 0), 1, distance, 6 * float(rng.random()), float(rng.uniform(0, 360))), CANVAS)
    canvas = place.table.copy()
    paint(canvas, die, pose, view, place.light)
    near = photographed(canvas, np.random.default_rng(place.camera), size_px, STORED, STORED / DIE_PX)
    return Shot(near, upright_of(art_corners(die, face, pose, view)))


def discriminants(
    features: NDArray[np.float32], faces: NDArray[np.int64], dice: NDArray[np.int64], size: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the matrix (size, d) and offset (size,) of the linear map that best separates the faces of a die.

    Linear discriminants (Fisher 1936): the scatter between the faces of one die against that between the pictures of
    one face.

    Args:
        features: (n, d).
        faces, dice: (n,), the face and the die that each picture shows.
    """
    each = features.astype(np.float64)
    within, between = np.zeros((2, each.shape[1], each.shape[1]))
    for die in np.unique(dice):
        mask = dice == die
        middle = each[mask].mean(axis=0)
        for face in np.unique(faces[mask]):
            some = each[mask & (faces == face)]
            off = some - some.mean(axis=0)
            within += off.T @ off
            between += np.outer(some.mean(axis=0) - middle, some.mean(axis=0) - middle)
    ridge = 0.1 * np.trace(within) / len(within)
    roots, axes = np.linalg.eigh(within + ridge * np.eye(len(within)))
    whitened = axes / np.sqrt(roots)
    _, turned = np.linalg.eigh(whitened.T @ between @ whitened)
    matrix = (whitened @ turned[:, ::-1][:, :size]).T
    return np.asarray(matrix, np.float32), np.asarray(-matrix @ each.mean(axis=0), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class EnrolledReading:
    """One picture of an enrolled die: its similarity to each face, the networks' prediction, the true value's index."""

    similarity: Similarity
    prediction: Prediction
    value: int


def read_enrolled(
    dice: Iterator[DiePictures], classifier: Classifier, report: Callable[[int], None] = lambda done: None
) -> list[EnrolledReading]:  # fmt: skip
    """Enroll each die with its first pictures, and read the others."""
    readings = []
    for done, die in enumerate(dice, start=1):
        known = EnrolledDie.learn(
            "held", "d20", {str(value + 1): [shots[0].near] for value, shots in enumerate(die.pictures)}, classifier
        )
        for value, shots in enumerate(die.pictures):
            predictions = classifier.predict([shot.near for shot in shots[1:]], read_neighbors=True)
            readings += [
                EnrolledReading(known.similarity([prediction]), prediction, value) for prediction in predictions
            ]
        report(done)
    return readings


def score_enrolled(readings: Sequence[EnrolledReading], trust: Trust) -> Score:
    """Score single pictures of enrolled dice."""
    probabilities = [fused(each.similarity, each.prediction.d20, trust) for each in readings]
    answered = [
        int(fused_p.argmax()) == each.value
        for fused_p, each in zip(probabilities, readings, strict=True)
        if fused_p.max() >= trust.least_p and each.prediction.kind == "d20"
    ]
    return Score(len(readings), sum(answered), len(answered) - sum(answered))


def without_neighbors(readings: Sequence[EnrolledReading]) -> list[EnrolledReading]:
    """Return the same readings without the neighboring faces."""
    return [replace(each, similarity=Similarity(each.similarity.number)) for each in readings]


def fit_enrolled_trust(readings: Sequence[EnrolledReading], *, allowed: float = WRONG_ALLOWED) -> Trust:
    """Return the weights of similarity and networks that maximize the likelihood, and the threshold for an answer."""
    neighbor_weights = _NEIGHBOR_WEIGHTS if any(each.similarity.neighbors is not None for each in readings) else (0.0,)
    values = np.array([each.value for each in readings])

    def probabilities(trust: Trust) -> NDArray[np.float32]:
        return np.stack([fused(each.similarity, each.prediction.d20, trust) for each in readings])

    def cost(trust: Trust) -> float:
        return float(-np.log(probabilities(trust)[np.arange(len(values)), values] + 1e-9).mean())

    tried = (
        Trust(sharp, net, beside=more) for sharp in _SHARPNESS for net in _NETWORK_WEIGHTS for more in neighbor_weights
    )
    best = min(tried, key=cost)
    fused_p = probabilities(best)
    sure, right = fused_p.max(axis=1), fused_p.argmax(axis=1) == values
    order = np.argsort(-sure)
    fine = np.flatnonzero(np.cumsum(~right[order]) <= allowed * np.arange(1, len(order) + 1))
    least = float(sure[order[fine[-1]]]) if len(fine) else 1.0
    own = float(np.quantile([each.similarity.number.max() for each in readings], _STRANGER_SHARE))
    return replace(best, least_p=round(min(max(least, _MIN_P), 0.9999), 4), own=round(own, 3))
