"""The odds of Rugen by other methods: enumeration of all chains, a closed formula, and simulation."""

import itertools
import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import factorial, prod

import numpy as np
import pytest

from companion.games.rugen.odds.bets import capital_odds, house_odds, street_odds
from companion.games.rugen.odds.chain import break_chances, chain_so_far
from companion.games.rugen.odds.simulation import simulate_house, simulate_takes, throw_chains
from companion.games.rugen.prices import LOW, SPOTS
from companion.kernel.table import Table
from companion.testing import new_header

FACES = [f"{n}{half}" for n in (1, 2, 3, 4) for half in "dn"]


def is_broken(chain: Sequence[str]) -> bool:
    return any(sum(face[0] == n for face in chain) == int(n) for n in "1234")


def all_chains(seen: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Fraction]]:
    """Yield every complete chain of faces with this beginning, with its probability."""
    if is_broken(seen):
        yield seen, Fraction(1)
        return
    for face in FACES:
        for chain, chance in all_chains((*seen, face)):
            yield chain, chance * Fraction(int(face[0]), 20)


def wins(on: str, chain: Sequence[str], thrown: int, reading: str) -> bool:
    """Whether a House bet wins on a broken chain; ``thrown``: number of throws before the bet."""
    kind, number = on.split("/")
    if kind in ("center", "day", "night"):
        return chain[thrown] in {"center": (number + "d", number + "n")}.get(kind, (number + kind[0],))
    own = [face for face in chain if face[0] == number]
    if len(own) < int(number):
        return False
    looked_at = chain if reading == "all" else own
    return kind == "chain" or {face[1] for face in looked_at} == {kind[6]}


def positions() -> list[tuple[str, ...]]:
    """Return one order of every unbroken position with its halves: 1 × 3 × 6 × 10 of them."""
    halves = [[c for k in range(n) for c in itertools.combinations_with_replacement("dn", k)] for n in (1, 2, 3, 4)]
    return [
        tuple(f"{n}{half}" for n, own in enumerate(choice, start=1) for half in own)
        for choice in itertools.product(*halves)
    ]


def check_house(seen: tuple[str, ...]) -> None:
    chains = list(all_chains(seen))
    assert sum(chance for _, chance in chains) == 1
    for reading in ("all", "own"):
        for bet in house_odds(reading, "day", seen):  # type: ignore[arg-type]
            by_last = {"day": Fraction(0), "night": Fraction(0)}
            for chain, chance in chains:
                if wins(bet.on, chain, len(seen), reading):
                    decides = chain[-1] if bet.on.startswith("chain") else chain[len(seen)]
                    by_last["day" if decides[1] == "d" else "night"] += chance
            assert {way.when: way.probability for way in bet.ways} == by_last, (bet.on, seen, reading)


@pytest.mark.parametrize("seen", random.Random(4).sample(positions(), 25), ids="-".join)
def test_every_chain_written_out(seen: tuple[str, ...]) -> None:
    check_house(seen)


@pytest.mark.slow
def test_every_chain_written_out_from_every_position() -> None:
    assert len(positions()) == 180
    for seen in positions():
        check_house(seen)


def test_chains_last_one_to_seven_throws() -> None:
    """Enumerated over all sequences of numbers from the start."""
    lengths: dict[int, Fraction] = {}
    layer: dict[str, Fraction] = {"": Fraction(1)}
    while layer:
        following: dict[str, Fraction] = {}
        for chain, chance in layer.items():
            for number in "1234":
                longer, share = chain + number, chance * Fraction(int(number), 10)
                if longer.count(number) == int(number):
                    lengths[len(longer)] = lengths.get(len(longer), Fraction(0)) + share
                else:
                    following[longer] = share
        layer = following
    assert sorted(lengths) == [1, 2, 3, 4, 5, 6, 7]
    assert sum(lengths.values()) == 1
    assert lengths[7] == Fraction(factorial(6), 2 * 6) * Fraction(2**1 * 3**2 * 4**3, 10**6)


