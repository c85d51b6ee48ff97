"""An off-axis camera is detected from the dice of several throws, when a single picture may not show it."""

from dataclasses import replace

from fake_classifier import prediction

from companion.objects.dice import DIE_KINDS
from companion.vision.dice.boxes import DieBox
from companion.vision.dice.decision_policy import Evidence, judge
from companion.vision.dice.faces.classifier import calibration_of
from companion.vision.dice.faces.off_axis import OffAxis
from companion.vision.dice.off_axis_tracker import OffAxisTracker

RULES = calibration_of({"thresholds": {kind: {"face": 0.9, "kind": 0.8} for kind in DIE_KINDS}})


def die(wrong_face: float, off_axis: float) -> list[Evidence]:
    return [Evidence(DieBox((10, 20, 120, 116), 0.9), (prediction(),) * 4, off_axis=OffAxis(wrong_face, off_axis))]


def add(tracker: OffAxisTracker, seen: list[Evidence]) -> None:
    reading = judge(seen, DIE_KINDS, RULES, camera_off_axis=tracker.log_odds)
    assert reading is not None
    tracker.add(seen, reading)


def is_answered(seen: list[Evidence], tracker: OffAxisTracker) -> bool:
    reading = judge(seen, DIE_KINDS, RULES, camera_off_axis=tracker.log_odds)
    assert reading is not None
    return reading.value is not None


def test_an_inconspicuous_die_is_refused_once_others_show_an_off_axis_camera() -> None:
    tracker, hiding = OffAxisTracker(), die(-1.0, -0.5)
    assert is_answered(hiding, tracker)
    for _ in range(2):
        add(tracker, die(3.0, 4.0))
    assert not is_answered(hiding, tracker)


def test_a_camera_shown_to_be_overhead_is_trusted_more_than_a_new_one_but_not_blindly() -> None:
    tracker, doubtful = OffAxisTracker(), die(2.0, 1.0)
    assert not is_answered(doubtful, tracker)
    for _ in range(20):
        add(tracker, die(-4.0, -4.0))
    assert is_answered(doubtful, tracker)
    assert not is_answered(die(3.5, 3.0), tracker)  # as after the camera was moved
    for _ in range(6):
        add(tracker, die(3.5, 3.0))
    assert not is_answered(die(-1.0, -0.5), tracker)


def test_the_evidence_of_one_die_is_bounded() -> None:
    tracker = OffAxisTracker()
    before = tracker.log_odds
    add(tracker, die(-90.0, -90.0))
    once = tracker.log_odds
    assert before - once == 2.0
    add(tracker, [Evidence(DieBox((10, 20, 120, 116), 0.9), (prediction("d6", 4),))])
    assert tracker.log_odds == once


def test_only_twenty_faced_dice_count_even_if_read_as_leaning() -> None:
    tracker, seen = OffAxisTracker(), die(5.0, 5.0)
    before = tracker.log_odds
    reading = judge(seen, DIE_KINDS, RULES, camera_off_axis=tracker.log_odds)
    assert reading is not None
    for other in (replace(reading, is_known_kind=False), replace(reading, kind="d6")):
        tracker.add(seen, other)
    assert tracker.log_odds == before
    tracker.add(seen, replace(reading, reason="leaning"))
    assert tracker.log_odds > before
