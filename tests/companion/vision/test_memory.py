"""Memory of cards that are invisible for a moment."""

import cv2
import numpy as np
import pytest

from companion.vision.live.memory import Memory
from companion.vision.sightings import Quad, TagSeen

SIDE = 24
LOWER, UPPER = (40, 40), (40, 80)


def _square(x: int, y: int, side: int = SIDE) -> Quad:
    return ((x, y), (x + side, y), (x + side, y + side), (x, y + side))


def _picture(*, hand_at: tuple[int, int] | None = None) -> np.ndarray:
    """Return a cloth with two tags, uint8 (h, w), optionally with a hand on one."""
    rng = np.random.default_rng(7)
    picture = np.full((200, 200), 90, np.uint8)
    for x, y in (LOWER, UPPER):
        modules = rng.integers(0, 2, (8, 8)).astype(np.uint8) * 215 + 20
        picture[y : y + SIDE, x : x + SIDE] = np.kron(modules, np.ones((3, 3), np.uint8))
    if hand_at is not None:
        cv2.rectangle(picture, hand_at, (hand_at[0] + SIDE, hand_at[1] + SIDE), 150, cv2.FILLED)
    return picture


def _small(picture: np.ndarray) -> np.ndarray:
    return cv2.resize(picture, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)


def _memory_of_both(*, lower_again: bool) -> Memory:
    """The upper card's tag was last read at 1.0 s; then a hand covers it, and at 2.0 s the other tag is read."""
    memory, plain, hidden = Memory(), _picture(), _picture(hand_at=UPPER)
    lower, upper = TagSeen(5, _square(*LOWER)), TagSeen(9, _square(*UPPER))
    memory.remember([lower, upper] if lower_again else [upper], plain, _small(plain), 1.0)
    memory.mark_changed(np.ones((13, 13), bool))
    for item in memory.items:
        item.compare(hidden)
    memory.remember([lower], hidden, _small(hidden), 2.0)
    return memory


def test_a_card_read_anew_does_not_lie_upon_what_lay_on_it():
    memory = _memory_of_both(lower_again=True)
    assert not memory.forget_below([(_square(*LOWER), _square(30, 30, 120))])
    assert {tag.number for tag in memory.tags} == {5, 9}


def test_a_card_that_came_later_lies_upon_what_is_not_seen_any_more():
    memory = _memory_of_both(lower_again=False)
    assert memory.forget_below([(_square(*LOWER), _square(30, 30, 120))])
    assert {tag.number for tag in memory.tags} == {5}


@pytest.mark.parametrize(("lower_again", "left"), [(True, {5, 9}), (False, {5})])
def test_a_code_read_again_does_not_make_its_card_a_new_one(lower_again, left):
    memory = _memory_of_both(lower_again=lower_again)
    memory.forget_below_new(_square(20, 20, 120), {_square(*LOWER)}, 2.0)
    assert {tag.number for tag in memory.tags} == left
