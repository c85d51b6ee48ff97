"""The decision policy: every reason for a rejection, one by one, from hand-made predictions."""

from dataclasses import replace

import numpy as np
import pytest
from fake_classifier import prediction

from companion.objects.dice import DIE_KINDS, DieKind
from companion.vision.dice.boxes import DieBox
from companion.vision.dice.decision_policy import DieReading, Evidence, judge, sharpness_of
from companion.vision.dice.enrolled import EnrolledDie
from companion.vision.dice.faces.classifier import calibration_of
from companion.vision.dice.faces.off_axis import OffAxis
from companion.vision.dice.faces.predictions import Prediction

RULES = calibration_of({"thresholds": {kind: {"face": 0.9, "kind": 0.8} for kind in DIE_KINDS}, "most_lean": 0.5})


def evidence(*predictions: Prediction, size: int = 120, **more: object) -> Evidence:
    return Evidence(DieBox((10, 20, size, size - 4), 0.9), predictions or (prediction(),) * 4, **more)  # type: ignore[arg-type]


def answer(
    *seen: Evidence, expect: tuple[DieKind, ...] = DIE_KINDS, enrolled: tuple[EnrolledDie, ...] = ()
) -> DieReading:
    reading = judge(seen, expect, RULES, enrolled)
    assert reading is not None
    return reading


def with_numeral(seen: Prediction, index: int, p: float) -> Prediction:
    """Return it as if the number network had read a d6's numeral there."""
    read = np.zeros(6, np.float32)
    read[index] = p
    return replace(seen, numeral_d6=read)


def test_a_sure_d20_has_its_value_and_rugen_face() -> None:
    reading = answer(evidence())
    assert (reading.kind, reading.value, reading.face, reading.reason) == ("d20", 17, "4n", "")
    assert 0.9 < reading.confidence <= 1
    assert reading.box == (10, 20, 120, 116)


def test_a_rugen_die_says_number_and_half() -> None:
    reading = answer(evidence(*(prediction("rugen", 5),) * 4))
    assert (reading.kind, reading.value, reading.face) == ("rugen", 3, "3n")


def test_a_d6_has_no_face() -> None:
    reading = answer(evidence(*(prediction("d6", 4),) * 4))
    assert (reading.kind, reading.value, reading.face) == ("d6", 5, None)


def test_an_unlikely_d6_with_numerals_is_answered_if_both_networks_read_the_same() -> None:
    strict = calibration_of({"thresholds": {"d6": {"face": 0.8, "kind": 0.95}}})

    def value(kind_p: float = 0.85, p: float = 0.999, read: int = 4, read_p: float = 0.95) -> int | None:
        seen = evidence(with_numeral(prediction("d6", 4, p=p, kind_p=kind_p), read, read_p))
        reading = judge((seen,), DIE_KINDS, strict)
        assert reading is not None
        return reading.value

    assert value() == 5
    assert value(read=3) is None
    assert value(read_p=0.85) is None
    assert value(p=0.95) is None
    assert value(kind_p=0.75) is None
    assert value(kind_p=0.97, read_p=0.0) == 5


def test_a_numeral_counted_as_a_pip_does_not_contradict_itself() -> None:
    three = prediction("d6", 2, p=0.999)
    assert answer(evidence(three, pips=1)).reason == "not sure: the pips say otherwise"
    assert answer(evidence(with_numeral(three, 2, 0.8), pips=1)).value == 3
    assert answer(evidence(with_numeral(three, 2, 0.5), pips=1)).value is None
    assert answer(evidence(with_numeral(three, 3, 0.8), pips=1)).value is None
    assert answer(evidence(with_numeral(prediction("d6", 2, p=0.95), 2, 0.8), pips=1)).value is None


