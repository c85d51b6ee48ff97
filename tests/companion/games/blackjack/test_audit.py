"""The audit detects wrong settlements before coins move."""

from typing import Any

import pytest

from companion.games.blackjack import rules, settlement
from companion.games.blackjack.hands import Hand, Total
from companion.kernel.table import Table
from companion.testing import new_header


def dealt(*cards: str, **options: Any) -> Table:
    """Return a table with Ann's stake of 51: the first and last card are dealt to Ann, the second to the dealer."""
    at = Table(new_header("blackjack", (("Ann", 500),), options))
    at.do({"do": "bet", "player": "Ann", "amount": 51})
    for to, card in zip(("Ann", "dealer", "Ann"), cards, strict=True):
        at.do({"do": "deal", "to": to, "card": card})
    at.do({"do": "hole"})
    return at


def held(at: Table, *records: dict[str, Any]) -> bool:
    for record in records:
        at.do(record)
    return at.position.hold is not None


STAND, HIT, REVEAL = {"do": "stand"}, {"do": "hit", "card": "KC"}, {"do": "reveal", "card": "KD"}


def test_two_settlements_agree() -> None:
    assert not held(dealt("TS", "7S", "9S"), STAND, REVEAL)
    assert not held(dealt("TS", "7S", "9S"), HIT, REVEAL)


def test_a_blackjack_that_pays_another_price_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settlement, "blackjack_pays", lambda amount: 6 * amount // 5)
    assert held(dealt("AS", "7S", "KS"), REVEAL)


@pytest.mark.parametrize("ending", ["win", "lose"])
def test_a_push_that_is_none_is_held(monkeypatch: pytest.MonkeyPatch, ending: str) -> None:
    real = settlement.outcome

    def wrong(hand: Hand, dealer: int, natural: bool) -> str:
        return ending if real(hand, dealer, natural) == "push" else real(hand, dealer, natural)

    monkeypatch.setattr(settlement, "outcome", wrong)
    assert held(dealt("TS", "7S", "7H"), STAND, REVEAL)


def test_half_that_is_rounded_up_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "half_of", lambda amount: -(-amount // 2))
    assert held(dealt("TS", "7S", "6H", surrender="early"), {"do": "surrender"})


def test_a_bust_that_is_overlooked_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "total", lambda cards: Total(21, False))
    assert held(dealt("TS", "7S", "6H"), HIT)


@pytest.mark.parametrize(("up", "is_short"), [("6S", False), ("7S", True)])
def test_a_dealer_who_stands_too_early_or_too_late_is_held(
    monkeypatch: pytest.MonkeyPatch, up: str, is_short: bool
) -> None:
    monkeypatch.setattr(settlement, "is_short", lambda cards, soft17: is_short)
    assert held(dealt("TS", up, "8H"), STAND, REVEAL)
