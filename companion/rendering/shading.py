"""Shading: colours from maps of a die's surface, with pattern, ink, lamps, reflections, clear resin.

Maps cover the die's part of a picture, one value per pixel. Axes: x right, y down, z to the camera.
"""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rendering.lights import MIRROR, Lighting
from companion.rendering.materials import FIELD, Material, pattern_field

Map = NDArray[np.float32]
_RELIEF: Final = 1.6  # apparent steepness of the walls of engraved numbers


@dataclass(slots=True, eq=False)
class Maps:
    """Maps of a die's visible surface, each (h, w) or (h, w, 3).

    Attributes:
        normals: float32, not necessarily of unit length.
        body, ink: float32 BGR 0 to 255.
        marks, behind, inside: uint8; ink on the near side, ink seen through the die, and the silhouette.
        relief: float32, engraving depth (negative: raised).
        away: float32 (h, w, 2), offset from the die's centre, in radii.
    """

    normals: Map
    body: Map
    ink: Map
    marks: NDArray[np.uint8]
    behind: NDArray[np.uint8]
    inside: NDArray[np.uint8]
    relief: Map
    away: Map
    cover: Map


def empty_maps(size: tuple[int, int], centre: NDArray[np.float32], radius: float, material: Material) -> Maps:
    """Return maps without faces: the body's pattern, and normals that point outwards around the die."""
    y, x = np.mgrid[0 : size[0], 0 : size[1]].astype(np.float32)
    away = np.stack([(x - centre[0]) / radius, (y - centre[1]) / radius], axis=2)
    normals = np.zeros((*size, 3), np.float32)
    normals[..., :2] = away
    zero = np.zeros(size, np.uint8)
    ink = np.zeros((*size, 3), np.float32)
    body = _body(size, centre, radius, material)
    return Maps(normals, body, ink, zero, zero.copy(), zero.copy(), np.zeros(size, np.float32), away, ink[..., 0])


def _body(size: tuple[int, int], centre: NDArray[np.float32], radius: float, material: Material) -> Map:
    """Return the die's unlit colour."""
    base = np.empty((*size, 3), np.float32)
    base[:] = material.base
    if material.pattern == "solid" or material.amount <= 0:
        return base
    step = FIELD / (4 * radius * material.grain)
    start = 37.0 * material.field
    where = np.array([[step, 0, start - step * centre[0]], [0, step, start - step * centre[1]]])
    field = cv2.warpAffine(
        pattern_field(material.pattern, material.field), where, (size[1], size[0]),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_WRAP,
    )  # fmt: skip
    base += (field * material.amount)[..., None] * (
        np.array(material.second, np.float32) - np.array(material.base, np.float32)
    )
    return base


def shade(under: NDArray[np.uint8], maps: Maps, material: Material, light: Lighting, radius: float) -> Map:
    """Return the die's colours, float32 (h, w, 3), BGR 0 to 255 and above; softens the maps' silhouette in place.

    Args:
        under: the table below the die, uint8 (h, w, 3).
        radius: the die's radius in pixels.
    """
    _round_off(maps, material.rounding * radius)
    marks = np.float32(1 / 255) * maps.marks
    normals = _cut(maps, radius)
    colour = _clear(under, maps, material, light, radius) if material.clear > 0 else maps.body
    colour = colour + marks[..., None] * (maps.ink - colour)
    shine = material.gloss * (1 - 0.75 * marks)
    lit = colour * _lamplight(normals, light, material.metal)
    mirrored = _mirrored(normals, maps.away, light)
    if material.metal > 0:
        tinted = mirrored * colour
        lit += (material.metal * (1 - marks))[..., None] * (tinted - 0.6 * lit)
    edge = 1 - np.clip(normals[..., 2], 0, 1)
    strength = shine * (0.10 + 0.5 * edge * edge * edge)
    return np.asarray(lit + (255 * strength)[..., None] * mirrored, np.float32)


def _round_off(maps: Maps, blur: float) -> None:
    """Blur normals across edges, and round the silhouette's corners."""
    if blur > 0.4:
        maps.normals = np.asarray(cv2.GaussianBlur(maps.normals, (0, 0), blur))
        soft = cv2.GaussianBlur(maps.inside, (0, 0), 1.5 * blur).astype(np.float32)
        steep = max(1.0, 1.5 * blur)
        maps.cover = np.clip((soft - 118) * np.float32(steep / 160) + 0.5, 0, 1).astype(np.float32)
    else:
        maps.cover = np.divide(maps.inside, 255, dtype=np.float32)


def _cut(maps: Maps, radius: float) -> Map:
    """Return unit normals, tilted on the walls of engraved numbers."""
    normals = maps.normals
    if maps.relief.any():
        walls = cv2.GaussianBlur(maps.relief, (0, 0), max(0.6, 0.012 * radius))
        steep = np.float32(_RELIEF * radius / 80)
        normals[..., 0] += steep * cv2.Sobel(walls, cv2.CV_32F, 1, 0, ksize=3)
        normals[..., 1] += steep * cv2.Sobel(walls, cv2.CV_32F, 0, 1, ksize=3)
    length = np.sqrt((normals * normals).sum(axis=2)) + np.float32(1e-6)
    return np.asarray(normals / length[..., None], np.float32)


def _lamplight(normals: Map, light: Lighting, metal: float) -> Map:
    total = np.empty_like(normals)
    total[:] = light.ambient
    total *= (0.75 + 0.25 * normals[..., 2])[..., None]
    for lamp in light.lamps:
        facing = np.maximum(normals @ lamp.way, 0) * np.float32(1 - 0.5 * metal)
        total += facing[..., None] * np.array(lamp.colour, np.float32)
    return total


def _mirrored(normals: Map, away: Map, light: Lighting) -> Map:
    """Return reflections on polished faces: a lookup by normal, with a small shift across each face."""
    where = (normals[..., :2] + np.float32(light.sway) * away + 1) * np.float32((MIRROR - 1) / 2)
    return np.asarray(
        cv2.remap(light.mirrored, where, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32  # type: ignore[call-overload]
    )  # fmt: skip


def _clear(under: NDArray[np.uint8], maps: Maps, material: Material, light: Lighting, radius: float) -> Map:
    """Return the colours of clear resin: table and lower numbers shine through, light gathers opposite the lamp."""
    blurred = cv2.GaussianBlur(under, (0, 0), max(1.0, 0.08 * radius)).astype(np.float32)
    tint = np.array(material.base, np.float32) / 255
    through = blurred * (0.25 + 0.75 * tint)
    if light.lamps:
        glow = np.clip(-(maps.away @ light.lamps[0].way[:2]), 0, 1) * np.float32(0.5)
        through += glow[..., None] * (0.3 + 0.7 * tint) * 255
    below = cv2.GaussianBlur(maps.behind, (0, 0), max(0.8, 0.03 * radius)).astype(np.float32) / 255
    through += (below * 0.6)[..., None] * (maps.ink.max(axis=(0, 1)) - through)
    return np.asarray(maps.body + material.clear * (through - maps.body), np.float32)
