"""The audit detects wrong settlements before coins move."""

from dataclasses import replace
from typing import Any

import pytest

from companion.games.chinchirorin import rules, settlement
from companion.games.chinchirorin.settlement import Verdict
from companion.games.chinchirorin.throws import BANKERS, PLAYERS, Kind
from companion.kernel.table import Table
from companion.testing import new_header


def thrown(*throws: list[int]) -> Table:
    """Return a table after bets of 10 by Bo and 20 by Cy against Ann's 40, and these throws."""
    at = Table(new_header("chinchirorin", (("Ann", 40), ("Bo", 30), ("Cy", 30)), {"banker": 1}))
    at.do({"do": "bank", "amount": 30})
    at.do({"do": "bet", "player": "Bo", "amount": 10})
    at.do({"do": "bet", "player": "Cy", "amount": 20})
    at.do({"do": "close"})
    for dice in throws:
        at.do({"do": "throw", "dice": dice})
    return at


def held(at: Table) -> bool:
    """Whether the audit stopped the table before coins moved."""
    return at.position.hold is not None and at.result()["staked"] == 30


def test_two_settlements_agree() -> None:
    assert not held(thrown([1, 1, 1]))
    assert not held(thrown([2, 2, 4], [2, 2, 5]))


@pytest.mark.parametrize(
    ("kind", "dice"), [(Kind.ONES, [1, 1, 1]), (Kind.TRIPLE, [4, 4, 4]), (Kind.LOW, [1, 2, 3]), (Kind.HIGH, [4, 5, 6])]
)
def test_a_wrong_price_of_a_storm_stops_the_table(kind: Kind, dice: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settlement, "BANKERS", {**BANKERS, kind: 1})
    monkeypatch.setattr(settlement, "PLAYERS", {**PLAYERS, kind: 1})
    assert held(thrown(dice))
    assert held(thrown([2, 2, 4], dice))


@pytest.mark.parametrize("score", [3, 4, 5])
def test_a_wrong_verdict_on_scores_stops_the_table(score: int, monkeypatch: pytest.MonkeyPatch) -> None:
    right = settlement.verdict

    def turned(*given: Any) -> Verdict:
        found = right(*given)
        outcome = "banker" if found.outcome != "banker" else "bettors"
        return replace(found, outcome=outcome, times=1)

    monkeypatch.setattr(rules, "verdict", turned)
    assert held(thrown([2, 2, 4], [3, 3, score] if score != 3 else [2, 2, 3]))


def test_wrong_shares_of_a_banker_who_is_short_stop_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settlement, "shares", lambda owed, funds: [min(owed[0], funds), max(funds - owed[0], 0)])
    assert held(thrown([1, 1, 1]))
