"""A doubtful die is re-read in jittered boxes: three that agree are an answer unless another contradicts."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import plain_dice
import pytest

from companion.objects.dice import DIE_KINDS
from companion.vision.dice.box_jitter import jittered_boxes, reread_jittered
from companion.vision.dice.boxes import DieBox
from companion.vision.dice.decision_policy import PERHAPS_OFF_AXIS, DieReading, gather, judge
from companion.vision.dice.faces.classifier import shared_classifier

DIE = DieBox((40, 30, 100, 90), 0.8)
DOUBTED = DieReading("d20", None, None, 0.4, DIE.box, "not sure")


def read(value: int, box: tuple[int, int, int, int] = DIE.box) -> DieReading:
    return DieReading("d20", value, f"{value}n", 0.99, box)


def looked(answers: Iterable[int | None], first: DieReading = DOUBTED) -> DieReading:
    """The reading if the first boxes show these values and the others none."""
    left = iter(answers)

    def judge_box(box: DieBox) -> DieReading | None:
        value = next(left, None)
        return None if value is None else read(value, box.box)

    return reread_jittered(DIE, first, judge_box)


def test_three_boxes_that_agree_answer_with_the_dies_own_box():
    reading = looked([17, None, 17, None, 17])
    assert (reading.value, reading.reason, reading.box) == (17, "", DIE.box)


@pytest.mark.parametrize("answers", [[], [17], [17, 17], [17, 17, 17, 17, 13], [17, 13, 17, 17]])
def test_too_few_or_differing_boxes_leave_the_doubt(answers: list[int]):
    assert looked(answers) == DOUBTED


@pytest.mark.parametrize(("p", "shown"), [(0.93, None), (0.88, 5)])
def test_a_confident_other_value_vetoes_the_answer_even_if_rejected_itself(p: float, shown: int | None):
    """A transparent die's four, with the pips of its back visible, is a five in most boxes."""
    first = replace(DOUBTED, kind="d6", likely=("5", "4"))
    fives = [DieReading("d6", 5, None, 0.93, DIE.box, likely=("5",))] * 4
    four = DieReading("d6", None, None, p, DIE.box, "not sure: the pips say otherwise", ("4",))
    boxes = iter([*fives, four, *[None] * 16])
    assert reread_jittered(DIE, first, lambda box: next(boxes)).value == shown


def test_box_jitter_never_answers_a_one():
    """A box around a card's 6, or around its hole, shows a spot at the center of a pale area."""
    ones = iter([DieReading("d6", 1, None, 0.99, DIE.box)] * 16)
    first = replace(DOUBTED, kind="d6")
    assert reread_jittered(DIE, first, lambda box: next(ones)) == first


@pytest.mark.parametrize(("likely", "shown"), [(("4d", "4n"), None), (("4n", "2n"), 4), ((), 4)])
def test_box_jitter_does_not_decide_between_day_and_night(likely: tuple[str, ...], shown: int | None):
    """A lamp reflection on a night face is in every box: three agreed, and were wrong."""
    first = replace(DOUBTED, kind="rugen", likely=likely)
    assert reread_jittered(DIE, first, lambda box: DieReading("rugen", 4, "4d", 0.99, box.box)).value == shown


@pytest.mark.parametrize("reason", ["", "leaning", "too small: 40 px, wants 90", "not expected", PERHAPS_OFF_AXIS])
def test_only_doubts_that_another_box_may_resolve_are_reread(reason: str):
    first = replace(DOUBTED, reason=reason)

    def never(box: DieBox) -> DieReading | None:
        raise AssertionError("not to be asked")

    assert reread_jittered(DIE, first, never) is first


def test_jittered_boxes_lie_within_the_die_except_one():
    x, y, w, h = DIE.box
    *smaller, larger = (box.box for box in jittered_boxes(DIE))
    for left, top, wide, high in smaller:
        assert x <= left
        assert y <= top
        assert left + wide <= x + w + 1
        assert top + high <= y + h + 1
    assert larger[2] > w


def test_a_die_whose_box_includes_its_shadow_is_read():
    networks, answered = shared_classifier(), 0
    for value in range(2, 7):
        rng = np.random.default_rng(value)
        scene = plain_dice.Scene(plain_dice.ground("felt", (300, 300), rng))
        look = plain_dice.Look(body=(200, 220, 230), ink=(30, 30, 30))
        x, y, w, h = plain_dice.put(scene, "d6", value, (150, 150), 110, look, rng).box
        off = DieBox((x - w // 5, y - h // 20, round(1.3 * w), round(1.6 * h)), 0.9)

        def judged(box: DieBox, picture: np.ndarray = scene.image) -> DieReading | None:
            return judge([gather(picture, box, networks)], DIE_KINDS, networks.calibration)

        first = judged(off)
        assert first is not None
        again = reread_jittered(off, first, judged)
        assert again.value in (None, value)
        answered += first.value is None and again.value == value
    assert answered >= 2
