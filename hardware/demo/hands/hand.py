"""The dealer's hand, rendered once from a height field, without photographs or texture files.

Hand coordinates (mm): the origin is the tip of the middle finger, y grows towards the elbow, and the thumb is on the
left (a right hand seen from above).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.demo.layers import Image

Field = NDArray[np.float32]

PX_PER_MM: Final = 2.4
LEFT_MM: Final = 100.0  # from the image's left edge to the tip of the middle finger
TOP_MM: Final = 24.0
WIDTH_MM: Final = 200.0
LENGTH_MM: Final = 860.0
CUFF_MM: Final = 268.0  # where the sleeve begins


@dataclass(frozen=True, slots=True)
class Bone:
    """A rounded cone with its axis from a to b (x, y, height) and radii ra and rb, mm."""

    a: tuple[float, float, float]
    b: tuple[float, float, float]
    ra: float
    rb: float


@dataclass(frozen=True, slots=True)
class HandPicture:
    """The image of the hand, fingers up; ``colour`` (h, w, 3) is premultiplied by ``alpha`` (h, w)."""

    colour: Image
    alpha: Image


def _finger_bones(points: Sequence[tuple[float, float, float]], radii: Sequence[float]) -> list[Bone]:
    return [Bone(a, b, ra, rb) for a, b, ra, rb in zip(points[:-1], points[1:], radii[:-1], radii[1:], strict=True)]


INDEX: Final = ((-22, 98, 24), (-23.5, 55, 27), (-22.5, 28, 19), (-21, 12, 10))
MIDDLE: Final = ((-1, 93, 25), (-1, 45, 29), (0, 18, 20), (0, 7.5, 10))
RING: Final = ((20, 97, 23), (24, 53, 27), (25, 27, 19), (25.5, 14, 10))
LITTLE: Final = ((38, 109, 20), (45, 78, 21), (48, 59, 16), (49.5, 47, 9))
THUMB: Final = ((-30, 160, 14), (-49, 128, 15), (-56, 97, 12), (-55, 74, 8))
FINGERS: Final = (
    (INDEX, (11.6, 10.1, 9.2, 7.9)),
    (MIDDLE, (11.8, 10.3, 9.4, 8.1)),
    (RING, (11.4, 9.8, 8.9, 7.6)),
    (LITTLE, (10.4, 8.6, 7.8, 6.7)),
    (THUMB, (16.0, 12.4, 11.0, 8.9)),
)


def _bones() -> list[Bone]:
    bones = [bone for points, radii in FINGERS for bone in _finger_bones(points, radii)]
    wrist = ((-17, 192, 18), (-6, 194, 20), (6, 194, 20), (17, 192, 18))
    knuckles = (INDEX[0], MIDDLE[0], RING[0], LITTLE[0])
    bones += [Bone(k, w, 12.5, 14.5) for k, w in zip(knuckles, wrist, strict=True)]
    bones += [Bone(THUMB[0], (-15, 190, 18), 17, 15), Bone(THUMB[0], INDEX[0], 13, 10)]
    for side in (-1, 1):
        bones.append(Bone((14 * side, 190, 18), (20 * side, CUFF_MM + 30, 22), 15.5, 21))
    bones.append(Bone((0, 190, 20), (0, CUFF_MM + 30, 24), 18, 22))
    return bones


def _grid() -> tuple[Field, Field]:
    width, height = int(WIDTH_MM * PX_PER_MM), int(LENGTH_MM * PX_PER_MM)
    x = (np.arange(width, dtype=np.float32) + 0.5) / PX_PER_MM - LEFT_MM
    y = (np.arange(height, dtype=np.float32) + 0.5) / PX_PER_MM - TOP_MM
    return np.meshgrid(x, y)[0].astype(np.float32), np.meshgrid(x, y)[1].astype(np.float32)


def _height_field(x: Field, y: Field, bones: Sequence[Bone]) -> tuple[Field, Field]:
    """Return the height of the skin (mm) and the signed distance to its edge (mm, negative inside)."""
    height = np.zeros_like(x)
    edge = np.full_like(x, 30.0)
    for bone in bones:
        rows, cols = _bounding_slices(bone, x.shape)
        bx, by = x[rows, cols], y[rows, cols]
        (ax, ay, az), (cx, cy, cz) = bone.a, bone.b
        dx, dy = cx - ax, cy - ay
        along = np.clip(((bx - ax) * dx + (by - ay) * dy) / (dx * dx + dy * dy), 0, 1)
        off = np.hypot(bx - ax - along * dx, by - ay - along * dy)
        radius = bone.ra + along * (bone.rb - bone.ra)
        swell = (1.14 * radius) ** 2 - off * off  # extends beyond the edge, so that the rim is not black
        top = np.where(swell > 0, az + along * (cz - az) + np.sqrt(np.maximum(swell, 0)) * 0.8, 0)
        height[rows, cols] = _soft_max(height[rows, cols], top.astype(np.float32), 3.0)
        edge[rows, cols] = -_soft_max(-edge[rows, cols], (radius - off).astype(np.float32), 2.2)
    return height, edge


def _bounding_slices(bone: Bone, shape: tuple[int, ...]) -> tuple[slice, slice]:
    pad = max(bone.ra, bone.rb) + 12
    x0, x1 = sorted((bone.a[0], bone.b[0]))
    y0, y1 = sorted((bone.a[1], bone.b[1]))
    cols = slice(max(0, int((x0 - pad + LEFT_MM) * PX_PER_MM)), int((x1 + pad + LEFT_MM) * PX_PER_MM))
    rows = slice(max(0, int((y0 - pad + TOP_MM) * PX_PER_MM)), int((y1 + pad + TOP_MM) * PX_PER_MM))
    del shape
    return rows, cols


def _soft_max(a: Field, b: Field, soft: float) -> Field:
    """Return the smooth maximum: blended where the two are about equal, as the skin between two fingers."""
    blend = np.maximum(soft - np.abs(a - b), 0) / soft
    result: Field = (np.maximum(a, b) + blend * blend * soft * 0.25).astype(np.float32)
    return result


def _sleeve(x: Field, y: Field) -> tuple[Field, Field, Field]:
    """Return the sleeve's height (mm), the signed distance to its edge (mm), and a mask of the white cuff."""
    half = 41 + np.clip((y - CUFF_MM) / 12, 0, 1) * 4 + (y - CUFF_MM) * 0.025
    fold = 1.3 * np.sin(y / 17 + x / 31) + 0.8 * np.sin(y / 7.3 - x / 19)
    edge = np.where(y > CUFF_MM, np.abs(x) - half - 0.4 * fold, 30).astype(np.float32)
    height = (np.sqrt(np.maximum(half * half - x * x, 0)) * 0.8 + fold).astype(np.float32)
    height = np.where(edge < 0, height, 0).astype(np.float32)
    return height, edge, (y < CUFF_MM + 13 + 0.02 * x).astype(np.float32)


