"""The owner's own dice: pictures of every face, and what the network makes of them, to recognise them by.

A network that never saw a die must guess what its 7 looks like; one that has seen this very 7 only has to recognise
it. What is stored are the pictures, so a better network learns from them anew.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.dice import RUGEN_FACES
from companion.errors import CompanionError
from companion.vision.dice.boxes import CROP_PX, DieKind
from companion.vision.dice.classifier import Classifier, DieLook
from companion.vision.frame import Image

FOLDER: Final = "dice"
LABELS: Final[Mapping[DieKind, tuple[str, ...]]] = {
    "d20": tuple(str(value) for value in range(1, 21)),
    "rugen": tuple(sorted(RUGEN_FACES)),
    "d6": tuple(str(value) for value in range(1, 7)),
}
"""What each kind of die can show: values, or Rugen faces."""
OWN: Final = 0.6
"""A die that is less like every stored face than this is another die."""
SURE: Final = 0.06
AGREED: Final = 0.015
"""By how much the likeliest face must lead where the network says the same."""
_TURNS: Final = 12
_CARD: Final = "die.json"

Embeddings = NDArray[np.float32]


class BadEnrolment(CompanionError):
    """A die that cannot be stored or loaded: its name, its kind or a face is wrong."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """What an enrolled die says about one that was seen.

    Attributes:
        label: the likeliest face, of `LABELS`.
        score: how alike they are, -1 to 1.
        lead: before the next face.
    """

    label: str
    score: float
    lead: float

    @property
    def index(self) -> int:
        """The face's place in the network's output."""
        return int(self.label) - 1 if self.label.isdigit() else sorted(RUGEN_FACES).index(self.label)


@dataclass(frozen=True, eq=False)
class EnrolledDie:
    """One die that the house knows.

    Attributes:
        faces: label to embeddings (n, 64) of its pictures, turned.
    """

    name: str
    kind: DieKind
    faces: Mapping[str, Embeddings]

    @classmethod
    def learn(cls, name: str, kind: DieKind, pictures: Mapping[str, Sequence[Image]], eye: Classifier) -> EnrolledDie:
        """Learn a die from crops of its faces, uint8 (96, 96, 3) BGR.

        Raises:
            BadEnrolment: a face is missing, or is none of this kind of die.
        """
        missing = [label for label in LABELS[kind] if not pictures.get(label)]
        if missing:
            raise BadEnrolment(f"{name} has no picture of {', '.join(missing)}. Show these faces too.")
        if unknown := set(pictures) - set(LABELS[kind]):
            raise BadEnrolment(f"A {kind} does not show {min(unknown)}. Choose from {', '.join(LABELS[kind])}.")
        return cls(name, kind, {label: _turned_looks(pictures[label], eye) for label in LABELS[kind]})

    def likeness(self, looks: Iterable[DieLook]) -> Likeness:
        """Say which face of this die the looks at one are most like."""
        seen = np.stack([look.embedding for look in looks])
        scores = {label: _score(seen, stored) for label, stored in self.faces.items()}
        first, second = sorted(scores, key=lambda label: -scores[label])[:2]
        return Likeness(first, scores[first], scores[first] - scores[second])


def best_likeness(dice: Sequence[EnrolledDie], kind: DieKind, looks: Sequence[DieLook]) -> Likeness | None:
    """Return what the most alike of the house's dice of a kind says; None if it is none of them."""
    said = [die.likeness(looks) for die in dice if die.kind == kind]
    best = max(said, key=lambda likeness: likeness.score, default=None)
    return best if best is not None and best.score >= OWN else None


class EnrolledDice:
    """The dice that are stored in a data directory."""

    def __init__(self, data_dir: Path) -> None:
        self.folder = data_dir / FOLDER

    def names(self) -> dict[str, DieKind]:
        """Return the stored dice and their kinds, by name."""
        cards = [json.loads(path.read_text()) for path in sorted(self.folder.glob(f"*/{_CARD}"))]
        return {str(card["name"]): card["kind"] for card in cards}

    def load(self, kinds: Collection[DieKind], eye: Classifier | None = None) -> tuple[EnrolledDie, ...]:
        """Return the stored dice of these kinds.

        Args:
            eye: the network that they will be compared by; the process's own if not given.
        """
        from companion.vision.dice.classifier import shared_classifier

        wanted = [(name, kind) for name, kind in self.names().items() if kind in kinds]
        return tuple(
            EnrolledDie.learn(name, kind, self.pictures(name), eye or shared_classifier()) for name, kind in wanted
        )

    def pictures(self, name: str) -> dict[str, list[Image]]:
        """Return a stored die's crops by label."""
        found: dict[str, list[Image]] = {}
        for path in sorted(self._of(name).glob("*.png")):
            crop = cv2.imread(str(path), cv2.IMREAD_COLOR)
            if crop is not None and crop.shape == (CROP_PX, CROP_PX, 3):
                found.setdefault(path.name.split("-")[0], []).append(np.asarray(crop, np.uint8))
        return found

    def store(self, name: str, kind: DieKind, pictures: Mapping[str, Sequence[Image]]) -> Path:
        """Keep a die; one of the same name is replaced when the new one is complete.

        Raises:
            BadEnrolment: the name has no letter or digit.
        """
        folder = self._of(name)
        fresh = folder.with_name(f".{folder.name}.new")
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        for label, crops in pictures.items():
            for number, crop in enumerate(crops):
                cv2.imwrite(str(fresh / f"{label}-{number}.png"), crop)
        (fresh / _CARD).write_text(json.dumps({"name": name, "kind": kind}, indent=1) + "\n")
        shutil.rmtree(folder, ignore_errors=True)
        return fresh.rename(folder)

    def forget(self, name: str) -> None:
        """Remove a stored die.

        Raises:
            BadEnrolment: there is none of this name.
        """
        if not (self._of(name) / _CARD).is_file():
            raise BadEnrolment(f"No die is called {name!r}. `companion enroll --list` shows those that are.")
        shutil.rmtree(self._of(name))

    def _of(self, name: str) -> Path:
        slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
        if not slug:
            raise BadEnrolment(f"{name!r} is no name for a die. Give it a word, such as 'house'.")
        return self.folder / slug


def _turned_looks(crops: Sequence[Image], eye: Classifier) -> Embeddings:
    turned = [_turned(crop, 360 * k / _TURNS) for crop in crops for k in range(_TURNS)]
    parts = [eye.look(turned[at : at + 4]) for at in range(0, len(turned), 4)]
    return np.stack([look.embedding for part in parts for look in part])


def _turned(crop: Image, degree: float) -> Image:
    middle = ((CROP_PX - 1) / 2, (CROP_PX - 1) / 2)
    matrix = cv2.getRotationMatrix2D(middle, degree, 1.0)
    return np.asarray(cv2.warpAffine(crop, matrix, (CROP_PX, CROP_PX), borderMode=cv2.BORDER_REPLICATE), np.uint8)


def _score(seen: Embeddings, stored: Embeddings) -> float:
    """Return the mean of every look's best fit, without the worst quarter of the looks."""
    fits = np.sort((seen @ stored.T).max(axis=1))
    return float(fits[len(fits) // 4 :].mean())
