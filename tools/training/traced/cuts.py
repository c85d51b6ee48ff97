"""What networks learn from path-traced pictures: close crops of dice for the readers, small scenes for the finder."""

from collections.abc import Iterable
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rendering.painter import Image
from companion.vision.dice.boxes import square_of
from companion.vision.dice.faces.upright import CLOSE_CROP_PX, DIE_PX
from tools.training.finder.scenes import SIDE as SCENE_SIDE
from tools.training.finder.scenes import Scene
from tools.training.finder.scenes import photographed as as_scene
from tools.training.samples.camera import photographed
from tools.training.samples.dataset import Samples
from tools.training.traced.mesh import Floats
from tools.training.traced.scene import SIDE, Shot

_LEAST_PX: Final = 40
_SIZE: Final = 3
"""Which of a die's labels its size is."""
_AROUND: Final = CLOSE_CROP_PX / DIE_PX
_ANYWHERE, _GRAINY = 0.2, 0.3


def close_crops(shots: Iterable[Shot], rng: np.random.Generator, each: int = 2) -> Samples:
    """Return some crops of each die that a reader may learn from, as cameras saw it that were as near or farther."""
    images: list[Image] = []
    labels = []
    for shot in shots:
        for box, label in zip(shot.boxes, shot.labels, strict=True):
            if label[2] < 0 or label[_SIZE] < _LEAST_PX:
                continue
            middle = (float(box[0] + box[2]) / 2, float(box[1] + box[3]) / 2)
            near = np.ascontiguousarray(square_of(shot.picture, middle, _AROUND * float(label[_SIZE])))
            for _ in range(each):
                least = max(_LEAST_PX, 0.5 * float(label[_SIZE]))
                size = round(float(np.exp(rng.uniform(np.log(least), np.log(label[_SIZE] + 1)))))
                images.append(photographed(near, rng, size, CLOSE_CROP_PX, _AROUND))
                labels.append(label.copy())
                labels[-1][_SIZE] = size
    return Samples(np.stack(images), np.stack(labels))


def part_of(shot: Shot, rng: np.random.Generator) -> Scene:
    """Return a part of a picture, or most of it from farther away, with its dice, for the finder."""
    scale = float(np.exp(rng.uniform(np.log(SCENE_SIDE / SIDE), 0)))
    side = max(SCENE_SIDE, round(SIDE * scale))
    small = cv2.resize(smooth(shot.picture, rng), (side, side), interpolation=cv2.INTER_AREA)
    left, top = (int(v) for v in _corner(shot.boxes * (side / SIDE), side, rng))
    cut = small[top : top + SCENE_SIDE, left : left + SCENE_SIDE].astype(np.float32)
    boxes = shot.boxes.copy()
    boxes[:, :4] = boxes[:, :4] * (side / SIDE) - (left, top, left, top)
    inside = (boxes[:, :2] < SCENE_SIDE).all(axis=1) & (boxes[:, 2:4] > 0).all(axis=1)
    return Scene(as_scene(cut, rng, 7 * float(rng.random()) ** 2), boxes[inside])


def smooth(picture: Image, rng: np.random.Generator) -> Image:
    """Take the tracer's grain away, mostly: a finder that never sees a smooth table takes dice on one for less."""
    if rng.random() < _GRAINY:
        return picture
    return np.asarray(cv2.bilateralFilter(picture, 7, float(rng.uniform(25, 60)), 3), np.uint8)


def _corner(boxes: Floats, side: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the upper left corner of a part: mostly so that a die lies in it."""
    free = side - SCENE_SIDE
    if not len(boxes) or rng.random() < _ANYWHERE:
        return rng.integers(0, free + 1, 2)
    box = boxes[int(rng.integers(len(boxes)))]
    middle = (box[:2] + box[2:4]) / 2
    corner = np.clip(np.round(middle - rng.uniform(0.1, 0.9, 2) * SCENE_SIDE), 0, free)
    return np.asarray(corner, np.int64)
