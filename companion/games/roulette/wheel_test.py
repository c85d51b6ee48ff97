"""Fairness test of the wheel: the anytime-valid test of `companion.odds.fairness` over the observed pockets.

The current e-value is shown, not the maximum so far. It may be checked after every spin: with a fair wheel, the
probability of an e-value of 20 or more at a freely chosen time is at most 1 in 20.
"""

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from companion.games.roulette.shapes import WheelTest
from companion.games.roulette.wheel import POCKETS, Wheel
from companion.kernel.messages import Message, Value, message
from companion.odds.fairness import DOUBT, PROOF, Watch

FEW_SPINS: Final = 60
FAIR: Final[Mapping[Wheel, Mapping[str, float]]] = {
    wheel: MappingProxyType(dict.fromkeys(pockets, 1 / len(pockets))) for wheel, pockets in POCKETS.items()
}
_MILLION: Final = 10**6


@lru_cache(64)
def wheel_test(wheel: Wheel, counts: tuple[int, ...]) -> WheelTest:
    """Return the result of the fairness test.

    Args:
        counts: count of each pocket, in the order of `POCKETS`.

    >>> wheel_test("european", (12, *(0,) * 36))["e_value"] > PROOF
    True
    """
    watch = Watch(FAIR[wheel], counts)
    value = watch.e_value
    return {"spins": watch.throws, "e_value": round(value, 2), "verdict": _verdict(watch, value)}


def _verdict(watch: Watch, value: float) -> Message:
    if value < DOUBT:
        if watch.throws < FEW_SPINS:
            return message("Too few spins to test the wheel: {spins} of {few}.", spins=watch.throws, few=FEW_SPINS)
        return message("Nothing speaks against the wheel after {spins} spins.", spins=watch.throws)
    pocket = max(watch.faces, key=lambda one: abs(one.seen - one.expected) / one.expected**0.5)
    said: dict[str, Value] = {
        "many": int(value) if value < _MILLION else message("a million"),
        "pocket": pocket.face,
        "seen": pocket.seen,
        "usual": f"{pocket.expected:.1f}",
    }
    if value < PROOF:
        return message(
            "The wheel looks biased: fewer than 1 fair wheel in {many} would look like this; {pocket} came {seen} "
            "times where {usual} are usual. Level it, and watch it.",
            **said,
        )
    return message(
        "The wheel is biased: fewer than 1 fair wheel in {many} would look like this; {pocket} came {seen} times "
        "where {usual} are usual. Level it, or take another.",
        **said,
    )
