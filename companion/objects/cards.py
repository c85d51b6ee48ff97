"""The small values that lie on the table: suits, cards, tokens, and the tag number printed on each.

Ids are the ones of the public contract: ``6D3`` (a Roche card), ``T6`` (a suit token), ``LDR`` (the
leader button), ``AS`` (a standard card).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

Half = Literal["day", "night"]
DeckKind = Literal["roche", "red", "standard"]

RANKS: Final = (2, 3, 4, 5, 6, 7)
RED_RANKS: Final = (3, 4, 5, 6, 7)
SUIT_NAMES: Final = {2: "Mages", 3: "Realm", 4: "World", 5: "Valor", 6: "Kin", 7: "Commons"}


@dataclass(frozen=True, slots=True, order=True)
class RocheCard:
    """One card of the Roche deck: a suit of rank r has r day cards and r night cards.

    >>> RocheCard(6, "day", 3).id
    '6D3'
    >>> ROCHE_CARDS["6D3"]
    RocheCard(rank=6, half='day', number=3)
    """

    rank: int
    half: Half
    number: int

    @property
    def id(self) -> str:
        return f"{self.rank}{self.half[0].upper()}{self.number}"

    @property
    def suit_name(self) -> str:
        return SUIT_NAMES[self.rank]


def _roche_cards() -> dict[str, RocheCard]:
    halves: tuple[Half, Half] = ("day", "night")
    cards = [RocheCard(r, h, n) for r in RANKS for h in halves for n in range(1, r + 1)]
    return {card.id: card for card in cards}


ROCHE_CARDS: Final[dict[str, RocheCard]] = _roche_cards()
"""All 54 Roche cards by id, rank by rank, day before night."""

FULL_DECK: Final[tuple[str, ...]] = tuple(ROCHE_CARDS)
RED_DECK: Final[tuple[str, ...]] = tuple(c for c in FULL_DECK if c[0] != "2")
TOKENS: Final[tuple[str, ...]] = tuple(f"T{r}" for r in RANKS)
LEADER_BUTTON: Final = "LDR"
STANDARD_DECK: Final[tuple[str, ...]] = tuple(r + s for s in "SHDC" for r in "23456789TJQKA")


def cards_of_suit(rank: int) -> tuple[str, ...]:
    """Return the ids of the suit's 2r cards, day first.

    >>> cards_of_suit(2)
    ('2D1', '2D2', '2N1', '2N2')
    """
    return tuple(c for c in FULL_DECK if c[0] == str(rank))


def deck_cards(kind: DeckKind) -> tuple[str, ...]:
    """Return the ids of all cards (tokens not counted) of a deck of this kind.

    >>> [len(deck_cards(kind)) for kind in ("roche", "red", "standard")]
    [54, 50, 52]
    """
    return {"roche": FULL_DECK, "red": RED_DECK, "standard": STANDARD_DECK}[kind]


def deck_tokens(kind: DeckKind) -> tuple[str, ...]:
    """Return the ids of the suit tokens and the leader button that belong to a deck of this kind.

    >>> deck_tokens("red")
    ('T3', 'T4', 'T5', 'T6', 'T7', 'LDR')
    """
    if kind == "standard":
        return ()
    tokens = TOKENS if kind == "roche" else TOKENS[1:]
    return (*tokens, LEADER_BUTTON)


# Tag numbers (AprilTag family 36h11, numbers 0-586). Printed things keep theirs for ever: never renumber.
_TAG_BLOCKS: Final[Sequence[tuple[int, tuple[str, ...]]]] = (
    (0, FULL_DECK),
    (54, (*TOKENS, LEADER_BUTTON)),
    (61, STANDARD_DECK),  # a second standard deck follows at 113
)
SECOND_STANDARD_DECK_TAGS: Final = range(113, 165)
MAT_TAGS: Final = (*range(165, 181), *range(201, 217))
RUGEN_FACE_TAGS: Final = range(181, 201)

TAG_OF: Final[dict[str, int]] = {piece: first + i for first, pieces in _TAG_BLOCKS for i, piece in enumerate(pieces)}
"""The tag number printed on each card, token and button (first standard deck)."""

PIECE_OF_TAG: Final[dict[int, str]] = {
    **{tag: piece for piece, tag in TAG_OF.items()},
    **dict(zip(SECOND_STANDARD_DECK_TAGS, STANDARD_DECK, strict=True)),
}
"""The card, token or button that a tag number stands for; mat and die tags are not pieces."""
