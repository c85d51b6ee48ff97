"""How bets on one spin end together, by every pocket: settled by the rules themselves."""

from __future__ import annotations

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
from companion.kernel.shared.banked import Stake, Stakes
from companion.odds.endings import Endings, Staked, as_endings

_SEAT: Final = (Seat(1, ""),)


def together(state: Any, bets: Staked) -> Endings:
    """Return the ways in which bets on the next spin end together."""
    return on_a_spin(state.rules.wheel, state.rules.zero_rule, bets)


@lru_cache(maxsize=4096)
def on_a_spin(wheel: Wheel, rule: ZeroRule, bets: Staked) -> Endings:
    """Return the ways in which bets on one spin end together; those in prison wait until they are free or lost.

    >>> [(str(one.probability), one.net) for one in on_a_spin("european", "en-prison", (("red", 4),))]
    [('1/2', -4), ('1/74', 0), ('18/37', 4)]
    """
    stakes = tuple(Stake("", on, amount) for on, amount in bets)
    found: Counter[int] = Counter()
    pockets = POCKETS[wheel]
    for pocket in pockets:
        for net, share in _nets(wheel, rule, stakes, pocket):
            found[net] += share
    whole = len(pockets) * (len(pockets) - len(ZEROS[wheel]))
    return as_endings({net: Fraction(ways, whole) for net, ways in sorted(found.items())})


def _nets(wheel: Wheel, rule: ZeroRule, stakes: Stakes, pocket: str) -> Iterator[tuple[int, int]]:
    """Yield what the bets bring with a pocket, each with the spins after it that lead there.

    After another zero a bet stays in prison and waits as before, so only the other pockets count.
    """
    spots = layout(wheel)
    first = settle(pocket, rule, spots, _SEAT, (), stakes)
    later = [one for one in POCKETS[wheel] if one not in ZEROS[wheel]]
    if not first.imprisoned:
        yield _net(first.paid), len(later)
        return
    for next_pocket in later:
        freed = settle(next_pocket, rule, spots, _SEAT, first.imprisoned, ())
        yield _net((*first.paid, *freed.paid)), 1


def _net(paid: tuple[EndedBet, ...]) -> int:
    return sum(bet.won + bet.back - bet.amount for bet in paid)
