"""The edges: published figures, the stored file, and consequences of the rules."""

from fractions import Fraction
from pathlib import Path
from typing import get_args

import pytest

from companion.games.blackjack.odds.bets import bets, players_edge
from companion.games.blackjack.odds.edges import Edges, edges, every_rule_set
from companion.games.blackjack.odds.rule_set import RuleSet, Soft17, SplitAces, Surrender
from companion.games.blackjack.odds.solver import edge_of_stake, solve, solve_all


@pytest.fixture(scope="module")
def two_decks() -> dict[RuleSet, Edges]:
    return solve(RuleSet(decks=2))


@pytest.mark.parametrize(("surrender", "published"), [("none", 0.30), ("late", 0.25), ("early", -0.33)])
def test_published_edges_without_a_peek(
    surrender: Surrender, published: float, two_decks: dict[RuleSet, Edges]
) -> None:
    """2 decks, dealer stands on 17, double after split, one card to split aces, basic strategy."""
    found = two_decks[RuleSet(surrender=surrender, split_aces="one-card")]
    assert round(100 * found.table_edge, 2) == published
    assert found.edge < found.table_edge < found.edge + 0.0002


def test_published_edge_with_a_peek() -> None:
    """2 decks, dealer stands on 17, double after split, late surrender: 0.141 to 0.145 %."""
    rules = RuleSet(split_aces="one-card", peek=True)
    found = solve(rules)[rules]
    assert 0.141 <= 100 * found.table_edge <= 0.145


def test_kept_edges_are_the_solvers(two_decks: dict[RuleSet, Edges]) -> None:
    """To update them: python -m companion.games.blackjack.odds.solver."""
    for rules, found in two_decks.items():
        kept = edges(rules)
        assert (kept.strategy, kept.least_stake) == (found.strategy, found.least_stake)
        assert (kept.edge, kept.table_edge) == pytest.approx((found.edge, found.table_edge), abs=1e-11)
        assert (kept.win, kept.lose) == pytest.approx((found.win, found.lose), abs=1e-11)
        assert kept.table_win == pytest.approx(found.table_win, abs=1e-11)


@pytest.mark.slow
def test_all_kept_edges_are_the_solvers() -> None:
    found = solve_all()
    assert len(found) == 96
    for rules in every_rule_set():
        solved = found[f"{rules.decks}/{rules.soft17}/{rules.surrender}/{rules.split_aces}"]
        assert edges(rules).strategy.to_json() == solved["strategy"]
        assert edges(rules).edge == pytest.approx(solved["edge"], abs=1e-11)
        assert edges(rules).table_edge == pytest.approx(solved["table_edge"], abs=1e-11)


def test_each_rule_moves_the_edge_the_way_that_players_know() -> None:
    for decks in range(1, 9):
        for soft17 in get_args(Soft17):
            for aces in get_args(SplitAces):
                none, late, early = (
                    edges(RuleSet(decks, soft17, surrender, aces)).edge for surrender in ("none", "late", "early")
                )
                assert early < late < none
    for rules in every_rule_set():
        found = edges(rules)
        assert found.edge <= found.table_edge
        assert found.table_win == pytest.approx(found.win, abs=0.005)
        assert found.edge < edges(RuleSet(rules.decks, "hit", rules.surrender, "one-card")).edge or rules == RuleSet(
            rules.decks, "hit", rules.surrender, "one-card"
        )
        if rules.decks > 1:
            fewer = RuleSet(rules.decks - 1, rules.soft17, rules.surrender, rules.split_aces)
            assert edges(fewer).edge < found.edge


def test_the_tables_own_rules_leave_the_house_an_edge_and_early_surrender_does_not() -> None:
    assert players_edge(RuleSet()) is None
    assert float(players_edge(RuleSet(surrender="early")) or 0) == pytest.approx(0.0055, abs=1e-5)
    assert players_edge(RuleSet(decks=1)) is not None


def test_docs_have_every_edge() -> None:
    """docs/odds.md: a line per decks and soft 17 rule, against optimal play and in brackets against basic strategy."""
    page = (Path(__file__).parents[5] / "docs" / "odds.md").read_text(encoding="utf-8")
    for decks in range(1, 9):
        for soft17 in get_args(Soft17):
            found = [
                edges(RuleSet(decks, soft17, surrender, aces))
                for aces in ("play-on", "one-card")
                for surrender in ("none", "late", "early")
            ]
            cells = (f"{100 * one.edge:.3f} ({100 * one.table_edge:.3f})" for one in found)
            assert f"| {decks} | {soft17} | {' | '.join(cells)} |" in page


def test_small_odd_stakes_favour_players_who_may_surrender() -> None:
    """Half a single coin rounds down to nothing, so surrender is free."""
    assert edge_of_stake(RuleSet(), 2) == pytest.approx(edges(RuleSet()).edge, abs=1e-11)
    assert edge_of_stake(RuleSet(), 1) < -0.13
    assert edges(RuleSet()).least_stake == 12
    assert edge_of_stake(RuleSet(), 11) < 0 < edge_of_stake(RuleSet(), 13)
    assert edges(RuleSet(surrender="none")).least_stake == 1
    assert edges(RuleSet(surrender="early")).least_stake is None


def test_bets() -> None:
    hand, insurance = bets(RuleSet(decks=1))
    assert (hand.on, hand.fair, hand.pays) == ("hand", None, "1:1, 3:2")
    assert float(hand.edge) == pytest.approx(edges(RuleSet(decks=1)).edge)
    assert (insurance.probability, insurance.edge) == (Fraction(16, 51), Fraction(3, 51))
    assert hand.as_json()["pays"] == [{"when": "win", "pays": "1:1"}, {"when": "blackjack", "pays": "3:2"}]


@pytest.mark.parametrize(
    "wrong", [{"decks": 0}, {"decks": 9}, {"soft17": "draw"}, {"surrender": "maybe"}, {"split_aces": "no"}]
)
def test_a_rule_that_does_not_exist_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        RuleSet(**wrong)  # type: ignore[arg-type]
