"""An ordinary deck drawn with a plain font, a design that nothing was tuned on, and pictures of it."""

import sys
from functools import lru_cache
from importlib import resources
from pathlib import Path

import cv2
import numpy as np
import PIL.Image
import PIL.ImageChops
import PIL.ImageDraw
import PIL.ImageFont

sys.path.insert(0, str(Path(__file__).parents[1]))

from table_scene import MM_PER_MODULE, Face, Look, Placed, photograph

_PX = 8  # a mm, of a face
_SIZE = (63 * _PX, 88 * _PX)
_INK = {"S": (20, 20, 24), "C": (20, 20, 24), "H": (200, 24, 36), "D": (200, 24, 36)}
_OUTLINES = {
    "D": [(50, 0), (92, 50), (50, 100), (8, 50)],
    "H": [(50, 100), (4, 40), (10, 12), (30, 4), (50, 24), (70, 4), (90, 12), (96, 40)],
    "S": [(50, 0), (96, 56), (84, 82), (58, 74), (66, 100), (34, 100), (42, 74), (16, 82), (4, 56)],
}
_LEAVES = ((50, 24), (24, 62), (76, 62))


@lru_cache(maxsize=64)
def drawn(card: str) -> Face:
    """Draw an ordinary card: the index in two corners, and as many pips as its rank."""
    picture = PIL.Image.new("RGB", _SIZE, (250, 250, 246))
    half = PIL.Image.new("RGB", _SIZE, (250, 250, 246))
    pen = PIL.ImageDraw.Draw(half)
    _index(pen, card)
    picture.paste(PIL.ImageChops.darker(half, half.rotate(180)))
    pen = PIL.ImageDraw.Draw(picture)
    count = "A23456789T".find(card[0]) + 1
    for k in range(count):
        _pip(pen, card[1], (25 if k % 2 else 38) if count > 1 else 31.5, 20 + 48 * k / max(1, count - 1), 8)
    if not count:
        pen.rectangle([16 * _PX, 16 * _PX, 47 * _PX, 72 * _PX], outline=(40, 40, 90), width=4)
        _letter(pen, card[0], 31.5, 44, 26, _INK[card[1]])
    image = np.asarray(picture)[..., ::-1].astype(np.float32) * (228 / 255) + 16
    box = np.float32([[0, 0], [63, 0], [63, 88], [0, 88]])
    return Face(image.astype(np.uint8), 63.0, 88.0, box)


def _index(pen: PIL.ImageDraw.ImageDraw, card: str) -> None:
    _letter(pen, "10" if card[0] == "T" else card[0], 5.6, 6.8, 9.0, _INK[card[1]])
    _pip(pen, card[1], 5.6, 15.2, 6)


def _letter(
    pen: PIL.ImageDraw.ImageDraw, text: str, x: float, y: float, size_mm: float, ink: tuple[int, int, int]
) -> None:
    with resources.as_file(resources.files("companion.printing.fonts")) as folder:
        path = min(folder.glob("*Bold*.ttf"), default=None) or min(folder.glob("*.ttf"))
        font = PIL.ImageFont.truetype(str(path), round(size_mm * _PX))
    pen.text((x * _PX, y * _PX), text, fill=ink, font=font, anchor="mm")


def _pip(pen: PIL.ImageDraw.ImageDraw, suit: str, x: float, y: float, size_mm: float) -> None:
    s, x0, y0 = size_mm * _PX / 100, (x - size_mm / 2) * _PX, (y - size_mm / 2) * _PX
    if suit != "C":
        pen.polygon([(x0 + a * s, y0 + b * s) for a, b in _OUTLINES[suit]], fill=_INK[suit])
        return
    for a, b in _LEAVES:
        pen.ellipse([x0 + (a - 23) * s, y0 + (b - 23) * s, x0 + (a + 23) * s, y0 + (b + 23) * s], fill=_INK[suit])
    pen.rectangle([x0 + 45 * s, y0 + 50 * s, x0 + 55 * s, y0 + 100 * s], fill=_INK[suit])


def look(px_per_mm: float = 5.0, **fixed: object) -> Look:
    """Return ordinary camera settings."""
    given: dict[str, object] = {"size": (960, 720), "noise": 2.0, "falloff": 0.15, "gain": 0.9, "shadow": 0.2} | fixed
    return Look(px_per_module=px_per_mm * MM_PER_MODULE, **given)  # type: ignore[arg-type]


def alone(card: str, seed: int = 0, turn_deg: float = 8.0, **fixed: object) -> np.ndarray:
    """Take a picture of one card."""
    how = look(**{"size": (640, 600), **fixed})  # type: ignore[arg-type]
    return photograph([Placed(card, drawn(card), 0, 0, turn_deg)], how, np.random.default_rng(seed))[0]


def face_of(card: str) -> np.ndarray:
    """Return a rectified card, as it is stored."""
    small = cv2.resize(drawn(card).image, (252, 352), interpolation=cv2.INTER_AREA)
    return cv2.GaussianBlur(small, (0, 0), 0.5)
