"""Operations on pixel boxes: left, top, right, bottom; right and bottom are exclusive."""

from collections.abc import Iterator

import numpy as np

from companion.vision.frame import Gray
from companion.vision.live.change import Box
from companion.vision.sightings import Quad, to_points


def bounds(quad: Quad) -> Box:
    """Return the bounding box of a quad.

    >>> bounds(((1.2, 2.0), (9.5, 2.0), (9.5, 8.0), (1.2, 8.0)))
    (1, 2, 10, 8)
    """
    points = to_points(quad)
    x0, y0 = np.floor(points.min(axis=0)).astype(int)
    x1, y1 = np.ceil(points.max(axis=0)).astype(int)
    return int(x0), int(y0), int(x1), int(y1)


def do_overlap(a: Box, b: Box) -> bool:
    """Whether two boxes share a pixel."""
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def is_inside(box: Box, other: Box) -> bool:
    """Whether a box lies completely in another.

    >>> is_inside((2, 2, 4, 4), (0, 0, 4, 4)), is_inside((0, 0, 4, 4), (2, 2, 4, 4))
    (True, False)
    """
    return box[0] >= other[0] and box[1] >= other[1] and box[2] <= other[2] and box[3] <= other[3]


def clip(box: Box, size: tuple[int, int]) -> Box:
    """Return the part of a box within a picture of (width, height)."""
    w, h = size
    return max(0, box[0]), max(0, box[1]), min(w, max(0, box[2])), min(h, max(0, box[3]))


def grown(box: Box, by: int, size: tuple[int, int]) -> Box:
    """Return a box enlarged by `by` pixels on each side, within a picture of (width, height)."""
    return clip((box[0] - by, box[1] - by, box[2] + by, box[3] + by), size)


def crop(gray: Gray, box: Box) -> Gray:
    """Return the part of a picture in a box, as a view."""
    return gray[box[1] : box[3], box[0] : box[2]]


def tiles(box: Box, step: int, overlap: int) -> Iterator[Box]:
    """Divide a box into overlapping tiles.

    >>> list(tiles((0, 0, 10, 4), 4, 1))
    [(0, 0, 5, 4), (4, 0, 9, 4), (8, 0, 10, 4)]
    """
    x0, y0, x1, y1 = box
    for y in _starts(y0, y1, step, overlap):
        for x in _starts(x0, x1, step, overlap):
            yield (x, y, min(x + step + overlap, x1), min(y + step + overlap, y1))


def _starts(first: int, last: int, step: int, overlap: int) -> range:
    if last - first <= step + overlap:
        return range(first, first + 1)
    return range(first, last - overlap, step)
