"""Two baselines for reading a d20's crop: template matching, and Tesseract where it is installed.

Both get favourable conditions. The templates are drawn in the fonts of the tested dice, with and without the dot or bar
of a 6 and 9, in several sizes; they are compared with the crop at every 10 degrees and various shifts, only under and
close to the strokes. Tesseract gets the upper face binarized, black on white, at every 30 degrees, as a single word
each time. For both, the threshold for answering is fitted on other crops of the same dice, so that at most 1 in 100
answers is wrong there; the results without this threshold are given, too.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

VALUES = 20
SIDE = 40
TURN_DEG = 10
SHIFT = 2
SIZES = (11, 14, 17, 20)
MIDDLE = 0.27  # share of the crop's side that is cut off at each edge: the upper face is in the middle
WRONG = 0.01
OCR_TURN_DEG = 30
OCR_PX = 120
OCR_TEXT_PX = 48
FACE = 0.36
OCR_S = 300

Scores = np.ndarray
"""float (n, 20): score of each value in each crop."""


@dataclass(frozen=True)
class Rule:
    """Thresholds for an answer: the best value's minimum score, and its minimum lead."""

    least: float = -1.0
    lead: float = -1.0

    def answers(self, scores: Scores) -> list[int | None]:
        first, second = np.sort(scores, axis=1)[:, ::-1][:, :2].T
        sure = (first >= self.least) & (first - second >= self.lead) & (first > 0)
        return [int(best) + 1 if ok else None for best, ok in zip(scores.argmax(axis=1), sure, strict=True)]


def fitted(scores: Scores, right: Sequence[int]) -> Rule:
    """Return the rule with the most answers of which at most 1 in 100 are wrong."""
    best, most = Rule(np.inf, np.inf), -1
    for least in np.quantile(scores.max(axis=1), np.linspace(0, 0.98, 40)):
        for lead in np.linspace(0, float(scores.max()) * 0.6, 40):
            rule = Rule(float(least), float(lead))
            said = rule.answers(scores)
            answered = sum(s is not None for s in said)
            wrong = sum(s is not None and s != r for s, r in zip(said, right, strict=True))
            if answered > most and wrong <= WRONG * answered:
                best, most = rule, answered
    return best


