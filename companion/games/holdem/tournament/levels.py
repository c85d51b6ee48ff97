"""Tournament structure: blinds, ante, smallest chip and duration of each level, and breaks."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from companion.kernel.errors import BadScript
from companion.kernel.values import quick

MINUTES: Final = 15
BREAK_MINUTES: Final = 10
CHIP: Final = 25
MAX_MINUTES: Final = 24 * 60
LADDER: Final = (
    (1, 2, 1), (2, 4, 1), (3, 6, 1), (4, 8, 1), (8, 16, 4), (12, 24, 4), (16, 32, 4), (20, 40, 4),
    (40, 80, 20), (60, 120, 20), (80, 160, 20), (100, 200, 20),
)  # fmt: skip
"""Small blind, big blind and smallest chip of the default levels, in units of the first level's chip."""
ANTES_FROM: Final = 5
"""First default level with antes."""


@quick
class Level:
    """A level or a break; a break has no blinds and the number of the level before it."""

    number: int
    minutes: int
    blinds: tuple[int, int] | None
    ante: int = 0
    chip: int = 0
    "Smallest chip in use."

    @property
    def is_break(self) -> bool:
        """Whether this is a break."""
        return self.blinds is None


def ladder(
    chip: int = CHIP,
    minutes: int = MINUTES,
    *,
    antes: bool = False,
    by_big_blind: bool = False,
    breaks_after: int = 4,
    rest: int = BREAK_MINUTES,
) -> list[dict[str, Any]]:
    """Return the default levels in header format.

    Args:
        antes: antes of one chip each, from level `ANTES_FROM` on.
        by_big_blind: a big blind ante instead, from the same level on.
        breaks_after: number of levels between breaks; 0 for no breaks.
        rest: minutes of a break.

    >>> ladder()[4:6]
    [{'break': 10}, {'blinds': [200, 400], 'ante': 0, 'chip': 100, 'minutes': 15}]
    """
    levels: list[dict[str, Any]] = []
    for number, (small, big, least) in enumerate(LADDER, start=1):
        ante = (big * by_big_blind or least * antes) * chip if number >= ANTES_FROM else 0
        levels.append({"blinds": [small * chip, big * chip], "ante": ante, "chip": least * chip, "minutes": minutes})
        if breaks_after and number % breaks_after == 0 and number < len(LADDER):
            levels.append({"break": rest})
    return levels


def schedule(told: Any) -> tuple[Level, ...]:
    """Parse the levels of a header.

    Raises:
        BadScript: an entry is invalid; the message names it and the reason.

    >>> schedule([{"blinds": [1, 2], "minutes": 5}, {"break": 3}])[1]
    Level(number=1, minutes=3, blinds=None, ante=0, chip=1)
    """
    if not isinstance(told, (list, tuple)) or not told:
        raise BadScript(f"Option 'levels' is a list of levels such as {ladder()[0]}, got {str(told)[:60]}.")
    levels: list[Level] = []
    for entry in told:
        levels.append(_level(entry, len(levels) + 1, levels))
    return tuple(levels)


def _level(told: Any, place: int, before: Sequence[Level]) -> Level:
    where = f"Entry {place} of 'levels'"
    if not isinstance(told, Mapping):
        raise BadScript(f"{where} is an object such as {ladder()[0]}, got {str(told)[:60]}.")
    _check_keys(told, where)
    number, chip = (before[-1].number, before[-1].chip) if before else (0, CHIP)
    if "break" in told:
        if not before:
            raise BadScript(f"{where} is a break. Begin with a level.")
        return Level(number, _whole(told, "break", where, most=MAX_MINUTES), None, 0, chip)
    minutes = _whole(told, "minutes", where, MINUTES, most=MAX_MINUTES)
    blinds = _blinds(told.get("blinds"), where)
    ante = _whole(told, "ante", where, 0, least=0)
    least = _whole(told, "chip", where, _divisor(chip, (*blinds, ante)))
    if least < chip and before:
        raise BadScript(f"{where} has a smaller chip than before, {least} after {chip}. Chips only grow.")
    if any(coins % least for coins in (*blinds, ante)):
        raise BadScript(f"{where}: blinds and ante are in whole chips of {least}, got {[*blinds, ante]}.")
    return Level(number + 1, minutes, blinds, ante, least)


def _check_keys(told: Mapping[Any, Any], where: str) -> None:
    known = {"break"} if "break" in told else {"blinds", "ante", "chip", "minutes"}
    for key in told:
        if key not in known:
            raise BadScript(f"{where} has no {key!r}. It knows {', '.join(sorted(known))}.")


def _blinds(told: Any, where: str) -> tuple[int, int]:
    if not isinstance(told, (list, tuple)) or len(told) != 2 or any(type(one) is not int or one < 1 for one in told):
        raise BadScript(f"{where}: 'blinds' is two numbers of coins above zero, got {told!r}.")
    small, big = told
    if small > big:
        raise BadScript(f"{where}: the small blind is no larger than the big blind, got {told!r}.")
    return small, big


def _divisor(chip: int, coins: Iterable[int]) -> int:
    """Return the chip if it divides all these amounts, else 1."""
    return chip if not any(one % chip for one in coins) else 1


def _whole(
    told: Mapping[str, Any], key: str, where: str, default: Any = None, *, least: int = 1, most: int | None = None
) -> int:
    value = told.get(key, default)
    if type(value) is not int or value < least or (most is not None and value > most):
        bounds = f"from {least} to {most}" if most is not None else f"of {least} or more"
        raise BadScript(f"{where}: {key!r} is a whole number {bounds}, got {value!r}.")
    return value
