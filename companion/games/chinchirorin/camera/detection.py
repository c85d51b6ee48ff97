"""Detects the dice in and around a bowl in one picture, and classifies what each of them shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain, combinations
from math import atan2, ceil, degrees, hypot, sqrt
from pathlib import Path
from typing import Final, Literal, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.chinchirorin.camera.canvas import (
    CROP_DIE_PX,
    SIDE,
    SIZE_UNIT,
    STRIDE,
    Frame,
    bowl_frame,
    crop_input,
    die_frame,
    finder_input,
    warped,
)
from companion.games.chinchirorin.camera.orientation import UPRIGHT, rotated_back
from companion.games.chinchirorin.camera.rim import DIRECTED_FROM_DEG, Rim, find_rim
from companion.games.chinchirorin.commands import DICE
from companion.vision.dice.axis import ORTHOGRAPHIC, Axis, Slant, seen_from_above
from companion.vision.dice.boxes import DieBox
from companion.vision.dice.faces.classifier import shared_classifier
from companion.vision.dice.faces.nets import Probabilities, softmax
from companion.vision.dice.faces.predictions import KIND_ORDER
from companion.vision.dice.faces.upright import close_crop
from companion.vision.dice.finding.heat import HeatNet
from companion.vision.frame import Image, check_image
from companion.vision.networks import Network, packaged_model

Place = Literal["in", "rim", "out"]
Direction = tuple[float, float, float]
"""Right, down and towards the camera; of any length."""
View = tuple[float, float, bool]
"""One test-time augmentation: zoom, rotation in degrees, and whether the camera's tilt is an input."""
VIEWS: Final[tuple[View, ...]] = (
    (1.0, 0.0, True),
    (1.08, 72.0, True),
    (0.94, 144.0, True),
    (1.04, -144.0, True),
    (0.97, -72.0, False),
)
TILT_VIEWS: Final[tuple[View, ...]] = tuple((zoom, rotation, False) for zoom, rotation, _ in VIEWS[:3])
"""Views of the passes that estimate the camera's tilt."""
Region = tuple[View, int, int]
"""One canvas for the finder: the bowl (0, 0), or an overlapping quarter of its surroundings: left or right, above or
below (-1 or 1)."""
_BOWL: Final[tuple[Region, ...]] = tuple((view, 0, 0) for view in VIEWS[:3])
REGIONS: Final[tuple[Region, ...]] = (*_BOWL, *((VIEWS[0], x, y) for x in (-1, 1) for y in (-1, 1)))
REGIONS_PER_STEP: Final = 2
CROPS_PER_STEP: Final = 6
"""Crops classified between two frames of the camera."""
FINDER_ZOOM: Final = 0.53
_PURPOSE: Final = "reads a bowl"
_MIN_PEAK: Final = 0.1
"""Probability of a peak in the finder's heat map."""
_MIN_PEAK_OUTSIDE: Final = 0.4
"""The same on the table, which is searched in one view only."""
_MAX_OUTSIDE: Final = 4
_MIN_MEAN: Final = 0.15
"""Mean probability over the views from which a candidate is classified."""
_PAIRED: Final = 6
"""Number of likeliest candidates between which another one is assumed."""
_GAP: Final = (1.3, 2.4)
"""Distance between two dice, in sizes, at which a third one may lie between them."""
_DUPLICATE: Final = 0.25
"""Distance between two candidates, in mean sizes, below which the second one adds nothing."""
_SAME_DIE: Final = 0.36
"""Distance between two detections, in mean sizes, below which they are the same die."""
_MIN_SURE_DIE: Final = 0.9
CLEAR_VALUE: Final = 0.95
"""Probability of a value that prints on a table do not reach."""
_GRID_STEP: Final = 0.6
"""Spacing of the exhaustive search, in die sizes: one position is near any die's centre."""
_NEIGHBOR: Final = 1.15
"""Maximum distance, in die sizes, of a die that touches or underlies another one."""
_UNSEEN: Final = 0.0
"""Probability of a candidate of the exhaustive search."""
_RECENTERING: Final = 0.4
"""Share of the way to the detected centre that the next pass moves: moving all of it may end at a neighbour."""
_RIM_BAND: Final = (0.9, 1.06)
_MIN_SIDE_PX: Final = 32
_D6: Final = KIND_ORDER.index("d6")
MIN_D6: Final = 0.3
"""Probability of a d6 below which a die is of another kind."""
_CLEARLY_D6, _LEANS = 0.5, 0.5
_WIDE_MARGIN: Final = 0.075
"""Margin of the second crop for the kind, in die sizes on each side."""
TRAY_MARGINS: Final = (0.0, 0.04)
"""Margins of the two crops for the tray networks, whose lower probabilities are used."""
_ROTATIONS_DEG: Final = (0.0, 90.0, 180.0, 270.0)
_CANVAS_STEP: Final = 2 * STRIDE
_LITTLE: Final = 0.1
"""Share of a view's rotation that is applied to a tilted bowl for the finder."""
_MAX_CANDIDATES: Final = 16
_MIN_LOG_ODDS: Final = -3.0
"""Log-odds of a die below which a candidate is dropped for good."""
_FACES, _ORIENTATION = slice(13, 22), slice(22, 37)
"""Outputs of the die network."""


