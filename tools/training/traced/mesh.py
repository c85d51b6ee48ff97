"""Dice as triangle meshes of rounded solids, with one texture sheet for all faces."""

from dataclasses import dataclass
from functools import cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rendering.faces import SIDE, art_axes
from companion.rendering.materials import FIELD, pattern_field
from companion.rendering.painter import Die
from companion.rendering.solids import Solid

Floats = NDArray[np.float32]
_COLUMNS: Final = 5
_SUBDIVISIONS: Final = 12
"""Rows of triangles from a face's center to its edge."""
_NEWTON_STEPS: Final = 4


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """Triangles int32 (m, 3) of points float32 (n, 3) with normals (n, 3) and texture coordinates ``places`` (n, 2)."""

    points: Floats
    normals: Floats
    triangles: NDArray[np.int32]
    places: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """Textures of all faces: colors, linear RGB (h, w, 3); ink (h, w) 0 to 1; depth of engravings (h, w)."""

    colours: Floats
    ink: Floats
    depth: Floats


def rounded(die: Die, ball: float) -> Mesh:
    """Return the mesh of a die with edges rounded as its material specifies.

    Args:
        ball: radius of the sphere that cuts the corners.
    """
    shape = die.solid
    soft = max(die.material.rounding, 0.004)
    points, normals, triangles, places = [], [], [], []
    done = 0
    for face in range(len(shape.faces)):
        flat, corners = _face_grid(shape, face)
        at, away = _rounded(shape, flat, soft, ball)
        right, down = art_axes(shape, face, die.art[face].turn_deg)
        off = (flat - shape.centres[face]) / shape.reach[face]
        points.append(at)
        normals.append(away)
        places.append(_texture_coordinates(face, len(shape.faces), off @ right, off @ down))
        triangles.append(corners + done)
        done += len(flat)
    return Mesh(
        np.concatenate(points).astype(np.float32), np.concatenate(normals).astype(np.float32),
        np.concatenate(triangles).astype(np.int32), np.concatenate(places).astype(np.float32),
    )  # fmt: skip


def _face_grid(shape: Solid, face: int) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Return points of a face, denser towards its edges, and the triangles between them."""
    ring = shape.vertices[list(shape.faces[face])]
    middle = shape.centres[face]
    points, triangles = [], []
    for k in range(len(ring)):
        weights, corners = _triangle_grid()
        triangles.append(corners + k * len(weights))
        points.append(weights @ np.stack([middle, ring[k], ring[(k + 1) % len(ring)]]))
    return np.concatenate(points), np.concatenate(triangles)


@cache
def _triangle_grid() -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Return barycentric weights (n, 3) and triangles of a sector of a face; its first corner is the face's center."""
    out = 1 - (1 - np.arange(_SUBDIVISIONS + 1) / _SUBDIVISIONS) ** 2  # rows are denser towards the edge
    weights, first = [], [0]
    for row, distances in enumerate(out):
        for k in range(row + 1):
            along = k / row if row else 0.0
            weights.append((1 - distances, distances * (1 - along), distances * along))
        first.append(first[-1] + row + 1)
    triangles = []
    for row in range(_SUBDIVISIONS):
        for k in range(row + 1):
            a, b = first[row] + k, first[row + 1] + k
            triangles.append((a, b, b + 1))
            if k < row:
                triangles.append((a, b + 1, a + 1))
    return np.array(weights), np.array(triangles, np.int32)


def _rounded(
    shape: Solid, flat: NDArray[np.float64], soft: float, ball: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Move points of the solid inward onto the rounded one; return them with its normals there.

    The rounded solid is the zero level of the soft maximum of the distances to all planes and to the sphere.
    """
    offsets = (shape.centres * shape.normals).sum(axis=1)
    directions = flat / np.linalg.norm(flat, axis=1, keepdims=True)
    distances = np.linalg.norm(flat, axis=1)
    rises = directions @ shape.normals.T
    for _ in range(_NEWTON_STEPS):  # Newton's method along each ray, from outside: the function is convex
        heights = np.column_stack([distances[:, None] * rises - offsets, distances - ball]) / soft
        top = heights.max(axis=1, keepdims=True)
        shares = np.exp(heights - top)
        total = shares.sum(axis=1, keepdims=True)
        level = soft * (top + np.log(total))[:, 0]
        shares /= total
        slope = (shares[:, :-1] * rises).sum(axis=1) + shares[:, -1]
        distances = distances - level / slope
    normals = shares[:, :-1] @ shape.normals + shares[:, -1:] * directions
    return distances[:, None] * directions, normals / np.linalg.norm(normals, axis=1, keepdims=True)


def _texture_coordinates(face: int, count: int, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    rows = -(-count // _COLUMNS)
    u = (face % _COLUMNS + np.clip(0.5 + x / 2, 0.01, 0.99)) / _COLUMNS
    v = (face // _COLUMNS + np.clip(0.5 + y / 2, 0.01, 0.99)) / rows
    return np.stack([u, v], axis=1)


def texture_sheet(die: Die, rng: np.random.Generator) -> Sheet:
    """Return the textures of all faces, including the body's pattern."""
    rows = -(-len(die.art) // _COLUMNS)
    size = (rows * SIDE, _COLUMNS * SIDE)
    ink, depth = np.zeros(size, np.float32), np.zeros(size, np.float32)
    colours = _body(die, size, rng)
    for face, art in enumerate(die.art):
        part = np.s_[face // _COLUMNS * SIDE :, face % _COLUMNS * SIDE :]
        cell = colours[part][:SIDE, :SIDE]
        share = art.mask.astype(np.float32) / 255
        if art.ground is not None:
            cell[:] = linear(np.array(art.ground))
        over = linear(np.array(art.ink)) if isinstance(art.ink, tuple) else linear(art.ink)
        cell[:] = cell * (1 - share[..., None]) + over * share[..., None]
        ink[part][:SIDE, :SIDE] = share
        depth[part][:SIDE, :SIDE] = share * art.depth
    return Sheet(np.clip(colours, 0.004, 0.98), ink, depth)


def _body(die: Die, size: tuple[int, int], rng: np.random.Generator) -> Floats:
    material = die.material
    base, second = linear(np.array(material.base)), linear(np.array(material.second))
    if not material.amount:
        return np.broadcast_to(base, (*size, 3)).copy()
    field = pattern_field(material.pattern, material.field)
    step = max(0.2, material.grain) * FIELD / 2 / SIDE
    y, x = np.mgrid[0 : size[0], 0 : size[1]].astype(np.float32) * np.float32(step)
    x, y = (x + rng.uniform(0, FIELD)) % FIELD, (y + rng.uniform(0, FIELD)) % FIELD
    share = material.amount * cv2.remap(field, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP)[..., None]
    return np.asarray(base * (1 - share) + second * share, np.float32)


def linear(bgr: NDArray[np.generic]) -> Floats:
    """Convert colors, BGR 0 to 255, to linear light, RGB 0 to 1, (..., 3)."""
    return np.asarray((np.clip(bgr.astype(np.float32)[..., ::-1], 1, 255) / 255) ** 2.2, np.float32)
