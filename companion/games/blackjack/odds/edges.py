"""Edge and basic strategy of every rule set, precomputed by the solver.

They are stored in `edges.json` so that no table has to wait; a test solves them again. One solver run, of about two
seconds, covers a number of decks and a soft 17 rule, with all rules for surrender and split aces.

Run after changing the solver: python -m companion.games.blackjack.odds.solver
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
"""Standard deviation of a round at one coin per rule set, measured by `simulation`."""


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
    """Value of a bet under a rule set, per coin of its initial stake.

    Attributes:
        edge: house edge against optimal play; negative if the players have the edge.
        table_edge: house edge against basic strategy.
        win: probability to win with optimal play; after a split, for a random one of its hands.
        table_win: probability to win with basic strategy.
        lose: probability to lose; a surrendered hand counts as lost.
        least_stake: stake from which on the players never have an edge; below it, small odd stakes may give them one,
            because a surrendered half is rounded down. None: every even stake gives them one.
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
        """Return the JSON form."""
        return {
            "edge": self.edge,
            "table_edge": self.table_edge,
            "win": self.win,
            "table_win": self.table_win,
            "lose": self.lose,
            "least_stake": self.least_stake,
            "strategy": self.strategy.to_json(),
        }


@cache  # parses one rule set on demand, to keep start-up fast
def edges(rules: RuleSet) -> Edges:
    """Return the precomputed edges.

    Raises:
        KeyError: rules with a peek, which only the solver covers.

    >>> f"{edges(RuleSet(decks=2)).edge:.4%}"
    '0.0251%'
    """
    if rules.peek:
        raise KeyError(rules)
    return _from_json(_kept()[key_of(rules)])


def deviation(rules: RuleSet) -> float:
    """Return the standard deviation of a round's result per coin of the initial stake.

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
    """Return all rule sets that a table can use.

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
