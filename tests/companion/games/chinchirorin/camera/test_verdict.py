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
