"""The house's maximum loss in a round: at least the cost of every ending, and reached by one of them.

Costs come from the rules' code: random bets, then every ending or many random ones, played through the table's own
settlement. The returned worst ending is played, too, and must cost exactly the returned loss.
"""

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from companion.games.roche.audit import expected_changes
from companion.games.roche.paytable import bets, load_paytable
from companion.games.roche.risk import worst_cut
from companion.games.rugen.prices import SPOTS
from companion.kernel.accounts import HOUSE
from companion.kernel.errors import TableError
from companion.kernel.shared.banked import Stake, Worst
from companion.kernel.table import Table
from companion.objects.cards import cards_of_suit
from companion.testing import new_header

NAMES = ("Ann", "Bo", "Cy")
PURSE = 10**6
FACES = tuple(f"{n}{half}" for n in (1, 2, 3, 4) for half in "dn")


def table_of(game: str, **options: object) -> Table:
    return Table(new_header(game, tuple((name, PURSE) for name in NAMES), options))


def bet_at_random(table: Table, spots: Sequence[str], rng: random.Random, most: int) -> None:
    for on in rng.sample(spots, rng.randint(1, min(most, len(spots)))):
        amount = rng.randint(1, 30)
        try:
            table.do({"do": "bet", "player": rng.choice(NAMES), "on": on, "amount": amount * rng.choice((1, 2, 3, 4))})
        except TableError:  # House Rugen: no multiple, or a chain bet too late
            continue


def copy_of(table: Table) -> Table:
    again = Table(table.header)
    for record in table.records:
        again.do(record)
    return again


def most_lost(table: Table, commands: Sequence[dict[str, object]]) -> int:
    """Play commands on a copy; return the house's maximum loss at any moment."""
    again = copy_of(table)
    before, lost = again.position.ledger.house, []
    for record in commands:
        again.do(record)
        lost.append(before - again.position.ledger.house)
    return max(lost)


def worst_of(table: Table) -> Worst:
    worst = table.position.state.worst
    assert worst is not None
    return worst


# ---- Roche


def roche_at_random(seed: int) -> tuple[Table, random.Random]:
    rng = random.Random(seed)
    layout, deck = rng.choice(("basic", "grand")), rng.choice(("full", "red"))
    table = table_of("roche", layout=layout, deck=deck)
    suit = rng.choice(table.position.state.rules.ranks)  # half of the bets on few suits, so that they add up
    spots = [on for on in bets(layout, deck) if rng.random() < 0.5 or f"/{suit}" in on or on == "cavalry"]
    bet_at_random(table, spots, rng, 40)
    table.do({"do": "no-more-bets"})
    for card in rng.sample(table.position.state.rules.cards, rng.choice((0, 0, 3, 8))):
        if table.phase == "dealing":
            table.do({"do": "deal", "card": card})
    return table, rng


@pytest.mark.parametrize("seed", range(60))
def test_no_deal_of_roche_costs_more_and_the_worst_can_happen(seed: int) -> None:
    table, rng = roche_at_random(seed)
    if table.phase != "dealing":
        assert table.position.state.worst is None
        return
    worst = worst_of(table)
    assert most_lost(table, worst.commands) == max(worst.coins, 0 if len(worst.commands) > 1 else worst.coins)
    state = table.position.state
    for _ in range(25):
        deck = [card for card in state.rules.cards if card not in state.dealt]
        rng.shuffle(deck)
        favoured = rng.choice(state.rules.ranks)  # a fair shuffle rarely cuts a high suit with one half only
        deck.sort(key=lambda card: card[0] != str(favoured) and rng.random() < 0.9)
        again = copy_of(table)
        while again.phase == "dealing":
            again.do({"do": "deal", "card": deck.pop(0)})
        assert -again.position.ledger.house <= worst.coins, deck


@pytest.mark.parametrize("seed", range(12))
def test_the_worst_of_roche_is_the_maximum_over_every_ending_of_three_suits(seed: int) -> None:
    """With three suits every ending can be enumerated, and the audit gives its cost."""
    rng = random.Random(seed)
    ranks, prices = (2, 3, 4), load_paytable("full")
    spots = [on for on in bets("grand", "full") if on == "cavalry" or on.partition("/")[2][0] in "234"]
    stakes = tuple(Stake("Ann", on, rng.randint(1, 20)) for on in rng.sample(spots, rng.randint(1, 30)))
    worst = worst_cut(ranks, prices, stakes, ())
    assert worst is not None
    listed = [(stake.player, stake.on, stake.amount) for stake in stakes]
    costs = [-expected_changes(ranks, prices, deal, listed)[HOUSE] for deal in every_ending(ranks)]
    assert worst.coins == max(costs)


