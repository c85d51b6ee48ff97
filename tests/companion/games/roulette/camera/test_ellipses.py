"""A ring of small red pockets is found by its spots, tilted or not, among other red spots."""

import cv2
import numpy as np
import pytest

from companion.games.roulette.camera.ellipses import spotted_rings


def spots(*, ratio: float = 1.0, hidden: int = 0) -> np.ndarray:
    """Return a picture with 18 red spots on an ellipse around (320, 240), 90 px wide, and 20 others elsewhere."""
    picture = np.full((480, 640, 3), 60, np.uint8)
    rng = np.random.default_rng(2)
    for x, y in rng.uniform((20, 20), (620, 460), (20, 2)):
        cv2.circle(picture, (round(x), round(y)), 5, (30, 30, 190), -1, cv2.LINE_AA)
    for k in range(hidden, 18):
        a = 2 * np.pi * k / 18
        at = round(320 + 90 * np.cos(a)), round(240 + 90 * ratio * np.sin(a))
        cv2.circle(picture, at, 6, (30, 30, 190), -1, cv2.LINE_AA)
    return picture


@pytest.mark.parametrize(("ratio", "hidden"), [(1.0, 0), (0.8, 0), (1.0, 4)], ids=["flat", "tilted", "partly-hidden"])
def test_the_ring_is_the_likeliest_ellipse(ratio: float, hidden: int) -> None:
    ring = spotted_rings(spots(ratio=ratio, hidden=hidden))[0]
    assert ring.middle == pytest.approx([320, 240], abs=4)
    assert ring.radius_px == pytest.approx(90 * np.sqrt(ratio), rel=0.05)


def test_scattered_spots_are_no_ring() -> None:
    assert spotted_rings(spots(hidden=18)) == []


def test_a_picture_without_red_has_none() -> None:
    assert spotted_rings(np.full((120, 160, 3), 90, np.uint8)) == []
