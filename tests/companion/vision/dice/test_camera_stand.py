"""A camera that stands aside is found out by the dice of several throws, where one picture may hide it."""

from dataclasses import replace

from fake_classifier import prediction

from companion.objects.dice import DIE_KINDS
from companion.vision.dice.boxes import DieBox
from companion.vision.dice.camera_stand import CameraStand
from companion.vision.dice.decision_policy import Evidence, judge
from companion.vision.dice.faces.aside import Aside
from companion.vision.dice.faces.classifier import calibration_of

RULES = calibration_of({"thresholds": {kind: {"face": 0.9, "kind": 0.8} for kind in DIE_KINDS}})


def die(hazard: float, aside: float) -> list[Evidence]:
    return [Evidence(DieBox((10, 20, 120, 116), 0.9), (prediction(),) * 4, aside=Aside(hazard, aside))]


def add(stand: CameraStand, seen: list[Evidence]) -> None:
    reading = judge(seen, DIE_KINDS, RULES, camera_aside=stand.aside)
    assert reading is not None
    stand.add(seen, reading)


def is_answered(seen: list[Evidence], stand: CameraStand) -> bool:
    reading = judge(seen, DIE_KINDS, RULES, camera_aside=stand.aside)
    assert reading is not None
    return reading.value is not None


def test_a_die_that_hides_it_is_refused_once_others_have_betrayed_the_camera() -> None:
    stand, hiding = CameraStand(), die(-1.0, -0.5)
    assert is_answered(hiding, stand)
    for _ in range(2):
        add(stand, die(3.0, 4.0))
    assert not is_answered(hiding, stand)


def test_a_camera_that_has_shown_to_stand_above_is_trusted_more_than_a_new_one_but_not_blindly() -> None:
    stand, doubtful = CameraStand(), die(2.0, 1.0)
    assert not is_answered(doubtful, stand)
    for _ in range(20):
        add(stand, die(-4.0, -4.0))
    assert is_answered(doubtful, stand)
    assert not is_answered(die(3.5, 3.0), stand)  # as after the camera was moved
    for _ in range(6):
        add(stand, die(3.5, 3.0))
    assert not is_answered(die(-1.0, -0.5), stand)


def test_one_die_counts_little_however_sure_and_one_that_says_nothing_not_at_all() -> None:
    stand = CameraStand()
    before = stand.aside
    add(stand, die(-90.0, -90.0))
    once = stand.aside
    assert before - once == 2.0
    add(stand, [Evidence(DieBox((10, 20, 120, 116), 0.9), (prediction("d6", 4),))])
    assert stand.aside == once


def test_another_die_tells_nothing_about_the_camera_and_one_that_seems_to_lean_does() -> None:
    stand, seen = CameraStand(), die(5.0, 5.0)
    before = stand.aside
    reading = judge(seen, DIE_KINDS, RULES, camera_aside=stand.aside)
    assert reading is not None
    for other in (replace(reading, is_known_kind=False), replace(reading, kind="d6")):
        stand.add(seen, other)
    assert stand.aside == before
    stand.add(seen, replace(reading, reason="leaning"))
    assert stand.aside > before
