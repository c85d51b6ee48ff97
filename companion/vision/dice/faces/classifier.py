"""Runs the networks on a die: kind, upper face, embedding, and whether the view may be off-axis."""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import Final, TypedDict

import numpy as np
from numpy.typing import NDArray

from companion.objects.dice import DAY_NIGHT, DIE_KINDS
from companion.vision.dice.boxes import DieBox
from companion.vision.dice.faces.day_night import DAY_NIGHT_OUTPUTS, night_logit, views_of, with_night_odds
from companion.vision.dice.faces.neighbor_faces import HEAD_OFFSETS_DEG, NeighborFaces, legibility, neighbor_crops
from companion.vision.dice.faces.nets import Net, Probabilities, packaged, softmax
from companion.vision.dice.faces.off_axis import OFF_AXIS_OUTPUTS, OffAxis, context_crop, off_axis_of
from companion.vision.dice.faces.predictions import (
    KIND_ORDER,
    Calibration,
    Logits,
    Prediction,
    Trust,
    candidate_orientations,
    needs_neighbors,
    predicted,
    with_augmentations,
)
from companion.vision.dice.faces.upright import AT_SCALE, UP_BINS, number_crop, whole_crop
from companion.vision.frame import Image
from companion.vision.networks import packaged_model

FILES: Final = ("dice.onnx", "number.onnx", "aside.onnx", "daynight.onnx", "dice.json")
_WHOLE: Final = ("kind", "d20", "d6", DAY_NIGHT, "up", "at", "lean", "embedding")
_NUMBER: Final = ("number", DAY_NIGHT, "embedding")
_MAY_BE: Final = 0.1
"""Minimum probability of a day-and-night die to run the day/night network."""
_CLEAR: Final = 0.5  # neighbors this legible were certainly cropped in the right place
VIEWS_DEG: Final = (0.0, 180.0)
"""Rotations of the whole-die crop in every prediction: an unsure network rarely errs the same way twice."""
Augmentation = tuple[float, float]
"""Test-time augmentation: extra rotation of the whole-die crops, in whole bins of `UP_BINS`, degrees; scale of all
crops."""
NO_AUGMENTATION: Final[Augmentation] = (0.0, 1.0)
AUGMENTATIONS: Final[tuple[Augmentation, ...]] = ((90.0, 0.94), (50.0, 1.06))
"""Run only for doubtful dice."""


class TrustNumbers(TypedDict, total=False):
    """A `Trust` as stored in `dice.json`: the keys are its fields' names."""

    sharpness: float
    network: float
    least_p: float
    own: float
    beside: float


class Thresholds(TypedDict, total=False):
    """Minimum probabilities for an answer about one kind of die."""

    face: float
    kind: float


class ModelCard(TypedDict, total=False):
    """The part of `dice.json` that is needed to read dice."""

    temperature: dict[str, float]
    trust: list[float]
    thresholds: dict[str, Thresholds]
    enrolled: TrustNumbers
    enrolled_closely: TrustNumbers
    most_lean: float


