"""Decided bets against their odds: to the coin, and with errors as wide as chance makes them."""

import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import sqrt
from typing import Any

import evenings
import pytest
from evenings import Journal, in_effect

from companion.games.blackjack.odds.edges import deviation, edges
from companion.games.blackjack.odds.rule_set import RuleSet
from companion.games.rugen.odds.chain import break_chances, chain_so_far
from companion.kernel.commands import Record
from companion.objects.cards import SUIT_CARDS
from companion.odds.endings import Gamble, mean, variance
from companion.statistics.bet_book import BetBook, SessionBets
from companion.statistics.luck import by_spot, of_house, of_player
from companion.testing import INSTALLED, new_header, new_table

NAMES = ("Ann", "Bo", "Cy")


def played(game: str, records: Sequence[Record], options: dict[str, Any] | None = None) -> evenings.Evening:
    evening = evenings.Evening()
    evening.begin(new_header(game, [(name, 100_000) for name in NAMES], options))
    for record in records:
        evening.do(record)
    return evening


def bets_of(evening: evenings.Evening) -> SessionBets:
    return BetBook(Journal(evening.entries)).sessions()[-1]


@pytest.mark.parametrize("game", ["roche", "rugen-house", "rugen-capital", "rugen-street", "chinchirorin", "blackjack"])
@pytest.mark.parametrize("seed", range(6))
def test_every_coin_of_the_decided_bets_is_counted_also_after_undos(game: str, seed: int) -> None:
    """The nets are those of the results that the table itself prints, counted here by hand."""
    header, records = evenings.random_records(game, seed)
    evening = evenings.Evening()
    evening.begin(header)
    evenings.play(evening, records, random.Random(seed), undo=0.2)
    session = bets_of(evening)
    expected: Counter[str] = Counter()
    for entry in in_effect(evening.entries):
        for event in json.loads(entry.events):
            if event["event"] == "Decided":
                expected.update(event["gains"])
    found: Counter[str] = Counter()
    for one in session.rounds:
        for bet in one.bets:
            found[bet.player] += bet.net
    assert {name: coins for name, coins in found.items() if coins} == {n: c for n, c in expected.items() if c}
    assert of_house(session.rounds).net == -sum(expected.values())
    assert sum(luck.net for luck in by_spot(session.rounds).values()) == -sum(expected.values())
    assert session.is_whole
    assert of_house(session.rounds).unknown == 0


# ---- errors as wide as chance makes them


def spins(rng: random.Random, rounds: int) -> list[Record]:
    spots = ("red", "black", "odd", "dozen/1", "column/2", "straight/17", "straight/0", "split/17/20", "corner/17")
    records: list[Record] = []
    for _ in range(rounds):
        for name in NAMES:
            records += [bet(name, rng.choice(spots), rng.randint(1, 9)) for _ in range(rng.randint(1, 3))]
        records += [{"do": "no-more-bets"}, {"do": "spin", "pocket": str(rng.randrange(37))}]
    return records


def deals(rng: random.Random, rounds: int) -> list[Record]:
    spots = ["cut/3", "cut/5", "cut/6", "cut/7", "day/2", "night/3"]
    records: list[Record] = []
    for number in range(rounds):
        records += [{"do": "new-round"}] if number else []
        for name in NAMES:
            records += [bet(name, rng.choice(spots), rng.randint(1, 9)) for _ in range(rng.randint(1, 3))]
        records.append({"do": "no-more-bets"})
        counts: Counter[str] = Counter()
        for card in rng.sample(sorted(SUIT_CARDS), len(SUIT_CARDS)):
            records.append({"do": "deal", "card": card})
            counts[card[0]] += 1
            if counts[card[0]] == int(card[0]):
                break
    return records


def throws(rng: random.Random, rounds: int) -> list[Record]:
    records: list[Record] = []
    for _ in range(rounds):
        chain: Counter[int] = Counter()
        for name in NAMES:
            on = rng.choice(("chain/1", "chain/2", "chain/3", "chain-day/2"))
            records.append(bet(name, on, 2 * rng.randint(1, 4)))
        while True:
            for name in NAMES:
                number = rng.randint(1, 4)
                records.append(bet(name, f"{rng.choice(('center', 'day', 'night'))}/{number}", number * 2))
            face = rng.choice([f"{number}{half}" for number in (1, 2, 3, 4) for half in "dn" for _ in range(number)])
            records.append({"do": "throw", "face": face})
            chain[int(face[0])] += 1
            if chain[int(face[0])] == int(face[0]):
                break
    return records


