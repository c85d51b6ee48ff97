"""What looks at a bowl become: a throw, or the reason why not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.games.chinchirorin.camera.rim import Rim
from companion.games.chinchirorin.camera.sight import Place, SeenDie, Sight
from companion.games.chinchirorin.camera.verdict import Trouble, verdict
from companion.vision.dice.boxes import DieBox

RIM = Rim((200.0, 200.0), 300.0, 300.0, 0.0, 0.0, 0.0)
AT = ((120, 180), (200, 240), (260, 150), (180, 130))


def die(
    value: int, at: tuple[int, int], *, p: float = 0.99, none: float = 0.01, tipped: float = 0.01, px: int = 60,
    place: Place = "in",
) -> SeenDie:  # fmt: skip
    values = np.full(6, (1 - p) / 5, np.float32)
    values[value - 1] = p
    states = np.array([1 - none - tipped, tipped, none], np.float32)
    return SeenDie(DieBox((at[0] - px // 2, at[1] - px // 2, px, px), 0.9), values, states, place)


def look(*dice: SeenDie) -> Sight:
    return Sight(RIM, dice)


def three(*values: int) -> tuple[SeenDie, ...]:
    return tuple(die(value, at) for value, at in zip(values, AT, strict=False))


def test_three_sure_dice_are_a_throw_from_left_to_right():
    found = verdict([look(*three(4, 5, 6))])
    assert found.values == (4, 5, 6)
    assert found.trouble == ""


@pytest.mark.parametrize(
    ("dice", "trouble"),
    [
        (three(4, 5), "count"),
        (three(4, 5, 6, 1), "count"),
        ((), "count"),
        ((*three(4, 5, 6), die(1, AT[3], none=0.7)), "doubtful"),
        ((*three(4, 5), die(6, AT[2], none=0.95)), "count"),
        ((*three(4, 5), die(6, AT[2], p=0.7)), "unsure"),
        ((*three(4, 5), die(6, AT[2], tipped=0.6)), "cocked"),
        ((*three(4, 5), die(6, (352, 200), place="rim")), "rim"),
        ((*three(4, 5), die(6, (390, 200), place="out")), "out"),
        ((*three(4, 5, 6), die(6, (390, 200), place="out")), "count"),
        ((*three(4, 5), die(6, AT[2], px=150)), "doubtful"),
        (tuple(die(v, at, px=28) for v, at in zip((1, 2, 3), AT, strict=False)), "small"),
    ],
)
def test_anything_else_is_no_throw(dice: tuple[SeenDie, ...], trouble: Trouble):
    found = verdict([look(*dice)])
    assert found.trouble == trouble
    assert found.values is None


def test_a_face_that_cannot_be_up_is_not_sure():
    """Seen aslant, the side that faces the camera looks like the upper one."""
    askew = replace(die(6, AT[2]), off_upright=0.6)
    assert verdict([look(*three(4, 5), askew)]).trouble == "unsure"


def test_what_may_be_a_die_on_the_table_does_not_matter():
    assert verdict([look(*three(1, 2, 3), die(5, (390, 200), p=0.5, place="out"))]).values == (1, 2, 3)


def test_what_is_clearly_none_does_not_matter():
    assert verdict([look(*three(1, 2, 3), die(5, AT[3], none=0.97))]).values == (1, 2, 3)


def test_looks_that_contradict_each_other_are_not_sure():
    other = (die(6, AT[0]), *three(4, 5, 6)[1:])
    assert verdict([look(*three(4, 5, 6)), look(*other)]).trouble == "unsure"


def test_looks_that_count_differently_are_no_throw():
    assert verdict([look(*three(4, 5)), look(*three(4, 5, 6))]).values is None


def test_a_repeated_look_is_the_same_throw():
    assert verdict([look(*three(1, 1, 1))] * 3).values == (1, 1, 1)


def tilted(deg: float, away_deg: float | None) -> Rim:
    return replace(RIM, tilt_deg=deg, away_deg=away_deg)


@pytest.mark.parametrize(
    ("rim", "is_throw"),
    [(tilted(8, 0.0), True), (tilted(20, 90.0), True), (tilted(20, None), False), (tilted(28, 90.0), False)],
)
def test_which_way_is_up_must_be_known(rim: Rim, is_throw: bool):
    found = verdict([Sight(rim, three(4, 5, 6))])
    assert found.trouble == ("" if is_throw else "unsure")
    assert (found.values is not None) == is_throw


def seen_otherwise(whole: SeenDie, *, value: float = 0.99, flat: float = 0.99) -> SeenDie:
    """A die that one of nine views doubts."""
    values, states = (np.repeat(each, 9, axis=0) for each in whole.views)
    best = int(whole.values.argmax())
    values[4] = (1 - value) / 5
    values[4, best] = value
    states[4] = flat, 1 - flat, 0
    return replace(whole, said=(values, states))


@pytest.mark.parametrize(
    ("last", "trouble"),
    [
        (seen_otherwise(die(6, AT[2])), ""),
        (seen_otherwise(die(6, AT[2]), value=0.4), "unsure"),
        (seen_otherwise(die(6, AT[2]), flat=0.8), "cocked"),
        (replace(die(6, AT[2]), off_upright=0.2), "unsure"),
        (die(6, AT[2], px=96), "doubtful"),
    ],
)
def test_every_view_must_agree(last: SeenDie, trouble: Trouble):
    assert verdict([look(*three(4, 5), last)]).trouble == trouble


def test_a_view_of_any_look_that_doubts_a_die_forbids_the_answer():
    doubted = look(*three(4, 5), seen_otherwise(die(6, AT[2]), flat=0.8))
    assert verdict([doubted, look(*three(4, 5, 6)), look(*three(4, 5, 6))]).values is None