@dataclass(frozen=True, slots=True, eq=False)
class Detection:
    """A possible die in one pass.

    Attributes:
        box: its square box, scored with the probability of a die.
        values: probabilities (6,) of its value, provided it has one.
        flat: probability that it has one: neither cocked nor mostly occluded.
        place: in the bowl, over its rim, or outside.
        orientation: (15,), see `orientation`.
        faces: (3, 3), normals of its faces 1, 2 and 3 (right, down, towards the camera), shorter the less certain.
    """

    box: DieBox
    values: Probabilities
    flat: float
    place: Place
    orientation: NDArray[np.float32] = field(default_factory=lambda: UPRIGHT)
    faces: NDArray[np.float32] = field(default_factory=lambda: np.zeros((3, 3), np.float32))


@dataclass(frozen=True, slots=True, eq=False)
class Pass:
    """One pass over the bowl: its rim, the detections, and the candidates that deserve another pass."""

    rim: Rim
    dice: tuple[Detection, ...]
    candidates: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible die's centre and size in the picture, px, and its probability."""

    x: float
    y: float
    size: float
    probability: float

    def is_near(self, other: Candidate, share: float = _SAME_DIE) -> bool:
        return hypot(self.x - other.x, self.y - other.y) < share * (self.size + other.size) / 2


class Networks(Protocol):
    """The interface of `BowlNetworks`."""

    def rim(self, picture: Image) -> Rim | None: ...
    def candidates(self, picture: Image, rim: Rim, region: Region) -> tuple[Candidate, ...]: ...
    def classify(self, picture: Image, rim: Rim, candidates: Sequence[Candidate], view: View) -> Pass: ...
    def d6_probabilities(self, picture: Image, boxes: Sequence[DieBox]) -> NDArray[np.float32]: ...
    def tray_values(self, picture: Image, die: DieBox, upper: Direction, margin: float) -> Probabilities: ...


