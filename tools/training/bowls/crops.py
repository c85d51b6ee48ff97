"""From rendered bowls to what the networks learn from: crops of single dice, and pieces of pictures with all dice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.chinchirorin.camera.sight import _box, _closer
from companion.vision.dice.boxes import CROP_PX, CROP_SIDE, DieBox, square_of
from companion.vision.dice.finding.heat import HeatNet, padded, spots
from tools.training.augment import _recoloured
from tools.training.bowls.looks import Shot
from tools.training.bowls.throws import Lying
from tools.training.finder.scenes import SIDE, Scene

STORED: Final = 160
_AROUND: Final = 1.6  # of the crop's side: room to turn it
NO_VALUE: Final = -1
FLAT, TIPPED, NO_DIE, NOT_SAID = 0, 1, 2, -1
"""A die with a value; one without (cocked, mostly covered); no die in the middle; nothing to be learnt."""
_UNKNOWN: Final = 0.2
_RATIO_OFF: Final = 0.012  # how well the proportions of the bowl's rim are known
UNKNOWN_TILT: Final = -1.0


@dataclass(frozen=True, slots=True, eq=False)
class Crop:
    """A die's surroundings, uint8 (STORED, STORED, 3), and what the network should say."""

    image: NDArray[np.uint8]
    value: int
    state: int
    tilt: float
    away_deg: float
    normal: tuple[float, float]


def crops(shots: Sequence[Shot], rng: np.random.Generator) -> list[Crop]:
    """Return a crop for each die, and about as many of a third of them where none has its middle."""
    found = []
    for shot in shots:
        for die in shot.dice:
            x, y, w, h = die.box
            found.append(_of(shot, die, _square(shot, (x + w / 2, y + h / 2), max(w, h))))
        found += [_beside(shot, rng) for _ in range(1 + len(shot.dice) // 3)]
    return found


def _square(shot: Shot, middle: tuple[float, float], size: float) -> NDArray[np.uint8]:
    side = CROP_SIDE * _AROUND * size
    square = square_of(shot.picture, middle, side)
    way = cv2.INTER_AREA if square.shape[0] > STORED else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(square, (STORED, STORED), interpolation=way), np.uint8)


def _beside(shot: Shot, rng: np.random.Generator) -> Crop:
    """A place without a die's middle: the bowl, or half a die, or between two."""
    size = float(rng.uniform(20, 60))
    while True:
        at = rng.uniform(0, shot.picture.shape[0], 2)
        if shot.dice and rng.random() < 0.7:
            x, y, w, h = shot.dice[int(rng.integers(len(shot.dice)))].box
            size = max(w, h) * float(rng.choice([rng.uniform(0.3, 0.55), rng.uniform(0.8, 1.2), rng.uniform(1.7, 2.5)]))
            way, far = rng.uniform(0, 2 * np.pi), max(w, h) * rng.uniform(0.0, 1.2)
            at = np.array([x + w / 2 + far * np.cos(way), y + h / 2 + far * np.sin(way)])
        off = [max(np.hypot(*(at - (d.box[0] + d.box[2] / 2, d.box[1] + d.box[3] / 2))) / max(d.box[2:]),
                   abs(np.log(size / max(d.box[2:]))) * 0.8) for d in shot.dice]  # fmt: skip
        if not off or min(off) > 0.42:
            image = _square(shot, (float(at[0]), float(at[1])), size)
            return Crop(image, NO_VALUE, NO_DIE, shot.tilt, shot.away_deg, (0.0, 0.0))


def mined(shots: Sequence[Shot], rng: np.random.Generator, net: HeatNet) -> list[Crop]:
    """Return crops of what the finder takes for dice, rightly (with its boxes) or wrongly."""
    found = []
    for shot in shots:
        usual = float(np.median([max(die.box[2:]) for die in shot.dice])) if shot.dice else 40.0
        scale = float(rng.uniform(18, 56)) / usual
        size = max(32, round(shot.picture.shape[0] * scale))
        way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        small = np.asarray(cv2.resize(shot.picture, (size, size), interpolation=way), np.uint8)
        seen = spots(net.maps(padded(small)[None])[0], -2.5, most=12)
        boxes = [_box(spot, size / shot.picture.shape[0], 0, 0) for spot in seen if spot.x < size and spot.y < size]
        found += [crop for box in boxes if (crop := _mined(shot, _closer(shot.picture, box, net))) is not None]
    return found


def _mined(shot: Shot, box: DieBox) -> Crop | None:
    image = _square(shot, box.center, box.size_px)
    nearest, off, ratio = None, 9.0, 1.0
    for die in shot.dice:
        x, y, w, h = die.box
        away = float(np.hypot(box.center[0] - x - w / 2, box.center[1] - y - h / 2)) / max(w, h)
        if away < off:
            nearest, off, ratio = die, away, box.size_px / max(w, h)
    if nearest is not None and off < 0.28 and 0.7 < ratio < 1.45:
        return _of(shot, nearest, image)
    if off > 0.42 or not 0.55 < ratio < 1.8:
        return Crop(image, NO_VALUE, NO_DIE, shot.tilt, shot.away_deg, (0.0, 0.0))
    return None


def _of(shot: Shot, die: Lying, image: NDArray[np.uint8]) -> Crop:
    state = {"sure": FLAT, "out": FLAT, "cocked": TIPPED, "hidden": TIPPED}.get(die.note, NOT_SAID)
    value = NO_VALUE if die.value is None else die.value - 1
    return Crop(image, value, state, shot.tilt, shot.away_deg, die.normal)


Batch = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]


