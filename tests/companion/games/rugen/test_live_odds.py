"""The odds displayed at a Rugen table: every bet, from every position of the chain, with both readings."""

import random
from collections.abc import Iterable
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from evenings import random_records

from companion.games.rugen.odds.simulation import simulate_house
from companion.kernel.table import Table
from companion.objects.dice import D20_FACES
from companion.testing import INSTALLED, new_header

WEIGHT = {face: Fraction(D20_FACES.count(face), 20) for face in set(D20_FACES)}
PAYS = {"chain/1": "1:1", "chain/2": "3:1/2:1", "chain/3": "4:1/3:1", "chain/4": "5:1/4:1", "chain-day/4": "90:1"}


def odds_of(table):
    return INSTALLED[table.game.name].odds.shown(table.position.state)


@cache
def wins(chain: tuple[str, ...], reading: str, counts: frozenset[int] = frozenset((1, 2, 3, 4))) -> dict[str, Fraction]:
    """Return the probability of each chain bet and take, by enumerating the throws. The chain is sorted."""
    total: dict[str, Fraction] = {}
    thrown = {face: share for face, share in WEIGHT.items() if int(face[0]) in counts}
    whole = sum(thrown.values())
    for face, share in thrown.items():
        number = int(face[0])
        after = tuple(sorted((*chain, face)))
        if sum(int(f[0]) == number for f in after) < number:
            more: Iterable[tuple[str, Fraction]] = wins(after, reading, counts).items()
        else:
            more = ((on, Fraction(1)) for on in won_by(number, after, reading))
        for on, chance in more:
            total[on] = total.get(on, Fraction(0)) + share / whole * chance
    return total


def won_by(number: int, chain: tuple[str, ...], reading: str) -> set[str]:
    looked_at = chain if reading == "all" else [face for face in chain if int(face[0]) == number]
    halves = {face[1] for face in looked_at}
    won = {f"chain/{number}", f"take/{number}"}
    won |= {f"chain-day/{number}"} if halves == {"d"} else set()
    return won | ({f"chain-night/{number}"} if halves == {"n"} else set())


def one_roll(on: str) -> Fraction:
    kind, _, number = on.partition("/")
    faces = [face for face in D20_FACES if face[0] == number and (kind == "center" or face[1] == kind[0])]
    return Fraction(len(faces), 20)


@pytest.mark.parametrize("reading", ["all", "own"])
def test_house_shows_every_bet_from_every_position(reading):
    table = Table(new_header("rugen-house", (("Ann", 100),), {"chain_day_night": reading}))
    rng, positions = random.Random(4), set()
    for _ in range(150):
        chain = tuple(sorted(table.position.state.chain))
        positions.add(chain)
        should = wins(chain, reading)
        for bet in odds_of(table):
            on = bet["on"]
            expected = should.get(on, Fraction(0)) if on.startswith("chain") else one_roll(on)
            assert Fraction(bet["probability"]) == expected, (chain, on)
            assert bet["float"] == float(expected)
            assert bet["pays"] == PAYS.get(on, bet["pays"])
        table.do({"do": "throw", "face": rng.choice(D20_FACES)})
    assert len(positions) > 40


@pytest.mark.parametrize("reading", ["all", "own"])
def test_a_simulation_from_the_table_s_position_agrees(reading):
    table = Table(new_header("rugen-house", (("Ann", 100),), {"chain_day_night": reading}))
    for face in ("4d", "3d", "2d"):
        table.do({"do": "throw", "face": face})
    chains = 40_000
    won = simulate_house(chains, np.random.default_rng(7), reading, table.position.state.chain)
    for bet in odds_of(table):
        chance = bet["float"]
        off = abs(won[bet["on"]] / chains - chance)
        assert off <= 5 * (chance * (1 - chance) / chains) ** 0.5, bet["on"]


@pytest.mark.parametrize("game", ["rugen-street", "rugen-capital"])
def test_takes_are_shown_as_the_wager_stands(game):
    header, records = random_records(game, 6)
    table, compared = Table(header), 0
    for record in records:
        table.do(record)
        state = table.position.state
        shown = {bet["on"]: Fraction(bet["probability"]) for bet in odds_of(table)}
        if state.phase.value != "chain" or not shown:
            continue
        taken = frozenset(state.wager.numbers) if game == "rugen-street" else frozenset((1, 2, 3, 4))
        should = wins(tuple(sorted(f for f in state.chain if int(f[0]) in taken)), "all", taken)
        assert shown == {f"take/{n}": should.get(f"take/{n}", Fraction(0)) for n in (1, 2, 3, 4)}
        assert sum(shown.values()) == 1
        compared += 1
    assert compared > 15


@pytest.mark.parametrize("game", ["rugen-house", "rugen-street", "rugen-capital", "roche"])
def test_every_game_s_odds_have_the_same_shape_at_every_moment(game):
    header, records = random_records(game, 2)
    table = Table(header)
    for record in records[:80]:
        table.do(record)
        for bet in odds_of(table):
            assert list(bet) == ["on", "probability", "float", "pays", "edge"]
            assert 0 <= bet["float"] <= 1
            assert ":" in bet["pays"]
