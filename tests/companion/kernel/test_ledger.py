"""Transfers only move coins; they never create or destroy any."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.kernel.accounts import CAGE, HOUSE, Account
from companion.kernel.errors import BadAmount, NotEnoughCoins
from companion.kernel.ledger import BUY_IN, CASH_OUT, Ledger, Transfer, checked_coins

ACCOUNTS = [CAGE, HOUSE, Account.player("Ann"), Account.player("Bo"), Account.stake("Ann", "cut/6")]
transfers = st.builds(Transfer, st.sampled_from(ACCOUNTS), st.sampled_from(ACCOUNTS), st.integers(1, 50), st.just("x"))


@settings(deadline=None)
@given(st.lists(transfers, max_size=30))
def test_every_account_together_is_always_zero(moves):
    ledger = Ledger()
    for move in moves:
        try:
            ledger = ledger.post([move])
        except NotEnoughCoins:
            continue
        assert ledger.total == 0
        assert all(n >= 0 for account, n in ledger.accounts.items() if account not in (CAGE, HOUSE))


def test_a_run_of_transfers_is_made_whole_or_not_at_all():
    ledger = Ledger().post([Transfer(CAGE, Account.player("Ann"), 10, "buy-in")])
    with pytest.raises(NotEnoughCoins, match="Ann would be 5 coins short"):
        ledger.post([Transfer(CAGE, HOUSE, 3, "x"), Transfer(Account.player("Ann"), HOUSE, 15, "x")])
    assert ledger.balance("Ann") == 10
    assert ledger.house == 0


def test_coins_may_pass_through_within_one_run():
    """A payment may use coins received in the same settlement."""
    ann, bo = Account.player("Ann"), Account.player("Bo")
    ledger = Ledger().post([Transfer(bo, ann, 5, "pays"), Transfer(CAGE, bo, 5, "buy-in")])
    assert (ledger.balance("Ann"), ledger.balance("Bo")) == (5, 0)


def test_a_settled_stake_leaves_no_account_behind():
    stake = Account.stake("Ann", "cut/6")
    ledger = Ledger().post([Transfer(CAGE, stake, 5, "x")]).post([Transfer(stake, HOUSE, 5, "lost")])
    assert stake not in ledger.accounts


@pytest.mark.parametrize("coins", [0, -3])
def test_moving_no_coins_is_our_own_mistake(coins):
    with pytest.raises(ValueError, match="moves coins"):
        Ledger().post([Transfer(CAGE, HOUSE, coins, "x")])


@pytest.mark.parametrize("value", [0, -1, 1.0, "1", None, True, [], {}])
def test_only_whole_numbers_above_zero_are_coins(value):
    with pytest.raises(BadAmount):
        checked_coins(value, "a bet")


def test_what_a_player_brought_adds_up_and_nothing_but_the_counter_counts():
    """Buy-ins less cash-outs; not bets, recounts, or coins of the house and the pots."""
    ann = Account.player("Ann")
    ledger = Ledger().post([Transfer(CAGE, ann, 10, BUY_IN), Transfer(CAGE, ann, 6, BUY_IN)])
    ledger = ledger.post([Transfer(ann, CAGE, 3, CASH_OUT)])
    assert ledger.brought == {"Ann": 13}
    stake = Account.stake("Ann", "cut/6")
    others = [
        Transfer(ann, stake, 5, BUY_IN),
        Transfer(stake, HOUSE, 5, BUY_IN),
        Transfer(HOUSE, ann, 1, CASH_OUT),
        Transfer(CAGE, ann, 2, "recount"),
        Transfer(CAGE, Account.pot(6), 4, BUY_IN),
        Transfer(CAGE, HOUSE, 4, BUY_IN),
    ]
    assert ledger.post(others).brought == {"Ann": 13}
