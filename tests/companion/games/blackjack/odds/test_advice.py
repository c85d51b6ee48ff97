"""Advice on the pending decision for each viewer, and the basic strategy card."""

from typing import Any

import pytest

from companion.games.blackjack.odds.advice import NextCard, advice, next_cards
from companion.games.blackjack.odds.card import HEADS, letters, strategy_card
from companion.games.blackjack.odds.cards import VALUES
from companion.games.blackjack.odds.edges import edges, every_rule_set
from companion.games.blackjack.odds.live import live_odds
from companion.games.blackjack.odds.rule_set import RuleSet
from companion.games.blackjack.plugin import BLACKJACK
from companion.games.blackjack.rules import Blackjack
from companion.kernel.errors import BadScript
from companion.kernel.table import Header, Table

DEAL = [("Ann", "8S"), ("Bo", "TS"), ("dealer", "AD"), ("Ann", "8C"), ("Bo", "6S")]


def table(*more: dict[str, Any], **options: Any) -> Any:
    """Return the state after two bets, a deal and further commands."""
    played = Table(Header(Blackjack(), (("Ann", 1000), ("Bo", 500), ("Cy", 100)), options))
    bets = ({"do": "bet", "player": name, "amount": 100} for name in ("Ann", "Bo"))
    dealt = ({"do": "deal", "to": to, "card": card} for to, card in DEAL)
    for record in (*bets, *dealt, {"do": "hole"}, *more):
        played.do(record)
    return played.situation().state


def test_live_odds_know_every_card_on_the_table() -> None:
    told = advice(table(), "room")
    found = live_odds(
        RuleSet(), ["8S", "8C"], "AD", ["TS", "6S"], allowed=("hit", "stand", "double", "split", "surrender")
    )
    assert (told["player"], told["hand"], told["dealer"]) == ("Ann", 1, found.dealer)
    assert told["choices"] == [
        {"do": one.action, "coins": one.coins, "win": one.win, "push": one.push, "lose": one.lose}
        for one in found.choices
    ]
    assert told["insurance"] == pytest.approx(3 * 31 / 99 - 1)


def test_live_odds_of_a_split_hand_know_the_other_hands() -> None:
    told: Any = advice(table({"do": "split", "cards": ["3D", "8D"]}, {"do": "stand"}), "dealer")
    found = live_odds(
        RuleSet(), ["8C", "8D"], "AD", ["8S", "3D", "TS", "6S"], hands=2, allowed=("hit", "stand", "double", "split")
    )
    assert (told["player"], told["hand"]) == ("Ann", 2)
    assert {one["do"]: one["coins"] for one in told["choices"]} == {one.action: one.coins for one in found.choices}


def test_only_the_phone_whose_turn_it_is_gets_the_hint() -> None:
    state = table()
    assert advice(state, "seat/1") == {"hint": ["surrender", "hit"]}
    assert advice(state, "seat/2") == advice(state, "seat/3") == {}
    assert advice(table({"do": "stand"}), "seat/2") == {"hint": ["surrender", "hit"]}
    assert advice(table({"do": "hit", "card": "2C"}), "seat/1") == {"hint": ["stand"]}


def test_a_house_that_forbids_hints_keeps_the_odds_for_the_dealer() -> None:
    state = table(hints=False)
    assert advice(state, "room") == advice(state, "seat/1") == {}
    assert "choices" in advice(state, "dealer")
    assert Blackjack().view(state)["hints"] is False
    assert "hints" not in Blackjack().view(table())
    with pytest.raises(BadScript, match="'hints' is true or false"):
        table(hints="no")


def test_nobody_decides() -> None:
    waiting = table({"do": "split", "cards": ["TD"]}, {"do": "stand"})
    everybody_stood = table({"do": "stand"}, {"do": "stand"})
    assert [advice(state, viewer) for state in (waiting, everybody_stood) for viewer in ("room", "seat/1")] == [{}] * 4


def test_what_is_left_in_the_shoe_counts_this_round_alone() -> None:
    left = [chance.to_json() for chance in next_cards(table())]
    assert [one["card"] for one in left] == ["2", "3", "4", "5", "6", "7", "8", "9", "10", "A"]
    assert [one["left"] for one in left] == [8, 8, 8, 8, 7, 8, 6, 8, 31, 7]
    assert sum(one["float"] for one in left) == pytest.approx(1)  # type: ignore[misc]
    over = table({"do": "stand"}, {"do": "stand"}, {"do": "reveal", "card": "9D"})
    assert [one.to_json()["left"] for one in next_cards(over)] == [8] * 8 + [32, 8]
    assert NextCard(VALUES - 1, 32, 104).to_json() == {"card": "10", "left": 32, "float": 32 / 104}


def test_the_plug_in_has_it_all() -> None:
    odds, state = BLACKJACK.odds, table()
    assert odds.advice is not None
    assert odds.advice(state, "seat/1") == advice(state, "seat/1")
    assert len(odds.chances(state)) == VALUES


def test_every_card_says_what_the_solvers_table_says() -> None:
    """Every hand on every card, found by its label."""
    for rules in every_rule_set():
        table_rows, hands = edges(rules).strategy.rows, 0
        for part, key in zip(strategy_card(rules)["parts"], ("hard", "soft", "pair"), strict=True):
            for row in part["rows"]:
                for label in numbers(row["label"], key):
                    cells = table_rows[f"{key}/{label}"]
                    for head, shown in zip(HEADS, row["cells"], strict=True):
                        up = 0 if head == "A" else int(head) - 1
                        assert tuple(shown) == cells[up][: len(shown)], (rules, label, head)
                        assert len(shown) == 2 or cells[up][0] not in ("double", "surrender")
                    hands += 1
        assert hands == 17 + 8 + 10


def numbers(label: str, kind: str) -> range | list[int]:
    """Return the table rows for a label such as ``A,2–A,5``."""
    ends = [part.split(",")[-1] for part in label.split("–")]
    if ends == ["A"]:
        return [1]
    first, last = int(ends[0]), int(ends[-1])
    more = 11 if kind == "soft" else 0
    return range(first + more, last + more + 1)


def test_a_card_without_surrender_has_no_letter_for_it() -> None:
    assert "surrender" not in strategy_card(RuleSet(surrender="none"))["legend"]
    assert letters(("surrender", "stand")) == "Rs"
