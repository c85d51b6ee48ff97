"""The printed basic strategy."""

from __future__ import annotations

import pytest

from companion.games.blackjack.odds.edges import edges, every_rule_set
from companion.games.blackjack.odds.rule_set import RuleSet

EVERYTHING = ("stand", "hit", "double", "split", "surrender")
TABLE = edges(RuleSet()).strategy


@pytest.mark.parametrize(
    ("hand", "up", "action"),
    [
        ("TS 6D", "TD", "surrender"),
        ("TS 6D", "6D", "stand"),
        ("TS 2D", "3D", "hit"),
        ("TS 2D", "4D", "stand"),
        ("5S 6D", "AD", "hit"),  # doubled only where the dealer peeks
        ("5S 6D", "9D", "double"),
        ("AS 7D", "6D", "double"),
        ("AS 7D", "9D", "hit"),
        ("8S 8D", "9D", "split"),
        ("8S 8D", "TD", "surrender"),
        ("TS TD", "6D", "stand"),
        ("TS KD", "6D", "stand"),
        ("5S 5D", "9D", "double"),
        ("9S 9D", "7D", "stand"),
        ("AS AD", "AD", "split"),  # split aces play on
    ],
)
def test_known_plays_of_two_decks_without_a_peek(hand: str, up: str, action: str) -> None:
    assert TABLE.best(hand.split(), up, EVERYTHING) == action


def test_a_hand_that_cannot_do_the_best_does_the_next() -> None:
    assert TABLE.best(["TS", "6D"], "TD", ("stand", "hit")) == "hit"
    assert TABLE.best(["AS", "4D", "3D"], "6D", ("stand", "hit")) == "stand"
    assert TABLE.best(["AS", "2D", "2C"], "6D", ("stand", "hit")) == "hit"
    assert TABLE.best(["8S", "8D"], "9D", ("stand", "hit", "double")) == "hit"


def test_a_hand_that_cannot_play_at_all_is_an_error() -> None:
    with pytest.raises(ValueError, match="TS 6D can only deal"):
        TABLE.best(["TS", "6D"], "TD", ("deal",))


def test_one_card_aces_are_not_split_against_an_ace() -> None:
    one_card = edges(RuleSet(split_aces="one-card")).strategy
    assert one_card.best(["AS", "AD"], "AC", EVERYTHING) == "hit"
    assert one_card.best(["AS", "AD"], "6C", EVERYTHING) == "split"


def test_without_surrender_nobody_surrenders() -> None:
    none = edges(RuleSet(surrender="none")).strategy
    assert not [row for row, cells in none.rows.items() if any("surrender" in cell for cell in cells)]


def test_printed_card() -> None:
    card = dict(TABLE.printed())
    assert len(card) == 35
    assert card["16"] == ("S", "S", "S", "S", "S", "H", "H", "H", "RH", "RH")
    assert card["A,7"] == ("S", "DS", "DS", "DS", "DS", "S", "S", "H", "H", "H")
    assert card["8,8"][0] == "PS"
    assert card["10,10"] == ("S",) * 10


def test_ten_values_are_never_split_from_a_full_shoe() -> None:
    for rules in every_rule_set():
        assert set(edges(rules).strategy.rows["pair/10"]) == {("stand",)}
