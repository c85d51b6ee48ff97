"""The three faces adjacent to a d20's upper face: rectified from a close crop, read and matched.

They are seen at 42 degrees, still readable. They distinguish an unmarked 6 from a 9, confirm a doubtful number or
contradict a wrong one; an enrolled die is recognized by them as well as by its upper face.
"""

from dataclasses import dataclass
from functools import cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rendering.layouts import standard_d20
from companion.rendering.poses import UP, between, matrix, resting, turn
from companion.rendering.solids import Points, solid
from companion.vision.dice.faces.nets import Probabilities
from companion.vision.dice.faces.upright import CLOSE_CROP_PX, DIE_PX, NUMBER_PX, NUMBER_SIDE
from companion.vision.frame import Image

HEAD_OFFSETS_DEG: Final = (0.0, 180.0)
"""The top of the number points to a corner of its face, as on nearly every die, or to the middle of an edge."""
SIDES: Final = 3
"""Number of neighboring faces, and of corners that the top of a number may point to."""
LAYOUTS_P: Final = (0.34, 0.26)
"""Priors of the standard d20 layout and its mirror image; the rest is for dice with arbitrary neighbors."""
_MAX_TILT_SINE: Final = 0.4
_MISREAD_P: Final = 0.001  # as each other number, on top of the network's own uncertainty
_BOX_SIDE: Final = 1.93  # longer box side of a resting die, in radii: 1.90 to 1.96 depending on its rotation
_LEGIBLE: Final = 0.75
_OTHERS_P: Final = 0.05  # of 82 held-out rendered other objects none had neighbors this legible
_HIGH_ON_DAY_NIGHT_P: Final = 0.02
_TOP: Final = 0  # index of the upper face in the solid; all faces are equivalent

Grid = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class NeighborFaces:
    """The network's outputs for the three faces, clockwise from the top of the upper number.

    Attributes:
        numbers: float32 (3, 3, 21), each face in its three orientations: first with the top of the number pointing
            outwards, then clockwise.
        embeddings: float32 (3, 3, 64), embeddings of the same crops.
    """

    numbers: Grid
    embeddings: Grid


def neighbor_crops(crop: Image, up_deg: float, at: tuple[float, float]) -> list[Image]:
    """Return rectified crops of the three neighboring faces, each in three orientations: nine, uint8 (64, 64, 3).

    Args:
        crop: a close crop, uint8 (208, 208, 3), of a d20.
        up_deg: direction of the top of the upper number, clockwise from the top of the image.
        at: the upper face's center relative to the crop's center, in die sizes.
    """
    rotation = _die_rotation(up_deg, at)
    corners = solid("d20").vertices @ rotation.T
    side = float((corners.max(axis=0) - corners.min(axis=0))[:2].max())
    there = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32) * NUMBER_PX - 0.5
    crops = []
    for square in _squares() * (NUMBER_SIDE * side / 2) + _face_centers():
        seen = (square @ rotation.T)[:, :2] * (DIE_PX / side) * (1, -1) + (CLOSE_CROP_PX - 1) / 2
        warp = cv2.getPerspectiveTransform(seen.astype(np.float32), there)
        cut = cv2.warpPerspective(crop, warp, (NUMBER_PX, NUMBER_PX), borderMode=cv2.BORDER_REFLECT)
        crops.append(np.asarray(cut, np.uint8))
    return crops


def legibility(probabilities: Probabilities) -> float:
    """Return the mean probability that some orientation of each face shows an upright number, 0 to 1.

    Args:
        probabilities: (3, 3, 21), of the numbers and "no upright number".
    """
    return float(probabilities[..., :-1].max(axis=(1, 2)).mean())


def neighbor_likelihoods(probabilities: Probabilities) -> Probabilities:
    """Return the likelihood ratio of each value (20,) given the numbers on its neighbors; 1 is neutral.

    Non-standard dice may have any neighbors, so neighbors never count against a value as strongly as the standard
    layouts count for one.

    Args:
        probabilities: (3, 3, 21), of the numbers and "no upright number".
    """
    seen = probabilities[..., :-1].sum(axis=1) + _MISREAD_P
    ratio = 20 * seen / seen.sum(axis=1, keepdims=True)
    factor = np.full(20, 1 - sum(LAYOUTS_P))
    for p, around in zip(LAYOUTS_P, _usual_neighbors(), strict=True):
        ways = [np.prod([ratio[(k + way) % SIDES][around[:, k]] for k in range(SIDES)], axis=0) for way in range(SIDES)]
        factor += p * np.mean(ways, axis=0)
    return np.asarray(factor, np.float32)


