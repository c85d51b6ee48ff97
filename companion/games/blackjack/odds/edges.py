"""The edge and the basic strategy of every rule set, as the solver found them.

They are kept in `edges.json`, so nobody at a table waits for them; a test solves them again. One run of the solver, of
about two seconds, settles a number of decks and a rule for soft 17, for every rule of surrender and split aces.

Run after a change of the solver: python -m companion.games.blackjack.odds.solver
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Final, get_args

from typing_extensions import TypedDict

from companion.games.blackjack.odds.rule_set import DECKS, RuleSet, Soft17, SplitAces, Surrender
from companion.games.blackjack.odds.strategy import Strategy

FILE: Final = Path(__file__).with_name("edges.json")
DEVIATIONS: Final = Path(__file__).with_name("deviations.json")
"""By rule set, as `simulation` found them: how far a round of one coin usually ends from its average."""


class EdgesJson(TypedDict):
    edge: float
    table_edge: float
    win: float
    table_win: float
    lose: float
    least_stake: int | None
    strategy: dict[str, str]


@dataclass(frozen=True, slots=True)
class Edges:
    """What a bet is worth under a rule set, for each coin of its first stake.

    Attributes:
        edge: what the house keeps on average against the best play; below zero the players have the edge.
        table_edge: the same against the basic strategy.
        win: the chance to win with the best play; of a split, that one of its hands, any, wins.
        table_win: the same with the basic strategy.
        lose: the chance to lose; a surrendered hand is lost.
        least_stake: from here on no stake leaves the players an edge; a surrendered half is rounded down, so small odd
            ones may. None: every even stake does.
        strategy: the basic strategy.
    """

    edge: float
    table_edge: float
    win: float
    table_win: float
    lose: float
    least_stake: int | None
    strategy: Strategy

    def to_json(self) -> EdgesJson:
        """Return what the file holds."""
        return {
            "edge": self.edge,
            "table_edge": self.table_edge,
            "win": self.win,
            "table_win": self.table_win,
            "lose": self.lose,
            "least_stake": self.least_stake,
            "strategy": self.strategy.to_json(),
        }


@cache  # a rule set's own, when it is asked for: a start need not read the strategies of all of them
def edges(rules: RuleSet) -> Edges:
    """Return what a bet is worth.

    Raises:
        KeyError: the dealer peeks: ask the solver.

    >>> f"{edges(RuleSet(decks=2)).edge:.4%}"
    '0.0251%'
    """
    if rules.peek:
        raise KeyError(rules)
    return _from_json(_kept()[key_of(rules)])


def deviation(rules: RuleSet) -> float:
    """Return how far a round usually ends from its average, for each coin of its first stake: the standard deviation.

    >>> deviation(RuleSet(decks=2))
    1.125
    """
    return _deviations()[key_of(rules)]


@cache
def _deviations() -> dict[str, float]:
    found: dict[str, float] = json.loads(DEVIATIONS.read_text(encoding="utf-8"))
    return found


@cache
def _kept() -> dict[str, EdgesJson]:
    kept: dict[str, EdgesJson] = json.loads(FILE.read_text(encoding="utf-8"))
    return kept


def _from_json(kept: EdgesJson) -> Edges:
    strategy = Strategy.from_json(kept["strategy"])
    wins = kept["win"], kept["table_win"]
    return Edges(kept["edge"], kept["table_edge"], *wins, kept["lose"], kept["least_stake"], strategy)


def every_rule_set() -> tuple[RuleSet, ...]:
    """Return every table that can be set up.

    >>> len(every_rule_set())
    96
    """
    return tuple(
        one for decks, soft17 in product(DECKS, get_args(Soft17)) for one in rule_sets_like(RuleSet(decks, soft17))
    )


def rule_sets_like(rules: RuleSet) -> Iterable[RuleSet]:
    """Return the rule sets that differ in surrender and split aces only."""
    for surrender, aces in product(get_args(Surrender), get_args(SplitAces)):
        yield RuleSet(rules.decks, rules.soft17, surrender, aces, rules.peek)


def key_of(rules: RuleSet) -> str:
    return f"{rules.decks}/{rules.soft17}/{rules.surrender}/{rules.split_aces}"
