"""Settlement of a spin: bets are paid, lost, halved by a zero, or imprisoned."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from companion.games.roulette.layout import Spot
from companion.games.roulette.wheel import ZEROS, Wheel
from companion.kernel.events import EndedBet
from companion.kernel.game import Seat
from companion.kernel.shared.banked import Stake, Stakes

ZeroRule = Literal["en-prison", "surrender", "none"]
ZERO_RULES: Final[Mapping[Wheel, tuple[ZeroRule, ...]]] = {
    "european": ("en-prison", "surrender", "none"),
    "american": ("surrender", "en-prison", "none"),
}
"""Wheel -> possible zero rules for even-money bets, the default first."""
_ALL_ZEROS: Final = ZEROS["american"]


@dataclass(frozen=True, slots=True)
class Settled:
    """The bets decided by a spin, and the imprisoned ones, both in seat order."""

    paid: tuple[EndedBet, ...]
    imprisoned: Stakes


def settle(
    pocket: str, rule: ZeroRule, spots: Mapping[str, Spot], seats: Sequence[Seat], imprisoned: Stakes, bets: Stakes
) -> Settled:
    """Settle a spin: for each player imprisoned bets first, then new bets in the order first made."""
    paid: list[EndedBet] = []
    kept: dict[tuple[str, str], int] = {}
    first = len(imprisoned)
    order = in_seat_order(seats, enumerate((*imprisoned, *bets)))
    for number, stake in order:
        decided = (_prisoner if number < first else _fresh)(pocket, rule, spots[stake.on], stake)
        if decided is None:
            key = stake.player, stake.on
            kept[key] = kept.get(key, 0) + stake.amount
        else:
            paid.append(decided)
    return Settled(tuple(paid), tuple(Stake(player, on, amount) for (player, on), amount in kept.items()))


def in_seat_order(seats: Sequence[Seat], stakes: Iterable[tuple[int, Stake]]) -> list[tuple[int, Stake]]:
    """Return numbered stakes in seat order, each player's in the given order."""
    places = {seat.player: seat.number for seat in seats}
    return sorted(stakes, key=lambda one: places[one[1].player])


def _prisoner(pocket: str, rule: ZeroRule, spot: Spot, stake: Stake) -> EndedBet | None:
    """Settle an imprisoned bet: a win releases the stake without winnings, a loss takes it, a zero keeps it."""
    if pocket in _ALL_ZEROS:
        return None
    if pocket in spot.pockets:
        return _paid(stake, 0, stake.amount, "released")
    return _paid(stake, 0, 0, "lose")


def _fresh(pocket: str, rule: ZeroRule, spot: Spot, stake: Stake) -> EndedBet | None:
    if pocket in spot.pockets:
        return _paid(stake, spot.price.winnings(stake.amount), stake.amount, "win")
    if not (pocket in _ALL_ZEROS and spot.is_even_money) or rule == "none":
        return _paid(stake, 0, 0, "lose")
    if rule == "en-prison":
        return None
    return _paid(stake, 0, kept_by_zero(rule, stake.amount), "surrender")


def kept_by_zero(rule: ZeroRule, amount: int) -> int:
    """Return the amount of an even-money bet not lost on a zero; with surrender the house takes half, rounded down.

    >>> [kept_by_zero(rule, 5) for rule in ("en-prison", "surrender", "none")]
    [5, 3, 0]
    """
    return {"en-prison": amount, "surrender": amount - amount // 2, "none": 0}[rule]


def _paid(stake: Stake, won: int, returned: int, outcome: str) -> EndedBet:
    is_won = outcome in ("win", "released")
    return EndedBet(stake.player, stake.on, stake.amount, won, is_won, returned, outcome)
