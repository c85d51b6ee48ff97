"""Where on the mat a thing lies: from the mat's tags to a map between pixels and millimetres."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from companion.errors import CompanionError
from companion.mat import Mat
from companion.vision.frame import Points
from companion.vision.sightings import Point, Quad, TagSeen, center_of, to_points

_LEAST_TAGS: Final = 2  # one tag's corners alone would be led a metre outside themselves
_OUTLIER_MM: Final = 8.0


class MatNotSeen(CompanionError):
    """Too few of the mat's tags were read to know where it lies."""


@dataclass(frozen=True, slots=True, eq=False)
class MatCalibration:
    """How a mat lies in the picture.

    Attributes:
        mat: which mat.
        to_mm: homography from pixels to the mat's millimetres, float64 (3, 3).
        tags: numbers of the mat's tags that agree with it.
        error_px: root mean square distance of those tags' corners from where they should be.
        px_per_mm: at the mat's middle.
    """

    mat: Mat
    to_mm: np.ndarray
    tags: tuple[int, ...]
    error_px: float
    px_per_mm: float

    def mm(self, point: Point) -> Point:
        """Return a point of the picture on the mat, mm from its top left."""
        x, y = _through(self.to_mm, np.array([point], np.float32))[0]
        return float(x), float(y)

    def px(self, point: Point) -> Point:
        """Return a point of the mat (mm) in the picture."""
        x, y = _through(np.linalg.inv(self.to_mm), np.array([point], np.float32))[0]
        return float(x), float(y)

    def zone_of(self, point: Point) -> str | None:
        """Return the zone that a point of the picture lies in, None beside all zones."""
        return self.mat.zone_at(*self.mm(point))

    def zone_of_quad(self, quad: Quad) -> str | None:
        """Return the zone that the middle of a card or token lies in."""
        return self.zone_of(center_of(quad))


def calibrate_mat(tags: Sequence[TagSeen], mat: Mat) -> MatCalibration:
    """Find out how the mat lies, from its tags in one picture.

    A tag that does not fit the others (a scrap of another mat) is left out.

    Raises:
        MatNotSeen: fewer than two of the mat's tags were read, or they contradict each other.
    """
    mine = [tag for tag in tags if tag.number in mat.tags]
    if len({tag.number for tag in mine}) < _LEAST_TAGS:
        raise MatNotSeen(
            f"{len(mine)} of the mat's {len(mat.tags)} tags can be read, two are needed. "
            "Move hands and cards off the mat's corners, and light it evenly."
        )
    px = np.concatenate([to_points(tag.corners) for tag in mine])
    mm = np.concatenate([np.array(mat.tags[tag.number].corners, np.float32) for tag in mine])
    to_mm, inliers = cv2.findHomography(px, mm, cv2.RANSAC, _OUTLIER_MM)
    good = _whole_tags(mine, inliers)
    if to_mm is None or len(good) < _LEAST_TAGS:
        raise MatNotSeen("The mat's tags contradict each other. Lay the mat flat, and only one of them.")
    keep = np.array([tag in good for tag in mine for _ in range(4)])
    to_mm, _ = cv2.findHomography(px[keep], mm[keep])
    if to_mm is None:
        raise MatNotSeen("The mat's tags contradict each other. Lay the mat flat, and only one of them.")
    return _calibration(mat, np.asarray(to_mm), good, px[keep], mm[keep])


def _calibration(mat: Mat, to_mm: np.ndarray, tags: Sequence[TagSeen], px: Points, mm: Points) -> MatCalibration:
    back = np.linalg.inv(to_mm)
    off = _through(back, mm) - px
    middle = np.array([mat.width_mm / 2, mat.height_mm / 2], np.float32)
    around = _through(back, middle + np.array([(0, 0), (10, 0), (0, 10)], np.float32))
    scale = float(np.linalg.norm(around[1:] - around[0], axis=1).mean()) / 10
    numbers = tuple(sorted({tag.number for tag in tags}))
    return MatCalibration(mat, to_mm, numbers, float(np.sqrt((off**2).sum(axis=1).mean())), scale)


def _whole_tags(tags: Sequence[TagSeen], inliers: np.ndarray | None) -> list[TagSeen]:
    if inliers is None:
        return []
    votes = inliers.reshape(-1, 4).sum(axis=1)
    return [tag for tag, vote in zip(tags, votes, strict=True) if vote == 4]


def _through(matrix: np.ndarray, points: Points) -> Points:
    return np.asarray(cv2.perspectiveTransform(points.reshape(1, -1, 2).astype(np.float32), matrix)[0], np.float32)
