"""What the demo's dealer, who saw it all, presses: the true choice, and nothing where hands mend it."""

from __future__ import annotations

import pytest

from companion.games.rochi.demo.answers import answer_to
from companion.games.rochi.demo.seen import Awaited

VIEW = {"players": [{"name": "Aubrey", "seat": 1}, {"name": "Benedict", "seat": 2}], "turn": "Benedict"}
PLAYED = Awaited({"do": "play", "card": "6D3"}, 4, 1.0)


def asked(card, *choices):
    return {"id": "q", "card": card, "choices": [{"id": choice, "label": choice} for choice in choices]}


@pytest.mark.parametrize(
    ("question", "choice"),
    [
        (asked("6D3", "deal2", "end2+play1", "play2", "aside"), "play2"),
        (asked("6D3", "aside", "seed", "play", "deal"), "play"),
        (asked(None, "5D1", "6D3"), "6D3"),
        (asked("6D3", "here", "aside"), "here"),
        (asked("6D3", "approve", "aside"), "approve"),
        (asked("6D3", "again", "aside"), "again"),
        (asked("6D3", "leave"), None),
        (asked("5D1", "play2", "deal2"), None),
        (asked(None, "leave"), None),
    ],
)
def test_the_true_choice_is_pressed(question, choice):
    assert answer_to(question, VIEW, None, [PLAYED]) == choice


def test_a_mischief_is_not_approved():
    wrong = Awaited({"do": "play", "card": "6D3"}, 4, 1.0, is_wrong=True)
    assert answer_to(asked("6D3", "approve", "aside"), VIEW, None, [wrong]) is None
