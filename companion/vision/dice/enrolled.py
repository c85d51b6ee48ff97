"""Enrolled dice: pictures of every face and their embeddings, to match dice against.

A network must generalize to the 7 of a die it never saw; an enrolled 7 only has to be matched, on a d20 together with
its three neighboring faces. The pictures themselves are stored, so that a better network can re-embed them.
"""

from __future__ import annotations

import itertools
import json
import logging
import re
import shutil
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.kernel.errors import CompanionError
from companion.kernel.messages import message
from companion.kernel.words import face_words
from companion.objects.dice import D20_FACES, DAY_NIGHT, DIE_KINDS, DieKind
from companion.objects.keeping import keep_folder, kept_folders
from companion.vision.dice.faces.classifier import Classifier
from companion.vision.dice.faces.neighbor_faces import neighbor_similarity
from companion.vision.dice.faces.nets import Probabilities, softmax
from companion.vision.dice.faces.predictions import Prediction, Trust
from companion.vision.dice.faces.upright import CLOSE_CROP_PX
from companion.vision.frame import Image

log = logging.getLogger(__name__)

FOLDER: Final = "dice"
LABELS: Final[Mapping[DieKind, tuple[str, ...]]] = {
    "d20": tuple(str(value) for value in range(1, 21)),
    DAY_NIGHT: tuple(sorted(set(D20_FACES))),
    "d6": tuple(str(value) for value in range(1, 7)),
}
"""The faces of each kind of die: values, or a number by day or night."""
_TURNS: Final = 4
_CARD: Final = "die.json"

Embeddings = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Similarity:
    """Cosine similarity to each face of an enrolled die, in the order of `LABELS`: (faces,), -1 to 1.

    Attributes:
        number: of the upper face.
        neighbors: of its neighboring faces; None if these were not read.
    """

    number: NDArray[np.float32]
    neighbors: NDArray[np.float32] | None = None


class BadEnrollment(CompanionError):
    """A die that cannot be stored or loaded: bad name, kind or face."""


@dataclass(frozen=True, eq=False)
class EnrolledDie:
    """One enrolled die.

    Attributes:
        faces: label to embeddings (n, 64) of its pictures, rotated ones included.
        neighbors: of a d20, label to embeddings (n, 3, 3, 64) of the neighboring faces.
    """

    name: str
    kind: DieKind
    faces: Mapping[str, Embeddings]
    neighbors: Mapping[str, Embeddings] = field(default_factory=dict)

    @classmethod
    def learn(cls, name: str, kind: DieKind, pictures: Mapping[str, Sequence[Image]], net: Classifier) -> EnrolledDie:
        """Embed a die from close crops of its faces, uint8 (208, 208, 3) BGR, as from `upright.close_crop`.

        Raises:
            BadEnrollment: a face is missing, or does not belong to this kind of die.
        """
        missing = [label for label in LABELS[kind] if not pictures.get(label)]
        if missing:
            raise BadEnrollment(f"{name} has no picture of {', '.join(missing)}. Show these faces too.")
        if unknown := set(pictures) - set(LABELS[kind]):
            raise BadEnrollment(f"A {kind} does not show {min(unknown)}. Choose from {', '.join(LABELS[kind])}.")
        predictions = {label: _turned_predictions(pictures[label], net) for label in LABELS[kind]}
        faces = {
            label: np.concatenate([face_embeddings(one, kind) for one in seen]) for label, seen in predictions.items()
        }
        neighbors = {label: np.concatenate([one.neighbor_embeddings for one in seen])
                     for label, seen in predictions.items()}  # fmt: skip
        # on other kinds several faces share a label, each with different neighbors
        is_whole = kind == "d20" and all(map(len, neighbors.values()))
        return cls(name, kind, faces, neighbors if is_whole else {})

    def similarity(self, predictions: Sequence[Prediction]) -> Similarity:
        """Return the similarity of predictions of one die to the faces of this one."""
        seen = [face_embeddings(one, self.kind) for one in predictions]
        number = np.array([_score(seen, self.faces[label]) for label in LABELS[self.kind]], np.float32)
        around = np.concatenate([one.neighbor_embeddings for one in predictions])
        if not len(around) or not self.neighbors:
            return Similarity(number)
        neighbors = [[neighbor_similarity(one, self.neighbors[label]) for label in LABELS[self.kind]] for one in around]
        return Similarity(number, np.mean(neighbors, axis=0, dtype=np.float32))


def best_match(
    dice: Sequence[EnrolledDie], kind: DieKind, predictions: Sequence[Prediction], own: float
) -> Similarity | None:  # fmt: skip
    """Return the similarity to the best match among the enrolled dice of a kind; None without a match.

    Args:
        own: minimum similarity of a match.
    """
    similarities = [die.similarity(predictions) for die in dice if die.kind == kind]
    best = max(similarities, key=lambda similarity: float(similarity.number.max()), default=None)
    return best if best is not None and float(best.number.max()) >= own else None


def fused(similarity: Similarity, probabilities: Probabilities, trust: Trust) -> Probabilities:
    """Return the face probabilities of an enrolled die: softmax of weighted similarities and log-probabilities.

    Args:
        probabilities: (faces,), from the networks.
    """
    powers = trust.sharpness * similarity.number + trust.network * np.log(probabilities + 1e-4)
    if similarity.neighbors is not None:
        powers = powers + trust.beside * similarity.neighbors
    return softmax(np.asarray(powers, np.float32))


