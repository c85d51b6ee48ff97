"""Combining passes over a bowl: a throw, or the reason why there is none."""

from dataclasses import replace

import numpy as np
import pytest

from companion.games.chinchirorin.camera.decision import BowlResult, Reason, decide, uncertain_dice, upright
from companion.games.chinchirorin.camera.decision import with_tray_values as with_one
from companion.games.chinchirorin.camera.detection import Detection, Pass, Place
from companion.games.chinchirorin.camera.orientation import encoded
from companion.games.chinchirorin.camera.rim import Rim
from companion.vision.dice.boxes import DieBox

RIM = Rim((200.0, 200.0), 300.0, 300.0, 0.0, 0.0, 0.0)
AT = ((120, 180), (200, 240), (260, 150), (180, 130))


def die(
    value: int, at: tuple[int, int], *, p: float = 0.99, is_die: float = 0.99, flat: float = 0.99, px: int = 60,
    place: Place = "in",
) -> Detection:  # fmt: skip
    values = np.full(6, (1 - p) / 5, np.float32)
    values[value - 1] = p
    return Detection(DieBox((at[0] - px // 2, at[1] - px // 2, px, px), is_die), values, flat, place)


def look(*dice: Detection) -> Pass:
    return Pass(RIM, dice)


def three(*values: int) -> tuple[Detection, ...]:
    return tuple(die(value, at) for value, at in zip(values, AT, strict=False))


def test_three_sure_dice_are_a_throw_from_left_to_right():
    found = decide([look(*three(4, 5, 6))])
    assert found.values == (4, 5, 6)
    assert found.reason == ""


@pytest.mark.parametrize(
    ("dice", "reason"),
    [
        (three(4, 5), "count"),
        (three(4, 5, 6, 1), "count"),
        ((), "count"),
        ((*three(4, 5, 6), die(1, AT[3], p=0.5, is_die=0.975)), "doubtful"),
        ((*three(4, 5, 6), die(1, AT[3], is_die=0.93)), "count"),
        ((*three(4, 5), die(6, AT[2], is_die=0.05)), "count"),
        ((*three(4, 5), die(6, AT[2], p=0.7)), "unsure"),
        ((*three(4, 5), die(6, AT[2], flat=0.15)), "cocked"),
        ((*three(4, 5), die(6, (218, 255))), "cocked"),  # on another one
        ((*three(4, 5), die(6, (352, 200), place="rim")), "rim"),
        ((*three(4, 5), die(6, (390, 200), place="out")), "out"),
        ((*three(4, 5, 6), die(6, (390, 200), place="out")), "count"),
        ((*three(4, 5), die(6, AT[2], px=150)), "doubtful"),
        (tuple(die(v, at, px=28) for v, at in zip((1, 2, 3), AT, strict=False)), "small"),
    ],
)
def test_anything_else_is_no_throw(dice: tuple[Detection, ...], reason: Reason):
    found = decide([look(*dice)])
    assert found.reason == reason
    assert found.values is None


def test_what_may_be_a_die_on_the_table_does_not_matter():
    assert decide([look(*three(1, 2, 3), die(5, (390, 200), p=0.5, place="out"))]).values == (1, 2, 3)


def test_what_is_clearly_none_does_not_matter():
    assert decide([look(*three(1, 2, 3), die(5, AT[3], is_die=0.03))]).values == (1, 2, 3)


def test_looks_that_contradict_each_other_are_not_sure():
    other = (die(6, AT[0]), *three(4, 5, 6)[1:])
    assert decide([look(*three(4, 5, 6)), look(*other)]).reason == "unsure"


def test_looks_that_count_differently_are_no_throw():
    assert decide([look(*three(4, 5)), look(*three(4, 5, 6))]).values is None


def test_a_die_that_one_look_sees_twice_is_no_throw():
    """Two detections so close that the other passes take them for one object."""
    doubled = look(*three(4, 5, 6), die(4, (AT[0][0] + 12, AT[0][1])))
    assert decide([doubled, look(*three(4, 5, 6))]).reason == "doubtful"


@pytest.mark.parametrize(("off", "reason"), [(12, "cocked"), (30, ""), (36, "")])
def test_a_die_that_lies_on_another_is_read_where_its_upper_face_shows_wholly(off: int, reason: Reason):
    assert decide([look(*three(4, 5), die(6, (200 + off, 240)))]).reason == reason


@pytest.mark.parametrize("hidden", [{"flat": 0.8}, {"p": 0.98}])
def test_a_die_that_lies_on_another_is_not_read_where_some_of_it_may_be_hidden(hidden: dict[str, float]):
    below = die(6, (230, 240), **hidden)
    assert decide([look(*three(4, 5), below)]).values is None
    assert decide([look(*three(4, 5), replace(below, box=die(6, AT[2]).box))]).values == (4, 5, 6)


def test_dice_that_lie_close_together_are_told_apart_in_every_look():
    """Detections are sorted by probability, so the first nearby one of another pass may be a different die."""
    one, other = die(4, (200, 240), is_die=0.99), die(5, (217, 240), is_die=0.98)
    swapped = die(4, (200, 240), is_die=0.98), die(5, (217, 240), is_die=0.99)
    found = decide([look(die(6, AT[0]), *swapped[::-1]), look(die(6, AT[0]), one, other)])
    assert [each.likely for each in found.dice] == [(6,), (4,), (5,)]


def test_a_repeated_look_is_the_same_throw():
    assert decide([look(*three(1, 1, 1))] * 3).values == (1, 1, 1)


def test_a_picture_from_far_aside_is_not_sure():
    aslant = replace(RIM, tilt_deg=38.0, minor_px=236.0)
    dice = tuple(turned(each, 0.0, -0.5) for each in three(4, 5, 6))
    found = decide([Pass(aslant, dice)])
    assert found.reason == "steep"
    assert with_tray_values(found, told(6, 0.999)) is found


def told(value: int, p: float) -> np.ndarray:
    """Return the tray networks' value probabilities of a die."""
    chances = np.full(6, (1 - p) / 5, np.float32)
    chances[value - 1] = p
    return chances


def with_tray_values(found: BowlResult, second: np.ndarray) -> BowlResult:
    """Return the result with these tray values for each die."""
    for die in uncertain_dice(found):
        found = with_one(found, die, second)
    return found


def test_a_second_network_that_is_sure_of_the_same_value_settles_a_doubt():
    found = decide([look(*three(4, 5), die(6, AT[2], p=0.7))])
    settled = with_tray_values(found, told(6, 0.98))
    assert (settled.reason, settled.values) == ("", (4, 5, 6))
    sure = [each.confidence for each in found.dice[:2]]
    odds = (0.7 / 0.06) ** 0.55 * (0.98 / 0.004) ** 0.97
    assert [each.confidence for each in settled.dice] == [*sure, pytest.approx(odds / (odds + 5), abs=2e-4)]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (0.7, told(6, 0.5)),
        (0.7, told(5, 0.9)),
        (0.7, np.zeros(6, np.float32)),
        (0.94, told(6, 0.49)),
    ],
)
def test_a_second_network_that_is_not_settles_none(first: float, second: np.ndarray):
    found = decide([look(*three(4, 5), die(6, AT[2], p=first))])
    assert with_tray_values(found, second) == found


def test_the_surer_the_bowl_s_network_is_the_less_the_second_must_be():
    found = decide([look(*three(4, 5), die(6, AT[2], p=0.94))])
    assert found.reason == "unsure"
    assert with_tray_values(found, told(6, 0.8)).values == (4, 5, 6)


@pytest.mark.parametrize(("first", "second", "is_settled"), [(0.18, 0.96, False), (0.18, 0.99, True)])
def test_a_second_network_that_is_sure_enough_settles_what_the_bowl_s_knows_nothing_of(
    first: float, second: float, is_settled: bool
):
    found = decide([look(*three(4, 5), die(6, AT[2], p=first))])
    assert (with_tray_values(found, told(3, second)).values == (4, 5, 3)) == is_settled


@pytest.mark.parametrize(("first", "is_settled"), [(0.5, True), (0.94, False)])
def test_the_surer_the_bowl_s_network_is_of_another_value_the_surer_the_second_must_be(first: float, is_settled: bool):
    found = decide([look(*three(4, 5), die(6, AT[2], p=first))])
    assert (with_tray_values(found, told(3, 0.985)).values == (4, 5, 3)) == is_settled


@pytest.mark.parametrize(
    "dice",
    [
        (*three(4, 5), die(6, AT[2], flat=0.15)),
        (*three(4, 5, 6), die(1, AT[3], p=0.5, is_die=0.975)),
        (*three(4, 5, 6), die(1, AT[3], p=0.5, is_die=0.99)),
        (die(4, AT[0], p=0.7), die(6, AT[2])),
    ],
)
def test_a_second_network_settles_nothing_but_values(dice: tuple[Detection, ...]):
    found = decide([look(*dice)])
    assert found.reason in {"cocked", "doubtful", "count"}
    assert with_tray_values(found, told(1, 0.999)) is found


def test_a_second_network_settles_one_of_two_doubts():
    found = decide([look(die(4, AT[0], p=0.7), die(5, AT[1]), die(6, AT[2], p=0.7))])
    settled = with_tray_values(found, told(6, 0.98))
    assert (settled.reason, settled.values) == ("unsure", None)
    assert [each.value for each in settled.dice] == [None, 5, 6]


def facing(*ways: tuple[float, float]) -> Pass:
    """Return a pass with three dice, each with a face in the given direction."""
    return Pass(RIM, tuple(turned(each, *way) for each, way in zip(three(4, 5, 6), ways, strict=True)))


def turned(each: Detection, right: float, down: float) -> Detection:
    up = np.array([right, down, np.sqrt(1 - right**2 - down**2)])
    side = np.cross(up, [0.9, 0.4, 0.0])
    side /= np.linalg.norm(side)
    return replace(each, orientation=encoded(np.stack([side, np.cross(up, side), up])))


def test_three_dice_that_agree_tell_the_tilt_that_the_rim_hides():
    first = [facing((0.3, 0.0), (0.3, 0.0), (0.3, 0.0))]
    told = upright(RIM, first)
    assert 6 < told.tilt_deg < 20
    assert told.away_deg == pytest.approx(90, abs=25)
    assert decide(first, first).values == (4, 5, 6)


def test_a_die_on_its_edge_is_cocked():
    found = decide([facing((0.0, 0.0), (0.0, 0.0), (0.7, 0.0))])
    assert found.reason == "cocked"
    assert found.values is None


def test_turn_and_looks_together_must_speak_for_a_clear_upper_face():
    """Each of them alone would suffice."""
    turns = facing((0.0, 0.0), (0.0, 0.0), (-0.43, 0.36)).dice
    hardly = replace(turns[2], flat=0.25)
    clearly = replace(turns[2], flat=0.99)
    assert decide([look(*turns[:2], hardly)]).reason == "cocked"
    assert decide([look(*turns[:2], clearly)]).values == (4, 5, 6)


def test_the_face_that_looks_up_must_have_the_value_that_is_read():
    """By the normals of the faces 1, 2 and 3, another face than the one read is up."""
    faces = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]], np.float32)
    agree = replace(die(1, AT[0]), faces=faces)
    assert decide([look(agree, *three(4, 5, 6)[1:])]).values == (1, 5, 6)
    differ = replace(die(2, AT[0]), faces=faces)
    assert decide([look(differ, *three(4, 5, 6)[1:])]).reason == "unsure"


