"""Exact probabilities in Rugen: which number breaks first, from any position in a chain.

The future depends only on the count of each number, and there are only 1 × 2 × 3 × 4 such positions before a break, so
they are solved by one-step recursion. A throw of a number that does not count (in Street, if nobody took it) changes
nothing and is left out. The half of a throw is independent of its number, which gives the bets on halves.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final, Literal

from companion.kernel.errors import UnknownCard, WrongPhase
from companion.objects.cards import Half
from companion.objects.dice import DAY_NIGHT_FACES, HALVES, NUMBERS, half_of, number_of

Reading = Literal["all", "own"]

_FACES: Final = 20
_NEVER: Final = Fraction(0)
_ALWAYS: Final = Fraction(1)


@dataclass(frozen=True, slots=True)
class Chain:
    """The throws of a chain so far. ``counts``: of the numbers 1 to 4; ``broken``: the number that broke, or None."""

    seen: tuple[str, ...]
    in_play: tuple[int, ...]
    counts: tuple[int, ...]
    broken: int | None


def chain_so_far(seen: Sequence[str], in_play: Sequence[int] = NUMBERS) -> Chain:
    """Return the chain of these throws, in order.

    Args:
        in_play: the numbers that count; throws of others are ignored.

    Raises:
        UnknownCard: the die has no such face.
        WrongPhase: there are throws after the one that broke the chain.
    """
    counts = [0, 0, 0, 0]
    broken = None
    for place, face in enumerate(seen):
        if face not in DAY_NIGHT_FACES:
            raise UnknownCard(f"A Rugen die has no face {face!r}. Faces are named like 3d and 1n.")
        if broken is not None:
            raise WrongPhase(
                f"{face} comes after {seen[place - 1]}, which broke the chain with its {broken}s. "
                "Leave out the throws after the break."
            )
        number = number_of(face)
        counts[number - 1] += 1
        if number in in_play and counts[number - 1] == number:
            broken = number
    return Chain(tuple(seen), tuple(in_play), tuple(counts), broken)


def break_chances(chain: Chain) -> dict[int, Fraction]:
    """Return number in play -> probability to break first; 0 or 1 after a break.

    >>> {number: round(float(chance), 6) for number, chance in break_chances(chain_so_far(())).items()}
    {1: 0.398592, 2: 0.251824, 3: 0.191376, 4: 0.158208}
    """
    if chain.broken is not None:
        return {number: _sure(number == chain.broken) for number in chain.in_play}
    faces = sum(chain.in_play)
    weights = tuple(Fraction(number, faces) if number in chain.in_play else _NEVER for number in NUMBERS)
    counts = tuple(count if number in chain.in_play else 0 for number, count in zip(NUMBERS, chain.counts, strict=True))
    chances = _first_to_break(counts, weights)
    return {number: chances[number - 1] for number in chain.in_play}


@lru_cache(maxsize=4096)
def _first_to_break(counts: tuple[int, ...], weights: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """Return the probabilities of 1, 2, 3 and 4 to break first.

    Args:
        counts: count of each number; none has broken.
        weights: probability of each number per throw; the rest, if their sum is below 1, is a throw that loses all.
    """
    chances = [_NEVER] * 4
    for place, weight in enumerate(weights):
        if not weight:
            continue
        if counts[place] + 1 == place + 1:
            chances[place] += weight
            continue
        further = (*counts[:place], counts[place] + 1, *counts[place + 1 :])
        for number, chance in enumerate(_first_to_break(further, weights)):
            chances[number] += weight * chance
    return tuple(chances)


# ---- House Rugen


def one_roll_chances() -> dict[str, dict[Half, Fraction]]:
    """Return the probabilities of center, day and night bets to win with a day and with a night throw."""
    chances: dict[str, dict[Half, Fraction]] = {}
    for number in NUMBERS:
        half_chance = Fraction(number, _FACES)
        chances[f"center/{number}"] = dict.fromkeys(HALVES, half_chance)
        chances[f"day/{number}"] = {"day": half_chance, "night": _NEVER}
        chances[f"night/{number}"] = {"day": _NEVER, "night": half_chance}
    return chances


def chain_chances(chain: Chain, reading: Reading) -> dict[str, dict[Half, Fraction]]:
    """Return the probabilities of chain, chain-day and chain-night bets to win with a day and with a night throw last.

    Args:
        chain: with all four numbers in play.
        reading: throws counted by chain-day and chain-night: all of the chain, or those of their own number.
    """
    chances: dict[str, dict[Half, Fraction]] = {}
    for number, chance in break_chances(chain).items():
        chances[f"chain/{number}"] = _by_last_throw(chain, chance)
        for half in HALVES:
            pure = _all_of_half(chain, number, half) if reading == "all" else _own_of_half(chain, number, half)
            chances[f"chain-{half}/{number}"] = {last: pure if last == half else _NEVER for last in HALVES}
    return chances


def _by_last_throw(chain: Chain, chance: Fraction) -> dict[Half, Fraction]:
    """Split a number's probability to break by the half of the breaking throw: known, or day and night alike."""
    if chain.broken is None:
        return dict.fromkeys(HALVES, chance / 2)
    return {half: chance if half_of(chain.seen[-1]) == half else _NEVER for half in HALVES}


def _all_of_half(chain: Chain, number: int, half: Half) -> Fraction:
    """Return the probability that a number breaks with all throws of the chain in this half."""
    if any(half_of(face) != half for face in chain.seen):
        return _NEVER
    if chain.broken is not None:
        return _sure(number == chain.broken)
    return _first_to_break(chain.counts, tuple(Fraction(n, _FACES) for n in NUMBERS))[number - 1]


def _own_of_half(chain: Chain, number: int, half: Half) -> Fraction:
    """Return the probability that a number breaks with all its own throws in this half."""
    if any(number_of(face) == number and half_of(face) != half for face in chain.seen):
        return _NEVER
    to_come = number - chain.counts[number - 1]
    return break_chances(chain)[number] * Fraction(1, 1 << to_come)


def _sure(is_so: bool) -> Fraction:
    return _ALWAYS if is_so else _NEVER
