"""The bank's maximum loss in Rugen, exact over all continuations of the chain.

One-roll bets are settled by the next throw, one of eight faces. Chain bets wait for the break; for each number and half
only the shortest path matters, thrown with that half alone, since it keeps most of the number's chain bets alive.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from companion.games.rugen.prices import ONE_ROLL, spot_parts
from companion.kernel.price import Price
from companion.kernel.shared.banked import Stake, Stakes, Worst, highest_win
from companion.objects.dice import NUMBERS, breaks, number_of

FACES: Final = tuple(f"{number}{half}" for number in NUMBERS for half in "dn")


@dataclass(frozen=True, slots=True)
class Settlement:
    """The table's settlement rules: the price of a won bet; None if it lost."""

    one_roll: Callable[[str, str], Price | None]
    "From a spot and the thrown face."
    chain: Callable[[str, Sequence[str]], Price | None]
    "From a spot and the chain, broken by its last face."


@dataclass(frozen=True, slots=True)
class _Way:
    """A continuation: its faces, the bank's loss on the first of them, and at the end of the chain."""

    faces: tuple[str, ...]
    coins_now: int
    coins_later: int
    won: tuple[tuple[Stake, int], ...]

    @property
    def most(self) -> int:
        """The maximum loss at any time: the first throw is paid before the bank collects the chain's lost stakes."""
        both = self.coins_now + self.coins_later
        return both if len(self.faces) == 1 else max(self.coins_now, both)


def worst_chain(rules: Settlement, stakes: Stakes, chain: Sequence[str]) -> Worst | None:
    """Return the continuation with the bank's largest loss at any moment of the chain."""
    if not stakes:
        return None
    way = max(_ways(rules, stakes, chain, counts_lost=True), key=lambda one: one.most)
    has_now, has_later = any(map(_is_one_roll, stakes)), not all(map(_is_one_roll, stakes))
    counts_later = has_later and (way.coins_later > 0 or not has_now or len(way.faces) == 1)
    when = {"face": way.faces[0] if has_now else None, "broken": way.faces[-1] if counts_later else None}
    return Worst(way.most, when, highest_win(way.won), tuple({"do": "throw", "face": face} for face in way.faces))


def most_won(rules: Settlement, stakes: Stakes, chain: Sequence[str]) -> int:
    """Return the largest total win of these bets until the chain breaks, ignoring lost stakes."""
    return max(way.most for way in _ways(rules, stakes, chain, counts_lost=False))


def _is_one_roll(stake: Stake) -> bool:
    return spot_parts(stake.on)[0] in ONE_ROLL


def _ways(rules: Settlement, stakes: Stakes, chain: Sequence[str], *, counts_lost: bool) -> Iterator[_Way]:
    one_roll = [stake for stake in stakes if _is_one_roll(stake)]
    waiting = [stake for stake in stakes if not _is_one_roll(stake)]
    for face in FACES:
        now, won_now = _settled([(stake, rules.one_roll(stake.on, face)) for stake in one_roll], counts_lost)
        for more in _to_a_break((*chain, face)) if waiting else [()]:
            broken = (*chain, face, *more)
            at = [(stake, rules.chain(stake.on, broken)) for stake in waiting]
            later, won_later = _settled(at, counts_lost)
            yield _Way((face, *more), now, later, (*won_now, *won_later))


def _to_a_break(chain: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield, for each number and half, the shortest throws that break the chain; empty if it is broken."""
    if breaks(chain):
        yield ()
        return
    for face in FACES:
        number = number_of(face)
        yield (face,) * (number - sum(number_of(thrown) == number for thrown in chain))


def _settled(
    bets: Sequence[tuple[Stake, Price | None]], counts_lost: bool
) -> tuple[int, tuple[tuple[Stake, int], ...]]:
    """Return the bank's loss on bets settled at these prices, and (stake, win) of the won ones."""
    won = tuple((stake, price.winnings(stake.amount)) for stake, price in bets if price is not None)
    lost = sum(stake.amount for stake, price in bets if price is None) if counts_lost else 0
    return sum(coins for _, coins in won) - lost, won