class BowlNetworks:
    """The networks that find the bowl, find dice in it and classify them, and those for dice on trays. Thread-safe."""

    def __init__(self) -> None:
        self._bowl = HeatNet(_model("bowl_view"), _PURPOSE)
        self._finder = Network(_model("bowl_dice"), _PURPOSE)
        self._die = Network(_model("bowl_die"), _PURPOSE, batch_size=CROPS_PER_STEP)

    def rim(self, picture: Image) -> Rim | None:
        """Return the rim of the bowl in a picture, uint8 (H, W, 3) BGR; None if no complete bowl is visible."""
        if min(check_image(picture).shape[:2]) < _MIN_SIDE_PX:
            return None
        return find_rim(picture, self._bowl)

    def candidates(self, picture: Image, rim: Rim, region: Region = REGIONS[0]) -> tuple[Candidate, ...]:
        """Return the possible dice in a region, most probable first; tuned for recall."""
        frame = finder_frame(rim, region)
        heat = self._finder.run(finder_input(warped(picture, frame), frame, rim.center))[0][0]
        found = candidates_in(heat, frame)
        if region in _BOWL:
            return found
        height, width = picture.shape[:2]
        visible = (each for each in found if 0 < each.x < width and 0 < each.y < height)
        outside = (each for each in visible if rim.relative_radius((each.x, each.y)) > _RIM_BAND[1])
        return tuple(each for each in outside if each.probability > _MIN_PEAK_OUTSIDE)

    def classify(self, picture: Image, rim: Rim, candidates: Sequence[Candidate], view: View = VIEWS[0]) -> Pass:
        """Return the detections at some candidates in one view."""
        if not candidates:
            return Pass(rim, ())
        outputs, frames = self._outputs(picture, rim, candidates, view)
        found = detections_in(outputs, frames, rim)
        kept = (_recentered(*each) for each in zip(candidates, found, outputs[:, 0], strict=True))
        return Pass(rim, distinct(found), tuple(each for each in kept if each is not None))

    def d6_probabilities(self, picture: Image, boxes: Sequence[DieBox]) -> NDArray[np.float32]:
        """Return the probability (n,) that each die is a d6, from the network that knows other dice, too.

        It sometimes rejects a d6, but rarely in all rotations. A die without one clear view is therefore rotated by
        quarters, then cropped with a wider margin; the second-best view counts if no view is clear.
        """
        crops = [close_crop(picture, box) for box in boxes]
        views = np.zeros((2 * len(_ROTATIONS_DEG), len(crops)), np.float32)
        for k, rotation_deg in enumerate(_ROTATIONS_DEG):
            unclear = _without_clear_view(views)
            views[k, unclear] = _d6([crops[die] for die in unclear], rotation_deg)
        unclear = _without_clear_view(views)
        wide = [close_crop(picture, _with_margin(boxes[die], _WIDE_MARGIN)) for die in unclear]
        for k, rotation_deg in enumerate(_ROTATIONS_DEG, len(_ROTATIONS_DEG)):
            views[k, unclear] = _d6(wide, rotation_deg)
        views.sort(axis=0)
        return np.asarray(np.where(views[-1] < _CLEARLY_D6, views[-2], views[-1]), np.float32)

    def tray_values(self, picture: Image, die: DieBox, upper: Direction, margin: float) -> Probabilities:
        """Return the value probabilities (6,) of a die from the networks for dice on trays; all zero if it leans.

        They read numerals upright, which the bowl's network does not, but know no slopes: the crop is rectified as if
        seen from above the upper face.

        Args:
            upper: normal of its upper face. margin: see `TRAY_MARGINS`.
        """
        crop = seen_from_above(close_crop(picture, _with_margin(die, margin)), _slant(*upper))
        (prediction,) = shared_classifier().predict([crop])
        return np.asarray(prediction.d6 * (prediction.lean < _LEANS), np.float32)

    def _outputs(
        self, picture: Image, rim: Rim, candidates: Sequence[Candidate], view: View
    ) -> tuple[NDArray[np.float32], list[Frame]]:  # fmt: skip
        """Return the die network's outputs (n, 38) and the crops' frames."""
        zoom, rotation, is_tilt_told = view
        frames = [die_frame((each.x, each.y), each.size / zoom, rim.major_px, rotation, rim.tilt_deg)
                  for each in candidates]  # fmt: skip
        away = rim.away_deg - rotation if is_tilt_told else None
        crops = [crop_input(warped(picture, frame), frame, rim.center, away) for frame in frames]
        return self._die.run(np.stack(crops))[0], frames


def _slant(right: float, down: float, forward: float) -> Slant:
    """Return the camera's view of a die whose upper face has this normal."""
    tilt, towards = atan2(hypot(right, down), forward), atan2(down, -right)
    return Axis(degrees(tilt), degrees(towards), ORTHOGRAPHIC).along()


def _without_clear_view(views: NDArray[np.float32]) -> list[int]:
    """Return the dice for which no view (views, n) is clearly a d6."""
    return [int(die) for die in np.flatnonzero(views.max(axis=0) < _CLEARLY_D6)]


def _d6(crops: Sequence[Image], rotation_deg: float) -> NDArray[np.float32]:
    return shared_classifier().kinds(crops, rotation_deg)[:, _D6] if crops else np.zeros(0, np.float32)


def _with_margin(die: DieBox, margin: float) -> DieBox:
    x, y, w, h = die.box
    return replace(die, box=(round(x - margin * w), round(y - margin * h),
                             round(w + 2 * margin * w), round(h + 2 * margin * h)))  # fmt: skip


@cache
def shared_networks() -> BowlNetworks:
    """Return this process's networks, loaded once."""
    return BowlNetworks()


def _model(name: str) -> Path:
    return packaged_model("companion.games.chinchirorin.camera", f"{name}.onnx")