def test_what_shows_a_value_is_no_part_of_the_bowl():
    """A die that some passes took for a part of another one."""
    assert decide([look(*three(4, 5, 6), die(1, AT[3], is_die=0.5))]).reason == "doubtful"
    assert decide([look(*three(4, 5, 6), die(1, AT[3], p=0.6, is_die=0.5))]).values == (4, 5, 6)


def test_a_print_that_hardly_looks_like_dice_is_none_however_often_it_is_there():
    print_ = tuple(die(1, (60 + 45 * k, 290), is_die=0.95, p=0.4) for k in range(1, 5))
    assert decide([look(*three(4, 5, 6), *print_)]).values == (4, 5, 6)
    surer = die(1, (285, 290), is_die=0.98, p=0.4)
    assert decide([look(*three(4, 5, 6), *print_, surer)]).reason == "doubtful"


@pytest.mark.parametrize(("px", "reason"), [(60, "doubtful"), (45, "doubtful"), (30, ""), (110, "")])
def test_what_has_not_the_size_of_the_dice_is_none_of_them(px: int, reason: Reason):
    assert decide([look(*three(4, 5, 6), die(1, AT[3], p=0.5, is_die=0.975, px=px))]).reason == reason


def test_what_shows_a_value_need_not_be_quite_so_surely_a_die():
    """A die in the bowl's own colour; a lamp's reflection has no value."""
    assert decide([look(*three(4, 5), die(6, AT[2], is_die=0.93))]).values == (4, 5, 6)
    assert decide([look(*three(4, 5), die(6, AT[2], p=0.6, is_die=0.93))]).values is None


@pytest.mark.parametrize(
    ("last", "reason"),
    [
        (die(6, AT[2]), ""),
        (die(6, AT[2], p=0.05), "unsure"),
        (die(6, AT[2], flat=0.05), ""),
    ],
)
def test_every_look_must_agree(last: Detection, reason: Reason):
    good = look(*three(4, 5, 6))
    assert decide([good, good, look(*three(4, 5), last), good, good]).reason == reason
