"""A pocket is answered only if the newest and the most ball-like place coincide."""

from dataclasses import replace

import pytest

from companion.games.roulette.camera.heat import Peak
from companion.games.roulette.camera.memory import Difference
from companion.games.roulette.camera.rest import Evidence, pocket_of
from companion.games.roulette.wheel import RIMS

RIM = RIMS["european"]
BRIGHT = Evidence(
    difference=Difference(place=3.5, radius=0.9, contrast=40.0, clear=4.0, noise=2.0),
    strongest=3.5, always=0.8, foot=3.5, turned=6.0,
    peak=Peak(place=3.5, radius=0.9, odds=5.0, rival=-6.0), odds=(5.0, 4.0, 5.0),
)  # fmt: skip
FAINT = replace(BRIGHT, difference=replace(BRIGHT.difference, contrast=7.0, clear=1.2), always=0.5)


def test_a_clear_ball_is_answered() -> None:
    assert pocket_of(BRIGHT, RIM) == "19"
    assert pocket_of(replace(BRIGHT, peak=None, odds=()), RIM) == "19"


def test_a_faint_ball_is_answered_where_the_network_is_very_sure() -> None:
    assert pocket_of(FAINT, RIM) == "19"
    assert pocket_of(replace(FAINT, peak=None, odds=()), RIM) is None


def test_a_ball_that_a_lamp_dims_for_a_third_of_the_time_is_answered() -> None:
    found = replace(FAINT, peak=Peak(3.5, 0.9, 1.2, -1.0), difference=replace(FAINT.difference, clear=0.6))
    assert pocket_of(replace(found, odds=(1.6, 1.4, -0.5)), RIM) == RIM[3]
    assert pocket_of(replace(found, odds=(1.6, 1.4, -1.0)), RIM) is None


def test_what_is_very_new_is_answered_where_the_network_only_does_not_deny_it() -> None:
    assert pocket_of(replace(BRIGHT, peak=Peak(3.5, 0.9, -0.5, -0.7), odds=(-0.5, -0.4, -0.6)), RIM) == "19"


def test_what_three_parts_of_the_time_show_alike_stays() -> None:
    """By the pixel difference alone its place drifts, like a moving reflection."""
    assert pocket_of(replace(BRIGHT, always=0.0), RIM) == "19"
    assert pocket_of(replace(BRIGHT, always=0.0, odds=(5.0, -0.5, 5.0)), RIM) is None


@pytest.mark.parametrize(
    "found",
    [
        replace(BRIGHT, strongest=9.5),
        replace(BRIGHT, peak=Peak(3.5, 0.9, -4.0, -6.0)),
        replace(BRIGHT, peak=Peak(3.5, 0.9, 3.0, 2.8)),
        replace(BRIGHT, foot=3.95),
        replace(BRIGHT, foot=4.2),
        replace(BRIGHT, turned=0.4),
        replace(FAINT, odds=(5.0, 4.0, -3.0)),
        replace(FAINT, peak=Peak(3.5, 0.9, 5.0, 4.0)),
        replace(FAINT, difference=replace(FAINT.difference, contrast=2.0)),
        replace(FAINT, difference=replace(FAINT.difference, clear=0.3)),
        replace(FAINT, always=0.0, odds=(5.0, -0.5, 5.0)),
    ],
    ids=["elsewhere", "unlike", "rival", "border", "next", "still", "gone", "two", "nothing-new", "newer", "flickers"],
)
def test_a_doubt_leaves_it_unanswered(found: Evidence) -> None:
    assert pocket_of(found, RIM) is None
