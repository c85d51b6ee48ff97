"""Recognizes the house's own codes where no QR decoder reads: out of focus, in motion, small, in bad light.

A decoder has to tell every module for itself. But a house knows each genuine code that it printed, some hundred of
the 2^208 that could be: a place is compared with how each of them looks, blurred as the place is. The codes of two
cards, and a genuine one and a forged, differ in about 75 of their 208 modules of data. So the right one stands far
apart from all others, long after single modules cannot be told any more. Where it does not, nothing is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import erf
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.objects.codes import make_code
from companion.objects.geometry import QR_MODULES
from companion.objects.qr_modules import qr_modules
from companion.vision.frame import Gray, Points
from companion.vision.sightings import CodeSeen, to_quad

Surface = NDArray[np.float32]

_PX: Final = 4  # a module, in a rectified crop
_MARGIN: Final = 5  # modules round the place: it may be off by three
_QUIET: Final = 2  # modules of white round a code
_BLURS: Final = (0.3, 0.55, 0.85, 1.15, 1.55)  # modules
_SURE: Final = 0.8  # cosine of the place and the code
_RIVAL: Final = 1 / 3  # of what the second best code leaves unexplained, the best may leave so much
_LIKE_A_CODE: Final = 0.35
_SOFT: Final = 0.3  # modules
_COARSE: Final = 1.5
_FITS: Final = 2
_STEPS: Final = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 15, 1e-3)


@lru_cache(maxsize=2)
def known_codes(keys: frozenset[tuple[str, bytes]], pieces: frozenset[str]) -> KnownCodes:
    """Return the codes of some decks, made once; any thread may read with them."""
    codes = KnownCodes(dict(keys), pieces)
    codes.prepare()
    return codes


class KnownCodes:
    """The genuine codes of some decks. One object serves one thread until it is prepared.

    Args:
        keys: deck id to key, of the stored decks.
        pieces: ids of the cards and tokens that may lie on the table.
    """

    def __init__(self, keys: Mapping[str, bytes], pieces: Iterable[str]) -> None:
        wanted = sorted(pieces)
        self._texts = [make_code(piece, deck, key).text for deck, key in keys.items() for piece in wanted]
        self._modules: list[NDArray[np.float32]] = []
        self._looks: list[Surface] = []
        "For each blur (N, modules of data), each row of length 1."
        self._common: Surface = np.zeros((QR_MODULES, QR_MODULES), np.float32)
        "What all codes have in common, 0 for the modules of data."
        self._alike: list[Surface] = []
        "The same for each blur, (px, px)."
        self._data: NDArray[np.bool_] = np.zeros(0, bool)

    def prepare(self, most: int | None = None) -> bool:
        """Work out how some more of the codes look, about 1.5 ms each; say whether all are done."""
        todo = self._texts[len(self._modules) :][:most]
        self._modules += [1 - 2 * np.array(qr_modules(text), np.float32) for text in todo]
        if len(self._modules) < len(self._texts):
            return False
        if not self._looks and len(self._texts) > 1:
            codes = np.stack(self._modules)
            is_alike = (codes == codes[0]).all(axis=0)
            self._data = ~is_alike.ravel()
            self._looks = [_unit(_leveled(_seen_through(codes, blur))[:, self._data]) for blur in _BLURS]
            self._common = np.where(is_alike, codes[0], 0)
            self._alike = [_drawn(self._common, blur) for blur in _BLURS]
        return True

    def read(self, gray: Gray, place: Points) -> CodeSeen | None:
        """Return the code at a place, None if it is not sure.

        Args:
            gray: uint8 (H, W).
            place: float32 (4, 2), px: where the code's corners should be; off by three modules at most.
        """
        self.prepare()
        if not self._looks:
            return None
        crop, to_crop = _cut(gray, place)
        level, warp = self._located(_softened(crop, _SOFT))
        if level is None:
            return None
        warp = _fitted(_softened(crop, _COARSE), _drawn(self._common, _COARSE), warp)
        best, *_ = self._judged(crop, warp, level)
        for _ in range(_FITS):
            likely, warp = best, _fitted(crop, _drawn(self._modules[best], _BLURS[level]), warp)
            best, fit, second = self._judged(crop, warp, level)
            if best == likely:
                break
        if best != likely or fit < _SURE or 1 - fit > _RIVAL * (1 - second):
            return None
        a, b = _QUIET * _PX - 0.5, (_QUIET + QR_MODULES) * _PX - 0.5
        corners = np.array([[[a, a], [b, a], [b, b], [a, b]]], np.float64)
        return CodeSeen(self._texts[best], to_quad(cv2.perspectiveTransform(corners, np.linalg.inv(to_crop) @ warp)[0]))

    def _located(self, crop: Surface) -> tuple[int | None, Surface]:
        """Return how blurred the code in a crop is, None if there is none, and where it begins, as a warp (3, 3)."""
        found = [cv2.minMaxLoc(cv2.matchTemplate(crop, alike, cv2.TM_CCOEFF_NORMED)) for alike in self._alike]
        level = max(range(len(found)), key=lambda k: found[k][1])
        _, likeness, _, (x, y) = found[level]
        return (level if likeness >= _LIKE_A_CODE else None), np.array([[1, 0, x], [0, 1, y], [0, 0, 1]], np.float32)

    def _judged(self, crop: Surface, warp: Surface, level: int) -> tuple[int, float, float]:
        """Return the code that fits best, how well, and how well the next one does."""
        seen = _leveled(_sampled(crop, warp)[None])[0, self._data]
        seen = seen / max(1e-6, float(np.linalg.norm(seen)))
        best = (0, -1.0, -1.0)
        for look in self._looks[max(0, level - 1) : level + 2]:
            fits = look @ seen
            second, first = np.argpartition(fits, -2)[-2:].tolist()
            if fits[first] > best[1]:
                best = (first, float(fits[first]), float(fits[second]))
        return best


def _cut(gray: Gray, place: Points) -> tuple[Surface, NDArray[np.float64]]:
    """Return a place rectified, with its surroundings, and the homography that leads into it."""
    a, b = _MARGIN * _PX, (_MARGIN + QR_MODULES) * _PX
    to_crop = cv2.getPerspectiveTransform(
        np.asarray(place, np.float32), np.array([[a, a], [b, a], [b, b], [a, b]], np.float32)
    )
    side = a + b
    crop = cv2.warpPerspective(gray, to_crop, (side, side), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(crop, np.float32), np.asarray(to_crop, np.float64)


def _softened(picture: Surface, blur: float) -> Surface:
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), blur * _PX, borderType=cv2.BORDER_REPLICATE), np.float32)


def _fitted(crop: Surface, drawn: Surface, warp: Surface) -> Surface:
    """Return the warp after moving, turning and slanting what is drawn until it fits the crop best."""
    try:
        _, fitted = cv2.findTransformECC(drawn, crop, warp.copy(), cv2.MOTION_HOMOGRAPHY, _STEPS)
    except cv2.error:  # it strays: the place is judged as it was
        return warp
    return np.asarray(fitted, np.float32)


def _drawn(code: NDArray[np.float32], blur: float) -> Surface:
    """Return a code of ±1 with white round it, so blurred (modules)."""
    padded = np.pad(code, _QUIET, constant_values=1.0)
    return _softened(np.asarray(padded.repeat(_PX, axis=0).repeat(_PX, axis=1), np.float32), blur)


def _seen_through(codes: Surface, blur: float) -> Surface:
    """Return what is seen in the middle of each module of codes (N, 21, 21), so blurred (modules): (N, 441)."""
    edges = np.arange(-_QUIET, QR_MODULES + _QUIET + 1) - np.arange(QR_MODULES)[:, None] - 0.5
    steps = np.vectorize(erf)(edges / (blur * np.sqrt(2))) / 2
    share = np.diff(steps, axis=1).astype(np.float32)  # of each module in what is seen of another
    padded = np.pad(codes, ((0, 0), (_QUIET, _QUIET), (_QUIET, _QUIET)), constant_values=1.0)
    return np.asarray((share @ padded @ share.T).reshape(len(codes), -1), np.float32)


def _sampled(crop: Surface, warp: Surface) -> Surface:
    """Return the crop in the middle of each module, (441,)."""
    middles = (np.arange(QR_MODULES, dtype=np.float32) + 0.5 + _QUIET) * _PX - 0.5
    grid = np.stack(np.meshgrid(middles, middles), axis=-1).reshape(1, -1, 2)
    at = cv2.perspectiveTransform(grid, warp)[0]
    soft = _softened(crop, _SOFT)
    return np.asarray(cv2.remap(soft, at[:, :1], at[:, 1:], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)[:, 0])


_RAMP: Final = np.stack(
    [np.ones(QR_MODULES**2), *(axis.ravel() - QR_MODULES // 2 for axis in np.indices((QR_MODULES, QR_MODULES)))]
)
_ACROSS: Final = np.linalg.pinv(_RAMP)


def _leveled(seen: Surface) -> Surface:
    """Return places (N, 441) without the slope of the light on them."""
    return np.asarray(seen - seen @ _ACROSS @ _RAMP, np.float32)


def _unit(rows: Surface) -> Surface:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6), np.float32)
