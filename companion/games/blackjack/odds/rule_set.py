"""The rules on which blackjack's odds depend."""

from dataclasses import dataclass
from typing import Final, Literal, get_args

Soft17 = Literal["stand", "hit"]
"""The dealer's action on soft 17."""
Surrender = Literal["late", "early", "none"]
"""Surrender for half the stake; with *late*, a dealer's blackjack takes the whole stake."""
SplitAces = Literal["play-on", "one-card"]
"""Split aces play like other pairs, or get one card each without resplitting."""

DECKS: Final = tuple(range(1, 9))
MAX_HANDS: Final = 4
"""Maximum number of hands after splits."""


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules of a table.

    Any two cards can be doubled, also after a split; equal ranks can be split up to four hands. A natural pays 3:2.

    Attributes:
        peek: the dealer checks for a blackjack before players act, so it takes a single stake only. Not used by tables
            here, but by published figures.

    Raises:
        ValueError: an invalid rule.

    >>> RuleSet(decks=6, soft17="hit").surrender
    'late'
    """

    decks: int = 2
    soft17: Soft17 = "stand"
    surrender: Surrender = "late"
    split_aces: SplitAces = "play-on"
    peek: bool = False

    def __post_init__(self) -> None:
        if self.decks not in DECKS:
            raise ValueError(f"decks is {self.decks}. Use {DECKS[0]} to {DECKS[-1]}.")
        for name, kind in (("soft17", Soft17), ("surrender", Surrender), ("split_aces", SplitAces)):
            if getattr(self, name) not in get_args(kind):
                raise ValueError(f"{name} is {getattr(self, name)!r}. Use {', '.join(get_args(kind))}.")
