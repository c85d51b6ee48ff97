"""Finds a rim: the ellipse with edges most of the way around, the bowl's colours within it and the table's outside."""

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.frame import Image

Ellipse = tuple[tuple[float, float], tuple[float, float], float]
"""As OpenCV has it: centre, shorter and longer axis, turn of the shorter one in degrees clockwise from the right."""
Floats = NDArray[np.float32]
_RAYS: Final = 60
_ANGLES: Final = np.linspace(0, 2 * np.pi, _RAYS, endpoint=False)
_WAYS: Final = np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])
_FAR: Final = np.linspace(0.62, 1.5, 67)  # of the start's radius, where edges are searched
_STEP: Final = float(_FAR[1] - _FAR[0])
_WAVES: Final = np.column_stack([np.ones(_RAYS), _WAYS, np.cos(2 * _ANGLES), np.sin(2 * _ANGLES)])
"""An ellipse about a middle nearby is almost a sum of these: its size, its middle's offset, how flat it is."""
_BAND, _GAP = 5, 1  # steps: what lies this far inside and outside is compared
_CLEAR, _SHARP = 20.0, 6.0  # of an edge, in steps of colour: between what lies around, and within two steps
_ROUNDS: Final = 2
_TRIES, _POINTS = 300, 7
_RNG: Final = np.random.default_rng(7)
_CHOSEN: Final = (np.arange(_POINTS) * _RAYS // _POINTS + _RNG.integers(_RAYS, size=(_TRIES, 1))) % _RAYS
_DRAWN: Final = _RNG.random((_TRIES, _POINTS, 1))
_THROUGH: Final = np.linalg.pinv(_WAVES[_CHOSEN])
_BETTER: Final = tuple(
    deviation * _RNG.normal(size=(12, 1, 5)) * (1, 1, 1, 0.7, 0.7) for deviation in (0.02, 0.01, 0.006)
)
_KEPT: Final = 12
_SIZES, _MOST_OFF, _FLAT_MOST = (0.68, 1.42), 0.3, 0.13
_USUALLY_FLAT: Final = 0.04
_OUTER: Final = 0.4  # how much a larger ellipse is preferred: rings within bowls are commoner than around them
_LEAST, _MOST = -1.0, 3.0  # log-odds of the bowl: the network takes a part of it for the table rather than the reverse
_SURE: Final = 2.0
_TABLE: Final = 0.22  # of the bowl's radius: what lies farther outside is the table
_BINS, _SPREAD, _SELDOM = 16, 0.35, 2e-4  # of colours, by channel; how far they run over; chance of one never seen
_FEW: Final = 50


def traced(picture: Image, odds: NDArray[np.floating], start: Ellipse) -> tuple[Ellipse, float]:
    """Return the likeliest rim near another ellipse, and the share of the way around where it has an edge.

    Args:
        odds: how likely each pixel is within the bowl, as a network says; logarithms.
    """
    lab = np.asarray(cv2.cvtColor(cv2.GaussianBlur(picture, (3, 3), 0), cv2.COLOR_BGR2LAB), np.uint8)
    inside = np.asarray(np.clip(odds, _LEAST, _MOST) + _by_colours(lab, odds), np.float32)
    (x, y), (a, b), _ = start
    found, radius, share = start, (a + b) / 4, 0.0
    for _ in range(_ROUNDS):
        best, share = _best(lab.astype(np.float32), inside, (x, y), radius)
        points = (x, y) + radius * (_WAVES @ best)[:, None] * _WAYS
        (x, y), (a, b), turn = cv2.fitEllipseDirect(np.ascontiguousarray(points, np.float32))
        found = ((x, y), (a, b), turn) if a <= b else ((x, y), (b, a), (turn + 90) % 180)
        radius = (a + b) / 4
    return found, share


def _by_colours(lab: Image, odds: NDArray[np.floating]) -> Floats:
    """Return the log-odds of each pixel's colour in what is surely the bowl, by that in what is surely the table."""
    bowl = odds > _SURE if (odds > _SURE).sum() > 0.3 * (odds > 0).sum() else odds > 0
    away = cv2.distanceTransform((odds < 0).astype(np.uint8), cv2.DIST_L2, 3)
    table = away > _TABLE * np.sqrt((odds > 0).sum() / np.pi)
    if min(bowl.sum(), table.sum()) < _FEW:
        return np.zeros(odds.shape, np.float32)
    one, two, three = np.moveaxis(lab // (256 // _BINS), -1, 0).astype(np.int32)
    colours = (one * _BINS + two) * _BINS + three
    ratio = np.log(_shares(colours[bowl]) + _SELDOM) - np.log(_shares(colours[table]) + _SELDOM)
    return np.asarray(np.clip(ratio, -3, 3)[colours], np.float32)


def _shares(colours: NDArray[np.integer]) -> NDArray[np.floating]:
    counts = np.bincount(colours, minlength=_BINS**3).astype(np.float32).reshape(_BINS, _BINS, _BINS)
    for axis in range(3):
        counts = counts + _SPREAD * (np.roll(counts, 1, axis) + np.roll(counts, -1, axis))
    return np.asarray(counts.ravel() / counts.sum())


def _best(
    lab: Floats, inside: Floats, middle: tuple[float, float], radius: float
) -> tuple[NDArray[np.floating], float]:
    """Return the best waves (5) by the start's radius, and the share of the way around with an edge there."""
    edges, within = _profiles(lab, inside, middle, radius)
    chances = edges**2 + 1e-4
    up_to = np.cumsum(chances, axis=1)
    drawn = ((up_to / up_to[:, -1:])[_CHOSEN] < _DRAWN).sum(axis=-1)
    found = np.einsum("tij,tj->ti", _THROUGH, _FAR[np.minimum(drawn, len(_FAR) - 1)])
    top = found[np.argsort(-_scores(found, edges, within)[0])[:_KEPT]]
    for moved in _BETTER:
        near = np.concatenate([top[None], top + moved]).reshape(-1, 5)
        scores, _ = _scores(near, edges, within)
        top = near[np.argsort(-scores)[:_KEPT]]
    return top[0], float(_scores(top[:1], edges, within)[1][0])


def _profiles(lab: Floats, inside: Floats, middle: tuple[float, float], radius: float) -> tuple[Floats, Floats]:
    """Return how clear an edge is at each place (rays, steps), 0 to 1, and how much speaks for the bowl up to there."""
    places = np.asarray(middle + radius * _FAR[:, None] * _WAYS[:, None], np.float32)
    seen = cv2.remap(lab, places, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)  # type: ignore[call-overload]
    odds = cv2.remap(inside, places, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=-6)  # type: ignore[call-overload]
    height, width = inside.shape
    is_in = (places > 0).all(axis=2) & (places[..., 0] < width - 1) & (places[..., 1] < height - 1)
    up_to = np.cumsum(np.pad(seen, ((0, 0), (1, 0), (0, 0))), axis=1)
    mean = (up_to[:, _BAND:] - up_to[:, :-_BAND]) / _BAND
    apart = _BAND + 2 * _GAP - 1
    between = np.linalg.norm(mean[:, apart:] - mean[:, :-apart], axis=2)
    steep = np.linalg.norm(seen[:, 2:] - seen[:, :-2], axis=2)
    first = _BAND + _GAP - 1
    edges = np.zeros(is_in.shape, np.float32)
    edges[:, first : first + between.shape[1]] = np.minimum(between / _CLEAR, 1)
    edges[:, 1:-1] *= np.minimum(steep / _SHARP, 1)
    edges *= is_in
    edges = np.maximum(edges, 0.8 * np.maximum(np.roll(edges, 1, axis=1), np.roll(edges, -1, axis=1)))
    return edges, np.asarray(np.cumsum(np.clip(odds, -3, 3) / 3 * (2 * _STEP * _FAR), axis=1), np.float32)


def _scores(
    waves: NDArray[np.floating], edges: Floats, within: Floats
) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
    """Return how good some ellipses are, and the shares of the way around with an edge on them."""
    size = waves[:, 0]
    flat, off = np.hypot(waves[:, 3], waves[:, 4]) / size, np.hypot(waves[:, 1], waves[:, 2]) / size
    is_odd = (size < _SIZES[0]) | (size > _SIZES[1]) | (flat > _FLAT_MOST) | (off > _MOST_OFF)
    at = np.clip(np.rint((waves @ _WAVES.T - _FAR[0]) / _STEP).astype(int), 0, len(_FAR) - 1)
    share = edges[np.arange(_RAYS), at].mean(axis=1)
    bowl = within[np.arange(_RAYS), at].mean(axis=1)
    return share + bowl + _OUTER * size - np.maximum(0, flat - _USUALLY_FLAT) - 9 * is_odd, share
