"""Matches an index, or a whole face, against an enrolled deck; decides only where nothing else comes near.

Each candidate is fitted by itself (position, size, turn, slant), so a hypothesis that lies a little off costs nothing.
`Match.apart` is how much better the best card explains the pixels than the second one, in units of how much these
two differ: 1 for a perfect picture, 0 where both explain it equally well.
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

_SLACK_MM: Final = 2.0
_COARSE: Final = 2  # px a mm of the first search
_CANDIDATES: Final = 3
_RIVALS: Final = 2
_SHIFTS: Final = 2  # steps of a fit that only move it
_STEPS: Final = 9
_RIVAL_STEPS: Final = 4
_STILL: Final = 0.004
_HOPELESS: Final = 0.62  # fit of the coarse search
_BEHIND: Final = 0.14  # a candidate so much worse than the best in the coarse search is none
_THIRDS: Final = np.full((1, 3), 1 / 3, np.float32)
_NO_CARD: Final = 0.75
_LEAST: Final = ((0.89, -0.1), (-0.1, 0.89))  # how far a fit may change size, turn and slant
_MOST: Final = ((1.11, 0.1), (0.1, 1.11))
_DIFFER: Final = 0.12
_RIM_MM: Final = 2.5  # nothing is printed so near a card's edge
_INK_MM: Final = 12.0  # as much may be cut off where the ink itself is known to be in the picture
_LEAST_INK: Final = 0.002  # mean square darkness of a window

Surface = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Match:
    """What a place was most like.

    Attributes:
        card: the id.
        second: the next one.
        fit: cosine of the pixels and the card's own, 0 to 1.
        margin: share of what the second card leaves unexplained that this one explains, 0 to 1.
        apart: over the second, see above.
        at: the index corner of the card as fitted, px of the picture, float (3, 2): the corner, and where a millimeter
            along its short side and one along its long side lead.
    """

    card: str
    second: str
    fit: float
    margin: float
    apart: float
    at: NDArray[np.float64]


class Matcher:
    """Matches places of a picture with one deck."""

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
        small = [cv2.resize(one, (w * _COARSE, h * _COARSE), interpolation=cv2.INTER_AREA) for one in self._levels[1]]
        self._small_mask = window_mask((w, h), _COARSE)
        flat = np.stack([one.mean(axis=2) * self._small_mask for one in small]).reshape(len(small), -1)
        self._small = np.ascontiguousarray((flat / np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-6)).T)

    def index(self, image: Image, at: NDArray[np.float64], hopeless: float = _HOPELESS) -> Match | None:
        """Return what the index window of a supposed card is like; None if it is like none.

        Args:
            image: uint8 (H, W, 3).
            at: (3, 2) px: the corner of the card, and the steps of a millimeter along its short and its long side.
            hopeless: the fit of the quick search below which there is no card.
        """
        quick = self._place(image, at, _COARSE)
        coarse = None if quick is None else self._coarse(quick, hopeless)
        seen = None if coarse is None else self._place(image, at)
        if coarse is None or seen is None:
            return None
        return self._judged(seen, at, [template for template, _ in coarse], moved_by(coarse[0][1]))

    def near(self, image: Image, at: NDArray[np.float64], templates: Sequence[int]) -> Match | None:
        """Return what an index is like of which the place and the likely templates are known; None if like none."""
        seen = self._place(image, at, rim_mm=_INK_MM)
        return None if seen is None else self._judged(seen, at, templates, moved_by((0.0, 0.0)))

    def _place(self, image: Image, at: NDArray[np.float64], px: int = FACE_PX, rim_mm: float = _RIM_MM) -> Patch | None:
        """Return a supposed index window and what is round it; None if not nearly all of it is in the picture."""
        w, h = self.faces.window_mm
        return cut(image, at, (-_SLACK_MM, -_SLACK_MM), (w + 2 * _SLACK_MM, h + 2 * _SLACK_MM), px, rim_mm)

    def _judged(
        self, seen: Patch, at: NDArray[np.float64], templates: Sequence[int], warp: NDArray[np.float64]
    ) -> Match | None:
        best = self._fitted(seen, templates[0], warp, _STEPS)
        if best.fit < _NO_CARD:
            return None
        n = len(self.faces.cards)
        others = [k for k in templates[1:] if k % n != templates[0] % n]
        rivals = dict.fromkeys([*others, *self._rivals(seen, best)])
        found = [best, *(self._fitted(seen, template, best.warp, _RIVAL_STEPS) for template in rivals)]
        found.sort(key=lambda one: one.residual)
        best, second = self._refined(seen, [found[0], *(f for f in found if f.template % n != found[0].template % n)])
        between = self._between(best.template, second.template, best.level)
        apart = (second.residual - best.residual) / max(1e-6, best.gain**2 * between)
        margin = self._margin(seen, best, second)
        origin = at[0] + best.warp[0, 2] * at[1] + best.warp[1, 2] * at[2]
        steps = _turn_of(best.warp).T @ at[1:]
        cards = self.faces.cards
        card, other = cards[best.template % n], cards[second.template % n]
        return Match(card, other, best.fit, float(margin), float(apart), np.vstack([origin, steps]))

    def _refined(self, seen: Patch, found: Sequence[_Fit]) -> tuple[_Fit, _Fit]:
        """Return the best and the second fit after more steps, each also from where the other one fits."""
        starts = [one.warp for one in found[:2]]
        fits = [
            min((self._fitted(seen, one.template, warp, _STEPS - _SHIFTS) for warp in starts), key=lambda f: f.residual)
            for one in found[:2]
        ]
        best, second = sorted(fits, key=lambda f: f.residual)
        return best, second

    def _coarse(self, small: Patch, hopeless: float) -> list[tuple[int, tuple[float, float]]] | None:
        """Return the likeliest templates, each with where it fits best (mm), the best first."""
        w, h = self.faces.window_mm
        rows, columns = h * _COARSE, w * _COARSE
        ny, nx = small.shape[0] - rows + 1, small.shape[1] - columns + 1
        views = np.lib.stride_tricks.sliding_window_view(_mean(small), (rows, columns))[:ny, :nx]
        flat = (views * self._small_mask).reshape(ny * nx, -1)
        norms = np.linalg.norm(flat, axis=1)
        if float(np.square(norms).max()) / flat.shape[1] < _LEAST_INK:
            return None
        fits = (flat @ self._small) / np.maximum(norms, 1e-6)[:, None]
        where = fits.argmax(axis=0)
        best = fits[where, np.arange(fits.shape[1])]
        order = np.argsort(-best).tolist()
        if float(best[order[0]]) < hopeless:
            return None
        n = len(self.faces.cards)
        chosen: dict[int, int] = {}
        for template in order:
            if len(chosen) == _CANDIDATES or (len(chosen) > 1 and best[template] < best[order[0]] - _BEHIND):
                break
            chosen.setdefault(template % n, template)
        slack = _SLACK_MM
        return [(k, (where[k] % nx / _COARSE - slack, where[k] // nx / _COARSE - slack)) for k in chosen.values()]

    def _fitted(self, seen: Patch, template: int, warp: NDArray[np.float64], steps: int) -> _Fit:
        mean = _mean(seen)
        for k in range(_STEPS - steps, _STEPS):
            before = warp
            soft = self._means[1 if k < _STEPS // 2 else 0][template]
            warp = _step(mean, soft, self._mask, warp, only_shift=k < _SHIFTS)
            if k > _SHIFTS and float(np.abs(warp - before).max()) < _STILL:
                break
        return self._scored(seen, template, warp)

    def _scored(self, seen: Patch, template: int, warp: NDArray[np.float64]) -> _Fit:
        """Return how well a template fits, as sharp as it fits best."""
        d = (_warped(seen, warp, self._mask.shape) * self._mask[..., None]).ravel()
        power = float(np.vdot(d, d))
        dots = [float(np.vdot(d, level[template])) for level in self._levels]
        tops = [max(float(energy[template]), 1e-6) for energy in self._energy]
        level = max(range(len(dots)), key=lambda k: dots[k] * abs(dots[k]) / tops[k])
        gain = dots[level] / tops[level]
        fit = dots[level] / max(1e-6, float(np.sqrt(tops[level] * power)))
        return _Fit(template, level, warp, gain, fit, power - gain * dots[level])

    def _rivals(self, seen: Patch, best: _Fit) -> list[int]:
        """Return the templates of other cards that fit best where a template was fitted."""
        n = len(self.faces.cards)
        d = (_warped(seen, best.warp, self._mask.shape) * self._mask[..., None]).ravel()
        fits = (self._all @ d) / self._norms
        fits[best.template % n :: n] = -1
        return [int(k) for k in np.argsort(-fits)[:_RIVALS]]

    def _margin(self, seen: Patch, best: _Fit, second: _Fit) -> float:
        """Return what share of what the second fit leaves unexplained the best explains, where the two cards differ."""
        a, b = self._levels[best.level][best.template], self._levels[best.level][second.template]
        differ = cv2.dilate(np.abs(a - b).max(axis=2), np.ones((3, 3), np.uint8)) > _DIFFER
        left = [
            float(np.square((fit.gain * self._levels[fit.level][fit.template] - self._seen(seen, fit))[differ]).sum())
            for fit in (best, second)
        ]
        return 1 - left[0] / max(left[1], 1e-9)

    def _seen(self, seen: Patch, fit: _Fit) -> Patch:
        return _warped(seen, fit.warp, self._mask.shape) * self._mask[..., None]

    def _between(self, a: int, b: int, level: int) -> float:
        n = len(self.faces.cards)
        return min(
            float(np.square(self._levels[level][a] - self._levels[level][b % n + side]).sum()) for side in (0, n)
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    """A template as it was fitted; ``warp`` (2, 3) takes the window's mm to those of the place."""

    template: int
    level: int
    warp: NDArray[np.float64]
    gain: float
    fit: float
    residual: float


