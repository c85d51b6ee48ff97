"""One die seen again and again: what tells its faces apart, and how far an enrolled die can be trusted."""

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
"""Pictures of each face; the first is the one that an owner would enrol."""
WRONG_ALLOWED: Final = 0.0005
_STAY: Final = 0.7  # of the dice
_SHARPNESS: Final = (3.0, 5.0, 8.0, 12.0, 20.0, 30.0)
_TRUSTS: Final = (0.2, 0.35, 0.5, 0.7, 1.0, 1.4)
_BESIDE: Final = (5.0, 10.0, 15.0, 20.0, 30.0)
_LEAST: Final = 0.99  # with 0.92, which the dice it was fitted on allow, two of 1,600 others were read wrong
_STRANGERS: Final = 0.005  # of the crops of an enrolled die take it for another: these are read without its pictures


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """One picture of a face: a close crop, uint8 (208, 208, 3) BGR, and where its number stands."""

    near: Image
    number: Upright


@dataclass(frozen=True, slots=True, eq=False)
class DiePictures:
    """Pictures of one d20: by value, `SHOTS` each."""

    pictures: tuple[tuple[Shot, ...], ...]


def enrolled_dice(count: int, rng: np.random.Generator, fonts: Fonts, split: Split) -> Iterator[DiePictures]:
    """Render d20s as `pictures_of_own` does, by their values."""
    for _ in range(count):
        die, layout, _ = random_d20(rng, fonts, split)
        pictures = render_faces(die, rng)
        yield DiePictures(tuple(pictures[face] for face in sorted(range(20), key=lambda face: layout[face])))


def render_faces(die: Die, rng: np.random.Generator) -> list[tuple[Shot, ...]]:
    """Render each face of a die `SHOTS` times as at an owner's table: any way round, nearly from above, 90 to 250 px.

    Most dice stay on one table, under one light, before one camera whose exposure and focus do not change; the others
    are seen somewhere else every time.
    """
    size_px = int(np.exp(rng.uniform(np.log(90), np.log(250))))
    home = _somewhere(rng)
    stays = rng.random() < _STAY
    return [tuple(_shot(die, face, size_px, home if stays else _somewhere(rng), rng) for _ in range(SHOTS))
            for face in range(len(die.art))]  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """A table, its light, and what decides exposure and focus of its camera."""

    table: Image
    light: Lighting
    camera: int


def _somewhere(rng: np.random.Generator) -> _Place:
    return _Place(random_table(rng, CANVAS), random_lighting(rng), int(rng.integers(1 << 30)))


def _shot(die: Die, face: int, size_px: int, home: _Place, rng: np.random.Generator) -> Shot:
    pose = resting(die.solid, face, float(rng.uniform(0, 360)))
    far = float(np.exp(rng.uniform(np.log(8), np.log(40))))
    view = framed(die, pose, View((0, 0), 1, far, 6 * float(rng.random()), float(rng.uniform(0, 360))), CANVAS)
    canvas = home.table.copy()
    paint(canvas, die, pose, view, home.light)
    near = photographed(canvas, np.random.default_rng(home.camera), size_px, STORED, STORED / DIE_PX)
    return Shot(near, upright_of(art_corners(die, face, pose, view)))


def discriminants(
    features: NDArray[np.float32], faces: NDArray[np.int64], dice: NDArray[np.int64], size: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the matrix (size, d) and offset (size,) under which pictures of one face lie close, of others far.

    Linear discriminants (Fisher 1936): the scatter between the faces of one die against that between the pictures of
    one face.

    Args:
        features: (n, d).
        faces, dice: (n,), which face of which die each shows.
    """
    each = features.astype(np.float64)
    within, between = np.zeros((2, each.shape[1], each.shape[1]))
    for die in np.unique(dice):
        mine = dice == die
        middle = each[mine].mean(axis=0)
        for face in np.unique(faces[mine]):
            some = each[mine & (faces == face)]
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
    """One picture of an enrolled die: how like each face it is, what the networks say, and the truth's index."""

    likeness: Similarity
    prediction: Prediction
    value: int


def thrown(
    dice: Iterator[DiePictures], classifier: Classifier, report: Callable[[int], None] = lambda done: None
) -> list[EnrolledReading]:  # fmt: skip
    """Enrol each die with its first pictures, and read the others."""
    found = []
    for done, die in enumerate(dice, start=1):
        known = EnrolledDie.learn(
            "held", "d20", {str(value + 1): [shots[0].near] for value, shots in enumerate(die.pictures)}, classifier
        )
        for value, shots in enumerate(die.pictures):
            predictions = classifier.predict([shot.near for shot in shots[1:]], read_neighbors=True)
            found += [EnrolledReading(known.similarity([prediction]), prediction, value) for prediction in predictions]
        report(done)
    return found


def score_enrolled(seen: Sequence[EnrolledReading], trust: Trust) -> Score:
    """Score single pictures of enrolled dice."""
    chances = [fused(each.likeness, each.prediction.d20, trust) for each in seen]
    answered = [
        int(likelihoods.argmax()) == each.value
        for likelihoods, each in zip(chances, seen, strict=True)
        if likelihoods.max() >= trust.least_p and each.prediction.kind == "d20"
    ]
    return Score(len(seen), sum(answered), len(answered) - sum(answered))


def without_neighbors(seen: Sequence[EnrolledReading]) -> list[EnrolledReading]:
    """Return the same pictures, as if only the upper face had been read."""
    return [replace(each, likeness=Similarity(each.likeness.number)) for each in seen]


def fit_enrolled_trust(seen: Sequence[EnrolledReading], *, allowed: float = WRONG_ALLOWED) -> Trust:
    """Return how likeness and the networks' opinion are to be weighed, and what an answer must reach."""
    beside = _BESIDE if any(each.likeness.neighbors is not None for each in seen) else (0.0,)
    values = np.array([each.value for each in seen])

    def chances(trust: Trust) -> NDArray[np.float32]:
        return np.stack([fused(each.likeness, each.prediction.d20, trust) for each in seen])

    def cost(trust: Trust) -> float:
        return float(-np.log(chances(trust)[np.arange(len(values)), values] + 1e-9).mean())

    tried = (Trust(sharp, net, beside=more) for sharp in _SHARPNESS for net in _TRUSTS for more in beside)
    best = min(tried, key=cost)
    likelihoods = chances(best)
    sure, right = likelihoods.max(axis=1), likelihoods.argmax(axis=1) == values
    order = np.argsort(-sure)
    fine = np.flatnonzero(np.cumsum(~right[order]) <= allowed * np.arange(1, len(order) + 1))
    least = float(sure[order[fine[-1]]]) if len(fine) else 1.0
    own = float(np.quantile([each.likeness.number.max() for each in seen], _STRANGERS))
    return replace(best, least_p=round(min(max(least, _LEAST), 0.9999), 4), own=round(own, 3))
