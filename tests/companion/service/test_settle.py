"""Settling up: everybody is even afterwards, with the fewest payments."""

import random
from functools import cache

import pytest
from evenings import GAMES, random_evening
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.kernel.accounts import POTS, RECOUNT, Account
from companion.kernel.table import Table
from companion.service.settle import MAX_EXACT_PARTIES, nets, party_of, settle
from companion.testing import new_header


@cache
def fewest(debts: tuple[int, ...]) -> int:
    """Return the minimum number of payments by brute force: the first party settles with each other one in turn."""
    open_ = tuple(sorted(coins for coins in debts if coins))
    if not open_:
        return 0
    first, rest = open_[0], open_[1:]
    tried = (
        1 + fewest((*rest[:at], other + first, *rest[at + 1 :]))
        for at, other in enumerate(rest)
        if (other > 0) != (first > 0)
    )
    return min(tried)


def even_after(debts: dict[Account, int]) -> bool:
    left = dict(debts)
    for payment in settle(debts):
        assert payment.coins > 0
        left[payment.payer] += payment.coins
        left[payment.payee] -= payment.coins
    return not any(left.values())


@settings(max_examples=300, deadline=None)
@given(st.lists(st.integers(-9, 9), min_size=1, max_size=5))
def test_up_to_six_players_settle_with_the_fewest_payments(some: list[int]):
    debts = {Account.player(f"P{n}"): coins for n, coins in enumerate((*some, -sum(some)))}
    assert len(settle(debts)) == fewest(tuple(debts.values()))
    assert even_after(debts)


def test_nine_parties_too():
    """Six players, the house, the pots and a recount."""
    rng = random.Random(5)
    for _ in range(25):
        some = [rng.randint(-4, 4) for _ in range(8)]
        debts = {Account.player(f"P{n}"): coins for n, coins in enumerate((*some, -sum(some)))}
        assert len(settle(debts)) == fewest(tuple(debts.values()))


def test_a_crowd_is_even_after_fewer_payments_than_people():
    rng = random.Random(6)
    some = [rng.randint(-50, 50) for _ in range(2 * MAX_EXACT_PARTIES)]
    debts = {Account.player(f"P{n}"): coins for n, coins in enumerate((*some, -sum(some)))}
    assert even_after(debts)
    assert len(settle(debts)) < len(debts)


def test_who_is_even_pays_nobody():
    assert settle({Account.player("Ann"): 0, Account.player("Bo"): 0}) == ()
    assert settle({}) == ()


def test_what_does_not_cancel_out_is_our_own_mistake():
    with pytest.raises(ValueError, match="do not cancel out"):
        settle({Account.player("Ann"): 1})


@pytest.mark.parametrize("game", GAMES)
def test_at_any_moment_of_any_game_gains_and_losses_cancel_out(game):
    """With buy-ins, cash-outs, stakes, pots, antes and undos; settling up leaves all with what they brought."""
    evening = random_evening(3, (game,))
    table = Table(evening.table.header)
    for record in evening.table.records:
        table.do(record)
        found = nets(table.position.ledger, {})
        assert sum(found.values()) == 0
        assert even_after(found)


def test_a_recount_is_a_party_of_its_own():
    table = Table(new_header("rochi", tuple((name, 50) for name in ("Ann", "Bo", "Cy"))))
    table.do({"do": "recount", "player": "Ann", "coins": 47, "reason": "three fell under the floor"})
    found = nets(table.position.ledger, {})
    assert (found[Account.player("Ann")], found[RECOUNT]) == (-3, 3)


def test_pots_and_stakes_have_owners():
    assert party_of(Account.pot(7)) == POTS
    assert party_of(Account.stake("Ann", "chain/3")) == Account.player("Ann")


def test_gains_of_earlier_sessions_count():
    table = Table(new_header("rochi", tuple((name, 50) for name in ("Ann", "Bo", "Cy"))))
    gains = {Account.player("Ann"): 12, Account.player("Bo"): -12}
    (payment,) = settle(nets(table.position.ledger, gains))
    assert payment.to_json() == {"from": "Bo", "to": "Ann", "coins": 12}