class EnrolledDice:
    """The enrolled dice of a data directory."""

    def __init__(self, data_dir: Path) -> None:
        self.folder = data_dir / FOLDER

    def names(self) -> dict[str, DieKind]:
        """Return the stored dice and their kinds, by name."""
        return dict(known for known in self._folders().values() if known is not None)

    def load(self, kinds: Collection[DieKind], net: Classifier | None = None) -> tuple[EnrolledDie, ...]:
        """Return the stored dice of these kinds; damaged ones are skipped, so that play goes on without them.

        Args:
            net: classifier that embeds them; the process-wide one if not given.
        """
        from companion.vision.dice.faces.classifier import shared_classifier

        dice = []
        for folder, known in self._folders().items():
            try:
                if known is None:
                    raise BadEnrollment(f"{folder / _CARD} cannot be read.")
                if known[1] in kinds:
                    dice.append(EnrolledDie.learn(*known, self.pictures(known[0]), net or shared_classifier()))
            except BadEnrollment as error:
                log.warning("Ignoring a damaged enrolled die. Enroll it again, or restore it from a backup. %s", error)
        return tuple(dice)

    def pictures(self, name: str) -> dict[str, list[Image]]:
        """Return the close crops of a stored die by label."""
        found: dict[str, list[Image]] = {}
        for path in sorted(self._of(name).glob("*.png")):
            crop = cv2.imread(str(path), cv2.IMREAD_COLOR)
            if crop is not None and crop.shape == (CLOSE_CROP_PX, CLOSE_CROP_PX, 3):
                found.setdefault(path.name.split("-")[0], []).append(np.asarray(crop, np.uint8))
        return found

    def store(self, name: str, kind: DieKind, pictures: Mapping[str, Sequence[Image]]) -> Path:
        """Store a die; once complete it replaces one of the same name.

        Raises:
            CompanionError: the name has no letter or digit, or the disk is full.
        """
        files = {
            f"{label}-{number}.png": cv2.imencode(".png", crop)[1].tobytes()
            for label, crops in pictures.items()
            for number, crop in enumerate(crops)
        }
        files[_CARD] = (json.dumps({"name": name, "kind": kind}, indent=1) + "\n").encode()
        folder = self._of(name)
        keep_folder(folder, files)
        return folder

    def forget(self, name: str) -> None:
        """Remove a stored die.

        Raises:
            BadEnrollment: no die has this name.
        """
        if not (self._of(name) / _CARD).is_file():
            raise BadEnrollment(
                message("No die is called {name}. `companion enroll --list` shows those that are.", name=repr(name))
            )
        shutil.rmtree(self._of(name))

    def _of(self, name: str) -> Path:
        """Return a die's folder, or a free one: names may differ only in characters that folder names lack."""
        slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
        if not slug:
            raise BadEnrollment(
                message("{name} is no name for a die. Give it a word, such as 'house'.", name=repr(name))
            )
        taken = {folder: known[0].lower() for folder, known in self._folders().items() if known is not None}
        places = (self.folder / (slug if number == 1 else f"{slug}-{number}") for number in itertools.count(1))
        return next(place for place in places if taken.get(place, name.lower()) == name.lower())

    def _folders(self) -> dict[Path, tuple[str, DieKind] | None]:
        """Return the dice's folders with name and kind, None if unreadable."""
        cards = {folder: folder / _CARD for folder in kept_folders(self.folder)}
        return {folder: _known(card) for folder, card in cards.items() if card.is_file()}


def _known(path: Path) -> tuple[str, DieKind] | None:
    try:
        card = json.loads(path.read_text())
        return str(card["name"]), DIE_KINDS[DIE_KINDS.index(card["kind"])]
    except (OSError, ValueError, KeyError, TypeError):
        return None


def label_words(label: str) -> str:
    """Return a face's label in words.

    >>> label_words("17"), label_words("3n")
    ('17', 'night 3')
    """
    return label if label.isdigit() else face_words(label)


def face_embeddings(one: Prediction, kind: DieKind) -> Embeddings:
    """Return the embeddings to match a face by, (n, 64): of upright numbers if any, otherwise of the whole die."""
    return one.numbers if kind != "d6" and len(one.numbers) else one.embedding[None]


def _turned_predictions(pictures: Sequence[Image], net: Classifier) -> list[Prediction]:
    turned = [_turned(picture, 360 * k / _TURNS) for picture in pictures for k in range(1, _TURNS)]
    return [*net.predict(pictures, read_neighbors=True), *net.predict(turned)]


def _turned(crop: Image, degree: float) -> Image:
    middle = ((CLOSE_CROP_PX - 1) / 2, (CLOSE_CROP_PX - 1) / 2)
    matrix = cv2.getRotationMatrix2D(middle, degree, 1.0)
    size = (CLOSE_CROP_PX, CLOSE_CROP_PX)
    return np.asarray(cv2.warpAffine(crop, matrix, size, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def _score(seen: Sequence[Embeddings], stored: Embeddings) -> float:
    """Return the trimmed mean of the best similarity per crop, without the lowest quarter."""
    fits = np.sort([float((each @ stored.T).max()) for each in seen])
    return float(fits[len(fits) // 4 :].mean())
