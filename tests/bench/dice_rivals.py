"""Two other ways of reading a d20's crop, to compare with: template matching, and Tesseract where it is installed."""

from __future__ import annotations

import shutil
import subprocess
from functools import cached_property
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

_SIDE = 64
_TURN_DEG = 10
_FONTS = ("DejaVuSans-Bold.ttf",)
_LEAST_FIT = 0.55
_LEAD = 0.06


class Rivals:
    """Reads crops, uint8 (n, n, 3) BGR with the die in the middle."""

    def read(self, crop: np.ndarray) -> dict[str, int | None]:
        said = {"template matching": self._by_templates(crop)}
        if self._tesseract is not None:
            said["Tesseract"] = self._by_tesseract(crop)
        return said

    @cached_property
    def _tesseract(self) -> str | None:
        return shutil.which("tesseract")

    def _by_templates(self, crop: np.ndarray) -> int | None:
        """The likeliest of the printed numbers, turned every way, if it leads."""
        middle = _middle(crop)
        turned = np.stack([_unit(_turned(middle, turn)) for turn in range(0, 360, _TURN_DEG)])
        fits = np.abs(turned @ self._templates.reshape(-1, _SIDE * _SIDE).T).max(axis=0)
        best = fits.reshape(20, -1).max(axis=1)
        second, first = np.sort(best)[-2:]
        return int(best.argmax()) + 1 if first > _LEAST_FIT and first - second > _LEAD else None

    @cached_property
    def _templates(self) -> np.ndarray:
        """(20, sizes, side, side), each centred and of length 1."""
        return np.stack([np.stack([_unit(_printed(str(v), size)) for size in (20, 26, 32)]) for v in range(1, 21)])

    def _by_tesseract(self, crop: np.ndarray) -> int | None:
        """What Tesseract reads in the most ways of turning the crop, if two agree."""
        middle = cv2.resize(_middle(crop), (160, 160), interpolation=cv2.INTER_CUBIC)
        heard = [self._heard(_turned(middle, turn)) for turn in range(0, 360, 30)]
        numbers = [n for n in heard if n is not None]
        best = max(set(numbers), key=numbers.count, default=None)
        return best if best is not None and numbers.count(best) >= 2 else None

    def _heard(self, picture: np.ndarray) -> int | None:
        bordered = cv2.copyMakeBorder(picture, 20, 20, 20, 20, cv2.BORDER_REPLICATE)
        packed = cv2.imencode(".png", bordered)[1].tobytes()
        command = [str(self._tesseract), "-", "-", "--psm", "8", "-c", "tessedit_char_whitelist=0123456789"]
        done = subprocess.run(command, input=packed, capture_output=True, timeout=20, check=False)
        text = done.stdout.decode(errors="replace").strip()
        return int(text) if text.isdigit() and 1 <= int(text) <= 20 else None


def _middle(crop: np.ndarray) -> np.ndarray:
    """Return the upper face's surroundings in grey, (side, side)."""
    n = crop.shape[0]
    edge = int(n * 0.27)
    gray = cv2.cvtColor(crop[edge : n - edge, edge : n - edge], cv2.COLOR_BGR2GRAY)
    return cv2.resize(gray, (_SIDE, _SIDE), interpolation=cv2.INTER_AREA)


def _printed(text: str, size: int) -> np.ndarray:
    picture = Image.new("L", (_SIDE, _SIDE), 0)
    font = _font(size)
    ImageDraw.Draw(picture).text((_SIDE / 2, _SIDE / 2), text, fill=255, font=font, anchor="mm")
    return np.asarray(picture, np.uint8)


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    for name in _FONTS:
        for folder in ("/usr/share/fonts/truetype/dejavu",):
            if (Path(folder) / name).is_file():
                return ImageFont.truetype(str(Path(folder) / name), size)
    return ImageFont.load_default(size)


def _turned(picture: np.ndarray, degree: float) -> np.ndarray:
    n = (picture.shape[0] - 1) / 2
    matrix = cv2.getRotationMatrix2D((n, n), degree, 1.0)
    return cv2.warpAffine(picture, matrix, picture.shape[::-1], borderMode=cv2.BORDER_REPLICATE)


def _unit(picture: np.ndarray) -> np.ndarray:
    values = picture.astype(np.float32).ravel()
    values -= values.mean()
    return values / max(1e-6, float(np.linalg.norm(values)))
