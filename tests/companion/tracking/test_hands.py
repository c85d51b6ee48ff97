"""Grouping the cards on a mat into hands by their overlap."""

import pytest
from cards_on_mat import lying

from companion.tracking.cards.hands import hand_of, lies_across

FIRST = (lying(1, "8S", (100, 100)), lying(2, "3D", (100, 124)))
SECOND = (lying(3, "8H", (170, 100)),)


@pytest.mark.parametrize(
    ("at", "turn", "hand"),
    [
        ((102, 148), 3.0, 0),
        ((172, 124), -4.0, 1),
        ((100, 150), 90.0, 0),
        ((135, 130), 0.0, None),  # half on each
        ((100, 206), 0.0, None),  # its edge just touches
        ((300, 100), 0.0, None),
    ],
)
def test_a_card_belongs_to_the_one_hand_that_it_lies_on(at, turn, hand):
    assert hand_of(lying(4, "KC", at, turn), (FIRST, SECOND)) == hand


def test_a_card_without_a_mat_lies_on_nothing():
    loose = lying(4, "KC", (100, 124))
    assert hand_of(loose, ()) is None


@pytest.mark.parametrize(
    ("turn", "across"), [(4, False), (-12, False), (176, False), (86, True), (-95, True), (45, None)]
)
def test_a_card_across_a_hand_is_told_from_one_along_it(turn, across):
    assert lies_across(lying(4, "KC", (100, 124), turn), FIRST[0]) is across