def finder_frame(rim: Rim, region: Region) -> Frame:
    """Return the finder's canvas for a region; a view's rotation is reduced if the camera is tilted."""
    (view_zoom, rotation, _), *corner = region
    zoom = FINDER_ZOOM * view_zoom
    rotation_deg = rim.away_deg + (rotation if rim.tilt_deg < DIRECTED_FROM_DEG else _LITTLE * rotation)
    side = _CANVAS_STEP * ceil(SIDE * zoom / _CANVAS_STEP)
    frame = bowl_frame(rim.center, rim.major_px, rotation_deg, rim.tilt_deg, zoom=zoom, side=side)
    matrix = frame.matrix.copy()
    matrix[:, 2] -= np.array(corner) * (side / 2)
    return replace(frame, matrix=matrix)


def merged_candidates(found: Sequence[Sequence[Candidate]]) -> tuple[Candidate, ...]:
    """Return the candidates to classify: those probable on the mean of the bowl's views, and some between two of them.

    The middle one of three touching dice in a row is often taken for a part of its neighbours.

    Args:
        found: the candidates in each of `REGIONS`.
    """
    bowl, outside = found[: len(_BOWL)], found[len(_BOWL) :]
    groups: list[list[Candidate]] = []
    for each in chain.from_iterable(bowl):
        own = next((group for group in groups if each.is_near(group[0])), None)
        if own is None:
            groups.append([each])
        else:
            own.append(each)
    means = [replace(group[0], probability=sum(each.probability for each in group) / len(bowl)) for group in groups]
    kept = _by_probability(each for each in means if each.probability > _MIN_MEAN)
    for one, other in combinations(kept[:_PAIRED], 2):
        between = Candidate((one.x + other.x) / 2, (one.y + other.y) / 2, (one.size + other.size) / 2, _MIN_MEAN)
        has_room = _GAP[0] < hypot(one.x - other.x, one.y - other.y) / between.size < _GAP[1]
        if has_room and not any(between.is_near(each, _DUPLICATE) for each in kept):
            kept.append(between)
    beside = _by_probability(chain.from_iterable(outside))[:_MAX_OUTSIDE]
    return (*kept[:_MAX_CANDIDATES], *(each for each in beside if not any(each.is_near(other) for other in kept)))


