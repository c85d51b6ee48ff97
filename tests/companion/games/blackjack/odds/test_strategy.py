"""The printed basic strategy."""

import pytest

from companion.games.blackjack.odds.edges import edges, every_rule_set
from companion.games.blackjack.odds.rule_set import RuleSet
from companion.games.blackjack.odds.strategy import ROWS, Action, Strategy

EVERYTHING = ("stand", "hit", "double", "split", "surrender")
TABLE = edges(RuleSet()).strategy


def best(table: Strategy, cards: list[str], up: str, allowed: tuple[str, ...]) -> Action:
    return next(action for action in table.cell(cards, up) if action in allowed)


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
    assert best(TABLE, hand.split(), up, EVERYTHING) == action


def test_a_hand_that_cannot_do_the_best_does_the_next() -> None:
    assert best(TABLE, ["TS", "6D"], "TD", ("stand", "hit")) == "hit"
    assert best(TABLE, ["AS", "4D", "3D"], "6D", ("stand", "hit")) == "stand"
    assert best(TABLE, ["AS", "2D", "2C"], "6D", ("stand", "hit")) == "hit"
    assert best(TABLE, ["8S", "8D"], "9D", ("stand", "hit", "double")) == "hit"


def test_one_card_aces_are_not_split_against_an_ace() -> None:
    one_card = edges(RuleSet(split_aces="one-card")).strategy
    assert best(one_card, ["AS", "AD"], "AC", EVERYTHING) == "hit"
    assert best(one_card, ["AS", "AD"], "6C", EVERYTHING) == "split"


def test_without_surrender_nobody_surrenders() -> None:
    none = edges(RuleSet(surrender="none")).strategy
    assert not [row for row, cells in none.rows.items() if any("surrender" in cell for cell in cells)]


def test_the_table_as_letters() -> None:
    rows = TABLE.to_json()
    assert len(rows) == len(ROWS)
    assert rows["hard/16"] == "RH S S S S S H H H RH"
    assert rows["soft/18"] == "H S DS DS DS DS S S H H"
    assert rows["pair/8"].split()[1] == "PS"
    assert set(rows["pair/10"].split()) == {"S"}


def test_ten_values_are_never_split_from_a_full_shoe() -> None:
    for rules in every_rule_set():
        assert set(edges(rules).strategy.rows["pair/10"]) == {("stand",)}