@pytest.mark.parametrize(
    ("seen", "reason"),
    [
        (evidence(*(prediction(p=0.8),) * 4), "not sure"),
        (evidence(*(prediction(p=0.8),) * 4, sharpness=0.05), "blurred"),
        (evidence(prediction(top=16), prediction(top=16), prediction(top=3), prediction(top=3)), "not sure"),
        (evidence(size=50), "too small: 50 px, wants 90"),
        (evidence(*(prediction(lean=0.9),) * 4), "leaning"),
        (evidence(*(prediction(kind_p=0.6),) * 4), "another kind of die, or not sure"),
        (evidence(*(prediction(None),) * 4), "another kind of die"),
        (evidence(*(prediction(top=5, p=0.95),) * 4), "6 or 9"),
        (evidence(*(prediction("d6", 4),) * 4, pips=4), "not sure: the pips say otherwise"),
    ],
)
def test_no_value_and_the_reason(seen: Evidence, reason: str) -> None:
    reading = answer(seen)
    assert (reading.value, reading.face, reading.reason) == (None, None, reason)


def test_a_weakly_detected_round_mark_is_not_a_one() -> None:
    def found(score: float, top: int) -> int | None:
        return answer(Evidence(DieBox((10, 20, 120, 116), score), (prediction("d6", top),) * 4)).value

    assert (found(0.3, 0), found(0.9, 0), found(0.3, 1)) == (None, 1, 2)


def test_a_weak_detection_needs_a_higher_probability() -> None:
    def found(score: float, p: float) -> int | None:
        return answer(Evidence(DieBox((10, 20, 120, 116), score), (prediction("d6", 1, p=p),), pips=2)).value

    assert (found(0.9, 0.92), found(0.3, 0.92), found(0.3, 0.97)) == (2, None, 2)


def test_a_letter_with_a_hole_is_not_a_one() -> None:
    def shown(top: int, kind_p: float) -> int | None:
        return answer(evidence(*(prediction("d6", top, kind_p=kind_p),) * 4)).value

    assert (shown(0, 0.98), shown(0, 0.99), shown(1, 0.98)) == (None, 1, 2)


def test_a_numeral_one_is_no_hole() -> None:
    one = prediction("d6", 0, p=0.999, kind_p=0.97)
    assert answer(evidence(one)).value is None
    assert answer(evidence(with_numeral(one, 0, 0.8))).value == 1

    hardly = Evidence(DieBox((10, 20, 120, 116), 0.3), (with_numeral(one, 0, 0.8),))
    assert answer(hardly).value is None


def test_a_twenty_faced_die_that_may_be_off_axis_has_no_value() -> None:
    fine, doubtful = OffAxis(wrong_face=-9.0, off_axis=9.0), OffAxis(wrong_face=9.0, off_axis=-2.0)
    assert answer(evidence(off_axis=fine)).value == 17
    for kind in ("d20", "rugen"):
        reading = answer(evidence(*(prediction(kind, 5),) * 4, off_axis=doubtful))
        assert (reading.value, reading.face, reading.reason) == (None, None, "perhaps seen from aside")
        assert reading.likely
    d6 = answer(evidence(*(prediction("d6", 4),) * 4, off_axis=doubtful))
    assert d6.value == 5, "a d6's neighboring faces are 90 degrees off"


def test_with_an_unknown_axis_a_small_die_needs_a_higher_probability() -> None:
    sure, above = (prediction(p=0.93),) * 4, OffAxis(-9.0, -9.0)
    assert answer(evidence(*sure, size=70)).value == 17
    assert answer(evidence(*sure, size=120, off_axis=above)).value == 17
    assert answer(evidence(*sure, size=70, off_axis=above)).value is None


def test_with_an_unknown_axis_a_rugen_face_needs_a_higher_probability() -> None:
    likely = prediction("rugen", 5, 0.95)
    assert answer(evidence(*(likely,) * 4)).face == "3n"
    assert answer(evidence(*(likely,) * 4, off_axis=OffAxis(wrong_face=-9.0, off_axis=9.0))).face is None


def test_off_axis_evidence_is_averaged_over_frames() -> None:
    clear, doubtful = evidence(off_axis=OffAxis(-9.0, -9.0)), evidence(off_axis=OffAxis(4.5, 4.5))
    assert answer(clear, doubtful, clear).value == 17
    assert answer(doubtful, doubtful, clear, doubtful, doubtful, doubtful).value is None
    assert answer(doubtful, evidence(off_axis=None)).value is None


