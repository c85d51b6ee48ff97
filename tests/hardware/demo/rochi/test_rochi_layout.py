"""Positions on the mat: in their zones, without overlap, within the picture, and large enough to be read."""

from itertools import combinations

import numpy as np
import pytest

from companion.games.rochi.demo.layout import (
    SEATS,
    chip_place,
    hand_slot,
    home_of,
    lock_place,
    shield_slot,
    stack_slot,
    token_home,
    token_slots,
)
from companion.games.rochi.demo.table import PX_PER_MM, TILT_DEG
from companion.objects.geometry import HAND_POKER, POKER, QR_MODULES, STAGGER_MM, TOKEN_MM
from companion.testing import MATS
from hardware.demo.pinhole import Pinhole

MAT = MATS["rochi"]
CAMERA = Pinhole((1920, 1080), PX_PER_MM, tilt_deg=TILT_DEG)
RANKS = range(2, 8)


def zone(pose):
    return MAT.zone_at(pose.x + MAT.width_mm / 2, pose.y + MAT.height_mm / 2)


def on_mat(points):
    return [MAT.zone_at(x + MAT.width_mm / 2, y + MAT.height_mm / 2) for x, y in points[:, :2]]


@pytest.mark.parametrize("rank", RANKS)
def test_a_stack_of_any_height_stays_in_its_zone(rank):
    for count in range(2 * rank):
        assert set(on_mat(stack_slot(rank, count).corners())) == {f"stack/{rank}"}


def test_each_card_of_a_stack_shows_its_tag():
    ys = [stack_slot(7, count).y for count in range(7)]
    assert min(np.diff(ys)) > STAGGER_MM


@pytest.mark.parametrize("seat", SEATS)
def test_shields_and_tokens_lie_in_the_seat(seat):
    for count in range(6):
        assert set(on_mat(shield_slot(seat, count).corners())) == {f"seat/{seat}"}
    for slot in token_slots(seat):
        assert set(on_mat(slot.corners(TOKEN_MM - 8, TOKEN_MM - 8))) == {f"seat/{seat}"}


@pytest.mark.parametrize("seat", SEATS)
def test_tokens_lie_apart_from_each_other_and_from_shields(seat):
    for a, b in combinations(token_slots(seat), 2):
        assert np.hypot(a.x - b.x, a.y - b.y) > TOKEN_MM
    shield = shield_slot(seat, 0)
    for token in token_slots(seat):
        assert np.hypot(shield.x - token.x, shield.y - token.y) > (POKER.width + TOKEN_MM) / 2


@pytest.mark.parametrize("rank", RANKS)
def test_an_unclaimed_token_lies_in_its_pot_beside_the_coins(rank):
    home = token_home(rank)
    assert zone(home) == f"pot/{rank}"
    for value in (1, 5, 10):
        chip = chip_place(f"pot/{rank}", value)
        assert zone(chip) == f"pot/{rank}"
        assert np.hypot(chip.x - home.x, chip.y - home.y) > TOKEN_MM / 2 + 10


def test_a_lock_hides_neither_code_nor_tag():
    card = stack_slot(6, 3)
    lock = lock_place(card)
    left, top = card.x - POKER.width / 2, card.y - POKER.height / 2
    for box in (HAND_POKER.qr, HAND_POKER.first_tag, HAND_POKER.second_tag):
        corners = [(left + x, top + y) for x, y in box.corners]
        assert min(np.hypot(x - lock.x, y - lock.y) for x, y in corners) > TOKEN_MM / 2 - 2


def test_the_whole_mat_is_in_the_picture_and_every_code_has_its_pixels():
    """At least 2.3 px per module wherever a card may lie, in both directions."""
    half = np.array([MAT.width_mm / 2, MAT.height_mm / 2])
    corners = CAMERA.project(np.array([[x, y, 0.0] for x in (-half[0], half[0]) for y in (-half[1], half[1])]))
    assert corners.min() > 10
    assert (corners < (1910, 1070)).all()
    places = [stack_slot(rank, count) for rank in RANKS for count in range(rank)]
    places += [shield_slot(seat, count) for seat in SEATS for count in range(4)]
    for pose in places:
        code = CAMERA.project(pose.corners(30.0, 30.0))
        sides = np.linalg.norm(code - np.roll(code, 1, axis=0), axis=1)
        assert sides.min() / QR_MODULES > 2.3


@pytest.mark.parametrize("seat", SEATS)
def test_hands_wait_out_of_the_picture_and_cards_lie_beside_the_mat(seat):
    x, y = CAMERA.project(np.array([[*home_of(seat), 0.0]]))[0]
    assert not (-20 < x < 1940 and -20 < y < 1100)
    assert all(zone(hand_slot(seat, index)) is None for index in range(7))
    seen = CAMERA.project(hand_slot(seat, 0).corners())
    assert ((seen > 0) & (seen < (1920, 1080))).all(axis=1).any()
