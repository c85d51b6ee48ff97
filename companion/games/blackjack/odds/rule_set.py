"""The rules that the odds of blackjack depend on."""

from dataclasses import dataclass
from typing import Final, Literal, get_args

Soft17 = Literal["stand", "hit"]
"""What the dealer does on a 17 with an ace that counts 11."""
Surrender = Literal["late", "early", "none"]
"""Half the stake is given up; *late*: a dealer's blackjack takes all of it."""
SplitAces = Literal["play-on", "one-card"]
"""Split aces are played like other pairs, or get one card each and are not split again."""

DECKS: Final = tuple(range(1, 9))
MOST_HANDS: Final = 4
"""The hands that one bet may be split into."""


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules of a table.

    Any two cards may be doubled, after a split too, and equal ranks split up to four hands. A natural pays 3:2.

    Attributes:
        peek: the dealer looks for a blackjack before anybody decides, so it takes a single stake only. No table here
            plays so: published figures do.

    Raises:
        ValueError: there is no such rule.

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
