"""Finds rings of pockets from their red spots: ellipses with such spots all around, by random sampling (RANSAC).

Numbers, frets and blur break up the borders of small pockets, but each red pocket remains a spot. Five spots define an
ellipse; the right one also passes through the others.
"""

from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.roulette.camera.finding import REACH_PX, Floats, Plane
from companion.vision.frame import Image

_SCALES_PX: Final = (2.0, 3.0, 4.5)
_ROUND_ABOUT: Final = 2.5  # scales
_MIN_RED: Final = 2.5
_MAX_SPOTS: Final = 70
_MIN_SPOTS: Final = 12
_TRIES: Final = 4000
_NEAR: Final = 0.06  # radii off the ellipse
_SECTORS: Final = 24
_MIN_SECTORS: Final = 11
_SMALLEST_PX: Final = 40
_FLATTEST: Final = 0.5  # square of its axes' ratio
_SAME_PX: Final = 12
_SAME_RADIUS: Final = 0.1  # of its logarithm
_MAX_PER_SCALE: Final = 3
"""Ellipses returned per scale."""


@dataclass(frozen=True, slots=True, eq=False)
class _Ellipses:
    """Ellipses |flat (p - middle)| = 1.

    Attributes:
        middles: (n, 2), pixels.
        forms: (n, 2, 2), flat' flat of each.
        radii: (n,), mean radii in pixels.
    """

    middles: NDArray[np.float64]
    forms: NDArray[np.float64]
    radii: NDArray[np.float64]

    def plane(self, k: int) -> Plane:
        """Return the plane on which ellipse ``k`` is a circle, without perspective."""
        sizes, axes = np.linalg.eigh(self.forms[k])
        flat = (axes * np.sqrt(sizes)) @ axes.T
        return Plane(self.middles[k].astype(np.float32), flat.astype(np.float32), np.zeros(2, np.float32))

    def like(self, plane: Plane) -> NDArray[np.bool_]:
        """Return which ellipses coincide with a plane's ring."""
        apart = np.linalg.norm(self.middles - plane.middle, axis=1)
        return np.asarray((apart < _SAME_PX) & (np.abs(np.log(self.radii / plane.radius_px)) < _SAME_RADIUS))


def spotted_rings(picture: Image) -> list[Plane]:
    """Return the candidate rings of pockets in a picture, uint8 (H, W, 3) BGR, most likely first."""
    blue, green, bright = cv2.split(picture)
    red = np.asarray(cv2.subtract(bright, cv2.max(blue, green), dtype=cv2.CV_32F), np.float32)
    found: list[tuple[int, Plane]] = []
    for scale in _SCALES_PX:
        spots = _spots(red, scale)
        if len(spots) < _MIN_SPOTS:
            continue
        ellipses = _through_five(spots)
        scores = _sectors_met(ellipses, spots)
        for _, plane in found:
            scores[ellipses.like(plane)] = 0
        for _ in range(_MAX_PER_SCALE):
            if scores.max(initial=0) < _MIN_SECTORS:
                break
            best = int(scores.argmax())
            found.append((int(scores[best]), ellipses.plane(best)))
            scores[ellipses.like(found[-1][1])] = 0
    return [plane for _, plane in sorted(found, key=lambda one: -one[0])]


def _spots(red: Floats, scale: float) -> NDArray[np.float64]:
    """Return the reddest local maxima (n, 2), pixels, relative to their surroundings."""
    more = cv2.GaussianBlur(red, (0, 0), scale) - cv2.GaussianBlur(red, (0, 0), _ROUND_ABOUT * scale)
    reach = np.ones((2 * int(2 * scale) + 1,) * 2, np.uint8)
    ys, xs = np.nonzero((more == cv2.dilate(more, reach)) & (more > _MIN_RED))
    best = np.argsort(-more[ys, xs])[:_MAX_SPOTS]
    return np.stack([xs[best], ys[best]], 1).astype(np.float64)


def _through_five(spots: NDArray[np.float64]) -> _Ellipses:
    """Return ellipses through five random spots each; deterministic."""
    middle, size = spots.mean(0), float(spots.std()) + 1
    x, y = ((spots - middle) / size).T
    rows = np.stack([x * x, 2 * x * y, y * y, 2 * x, 2 * y], 1)
    fives = rows[np.random.default_rng(1).integers(0, len(spots), (_TRIES, 5))]
    fives = fives[np.abs(np.linalg.det(fives)) > 1e-9]
    a, b, c, d, e = np.linalg.solve(fives, np.ones((len(fives), 5, 1)))[..., 0].T
    forms = np.stack([np.stack([a, b], -1), np.stack([b, c], -1)], -1)
    area = a * c - b * b
    closed = area > 1e-9
    forms, a, b, c, d, e = forms[closed], a[closed], b[closed], c[closed], d[closed], e[closed]
    at = np.stack([b * e - c * d, b * d - a * e], 1) / area[closed, None]
    forms /= (1 - at[:, 0] * d - at[:, 1] * e)[:, None, None]
    sizes = np.linalg.eigvalsh(forms)
    with np.errstate(invalid="ignore"):
        radius = size / np.sqrt(np.sqrt(sizes.prod(1)))
    good = (sizes[:, 0] > _FLATTEST * sizes[:, 1]) & (radius > _SMALLEST_PX) & (radius < REACH_PX)
    return _Ellipses(at[good] * size + middle, forms[good] / size**2, radius[good])


def _sectors_met(ellipses: _Ellipses, spots: NDArray[np.float64]) -> NDArray[Any]:
    """Return the number of sectors of each ellipse with a spot on it, int (n,)."""
    off = spots[None] - ellipses.middles[:, None]
    away = np.sqrt(np.einsum("nsi,nij,nsj->ns", off, ellipses.forms, off))
    sector = ((np.arctan2(off[..., 1], off[..., 0]) + np.pi) * (_SECTORS / (2 * np.pi))).astype(np.int64) % _SECTORS
    met = np.zeros((len(off), _SECTORS), np.bool_)
    ellipse, spot = np.nonzero(np.abs(away - 1) < _NEAR)
    met[ellipse, sector[ellipse, spot]] = True
    return np.asarray(met.sum(1))