def bet(name: str, on: str, amount: int) -> Record:
    return {"do": "bet", "player": name, "on": on, "amount": amount}


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("game", "play", "rounds", "widest"),
    [("roulette", spins, 500, 1.15), ("roche", deals, 400, 1.2), ("rugen-house", throws, 200, 2.6)],
)
def test_errors_are_as_wide_as_chance_makes_them(
    game: str, play: Callable[[random.Random, int], list[Record]], rounds: int, widest: float
) -> None:
    """Over many rounds the squares of the differences come to the variances; they may be too wide, never too small."""
    session = bets_of(played(game, play(random.Random(4), rounds)))
    squares, variances = 0.0, 0.0
    for one in session.rounds:
        for name in one.by_player:
            luck = of_player([one], name)
            squares += luck.luck**2
            variances += luck.variance
    assert 0.8 * squares < variances < widest * squares * 1.15
    for name in NAMES:
        luck = of_player(session.rounds, name)
        assert abs(luck.luck) < 1.7 * luck.error, name
    whole = of_house(session.rounds)
    assert abs(whole.luck) < 1.7 * whole.error


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("roulette", {}), ("roulette", {"zero_rule": "surrender"}), ("roulette", {"wheel": "american"}),
        ("roulette", {"wheel": "american", "zero_rule": "en-prison"}), ("roulette", {"zero_rule": "none"}),
        ("roche", {}), ("roche", {"deck": "red"}), ("rugen-house", {}), ("rugen-house", {"better_half": "night"}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("seed", range(5))
def test_bets_together_bring_what_they_bring_one_by_one(game: str, options: dict[str, Any], seed: int) -> None:
    """Averages add up whatever hangs together; and no deviation is more than the sum of all."""
    rng, part = random.Random(seed), INSTALLED[game].odds
    state = new_table(game, [("Ann", 100)], options).position.state
    kinds = {"roche": ("cut", "day", "night"), "rugen-house": ("center", "day", "night")}.get(game)
    known = [bet for bet in part.bets(state) if isinstance(bet, Gamble)]
    offered = [bet for bet in known if kinds is None or bet.on.partition("/")[0] in kinds]
    bets = [(bet, rng.randint(1, 9)) for bet in rng.sample(offered, rng.randint(1, 6))]
    assert part.together is not None
    joint = part.together(state, tuple((bet.on, amount) for bet, amount in bets))
    assert joint is not None
    assert sum(one.probability for one in joint) == 1
    assert mean(joint) == sum(mean(bet.endings(amount)) for bet, amount in bets)
    most = sum(sqrt(variance(bet.endings(amount))) for bet, amount in bets)
    assert sqrt(variance(joint)) <= most * 1.000001
    assert all(sum(one.probability for one in bet.endings(amount)) == 1 for bet, amount in bets)


# ---- single cases worked out by hand


def test_a_bet_on_a_wheel_is_worth_what_its_37_pockets_say() -> None:
    """Ann: 4 on 17 and 6 on red; 17 is black. Red wins with 18 pockets, a zero puts it in prison, half lost."""
    session = bets_of(played("roulette", [
        bet("Ann", "straight/17", 4), bet("Ann", "red", 6), {"do": "no-more-bets"}, {"do": "spin", "pocket": "17"},
    ]))  # fmt: skip
    luck = of_player(session.rounds, "ann")
    expected = Fraction(4 * (35 - 36), 37) + Fraction(6 * (18 - 18), 37) - Fraction(6, 2 * 37)
    assert (luck.rounds, luck.bets, luck.staked, luck.net) == (1, 2, 10, 140 - 6)
    assert luck.expected == expected
    squares = (1 * (140 - 6) ** 2 + 18 * (6 - 4) ** 2 + 17 * 100) / 37 + (0.5 * 4**2 + 0.5 * 100) / 37
    assert luck.variance == pytest.approx(squares - float(expected) ** 2)
    assert luck.error == pytest.approx(2 * sqrt(luck.variance))


def test_a_bet_in_prison_counts_when_it_is_free_or_lost() -> None:
    start = [bet("Bo", "red", 6), {"do": "no-more-bets"}, {"do": "spin", "pocket": "0"}]
    assert of_player(bets_of(played("roulette", start)).rounds, "Bo").bets == 0
    again = [*start, bet("Bo", "red", 5), {"do": "no-more-bets"}, {"do": "spin", "pocket": "1"}]
    luck = of_player(bets_of(played("roulette", again)).rounds, "Bo")
    assert (luck.bets, luck.staked, luck.net) == (2, 11, 0 + 5)
    assert luck.expected == -Fraction(6, 74) - Fraction(5, 74)


def test_a_raised_bet_is_one_bet_and_what_was_taken_back_is_none() -> None:
    records = [bet("Ann", "cut/6", 3), bet("Ann", "cut/6", 2), bet("Bo", "cut/6", 7)]
    records += [{"do": "take-back", "player": "Bo", "on": "cut/6"}, {"do": "no-more-bets"}]
    records += [{"do": "deal", "card": card} for card in ("2D1", "2D2")]
    session = bets_of(played("roche", records))
    (one,) = session.rounds[0].bets
    odds = next(bet for bet in INSTALLED["roche"].odds.bets(evening_state()) if bet.on == "cut/6")
    assert (one.player, one.amount, one.net, one.mean) == ("Ann", 5, -5, mean(odds.endings(5)))
    assert one.mean is not None
    assert one.mean == 5 * (odds.probability * (odds.pays.win + 1) - 1)


def evening_state() -> Any:
    return played("roche", []).table.position.state


def blackjack(*hands: Record) -> SessionBets:
    """Ann bets 50 on what the records deal her."""
    return bets_of(played("blackjack", [{"do": "bet", "player": "Ann", "amount": 50}, *hands]))


def dealt(*to: tuple[str, str]) -> list[Record]:
    return [{"do": "deal", "to": who, "card": card} for who, card in to]


def test_a_hand_of_blackjack_is_worth_what_the_basic_strategy_makes_of_its_first_stake() -> None:
    first = dealt(("Ann", "TS"), ("dealer", "9S"), ("Ann", "9H"))
    session = blackjack(*first, {"do": "hole"}, {"do": "stand"}, {"do": "reveal", "card": "8D"})
    luck = of_player(session.rounds, "Ann")
    assert (luck.bets, luck.staked, luck.net, luck.unknown) == (1, 50, 50, 0)
    rules = RuleSet(decks=2)
    assert float(luck.expected) == pytest.approx(-edges(rules).table_edge * 50)
    assert luck.error == pytest.approx(2 * 50 * deviation(rules))
    assert of_house(session.rounds).expected == -luck.expected


def test_hands_of_a_split_and_a_double_are_one_bet_with_one_expectation() -> None:
    """Three hands of 50, one of them doubled: 200 on the table in the end, 50 is what was bet."""
    records = [
        *dealt(("Ann", "8S"), ("dealer", "6C"), ("Ann", "8H")), {"do": "hole"},
        {"do": "split", "cards": ["3D"]}, {"do": "double", "card": "TD"}, {"do": "deal", "to": "Ann", "card": "TC"},
        {"do": "stand"}, {"do": "reveal", "card": "TH"}, {"do": "dealer-hit", "card": "9C"},
    ]  # fmt: skip
    session = blackjack(*records)
    (one,) = session.rounds[0].bets
    assert (one.on, one.amount, one.net) == ("hand", 50, 100 + 50)
    assert float(one.mean or 0) == pytest.approx(-edges(RuleSet(decks=2)).table_edge * 50)


def test_insurance_is_a_bet_of_its_own() -> None:
    """Under an ace 32 of the 103 other cards of two decks are worth ten."""
    first = dealt(("Ann", "TS"), ("dealer", "AS"), ("Ann", "9H"))
    insured: list[Record] = [{"do": "hole"}, {"do": "insure", "player": "Ann"}, {"do": "stand"}]
    session = blackjack(*first, *insured, {"do": "reveal", "card": "KD"})
    hand, insurance = sorted(session.rounds[0].bets, key=lambda bet: bet.on)
    assert (hand.net, insurance.on, insurance.amount, insurance.net) == (-50, "insurance", 25, 50)
    assert insurance.mean == 25 * Fraction(2 * 32 - 71, 103)


def test_the_numbers_of_capital_are_worth_what_breaks_first_with_the_house_against_them() -> None:
    """Ann has the 1, the house covers the rest; she wins what lies on the other numbers."""
    records: list[Record] = [
        {"do": "take", "player": "Ann", "number": 1, "units": 2}, {"do": "close"}, {"do": "throw", "face": "1d"},
    ]  # fmt: skip
    session = bets_of(played("rugen-capital", records))
    (one,) = session.rounds[0].bets
    chance = break_chances(chain_so_far(()))[1]
    assert (one.player, one.on) == ("Ann", "take/1")
    assert one.net > 0
    assert one.mean == chance * one.net - (1 - chance) * one.amount
    assert of_house(session.rounds).net == -one.net
    assert of_house(session.rounds).error == pytest.approx(2 * one.deviation)
    assert session.has_house


def test_a_bet_between_players_is_no_bet_against_the_house() -> None:
    """A banker's expectation is what the bettors' is not, to the coin: the same throws decide both."""
    records: list[Record] = [
        {"do": "bank", "amount": 50}, *({"do": "bet", "player": name, "amount": 10} for name in ("Bo", "Cy")),
        {"do": "close"}, {"do": "throw", "dice": [1, 1, 1]},
    ]  # fmt: skip
    session = bets_of(played("chinchirorin", records, {"banker": 1}))
    nets = {bet.player: bet.net for bet in session.rounds[0].bets}
    assert sum(nets.values()) == 0 != nets["Bo"]
    assert sum(bet.mean or 0 for bet in session.rounds[0].bets) == 0
    assert session.rounds[0].of_all == 0, "what one side gets the other pays"
    assert not session.has_house
