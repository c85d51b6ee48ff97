"""Cards of the six suits, suit tokens and standard cards.

Ids are those of the public contract: ``6D3`` (a suit's card), ``T6`` (a suit token), ``LDR`` (the leader button),
``AS`` (a standard card). `companion.objects.designs.DeckDesign` lists each deck's cards and their tags.
"""

from dataclasses import dataclass
from typing import Final, Literal

Half = Literal["day", "night"]

RANKS: Final = (2, 3, 4, 5, 6, 7)
SUIT_NAMES: Final = {2: "Mages", 3: "Realm", 4: "World", 5: "Valor", 6: "Kin", 7: "Commons"}


@dataclass(frozen=True, slots=True, order=True)
class SuitCard:
    """A card of the six suits; the suit of rank r has r day cards and r night cards.

    >>> SuitCard(6, "day", 3).id
    '6D3'
    >>> SUIT_CARDS["6D3"]
    SuitCard(rank=6, half='day', number=3)
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


def _suit_cards() -> dict[str, SuitCard]:
    halves: tuple[Half, Half] = ("day", "night")
    cards = [SuitCard(r, h, n) for r in RANKS for h in halves for n in range(1, r + 1)]
    return {card.id: card for card in cards}


SUIT_CARDS: Final[dict[str, SuitCard]] = _suit_cards()
"""All 54 cards of the six suits by id, by ascending rank, day before night."""

TOKENS: Final[tuple[str, ...]] = tuple(f"T{r}" for r in RANKS)
LEADER_BUTTON: Final = "LDR"
STANDARD_CARDS: Final[tuple[str, ...]] = tuple(r + s for s in "SHDC" for r in "23456789TJQKA")


def cards_of_suit(rank: int) -> tuple[str, ...]:
    """Return the ids of the suit's 2r cards, day first.

    >>> cards_of_suit(2)
    ('2D1', '2D2', '2N1', '2N2')
    """
    return tuple(c for c in SUIT_CARDS if c[0] == str(rank))


# Tag numbers (AprilTag family 36h11, 0-586) that belong to no deck. Never renumber: they are already in print.
MAT_TAGS: Final = (*range(165, 181), *range(201, 217), *range(272, 288))
DIE_FACE_TAGS: Final = range(181, 201)


_RANKS: Final = {"A": "Ace", "K": "King", "Q": "Queen", "J": "Jack"} | dict(
    zip("23456789T", ("Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"), strict=True)
)
_SUITS: Final = {"S": "Spades", "H": "Hearts", "D": "Diamonds", "C": "Clubs"}


def standard_words(card: str) -> str:
    """Return a standard card in words.

    >>> standard_words("TD")
    'Ten of Diamonds'
    """
    return f"{_RANKS[card[0]]} of {_SUITS[card[1]]}"
