"""Orientation of a cube, independent of the identity of its faces."""

import numpy as np
import pytest

from companion.games.chinchirorin.camera.orientation import UPRIGHT, encoded, quartic, rotated_back


def chance_axes(seed: int) -> np.ndarray:
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]


def test_faces_agree_most_and_corners_least():
    agree = quartic(np.array([[1, 0, 0], [0, -1, 0], [0.5**0.5, 0.5**0.5, 0], [3**-0.5] * 3])) @ UPRIGHT
    assert agree == pytest.approx([1, 1, 1 / 2, 1 / 3], abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_it_does_not_matter_which_face_is_which(seed: int):
    axes = chance_axes(seed)
    assert encoded(axes[[2, 0, 1]] * [[-1], [1], [-1]]) == pytest.approx(encoded(axes), abs=1e-6)
    assert np.abs(encoded(chance_axes(seed + 10)) - encoded(axes)).max() > 0.05


@pytest.mark.parametrize("angle", [0.3, -2.0])
def test_a_turn_seen_in_a_turned_picture_is_turned_back(angle: float):
    to = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    axes = chance_axes(4)
    seen = axes.copy()
    seen[:, :2] = axes[:, :2] @ to.T
    assert rotated_back(encoded(seen), to) == pytest.approx(encoded(axes), abs=1e-5)