class Classifier:
    """Runs the networks, loaded on first use. Thread-safe.

    Args:
        whole, number, off_axis, day_night: the ONNX files' bytes; the packaged files if not given.
        card: the contents of `dice.json`.
    """

    def __init__(
        self,
        whole: bytes | None = None,
        number: bytes | None = None,
        card: ModelCard | None = None,
        *,
        off_axis: bytes | None = None,
        day_night: bytes | None = None,
    ) -> None:
        self._given = {"dice.onnx": whole, "number.onnx": number, "aside.onnx": off_axis, "daynight.onnx": day_night}
        self._card = card

    @cached_property
    def whole(self) -> Net:
        return Net(self._file("dice.onnx"), _WHOLE)

    @cached_property
    def number(self) -> Net:
        return Net(self._file("number.onnx"), _NUMBER)

    @cached_property
    def off_axis_net(self) -> Net:
        return Net(self._file("aside.onnx"), OFF_AXIS_OUTPUTS)

    @cached_property
    def day_night_net(self) -> Net:
        return Net(self._file("daynight.onnx"), DAY_NIGHT_OUTPUTS)

    @cached_property
    def calibration(self) -> Calibration:
        return calibration_of(self._card if self._card is not None else json.loads(packaged("dice.json")))

    def predict(self, crops: Sequence[Image], *, read_neighbors: bool = False) -> list[Prediction]:
        """Return the prediction for each close crop.

        Args:
            crops: uint8 (208, 208, 3) BGR, cut as `upright.close_crop` does.
            read_neighbors: read the neighboring faces of every d20, not only of the doubtful ones.

        Raises:
            NoNetwork: a file is missing or broken.
        """
        return [self._predict(crop, read_neighbors) for crop in crops]

    def _predict(self, crop: Image, read_neighbors: bool) -> Prediction:
        plain = self._augmented(crop, NO_AUGMENTATION, read_neighbors=read_neighbors)
        prediction = with_augmentations(plain, (self._augmented(crop, each) for each in AUGMENTATIONS))
        if prediction.kinds[KIND_ORDER.index(DAY_NIGHT)] < _MAY_BE:
            return prediction
        night = night_logit(self.day_night_net.run(views_of(crop)))
        return replace(prediction, day_night=with_night_odds(prediction.day_night, night))

    def _augmented(self, crop: Image, augmentation: Augmentation, *, read_neighbors: bool = False) -> Prediction:
        raw = self.raw(crop, augmentation)
        prediction = predicted(raw, self.calibration)
        if needs_neighbors(prediction) or (read_neighbors and prediction.kind == "d20"):
            return predicted(replace(raw, neighbors=self.neighbor_faces(crop, raw)), self.calibration)
        return prediction

    def kinds(self, crops: Sequence[Image], turn_deg: float = 0.0) -> Probabilities:
        """Return only the kind probabilities (n, 4) of each crop, rotated counter-clockwise: fast."""
        outputs = self.whole.run([whole_crop(crop, turn_deg=turn_deg) for crop in crops])["kind"]
        return softmax(outputs / self.calibration.temperature.get("kind", 1.0))

    def off_axis(self, image: Image, die: DieBox, up_deg: float) -> OffAxis:
        """Return the off-axis log-odds of a twenty-faced die, from the picture it was detected in.

        Args:
            up_deg: direction of the top of its number, as in its prediction.
        """
        return off_axis_of(self.off_axis_net.run([context_crop(image, die, up_deg)]))

    def raw(self, crop: Image, augmentation: Augmentation = NO_AUGMENTATION) -> Logits:
        """Return the networks' logits for a close crop."""
        turn_deg, scale = augmentation
        views = [turn_deg + view for view in VIEWS_DEG]
        whole = self.whole.run([whole_crop(crop, turn_deg=view, scale=scale) for view in views])
        ways, weights = candidate_orientations(_direction(whole["up"], views))
        at = _place(whole["at"] / scale, views)
        number = self.number.run([number_crop(crop, way, at, scale=scale) for way in ways])
        heads = {name: whole[name] for name in ("kind", "d20", "d6", DAY_NIGHT, "lean")}
        embedding = whole["embedding"].mean(axis=0)
        embedding /= max(1e-6, float(np.linalg.norm(embedding)))
        tried = np.array(ways, np.float32)
        return Logits(heads, tried, weights, number["number"], number[DAY_NIGHT], embedding, number["embedding"], at)

    def neighbor_faces(self, crop: Image, raw: Logits) -> NeighborFaces:
        """Return the outputs for the neighboring faces, from a close crop of a d20 and its logits."""
        best, clearest = None, -1.0
        for turned in HEAD_OFFSETS_DEG:
            outputs = self.number.run(neighbor_crops(crop, float(raw.orientations[0]) + turned, raw.at))
            found = NeighborFaces(outputs["number"].reshape(3, 3, -1), outputs["embedding"].reshape(3, 3, -1))
            clear = legibility(softmax(found.numbers))
            if clear > clearest:
                best, clearest = found, clear
            if clear > _CLEAR:
                break
        assert best is not None
        return best

    def _file(self, name: str) -> Path | bytes:
        given = self._given[name]
        return packaged_model("companion.vision.dice", name) if given is None else given


def _direction(up: NDArray[np.float32], views_deg: Sequence[float]) -> NDArray[np.float32]:
    """Return the number's orientation probabilities (36,), averaged over the rotated views' logits (views, 36)."""
    probabilities = softmax(up)
    turned = [np.roll(row, round(turn * UP_BINS / 360)) for row, turn in zip(probabilities, views_deg, strict=True)]
    return np.asarray(np.mean(turned, axis=0), np.float32)


def _place(at: NDArray[np.float32], views_deg: Sequence[float]) -> tuple[float, float]:
    """Return the upper face's center relative to the crop's center, in die sizes."""
    turn = np.radians(views_deg)
    x = (at[:, 0] * np.cos(turn) - at[:, 1] * np.sin(turn)).mean()
    y = (at[:, 1] * np.cos(turn) + at[:, 0] * np.sin(turn)).mean()
    return float(x) / AT_SCALE, float(y) / AT_SCALE


@cache
def shared_classifier() -> Classifier:
    """Return the process-wide classifier."""
    return Classifier()


def calibration_of(card: ModelCard) -> Calibration:
    """Return the calibration stored in `dice.json`."""
    thresholds = card.get("thresholds", {})
    whole, read = card.get("trust", (1.0, 1.0))
    return Calibration(
        {name: float(value) for name, value in card.get("temperature", {}).items()},
        (float(whole), float(read)),
        {kind: float(thresholds.get(kind, {}).get("face", 0.9)) for kind in DIE_KINDS},
        {kind: float(thresholds.get(kind, {}).get("kind", 0.8)) for kind in DIE_KINDS},
        Trust(**card.get("enrolled", {})),
        Trust(**card.get("enrolled_closely", {})),
        float(card.get("most_lean", 1.0)),
    )


def has_network() -> bool:
    """Return whether this installation has the networks that detect and read dice."""
    models = resources.files("companion.vision.dice").joinpath("models")
    return all(models.joinpath(name).is_file() for name in (*FILES, "finder.onnx", "refiner.onnx"))
