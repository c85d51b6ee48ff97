"""Estimates the camera's tilt, and which dice have a clear upper face, from the rim and all dice's orientations.

A die at rest leans towards the middle of the bowl as the slope under it does, and hardly ever sideways; a few lean on
another die in any direction. A die on an edge or a corner has no clear upper face. Neither the tilt nor the slopes are
known, so both are marginalised over a grid.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import asin, atan2, cos, degrees, hypot, log, pi, radians, sin, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.games.chinchirorin.camera.orientation import quartic
from companion.games.chinchirorin.camera.rim import Rim

Vector = tuple[float, float]
"""Right and down in the picture."""
Floats = NDArray[np.floating]
ORIENTATION_SHARPNESS: Final = 25.0
"""Log-odds per unit of agreement between an encoded orientation and a face direction; it falls by two in 12 degrees."""
_STEP: Final = 0.05
_SIDE: Final = _STEP * np.arange(-round(1 / _STEP), round(1 / _STEP) + 1)
_GRID: Final = np.stack(np.meshgrid(_SIDE, _SIDE, indexing="ij"), axis=-1).reshape(-1, 2)
_RADII: Final = np.hypot(_GRID[:, 0], _GRID[:, 1])


def _unit_vectors(right_down: Floats) -> NDArray[np.float32]:
    """Return unit vectors (n, 3) from their components to the right and down (n, 2)."""
    forward = np.sqrt(np.maximum(1 - (right_down**2).sum(axis=1), 0.01))
    return np.column_stack([right_down, forward]).astype(np.float32)


_NORMALS: Final = _unit_vectors(_GRID[_RADII < 0.97])
"""Grid of the normals of faces that the camera sees."""
_QUARTIC_NORMALS: Final = quartic(_NORMALS)
_LOG_AREAS: Final = np.log(_STEP**2 / _NORMALS[:, 2])
"""Logarithm of the solid angle of each normal's cell."""
_UPS: Final = _GRID[_RADII < 0.62]
"""Grid of the up direction in the picture, which stands for the camera's tilt."""
_PERSPECTIVE: Final = 0.06
"""Apparent outward tilt of the vertical at the rim."""
_RIM_ERROR, _RIM_OUTLIER_ERROR, _RIM_OUTLIERS = 0.025, 0.09, 0.15
"""Standard deviations of the rim's flattening, usually and for outliers, and the share of outliers."""
_UP_PRIOR: Final = 0.35
"""Standard deviation of the up direction's components over all cameras."""
_FACING_LOG_ODDS, _FACING_TILT = 1.5, 0.1
"""Log-odds that a picture's upper side leads away from the camera, at the given tilt."""
_MAX_UP_LOG_ODDS: Final = 10.0
"""Maximum log-odds below the best for an up direction to be kept."""
_MAX_NORMAL_LOG_ODDS, _MAX_NORMALS = 7.0, 160
"""The same for normals, and their maximum number."""
# Leans of resting dice dropped into random bowls by MuJoCo, as mean components of the lean's unit vector: inwards, in
# the middle of the bowl and its growth outwards; sideways, in the middle and its growth up to the rim.
_INWARD_MIDDLE, _INWARD_GROWTH, _INWARD_RADIUS = 0.05, 0.15, 0.3
_SIDEWAYS_MIDDLE, _SIDEWAYS_GROWTH = 0.015, 0.05
_OUTWARD: Final = 0.02
"""Mean lean outwards, against the slope."""
_ANY_LEAN: Final = 0.08
"""Share of dice that lean on others, in any direction."""
_NO_UPPER_FACE: Final = 0.05
"""Share of dice without a clear upper face."""
_MIN_HEIGHT: Final = cos(radians(40))
"""Cosine between vertical and normal from which an upper face is clear."""
_CORNER_HEIGHT: Final = 1 / sqrt(3)
"""The same for a die on its corner: no die's highest face is lower."""
_TINY: Final = 1e-30


@dataclass(frozen=True, slots=True, eq=False)
class OrientedDie:
    """A die's centre in the picture and its encoded orientation (15,), see `orientation`."""

    center: Vector
    orientation: Floats


@dataclass(frozen=True, slots=True)
class Tilt:
    """The camera's tilt and the dice's upper faces.

    Attributes:
        up: the vertical in the picture (right, down), as a component of a unit vector.
        face_up: the probability of a clear upper face, for each die.
        upper: its normal (right, down, towards the camera), shorter if uncertain, for each die.
    """

    up: Vector
    face_up: tuple[float, ...]
    upper: tuple[Floats, ...] = ()


def estimate_tilt(rim: Rim, dice: Sequence[OrientedDie]) -> Tilt:
    """Return the expected tilt; the rim alone leaves two opposite directions."""
    ups, log_p = _possible_ups(rim)
    resting = [_RestingDie(rim, die, ups) for die in dice]
    for die in resting:
        log_p = log_p + np.log(die.likelihood)
    p = np.exp(log_p - log_p.max())
    p /= p.sum()
    x, y = p @ ups
    found = [die.upper_face(p) for die in resting]
    return Tilt((float(x), float(y)), tuple(face_up for face_up, _ in found), tuple(normal for _, normal in found))


def with_tilt(rim: Rim, tilt: Tilt) -> Rim:
    """Return the rim with the estimated tilt instead of the one from its ellipse alone."""
    x, y = tilt.up
    return replace(rim, tilt_deg=degrees(asin(min(0.99, hypot(x, y)))), away_deg=degrees(atan2(x, -y)))


