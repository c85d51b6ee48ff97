"""Fits an ellipse to a rim: edges most of the way round, the bowl's colours inside and the table's outside."""

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.frame import Image

Ellipse = tuple[tuple[float, float], tuple[float, float], float]
"""As in OpenCV: centre, minor and major axis, rotation of the minor one in degrees, clockwise from the right."""
Floats = NDArray[np.float32]
_RAYS: Final = 60
_ANGLES: Final = np.linspace(0, 2 * np.pi, _RAYS, endpoint=False)
_DIRECTIONS: Final = np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])
_RADII: Final = np.linspace(0.62, 1.5, 67)
"""Sampled radii, in radii of the initial ellipse."""
_STEP: Final = float(_RADII[1] - _RADII[0])
_HARMONICS: Final = np.column_stack([np.ones(_RAYS), _DIRECTIONS, np.cos(2 * _ANGLES), np.sin(2 * _ANGLES)])
"""The radius of a nearly concentric ellipse is almost a sum of these: size, offset of the centre, flattening."""
_BAND, _GAP = 5, 1
"""Width of the bands inside and outside an edge that are compared, and their distance from it, in steps."""
_FULL_CONTRAST, _FULL_GRADIENT = 20.0, 6.0
"""Colour differences of a full edge: between the two bands, and over two steps."""
_ITERATIONS: Final = 2
_SAMPLES, _POINTS = 300, 7
_RNG: Final = np.random.default_rng(7)
_SAMPLED_RAYS: Final = (np.arange(_POINTS) * _RAYS // _POINTS + _RNG.integers(_RAYS, size=(_SAMPLES, 1))) % _RAYS
_DRAWS: Final = _RNG.random((_SAMPLES, _POINTS, 1))
_SOLVE: Final = np.linalg.pinv(_HARMONICS[_SAMPLED_RAYS])
_REFINEMENTS: Final = tuple(
    deviation * _RNG.normal(size=(12, 1, 5)) * (1, 1, 1, 0.7, 0.7) for deviation in (0.02, 0.01, 0.006)
)
_KEPT: Final = 12
_SIZE_RANGE, _MAX_OFFSET, _MAX_FLATTENING = (0.68, 1.42), 0.3, 0.13
_FREE_FLATTENING: Final = 0.04
"""Flattening without a penalty."""
_SIZE_BONUS: Final = 0.4
"""Preference for larger ellipses: rings inside bowls are more common than around them."""
_MIN_LOG_ODDS, _MAX_LOG_ODDS = -1.0, 3.0
"""Clipping: the network more often takes a part of a bowl for the table than the reverse."""
_SURE: Final = 2.0
_TABLE_DISTANCE: Final = 0.22
"""Distance from the bowl, in its radii, from which a pixel is surely the table."""
_BINS, _SMOOTHING, _UNSEEN = 16, 0.35, 2e-4
"""Colour histogram: bins per channel, share that spreads into each neighbour, probability of a colour never seen."""
_MIN_PIXELS: Final = 50


def fit_ellipse(picture: Image, log_odds: NDArray[np.floating], start: Ellipse) -> tuple[Ellipse, float]:
    """Return the most likely rim near an initial ellipse, and the share of it that lies on an edge.

    Args:
        log_odds: (h, w), of each pixel to lie within the bowl, from a network.
    """
    lab = np.asarray(cv2.cvtColor(cv2.GaussianBlur(picture, (3, 3), 0), cv2.COLOR_BGR2LAB), np.uint8)
    inside = np.asarray(np.clip(log_odds, _MIN_LOG_ODDS, _MAX_LOG_ODDS) + _color_log_odds(lab, log_odds), np.float32)
    (x, y), (a, b), _ = start
    found, radius, share = start, (a + b) / 4, 0.0
    for _ in range(_ITERATIONS):
        best, share = _best(lab.astype(np.float32), inside, (x, y), radius)
        points = (x, y) + radius * (_HARMONICS @ best)[:, None] * _DIRECTIONS
        (x, y), (a, b), turn = cv2.fitEllipseDirect(np.ascontiguousarray(points, np.float32))
        found = ((x, y), (a, b), turn) if a <= b else ((x, y), (b, a), (turn + 90) % 180)
        radius = (a + b) / 4
    return found, share


def _color_log_odds(lab: Image, log_odds: NDArray[np.floating]) -> Floats:
    """Return the log-odds of each pixel's colour between pixels surely in the bowl and surely on the table."""
    is_sure = log_odds > _SURE
    bowl = is_sure if is_sure.sum() > 0.3 * (log_odds > 0).sum() else log_odds > 0
    away = cv2.distanceTransform((log_odds < 0).astype(np.uint8), cv2.DIST_L2, 3)
    table = away > _TABLE_DISTANCE * np.sqrt((log_odds > 0).sum() / np.pi)
    if min(bowl.sum(), table.sum()) < _MIN_PIXELS:
        return np.zeros(log_odds.shape, np.float32)
    one, two, three = np.moveaxis(lab // (256 // _BINS), -1, 0).astype(np.int32)
    colors = (one * _BINS + two) * _BINS + three
    ratio = np.log(_histogram(colors[bowl]) + _UNSEEN) - np.log(_histogram(colors[table]) + _UNSEEN)
    return np.asarray(np.clip(ratio, -3, 3)[colors], np.float32)


def _histogram(colors: NDArray[np.integer]) -> NDArray[np.floating]:
    counts = np.bincount(colors, minlength=_BINS**3).astype(np.float32).reshape(_BINS, _BINS, _BINS)
    for axis in range(3):
        counts = counts + _SMOOTHING * (np.roll(counts, 1, axis) + np.roll(counts, -1, axis))
    return np.asarray(counts.ravel() / counts.sum())


def _best(
    lab: Floats, inside: Floats, center: tuple[float, float], radius: float
) -> tuple[NDArray[np.floating], float]:
    """Return the best harmonics (5), in radii of the initial ellipse, and the share of that ellipse on an edge."""
    edges, within = _profiles(lab, inside, center, radius)
    cumulative = np.cumsum(edges**2 + 1e-4, axis=1)
    drawn = ((cumulative / cumulative[:, -1:])[_SAMPLED_RAYS] < _DRAWS).sum(axis=-1)
    found = np.einsum("tij,tj->ti", _SOLVE, _RADII[np.minimum(drawn, len(_RADII) - 1)])
    top = found[np.argsort(-_scores(found, edges, within)[0])[:_KEPT]]
    for changes in _REFINEMENTS:
        near = np.concatenate([top[None], top + changes]).reshape(-1, 5)
        scores, _ = _scores(near, edges, within)
        top = near[np.argsort(-scores)[:_KEPT]]
    return top[0], float(_scores(top[:1], edges, within)[1][0])


def _profiles(lab: Floats, inside: Floats, center: tuple[float, float], radius: float) -> tuple[Floats, Floats]:
    """Return the edge strength (rays, steps), 0 to 1, and the cumulative evidence of the bowl up to each radius."""
    points = np.asarray(center + radius * _RADII[:, None] * _DIRECTIONS[:, None], np.float32)
    colors = cv2.remap(lab, points, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)  # type: ignore[call-overload]
    log_odds = cv2.remap(inside, points, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=-6)  # type: ignore[call-overload]
    height, width = inside.shape
    is_inside = (points > 0).all(axis=2) & (points[..., 0] < width - 1) & (points[..., 1] < height - 1)
    sums = np.cumsum(np.pad(colors, ((0, 0), (1, 0), (0, 0))), axis=1)
    mean = (sums[:, _BAND:] - sums[:, :-_BAND]) / _BAND
    apart = _BAND + 2 * _GAP - 1
    contrast = np.linalg.norm(mean[:, apart:] - mean[:, :-apart], axis=2)
    gradient = np.linalg.norm(colors[:, 2:] - colors[:, :-2], axis=2)
    first = _BAND + _GAP - 1
    edges = np.zeros(is_inside.shape, np.float32)
    edges[:, first : first + contrast.shape[1]] = np.minimum(contrast / _FULL_CONTRAST, 1)
    edges[:, 1:-1] *= np.minimum(gradient / _FULL_GRADIENT, 1)
    edges *= is_inside
    edges = np.maximum(edges, 0.8 * np.maximum(np.roll(edges, 1, axis=1), np.roll(edges, -1, axis=1)))
    return edges, np.asarray(np.cumsum(np.clip(log_odds, -3, 3) / 3 * (2 * _STEP * _RADII), axis=1), np.float32)


def _scores(
    harmonics: NDArray[np.floating], edges: Floats, within: Floats
) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
    """Return the scores of some ellipses (n, 5), and the shares of them that lie on an edge."""
    size = harmonics[:, 0]
    flattening, offset = (
        np.hypot(harmonics[:, 3], harmonics[:, 4]) / size,
        np.hypot(harmonics[:, 1], harmonics[:, 2]) / size,
    )
    is_implausible = (
        (size < _SIZE_RANGE[0]) | (size > _SIZE_RANGE[1]) | (flattening > _MAX_FLATTENING) | (offset > _MAX_OFFSET)
    )
    at = np.clip(np.rint((harmonics @ _HARMONICS.T - _RADII[0]) / _STEP).astype(int), 0, len(_RADII) - 1)
    share = edges[np.arange(_RAYS), at].mean(axis=1)
    bowl = within[np.arange(_RAYS), at].mean(axis=1)
    return share + bowl + _SIZE_BONUS * size - np.maximum(0, flattening - _FREE_FLATTENING) - 9 * is_implausible, share