def formula(number: int, in_play: Sequence[int]) -> Fraction:
    """Return the probability of N to break first: N - 1 earlier Ns, and k < M throws of each other number M."""
    faces = sum(in_play)
    others = [other for other in in_play if other != number]
    total = Fraction(0)
    for counts in itertools.product(*(range(other) for other in others)):
        before = (number - 1, *counts)
        orders = factorial(sum(before)) // prod(factorial(count) for count in before)
        chance = Fraction(number, faces) ** number
        total += orders * chance * prod(Fraction(m, faces) ** k for m, k in zip(others, counts, strict=True))
    return total


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_a_formula_for_every_set_of_taken_numbers(size: int) -> None:
    for taken in itertools.combinations((1, 2, 3, 4), size):
        assert break_chances(chain_so_far((), taken)) == {number: formula(number, taken) for number in taken}


def within(wins: int, rounds: int, chance: Fraction) -> bool:
    """Whether a count is within five standard errors, exceeded by chance about once in a million."""
    return abs(wins - rounds * float(chance)) <= 5 * (rounds * float(chance * (1 - chance))) ** 0.5


@pytest.mark.parametrize("reading", ["all", "own"])
@pytest.mark.parametrize("seen", [(), ("3d", "2n"), ("4d", "4d", "3d"), ("2d", "2d"), ("3n", "1n")])
def test_a_simulation_agrees(reading: str, seen: tuple[str, ...]) -> None:
    rounds = 200_000
    won = simulate_house(rounds, np.random.default_rng(20), reading, seen)  # type: ignore[arg-type]
    for bet in house_odds(reading, "day", seen):  # type: ignore[arg-type]
        assert within(won[bet.on], rounds, bet.probability), bet.on


@pytest.mark.parametrize("taken", [(1, 2, 3, 4), (1, 3), (2, 3, 4), (4,), ()])
@pytest.mark.parametrize("seen", [(), ("3d", "2n", "3d")])
def test_a_simulation_of_street_agrees(taken: tuple[int, ...], seen: tuple[str, ...]) -> None:
    rounds = 100_000
    won = simulate_takes(rounds, np.random.default_rng(4), taken, seen)
    for bet in street_odds(taken, seen):
        assert within(won[bet.on], rounds, bet.probability), bet.on


def test_no_simulated_chain_is_longer_than_seven() -> None:
    thrown = throw_chains(100_000, np.random.default_rng(7))
    assert sorted(np.unique(thrown.end)) == [0, 1, 2, 3, 4, 5, 6]


def test_the_same_seed_throws_the_same_chains() -> None:
    one, two = (simulate_house(70_000, np.random.default_rng(3), "all") for _ in range(2))
    assert one == two


# ---- the odds compared with the house's actual results


@pytest.mark.parametrize("reading", ["all", "own"])
def test_the_table_pays_what_the_odds_say(reading: str) -> None:
    """Twelve coins on every spot, with every chain of up to three throws, at the real table."""
    odds = house_odds(reading, "day")  # type: ignore[arg-type]
    for chain in (chain for chain, _ in all_chains(()) if len(chain) <= 3):
        table = Table(new_header("rugen-house", (("Ann", 24 * 12),), {"chain_day_night": reading}))
        for on in SPOTS:
            table.do({"do": "bet", "player": "Ann", "on": on, "amount": 12})
        for face in chain:
            table.do({"do": "throw", "face": face})
        won = {paid["on"]: paid["won"] for paid in table.results[0][1]["paid"]}
        for bet in odds:
            decides = chain[-1] if bet.on.startswith("chain") else chain[0]
            price = next(Fraction(way.win, way.per) for way in bet.ways if way.when[0] == decides[1])
            assert won[bet.on] == (12 * price if wins(bet.on, chain, 0, reading) else 0), (bet.on, chain)


@pytest.mark.parametrize("taken", [(3,), (1, 4), (1, 2, 3, 4)])
def test_capital_pays_what_the_odds_say(taken: tuple[int, ...]) -> None:
    odds = {int(bet.on[-1]): bet.ways[0] for bet in capital_odds(LOW, taken)}
    for number in taken:
        players = tuple((f"P{n}", 100) for n in taken)
        table = Table(new_header("rugen-capital", players))
        for n in taken:
            table.do({"do": "take", "player": f"P{n}", "number": n, "units": 1})
        table.do({"do": "close"})
        for _ in range(number):
            table.do({"do": "throw", "face": f"{number}d"})
        assert table.position.ledger.balance(f"P{number}") == 100 + odds[number].win
        assert odds[number].per == LOW.player_price(number)