def every_ending(ranks: Sequence[int]) -> Iterator[tuple[str, ...]]:
    """Yield a deal for every cutting set of each suit with each of its cards last, with other suits dealt or not."""
    for rank in ranks:
        others = [cards_of_suit(other) for other in ranks if other != rank]
        for shown in itertools.product(*(range(len(suit) // 2) for suit in others)):
            rest = tuple(card for suit, count in zip(others, shown, strict=True) for card in suit[:count])
            for chosen in itertools.combinations(cards_of_suit(rank), rank):
                for last in chosen:
                    yield (*rest, *(card for card in chosen if card != last), last)


def test_a_table_without_bets_costs_nothing() -> None:
    assert table_of("roche").position.state.worst is None
    assert table_of("rugen-house").position.state.worst is None
    assert table_of("rugen-capital").position.state.worst is None


def test_bets_on_every_suit_may_leave_the_house_nothing_to_lose() -> None:
    table = table_of("roche")
    for rank in range(2, 8):
        table.do({"do": "bet", "player": "Ann", "on": f"cut/{rank}", "amount": 10})
    assert worst_of(table).coins == 100 - 50
    table.do({"do": "bet", "player": "Ann", "on": "cut/2", "amount": 60})
    assert worst_of(table).coins == 140 - 50, "Mages now: 70 at 2:1"
    table.do({"do": "take-back", "player": "Ann", "on": "cut/2"})
    table.do({"do": "take-back", "player": "Ann", "on": "cut/7"})
    table.do({"do": "bet", "player": "Ann", "on": "day/2", "amount": 10_000})
    assert worst_of(table).when["half"] == "day"


def test_the_bet_that_wins_most_is_named() -> None:
    table = table_of("roche")
    table.do({"do": "bet", "player": "Ann", "on": "cut/6", "amount": 20})
    table.do({"do": "bet", "player": "Bo", "on": "night/6", "amount": 1})
    worst = worst_of(table)
    assert (worst.coins, worst.when) == (4160, {"cut": 6, "half": "night", "cavalry": False})
    assert worst.bet == Stake("Bo", "night/6", 1)


# ---- House Rugen


@pytest.mark.parametrize("seed", range(60))
def test_no_chain_costs_more_and_the_worst_can_happen(seed: int) -> None:
    rng = random.Random(seed)
    table = table_of(
        "rugen-house", chain_day_night=rng.choice(("all", "own")), better_half=rng.choice(("day", "night"))
    )
    bet_at_random(table, SPOTS, rng, 12)
    for _ in range(rng.choice((0, 0, 2, 4))):
        table.do({"do": "throw", "face": rng.choice(FACES)})
    if table.position.state.chain:
        bet_at_random(table, [on for on in SPOTS if not on.startswith("chain")], rng, 6)
    if not table.position.state.stakes:
        return
    worst = worst_of(table)
    if worst.coins >= 0:
        assert most_lost(table, worst.commands) == worst.coins
    for _ in range(60):
        faces = rng.choice((FACES, [f for f in FACES if f[1] == "d"], [f for f in FACES if f[1] == "n"]))
        again, lost = copy_of(table), []
        before, rounds = again.position.ledger.house, len(again.results)
        while len(again.results) == rounds:
            again.do({"do": "throw", "face": rng.choice(faces)})
            lost.append(before - again.position.ledger.house)
        assert max(lost) <= worst.coins or max(lost) < 0


def test_a_short_chain_is_listed_whole() -> None:
    """All chains of up to ten throws from a chain near its end: the worst case is their maximum."""
    table = table_of("rugen-house", chain_day_night="own")
    for on, amount in (("chain/4", 10), ("chain-day/4", 2), ("chain-night/3", 3), ("chain/2", 30), ("chain-day/2", 5)):
        table.do({"do": "bet", "player": "Ann", "on": on, "amount": amount})
    for face in ("4d", "4d", "3n", "3n", "2d", "4d"):
        table.do({"do": "throw", "face": face})
    table.do({"do": "bet", "player": "Bo", "on": "center/4", "amount": 8})
    table.do({"do": "bet", "player": "Bo", "on": "night/3", "amount": 3})
    costs = [most_lost(table, [{"do": "throw", "face": face}]) for face in FACES]  # 2, 3 and 4 are one short each
    assert all(len(copy_of(table).position.state.chain) == 6 for _ in costs)
    assert worst_of(table).coins == max(costs)


# ---- Capital


@pytest.mark.parametrize("seed", range(20))
def test_capital_can_cost_what_the_house_stakes(seed: int) -> None:
    rng = random.Random(seed)
    table = table_of("rugen-capital", schedule=rng.choice(("low", "high")))
    units = rng.randint(1, 9)
    for player, number in zip(NAMES, rng.sample((1, 2, 3, 4), rng.randint(1, 3)), strict=False):
        table.do({"do": "take", "player": player, "number": number, "units": units})
    worst = worst_of(table)
    assert most_lost(table, worst.commands) == worst.coins
    table.do({"do": "close"})
    assert worst_of(table).coins == worst.coins
    before = table.position.ledger.house + worst.coins
    for _ in range(30):
        again = copy_of(table)
        while not again.results:
            again.do({"do": "throw", "face": rng.choice(FACES)})
        assert before - again.position.ledger.house <= worst.coins


# ---- the bank limit


@pytest.mark.parametrize("game", ["roche", "rugen-house"])
@pytest.mark.parametrize("seed", range(8))
def test_no_bets_and_no_taking_back_bring_a_round_over_the_bank(game: str, seed: int) -> None:
    rng = random.Random(seed)
    options = {"layout": "grand"} if game == "roche" else {}
    table = table_of(game, bank=500, **options)
    spots = bets("grand", "full") if game == "roche" else SPOTS
    for _ in range(40):
        bet_at_random(table, spots, rng, 3)
        stakes = table.position.state.stakes
        if stakes and rng.random() < 0.3:
            gone = rng.choice(stakes)
            table.do({"do": "take-back", "player": gone.player, "on": gone.on})
        worst = table.position.state.worst
        assert worst is None or worst.coins <= 500


@pytest.mark.parametrize("game", ["roche", "rugen-house", "rugen-capital"])
def test_what_a_refusal_offers_is_taken_and_one_more_is_not(game: str) -> None:
    """The amount in the message is exact: it is accepted, and the next step is rejected again."""
    table = table_of(game, bank=777, cap=300)
    for on, first in _asked(game):
        record = {"do": "bet", "player": "Ann", "on": on, "amount": first}
        if game == "rugen-capital":
            record = {"do": "take", "player": "Ann", "number": 3, "units": first}
        with pytest.raises(TableError, match="At most") as refused:
            table.do(record)
        assert refused.value.code == "over-limit"
        offered = int(refused.value.message.split("At most ")[1].split(" ")[0])
        per = {"rugen-house": int(on[-1]) if on.startswith("c") and "chain" not in on else 1, "rugen-capital": 4}
        step = per.get(game, 1)
        more = replace_amount(record, offered + step, step)
        with pytest.raises(TableError, match="At most"):
            table.do(more)
        table.do(replace_amount(record, offered, step))


def _asked(game: str) -> list[tuple[str, int]]:
    if game == "roche":
        return [("cut/6", 500), ("day/4", 500), ("cut/7", 99)]
    return [("center/3", 900), ("chain/4", 900)] if game == "rugen-house" else [("take", 900)]


def replace_amount(record: dict[str, object], coins: int, step: int) -> dict[str, object]:
    return record | ({"units": coins // step} if record["do"] == "take" else {"amount": coins})


def test_undo_and_redo_agree_with_the_bank() -> None:
    """A rejected bet leaves nothing to undo, and accepted bets can be redone in any situation."""
    table = table_of("roche", bank=100)
    table.do({"do": "bet", "player": "Ann", "on": "cut/6", "amount": 12})
    with pytest.raises(TableError):
        table.do({"do": "bet", "player": "Bo", "on": "cut/6", "amount": 1})
    table.do({"do": "undo"})
    table.do({"do": "redo"})
    assert Table(replace(table.header)).position.state.worst is None
    assert copy_of(table).position == table.position