def _possible_ups(rim: Rim) -> tuple[Floats, Floats]:
    """Return the up directions (n, 2) that the rim does not rule out, and their log-probabilities."""
    log_p = _rim_log_likelihood(rim) - (_UPS**2).sum(axis=1) / (2 * _UP_PRIOR**2)
    log_p -= _FACING_LOG_ODDS * np.clip(_UPS[:, 1] / _FACING_TILT, 0, 1)
    is_possible = log_p > log_p.max() - _MAX_UP_LOG_ODDS
    return _UPS[is_possible], log_p[is_possible]


def _rim_log_likelihood(rim: Rim) -> Floats:
    """Return the log-likelihood of the rim's flattening, and of its direction, for each up direction."""
    minor = 2 * radians(rim.rotation_deg + 90)
    seen = (1 - rim.minor_px / rim.major_px) * np.array([cos(minor), sin(minor)])
    angle = 2 * np.arctan2(_UPS[:, 1], _UPS[:, 0])
    expected = (1 - np.sqrt(1 - (_UPS**2).sum(axis=1)))[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    error = ((expected - seen) ** 2).sum(axis=1) / 2
    outlier = log(_RIM_OUTLIERS * _RIM_ERROR**2 / _RIM_OUTLIER_ERROR**2)
    usual = log(1 - _RIM_OUTLIERS) - error / _RIM_ERROR**2
    return np.asarray(np.logaddexp(usual, outlier - error / _RIM_OUTLIER_ERROR**2))


class _RestingDie:
    """Likelihoods of one die's orientation for some up directions (n, 2).

    Attributes:
        likelihood: (n,).
    """

    def __init__(self, rim: Rim, die: OrientedDie, ups: Floats) -> None:
        place = np.array(_place(rim, die.center))
        radius = hypot(*place)
        log_p = ORIENTATION_SHARPNESS * (_QUARTIC_NORMALS @ die.orientation) + _LOG_AREAS
        likely = np.flatnonzero(log_p > log_p.max() - _MAX_NORMAL_LOG_ODDS)
        likely = likely[:: -(-len(likely) // _MAX_NORMALS)]
        self._normals = _NORMALS[likely]
        density, self._is_clear = _rest_density(
            _unit_vectors(ups + _PERSPECTIVE * place), self._normals, place / max(radius, 1e-6), min(radius, 1.0)
        )
        self._joint = density * np.exp(log_p[likely] - log_p.max()).astype(np.float32)
        self.likelihood = self._joint.sum(axis=1) + _TINY

    def upper_face(self, p: Floats) -> tuple[float, Floats]:
        """Return the probability of a clear upper face and its normal, from the up directions' probabilities (n,)."""
        weights = (p / self.likelihood).astype(np.float32)
        shares = np.einsum("i,ij->j", weights, self._joint * self._is_clear)
        face_up = float(shares.sum())
        return face_up, shares @ self._normals / max(face_up, _TINY)


def _rest_density(ups: Floats, normals: Floats, outwards: Floats, radius: float) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the density with which dice rest with these upper faces, and whether each is clearly the upper one.

    Args:
        ups: (n, 3). normals: (m, 3); both results are (n, m).
        outwards: the direction away from the bowl's centre in the picture (2,).
        radius: the die's distance from it: 1 at the rim.
    """
    height = ups @ normals.T
    share = (height + normals[:, 2]) / (1 + ups[:, 2:])
    # the normals rotated as if up led to the camera
    right, down = normals[:, 0] - ups[:, :1] * share, normals[:, 1] - ups[:, 1:2] * share
    x, y = outwards.astype(np.float32)
    inward, sideways = -(x * right + y * down), np.abs(x * down - y * right)
    mean_inward = np.float32(_INWARD_MIDDLE + _INWARD_GROWTH * min(radius / _INWARD_RADIUS, 1.0))
    mean_sideways = np.float32(_SIDEWAYS_MIDDLE + _SIDEWAYS_GROWTH * radius)
    along = np.where(inward > 0, inward / mean_inward, inward / np.float32(-_OUTWARD))
    usual = np.exp(-along - sideways / mean_sideways)
    is_clear = height > _MIN_HEIGHT
    unusual = np.where(
        is_clear, _ANY_LEAN / (2 * pi * (1 - _MIN_HEIGHT)), _NO_UPPER_FACE / (2 * pi * (_MIN_HEIGHT - _CORNER_HEIGHT))
    )
    scale = np.float32((1 - _ANY_LEAN - _NO_UPPER_FACE) / ((mean_inward + _OUTWARD) * 2 * mean_sideways))
    return scale * usual + unusual.astype(np.float32) * (height > _CORNER_HEIGHT), is_clear


def _place(rim: Rim, point: Vector) -> Vector:
    """Return a point's offset from the rim's centre as if seen from above, in radii of the rim."""
    angle, dx, dy = radians(rim.rotation_deg), point[0] - rim.center[0], point[1] - rim.center[1]
    along = 2 * (dx * cos(angle) + dy * sin(angle)) / rim.major_px
    across = 2 * (dy * cos(angle) - dx * sin(angle)) / rim.minor_px
    return along * cos(angle) - across * sin(angle), along * sin(angle) + across * cos(angle)
