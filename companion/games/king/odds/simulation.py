"""Monte Carlo simulation of rounds, to check the exact odds."""

from collections.abc import Callable
from typing import Final

import numpy as np

from companion.games.king.spaces import KING, RIGGED
from companion.games.king.state import is_right, ranges

_AT_ONCE: Final = 100_000
_KING: Final = 0


def simulate(
    players: int, king: float, rounds: int, random: np.random.Generator, progress: Callable[[int], object]
) -> dict[str, int]:
    """Return how many rounds had each guess right, a space earn 1 or 2 points, and a lone bet on the king space.

    Args:
        king: share of bets on the king space.
    """
    guesses = ranges(players)
    names = [*(f"range/{guess}" for guess in guesses), "space/1", "space/2", KING]
    wins = dict.fromkeys(names, 0)
    for start in range(0, rounds, _AT_ONCE):
        count = min(_AT_ONCE, rounds - start)
        bets = random.integers(1, len(RIGGED) + 1, (count, players - 1))
        bets[random.random(bets.shape) < king] = _KING
        points = np.zeros((count, len(RIGGED) + 1), np.int64)
        points[:, 1:] = random.permuted(np.tile([1, 1, 2, 0, 0, 0], (count, 1)), axis=1)
        earned = np.count_nonzero(np.take_along_axis(points, bets, axis=1), axis=1)
        for guess in guesses:
            right = [number for number in range(players) if is_right(guess, number)]
            wins[f"range/{guess}"] += int(np.isin(earned, right).sum())
        probe = points[np.arange(count), random.integers(1, len(RIGGED) + 1, count)]
        wins["space/1"] += int((probe == 1).sum())
        wins["space/2"] += int((probe == 2).sum())
        wins[KING] += int((bets[:, 1:] != _KING).all(axis=1).sum())
        progress(count)
    return wins
