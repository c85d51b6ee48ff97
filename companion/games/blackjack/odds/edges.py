"""The edge and the basic strategy of every rule set, as the solver found them.

They are kept in `edges.json`, so nobody at a table waits for them; a test solves them again. One run of the solver, of
about two seconds, settles a number of decks and a rule for soft 17, for every rule of surrender and split aces.

Run after a change of the solver: python -m companion.games.blackjack.odds.edges
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Final, get_args

from typing_extensions import TypedDict

from companion.games.blackjack.odds.deals import Solved
from companion.games.blackjack.odds.rule_set import DECKS, RuleSet, Soft17, SplitAces, Surrender
from companion.games.blackjack.odds.solver import solved
from companion.games.blackjack.odds.strategy import ROWS, Strategy

FILE: Final = Path(__file__).with_name("edges.json")
_DIGITS: Final = 12


class EdgesJson(TypedDict):
    edge: float
    table_edge: float
    win: float
    lose: float
    strategy: dict[str, str]


@dataclass(frozen=True, slots=True)
class Edges:
    """What a bet is worth under a rule set, for each coin of its first stake.

    Attributes:
        edge: what the house keeps on average against the best play; below zero the players have the edge.
        table_edge: the same against the basic strategy.
        win: the chance to win with the best play; of a split, that one of its hands, any, wins.
        lose: the chance to lose; a surrendered hand is lost.
        strategy: the basic strategy.
    """

    edge: float
    table_edge: float
    win: float
    lose: float
    strategy: Strategy

    def to_json(self) -> EdgesJson:
        """Return what the file holds."""
        return {
            "edge": self.edge,
            "table_edge": self.table_edge,
            "win": self.win,
            "lose": self.lose,
            "strategy": self.strategy.to_json(),
        }


def edges(rules: RuleSet) -> Edges:
    """Return what a bet is worth; without a wait, unless the dealer peeks.

    >>> f"{edges(RuleSet(decks=2)).edge:.4%}"
    '0.0251%'
    """
    return solve(rules)[rules] if rules.peek else _kept()[rules]


@cache
def _kept() -> dict[RuleSet, Edges]:
    kept: dict[str, EdgesJson] = json.loads(FILE.read_text(encoding="utf-8"))
    return {rules: _from_json(kept[_key(rules)]) for rules in every_rule_set()}


def _from_json(kept: EdgesJson) -> Edges:
    strategy = Strategy.from_json(kept["strategy"])
    return Edges(kept["edge"], kept["table_edge"], kept["win"], kept["lose"], strategy)


def every_rule_set() -> tuple[RuleSet, ...]:
    """Return every table that can be set up.

    >>> len(every_rule_set())
    96
    """
    return tuple(one for decks, soft17 in product(DECKS, get_args(Soft17)) for one in _group(RuleSet(decks, soft17)))


def _group(rules: RuleSet) -> Iterable[RuleSet]:
    """Return the rule sets that differ in surrender and split aces only."""
    for surrender, aces in product(get_args(Surrender), get_args(SplitAces)):
        yield RuleSet(rules.decks, rules.soft17, surrender, aces, rules.peek)


def _key(rules: RuleSet) -> str:
    return f"{rules.decks}/{rules.soft17}/{rules.surrender}/{rules.split_aces}"


def solve(rules: RuleSet) -> dict[RuleSet, Edges]:
    """Run the solver; return what it finds for all rule sets with these decks and this rule for soft 17."""
    return {one: _edges(solved(one), one.surrender, one.split_aces) for one in _group(rules)}


def _edges(against: Sequence[Solved], surrender: Surrender, aces: SplitAces) -> Edges:
    figures = [one.best(surrender, aces) @ one.chances for one in against]
    coins, win, lose = (round(float(sum(column)), _DIGITS) for column in zip(*figures, strict=True))
    by_table = sum(float(one.by_table(surrender, aces) @ one.chances) for one in against)
    columns = [one.column(surrender, aces) for one in against]
    strategy = Strategy({row: tuple(column[row] for column in columns) for row in ROWS})
    return Edges(-coins, round(-by_table, _DIGITS), win, lose, strategy)


def solve_all() -> dict[str, EdgesJson]:
    """Run the solver for every table that can be set up; return what the file holds."""
    runs = [solve(RuleSet(decks, soft17)) for decks, soft17 in product(DECKS, get_args(Soft17))]
    return {_key(rules): found.to_json() for run in runs for rules, found in run.items()}


if __name__ == "__main__":
    lines = (f"{json.dumps(key)}: {json.dumps(found)}" for key, found in solve_all().items())
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
