"""Live odds of a hand in play."""

import pytest

from companion.games.blackjack.odds.live import live_odds
from companion.games.blackjack.odds.rule_set import RuleSet, SplitAces
from companion.games.blackjack.odds.solver import solved

EVERYTHING = ("stand", "hit", "double", "split", "surrender", "hold")
RULES = RuleSet()


def worths(*args: object, **kwargs: object) -> dict[str, float]:
    odds = live_odds(RULES, *args, **{"allowed": EVERYTHING[:3], **kwargs})  # type: ignore[arg-type]
    return {choice.action: choice.coins for choice in odds.choices}


@pytest.mark.parametrize(("up", "value"), [("AD", 0), ("6D", 5), ("KD", 9)])
def test_a_first_deal_is_worth_what_the_solver_says(up: str, value: int) -> None:
    one = solved(RULES)[value]
    offered = one.offered(one.worths, "late", "play-on")
    for deal, hand in ((18, ["2S", "TD"]), (49, ["8S", "8D"]), (10, ["2S", "2D"]), (55, ["TS", "KD"])):
        assert one.deals[deal].is_pair == (hand[0][0] == hand[1][0])
        actions = [action for action in EVERYTHING[:5] if action != "split" or one.deals[deal].is_pair]
        found = live_odds(RULES, hand, up, allowed=actions)
        for choice in found.choices:
            coins, win, lose = offered[choice.action][:, deal]
            assert (choice.coins, choice.win, choice.lose) == pytest.approx((coins, win, lose), abs=1e-12)
            assert choice.win + choice.push + choice.lose == pytest.approx(1)
        assert sum(found.dealer.values()) == pytest.approx(1)


def test_the_best_comes_first_and_only_what_is_allowed() -> None:
    found = live_odds(RULES, ["TS", "6D"], "TD", allowed=("hold", "surrender", "hit", "stand"))
    assert [choice.action for choice in found.choices] == ["surrender", "hit", "stand"]
    assert found.insurance is None


def test_seen_cards_count() -> None:
    """With the fives and fours gone, 16 stands against a ten."""
    low = [f"{rank}{suit}" for rank in "45" for suit in "SHDC"] * 2
    assert worths(["TS", "6D"], "TD")["hit"] > worths(["TS", "6D"], "TD")["stand"]
    assert worths(["TS", "6D"], "TD", low)["hit"] < worths(["TS", "6D"], "TD", low)["stand"]


def test_insurance_pays_once_enough_small_cards_are_gone() -> None:
    fresh = live_odds(RULES, ["9S", "7D"], "AD", allowed=("stand",)).insurance
    small = [f"{rank}{suit}" for rank in "2345" for suit in "SHDC"]
    later = live_odds(RULES, ["9S", "7D"], "AD", small, allowed=("stand",)).insurance
    assert fresh == pytest.approx(3 * 32 / 101 - 1)
    assert later == pytest.approx(3 * 32 / 85 - 1)


def test_a_bet_with_four_hands_is_not_split_again_and_with_three_once() -> None:
    with_more = worths(["8S", "8D"], "6D", allowed=("split",), hands=2)["split"]
    once = worths(["8S", "8D"], "6D", allowed=("split",), hands=3)["split"]
    assert once < with_more


@pytest.mark.parametrize("aces", ["play-on", "one-card"])
def test_split_aces_by_their_rule(aces: SplitAces) -> None:
    rules = RuleSet(split_aces=aces)
    one = solved(rules)[4]
    coins = live_odds(rules, ["AS", "AD"], "5D", allowed=("split",)).choices[0].coins
    assert coins == pytest.approx((one.one_card if aces == "one-card" else one.splits[0]).worth[0])


def test_a_second_king_is_rarer_than_a_second_ten_value() -> None:
    """With the small cards gone, kings are split, and again if there is another king."""
    small = [f"{rank}{suit}" for rank in "23459" for suit in "SHDC"]
    both_kings_gone, both_queens_gone = (
        live_odds(RuleSet(decks=1), ["KS", "KD"], "6D", [*small, *gone], allowed=("split", "stand"))
        for gone in (["KH", "KC"], ["QH", "QC"])
    )
    assert both_queens_gone.choices[0].action == both_kings_gone.choices[0].action == "split"
    assert both_queens_gone.choices[0].coins > both_kings_gone.choices[0].coins + 0.01


def test_cards_that_the_shoe_does_not_have() -> None:
    with pytest.raises(ValueError, match="5C was seen 2 times in 1 decks"):
        live_odds(RuleSet(decks=1), ["5S", "5D"], "5H", ["5C", "5C"], allowed=("hit",))
    with pytest.raises(ValueError, match="none of the actions is allowed: deal"):
        live_odds(RULES, ["5S", "5D"], "5H", allowed=("deal",))
