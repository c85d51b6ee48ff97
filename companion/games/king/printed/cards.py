"""Card IDs of King of Roulette, and their names."""

from types import MappingProxyType
from typing import Final

from companion.games.king.spaces import RIGGED
from companion.kernel.messages import Message, message, plural

PLAYERS: Final = "ABCDEFGHIJKL"
"""A letter for each player."""
BETS: Final = tuple(f"{player}{space}" for player in PLAYERS for space in (*RIGGED, "K"))
"""A card for each player and space, ``A3`` or ``AK``."""
RULES: Final = tuple(f"R{points}{space}" for points in (1, 2) for space in RIGGED)
"""``R13``: space 3 earns 1 point. The king lays two for 1 point, and one for 2."""
GUESSES: Final = MappingProxyType({
    "G01": "0–1", "G23": "2–3", "G45": "4–5", "G67": "6–7", "G89": "8–9", "GTE": "10–11",
})  # fmt: skip
"""Card -> guessed number of other players who earn points."""
CARDS: Final = (*BETS, *RULES, *GUESSES)


def card_words(card: str) -> Message:
    """Return a card's name.

    >>> card_words("A3"), card_words("LK"), card_words("R25"), card_words("GTE")
    ('Player A on space 3', 'Player L on the king space', '2 points for space 5', '10–11 others earn points')
    """
    if card in GUESSES:
        return message("{range} others earn points", range=GUESSES[card])
    if card in RULES:
        return plural("{n} point for space {space}", "{n} points for space {space}", int(card[1]), space=card[2])
    if card[1] == "K":
        return message("Player {letter} on the king space", letter=card[0])
    return message("Player {letter} on space {space}", letter=card[0], space=card[1])


def heading(card: str) -> Message:
    """Return the card's owner, as a heading."""
    return message("Player {letter}", letter=card[0]) if card in BETS else message("The king")
