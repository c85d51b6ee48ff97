"""Monte Carlo simulation of Rugen: millions of chains with counts of winning bets, to check the exact odds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from companion.games.rugen.odds.chain import Reading, chain_so_far
from companion.games.rugen.prices import SPOTS
from companion.objects.dice import D20_FACES, HALVES, NUMBERS, half_of, number_of

Bits = npt.NDArray[np.bool_]
Progress = Callable[[int], object]

BLOCK: Final = 65_536
MAX_THROWS: Final = 7
"""Maximum length of a chain: three 4s, two 3s, one 2 and one more throw."""


@dataclass(frozen=True, slots=True)
class Chains:
    """A block of chains: the throws seen before, and `MAX_THROWS` random ones each.

    Attributes:
        numbers: int8 (chains, throws), the number of each throw, beginning with the throws seen before.
        is_night: bool (chains, throws), whether it is a night face.
        end: int64 (chains,), index of the throw that broke the chain.
        seen: number of throws seen before.
    """

    numbers: npt.NDArray[np.int8]
    is_night: Bits
    end: npt.NDArray[np.int64]
    seen: int

    @property
    def in_chain(self) -> Bits:
        """Whether each throw belongs to the chain, (chains, throws)."""
        places: Bits = np.arange(self.numbers.shape[1]) <= self.end[:, np.newaxis]
        return places

    @property
    def winner(self) -> npt.NDArray[np.int8]:
        """The number that broke each chain, (chains,)."""
        return self.numbers[np.arange(len(self.end)), self.end]


_NUMBER: Final = np.array([number_of(face) for face in D20_FACES], dtype=np.int8)
_IS_NIGHT: Final = np.array([half_of(face) == "night" for face in D20_FACES])


def throw_chains(
    chains: int, random: np.random.Generator, in_play: Sequence[int] = NUMBERS, seen: Sequence[str] = ()
) -> Chains:
    """Return random chains with a common beginning.

    Args:
        in_play: the numbers that count. Others are not thrown, since they would be ignored.
        seen: the common first throws.
    """
    kept = [face for face in seen if number_of(face) in in_play]
    on_die = np.flatnonzero(np.isin(_NUMBER, in_play))
    thrown = on_die[random.integers(len(on_die), size=(chains, MAX_THROWS))]
    first = np.tile(np.array([D20_FACES.index(face) for face in kept], dtype=np.int64), (chains, 1))
    faces = np.concatenate((first, thrown), axis=1)
    numbers = _NUMBER[faces]
    return Chains(numbers, _IS_NIGHT[faces], _ends(numbers), len(kept))


def _ends(numbers: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
    """Return the index of the first throw that breaks its number, for each row."""
    broken = np.zeros(numbers.shape, dtype=np.bool_)
    for number in NUMBERS:
        broken |= np.cumsum(numbers == number, axis=1, dtype=np.int8) >= number
    ends: npt.NDArray[np.int64] = broken.argmax(axis=1)
    return ends


def simulate_house(
    chains: int,
    random: np.random.Generator,
    reading: Reading,
    seen: Sequence[str] = (),
    progress: Progress = lambda chains: None,
) -> dict[str, int]:
    """Return bet of the House layout -> number of chains won; one-roll bets are on the next throw.

    Raises:
        UnknownCard, WrongPhase: as `companion.games.rugen.odds.chain.chain_so_far`.
    """
    chain_so_far(seen)
    wins = dict.fromkeys(SPOTS, 0)
    for size in _blocks(chains):
        thrown = throw_chains(size, random, seen=seen)
        for number in NUMBERS:
            _count_next_throw(thrown, number, wins)
            _count_chain(thrown, number, reading, wins)
        progress(size)
    return wins


def _count_next_throw(thrown: Chains, number: int, wins: dict[str, int]) -> None:
    hit = thrown.numbers[:, thrown.seen] == number
    night = thrown.is_night[:, thrown.seen]
    wins[f"center/{number}"] += int(hit.sum())
    wins[f"day/{number}"] += int((hit & ~night).sum())
    wins[f"night/{number}"] += int((hit & night).sum())


def _count_chain(thrown: Chains, number: int, reading: Reading, wins: dict[str, int]) -> None:
    broke = thrown.winner == number
    wins[f"chain/{number}"] += int(broke.sum())
    in_chain = thrown.in_chain
    looked_at = in_chain & (thrown.numbers == number) if reading == "own" else in_chain
    for half in HALVES:
        wrong = thrown.is_night != (half == "night")
        wins[f"chain-{half}/{number}"] += int((broke & ~(looked_at & wrong).any(axis=1)).sum())


def simulate_takes(
    chains: int,
    random: np.random.Generator,
    in_play: Sequence[int] = NUMBERS,
    seen: Sequence[str] = (),
    progress: Progress = lambda chains: None,
) -> dict[str, int]:
    """Return number -> number of chains won, in a game in which only some numbers count.

    Raises:
        UnknownCard, WrongPhase: as `companion.games.rugen.odds.chain.chain_so_far`.
    """
    chain_so_far(seen, in_play)
    wins = {f"take/{number}": 0 for number in NUMBERS}
    for size in _blocks(chains if in_play else 0):
        winner = throw_chains(size, random, in_play, seen).winner
        for number in in_play:
            wins[f"take/{number}"] += int((winner == number).sum())
        progress(size)
    return wins


def _blocks(chains: int) -> list[int]:
    return [min(BLOCK, chains - done) for done in range(0, chains, BLOCK)]
