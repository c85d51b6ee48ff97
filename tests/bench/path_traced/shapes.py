"""Meshes of bevelled dice with a texture atlas of their faces, for the path tracer."""

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import plain_dice
from PIL import Image, ImageDraw, ImageFont
from scipy.spatial import ConvexHull

CELL = 256
COLUMNS = 5


@dataclass(frozen=True)
class Shape:
    """A die's mesh: triangle corners (n, 3, 3), their atlas coordinates (n, 3, 2), and its flat faces."""

    triangles: np.ndarray
    places: np.ndarray
    normals: np.ndarray
    corners: np.ndarray


def d10_corners() -> np.ndarray:
    zigzag = np.tan(np.pi / 10) ** 2
    ring = [(np.cos(np.pi * k / 5), np.sin(np.pi * k / 5), zigzag * (-1) ** k) for k in range(10)]
    return np.array([*ring, (0, 0, 1), (0, 0, -1)])


def rings_of(name: str) -> tuple[np.ndarray, list[list[int]]]:
    """Return a solid's corners, scaled to radius 1, and each face's corners in order."""
    if name == "d10":
        corners = d10_corners()
        hull = ConvexHull(corners)
        faces: dict[tuple[int, ...], list[int]] = {}
        for simplex, plane in zip(hull.simplices, hull.equations, strict=True):
            faces.setdefault(tuple(np.round(plane, 5)), []).extend(simplex.tolist())
        rings = []
        for plane, members in faces.items():
            on = sorted(set(members))
            middle, out = corners[on].mean(axis=0), np.array(plane[:3])
            right = corners[on[0]] - middle
            up = np.cross(out, right)
            turn = [np.arctan2((corners[i] - middle) @ up, (corners[i] - middle) @ right) for i in on]
            rings.append([on[i] for i in np.argsort(turn)])
        return corners / np.linalg.norm(corners, axis=1).max(), rings
    corners = plain_dice.CORNERS[name]
    return corners / np.linalg.norm(corners, axis=1).max(), plain_dice.faces_of(name)


def shape_of(name: str, bevel: float, turns: list[int]) -> Shape:
    """Return a solid with edges and corners bevelled by about this share of a face.

    Args:
        turns: index of the corner that the top of each face's art points to.
    """
    corners, rings = rings_of(name)
    middles = np.array([corners[ring].mean(axis=0) for ring in rings])
    normals = []
    for ring in rings:
        normal = np.cross(corners[ring[1]] - corners[ring[0]], corners[ring[2]] - corners[ring[0]])
        normals.append(np.sign(normal @ corners[ring[0]]) * normal / np.linalg.norm(normal))
    shrunk = [(corners[ring] - middle) * (1 - bevel) + middle for ring, middle in zip(rings, middles, strict=True)]
    everything = np.concatenate(shrunk)
    owner = np.concatenate([[i] * len(ring) for i, ring in enumerate(rings)])
    hull = ConvexHull(everything)
    triangles, places = [], []
    for simplex, plane in zip(hull.simplices, hull.equations, strict=True):
        points = everything[simplex]
        if np.cross(points[1] - points[0], points[2] - points[0]) @ plane[:3] < 0:
            points, simplex = points[::-1], simplex[::-1]
        owners = set(owner[simplex].tolist())
        if np.linalg.norm(np.cross(points[1] - points[0], points[2] - points[0])) < 1e-9:
            continue  # a degenerate triangle would shade to NaN
        triangles.append(points)
        if len(owners) == 1:
            face = owners.pop()
            places.append([_place(p, face, corners, rings, middles, np.array(normals), turns) for p in points])
        else:
            places.append([_blank(len(rings))] * 3)
    return Shape(np.array(triangles), np.array(places), np.array(normals), corners)


