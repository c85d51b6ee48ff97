"""Answers of the demo's dealer, who saw everything: the true choice, or none if hands will correct the table."""

import pytest
from demo_world import asked

from companion.games.rochi.demo.agent import PendingSighting, answer_to
from companion.games.rochi.demo.moves import board_of
from companion.testing import moment_at, new_table

PLAYED = PendingSighting({"do": "play", "card": "6D3"}, 4, 1.0)


def on(card, *choices):
    return asked("q", "unsure", card, choices)


@pytest.fixture
def board():
    """Benedict, in seat 2, is to act."""
    table = new_table("rochi", [(name, 50) for name in ("Aubrey", "Benedict", "Celia")], {"leader": 2})
    for card in ("6D1", "6N1", "5D1", "7D1", "7D2", "2D1"):
        table.do({"do": "seed", "card": card})
    return board_of(moment_at(table))


@pytest.mark.parametrize(
    ("question", "choice"),
    [
        (on("6D3", "deal2", "end2+play1", "play2", "aside"), "play2"),
        (on("6D3", "aside", "seed", "play", "deal"), "play"),
        (on(None, "5D1", "6D3"), "6D3"),
        (on("6D3", "here", "aside"), "here"),
        (on("6D3", "approve", "aside"), "approve"),
        (on("6D3", "again", "aside"), "again"),
        (on("6D3", "leave"), None),
        (on("5D1", "play2", "deal2"), None),
        (on(None, "leave"), None),
    ],
)
def test_the_true_choice_is_pressed(board, question, choice):
    assert answer_to(question, board, [PLAYED]) == choice
