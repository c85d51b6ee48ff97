"""Physical steps of a decision: token, price and the card's place, from the public view alone."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.games.roche_deck.design import FULL_DECK
from companion.games.rochi.demo.layout import CENTRE
from companion.games.rochi.demo.moves import (
    Payment,
    Play,
    ThrowIn,
    board_of,
    play_of,
    said_with,
    settlement,
    token_home_of,
)
from companion.games.rochi.demo.players import NAMES, decide
from companion.kernel.table import Table
from companion.testing import moment_at, new_header
from hardware.demo.chips import VALUES, chips_for, payment

pytestmark = pytest.mark.slow  # renders complete hands


def board(*records, players=3, game="rochi"):
    found = Table(new_header(game, tuple((name, 50) for name in ("Ann", "Bo", "Cy")[:players])))
    for record in records:
        found.do(record)
    return board_of(moment_at(found))


SEEDS = [{"do": "seed", "card": card} for card in ("6D1", "6D2", "6D3", "7D1", "7D2", "3D1")]


def test_an_unclaimed_suit_is_bought_from_its_pot():
    move = play_of(board(*SEEDS), "Ann", "6N1")
    assert move == Play(1, "6N1", "stack/6", "T6", CENTRE, "seat/1", Payment("seat/1", "pot/6", 4))


def test_a_suit_is_bought_from_its_owner():
    view = board(*SEEDS, {"do": "play", "card": "6N1"}, {"do": "end"})
    move = play_of(view, "Bo", "6N2")
    assert (move.token_from, move.token_to, move.price) == ("seat/1", "seat/2", Payment("seat/2", "seat/1", 5))


def test_a_card_of_a_ripe_suit_goes_before_the_seller_as_a_shield():
    view = board(*SEEDS, {"do": "play", "card": "6N1"}, {"do": "deal", "card": "6N2"})
    move = play_of(view, "Bo", "6N3")
    assert (move.to, move.price.coins) == ("seat/1", 5)


def test_ones_own_suit_costs_nothing_and_keeps_its_token():
    view = board(*SEEDS, {"do": "play", "card": "6N1"})
    assert play_of(view, "Ann", "6N2") == Play(1, "6N2", "stack/6")


def test_a_locked_suit_takes_any_card_and_its_token_lies_on_it():
    view = board(*SEEDS[:4], {"do": "seed", "card": "3D1"}, {"do": "seed", "card": "3D2"})
    locked = board(*SEEDS[:3], *({"do": "seed", "card": f"3D{n}"} for n in (1, 2, 3)))
    assert token_home_of(view, "T3") == CENTRE
    assert token_home_of(locked, "T3") == "stack/3"
    assert play_of(locked, "Ann", "3N1") == Play(1, "3N1", "stack/3")


def test_who_folds_gives_tokens_back_and_who_passes_keeps_them():
    view = board(*SEEDS, {"do": "play", "card": "6N1"}, {"do": "end"})
    assert said_with(view, "Ann", "fold").tokens == ("T6",)
    assert said_with(view, "Ann", "pass") == ThrowIn(1)


def test_what_is_paid_is_what_the_ledger_says():
    """Price and payee of every play in random hands agree with the rules."""
    for seed in range(3):
        for before, record, after in plays_of(seed):
            move = play_of(before, before.turn, record["card"])
            changed = {place: after[place] - coins for place, coins in before.coins.items() if after[place] != coins}
            due = {move.price.giver: -move.price.coins, move.price.taker: move.price.coins} if move.price else {}
            assert changed == due


def plays_of(seed):
    """Play a hand without pictures, with the simulated players and the rules alone."""
    rng = random.Random(seed)
    game = Table(new_header("rochi", tuple((name, 100) for name in NAMES[:4])))
    order = list(FULL_DECK)
    rng.shuffle(order)
    hands = {name: [order.pop() for _ in range(5)] for name in NAMES[:4]}
    while game.phase in ("seeding", "turns"):
        view = board_of(moment_at(game))
        if game.phase == "seeding":
            game.do({"do": "seed", "card": order.pop()})
            continue
        record = decide(view, view.turn, hands[view.turn], rng)
        if record["do"] == "deal":
            record = {"do": "deal", "card": order.pop()}
        game.do(record)
        if record["do"] == "play":
            hands[view.turn].remove(record["card"])
            yield view, record, board_of(moment_at(game)).coins


@given(st.lists(st.integers(0, 60), min_size=2, max_size=8), st.randoms(use_true_random=False))
def test_a_settlement_makes_the_piles_agree(have, rng):
    places = [f"seat/{i}" for i in range(len(have))]
    want = list(have)
    rng.shuffle(want)
    piles = dict(zip(places, have, strict=True))
    for paid in settlement(piles, dict(zip(places, want, strict=True))):
        piles[paid.giver] -= paid.coins
        piles[paid.taker] += paid.coins
        assert paid.coins > 0
        assert min(piles.values()) >= 0
    assert list(piles.values()) == want


@pytest.mark.parametrize("coins", [0, 1, 4, 7, 10, 12, 99, 100, 333])
def test_chips_make_the_amount(coins):
    assert sum(value * count for value, count in chips_for(coins).items()) == coins
    assert min(chips_for(coins).values()) >= 0
    assert sum(payment(coins)) == coins
    assert set(payment(coins)) <= set(VALUES)