def _turn_of(warp: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the turn and change of size in a warp, without slant, (2, 2)."""
    u, sizes, v = np.linalg.svd(warp[:, :2])
    return np.asarray(u @ v * float(np.sqrt(sizes[0] * sizes[1])))


def moved_by(shift: tuple[float, float]) -> NDArray[np.float64]:
    """Return the warp that only moves, by some mm."""
    return np.array([[1.0, 0, shift[0]], [0, 1.0, shift[1]]])


def cut(
    image: Image,
    at: NDArray[np.float64],
    start: tuple[float, float],
    size: tuple[float, float],
    px: int = FACE_PX,
    rim_mm: float = _RIM_MM,
) -> Patch | None:
    """Return the darkness of a part of a supposed card, ``px`` px a mm, None if not nearly all of it is in the picture.

    Args:
        at: (3, 2): see `Matcher.index`.
        start, size: mm from the card's corner.
        rim_mm: how much may be cut off.
    """
    w, h = round(size[0] * px), round(size[1] * px)
    m = np.column_stack([at[1] / px, at[2] / px, at[0] + start[0] * at[1] + start[1] * at[2]])
    m[:, 2] += (m[:, 0] + m[:, 1]) / 2  # the middle of the first pixel
    ends = np.array([[0, 0, 1], [w, 0, 1], [w, h, 1], [0, h, 1.0]]) @ m.T
    height, width = image.shape[:2]
    low, high = ends.min(axis=0), ends.max(axis=0)
    spare = 8 + rim_mm * float(np.linalg.norm(at[1]))
    if (low < -spare).any() or high[0] > width + spare or high[1] > height + spare:
        return None
    part = cv2.warpAffine(
        image, m, (w, h), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE
    )
    return darkness_of(np.asarray(part, np.uint8))


def _warped(seen: Patch, warp: NDArray[np.float64], shape: tuple[int, ...]) -> Patch:
    """Return the window (px) as it lies in a place that begins `_SLACK_MM` outside."""
    m = warp.copy()
    m[:, 2] = (warp[:, 2] + _SLACK_MM) * FACE_PX + (warp[:, :2] @ [0.5, 0.5]) - 0.5
    out = cv2.warpAffine(
        seen, m, (shape[1], shape[0]), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(out, np.float32)


def _mean(patch: Patch) -> Surface:
    """Return the mean darkness of the channels, (h, w)."""
    return np.asarray(cv2.transform(patch, _THIRDS), np.float32)


@cache
def _from_middle(height: int, width: int) -> tuple[Surface, Surface]:
    """Return how far each pixel lies from the middle, across and down."""
    y, x = np.mgrid[:height, :width].astype(np.float32)
    return x - width / 2, y - height / 2


def _step(
    seen: Surface, template: Surface, mask: NDArray[np.float32], warp: NDArray[np.float64], *, only_shift: bool
) -> NDArray[np.float64]:
    """Return the warp after a Gauss-Newton step towards the best fit."""
    bare = _warped(seen, warp, template.shape)
    d = bare * mask
    gain = float(np.vdot(d, template)) / max(1e-6, float(np.vdot(template, template)))
    gx, gy = (cv2.Sobel(bare, cv2.CV_32F, *along, scale=1 / 8) * mask for along in ((1, 0), (0, 1)))
    error = (gain * template - d).ravel()
    h, w = template.shape
    x, y = _from_middle(h, w)
    terms = [gx, gy] if only_shift else [gx, gy, gx * x, gx * y, gy * x, gy * y]
    jacobian = np.stack([one.ravel() for one in terms])
    normal = (jacobian @ jacobian.T).astype(np.float64)
    normal[np.diag_indices_from(normal)] *= 1.01
    normal[np.diag_indices_from(normal)] += 1e-6
    move = np.linalg.solve(normal, (jacobian @ error).astype(np.float64))
    out = warp.copy()
    if not only_shift:
        out[:, :2] = np.clip(warp[:, :2] + move[2:].reshape(2, 2), _LEAST, _MOST)
        middle = np.array([w / 2, h / 2]) / FACE_PX
        out[:, 2] += (warp[:, :2] - out[:, :2]) @ middle
    out[:, 2] += np.clip(move[:2] / FACE_PX, -0.4, 0.4)
    out[:, 2] = np.clip(out[:, 2], -3.0, 3.0)
    return out


def quad_at(quad: Points, width_mm: float, height_mm: float, corner: int) -> NDArray[np.float64]:
    """Return the place of a card's index corner, first (0) or last (2), from its outline, (4, 2) px clockwise."""
    ring = np.roll(np.asarray(quad, np.float64), -corner, axis=0)
    flat = np.array([[0, 0], [width_mm, 0], [width_mm, height_mm], [0, height_mm]], np.float32)
    matrix = cv2.getPerspectiveTransform(flat, np.asarray(ring, np.float32))
    near = np.array([[0.0, 0, 1], [12, 0, 1], [0, 26, 1]]) @ matrix.T
    points = near[:, :2] / near[:, 2:]
    return np.vstack([points[0], (points[1] - points[0]) / 12, (points[2] - points[0]) / 26])
