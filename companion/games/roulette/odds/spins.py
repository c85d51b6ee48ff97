"""Joint results of bets on one spin, for every pocket, settled by the rules themselves."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

from companion.games.roulette.layout import layout
from companion.games.roulette.settlement import ZeroRule, settle
from companion.games.roulette.wheel import POCKETS, ZEROS, Wheel
from companion.kernel.events import EndedBet
from companion.kernel.game import Seat
from companion.kernel.shared.banked import Stake
from companion.odds.endings import Endings, Staked, as_endings

_SEAT: Final = (Seat(1, ""),)


def together(state: Any, bets: Staked) -> Endings:
    """Return the joint results of bets on the next spin."""
    return on_a_spin(state.rules.wheel, state.rules.zero_rule, bets)


@lru_cache(maxsize=4096)
def on_a_spin(wheel: Wheel, rule: ZeroRule, bets: Staked) -> Endings:
    """Return the joint results of bets on one spin; imprisoned bets are followed to their release or loss.

    >>> [(str(one.probability), one.net) for one in on_a_spin("european", "en-prison", (("red", 4),))]
    [('1/2', -4), ('1/74', 0), ('18/37', 4)]
    """
    chances = _chances(wheel)
    found: Counter[int] = Counter()
    for ways, *nets in zip(chances, *(_nets(wheel, rule, on, amount) for on, amount in bets), strict=True):
        found[sum(nets)] += ways
    whole = sum(chances)
    return as_endings({net: Fraction(ways, whole) for net, ways in sorted(found.items())})


@lru_cache
def _chances(wheel: Wheel) -> tuple[int, ...]:
    """Return the relative frequency of each of `_spins`."""
    later = _later(wheel)
    return tuple(1 if then else len(later) for _, then in _spins(wheel))


def _spins(wheel: Wheel) -> Iterator[tuple[str, str | None]]:
    """Yield every pocket; each zero with every later pocket that decides imprisoned bets.

    After another zero a bet stays imprisoned as before, so only the other pockets matter.
    """
    for pocket in POCKETS[wheel]:
        yield from ((pocket, then) for then in (_later(wheel) if pocket in ZEROS[wheel] else (None,)))


def _later(wheel: Wheel) -> tuple[str, ...]:
    return tuple(pocket for pocket in POCKETS[wheel] if pocket not in ZEROS[wheel])


@lru_cache(maxsize=8192)
def _nets(wheel: Wheel, rule: ZeroRule, on: str, amount: int) -> tuple[int, ...]:
    """Return a bet's net result for each of `_spins`."""
    spots, stakes = layout(wheel), (Stake("", on, amount),)
    nets: list[int] = []
    for pocket, then in _spins(wheel):
        first = settle(pocket, rule, spots, _SEAT, (), stakes)
        freed = settle(then, rule, spots, _SEAT, first.imprisoned, ()).paid if then is not None else ()
        nets.append(_net((*first.paid, *freed)))
    return tuple(nets)


def _net(paid: tuple[EndedBet, ...]) -> int:
    return sum(bet.won + bet.back - bet.amount for bet in paid)
