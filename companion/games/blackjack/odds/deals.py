"""Initial deals, two cards against an up-card: value of each action, edge and strategy."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from companion.games.blackjack.odds.cards import ACE, TEN, Counts, counts_of
from companion.games.blackjack.odds.hands import Floats
from companion.games.blackjack.odds.play import Actions
from companion.games.blackjack.odds.rule_set import SplitAces, Surrender
from companion.games.blackjack.odds.splits import Split
from companion.games.blackjack.odds.strategy import ROWS, Action, Column, ranked, row_of

EVEN: Final = 2
"""A stake without rounding losses."""
Worths = Mapping[Action, Floats]
"""Action -> float (3, n): expected coins per coin staked, probability to win, probability to lose."""


@dataclass(frozen=True, slots=True)
class Deal:
    """Two cards and an up-card."""

    hand: Counts
    up: int
    is_pair: bool
    "Whether both cards have the same rank; two ten-values may differ."

    @property
    def is_natural(self) -> bool:
        return self.hand == counts_of(ACE, TEN)

    @property
    def row(self) -> str:
        return row_of(self.hand, self.is_pair)


def deals_against(up: int) -> tuple[Deal, ...]:
    """Return every deal against an up-card.

    >>> len(deals_against(ACE))
    56
    """
    return tuple(
        Deal(counts_of(one, two), up, is_pair)
        for one in range(10)
        for two in range(one, 10)
        for is_pair in ((True, False) if one == two == TEN else (one == two,))
    )


def chance_of(deal: Deal, full: Counts) -> float:
    """Return the probability of a deal from a full shoe."""
    cards = sum(full)
    shoe = [count - (value == deal.up) for value, count in enumerate(full)]
    values = [value for value, count in enumerate(deal.hand) for _ in range(count)]
    one, two = values
    ways = float(shoe[one] * (shoe[one] - 1) if one == two else 2 * shoe[one] * shoe[two])
    if one == two == TEN:
        same = (full[TEN] // 4 - 1) / (full[TEN] - 1)
        ways *= same if deal.is_pair else 1 - same
    return full[deal.up] / cards * ways / ((cards - 1) * (cards - 2))


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """Values of all deals against one up-card.

    Attributes:
        chances: float (n), probabilities of the deals.
        blackjack: float (n), probabilities of a dealer's blackjack.
        worths: each action but surrender, with optimal play after it; minus infinity for splits of non-pairs.
        table: float (2, n), basic strategy's play of a deal, under "stand", and its play after a "split".
        actions: optimal action for each hand of `lattice()` that is neither split nor surrendered.
        splits: the split of a pair of each card value.
        one_card: the split of aces that get one card each.
    """

    deals: tuple[Deal, ...]
    chances: Floats
    blackjack: Floats
    worths: Worths
    table: Worths
    actions: Actions
    splits: tuple[Split, ...]
    one_card: Split

    def offered(self, worths: Worths, surrender: Surrender, aces: SplitAces, stake: int = EVEN) -> Worths:
        """Return the worths under rules for surrender and split aces, for a stake in coins."""
        split = worths["split"].copy()
        if aces == "one-card":
            split[:, [deal.row == "pair/1" for deal in self.deals]] = self.one_card.worth[: len(split), np.newaxis]
        more: dict[Action, Floats] = {"split": split}
        if surrender != "none":
            more["surrender"] = surrendered(self.blackjack, surrender, stake)
        return {**worths, **more}

    def best(self, surrender: Surrender, aces: SplitAces, stake: int = EVEN) -> Floats:
        """Return float (3, n), the worth of the best action."""
        stacked = np.stack(list(self.offered(self.worths, surrender, aces, stake).values()))
        best: Floats = np.take_along_axis(stacked, stacked[:, :1].argmax(axis=0)[np.newaxis], axis=0)[0]
        return self._with_naturals(best, stake)

    def by_table(self, surrender: Surrender, aces: SplitAces) -> Floats:
        """Return float (2, n), expected coins of basic strategy's action, and its probability to win."""
        column, offered = self.column(surrender, aces), self.offered(self.table, surrender, aces)
        taken = [column[deal.row][0] for deal in self.deals]
        coins = [
            offered[action if action in ("split", "surrender") else "stand"][:2, i] for i, action in enumerate(taken)
        ]
        return self._with_naturals(np.stack(coins, axis=1))

    def column(self, surrender: Surrender, aces: SplitAces) -> Column:
        """Return the basic strategy: the action that is best on average over the deals of a row."""
        offered = self.offered(self.worths, surrender, aces)
        return {row: self._cell(row, offered) for row in ROWS}

    def _cell(self, row: str, offered: Worths) -> tuple[Action, ...]:
        chosen: npt.NDArray[np.bool_] = np.array([deal.row == row for deal in self.deals])
        if row in ("hard/21", "soft/21"):
            return ("stand",)
        if row in ("hard/4", "soft/12"):  # only pairs that can no longer be split
            chosen = np.array([deal.row == ("pair/2" if row == "hard/4" else "pair/1") for deal in self.deals])
        weights = self.chances * chosen
        means = {action: float(worth[0, chosen] @ weights[chosen]) for action, worth in offered.items()}
        return ranked({action: mean for action, mean in means.items() if action != "split" or row.startswith("pair")})

    def _with_naturals(self, worth: Floats, stake: int = EVEN) -> Floats:
        """Set the worth of naturals: 3:2 rounded down, or a push against a dealer's natural."""
        naturals = [deal.is_natural for deal in self.deals]
        wins = 1 - self.blackjack[naturals]
        worth[:, naturals] = np.stack([3 * stake // 2 / stake * wins, wins, np.zeros_like(wins)])[: len(worth)]
        return worth


def surrendered(blackjack: Floats, surrender: Surrender, stake: int = EVEN) -> Floats:
    """Return float (3, n), the worth of surrender, rounded down; *late*: a dealer's blackjack takes the whole stake."""
    half = stake // 2 / stake
    coins = -half - (1 - half) * blackjack * (surrender == "late")
    return np.stack([coins, np.zeros_like(blackjack), np.ones_like(blackjack)])
