"""Renders the empty demo table: green felt with a printed layout, under a lamp."""

from functools import lru_cache
from importlib import resources
from typing import Any, Final, TypeVar

import cv2
import numpy as np
import PIL.Image
import PIL.ImageDraw
import PIL.ImageFont
from numpy.typing import NDArray

from companion.objects.geometry import POKER
from companion.plugins.demo import Felt, Lane
from companion.printing.fonts import TITLE
from hardware.demo.layers import Image
from hardware.demo.layout import DECK, STEP_MM
from hardware.demo.pinhole import Pinhole

Field = NDArray[np.float32]
Pixels = NDArray[np.int64]
Drawn = TypeVar("Drawn", bound=NDArray[Any])

GREEN: Final = (58, 96, 40)
GOLD: Final = (96, 150, 158)
_PAINTED_HALF_MM: Final = (500.0, 340.0)  # half width and height of the painted area, which is larger than the image
_PAINT_PX_PER_MM: Final = 3.6


def read_only(drawn: Drawn) -> Drawn:
    """Make an array read-only, so that several tables may share it; return the same array."""
    drawn.setflags(write=False)
    return drawn


def light_on(size: tuple[int, int], rows: Pixels | None = None, cols: Pixels | None = None) -> Field:
    """Return the illumination of some rows and columns of an image, or of all, float32, about 0.72 to 1.05.

    It combines the lamp's falloff and the lens's vignetting. It is not cached: a whole image takes 8 MB.
    """
    x, y = _coordinates(size, rows, cols)
    lamp = np.exp(-((x + 0.22) ** 2) / 2.6) * np.exp(-((y + 0.18) ** 2) / 2.6)
    vignette = 1 - 0.13 * (x * x + y * y) ** 1.5
    result: Field = (0.45 + 0.6 * lamp) * vignette
    return result


def glare_on(size: tuple[int, int], rows: Pixels | None = None, cols: Pixels | None = None) -> Field:
    """Return the lamp's reflection by flat glossy cards on some rows and columns of an image, float32, 0 to 1."""
    x, y = _coordinates(size, rows, cols)
    result: Field = np.exp(-((x + 0.08) ** 2) / 0.10) * np.exp(-((y + 0.34) ** 2) / 0.03)
    return result


def _coordinates(size: tuple[int, int], rows: Pixels | None, cols: Pixels | None) -> tuple[Field, Field]:
    """Return x, (1, columns), from -1 to 1 across the image, and y, (rows, 1), to the same scale."""
    width, height = size
    x = np.linspace(-1, 1, width, dtype=np.float32)
    y = np.linspace(-1, 1, height, dtype=np.float32) * np.float32(height / width)
    return x[None, ...] if cols is None else x[None, cols], y[:, None] if rows is None else y[rows, None]