class Rivals:
    """Reads crops, uint8 (n, n, 3) BGR with the die in the middle.

    Args:
        fonts: font files for the templates.
    """

    def __init__(self, fonts: Sequence[str]) -> None:
        self._fonts = tuple(fonts)

    @property
    def ways(self) -> dict[str, Callable[[Sequence[np.ndarray]], Scores]]:
        found = {"template matching": self.by_templates}
        if self._tesseract is not None:
            found["Tesseract"] = self.by_tesseract
        return found

    # ---- template matching

    def by_templates(self, crops: Sequence[np.ndarray]) -> Scores:
        """Return the correlation of each number's best template, -1 to 1."""
        return np.stack([self._fits(middle_of(crop, SIDE)) for crop in crops])

    def _fits(self, middle: np.ndarray) -> np.ndarray:
        """Return the masked correlation of every template with every rotation and shift of a crop."""
        templates, masks, owners = self._templates
        turned = np.stack([_turned(middle, turn) for turn in range(0, 360, TURN_DEG)]).astype(np.float32)
        inner = SIDE - 2 * SHIFT
        views = np.stack([
            turned[:, y : y + inner, x : x + inner].reshape(len(turned), -1)
            for y in range(2 * SHIFT + 1) for x in range(2 * SHIFT + 1)
        ]).reshape(-1, inner * inner)  # fmt: skip
        count = masks.sum(axis=1)
        total, squares = views @ masks.T, (views**2) @ masks.T
        spread = np.sqrt(np.maximum(squares - total**2 / count, 1e-3))
        fits = np.abs(views @ templates.T) / spread
        fits[spread < 6 * np.sqrt(count)] = 0  # blank
        best = fits.max(axis=0)
        return np.array([best[owners == value].max() for value in range(VALUES)])

    @cached_property
    def _templates(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return templates (n, pixels), each with mean 0 and norm 1 under its mask; masks; values, from 0."""
        inner = SIDE - 2 * SHIFT
        made, masks, owners = [], [], []
        for value in range(VALUES):
            for text in _texts(value + 1):
                for font in self._fonts:
                    for size in SIZES:
                        drawn = _printed(text, font, size, inner)
                        mask = (cv2.dilate(drawn, np.ones((7, 7), np.uint8)) > 30).astype(np.float32).ravel()
                        under = drawn.astype(np.float32).ravel()
                        under = (under - (under * mask).sum() / mask.sum()) * mask
                        made.append(under / np.linalg.norm(under))
                        masks.append(mask)
                        owners.append(value)
        return np.stack(made), np.stack(masks), np.array(owners)

    # ---- Tesseract

    @cached_property
    def _tesseract(self) -> str | None:
        return shutil.which("tesseract")

    def by_tesseract(self, crops: Sequence[np.ndarray]) -> Scores:
        """Return Tesseract's confidence in each number, summed over the rotations of the crop in which it was read."""
        turns = range(0, 360, OCR_TURN_DEG)
        pages = [_page(_turned(middle_of(crop, OCR_PX), turn)) for crop in crops for turn in turns]
        scores = np.zeros((len(crops), VALUES))
        for at, text, sure in self._heard(pages):
            if text.isdigit() and 1 <= int(text) <= VALUES:
                scores[at // len(turns), int(text) - 1] += sure
        return scores

    def _heard(self, pages: Sequence[np.ndarray]) -> Iterator[tuple[int, str, float]]:
        """Read all pages in one run, since starting Tesseract is slow; yield page, word, confidence from 0 to 1."""
        with tempfile.TemporaryDirectory(prefix="ocr-") as folder:
            paths = [Path(folder) / f"{number:06}.png" for number in range(len(pages))]
            for path, page in zip(paths, pages, strict=True):
                cv2.imwrite(str(path), page)
            (Path(folder) / "list.txt").write_text("\n".join(map(str, paths)) + "\n")
            command = [str(self._tesseract), str(Path(folder) / "list.txt"), "-", "--psm", "8", "--dpi", "200",
                       "-c", "tessedit_char_whitelist=0123456789", "tsv"]  # fmt: skip
            env = {**os.environ, "OMP_THREAD_LIMIT": "1"}
            done = subprocess.run(command, capture_output=True, timeout=OCR_S, check=True, env=env)
        for line in done.stdout.decode(errors="replace").splitlines():
            cells = line.split("\t")
            if len(cells) == 12 and cells[0] == "5":
                yield int(cells[1]) - 1, cells[11].strip(), max(0.0, float(cells[10])) / 100


def middle_of(crop: np.ndarray, side: int) -> np.ndarray:
    """Return the middle of the crop with the upper face in grey, uint8 (side, side)."""
    n = crop.shape[0]
    edge = int(n * MIDDLE)
    gray = cv2.cvtColor(crop[edge : n - edge, edge : n - edge], cv2.COLOR_BGR2GRAY)
    way = cv2.INTER_AREA if gray.shape[0] > side else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(gray, (side, side), interpolation=way), np.uint8)


def _page(gray: np.ndarray) -> np.ndarray:
    """Return the print in the middle of the upper face: black on white, cropped, and scaled for OCR."""
    smooth = cv2.GaussianBlur(gray, (0, 0), 1.0)
    n = gray.shape[0]
    face = cv2.circle(np.zeros((n, n), np.uint8), (n // 2, n // 2), int(FACE * n), 1, -1) > 0
    level = cv2.threshold(smooth[face].reshape(-1, 1), 0, 255, cv2.THRESH_OTSU)[0]
    ink = (smooth > level) & face
    if ink.sum() > face.sum() / 2:  # ink covers less than half of a face
        ink = face & ~ink
    ink = _inner(ink.astype(np.uint8), face)
    rows, columns = np.nonzero(ink)
    if not len(rows):
        return np.full((60, 60), 255, np.uint8)
    cut = ink[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    scale = OCR_TEXT_PX / max(cut.shape)
    large = cv2.resize(255 - 255 * cut, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
    return np.asarray(cv2.copyMakeBorder(large, 24, 24, 24, 24, cv2.BORDER_CONSTANT, value=255), np.uint8)


def _inner(ink: np.ndarray, face: np.ndarray) -> np.ndarray:
    """Remove ink that touches the edge of the face, since it belongs to a neighbouring face."""
    count, labels = cv2.connectedComponents(ink)
    edge = face & (cv2.erode(face.astype(np.uint8), np.ones((3, 3), np.uint8)) == 0)
    outer = set(np.unique(labels[edge])) - {0}
    inner = [k for k in range(1, count) if k not in outer and (labels == k).sum() > 8]
    return np.isin(labels, inner).astype(np.uint8)


def _texts(value: int) -> tuple[str, ...]:
    """Return the possible prints of a number: 6 and 9 with a dot, with a bar, or bare."""
    return (f"{value}", f"{value}.", f"{value}_") if value in (6, 9) else (f"{value}",)


def _printed(text: str, font: str, size: int, side: int) -> np.ndarray:
    """Return a number drawn in the middle, uint8 (side, side), white on black; ``_`` draws a bar below it."""
    picture = Image.new("L", (side, side), 0)
    draw, face = ImageDraw.Draw(picture), ImageFont.truetype(font, size)
    number = text.rstrip("_")
    draw.text((side / 2, side / 2), number, fill=255, font=face, anchor="mm")
    if text.endswith("_"):
        left, _, right, bottom = draw.textbbox((side / 2, side / 2), number, font=face, anchor="mm")
        draw.rectangle((left, bottom + 1, right, bottom + 2), fill=255)
    return np.asarray(picture, np.uint8)


def _turned(picture: np.ndarray, degree: float) -> np.ndarray:
    n = (picture.shape[0] - 1) / 2
    matrix = cv2.getRotationMatrix2D((n, n), degree, 1.0)
    return np.asarray(cv2.warpAffine(picture, matrix, picture.shape[::-1], borderMode=cv2.BORDER_REPLICATE))
