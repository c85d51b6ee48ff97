"""Zones of the printed Rochi mat, in millimetres (see `companion.objects.mat`)."""

from typing import Final

from companion.objects.cards import RANKS
from companion.objects.geometry import Box
from companion.objects.mat import Mat, corner_tags
from companion.on_demand import OnDemand

_ART: Final = OnDemand("companion.games.rochi.mats.art:draw_mat")
_STACK_HEIGHT: Final = 224.0  # seven cards, each showing 21 mm of the one above it


def _rochi() -> Mat:
    """Return the Rochi mat: a pot above each stack, surrounded clockwise by the seats' zones for Shields."""
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
    return Mat("rochi", width, height, corner_tags(8, width, height), zones, _ART.get)


MAT: Final = _rochi()
