"""Matches the index of a supposed card against an enrolled deck.

Each candidate template is fitted separately (position, size, rotation, shear), so the supposed place may be a little
off. `Match.separation` is how much better the best card explains the pixels than the second one, relative to the
difference distance the two: 1 for a perfect picture, 0 if both explain it equally well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.frame import Image, Points
from companion.vision.own_deck.faces import BLURS_MM, FACE_PX, DeckFaces, Patch, blurred, darkness_of, window_mask

_MARGIN_MM: Final = 2.0  # search range around the supposed window
_COARSE_PX: Final = 2  # pixels per mm in the coarse search
_CANDIDATES: Final = 3
_RIVALS: Final = 2
_SHIFT_STEPS: Final = 2  # first steps of a fit, which only change the position
_STEPS: Final = 9
_RIVAL_STEPS: Final = 4
_CONVERGED: Final = 0.004
_MIN_COARSE_FIT: Final = 0.62
_MAX_BEHIND: Final = 0.14  # difference of a candidate's coarse fit from the best one
_THIRDS: Final = np.full((1, 3), 1 / 3, np.float32)
_MIN_FIT: Final = 0.75
_LINEAR_MIN: Final = ((0.89, -0.1), (-0.1, 0.89))  # limits of the linear part of a warp
_LINEAR_MAX: Final = ((1.11, 0.1), (0.1, 1.11))
_MIN_DIFFERENCE: Final = 0.12  # darkness by which two cards differ at a pixel
_RIM_MM: Final = 2.5  # unprinted rim of a card, which may be outside the picture
_INK_RIM_MM: Final = 12.0  # the same if the ink itself is known to be in the picture
_MIN_INK: Final = 0.002  # mean square darkness of a window

Surface = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Match:
    """The best matches of a place.

    Attributes:
        card: id of the best card.
        second: id of the second best card.
        fit: cosine similarity of the pixels and the best card, 0 to 1.
        margin: share of the second card's residual that the best card explains, 0 to 1.
        separation: see above.
        pose: the fitted index corner, float (3, 2) px of the picture: the card's corner, and the steps of one
            millimeter along its short and its long side.
    """

    card: str
    second: str
    fit: float
    margin: float
    separation: float
    pose: NDArray[np.float64]


class Matcher:
    """Matches places of a picture against one deck."""

    def __init__(self, faces: DeckFaces) -> None:
        self.faces = faces
        w, h = faces.window_mm
        self._mask = window_mask((w, h))
        corners = faces.corners[:, : h * FACE_PX, : w * FACE_PX]
        self._levels = [blurred(corners, sigma) * self._mask[None, :, :, None] for sigma in BLURS_MM]
        self._means = [np.stack([_mean(one) for one in level]) for level in self._levels[1:3]]
        self._energy = [np.square(level.reshape(len(level), -1)).sum(axis=1) for level in self._levels]
        self._all = np.ascontiguousarray(self._levels[1].reshape(len(corners), -1))
        self._norms = np.maximum(np.linalg.norm(self._all, axis=1), 1e-6)
        small = [
            cv2.resize(one, (w * _COARSE_PX, h * _COARSE_PX), interpolation=cv2.INTER_AREA) for one in self._levels[1]
        ]
        self._small_mask = window_mask((w, h), _COARSE_PX)
        flat = np.stack([one.mean(axis=2) * self._small_mask for one in small]).reshape(len(small), -1)
        self._small = np.ascontiguousarray((flat / np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-6)).T)

    def index(self, image: Image, pose: NDArray[np.float64], min_fit: float = _MIN_COARSE_FIT) -> Match | None:
        """Return the best match of a supposed card's index window, or None.

        Args:
            image: uint8 (H, W, 3).
            pose: float (3, 2) px, as in `Match.pose`.
            min_fit: minimum fit of the coarse search.
        """
        quick = self._with_margin(image, pose, _COARSE_PX)
        coarse = None if quick is None else self._coarse_search(quick, min_fit)
        seen = None if coarse is None else self._with_margin(image, pose)
        if coarse is None or seen is None:
            return None
        return self._best_match(seen, pose, [template for template, _ in coarse], shift_warp(coarse[0][1]))

    def at_ink(self, image: Image, pose: NDArray[np.float64], templates: Sequence[int]) -> Match | None:
        """Return the best match of an index with known place and likely templates, the best first, or None."""
        seen = self._with_margin(image, pose, rim_mm=_INK_RIM_MM)
        return None if seen is None else self._best_match(seen, pose, templates, shift_warp((0.0, 0.0)))

    def _with_margin(
        self, image: Image, pose: NDArray[np.float64], px: int = FACE_PX, rim_mm: float = _RIM_MM
    ) -> Patch | None:
        """Return a supposed index window with a margin; None if more than its rim lies outside the picture."""
        w, h = self.faces.window_mm
        return cut(image, pose, (-_MARGIN_MM, -_MARGIN_MM), (w + 2 * _MARGIN_MM, h + 2 * _MARGIN_MM), px, rim_mm)

    def _best_match(
        self, seen: Patch, pose: NDArray[np.float64], templates: Sequence[int], warp: NDArray[np.float64]
    ) -> Match | None:
        best = self._fitted(seen, templates[0], warp, _STEPS)
        if best.fit < _MIN_FIT:
            return None
        n = len(self.faces.cards)
        others = [k for k in templates[1:] if k % n != templates[0] % n]
        rivals = dict.fromkeys([*others, *self._rivals(seen, best)])
        found = [best, *(self._fitted(seen, template, best.warp, _RIVAL_STEPS) for template in rivals)]
        found.sort(key=lambda one: one.residual)
        best, second = self._refined(seen, [found[0], *(f for f in found if f.template % n != found[0].template % n)])
        distance = self._distance(best.template, second.template, best.level)
        separation = (second.residual - best.residual) / max(1e-6, best.gain**2 * distance)
        margin = self._margin(seen, best, second)
        origin = pose[0] + best.warp[0, 2] * pose[1] + best.warp[1, 2] * pose[2]
        steps = _similarity_of(best.warp).T @ pose[1:]
        cards = self.faces.cards
        card, other = cards[best.template % n], cards[second.template % n]
        return Match(card, other, best.fit, float(margin), float(separation), np.vstack([origin, steps]))

    def _refined(self, seen: Patch, found: Sequence[_Fit]) -> tuple[_Fit, _Fit]:
        """Return the best two fits after more steps, started from their own warp and from each other's."""
        starts = [one.warp for one in found[:2]]
        fits = [
            min(
                (self._fitted(seen, one.template, warp, _STEPS - _SHIFT_STEPS) for warp in starts),
                key=lambda f: f.residual,
            )
            for one in found[:2]
        ]
        best, second = sorted(fits, key=lambda f: f.residual)
        return best, second

    def _coarse_search(self, small: Patch, min_fit: float) -> list[tuple[int, tuple[float, float]]] | None:
        """Return the best templates of different cards with their shifts (mm), the best first; None if none fits."""
        w, h = self.faces.window_mm
        rows, columns = h * _COARSE_PX, w * _COARSE_PX
        ny, nx = small.shape[0] - rows + 1, small.shape[1] - columns + 1
        views = np.lib.stride_tricks.sliding_window_view(_mean(small), (rows, columns))[:ny, :nx]
        flat = (views * self._small_mask).reshape(ny * nx, -1)
        norms = np.linalg.norm(flat, axis=1)
        if float(np.square(norms).max()) / flat.shape[1] < _MIN_INK:
            return None
        fits = (flat @ self._small) / np.maximum(norms, 1e-6)[:, None]
        where = fits.argmax(axis=0)
        best = fits[where, np.arange(fits.shape[1])]
        order = np.argsort(-best).tolist()
        if float(best[order[0]]) < min_fit:
            return None
        n = len(self.faces.cards)
        chosen: dict[int, int] = {}
        for template in order:
            if len(chosen) == _CANDIDATES or (len(chosen) > 1 and best[template] < best[order[0]] - _MAX_BEHIND):
                break
            chosen.setdefault(template % n, template)
        margin = _MARGIN_MM
        return [
            (k, (where[k] % nx / _COARSE_PX - margin, where[k] // nx / _COARSE_PX - margin)) for k in chosen.values()
        ]

    def _fitted(self, seen: Patch, template: int, warp: NDArray[np.float64], steps: int) -> _Fit:
        mean = _mean(seen)
        for k in range(_STEPS - steps, _STEPS):
            before = warp
            soft = self._means[1 if k < _STEPS // 2 else 0][template]
            warp = _gauss_newton_step(mean, soft, self._mask, warp, only_shift=k < _SHIFT_STEPS)
            if k > _SHIFT_STEPS and float(np.abs(warp - before).max()) < _CONVERGED:
                break
        return self._scored(seen, template, warp)

    def _scored(self, seen: Patch, template: int, warp: NDArray[np.float64]) -> _Fit:
        """Return the fit of a template at its best blur level."""
        d = (_warped(seen, warp, self._mask.shape) * self._mask[..., None]).ravel()
        power = float(np.vdot(d, d))
        dots = [float(np.vdot(d, level[template])) for level in self._levels]
        tops = [max(float(energy[template]), 1e-6) for energy in self._energy]
        level = max(range(len(dots)), key=lambda k: dots[k] * abs(dots[k]) / tops[k])
        gain = dots[level] / tops[level]
        fit = dots[level] / max(1e-6, float(np.sqrt(tops[level] * power)))
        return _Fit(template, level, warp, gain, fit, power - gain * dots[level])

    def _rivals(self, seen: Patch, best: _Fit) -> list[int]:
        """Return the templates of other cards that fit best with the warp of a fit."""
        n = len(self.faces.cards)
        d = (_warped(seen, best.warp, self._mask.shape) * self._mask[..., None]).ravel()
        fits = (self._all @ d) / self._norms
        fits[best.template % n :: n] = -1
        return [int(k) for k in np.argsort(-fits)[:_RIVALS]]

    def _margin(self, seen: Patch, best: _Fit, second: _Fit) -> float:
        """Return the share of the second fit's residual that the best fit explains, where the two cards differ."""
        a, b = self._levels[best.level][best.template], self._levels[best.level][second.template]
        differ = cv2.dilate(np.abs(a - b).max(axis=2), np.ones((3, 3), np.uint8)) > _MIN_DIFFERENCE
        left = [
            float(np.square((fit.gain * self._levels[fit.level][fit.template] - self._window(seen, fit))[differ]).sum())
            for fit in (best, second)
        ]
        return 1 - left[0] / max(left[1], 1e-9)

    def _window(self, seen: Patch, fit: _Fit) -> Patch:
        return _warped(seen, fit.warp, self._mask.shape) * self._mask[..., None]

    def _distance(self, a: int, b: int, level: int) -> float:
        n = len(self.faces.cards)
        return min(
            float(np.square(self._levels[level][a] - self._levels[level][b % n + side]).sum()) for side in (0, n)
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    """A fitted template.

    Attributes:
        level: index of the blur.
        warp: (2, 3) affine map from mm of the template's window to mm of the supposed one.
        gain: factor on the template's darkness.
        residual: sum of squares that the template leaves unexplained.
    """

    template: int
    level: int
    warp: NDArray[np.float64]
    gain: float
    fit: float
    residual: float


def _similarity_of(warp: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the similarity (rotation and scale, without shear) closest to a warp, (2, 2)."""
    u, sizes, v = np.linalg.svd(warp[:, :2])
    return np.asarray(u @ v * float(np.sqrt(sizes[0] * sizes[1])))


def shift_warp(shift: tuple[float, float]) -> NDArray[np.float64]:
    """Return the warp of a shift (mm)."""
    return np.array([[1.0, 0, shift[0]], [0, 1.0, shift[1]]])


def cut(
    image: Image,
    pose: NDArray[np.float64],
    start: tuple[float, float],
    size: tuple[float, float],
    px: int = FACE_PX,
    rim_mm: float = _RIM_MM,
) -> Patch | None:
    """Return the darkness of a rectified part of a supposed card; None if too much of it is outside the picture.

    Args:
        pose: float (3, 2) px, as in `Match.pose`.
        start: top left of the part, mm from the card's corner.
        size: (width, height) mm.
        px: pixels per mm.
        rim_mm: how much may be outside the picture.
    """
    w, h = round(size[0] * px), round(size[1] * px)
    m = np.column_stack([pose[1] / px, pose[2] / px, pose[0] + start[0] * pose[1] + start[1] * pose[2]])
    m[:, 2] += (m[:, 0] + m[:, 1]) / 2  # the center of the first pixel
    ends = np.array([[0, 0, 1], [w, 0, 1], [w, h, 1], [0, h, 1.0]]) @ m.T
    height, width = image.shape[:2]
    low, high = ends.min(axis=0), ends.max(axis=0)
    spare = 8 + rim_mm * float(np.linalg.norm(pose[1]))
    if (low < -spare).any() or high[0] > width + spare or high[1] > height + spare:
        return None
    part = cv2.warpAffine(
        image, m, (w, h), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE
    )
    return darkness_of(np.asarray(part, np.uint8))


def _warped(seen: Patch, warp: NDArray[np.float64], shape: tuple[int, ...]) -> Patch:
    """Return the window (px) under a warp, from a patch that includes the margin."""
    m = warp.copy()
    m[:, 2] = (warp[:, 2] + _MARGIN_MM) * FACE_PX + (warp[:, :2] @ [0.5, 0.5]) - 0.5
    out = cv2.warpAffine(
        seen, m, (shape[1], shape[0]), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(out, np.float32)


def _mean(patch: Patch) -> Surface:
    """Return the mean darkness of the channels, (h, w)."""
    return np.asarray(cv2.transform(patch, _THIRDS), np.float32)


@cache
def _from_center(height: int, width: int) -> tuple[Surface, Surface]:
    """Return the x and y offsets of each pixel from the center."""
    y, x = np.mgrid[:height, :width].astype(np.float32)
    return x - width / 2, y - height / 2


def _gauss_newton_step(
    seen: Surface, template: Surface, mask: NDArray[np.float32], warp: NDArray[np.float64], *, only_shift: bool
) -> NDArray[np.float64]:
    """Return the warp after a Gauss-Newton step towards the best fit."""
    bare = _warped(seen, warp, template.shape)
    d = bare * mask
    gain = float(np.vdot(d, template)) / max(1e-6, float(np.vdot(template, template)))
    gx, gy = (cv2.Sobel(bare, cv2.CV_32F, *along, scale=1 / 8) * mask for along in ((1, 0), (0, 1)))
    error = (gain * template - d).ravel()
    h, w = template.shape
    x, y = _from_center(h, w)
    terms = [gx, gy] if only_shift else [gx, gy, gx * x, gx * y, gy * x, gy * y]
    jacobian = np.stack([one.ravel() for one in terms])
    normal = (jacobian @ jacobian.T).astype(np.float64)
    normal[np.diag_indices_from(normal)] *= 1.01
    normal[np.diag_indices_from(normal)] += 1e-6
    move = np.linalg.solve(normal, (jacobian @ error).astype(np.float64))
    out = warp.copy()
    if not only_shift:
        out[:, :2] = np.clip(warp[:, :2] + move[2:].reshape(2, 2), _LINEAR_MIN, _LINEAR_MAX)
        middle = np.array([w / 2, h / 2]) / FACE_PX
        out[:, 2] += (warp[:, :2] - out[:, :2]) @ middle
    out[:, 2] += np.clip(move[:2] / FACE_PX, -0.4, 0.4)
    out[:, 2] = np.clip(out[:, 2], -3.0, 3.0)
    return out


def index_pose(quad: Points, width_mm: float, height_mm: float, corner: int) -> NDArray[np.float64]:
    """Return the pose (see `Match.pose`) of an index corner (0 or 2) from a card's outline, (4, 2) px clockwise."""
    ring = np.roll(np.asarray(quad, np.float64), -corner, axis=0)
    flat = np.array([[0, 0], [width_mm, 0], [width_mm, height_mm], [0, height_mm]], np.float32)
    matrix = cv2.getPerspectiveTransform(flat, np.asarray(ring, np.float32))
    homogeneous = np.array([[0.0, 0, 1], [12, 0, 1], [0, 26, 1]]) @ matrix.T
    points = homogeneous[:, :2] / homogeneous[:, 2:]
    return np.vstack([points[0], (points[1] - points[0]) / 12, (points[2] - points[0]) / 26])