def test_an_enrolled_or_tagged_die_that_may_be_off_axis_has_no_value_either(house_die: EnrolledDie) -> None:
    above, rugen = OffAxis(wrong_face=3.0, off_axis=9.0), (prediction("rugen", 7),) * 4
    assert answer(evidence(*rugen, tag=18)).face == "4n"
    assert answer(evidence(*rugen, tag=18, off_axis=above)).reason == "perhaps seen from aside"
    assert answer(evidence(off_axis=above), enrolled=(house_die,)).reason == "perhaps seen from aside"


def test_an_unexpected_kind_has_no_value() -> None:
    reading = answer(evidence(), expect=("d6",))
    assert (reading.kind, reading.value, reading.reason) == ("d20", None, "not expected")
    assert judge([evidence(*(prediction(None),) * 4)], (), RULES) is None


def test_an_agreeing_pip_count_outweighs_doubt_from_three_pips_on() -> None:
    """The two holes of a printed 8 are counted as the pips of a two."""

    def value(index: int, p: float, pips: int | None, score: float = 0.9) -> int | None:
        seen = evidence(*(prediction("d6", index, p=p) for _ in range(4)), pips=pips)
        return answer(replace(seen, die=replace(seen.die, score=score))).value

    assert value(4, 0.95, 5) == 5
    assert value(4, 0.8, 5) == 5
    assert value(4, 0.8, None) is None
    assert value(4, 0.55, 5) is None
    assert value(4, 0.8, 5, score=0.4) is None
    assert value(1, 0.8, 2) is None


def test_a_d20_with_a_certain_value_needs_a_lower_kind_probability() -> None:
    strict = calibration_of({"thresholds": {"d20": {"face": 0.99, "kind": 0.95}}})

    def value(kind_p: float, p: float) -> int | None:
        reading = judge([evidence(*(prediction("d20", 16, p=p, kind_p=kind_p),) * 4)], DIE_KINDS, strict)
        assert reading is not None
        return reading.value

    assert value(0.96, 0.993) == 17
    assert value(0.85, 0.993) is None
    assert value(0.85, 0.999) == 17
    assert value(0.75, 0.999) is None


def test_a_die_that_nearly_fills_the_picture_needs_a_confident_detection() -> None:
    """A tray with a card in it looks much like a d6 with a numeral."""

    def seen(score: float, fills: float) -> int | None:
        return answer(Evidence(DieBox((10, 20, 520, 516), score), (prediction("d6", 3),) * 4, fills=fills)).value

    assert seen(0.8, 0.85) is None
    assert (seen(0.95, 0.85), seen(0.8, 0.7)) == (4, 4)


def test_frames_must_agree() -> None:
    assert answer(evidence(), evidence(), evidence()).value == 17
    assert answer(evidence(), evidence(*(prediction(top=2),) * 4)).value is None


def test_a_printed_face_is_read_by_its_tag() -> None:
    reading = answer(evidence(*(prediction("rugen", 7),) * 4, tag=18))
    assert (reading.kind, reading.value, reading.face) == ("rugen", 4, "4n")
    assert answer(evidence(*(prediction(None),) * 4, tag=7)).face == "3d"


def test_a_leaning_printed_die_has_no_value_even_with_a_legible_tag() -> None:
    assert answer(evidence(*(prediction("rugen", 7, lean=0.9),) * 4, tag=18)).reason == "leaning"


def test_tag_and_number_must_not_differ() -> None:
    assert answer(evidence(*(prediction("rugen", 1),) * 4, tag=18)).reason == "not sure: the tag and the number differ"
    assert answer(evidence(tag=18), evidence(tag=2)).reason == "not sure: two tags"
    assert answer(evidence(tag=18), expect=("d20",)).reason == "not expected"


def axis(k: int) -> np.ndarray:
    return np.eye(64, dtype=np.float32)[k]


@pytest.fixture
def house_die() -> EnrolledDie:
    """Each face has its own embedding."""
    return EnrolledDie("house", "d20", {str(v): axis(v)[None] for v in range(1, 21)})


def test_an_enrolled_die_is_answered_when_the_network_alone_is_unsure(house_die: EnrolledDie) -> None:
    predictions = tuple(prediction(top=16, p=0.5, embedding=axis(17)) for _ in range(4))
    assert answer(evidence(*predictions)).value is None
    known = answer(evidence(*predictions), enrolled=(house_die,))
    assert (known.value, known.face, known.reason) == (17, "4n", "")


