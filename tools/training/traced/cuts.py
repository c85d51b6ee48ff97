"""Cuts training samples from path-traced pictures: close crops for the face networks, small scenes for the finder."""

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

_MIN_SIZE_PX: Final = 40
_SIZE: Final = 3
"""Column of the labels with the die's size."""
_CROP_SCALE: Final = CLOSE_CROP_PX / DIE_PX
_ANYWHERE_SHARE, _NOISY_SHARE = 0.2, 0.3


def close_crops(shots: Iterable[Shot], rng: np.random.Generator, each: int = 2) -> Samples:
    """Return ``each`` crops of every die with a usable label, as seen by cameras at the same or a larger distance."""
    images: list[Image] = []
    labels = []
    for shot in shots:
        for box, label in zip(shot.boxes, shot.labels, strict=True):
            if label[2] < 0 or label[_SIZE] < _MIN_SIZE_PX:
                continue
            middle = (float(box[0] + box[2]) / 2, float(box[1] + box[3]) / 2)
            near = np.ascontiguousarray(square_of(shot.picture, middle, _CROP_SCALE * float(label[_SIZE])))
            for _ in range(each):
                min_size = max(_MIN_SIZE_PX, 0.5 * float(label[_SIZE]))
                size = round(float(np.exp(rng.uniform(np.log(min_size), np.log(label[_SIZE] + 1)))))
                images.append(photographed(near, rng, size, CLOSE_CROP_PX, _CROP_SCALE))
                labels.append(label.copy())
                labels[-1][_SIZE] = size
    return Samples(np.stack(images), np.stack(labels))


def scene_from(shot: Shot, rng: np.random.Generator) -> Scene:
    """Return a scene for the finder: a part of a picture, at full scale or scaled down, with its dice."""
    scale = float(np.exp(rng.uniform(np.log(SCENE_SIDE / SIDE), 0)))
    side = max(SCENE_SIDE, round(SIDE * scale))
    small = cv2.resize(denoised(shot.picture, rng), (side, side), interpolation=cv2.INTER_AREA)
    left, top = (int(v) for v in _corner(shot.boxes * (side / SIDE), side, rng))
    cut = small[top : top + SCENE_SIDE, left : left + SCENE_SIDE].astype(np.float32)
    boxes = shot.boxes.copy()
    boxes[:, :4] = boxes[:, :4] * (side / SIDE) - (left, top, left, top)
    inside = (boxes[:, :2] < SCENE_SIDE).all(axis=1) & (boxes[:, 2:4] > 0).all(axis=1)
    return Scene(as_scene(cut, rng, 7 * float(rng.random()) ** 2), boxes[inside])


def denoised(picture: Image, rng: np.random.Generator) -> Image:
    """Denoise most pictures: trained on noisy ones only, the finder gave dice on smooth tables lower scores."""
    if rng.random() < _NOISY_SHARE:
        return picture
    return np.asarray(cv2.bilateralFilter(picture, 7, float(rng.uniform(25, 60)), 3), np.uint8)


def _corner(boxes: Floats, side: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the upper left corner of a random part, mostly one with a die in it."""
    free = side - SCENE_SIDE
    if not len(boxes) or rng.random() < _ANYWHERE_SHARE:
        return rng.integers(0, free + 1, 2)
    box = boxes[int(rng.integers(len(boxes)))]
    middle = (box[:2] + box[2:4]) / 2
    corner = np.clip(np.round(middle - rng.uniform(0.1, 0.9, 2) * SCENE_SIDE), 0, free)
    return np.asarray(corner, np.int64)
