"""The simulation compared with plain dealing card by card, and with the exact odds."""

from collections import Counter

import numpy as np
import pytest

from companion.games.roche.odds.exact import probabilities
from companion.games.roche.odds.simulation import count_wins, play, shuffle, simulate, sorting_network
from companion.games.roche.paytable import RocheDeck, bets, deck_ranks
from companion.games.roche_deck.design import FULL_DECK, RED_DECK
from companion.kernel.errors import CardSeen
from companion.objects.cards import cards_of_suit

DECKS: dict[RocheDeck, tuple[str, ...]] = {"full": FULL_DECK, "red": RED_DECK}
SITUATIONS: list[tuple[RocheDeck, tuple[str, ...]]] = [
    ("full", ()),
    ("red", ()),
    ("full", ("6D3", "5N1", "2D1", "4N4", "6D1")),
    ("red", ("7D3", "5N1", "3D1", "3N3")),
]


def generator(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64(seed))


@pytest.mark.parametrize("n", range(2, 15))
def test_sorting_network_sorts(n: int) -> None:
    """A network that sorts all 2^n sequences of zeros and ones sorts everything (0-1 principle)."""
    lines = [(np.arange(2**n) >> i & 1).astype(np.uint8) for i in range(n)]
    for low, high in sorting_network(n):
        lines[low], lines[high] = np.minimum(lines[low], lines[high]), np.maximum(lines[low], lines[high])
    assert all((lines[i] <= lines[i + 1]).all() for i in range(n - 1))


def dealing_orders(deck: RocheDeck, keys: dict[int, np.ndarray]) -> list[list[str]]:
    """Return each round's whole deck in the order of its keys, sorted one card at a time."""
    rows = [(card, keys[rank][i]) for rank in deck_ranks(deck) for i, card in enumerate(cards_of_suit(rank))]
    rounds = len(rows[0][1])
    return [[card for card, row in sorted(rows, key=lambda pair: int(pair[1][n]))] for n in range(rounds)]


@pytest.mark.parametrize(("deck", "seen"), SITUATIONS)
def test_rounds_end_as_dealing_card_by_card_does(winners, deck, seen) -> None:  # type: ignore[no-untyped-def]
    """500 shuffled decks, dealt card by card and settled by the rules, have the same wins for every bet."""
    keys = shuffle(generator(11), deck, 500, seen)
    orders = dealing_orders(deck, keys)
    assert all(tuple(order[: len(seen)]) == seen for order in orders)
    expected = Counter(on for order in orders for on in winners(deck, order))
    wins = dict.fromkeys(bets("grand", deck), 0)
    count_wins(play(keys), wins)
    assert wins == {on: expected[on] for on in wins}


def test_shuffles_are_different_and_complete() -> None:
    orders = dealing_orders("full", shuffle(generator(5), "full", 200))
    assert all(sorted(order) == sorted(FULL_DECK) for order in orders)
    assert len({tuple(order) for order in orders}) == 200


@pytest.mark.parametrize(("deck", "seen"), SITUATIONS)
def test_simulation_agrees_with_the_exact_odds(deck: RocheDeck, seen: tuple[str, ...]) -> None:
    """In two million rounds no bet is off by five standard errors; impossible bets never win, certain ones always."""
    rounds = 2_000_000
    wins = simulate(rounds, generator(2024), deck, seen)
    for on, chance in probabilities("grand", deck, seen).items():
        p = float(chance)
        error = (p * (1 - p) * rounds) ** 0.5
        assert abs(wins[on] - p * rounds) <= 5 * error, on


def test_same_seed_same_rounds() -> None:
    told: list[int] = []
    first = simulate(20_001, generator(3), progress=told.append)
    assert first == simulate(20_001, generator(3))
    assert first != simulate(20_001, generator(4))
    assert sum(told) == 20_001
    assert sum(first[f"cut/{rank}"] for rank in deck_ranks("full")) == 20_001


def test_no_rounds_no_wins() -> None:
    assert set(simulate(0, generator(1), "red").values()) == {0}


def test_a_card_named_twice_is_refused() -> None:
    with pytest.raises(CardSeen):
        simulate(10, generator(1), "full", ("6D3", "6D3"))


@pytest.mark.slow
@pytest.mark.parametrize("deck", ["full", "red"])
def test_a_hundred_million_rounds(deck: RocheDeck) -> None:
    rounds = 100_000_000
    wins = simulate(rounds, generator(77), deck)
    for on, chance in probabilities("grand", deck).items():
        p = float(chance)
        assert abs(wins[on] - p * rounds) <= 5 * (p * (1 - p) * rounds) ** 0.5, on
