"""PokerKit's results for random seven-card hands and all-in situations, stored in files.

Run this file to regenerate them, which needs PokerKit (``pip install pokerkit``); they were made with 0.7.7. The first
file has two bytes per hand: the rank of its best five among the 7,462 distinct hands, from 0 up. The second has three
numbers for each hand of a situation, over all possible boards as ranked by PokerKit: boards won, boards tied, and the
pot share in sixtieths of a board.
"""

import gzip
from array import array
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

HANDS = 120_000
TRANSCRIPT = Path(__file__).with_name("holdem_pokerkit_ranks.gz")
EQUITIES = Path(__file__).with_name("holdem_pokerkit_equities.gz")
SITUATIONS = 400
_FLOPS = 5
"""One in this number of situations has two cards to come, the others one."""
DECK = [rank + suit for suit in "SHDC" for rank in "23456789TJQKA"]


def hands() -> Iterator[list[str]]:
    """Yield the hands, the same on every machine: a linear congruential generator, cards drawn one by one."""
    return _shuffled(HANDS, 7, 19)


def situations() -> Iterator[tuple[list[list[str]], list[str]]]:
    """Yield two to five all-in hands, and a board of three or four cards."""
    for number, cards in enumerate(_shuffled(SITUATIONS, 14, 1906)):
        players, lies = 2 + number % 4, 3 if number % _FLOPS == 0 else 4
        yield [cards[4 + 2 * i : 6 + 2 * i] for i in range(players)], cards[:lies]


def _shuffled(count: int, length: int, number: int) -> Iterator[list[str]]:
    for _ in range(count):
        deck = list(DECK)
        for place in range(length):
            number = (number * 6364136223846793005 + 1442695040888963407) % 2**64
            other = place + (number >> 33) % (len(deck) - place)
            deck[place], deck[other] = deck[other], deck[place]
        yield deck[:length]


def heard() -> "array[int]":
    """Return PokerKit's stored rank of each hand."""
    return _read(TRANSCRIPT, "H")


def heard_equities() -> "array[int]":
    """Return PokerKit's stored results for each hand of each situation."""
    return _read(EQUITIES, "I")


def _read(path: Path, kind: str) -> "array[int]":
    said: array[int] = array(kind)
    said.frombytes(gzip.decompress(path.read_bytes()))
    return said


def counted(dealt: list[list[str]], board: list[str]) -> list[int]:
    """Return PokerKit's results for a situation's hands."""
    known = {*board, *(card for hand in dealt for card in hand)}
    rest = [card for card in DECK if card not in known]
    said = [[0, 0, 0] for _ in dealt]
    for more in combinations(rest, 5 - len(board)):
        worth = [_rank([*hand, *board, *more]) for hand in dealt]
        winners = [i for i, one in enumerate(worth) if one == max(worth)]
        for i in winners:
            said[i][len(winners) > 1] += 1
            said[i][2] += 60 // len(winners)
    return [number for three in said for number in three]


def _rank(cards: list[str]) -> int:
    from pokerkit import StandardHighHand

    return int(StandardHighHand.from_game("".join(card[0] + card[1].lower() for card in cards)).entry.index)


def main() -> None:
    """Regenerate the files with PokerKit."""
    ranks = array("H", map(_rank, hands()))
    TRANSCRIPT.write_bytes(gzip.compress(ranks.tobytes(), 9, mtime=0))
    said = array("I", (number for one in situations() for number in counted(*one)))
    EQUITIES.write_bytes(gzip.compress(said.tobytes(), 9, mtime=0))


if __name__ == "__main__":
    main()
