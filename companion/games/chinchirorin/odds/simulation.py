"""Monte Carlo simulation of rounds, to check the exact odds."""

from collections.abc import Callable
from fractions import Fraction
from typing import Final

import numpy as np
import numpy.typing as npt

from companion.games.chinchirorin.throws import TRIES

BLOCK: Final = 65_536
_AGAIN: Final = -1
_LOST: Final = 10
"""Code for a lost turn; above every score."""
_WON: Final = 11

Codes = npt.NDArray[np.int64]


def simulate(
    rounds: int,
    random: np.random.Generator,
    score: int | None,
    out: Fraction,
    progress: Callable[[int], object],
) -> dict[str, int]:
    """Return the number of rounds in which each side collects."""
    wins = {"bettors": 0, "banker": 0}
    for start in range(0, rounds, BLOCK):
        count = min(BLOCK, rounds - start)
        banker = _turns(count, random, out, is_banker=True) if score is None else np.full(count, score)
        player = _turns(count, random, out, is_banker=False)
        is_over = banker >= _LOST
        bettors = np.where(is_over, banker == _LOST, (player == _WON) | ((player < _LOST) & (player > banker)))
        bank = np.where(is_over, banker == _WON, (player == _LOST) | (player < banker))
        wins["bettors"] += int(bettors.sum())
        wins["banker"] += int(bank.sum())
        progress(count)
    return wins


def _turns(count: int, random: np.random.Generator, out: Fraction, *, is_banker: bool) -> Codes:
    """Return the results of turns: a score, `_LOST` or `_WON`. A triple wins for the player, loses for the banker."""
    ended = np.full(count, _AGAIN)
    for _ in range(TRIES):
        dice = np.sort(random.integers(1, 7, (count, 3)), axis=1)
        read = _read(dice, is_banker)
        read[random.random(count) < float(out)] = _LOST
        ended = np.where(ended == _AGAIN, read, ended)
    return np.where(ended == _AGAIN, 0, ended)


def _read(dice: Codes, is_banker: bool) -> Codes:
    low, middle, high = dice.T
    is_triple, is_pair = low == high, (low == middle) | (middle == high)
    read = np.where(is_pair, np.where(low == middle, high, low), _AGAIN)
    read[is_triple] = _LOST if is_banker else _WON
    read[is_triple & (low == 1)] = _LOST
    read[(low == 1) & (middle == 2) & (high == 3)] = _LOST
    read[(low == 4) & (middle == 5) & (high == 6)] = _WON
    return read
