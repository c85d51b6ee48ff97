"""Zones of the printed Roche and Grand Roche mats, in millimetres (see `companion.objects.mat`)."""

from typing import Final

from companion.objects.cards import RANKS, cards_of_suit
from companion.objects.geometry import Box
from companion.objects.mat import Mat, corner_tags
from companion.on_demand import OnDemand

_ART: Final = OnDemand("companion.games.roche.mats.art:draw_mat")
_STACK_TOP: Final = 38.0
_STACK_HEIGHT: Final = 224.0  # seven cards, each showing 21 mm of the one above it
_COLUMN: Final = 93.0
_COLUMN_WIDTH: Final = 88.0
_FIRST_COLUMN: Final = 103.0


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
    return Mat("roche", width, height, corner_tags(0, width, height), {**_stacks(), **piles, **bets}, _ART.get)


def _grand_roche() -> Mat:
    """Grand Roche: a space for each card (with terminus and oscura below it), starlight and cavalry too."""
    width, height = 760.0, 735.0
    zones = {**_stacks(), "deck": Box(14, 62, 75, 100), "discard": Box(671, 62, 75, 100)}
    zones["bet/cavalry"] = Box(14, 330, 75, 110)
    for rank in RANKS:
        zones.update(_grand_column(rank, _column_x(rank)))
    return Mat("grand-roche", width, height, corner_tags(4, width, height), zones, _ART.get)


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


MATS: Final = (_roche(), _grand_roche())
