"""Locates the mat in the picture: the homography from millimeters to pixels, and its accuracy.

Pure geometry on decoded corner tags. A calibration is valid as long as camera and mat do not move.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypedDict

from companion.kernel.errors import CompanionError
from companion.kernel.messages import Message, joined, message
from companion.objects.geometry import QR_MM, QR_MODULES
from companion.objects.mat import Mat, Mats
from companion.vision.sightings import Point, Quad, TagSeen

CORNERS: Final = (message("top left"), message("top right"), message("bottom right"), message("bottom left"))
MIN_PX_PER_MODULE: Final = 2.3  # below it codes on cards are not reliably readable
MAX_ERROR_PX: Final = 3.0
MAX_SHAKE_PX: Final = 1.5
_MODULE_MM: Final = QR_MM / QR_MODULES

Matrix = NDArray[np.float64]


class MatNotSeen(CompanionError):
    """The mat could not be located; the message says what to correct."""


class CalibrationJson(TypedDict):
    """A mat's calibration as stored in the data directory; see `MatCalibration`."""

    mat: str
    size: list[int]
    to_px: list[list[float]]
    px_per_mm: float
    least_px_per_mm: float
    error_px: float
    shake_px: float
    zones: dict[str, list[list[float]]]
    "For other programs."


@dataclass(frozen=True, slots=True)
class MatCalibration:
    """The pose of a mat in the picture.

    Attributes:
        mat: the mat that was seen.
        size: (width, height) of the picture, px.
        to_px: rows of the homography (3, 3) from mm of the mat to pixels.
        px_per_mm: scale at the center of the mat.
        least_px_per_mm: scale where the mat is farthest from the camera.
        error_px: root mean square reprojection error of the tags' corners.
        shake_px: largest offset of a corner in one frame from its mean.
    """

    mat: Mat
    size: tuple[int, int]
    to_px: tuple[tuple[float, float, float], ...]
    px_per_mm: float
    least_px_per_mm: float
    error_px: float
    shake_px: float

    @property
    def px_per_module(self) -> float:
        """The lowest resolution of a card's code on the mat, pixels per module."""
        return self.least_px_per_mm * _MODULE_MM

    def mm(self, point: Point) -> Point:
        """Map a point of the picture (px) to the mat, mm from its top left."""
        return _point(_map(np.linalg.inv(np.array(self.to_px)), np.array([point])))

    def px(self, point: Point) -> Point:
        """Map a point of the mat (mm) to the picture (px)."""
        return _point(_map(np.array(self.to_px), np.array([point])))

    def zones(self) -> dict[str, Quad]:
        """Return the corners of every zone in the picture, px."""
        matrix = np.array(self.to_px)
        return {name: _quad(_map(matrix, np.array(box.corners))) for name, box in self.mat.zones.items()}

    def to_json(self) -> CalibrationJson:
        """Return the JSON object for `from_json`; it also contains the zones, for other programs."""
        return {
            "mat": self.mat.name,
            "size": list(self.size),
            "to_px": [list(row) for row in self.to_px],
            "px_per_mm": round(self.px_per_mm, 4),
            "least_px_per_mm": round(self.least_px_per_mm, 4),
            "error_px": round(self.error_px, 3),
            "shake_px": round(self.shake_px, 3),
            "zones": {name: [[round(v, 1) for v in p] for p in quad] for name, quad in self.zones().items()},
        }

    @classmethod
    def from_json(cls, record: CalibrationJson, mats: Mats) -> MatCalibration:
        """Return the calibration that was stored.

        Raises:
            MatNotSeen: it is damaged, or its mat is unknown.
        """
        try:
            rows = tuple((float(a), float(b), float(c)) for a, b, c in record["to_px"])
            if record["mat"] not in mats or len(rows) != 3:
                raise ValueError(f"unknown mat {record['mat']!r}")
            width, height = record["size"]
            scale, least = float(record["px_per_mm"]), float(record["least_px_per_mm"])
            error, shake = float(record["error_px"]), float(record["shake_px"])
            return cls(mats[record["mat"]], (int(width), int(height)), rows, scale, least, error, shake)
        except (KeyError, TypeError, ValueError) as error:
            raise MatNotSeen(
                f"The stored calibration cannot be used ({error}). Run `companion calibrate` again."
            ) from error


def mat_in(frames: Sequence[Sequence[TagSeen]], known: Mats) -> Mat:
    """Return the mat to which most of the tags belong.

    Raises:
        MatNotSeen: no tag of a mat was seen.
    """
    mats = [known.of_tag[tag.number].name for tags in frames for tag in tags if tag.number in known.of_tag]
    if not mats:
        raise MatNotSeen.saying(
            "No mat was seen. Lay the printed mat under the camera with all four corners in the picture; "
            "Most games also work without one."
        )
    return known[max(sorted(set(mats)), key=mats.count)]