@lru_cache(maxsize=2)
def draw_felt(camera: Pinhole, seed: int, felt: Felt) -> Image:
    """Render the camera's view of the empty table, uint8 (H, W, 3) BGR, read-only, without sensor noise."""
    rng = np.random.default_rng(seed)
    painting = _paint_layout(rng, felt)
    width, height = camera.size
    to_mm = np.array(
        [[1 / _PAINT_PX_PER_MM, 0, -_PAINTED_HALF_MM[0]], [0, 1 / _PAINT_PX_PER_MM, -_PAINTED_HALF_MM[1]], [0, 0, 1.0]]
    )
    twice = np.diag([2.0, 2.0, 1.0])
    matrix = twice @ camera.plane() @ to_mm
    seen = cv2.warpPerspective(
        painting, matrix, (2 * width, 2 * height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    seen = cv2.resize(seen, (width, height), interpolation=cv2.INTER_AREA).astype(np.float32)
    seen = (seen + nap(rng, camera.size)[..., None]) * light_on(camera.size)[..., None]
    return read_only(np.clip(cv2.GaussianBlur(seen, (0, 0), 0.6), 0, 255).astype(np.uint8))


def nap(rng: np.random.Generator, size: tuple[int, int]) -> Field:
    """Return the brightness texture of cloth, float32 (H, W) around 0: fine brushed fibres and large patches."""
    width, height = size
    fine = rng.standard_normal((height, width), dtype=np.float32)
    fibre = cv2.GaussianBlur(fine, (0, 0), sigmaX=2.2, sigmaY=0.7) * 9
    speck = cv2.GaussianBlur(fine[::-1], (0, 0), 0.8) * 6
    cloud = np.zeros((height, width), np.float32)
    for cell, strength in ((24, 1.6), (90, 2.2), (320, 3.0)):
        small = rng.standard_normal((height // cell + 3, width // cell + 3)).astype(np.float32)
        cloud += strength * cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC)
    result: Field = fibre + speck + cloud
    return result


def _paint_layout(rng: np.random.Generator, felt: Felt) -> Image:
    width, height = (int(2 * s * _PAINT_PX_PER_MM) for s in _PAINTED_HALF_MM)
    ink = np.zeros((height, width), np.uint8)
    for lane in felt.lanes:
        _paint_lane(ink, lane)
    _frame(ink, DECK[0], DECK[1], POKER.width / 2 + 7, POKER.height / 2 + 7)
    for radius in (232.0, 237.0):
        axes = (_mm(radius * 1.75), _mm(radius * 0.82))
        cv2.ellipse(ink, _px(-91.0, 40.0), axes, 0, 20, 160, 200, 5, cv2.LINE_AA)
    ink = _write_all(ink, felt)
    worn = cv2.resize(rng.uniform(140, 242, (height // 40, width // 40)).astype(np.uint8), (width, height))
    share = cv2.multiply(ink, worn, scale=1 / 255)
    steps = np.arange(256) / 255
    shades = [GREEN[i] + (GOLD[i] - GREEN[i]) * steps for i in range(3)]
    merged: Image = cv2.merge([cv2.LUT(share, shade.astype(np.uint8)) for shade in shades]).astype(np.uint8, copy=False)
    return merged


def _write_all(ink: Image, felt: Felt) -> Image:
    """Return the layout with its text added."""
    picture = PIL.Image.fromarray(ink)
    pen = PIL.ImageDraw.Draw(picture)
    for lane in felt.lanes:
        top = lane.y - POKER.height / 2
        _write(pen, lane.title, lane.x, top - 29, 15.0)
        _write(pen, lane.name, lane.x, top - 13, 8.2)
    _write(pen, "DECK", DECK[0], DECK[1] + 60.0, 6.4)
    _write(pen, felt.title, -91.0, 178.0, 34.0)
    _write(pen, felt.motto, -91.0, 204.0, 6.6)
    return np.asarray(picture).copy()


def _write(pen: PIL.ImageDraw.ImageDraw, text: str, x: float, y: float, size_mm: float) -> None:
    """Draw a text centred on a point (mm)."""
    with resources.as_file(resources.files("companion.printing.fonts") / f"{TITLE}.ttf") as path:
        font = PIL.ImageFont.truetype(str(path), round(size_mm * _PAINT_PX_PER_MM))
    pen.text(_px(x, y), text, fill=225, font=font, anchor="mm")


def _paint_lane(ink: Image, lane: Lane) -> None:
    half = POKER.width / 2 + 6
    top = lane.y - POKER.height / 2 - 6
    bottom = lane.y + STEP_MM * (lane.rows - 1) + POKER.height / 2 + 6
    _frame(ink, lane.x, (top + bottom) / 2, half, (bottom - top) / 2)


def _frame(ink: Image, x: float, y: float, half_width: float, half_height: float) -> None:
    """Draw a frame with rounded corners, centred on a point (mm)."""
    r = 7.0
    left, right, top, bottom = x - half_width, x + half_width, y - half_height, y + half_height
    thick = _mm(1.1)
    for a, b in (
        ((left + r, top), (right - r, top)), ((left + r, bottom), (right - r, bottom)),
        ((left, top + r), (left, bottom - r)), ((right, top + r), (right, bottom - r)),
    ):  # fmt: skip
        cv2.line(ink, _px(*a), _px(*b), 215, thick, cv2.LINE_AA)
    for cx, cy, start in (
        (left + r, top + r, 180),
        (right - r, top + r, 270),
        (right - r, bottom - r, 0),
        (left + r, bottom - r, 90),
    ):
        cv2.ellipse(ink, _px(cx, cy), (_mm(r), _mm(r)), 0, start, start + 90, 215, thick, cv2.LINE_AA)


def _px(x: float, y: float) -> tuple[int, int]:
    return _mm(x + _PAINTED_HALF_MM[0]), _mm(y + _PAINTED_HALF_MM[1])


def _mm(length: float) -> int:
    return round(length * _PAINT_PX_PER_MM)