def _place(p: np.ndarray, face: int, corners: Any, rings: Any, middles: Any, normals: Any, turns: list[int]) -> Any:
    head = corners[rings[face][turns[face] % len(rings[face])]] - middles[face]
    head = head / np.linalg.norm(head)
    if len(rings[face]) == 4 and len(rings) == 6:
        side = corners[rings[face][(turns[face] + 1) % 4]] - middles[face]
        head = head + side / np.linalg.norm(side)
        head = head / np.linalg.norm(head)
    right = np.cross(head, normals[face])
    reach = max(np.linalg.norm(corners[i] - middles[face]) for i in rings[face])
    x, y = (p - middles[face]) @ right / reach, (p - middles[face]) @ head / reach
    return _in_atlas(face, len(rings), (x + 1) / 2, (1 - y) / 2)


def _in_atlas(face: int, count: int, u: float, v: float) -> tuple[float, float]:
    rows = -(-(count + 1) // COLUMNS)
    return (face % COLUMNS + u) / COLUMNS, (face // COLUMNS + v) / rows


def _blank(count: int) -> tuple[float, float]:
    return _in_atlas(count, count, 0.5, 0.5)


def head_in_space(name: str, face: int, turns: list[int]) -> np.ndarray:
    """Return the direction of the top of a face's art."""
    corners, rings = rings_of(name)
    way = corners[rings[face][turns[face] % len(rings[face])]] - corners[rings[face]].mean(axis=0)
    return np.asarray(way / np.linalg.norm(way))


def atlas(marks: list[np.ndarray]) -> np.ndarray:
    """Return the texture atlas of all faces' masks (CELL, CELL), float32 0 to 1."""
    rows = -(-(len(marks) + 1) // COLUMNS)
    sheet = np.zeros((rows * CELL, COLUMNS * CELL), np.float32)
    for i, mark in enumerate(marks):
        y, x = i // COLUMNS * CELL, i % COLUMNS * CELL
        sheet[y : y + CELL, x : x + CELL] = mark
    return sheet


def written(text: str, font: str, height: float, *, mark: str = "none", low: float = 0.0) -> np.ndarray:
    """Return a number on a face's square, float32 (CELL, CELL); ``height`` is a share of half the square."""
    picture = Image.new("L", (CELL, CELL), 0)
    draw = ImageDraw.Draw(picture)
    if text:
        size = CELL / 2 * height
        face = ImageFont.truetype(font, max(8, int(size * 1.3)))
        box = draw.textbbox((0, 0), text, font=face)
        scale = min(size / max(1, box[3] - box[1]), 0.95 * size * 1.25 / max(1, box[2] - box[0]))
        face = ImageFont.truetype(font, max(8, int(size * 1.3 * scale)))
        box = draw.textbbox((0, 0), text, font=face)
        x = CELL / 2 - (box[0] + box[2]) / 2
        y = CELL / 2 * (1 + low) - (box[1] + box[3]) / 2
        draw.text((x, y), text, fill=255, font=face)
        left, top, right, bottom = (box[0] + x, box[1] + y, box[2] + x, box[3] + y)
        thick = max(3, int(0.09 * (bottom - top)))
        if mark == "dot":
            draw.ellipse((right + 2, bottom - 2 * thick, right + 2 + 2 * thick, bottom), fill=255)
        elif mark == "line":
            draw.rectangle((left, bottom + thick, right, bottom + 2 * thick), fill=255)
    return np.asarray(picture, np.float32) / 255


def pips(value: int, radius: float, spread: float) -> np.ndarray:
    """Return a d6 face with pips."""
    mask = np.zeros((CELL, CELL), np.uint8)
    unit = CELL / 2 / np.sqrt(2)
    for x, y in plain_dice.PIPS[value]:
        centre = (round(CELL / 2 + x * spread * unit), round(CELL / 2 + y * spread * unit))
        cv2.circle(mask, centre, round(radius * unit), 255, -1, cv2.LINE_AA)
    return mask.astype(np.float32) / 255
