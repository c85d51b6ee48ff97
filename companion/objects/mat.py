"""The printed table mats: which tags lie in their corners, and where their zones are, in millimetres.

Pure data for the printer (`companion.printing.mats.sheet`) and the camera alike. Origin is the mat's
top-left corner, x to the right, y down, seen from above with the dealer at the top; every mat has tags
of its own, so the camera knows which mat it looks at.

Zone names: ``stack/6``, ``deck``, ``discard``, ``pot/6``, ``seat/1`` and ``bet/`` with the bet's own name,
such as ``bet/cut/6``, ``bet/card/6D3`` or ``bet/cavalry``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from companion.games.rugen.mats import ROULETTE_SIZE, RUGEN_SIZE, roulette_zones, rugen_zones
from companion.objects.cards import MAT_TAGS, RANKS, cards_of_suit
from companion.objects.geometry import Box

MAT_TAG_MM: Final = 30.0
MAT_TAG_QUIET_MM: Final = 6.0
_TAG_INSET: Final = 14.0
_STACK_TOP: Final = 38.0
_STACK_HEIGHT: Final = 224.0  # seven cards, each showing 21 mm of the one above it
_COLUMN: Final = 93.0
_COLUMN_WIDTH: Final = 88.0
_FIRST_COLUMN: Final = 103.0


@dataclass(frozen=True, slots=True)
class Mat:
    """One mat. ``tags`` maps a 36h11 number to its black square; the first is the top left, then clockwise."""

    name: str
    width_mm: float
    height_mm: float
    tags: Mapping[int, Box]
    zones: Mapping[str, Box]

    def zone_at(self, x: float, y: float) -> str | None:
        """Return the zone that a point (mm) lies in; None between zones.

        >>> MATS["roche"].zone_at(120, 100), MATS["roche"].zone_at(-5, 100)
        ('stack/2', None)
        """
        for name, box in self.zones.items():
            if box.x <= x <= box.x + box.width and box.y <= y <= box.y + box.height:
                return name
        return None


def _tags(first: int, width: float, height: float) -> dict[int, Box]:
    right, bottom = width - _TAG_INSET - MAT_TAG_MM, height - _TAG_INSET - MAT_TAG_MM
    corners = ((_TAG_INSET, _TAG_INSET), (right, _TAG_INSET), (right, bottom), (_TAG_INSET, bottom))
    numbers = MAT_TAGS[first : first + 4]
    return {tag: Box(x, y, MAT_TAG_MM, MAT_TAG_MM) for tag, (x, y) in zip(numbers, corners, strict=True)}


def _column_x(rank: int) -> float:
    return _FIRST_COLUMN + _COLUMN * RANKS.index(rank)


def _stacks() -> dict[str, Box]:
    margin = (_COLUMN_WIDTH - 75.0) / 2
    return {f"stack/{r}": Box(_column_x(r) + margin, _STACK_TOP, 75.0, _STACK_HEIGHT) for r in RANKS}


def _roche() -> Mat:
    """The smallest layout: day, the cut and night above each other for every suit."""
    width, height = 760.0, 550.0
    bets = {
        f"bet/{family}/{rank}": Box(_column_x(rank), 274.0 + 89.0 * row, _COLUMN_WIDTH, 84.0)
        for rank in RANKS
        for row, family in enumerate(("day", "cut", "night"))
    }
    piles = {"deck": Box(14, 62, 75, 100), "discard": Box(671, 62, 75, 100)}
    return Mat("roche", width, height, _tags(0, width, height), {**_stacks(), **piles, **bets})


def _grand_roche() -> Mat:
    """Grand Roche: a space for each card (with terminus and oscura below it), starlight and cavalry too."""
    width, height = 760.0, 735.0
    zones = {**_stacks(), "deck": Box(14, 62, 75, 100), "discard": Box(671, 62, 75, 100)}
    zones["bet/cavalry"] = Box(14, 330, 75, 110)
    for rank in RANKS:
        zones.update(_grand_column(rank, _column_x(rank)))
    return Mat("grand-roche", width, height, _tags(4, width, height), zones)


def _grand_column(rank: int, x: float) -> dict[str, Box]:
    half = (_COLUMN_WIDTH - 2) / 2
    zones = {
        f"bet/cut/{rank}": Box(x, 270, _COLUMN_WIDTH, 42),
        f"bet/day/{rank}": Box(x, 314, half, 40),
        f"bet/night/{rank}": Box(x + half + 2, 314, half, 40),
        f"bet/starlight/{rank}": Box(x, 356, _COLUMN_WIDTH, 26),
    }
    for i, card in enumerate(cards_of_suit(rank)):
        left, top = x + (half + 2) * (i // rank), 388 + 47.5 * (i % rank)
        zones[f"bet/card/{card}"] = Box(left, top, half, 28)
        zones[f"bet/terminus/{card}"] = Box(left, top + 28, half / 2, 17)
        zones[f"bet/oscura/{card}"] = Box(left + half / 2, top + 28, half / 2, 17)
    return zones


def _rochi() -> Mat:
    """Rochi: a pot above each stack, and a seat's own place for Shields round them, clockwise."""
    width, height = 760.0, 550.0
    zones: dict[str, Box] = {"deck": Box(122, 124, 70, 95), "discard": Box(122, 232, 70, 95)}
    for i, rank in enumerate(RANKS):
        x = 203.0 + 73.0 * i
        zones[f"pot/{rank}"] = Box(x, 124, 70, 70)
        zones[f"stack/{rank}"] = Box(x, 202, 70, _STACK_HEIGHT)
    seats = (
        Box(390, 438, 250, 100),
        Box(120, 438, 250, 100),
        Box(12, 150, 98, 250),
        Box(120, 12, 250, 100),
        Box(390, 12, 250, 100),
        Box(650, 150, 98, 250),
    )
    zones.update({f"seat/{i}": box for i, box in enumerate(seats, start=1)})
    return Mat("rochi", width, height, _tags(8, width, height), zones)


def _rugen_house() -> Mat:
    return Mat("rugen-house", *RUGEN_SIZE, _tags(12, *RUGEN_SIZE), rugen_zones())


def _roulette() -> Mat:
    return Mat("roulette", *ROULETTE_SIZE, _tags(16, *ROULETTE_SIZE), roulette_zones())


MATS: Final[dict[str, Mat]] = {
    mat.name: mat for mat in (_roche(), _grand_roche(), _rochi(), _rugen_house(), _roulette())
}
"""All mats by game."""

MAT_OF_TAG: Final[dict[int, Mat]] = {tag: mat for mat in MATS.values() for tag in mat.tags}
"""The mat that a corner tag belongs to."""
