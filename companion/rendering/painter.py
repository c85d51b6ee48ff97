"""Draws a die into a picture of a table: projection, rounded edges, engraved or printed art, light, glare, shadow.

Everything is computed per pixel, only in the die's part of the picture: a normal map (blurred, which rounds the edges),
an ink map, and the resulting light. About 4 ms for a die of 150 pixels.
"""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rendering import shading
from companion.rendering.faces import SIDE, FaceArt, art_axes
from companion.rendering.lights import Lighting
from companion.rendering.materials import Material
from companion.rendering.poses import matrix
from companion.rendering.solids import Points, Solid

Image = NDArray[np.uint8]
_SHIFT: Final = 4  # fractional bits of OpenCV's subpixel corners
_MARGIN_PX: Final = 2


@dataclass(frozen=True, slots=True, eq=False)
class Die:
    """A die: its shape, the art on each face, and its material."""

    solid: Solid
    art: tuple[FaceArt, ...]
    material: Material


@dataclass(frozen=True, slots=True)
class View:
    """The camera's view of the die.

    Attributes:
        centre_px: the die's centre, (x, y).
        radius_px: the die's circumscribed radius in pixels.
        distance: from the camera to the die's centre, in radii.
        tilt_deg: angle at the die between the vertical and the camera.
        tilt_towards_deg: azimuth of the camera; 0 is the picture's right, 90 its upper side.
    """

    centre_px: tuple[float, float]
    radius_px: float
    distance: float = 20.0
    tilt_deg: float = 0.0
    tilt_towards_deg: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Painted:
    """A rendered die.

    Attributes:
        outline: float32 (n, 2), corners of its convex silhouette.
        box: x, y, width, height of the silhouette, pixels.
        alpha: uint8 (H, W) for the whole picture, 255 on the die.
    """

    outline: NDArray[np.float32]
    box: tuple[float, float, float, float]
    alpha: NDArray[np.uint8]


def camera_matrix(view: View) -> Points:
    """Return the rotation from the world (z up) to the camera's axes (x right, y up the picture, z to the camera)."""
    away = np.radians(view.tilt_towards_deg)
    axis = np.array([-np.sin(away), np.cos(away), 0.0])
    half = np.radians(-view.tilt_deg) / 2
    return matrix(np.array([np.cos(half), *(np.sin(half) * axis)]))


def project(points: Points, view: View) -> NDArray[np.float32]:
    """Return the projections of points (n, 3) in the camera's axes, float32 (n, 2) pixels."""
    scale = view.radius_px * view.distance / (view.distance - points[:, 2])
    flat = points[:, :2] * scale[:, None] * (1, -1)
    return np.asarray(flat + view.centre_px, np.float32)


def outline_of(solid: Solid, pose: Points, view: View) -> NDArray[np.float32]:
    """Return the silhouette's corners, float32 (n, 2), without drawing."""
    corners = solid.vertices @ matrix(pose).T @ camera_matrix(view).T
    return np.asarray(cv2.convexHull(project(corners, view))[:, 0])


def paint(canvas: Image, die: Die, pose: Points, view: View, light: Lighting) -> Painted:
    """Draw the die and its shadow into the picture, uint8 (H, W, 3) BGR, in place."""
    turned = matrix(pose).T @ camera_matrix(view).T
    corners, normals = die.solid.vertices @ turned, die.solid.normals @ turned
    flat = project(corners, view)
    outline = np.asarray(cv2.convexHull(flat)[:, 0], np.float32)
    _cast_shadow(canvas, die.solid, pose, view, light)
    alpha = np.zeros(canvas.shape[:2], np.uint8)
    area = _area(outline, canvas.shape, _MARGIN_PX + int(3 * die.material.rounding * view.radius_px))
    if area is not None:
        towards = (np.array([0, 0, view.distance]) - die.solid.centres @ turned) * normals
        seen = towards.sum(axis=1) > 0
        maps = _maps(die, turned, flat, normals, seen, area, view)
        patch = canvas[area]
        lit = shading.shade(patch, maps, die.material, light, view.radius_px)
        cover = maps.cover[..., None]
        patch[:] = np.clip(lit * cover + patch * (1 - cover), 0, 255).astype(np.uint8)
        alpha[area] = (255 * maps.cover).astype(np.uint8)
    x, y = outline.min(axis=0)
    width, height = outline.max(axis=0) - (x, y)
    return Painted(outline, (float(x), float(y), float(width), float(height)), alpha)


def _area(outline: NDArray[np.float32], shape: tuple[int, ...], margin: int) -> tuple[slice, slice] | None:
    """Return the part of the picture that the die may cover, or None."""
    left, top = np.maximum(np.floor(outline.min(axis=0)).astype(int) - margin, 0)
    right, bottom = np.minimum(np.ceil(outline.max(axis=0)).astype(int) + margin, (shape[1], shape[0]))
    return (slice(top, bottom), slice(left, right)) if right > left and bottom > top else None


