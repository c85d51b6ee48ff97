"""Measures the roundness of a candidate's outline: a disc with a dot, a print or a chip, is otherwise read as a one."""

from typing import Final

import cv2
import numpy as np

from companion.vision.dice.boxes import CROP_SIDE, DieBox, crop_of
from companion.vision.frame import Image

DISC_ROUNDNESS: Final = 0.965
"""At least this round, it is no d6: of 427 rendered ones, some with rounded corners, none is rounder than 0.94; of 160
discs, rings and ellipses 158 are rounder than 0.99."""
_SIDE: Final = 128
_ROOM: Final = 1.2  # margin around a die, relative to other crops
_DIE: Final = _SIDE / CROP_SIDE / _ROOM
_GROUND: Final = 0.56  # in die sizes from its center: the background begins here
_MIN_CONTRAST: Final = (8.0, 10.0)
_SIZE: Final = (0.7, 1.25)  # relative to the die's box


def outline_roundness(image: Image, die: DieBox) -> float:
    """Return how closely an outline of the die's size fits an ellipse, 0 to 1; 0 if none is segmented."""
    crop = cv2.GaussianBlur(crop_of(image, die, scale=_ROOM, side_px=_SIDE), (5, 5), 0)
    lab = cv2.cvtColor(crop, cv2.COLOR_BGR2LAB).astype(np.float32)
    y, x = np.mgrid[0:_SIDE, 0:_SIDE] - (_SIDE - 1) / 2
    ground = np.maximum(np.abs(x), np.abs(y)) > _GROUND * _DIE
    off = np.linalg.norm((lab - np.median(lab[ground], axis=0)) * (1.0, 1.2, 1.2), axis=2)
    otsu, _ = cv2.threshold(np.clip(off, 0, 255).astype(np.uint8), 0, 255, cv2.THRESH_OTSU)
    beyond = 1.5 * float(np.percentile(off[ground], 90))
    levels = [max(least, level) for least, level in zip(_MIN_CONTRAST, (otsu, beyond), strict=True)]
    return max(_ellipse_iou((off > level).astype(np.uint8)) for level in levels)


def _ellipse_iou(mask: cv2.typing.MatLike) -> float:
    """Return the IoU of the outline around the mask's center and its fitted ellipse; 0 without such an outline."""
    opened = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    contours, _ = cv2.findContours(opened, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    middle = (_SIDE / 2, _SIDE / 2)
    outlines = [c for c in contours if len(c) >= _DIE and cv2.pointPolygonTest(c, middle, measureDist=False) > 0]
    if not outlines:
        return 0.0
    outline = max(outlines, key=cv2.contourArea)
    if not _SIZE[0] * _DIE <= max(cv2.boundingRect(outline)[2:]) <= _SIZE[1] * _DIE:
        return 0.0
    own, ellipse = np.zeros((2, _SIDE, _SIDE), np.uint8)
    cv2.drawContours(own, [outline], -1, 1, cv2.FILLED)
    cv2.ellipse(ellipse, cv2.fitEllipse(outline), 1, cv2.FILLED)
    return float((own & ellipse).sum() / max(1, (own | ellipse).sum()))