def batches(samples: Sequence[Crop], size: int, rng: np.random.Generator) -> Iterator[Batch]:
    """Yield inputs (n, 3, 96, 96) and tilts (n, 1), and values, states and normals (n, 2) of changed crops, forever."""
    while True:
        chosen = [samples[int(i)] for i in rng.integers(0, len(samples), size)]
        images, tilts, normals = zip(*(varied(crop, rng) for crop in chosen), strict=True)
        inputs = np.stack(images)[..., ::-1].transpose(0, 3, 1, 2).astype(np.float32) / 255
        yield (np.ascontiguousarray(inputs), np.array(tilts, np.float32)[:, None],
               np.array([c.value for c in chosen]), np.array([c.state for c in chosen]),
               np.array(normals, np.float32))  # fmt: skip


def varied(crop: Crop, rng: np.random.Generator) -> tuple[NDArray[np.uint8], float, tuple[float, float]]:
    """Return a changed crop turned so that up leads away from the camera, the tilt as known, and the normal."""
    tilt, turn = seen_tilt(crop.tilt, crop.away_deg, rng)
    exact = crop.state == NO_DIE
    shift = rng.uniform(-0.05, 0.05, 2) * CROP_PX * (not exact)
    scale = CROP_PX * _AROUND / STORED * (1.0 if exact else float(rng.uniform(0.88, 1.14)))
    middle = (STORED - 1) / 2
    where = np.asarray(cv2.getRotationMatrix2D((middle, middle), turn, scale), np.float64)
    where[:, 2] += shift + (CROP_PX - 1) / 2 - middle
    small = crop.image
    if rng.random() < 0.35:
        small = np.asarray(cv2.GaussianBlur(small, (0, 0), float(rng.uniform(0.4, 1.8))), np.uint8)
    image = cv2.warpAffine(small, where, (CROP_PX, CROP_PX), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    image = _recoloured(np.asarray(image, np.uint8), rng)
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    x, y = crop.normal
    return image, tilt, (c * x + s * y, -s * x + c * y)


def seen_tilt(tilt: float, away_deg: float, rng: np.random.Generator) -> tuple[float, float]:
    """Return a tilt as the bowl's rim tells it (-1: unknown), in 30 degrees, and how far to turn the crop for it."""
    if rng.random() < _UNKNOWN:
        return UNKNOWN_TILT, float(rng.uniform(0, 360))
    ratio = float(np.clip(np.cos(tilt) + rng.normal(0, _RATIO_OFF), 0.5, 1))
    said = float(np.arccos(ratio))
    if tilt < 0.12:  # too little to tell the direction
        return said / np.radians(30), float(rng.uniform(0, 360))
    return said / np.radians(30), away_deg + float(rng.normal(0, 0.8 / tilt))


def scenes(shots: Sequence[Shot], rng: np.random.Generator) -> list[Scene]:
    """Return a piece of each picture at a chance size, as the finder takes it."""
    found = []
    for shot in shots:
        usual = np.median([max(die.box[2:]) for die in shot.dice]) if shot.dice else 40.0
        scale = float(np.exp(rng.uniform(np.log(16), np.log(58)))) / float(usual)
        turn = float(rng.choice([0, 90, 180, 270]))
        center = (shot.picture.shape[1] / 2, shot.picture.shape[0] / 2)
        where = np.asarray(cv2.getRotationMatrix2D(center, turn, scale), np.float64)
        boxes = np.array([_moved(die.box, where) for die in shot.dice], np.float64).reshape(-1, 4)
        target = rng.uniform(0.2, 0.8, 2) * SIDE
        focus = boxes[int(rng.integers(len(boxes)))] if len(boxes) else np.array([SIDE / 2] * 4)
        move = target - (focus[:2] + focus[2:]) / 2
        where[:, 2] += move
        boxes += np.tile(move, 2)
        flags = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        source = cv2.GaussianBlur(shot.picture, (0, 0), 0.45 / scale) if scale < 0.8 else shot.picture
        beyond = cv2.BORDER_REPLICATE if rng.random() < 0.5 else cv2.BORDER_CONSTANT
        colour = tuple(float(v) for v in shot.picture[tuple(rng.integers(0, 40, 2))])
        picture = cv2.warpAffine(source, where, (SIDE, SIDE), flags=flags, borderMode=beyond, borderValue=colour)
        keep = np.array([die.seen > 0.3 for die in shot.dice], bool)
        near = (boxes[:, 2] > 0) & (boxes[:, 3] > 0) & (boxes[:, 0] < SIDE) & (boxes[:, 1] < SIDE)
        rows = boxes[keep & near] if len(boxes) else boxes
        found.append(
            Scene(np.asarray(picture, np.uint8), np.column_stack([rows, np.zeros(len(rows))]).astype(np.float32))
        )
    return found


def _moved(box: tuple[float, float, float, float], where: NDArray[np.float64]) -> NDArray[np.float64]:
    x, y, w, h = box
    corners = np.array([[x, y, 1], [x + w, y, 1], [x, y + h, 1], [x + w, y + h, 1]]) @ where.T
    return np.concatenate([corners.min(axis=0), corners.max(axis=0)])