def kind_likelihoods(probabilities: Probabilities) -> tuple[float, float, float]:
    """Return the neighbors' likelihoods given a d20, a day-and-night die and anything else; all 1 if uninformative.

    Only a twenty-faced die has upright numbers at these three positions, and a day-and-night die none above 4.

    Args:
        probabilities: (3, 3, 21), of the numbers and "no upright number".
    """
    if legibility(probabilities) < _LEGIBLE:
        return 1.0, 1.0, 1.0
    seen = probabilities[..., :-1].sum(axis=1) + _MISREAD_P
    high = seen[:, 4:].sum(axis=1) / seen.sum(axis=1)
    d20 = np.prod(0.8 * high + 0.2 * (1 - high))
    halves = np.prod(_HIGH_ON_DAY_NIGHT_P * high + (1 - _HIGH_ON_DAY_NIGHT_P) * (1 - high))
    return float(d20 / max(d20, halves)), float(halves / max(d20, halves)), _OTHERS_P


def neighbor_similarity(seen: Grid, stored: Grid) -> float:
    """Return the best cosine similarity of a face's neighbors to stored ones over the rotations, -1 to 1.

    Args:
        seen: (3, 3, 64), embeddings.
        stored: (pictures, 3, 3, 64).
    """
    turned = np.stack([np.roll(seen, -way, axis=0) for way in range(SIDES)])
    return float(np.einsum("wkod,nkod->wn", turned, stored).max()) / SIDES**2


def _die_rotation(up_deg: float, at: tuple[float, float]) -> Points:
    """Return the die's rotation (3, 3): from the solid's axes to x right, y up in the image, z towards the camera."""
    die = solid("d20")
    tilt = np.array([at[0], -at[1]]) * _BOX_SIDE / float(np.linalg.norm(die.centres[_TOP]))
    tilt *= min(1.0, _MAX_TILT_SINE / max(1e-9, float(np.hypot(*tilt))))
    towards = np.array([*tilt, np.sqrt(1 - tilt @ tilt)])
    return matrix(between(UP, towards)) @ matrix(turn(UP, -up_deg)) @ _canonical_rotation()


@cache
def _canonical_rotation() -> Points:
    """Return the rotation with the upper face towards the camera and the top of its number up in the image."""
    die = solid("d20")
    flat = matrix(resting(die, _TOP))
    x, y = (flat @ die.heads[_TOP])[:2]
    return np.asarray(matrix(turn(UP, 90 - float(np.degrees(np.arctan2(y, x))))) @ flat)


@cache
def _neighbor_order() -> tuple[int, ...]:
    """Return the neighboring faces, clockwise from the top of the upper number."""
    die = solid("d20")
    right, up, _ = (die.normals @ _canonical_rotation().T).T
    return tuple(sorted(die.neighbours(_TOP), key=lambda face: float(np.degrees(np.arctan2(right, up))[face]) % 360))


@cache
def _squares() -> Points:
    """Return each crop's corners (9, 4, 3) around its face's center, clockwise from the top left, sides of length 2."""
    die, squares = solid("d20"), []
    for face in _neighbor_order():
        heads = die.vertices[list(die.faces[face])] - die.centres[face]
        heads /= np.linalg.norm(heads, axis=1, keepdims=True)
        outwards = heads[int((heads @ die.normals[_TOP]).argmin())]
        right_of = np.cross(outwards, die.normals[face])  # to the right of a viewer of the face
        for way in range(SIDES):
            turned = np.radians(120 * way)
            head = np.cos(turned) * outwards + np.sin(turned) * right_of
            right = np.cross(head, die.normals[face])
            squares.append([head - right, head + right, right - head, -right - head])
    return np.array(squares)


@cache
def _face_centers() -> Points:
    return np.repeat(solid("d20").centres[list(_neighbor_order())], SIDES, axis=0)[:, None]


@cache
def _usual_neighbors() -> tuple[NDArray[np.int64], ...]:
    """Return the indices (20, 3) of the values clockwise around each value: standard d20 and its mirror image."""
    die, found = solid("d20"), []
    for layout in (standard_d20(), standard_d20(mirrored=True)):
        around = np.zeros((20, SIDES), np.int64)
        for face, value in enumerate(layout):
            around[value - 1] = [layout[other] - 1 for other in reversed(die.neighbours(face))]
        found.append(around)
    return tuple(found)