def calibrate_mat(
    frames: Sequence[Sequence[TagSeen]], mat: Mat, size: tuple[int, int], *, least: int = 4
) -> MatCalibration:
    """Return the calibration of a mat.

    Args:
        frames: the tags of each frame; corners are averaged over the frames that show them.
        size: (width, height) of the pictures, px.
        least: minimum number of visible tags of the mat's four.

    Raises:
        MatNotSeen: a corner's tag was never seen, or was seen twice; the message names the corner.
    """
    seen = {number: _corners_of(number, frames) for number in mat.tags}
    _check_corners(mat, frames, seen, least)
    numbers = [number for number in mat.tags if len(seen[number])]
    mm = np.concatenate([np.array(mat.tags[number].corners) for number in numbers])
    px = np.concatenate([seen[number].mean(axis=0) for number in numbers])
    matrix, _ = cv2.findHomography(mm, px)
    if matrix is None:
        raise MatNotSeen.saying("The mat's corners lie in one line. Look at the mat from above, then try again.")
    to_px = np.asarray(matrix, np.float64)
    error = float(np.sqrt((np.linalg.norm(_map(to_px, mm) - px, axis=1) ** 2).mean()))
    shake = max(float(np.linalg.norm(seen[n] - seen[n].mean(axis=0), axis=2).max()) for n in numbers)
    places = np.array([[x, y] for x in (0, mat.width_mm) for y in (0, mat.height_mm)])
    lowest = min(_scale(to_px, p) for p in places)
    middle = _scale(to_px, np.array([mat.width_mm / 2, mat.height_mm / 2]))
    a, b, c = ((float(r[0]), float(r[1]), float(r[2])) for r in to_px)
    return MatCalibration(mat, size, (a, b, c), middle, lowest, error, shake)


def troubles(found: MatCalibration) -> tuple[Message, ...]:
    """Return the problems of a calibration, each with its remedy."""
    shortcomings = []
    if found.error_px > MAX_ERROR_PX:
        shortcomings.append(
            message(
                "The corners do not fit together by {pixels} pixels. Lay the mat flat, and only one of them; "
                "if it is, the lens bends straight lines: mount the camera higher, or turn a wide-angle mode off.",
                pixels=f"{found.error_px:.1f}",
            )
        )
    if found.px_per_module < MIN_PX_PER_MODULE:
        shortcomings.append(
            message(
                "Cards are too small in the picture: {pixels} pixels a module of their code, "
                "{least} are needed. Mount the camera lower, or choose a larger picture.",
                pixels=f"{found.px_per_module:.1f}",
                least=str(MIN_PX_PER_MODULE),
            )
        )
    if found.shake_px > MAX_SHAKE_PX:
        pixels = f"{found.shake_px:.1f}"
        shortcomings.append(
            message("The picture shakes by {pixels} pixels. Fix the camera, or the table, better.", pixels=pixels)
        )
    return tuple(shortcomings)


def _check_corners(mat: Mat, frames: Sequence[Sequence[TagSeen]], seen: Mapping[int, Matrix], least: int) -> None:
    missing = [
        message("tag {tag}: uncover the {corner} corner", tag=tag, corner=corner)
        for tag, corner in zip(mat.tags, CORNERS, strict=True)
        if not len(seen[tag])
    ]
    if len(mat.tags) - len(missing) < least:
        raise MatNotSeen.saying(
            "Not all corners of the {mat} mat were seen ({missing}). Then try again.",
            mat=mat.name,
            missing=joined(missing, "; "),
        )
    for number, corner in zip(mat.tags, CORNERS, strict=True):
        if any(sum(tag.number == number for tag in tags) > 1 for tags in frames):
            raise MatNotSeen.saying(
                "Tag {tag} of the {corner} corner is in the picture twice. Lay only one mat there.",
                tag=number,
                corner=corner,
            )


def _corners_of(number: int, frames: Sequence[Sequence[TagSeen]]) -> Matrix:
    """Return the corners of a tag in all frames that show it, (frames, 4, 2)."""
    found = [tag.corners for tags in frames for tag in tags if tag.number == number]
    return np.array(found, np.float64).reshape(-1, 4, 2)


def _map(matrix: Matrix, points: Matrix) -> Matrix:
    return np.asarray(cv2.perspectiveTransform(points[None].astype(np.float64), matrix)[0], np.float64)


def _scale(matrix: Matrix, at: Matrix) -> float:
    """Return the scale (px per mm) at a point of the mat, in the direction in which it is lowest."""
    step = at + np.array([(0, 0), (1, 0), (0, 1)], np.float64)
    here, right, down = _map(matrix, step)
    return float(np.linalg.svd(np.column_stack([right - here, down - here]), compute_uv=False)[-1])


def _point(points: Matrix) -> Point:
    return float(points[0, 0]), float(points[0, 1])


def _quad(points: Matrix) -> Quad:
    a, b, c, d = ((float(x), float(y)) for x, y in points)
    return (a, b, c, d)
