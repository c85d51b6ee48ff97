"""What PokerKit says of random hands of seven cards, written down once; run this file to make it anew.

Only that needs PokerKit (``pip install pokerkit``); the file was made with 0.7.7. It holds two bytes a hand: how high
the hand's best five stand among the 7,462 hands that differ, from 0 up.
"""

from __future__ import annotations

import gzip
from array import array
from collections.abc import Iterator
from pathlib import Path

HANDS = 120_000
TRANSCRIPT = Path(__file__).with_name("holdem_pokerkit_ranks.gz")
DECK = [rank + suit for suit in "SHDC" for rank in "23456789TJQKA"]


def hands() -> Iterator[list[str]]:
    """Yield the hands, the same ones on every machine: numbers from a linear congruence, cards drawn one by one."""
    number = 19
    for _ in range(HANDS):
        deck = list(DECK)
        for place in range(7):
            number = (number * 6364136223846793005 + 1442695040888963407) % 2**64
            other = place + (number >> 33) % (len(deck) - place)
            deck[place], deck[other] = deck[other], deck[place]
        yield deck[:7]


def heard() -> array[int]:
    """Return what PokerKit said of each."""
    said = array("H")
    said.frombytes(gzip.decompress(TRANSCRIPT.read_bytes()))
    return said


def main() -> None:
    """Ask PokerKit."""
    from pokerkit import StandardHighHand

    said = array("H")
    for cards in hands():
        text = "".join(card[0] + card[1].lower() for card in cards)
        said.append(StandardHighHand.from_game(text).entry.index)
    TRANSCRIPT.write_bytes(gzip.compress(said.tobytes(), 9, mtime=0))


if __name__ == "__main__":
    main()