def _shading(height: Field, soft_px: float) -> Field:
    """Return the brightness of a surface under a lamp at the upper left, about 0.35 to 1.25."""
    smooth = cv2.GaussianBlur(height, (0, 0), soft_px)
    gx = cv2.Sobel(smooth, cv2.CV_32F, 1, 0, ksize=3) / 8 * PX_PER_MM
    gy = cv2.Sobel(smooth, cv2.CV_32F, 0, 1, ksize=3) / 8 * PX_PER_MM
    size = np.sqrt(gx * gx + gy * gy + 1)
    facing = (gx * 0.28 + gy * 0.42 + 0.86) / size  # lamp direction (-0.28, -0.42, 0.86)
    hollow = np.clip((cv2.GaussianBlur(height, (0, 0), 9.0) - height) / 26, 0, 0.4)
    result: Field = (0.34 + 0.74 * np.clip(facing, 0, 1.2) - hollow).astype(np.float32)
    return result


def _blobs(x: Field, y: Field, at: Sequence[tuple[float, float]], radius: float) -> Field:
    total = np.zeros_like(x)
    for px, py in at:
        total += np.exp(-((x - px) ** 2 + (y - py) ** 2) / (2 * radius * radius))
    return total


def _skin(x: Field, y: Field, rng: np.random.Generator) -> Field:
    """Return the unlit colour of the skin, (h, w, 3) BGR 0-255: mottled, redder at joints and fingertips."""
    base = np.array([118, 152, 205], np.float32)
    tips = [(f[-1][0], f[-1][1]) for f, _ in FINGERS]
    joints = [(p[0], p[1]) for f, _ in FINGERS for p in f[:-1]]
    red = 0.55 * _blobs(x, y, tips, 7) + 0.4 * _blobs(x, y, joints, 6)
    size = (x.shape[1] // 24 + 2, x.shape[0] // 24 + 2)
    small = rng.normal(0, 1, size[::-1]).astype(np.float32)
    mottle = cv2.resize(small, x.shape[::-1], interpolation=cv2.INTER_CUBIC)
    grain = cv2.GaussianBlur(rng.normal(0, 1, x.shape).astype(np.float32), (0, 0), 1.0) * 2.5
    shift = np.array([-20, -19, -3], np.float32)
    colour = base + red[..., None] * shift + (mottle * 2.5 + grain)[..., None]
    return colour.astype(np.float32)


def _creases(x: Field, y: Field) -> Field:
    """Return the darkening (0-1) by the wrinkles over the finger joints."""
    dark = np.zeros_like(x)
    for points, radii in FINGERS:
        for (px, py, _), radius in zip(points[1:3], radii[1:3], strict=True):
            across = np.exp(-(((x - px) / (radius * 0.62)) ** 2))
            for shift in (-2.6, 0.0, 2.4):
                bow = (x - px) ** 2 / 42 * np.sign(shift + 0.1)
                dark += 0.16 * across * np.exp(-(((y - py - shift + bow) / 0.55) ** 2))
    return dark


def _nails(x: Field, y: Field) -> Field:
    """Return a mask of the fingernails (0-1)."""
    mask = np.zeros_like(x)
    for points, radii in FINGERS:
        (ax, ay, _), (bx, by, _) = points[-2], points[-1]
        length = float(np.hypot(bx - ax, by - ay))
        ux, uy = (bx - ax) / length, (by - ay) / length
        cx, cy = bx + ux * 0.6, by + uy * 0.6
        u, v = (x - cx) * ux + (y - cy) * uy, (x - cx) * uy - (y - cy) * ux
        shape = (np.abs(u) / 5.6) ** 2.6 + (np.abs(v) / (radii[-1] * 0.66)) ** 2.6
        mask = np.maximum(mask, np.clip((1.0 - shape) * 4, 0, 1))
    return mask


@cache
def draw_hand(seed: int = 7) -> HandPicture:
    """Render the hand with forearm, cuff and sleeve; takes about half a second, and is cached."""
    rng = np.random.default_rng(seed)
    x, y = _grid()
    bare = slice(0, round((CUFF_MM + 12 + TOP_MM) * PX_PER_MM))  # the rows with skin; all others are sleeve
    skin, skin_edge = _draw_skin(x[bare], y[bare], rng)
    cloth, edge = _draw_sleeve(x, y, rng)
    share = np.clip(0.5 - edge[bare, :, None] * PX_PER_MM, 0, 1)
    cloth[bare] = skin * (1 - share) + cloth[bare] * share
    edge[bare] = np.minimum(edge[bare], skin_edge)
    alpha = np.clip(0.5 - edge * PX_PER_MM, 0, 1)
    colour = np.clip(cloth * alpha[..., None], 0, 255).astype(np.uint8)
    return HandPicture(colour, (alpha * 255).astype(np.uint8))


def _draw_skin(x: Field, y: Field, rng: np.random.Generator) -> tuple[Field, Field]:
    """Return the lit skin (h, w, 3) and the signed distance to its edge (mm)."""
    height, edge = _height_field(x, y, _bones())
    light = _shading(height + _tendons(x, y), 1.6)[..., None]
    skin = _skin(x, y, rng) * (1 - _creases(x, y) * 0.8)[..., None]
    nails = 0.75 * _nails(x, y)[..., None]
    skin = skin * (1 - nails) + nails * np.array([172, 182, 226], np.float32)
    return (skin * light).astype(np.float32), edge


def _tendons(x: Field, y: Field) -> Field:
    """Return the height (mm) of the tendons from the knuckles to the wrist."""
    ridges = np.zeros_like(x)
    for kx, ky, _ in (INDEX[0], MIDDLE[0], RING[0], LITTLE[0]):
        ridges += np.exp(-(((x - kx * (1 - (y - ky) / 130)) / 2.6) ** 2)) * ((y > ky) & (y < 185))
    result: Field = (0.7 * cv2.GaussianBlur(ridges, (0, 0), 4)).astype(np.float32)
    return result


def _draw_sleeve(x: Field, y: Field, rng: np.random.Generator) -> tuple[Field, Field]:
    """Return the lit sleeve (h, w, 3) and the signed distance to its edge (mm)."""
    height, edge, cuff = _sleeve(x, y)
    weave = cv2.GaussianBlur(rng.standard_normal(x.shape, dtype=np.float32), (0, 0), 0.7)[..., None] * 5
    linen, wool = np.array([222, 224, 226], np.float32), np.array([52, 34, 36], np.float32)
    cloth = np.where(cuff[..., None] > 0, linen, wool + weave) * _shading(height, 2.2)[..., None]
    return cloth.astype(np.float32), edge
