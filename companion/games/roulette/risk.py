"""The house's maximum loss on a spin, exact over all pockets, with the current bets."""

from collections.abc import Mapping

from companion.games.roulette.layout import Spot
from companion.games.roulette.settlement import ZeroRule, kept_by_zero
from companion.games.roulette.wheel import POCKETS, ZEROS, Wheel
from companion.kernel.shared.banked import Stake, Stakes, Worst, highest_win

Spots = Mapping[str, Spot]


def worst_spin(wheel: Wheel, rule: ZeroRule, spots: Spots, bets: Stakes, imprisoned: Stakes) -> Worst | None:
    """Return the most expensive pocket for the house, net of lost stakes; None without bets.

    >>> from companion.games.roulette.layout import layout
    >>> bets = (Stake("Ann", "straight/17", 2), Stake("Bo", "black", 10), Stake("Bo", "dozen/1", 9))
    >>> worst = worst_spin("european", "en-prison", layout("european"), bets, ())
    >>> worst.coins, worst.when
    (71, {'pocket': '17'})
    """
    if not (bets or imprisoned):
        return None
    costs = _won(wheel, spots, bets, with_stake=True)
    for stake in imprisoned:
        for pocket in (*spots[stake.on].pockets, *ZEROS[wheel]):
            costs[pocket] += stake.amount
    for zero in ZEROS[wheel]:
        costs[zero] += sum(kept_by_zero(rule, stake.amount) for stake in bets if spots[stake.on].is_even_money)
    pocket = max(costs, key=lambda one: costs[one])
    won = ((stake, _wins(spots[stake.on], stake)) for stake in bets if pocket in spots[stake.on].pockets)
    coins = costs[pocket] - sum(stake.amount for stake in (*bets, *imprisoned))
    return Worst(coins, {"pocket": pocket}, highest_win(won), ({"do": "spin", "pocket": pocket},))


def most_won(wheel: Wheel, spots: Spots, bets: Stakes) -> int:
    """Return the largest total win of these bets, ignoring lost stakes, since those may still be taken back."""
    return max(_won(wheel, spots, bets, with_stake=False).values())


def _won(wheel: Wheel, spots: Spots, bets: Stakes, *, with_stake: bool) -> dict[str, int]:
    """Return pocket -> total win of the bets."""
    coins = dict.fromkeys(POCKETS[wheel], 0)
    for stake in bets:
        spot = spots[stake.on]
        won = _wins(spot, stake) + (stake.amount if with_stake else 0)
        for pocket in spot.pockets:
            coins[pocket] += won
    return coins


def _wins(spot: Spot, stake: Stake) -> int:
    return spot.price.winnings(stake.amount)