def test_similarity_and_network_must_not_contradict_each_other(house_die: EnrolledDie) -> None:
    predictions = tuple(prediction(top=3, p=0.99, embedding=axis(17)) for _ in range(4))
    reading = answer(evidence(*predictions), enrolled=(house_die,))
    assert (reading.value, reading.reason) == (None, "not sure: it looks like another face of this die")


def test_faces_that_look_the_same_are_not_answered(house_die: EnrolledDie) -> None:
    between = (axis(6) + axis(9)) / np.sqrt(2)
    predictions = tuple(prediction(top=5, p=0.5, embedding=np.asarray(between, np.float32)) for _ in range(4))
    assert answer(evidence(*predictions), enrolled=(house_die,)).reason == "6 or 9"


def test_a_face_under_glare_is_not_matched_with_its_pictures(house_die: EnrolledDie) -> None:
    predictions = tuple(prediction(top=16, p=0.5, embedding=axis(17)) for _ in range(4))
    blank = answer(evidence(*predictions, contrast=3.0), enrolled=(house_die,))
    assert (blank.value, blank.reason) == (None, "not sure: nothing is to be seen on its upper face")
    pips = EnrolledDie("house", "d6", {str(v): axis(v)[None] for v in range(1, 7)})
    two = tuple(prediction("d6", 1, embedding=axis(2)) for _ in range(4))
    assert answer(evidence(*two, contrast=0.0), enrolled=(pips,)).value == 2, "a two has nothing in its middle"


def test_a_confident_value_only_needs_pictures_that_do_not_contradict() -> None:
    alike = EnrolledDie("house", "d6", {str(v): axis(1)[None] for v in range(1, 7)})
    predictions = tuple(prediction("d6", top=3, p=0.99, embedding=axis(1)) for _ in range(4))
    assert answer(evidence(*predictions, pips=4), enrolled=(alike,)).value == 4
    assert answer(evidence(*predictions, pips=5), enrolled=(alike,)).value is None
    other = EnrolledDie("house", "d6", {str(v): axis(v)[None] for v in range(1, 7)})
    assert answer(evidence(*predictions, pips=4), enrolled=(other,)).value is None


def test_another_die_is_judged_as_if_none_were_enrolled(house_die: EnrolledDie) -> None:
    predictions = tuple(prediction(embedding=axis(50)) for _ in range(4))
    assert answer(evidence(*predictions), enrolled=(house_die,)).value == 17


def test_an_enrolled_die_still_must_not_lean(house_die: EnrolledDie) -> None:
    predictions = tuple(prediction(embedding=axis(17), lean=0.9) for _ in range(4))
    assert answer(evidence(*predictions), enrolled=(house_die,)).reason == "leaning"


@pytest.mark.parametrize(("size", "value"), [(44, None), (45, 17), (56, 17), (57, 17)])
def test_an_enrolled_die_is_read_from_45_pixels(house_die: EnrolledDie, size: int, value: int | None) -> None:
    seen = evidence(*(prediction(top=16, p=0.5, embedding=axis(17)),) * 4, size=size)
    reading = answer(seen, enrolled=(house_die,))
    assert (reading.value, reading.reason) == (value, "" if value else "too small: 44 px, wants 90")
    stranger = evidence(*(prediction(top=16, embedding=axis(50)),) * 4, size=size)
    assert (answer(stranger, enrolled=(house_die,)).value is None) == (size < 57)


def test_a_die_seen_too_far_off_axis_has_no_value() -> None:
    assert answer(evidence(*(prediction(),) * 4, tilt_deg=41.0)).value == 17
    aslant = evidence(*(prediction(),) * 4, tilt_deg=43.0)
    assert answer(aslant).reason == "seen too much from the side"
    tagged = evidence(*(prediction("rugen", 5),) * 4, tag=6, tilt_deg=36.0)
    assert answer(tagged).value is None


def test_sharpness_distinguishes_print_from_blur() -> None:
    import cv2

    crop = np.zeros((96, 96, 3), np.uint8)
    cv2.putText(crop, "17", (24, 60), cv2.FONT_HERSHEY_SIMPLEX, 1.2, (255, 255, 255), 3)
    assert sharpness_of(crop) > 0.3 > sharpness_of(cv2.GaussianBlur(crop, (0, 0), 6))
