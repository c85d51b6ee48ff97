"""Recognizes known codes that no QR decoder can read: out of focus, in motion, small, in bad light.

A decoder must classify every module on its own. But the genuine codes of the stored decks are known, some hundreds of
2^208 possible ones: a region is compared with the appearance of each, at several blurs. The codes of two cards, and a
genuine and a forged one, differ in about 75 of their 208 data modules. So the right code still fits far better than all
others when single modules are no longer recognizable. If it does not, nothing is read.
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

# Lengths in modules, except where noted:
_PX: Final = 4  # pixels per module in a rectified crop
_MARGIN: Final = 5  # around the expected place, which may be off by three
_QUIET: Final = 2  # white margin of a code
_BLURS: Final = (0.3, 0.55, 0.85, 1.15, 1.55)  # standard deviations
_MIN_FIT: Final = 0.8  # cosine similarity
_MAX_RESIDUAL_RATIO: Final = 1 / 3  # of the best to the second best code
_MIN_CORRELATION: Final = 0.35  # with the common modules of all codes; below it there is no code
_FINE_BLUR: Final = 0.3
_COARSE_BLUR: Final = 1.5
_REFITS: Final = 2
_ECC_CRITERIA: Final = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 15, 1e-3)


@lru_cache(maxsize=2)
def known_codes(keys: frozenset[tuple[str, bytes]], pieces: frozenset[str]) -> KnownCodes:
    """Return the prepared codes of some decks, cached; they may be shared by threads."""
    codes = KnownCodes(dict(keys), pieces)
    codes.prepare()
    return codes


class KnownCodes:
    """The genuine codes of some decks. Not thread-safe until prepared.

    Args:
        keys: deck id to key, of the stored decks.
        pieces: ids of the cards and tokens that may lie on the table.
    """

    def __init__(self, keys: Mapping[str, bytes], pieces: Iterable[str]) -> None:
        wanted = sorted(pieces)
        self._texts = [make_code(piece, deck, key).text for deck, key in keys.items() for piece in wanted]
        self._modules: list[NDArray[np.float32]] = []
        self._appearances: list[Surface] = []
        "The data modules of all codes at each blur, (N, data modules), rows normalized."
        self._common: Surface = np.zeros((QR_MODULES, QR_MODULES), np.float32)
        "The modules that all codes share, ±1; 0 for data modules."
        self._common_pictures: list[Surface] = []
        "Their picture at each blur, (px, px)."
        self._data: NDArray[np.bool_] = np.zeros(0, bool)

    def prepare(self, limit: int | None = None) -> bool:
        """Prepare up to `limit` more codes (about 1.5 ms each), by default all; return whether all are prepared."""
        todo = self._texts[len(self._modules) :][:limit]
        self._modules += [1 - 2 * np.array(qr_modules(text), np.float32) for text in todo]
        if len(self._modules) < len(self._texts):
            return False
        if not self._appearances and len(self._texts) > 1:
            codes = np.stack(self._modules)
            is_common = (codes == codes[0]).all(axis=0)
            self._data = ~is_common.ravel()
            self._appearances = [
                _normalized(_without_gradient(_blurred_levels(codes, blur))[:, self._data]) for blur in _BLURS
            ]
            self._common = np.where(is_common, codes[0], 0)
            self._common_pictures = [_drawn(self._common, blur) for blur in _BLURS]
        return True

    def read(self, gray: Gray, place: Points) -> CodeSeen | None:
        """Return the code at a place, or None if it is uncertain.

        Args:
            gray: uint8 (H, W).
            place: float32 (4, 2), px: the expected corners of the code; accurate to three modules.
        """
        self.prepare()
        if not self._appearances:
            return None
        crop, to_crop = _cut(gray, place)
        level, warp = self._located(_blurred(crop, _FINE_BLUR))
        if level is None:
            return None
        warp = _aligned(_blurred(crop, _COARSE_BLUR), _drawn(self._common, _COARSE_BLUR), warp)
        best, *_ = self._best_fit(crop, warp, level)
        for _ in range(_REFITS):
            likely, warp = best, _aligned(crop, _drawn(self._modules[best], _BLURS[level]), warp)
            best, fit, second = self._best_fit(crop, warp, level)
            if best == likely:
                break
        if best != likely or fit < _MIN_FIT or 1 - fit > _MAX_RESIDUAL_RATIO * (1 - second):
            return None
        a, b = _QUIET * _PX - 0.5, (_QUIET + QR_MODULES) * _PX - 0.5
        corners = np.array([[[a, a], [b, a], [b, b], [a, b]]], np.float64)
        return CodeSeen(self._texts[best], to_quad(cv2.perspectiveTransform(corners, np.linalg.inv(to_crop) @ warp)[0]))

    def _located(self, crop: Surface) -> tuple[int | None, Surface]:
        """Return the blur index of the code in a crop, None without a code, and its position as a warp (3, 3)."""
        found = [
            cv2.minMaxLoc(cv2.matchTemplate(crop, common, cv2.TM_CCOEFF_NORMED)) for common in self._common_pictures
        ]
        level = max(range(len(found)), key=lambda k: found[k][1])
        _, correlation, _, (x, y) = found[level]
        warp = np.array([[1, 0, x], [0, 1, y], [0, 0, 1]], np.float32)
        return level if correlation >= _MIN_CORRELATION else None, warp

    def _best_fit(self, crop: Surface, warp: Surface, level: int) -> tuple[int, float, float]:
        """Return the index of the best code, its fit, and the second best fit."""
        seen = _without_gradient(_sampled(crop, warp)[None])[0, self._data]
        seen = seen / max(1e-6, float(np.linalg.norm(seen)))
        best = (0, -1.0, -1.0)
        for codes in self._appearances[max(0, level - 1) : level + 2]:
            fits = codes @ seen
            second, first = np.argpartition(fits, -2)[-2:].tolist()
            if fits[first] > best[1]:
                best = (first, float(fits[first]), float(fits[second]))
        return best


def _cut(gray: Gray, place: Points) -> tuple[Surface, NDArray[np.float64]]:
    """Return a rectified crop around a place, and the homography from the picture to it."""
    a, b = _MARGIN * _PX, (_MARGIN + QR_MODULES) * _PX
    to_crop = cv2.getPerspectiveTransform(
        np.asarray(place, np.float32), np.array([[a, a], [b, a], [b, b], [a, b]], np.float32)
    )
    side = a + b
    crop = cv2.warpPerspective(gray, to_crop, (side, side), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(crop, np.float32), np.asarray(to_crop, np.float64)


def _blurred(picture: Surface, blur: float) -> Surface:
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), blur * _PX, borderType=cv2.BORDER_REPLICATE), np.float32)


def _aligned(crop: Surface, drawn: Surface, warp: Surface) -> Surface:
    """Return the warp, refined to the homography that aligns a drawn code best with the crop."""
    try:
        _, fitted = cv2.findTransformECC(drawn, crop, warp.copy(), cv2.MOTION_HOMOGRAPHY, _ECC_CRITERIA)
    except cv2.error:  # it diverged
        return warp
    return np.asarray(fitted, np.float32)


def _drawn(code: NDArray[np.float32], blur: float) -> Surface:
    """Return the picture of a code (modules ±1) with a white margin, at a blur (modules)."""
    padded = np.pad(code, _QUIET, constant_values=1.0)
    return _blurred(np.asarray(padded.repeat(_PX, axis=0).repeat(_PX, axis=1), np.float32), blur)


def _blurred_levels(codes: Surface, blur: float) -> Surface:
    """Return the levels at the centers of the modules of codes (N, 21, 21), at a blur (modules): (N, 441)."""
    edges = np.arange(-_QUIET, QR_MODULES + _QUIET + 1) - np.arange(QR_MODULES)[:, None] - 0.5
    steps = np.vectorize(erf)(edges / (blur * np.sqrt(2))) / 2
    share = np.diff(steps, axis=1).astype(np.float32)  # contribution of each module to the level of another
    padded = np.pad(codes, ((0, 0), (_QUIET, _QUIET), (_QUIET, _QUIET)), constant_values=1.0)
    return np.asarray((share @ padded @ share.T).reshape(len(codes), -1), np.float32)


def _sampled(crop: Surface, warp: Surface) -> Surface:
    """Return the levels of a crop at the centers of the modules, (441,)."""
    centers = (np.arange(QR_MODULES, dtype=np.float32) + 0.5 + _QUIET) * _PX - 0.5
    grid = np.stack(np.meshgrid(centers, centers), axis=-1).reshape(1, -1, 2)
    at = cv2.perspectiveTransform(grid, warp)[0]
    soft = _blurred(crop, _FINE_BLUR)
    return np.asarray(cv2.remap(soft, at[:, :1], at[:, 1:], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)[:, 0])


_RAMP: Final = np.stack(
    [np.ones(QR_MODULES**2), *(axis.ravel() - QR_MODULES // 2 for axis in np.indices((QR_MODULES, QR_MODULES)))]
)
_RAMP_INVERSE: Final = np.linalg.pinv(_RAMP)


def _without_gradient(seen: Surface) -> Surface:
    """Return levels (N, 441) without their linear gradient, the uneven light."""
    return np.asarray(seen - seen @ _RAMP_INVERSE @ _RAMP, np.float32)


def _normalized(rows: Surface) -> Surface:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6), np.float32)
