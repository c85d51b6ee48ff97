"""The edge and the basic strategy of every rule set, worked out once and kept in the user's cache.

For each number of decks and rule for soft 17 one run of the solver, of about a second and a half, settles every rule
for surrender and split aces.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from functools import cache, lru_cache
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any, Final, get_args

from companion.games.blackjack.odds.deals import Solved
from companion.games.blackjack.odds.hands import VALUES
from companion.games.blackjack.odds.rule_set import RuleSet, SplitAces, Surrender
from companion.games.blackjack.odds.solver import solve_up
from companion.games.blackjack.odds.strategy import ROWS, Strategy

_CHOICES: Final = tuple(product(get_args(Surrender), get_args(SplitAces)))


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


@lru_cache(maxsize=256)
def edges(rules: RuleSet) -> Edges:
    """Return what a bet is worth, from the cache if it is there."""
    group = RuleSet(rules.decks, rules.soft17, peek=rules.peek)
    return _group(group)[f"{rules.surrender}/{rules.split_aces}"]


def cache_file(rules: RuleSet) -> Path:
    """Return where the solver's results for a number of decks and a rule for soft 17 are kept.

    The name depends on the solver's source: results of another version are never read.
    """
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    peek = "-peek" if rules.peek else ""
    return Path(base) / "table-companion" / f"blackjack-{rules.decks}-{rules.soft17}{peek}-{_version()}.json"


@cache
def _version() -> str:
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:12]


@lru_cache(maxsize=64)
def _group(rules: RuleSet) -> dict[str, Edges]:
    """Return the results by surrender and split aces: "late/play-on"."""
    file = cache_file(rules)
    try:
        return {key: _loaded(kept) for key, kept in json.loads(file.read_text(encoding="utf-8")).items()}
    except (OSError, ValueError, KeyError, TypeError):
        found = solve(rules)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(f".{os.getpid()}")
        part.write_text(json.dumps({key: asdict(one) for key, one in found.items()}), encoding="utf-8")
        part.replace(file)
    except OSError:
        pass  # a system without a home works it out at every start
    return found


def _loaded(kept: dict[str, Any]) -> Edges:
    table = kept.pop("strategy")["rows"]
    return Edges(**kept, strategy=Strategy({row: tuple(map(tuple, table[row])) for row in ROWS}))


def solve(rules: RuleSet) -> dict[str, Edges]:
    """Run the solver for a number of decks and a rule for soft 17; see `edges`, which keeps the results."""
    solved = [solve_up(rules, up) for up in range(VALUES)]
    return {f"{surrender}/{aces}": _edges(solved, surrender, aces) for surrender, aces in _CHOICES}


def _edges(solved: list[Solved], surrender: Surrender, aces: SplitAces) -> Edges:
    worth = sum(one.best(surrender, aces) @ one.chances for one in solved)
    by_table = sum(float(one.by_table(surrender, aces) @ one.chances) for one in solved)
    columns = [one.column(surrender, aces) for one in solved]
    strategy = Strategy({row: tuple(column[row] for column in columns) for row in ROWS})
    coins, win, lose = (float(figure) for figure in worth)
    return Edges(-coins, -by_table, win, lose, strategy)