def _by_probability(candidates: Iterable[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda each: -each.probability)


def next_candidates(latest: Pass, passes_before: int) -> tuple[Candidate, ...]:
    """Return the candidates for the next pass.

    The second pass also searches the surroundings of all dice, or the whole bowl if fewer than three were read: two
    touching dice are often found as one, and a die may be missed under another one or on a bold pattern. Without a
    die that was read, the size to search for is unknown.
    """
    if passes_before:
        return _thinned(latest.candidates)
    read = [die.box for die in latest.dice if die.box.score > _MIN_SURE_DIE and _has_clear_value(die)]
    inside = [box for box in read if place_of(box, latest.rim) == "in"]
    if not inside:
        return latest.candidates
    grid = _grid(latest.rim, float(np.median([box.size_px for box in inside])))
    if len(read) >= DICE:
        dice = [Candidate(*box.center, box.size_px, box.score) for box in inside]
        grid = (each for each in grid if any(each.is_near(die, _NEIGHBOR) for die in dice))
    return (*latest.candidates, *grid)


def _thinned(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    kept: list[Candidate] = []
    for each in candidates:
        if not any(each.is_near(other, _DUPLICATE) for other in kept):
            kept.append(each)
    return tuple(kept)


def _grid(rim: Rim, size: float) -> Iterator[Candidate]:
    """Yield candidates of one size on a hexagonal grid all over the bowl."""
    across, down = _GRID_STEP * size, _GRID_STEP * size * sqrt(3) / 2
    rows, columns = ceil(rim.major_px / 2 / down), ceil(rim.major_px / 2 / across)
    for row in range(-rows, rows + 1):
        for column in range(-columns, columns + 1):
            x, y = rim.center[0] + (column + row % 2 / 2) * across, rim.center[1] + row * down
            if rim.relative_radius((x, y)) < _RIM_BAND[0]:
                yield Candidate(x, y, size, _UNSEEN)


def _has_clear_value(die: Detection) -> bool:
    return float(die.values.max()) > CLEAR_VALUE


def joined(parts: Sequence[Pass]) -> Pass:
    """Return passes over some candidates each as one pass over all of them."""
    dice, candidates = ([each for part in parts for each in getattr(part, name)] for name in ("dice", "candidates"))
    return Pass(parts[-1].rim, distinct(dice), tuple(candidates))


def distinct(dice: Sequence[Detection]) -> tuple[Detection, ...]:
    """Non-maximum suppression: return one detection per die, most probable first."""
    kept: list[Detection] = []
    for die in sorted(dice, key=lambda die: -die.box.score):
        if not any(_is_same_die(die.box, other.box) for other in kept):
            kept.append(die)
    return tuple(kept)


def _is_same_die(a: DieBox, b: DieBox) -> bool:
    return hypot(a.center[0] - b.center[0], a.center[1] - b.center[1]) < _SAME_DIE * (a.size_px + b.size_px) / 2


def candidates_in(maps: NDArray[np.float32], frame: Frame) -> tuple[Candidate, ...]:
    """Return the candidates in the finder's output maps (7, h, w), most probable first."""
    kept: list[Candidate] = []
    for probability, row, column in _peaks(maps[:4]):
        dx, dy, size = maps[4:7, row, column]
        at = STRIDE * (column + 0.5 + float(dx)), STRIDE * (row + 0.5 + float(dy))
        (x, y), px = frame.back(np.array([at]))[0], SIZE_UNIT * float(np.exp(np.clip(size, -2, 2))) / frame.scale
        candidate = Candidate(float(x), float(y), px, probability)
        if not any(candidate.is_near(other) for other in kept):
            kept.append(candidate)
        if len(kept) == _MAX_CANDIDATES:
            break
    return tuple(kept)


def _peaks(heat: NDArray[np.float32]) -> list[tuple[float, int, int]]:
    """Return the local maxima (probability, row, column), most probable first, of a map with four values a cell."""
    _, h, w = heat.shape
    fine = np.ascontiguousarray(heat.reshape(2, 2, h, w).transpose(2, 0, 3, 1).reshape(2 * h, 2 * w))
    probabilities = 1 / (1 + np.exp(-fine))
    rows, columns = np.nonzero((fine >= cv2.dilate(fine, np.ones((3, 3), np.uint8))) & (probabilities > _MIN_PEAK))
    found = [(float(probabilities[r, c]), int(r) // 2, int(c) // 2) for r, c in zip(rows, columns, strict=True)]
    return sorted(found, reverse=True)


def detections_in(outputs: NDArray[np.float32], frames: Sequence[Frame], rim: Rim) -> list[Detection]:
    """Return the detection in each crop from the die network's outputs (n, 37 or more)."""
    return [_detection(*each, rim) for each in zip(outputs, frames, strict=True)]


def _detection(outputs: NDArray[np.float32], frame: Frame, rim: Rim) -> Detection:
    probability, flat = map(float, 1 / (1 + np.exp(-outputs[[0, 4]])))
    dx, dy, size = outputs[1:4]
    at = np.array([[dx, dy]], np.float32) * CROP_DIE_PX + frame.side / 2
    (x, y), px = frame.back(at)[0], CROP_DIE_PX * float(np.exp(np.clip(size, -1, 1))) / frame.scale
    side = max(1, round(px))
    box = DieBox((round(x - px / 2), round(y - px / 2), side, side), probability)
    rotation, faces = frame.matrix[:, :2] / frame.scale, outputs[_FACES].reshape(3, 3).copy()
    faces[:, :2] @= rotation
    values = softmax(outputs[None, 5:11])[0]
    return Detection(box, values, flat, place_of(box, rim), rotated_back(outputs[_ORIENTATION], rotation), faces)


def _recentered(candidate: Candidate, found: Detection, log_odds: float) -> Candidate | None:
    """Return the candidate for the next pass, moved towards the detected centre; None if there is no die."""
    if log_odds < (0 if candidate.probability == _UNSEEN else _MIN_LOG_ODDS):
        return None
    candidate = replace(candidate, probability=max(candidate.probability, _MIN_MEAN))
    there = Candidate(*found.box.center, found.box.size_px, candidate.probability)
    if log_odds <= 0 or not there.is_near(candidate):
        return candidate
    pairs = ((candidate.x, there.x), (candidate.y, there.y), (candidate.size, there.size))
    x, y, size = (old + _RECENTERING * (new - old) for old, new in pairs)
    return Candidate(x, y, size, candidate.probability)


def place_of(die: DieBox, rim: Rim) -> Place:
    """Return where a die lies; "rim" is too close to it to tell."""
    radius = rim.relative_radius(die.center)
    return "in" if radius < _RIM_BAND[0] else "rim" if radius < _RIM_BAND[1] else "out"
