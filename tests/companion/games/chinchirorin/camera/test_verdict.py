"""What looks at a bowl become: a throw, or the reason why not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.games.chinchirorin.camera.rim import Rim
from companion.games.chinchirorin.camera.sight import Place, SeenDie, Sight
from companion.games.chinchirorin.camera.verdict import Trouble, upright, verdict
from companion.vision.dice.boxes import DieBox

RIM = Rim((200.0, 200.0), 300.0, 300.0, 0.0, 0.0, 0.0)
AT = ((120, 180), (200, 240), (260, 150), (180, 130))


def die(
    value: int, at: tuple[int, int], *, p: float = 0.99, is_die: float = 0.99, flat: float = 0.99, px: int = 60,
    place: Place = "in",
) -> SeenDie:  # fmt: skip
    values = np.full(6, (1 - p) / 5, np.float32)
    values[value - 1] = p
    return SeenDie(DieBox((at[0] - px // 2, at[1] - px // 2, px, px), is_die), values, flat, place)


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
        ((*three(4, 5, 6), die(1, AT[3], is_die=0.93)), "doubtful"),
        ((*three(4, 5), die(6, AT[2], is_die=0.05)), "count"),
        ((*three(4, 5), die(6, AT[2], p=0.7)), "unsure"),
        ((*three(4, 5), die(6, AT[2], flat=0.4)), "cocked"),
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


def test_what_may_be_a_die_on_the_table_does_not_matter():
    assert verdict([look(*three(1, 2, 3), die(5, (390, 200), p=0.5, place="out"))]).values == (1, 2, 3)


def test_what_is_clearly_none_does_not_matter():
    assert verdict([look(*three(1, 2, 3), die(5, AT[3], is_die=0.03))]).values == (1, 2, 3)


def test_looks_that_contradict_each_other_are_not_sure():
    other = (die(6, AT[0]), *three(4, 5, 6)[1:])
    assert verdict([look(*three(4, 5, 6)), look(*other)]).trouble == "unsure"


def test_looks_that_count_differently_are_no_throw():
    assert verdict([look(*three(4, 5)), look(*three(4, 5, 6))]).values is None


def test_a_die_that_one_look_sees_twice_is_no_throw():
    """Two middles so near each other that they are the same thing to the other looks."""
    doubled = look(*three(4, 5, 6), die(4, (AT[0][0] + 12, AT[0][1])))
    assert verdict([doubled, look(*three(4, 5, 6))]).trouble == "doubtful"


def test_a_repeated_look_is_the_same_throw():
    assert verdict([look(*three(1, 1, 1))] * 3).values == (1, 1, 1)


def test_a_picture_from_far_aside_is_not_sure():
    aslant = replace(RIM, tilt_deg=38.0)
    dice = tuple(replace(each, up=(0.0, -0.6)) for each in three(4, 5, 6))
    assert verdict([Sight(aslant, dice)]).trouble == "unsure"


def facing(*ups: tuple[float, float]) -> Sight:
    return Sight(RIM, tuple(replace(each, up=up) for each, up in zip(three(4, 5, 6), ups, strict=True)))


def test_three_dice_that_agree_tell_the_tilt_that_the_rim_hides():
    first = [facing((0.3, 0.0), (0.3, 0.0), (0.3, 0.0))]
    told = upright(RIM, first)
    assert 8 < told.tilt_deg < 20
    assert told.away_deg == pytest.approx(90, abs=15)
    assert verdict(first, first).values == (4, 5, 6)


def test_a_die_that_looks_another_way_than_the_others_is_cocked():
    first = [facing((0.0, 0.0), (0.0, 0.0), (0.6, 0.0))]
    found = verdict([look(*three(4, 5, 6))], first)
    assert found.trouble == "cocked"
    assert found.values is None


def test_a_die_that_hardly_fits_the_others_must_be_surely_flat():
    first = [facing((0.0, 0.0), (0.0, 0.0), (0.2, 0.0))]
    assert verdict([look(*three(4, 5, 6))], first).trouble == ""
    rather = tuple(replace(each, flat=0.75) for each in three(4, 5, 6))
    assert verdict([look(*rather)], [look(*rather)]).trouble == ""
    assert verdict([look(*rather)], first).trouble == "cocked"


def test_a_bowl_that_looks_like_dice_everywhere_is_doubtful():
    clutter = tuple(die(1, (60 + 45 * k, 290), is_die=0.6, p=0.4) for k in range(1, 5))
    assert verdict([look(*three(4, 5, 6), *clutter[:2])]).trouble == ""
    assert verdict([look(*three(4, 5, 6), *clutter)]).trouble == "doubtful"


@pytest.mark.parametrize(
    ("last", "trouble"),
    [
        (die(6, AT[2]), ""),
        (die(6, AT[2], p=0.5), "unsure"),
        (die(6, AT[2], flat=0.5), "cocked"),
    ],
)
def test_every_look_must_agree(last: SeenDie, trouble: Trouble):
    good = look(*three(4, 5, 6))
    assert verdict([good, good, look(*three(4, 5), last), good, good]).trouble == trouble
