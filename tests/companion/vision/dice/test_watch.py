"""Dice on a live camera: never read in motion, never from a single frame."""

import numpy as np
import plain_dice
import pytest
from fake_classifier import FakeClassifier

from companion.vision.dice.axis import Axis
from companion.vision.dice.boxes import DieBox
from companion.vision.dice.off_axis_tracker import OffAxisTracker
from companion.vision.dice.reader import HAND, OFF_TRAY, DiceReader
from companion.vision.dice.watch import MAX_FRAMES, MIN_FRAMES, DiceWatcher, FrameJudge


def frame(x: int = 160, value: int = 17, *, more: int | None = None) -> np.ndarray:
    rng = np.random.default_rng(5)
    scene = plain_dice.Scene(plain_dice.ground("paper", (480, 240), rng))
    observe = plain_dice.Look(body=(120, 50, 30))
    for at in (x,) if more is None else (x, more):
        plain_dice.put(scene, "d20", value, (at, 120), 110, observe, np.random.default_rng(3), order=2)
    return plain_dice.finish(scene.image, rng)


BOX = DieBox((105, 65, 110, 110), 0.9)


def test_an_answer_needs_several_agreeing_frames(eye: FakeClassifier) -> None:
    judge = FrameJudge(["d20"], classifier=eye)  # type: ignore[arg-type]
    said = [judge.observe(frame(), BOX) for _ in range(MIN_FRAMES)]
    assert said[:-1] == [None] * (MIN_FRAMES - 1)
    assert said[-1] is not None
    assert said[-1].value == 17


def test_reading_a_throw_again_is_no_new_evidence_on_the_camera(eye: FakeClassifier) -> None:
    tracker = OffAxisTracker()
    told = [tracker.log_odds]
    for value, x in ((17, 160), (17, 160), (4, 168)):
        judge = FrameJudge(["d20"], classifier=eye, tracker=tracker)  # type: ignore[arg-type]
        for _ in range(MIN_FRAMES):
            judge.observe(frame(value=value, x=x), BOX)
        told.append(tracker.log_odds)
    assert told[0] > told[1] == told[2] > told[3]


def test_a_throw_that_looks_just_like_the_previous_one_is_new_evidence_if_it_lies_elsewhere(
    eye: FakeClassifier,
) -> None:
    """Most throws of a plain d20 look like the previous one: they were left out."""
    tracker, log_odds = OffAxisTracker(), []
    for x in (160, 160, 190):
        judge = FrameJudge(["d20"], classifier=eye, tracker=tracker)  # type: ignore[arg-type]
        for _ in range(MIN_FRAMES):
            judge.observe(frame(x=x), DieBox((x - 55, 65, 110, 110), 0.9))
        log_odds.append(tracker.log_odds)
    assert log_odds[0] == log_odds[1] > log_odds[2]


def test_a_new_axis_applies_from_the_next_throw_on(eye: FakeClassifier) -> None:
    """A throw read half by one axis and half by another could be read wrong."""
    judge = FrameJudge(["d20"], classifier=eye)  # type: ignore[arg-type]
    judge.observe(frame(), BOX)
    tracker = judge.tracker
    judge.set_axis(Axis(25.0, 90.0))
    judge.observe(frame(), BOX)
    assert (judge.axis, judge.frames, judge.tracker) == (None, 2, tracker)
    judge.reset()
    assert judge.axis == Axis(25.0, 90.0)
    assert judge.tracker is not tracker, "what earlier dice said of the camera was said of another axis"
    tracker = judge.tracker
    judge.reset()
    assert judge.tracker is tracker
    judge.set_axis(None)
    judge.reset()
    assert judge.axis is None


def test_doubt_ends_after_some_frames(eye: FakeClassifier) -> None:
    eye.says.p = 0.5
    judge = FrameJudge(["d20"], classifier=eye)  # type: ignore[arg-type]
    said = [judge.observe(frame(), BOX) for _ in range(MAX_FRAMES)]
    assert said[: MAX_FRAMES - 1] == [None] * (MAX_FRAMES - 1)
    assert said[-1] is not None
    assert (said[-1].value, said[-1].reason) == (None, "not sure")


def test_another_face_starts_over(eye: FakeClassifier) -> None:
    judge = FrameJudge(["d20"], classifier=eye)  # type: ignore[arg-type]
    for _ in range(MIN_FRAMES):
        judge.observe(frame(), BOX)
    assert judge.observe(frame(value=4, x=168), BOX) is None
    assert judge.frames == 1


@pytest.mark.thorough
def test_a_die_in_motion_has_no_value(eye: FakeClassifier) -> None:
    watcher = DiceWatcher(DiceReader(["d20"], classifier=eye))  # type: ignore[arg-type]
    moving = [watcher.see(frame(100 + 8 * k), k / 30) for k in range(5)]
    assert all(die.value is None and die.reason == "in motion" for seen in moving for die in seen.dice)
    resting = [watcher.see(frame(132), (5 + k) / 30) for k in range(9)]
    assert [die.value for die in resting[-1].dice] == [17]
    assert resting[-1].warnings == ()


def test_two_dice_where_one_is_expected_have_no_value(eye: FakeClassifier) -> None:
    one = DiceReader(["d20"], alone=True, classifier=eye).read(frame())  # type: ignore[arg-type]
    assert [die.value for die in one.dice] == [17]
    two = DiceReader(["d20"], alone=True, classifier=eye).read(frame(more=330))  # type: ignore[arg-type]
    assert [(die.value, die.reason) for die in two.dice] == [(None, "two dice")] * 2
    assert two.warnings == ("die: two dice (2 dice).",)
    many = DiceReader(["d20"], classifier=eye).read(frame(more=330))  # type: ignore[arg-type]
    assert [die.value for die in many.dice] == [17, 17]


def test_a_hand_in_the_picture_vetoes_an_answer(eye: FakeClassifier) -> None:
    import cv2

    bare = frame()
    picture = bare.copy()
    for k in range(2):
        cv2.line(picture, (330 + 70 * k, 250), (310 + 70 * k, 80), (140, 175, 225), 50, cv2.LINE_AA)
    picture = plain_dice.rounded(picture, bare)
    seen = DiceReader(["d20"], classifier=eye).read(cv2.GaussianBlur(picture, (3, 3), 0))  # type: ignore[arg-type]
    assert [(die.value, die.reason) for die in seen.dice if die.box[0] < 200] == [(None, HAND)]


def test_a_die_next_to_the_tray_has_no_value(eye: FakeClassifier) -> None:
    import cv2

    rng = np.random.default_rng(5)
    scene = plain_dice.Scene(np.full((480, 800, 3), (60, 90, 50), np.uint8))
    cv2.rectangle(scene.image, (220, 40), (760, 440), (40, 60, 110), -1)
    for x in (110, 480):
        plain_dice.put(scene, "d20", 17, (x, 240), 100, plain_dice.Look(body=(190, 180, 170), ink=(10, 10, 10)), rng)
    seen = DiceReader(["d20"], classifier=eye).read(plain_dice.finish(scene.image, rng))  # type: ignore[arg-type]
    assert [(die.value, die.reason) for die in seen.dice] == [(None, OFF_TRAY), (17, "")]


def test_detections_on_a_card_are_print(eye: FakeClassifier) -> None:
    card = ((80.0, 40.0), (240.0, 40.0), (240.0, 200.0), (80.0, 200.0))
    assert DiceReader(["d20"], classifier=eye).read(frame(), taken=[card]).dice == ()  # type: ignore[arg-type]
