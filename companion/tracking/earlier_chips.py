"""Which chips on a mat lie there for an earlier bet: one that a round has left undecided, to wait for the next.

Such chips are no second bet, and what comes beside them is one. Which is which can be told only as long as they lie
where they lay when the round was decided: a chip that comes after one was taken up may be that one or another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Generic, TypeVar

from companion.tracking.chips import ChipLying

PlaceT = TypeVar("PlaceT")


class EarlierChips(Generic[PlaceT]):
    """Holds the chips of a mat against the earlier bets there. Not thread-safe."""

    def __init__(self) -> None:
        self._bets: Mapping[PlaceT, int] = {}
        self._coins: dict[int, int] = {}
        "How much of a chip can stand for an earlier bet."

    def see(self, bets: Mapping[PlaceT, int]) -> None:
        """Take note of what is bet from earlier rounds."""
        self._bets = bets

    def begin(self, chips: Iterable[ChipLying]) -> None:
        """These chips lay there when the round was decided, or when the camera began to look."""
        self._coins = {chip.id: chip.chip.value for chip in chips if chip.is_settled}

    def bet(self, place: PlaceT) -> int:
        """Return what is bet at a place from earlier rounds."""
        return self._bets.get(place, 0)

    def worth(self, place: PlaceT, chips: Iterable[ChipLying]) -> int:
        """Return how much of the earlier bet lies there in these chips of its place."""
        return sum(self._coins[chip.id] for chip in self.standing(place, chips))

    def take(self, place: PlaceT, chips: Iterable[ChipLying], coins: int) -> None:
        """The dealer said that so much of these chips lies there for the earlier bet, too."""
        chips = list(chips)
        standing = {chip.id for chip in self.standing(place, chips)}
        for chip in chips:
            if chip.id not in standing and coins > 0:
                self._coins[chip.id] = min(coins, chip.chip.value)
                coins -= self._coins[chip.id]

    def standing(self, place: PlaceT, chips: Iterable[ChipLying]) -> tuple[ChipLying, ...]:
        """Return those of the chips of a place that make up most of the earlier bet, and no more than it.

        A chip that is worth more than that bet does not stand for it unless the dealer has said so.
        """
        most = self.bet(place)
        sums: dict[int, tuple[ChipLying, ...]] = {0: ()}
        for chip in chips if most else ():
            coins = self._coins.get(chip.id, 0)
            more = {so_far + coins: (*some, chip) for so_far, some in sums.items() if so_far + coins <= most}
            sums = {**more, **sums}
        return sums[max(sums)]
