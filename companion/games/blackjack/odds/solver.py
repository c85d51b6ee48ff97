"""Solver: worths of all initial deals from a full shoe, with the effect of removal of all seen cards.

A single box is dealt; other boxes' cards are ignored, which makes no difference on average. Hit, stand, double and
surrender are exact for each hand's own cards; for splits see `companion.games.blackjack.odds.splits`. The 3:2 payout
and surrendered halves are exact here; tables round them down, which costs odd stakes half a coin.
"""

import json
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count, product
from typing import Final, get_args

import numpy as np

from companion.games.blackjack.odds.cards import ACE, TEN, VALUES, counts_of, full_shoe
from companion.games.blackjack.odds.dealer import BLACKJACK, dealer_outcomes
from companion.games.blackjack.odds.deals import Deal, Solved, chance_of, deals_against
from companion.games.blackjack.odds.edges import FILE, Edges, EdgesJson, key_of, rule_sets_like
from companion.games.blackjack.odds.hands import Floats, Ints, keys, lattice
from companion.games.blackjack.odds.play import draw_chances, forced_by, play, stand_worth
from companion.games.blackjack.odds.rule_set import DECKS, RuleSet, Soft17
from companion.games.blackjack.odds.splits import SHOES, Pair, split
from companion.games.blackjack.odds.strategy import ROWS, Action, Strategy


@dataclass(frozen=True, slots=True, eq=False)
class ReachableHands:
    """All hands the solver needs, independent of the rules.

    Attributes:
        gone: int (M, 10), the distinct sets of removed cards.
        single: int (H), row of `gone` for each hand of the lattice.
        paired: per value int (5, H), rows of `gone` for the hands that hold it, in shoes lacking 2 to 6 of it.
    """

    gone: Ints
    single: Ints
    paired: tuple[Ints, ...]


_DIGITS: Final = 12


@lru_cache(maxsize=1)
def _reachable_hands() -> ReachableHands:
    sets = [lattice().counts]
    for value in range(VALUES):
        more = np.arange(1, SHOES + 1)[:, np.newaxis, np.newaxis] * np.array(counts_of(value))
        sets.append((lattice(counts_of(value)).counts + more).reshape(-1, VALUES))
    _, first, rows = np.unique(keys(np.concatenate(sets)), return_index=True, return_inverse=True)
    parts = np.split(rows, np.cumsum([len(part) for part in sets])[:-1])
    return ReachableHands(np.concatenate(sets)[first], parts[0], tuple(part.reshape(SHOES, -1) for part in parts[1:]))


def solved(rules: RuleSet) -> tuple[Solved, ...]:
    """Return the worths of all initial deals, by up-card, ace first, for any rule on surrender and split aces."""
    return _solved(rules.decks, rules.soft17 == "hit", rules.peek)


@lru_cache(maxsize=4)
def _solved(decks: int, hits_soft17: bool, peek: bool) -> tuple[Solved, ...]:
    return tuple(_against(up, decks, hits_soft17, peek) for up in range(VALUES))


def _against(up: int, decks: int, hits_soft17: bool, peek: bool) -> Solved:
    reachable, whole = _reachable_hands(), lattice()
    full = full_shoe(decks)
    shoe = np.array(full, float) - np.array(counts_of(up))
    dealer = dealer_outcomes(up, hits_soft17, shoe - reachable.gone)
    single = dealer[np.newaxis, reachable.single]
    saved = single[..., BLACKJACK] if peek else None
    stand, draws = stand_worth(whole.totals, single), draw_chances(whole, shoe[np.newaxis])
    played = play(whole, draws, stand, saved=saved)
    pairs = [_pair(value, decks, shoe, dealer[reachable.paired[value]], peek) for value in range(VALUES)]
    deals = deals_against(up)
    rows = [whole.find(deal.hand) for deal in deals]
    splits = tuple(split(pair) for pair in pairs)
    worths: dict[Action, Floats] = {
        "stand": played.stand[:, 0, rows],
        "hit": played.hit[:, 0, rows],
        "double": played.double[:, 0, rows],
        "split": _of_pairs(deals, [one.worth for one in splits]),
    }
    chances = np.array([chance_of(deal, full) for deal in deals])
    one_card = split(replace(pairs[ACE], one_card=True))
    found = Solved(deals, chances, single[0, rows, BLACKJACK], worths, {}, played.actions, splits, one_card)
    forced = forced_by(found.column("none", "play-on"))
    by_table = play(whole, draws, stand[:2], saved=saved, forced=forced(whole)).best[:, 0, rows]
    after = _of_pairs(deals, [split(replace(pair, stand=pair.stand[:2]), forced).worth for pair in pairs])
    return replace(found, table={"stand": by_table, "split": after})


def _pair(value: int, decks: int, shoe: Floats, dealer: Floats, peek: bool) -> Pair:
    left = shoe - 2 * np.array(counts_of(value))
    same = 4 * decks - 2 if value == TEN else left[value]
    stand = stand_worth(lattice(counts_of(value)).totals, dealer)
    return Pair(value, left, same, stand, dealer[..., BLACKJACK] if peek else None)


def _of_pairs(deals: tuple[Deal, ...], splits: list[Floats]) -> Floats:
    """Return float (F, n), the split worth of each deal, from one worth per card value."""
    nothing = np.array([-np.inf, 0.0, 0.0])[: len(splits[0])]
    return np.array([splits[deal.hand.index(2)] if deal.is_pair else nothing for deal in deals]).T


# ---- edges and basic strategies


def solve(rules: RuleSet) -> dict[RuleSet, Edges]:
    """Run the solver for all rule sets with these decks and this soft 17 rule."""
    return {one: _edges(one) for one in rule_sets_like(rules)}


def _edges(rules: RuleSet) -> Edges:
    against, surrender, aces = solved(rules), rules.surrender, rules.split_aces
    figures = [one.best(surrender, aces) @ one.chances for one in against]
    coins, win, lose = (round(float(sum(column)), _DIGITS) for column in zip(*figures, strict=True))
    by_table = [one.by_table(surrender, aces) @ one.chances for one in against]
    table_coins, table_win = (round(float(sum(column)), _DIGITS) for column in zip(*by_table, strict=True))
    columns = [one.column(surrender, aces) for one in against]
    strategy = Strategy({row: tuple(column[row] for column in columns) for row in ROWS})
    least = None if coins > 0 else _least_stake(rules)
    return Edges(-coins, -table_coins, win, table_win, lose, least, strategy)


def _least_stake(rules: RuleSet) -> int:
    """Return the stake above the last odd one with a players' edge; the edge shrinks as odd stakes grow."""
    return next(odd for odd in count(1, 2) if edge_of_stake(rules, odd) >= 0) - 1 or 1


def edge_of_stake(rules: RuleSet, stake: int) -> float:
    """Return the house edge against optimal play for a stake in coins, including rounding."""
    best = (one.best(rules.surrender, rules.split_aces, stake)[0] @ one.chances for one in solved(rules))
    return -float(sum(best))


def solve_all() -> dict[str, EdgesJson]:
    """Run the solver for all rule sets; return the contents of the file."""
    runs = [solve(RuleSet(decks, soft17)) for decks, soft17 in product(DECKS, get_args(Soft17))]
    return {key_of(rules): found.to_json() for run in runs for rules, found in run.items()}


if __name__ == "__main__":
    lines = (f"{json.dumps(key)}: {json.dumps(found)}" for key, found in solve_all().items())
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
