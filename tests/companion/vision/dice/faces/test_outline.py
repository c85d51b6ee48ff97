"""A disc with a dot is never read as a one, whatever the networks predict; a die with rounded corners is."""

import cv2
import numpy as np
import plain_dice
import pytest

from companion.objects.dice import DIE_KINDS
from companion.vision.dice.boxes import DieBox
from companion.vision.dice.decision_policy import DISC_SHAPED, gather, judge
from companion.vision.dice.faces.classifier import shared_classifier
from companion.vision.dice.faces.outline import DISC_ROUNDNESS, outline_roundness

LIKE_ONES = 5
"""Of the discs below that the networks alone take for a one."""


def disc(seed: int, *, is_ring: bool = False, flattened: float = 1.0) -> tuple[np.ndarray, DieBox]:
    rng = np.random.default_rng(seed)
    picture = plain_dice.ground(plain_dice.GROUNDS[seed % 5], (300, 280), rng)
    radius = int(rng.uniform(35, 70))
    body, dot = (tuple(int(v) for v in rng.integers(0, 256, 3)) for _ in range(2))
    axes = (radius, int(flattened * radius))
    width = max(2, radius // 8) if is_ring else cv2.FILLED
    cv2.ellipse(picture, (150, 140), axes, 0, 0, 360, body, width, cv2.LINE_AA)
    cv2.circle(picture, (150, 140), max(3, radius // 5), dot, cv2.FILLED, cv2.LINE_AA)
    box = (150 - axes[0], 140 - axes[1], 2 * axes[0], 2 * axes[1])
    return plain_dice.finish(picture, rng), DieBox(box, 0.9)


@pytest.mark.parametrize("flattened", [1.0, 0.8])
@pytest.mark.parametrize("is_ring", [False, True])
def test_discs_and_rings_are_round(is_ring: bool, flattened: float) -> None:
    found = [outline_roundness(*disc(seed, is_ring=is_ring, flattened=flattened)) for seed in range(12)]
    assert sum(each > DISC_ROUNDNESS for each in found) >= 11


@pytest.mark.thorough
def test_no_die_is_as_round_as_a_disc() -> None:
    rng = np.random.default_rng(4)
    for seed in range(30):
        size = int(rng.uniform(60, 160))
        scene = plain_dice.Scene(plain_dice.ground(plain_dice.GROUNDS[seed % 5], (3 * size, 3 * size), rng))
        look, tilt = plain_dice.random_look(rng), float(rng.uniform(0, 30))
        drawn = plain_dice.put(scene, "d6", 1, (size * 3 // 2, size * 3 // 2), size, look, rng, tilt_deg=tilt)
        assert outline_roundness(plain_dice.finish(scene.image, rng), DieBox(drawn.box, 0.9)) < DISC_ROUNDNESS


def test_a_bare_background_has_no_outline() -> None:
    assert outline_roundness(np.full((200, 200, 3), 120, np.uint8), DieBox((50, 50, 100, 100), 0.9)) == 0


def test_a_disc_with_a_dot_is_never_answered() -> None:
    networks, vetoed = shared_classifier(), 0
    for seed in range(40):
        seen = judge([gather(*disc(seed), networks)], DIE_KINDS, networks.calibration)
        assert seen is None or seen.value is None, seed
        vetoed += seen is not None and seen.reason == DISC_SHAPED
    assert vetoed >= LIKE_ONES