def _maps(
    die: Die, turned: Points, flat: NDArray[np.float32], normals: Points, seen: NDArray[np.bool_],
    area: tuple[slice, slice], view: View,
) -> shading.Maps:  # fmt: skip
    """Draw the maps of one die: face normals and colours, ink, silhouette."""
    size = (area[0].stop - area[0].start, area[1].stop - area[1].start)
    origin = np.array([area[1].start, area[0].start], np.float32)
    maps = shading.empty_maps(size, np.array(view.centre_px, np.float32) - origin, view.radius_px, die.material)
    for face in np.flatnonzero(seen).tolist():
        ring = _fixed(flat[list(die.solid.faces[face])] - origin)
        # y points up in the camera's axes, down in the maps
        normal = (float(normals[face, 0]), -float(normals[face, 1]), float(normals[face, 2]))
        cv2.fillConvexPoly(maps.normals, ring, normal, shift=_SHIFT)
        if (ground := die.art[face].ground) is not None:
            cv2.fillConvexPoly(maps.body, ring, ground, shift=_SHIFT)
    cv2.fillConvexPoly(maps.inside, _fixed(cv2.convexHull(flat)[:, 0] - origin), 255, cv2.LINE_AA, _SHIFT)
    for face in range(len(die.art)):
        if seen[face] or die.material.clear > 0:
            square = project(_square(die.solid, face, die.art[face].turn_deg) @ turned, view) - origin
            _draw_art(maps, die.art[face], square, through=not seen[face])
    return maps


def _fixed(corners: NDArray[np.float32]) -> NDArray[np.int32]:
    return np.round(corners * (1 << _SHIFT)).astype(np.int32)


def art_corners(die: Die, face: int, pose: Points, view: View) -> NDArray[np.float32]:
    """Return the projected corners of a face's art, float32 (4, 2) px, clockwise from the top left."""
    return project(_square(die.solid, face, die.art[face].turn_deg) @ matrix(pose).T @ camera_matrix(view).T, view)


def _square(solid: Solid, face: int, turn_deg: float) -> Points:
    """Return the corners of a face's art in space: top left, top right, bottom right, bottom left."""
    right, down = (axis * solid.reach[face] for axis in art_axes(solid, face, turn_deg))
    centre = solid.centres[face]
    return np.array([centre - right - down, centre + right - down, centre + right + down, centre - right + down])


_ART_CORNERS: Final = np.array([[0, 0], [SIDE, 0], [SIDE, SIDE], [0, SIDE]], np.float32) - 0.5


def _draw_art(maps: shading.Maps, art: FaceArt, square: NDArray[np.float32], *, through: bool) -> None:
    """Warp a face's art into the maps, within its bounding box."""
    height, width = maps.inside.shape
    left, top = np.maximum(np.floor(square.min(axis=0)).astype(int), 0)
    right, bottom = np.minimum(np.ceil(square.max(axis=0)).astype(int) + 1, (width, height))
    if right <= left or bottom <= top:
        return
    warp = cv2.getPerspectiveTransform(_ART_CORNERS, square - np.array([left, top], np.float32))
    part = slice(top, bottom), slice(left, right)
    size = (int(right - left), int(bottom - top))
    mask = cv2.warpPerspective(art.mask, warp, size, flags=cv2.INTER_LINEAR)
    if through:
        np.maximum(maps.behind[part], mask, out=maps.behind[part])
        return
    if isinstance(art.ink, tuple):
        cv2.copyTo(np.full((*mask.shape, 3), art.ink, np.float32), (mask > 0).astype(np.uint8), maps.ink[part])
    else:
        picture = cv2.warpPerspective(art.ink, warp, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        cv2.copyTo(picture.astype(np.float32), (mask > 0).astype(np.uint8), maps.ink[part])
    np.maximum(maps.marks[part], mask, out=maps.marks[part])
    if art.depth:
        relief = maps.relief[part]
        np.maximum(relief, mask * np.float32(art.depth / 255), out=relief, where=mask > 0)


def _cast_shadow(canvas: Image, solid: Solid, pose: Points, view: View, light: Lighting) -> None:
    """Darken the table in the die's shadow from the first lamp."""
    if not light.lamps or light.shadow <= 0:
        return
    world = solid.vertices @ matrix(pose).T
    height = (world[:, 2] - world[:, 2].min())[:, None]
    x, y, z = light.lamps[0].way
    cast = world.copy()
    cast[:, :2] -= height * np.array([x, -y]) / max(float(z), 0.25)
    cast[:, 2] = world[:, 2].min()
    spots = cv2.convexHull(project(cast @ camera_matrix(view).T, view) / 2)[:, 0]  # half size: it is blurred anyway
    blur = max(0.5, light.softness * view.radius_px / 2)
    reach = int(3 * blur) + 2
    left, top = np.maximum(np.floor(spots.min(axis=0)).astype(int) - reach, 0)
    right = min(int(np.ceil(spots[:, 0].max())) + reach, canvas.shape[1] // 2)
    bottom = min(int(np.ceil(spots[:, 1].max())) + reach, canvas.shape[0] // 2)
    if right <= left or bottom <= top:
        return
    dark = np.zeros((bottom - top, right - left), np.float32)
    cv2.fillConvexPoly(dark, _fixed(np.asarray(spots - (left, top), np.float32)), light.shadow, cv2.LINE_AA, _SHIFT)
    dark = cv2.GaussianBlur(dark, (0, 0), blur)
    part = canvas[2 * top : 2 * bottom, 2 * left : 2 * right]
    dark = cv2.resize(dark, (part.shape[1], part.shape[0]), interpolation=cv2.INTER_LINEAR)
    part[:] = (part * (1 - dark)[..., None]).astype(np.uint8)
