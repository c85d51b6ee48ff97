"""The printed mats of House Rugen and roulette."""

from __future__ import annotations

from typing import Final

from companion.games.rugen.mats.zones import ROULETTE_SIZE, RUGEN_SIZE, roulette_zones, rugen_zones
from companion.objects.mat import DrawMat, Mat, corner_tags


def _rugen_art() -> DrawMat:
    from companion.games.rugen.mats.art import draw_rugen

    return draw_rugen


def _roulette_art() -> DrawMat:
    from companion.games.rugen.mats.art import draw_roulette

    return draw_roulette


RUGEN_MAT: Final = Mat("rugen-house", *RUGEN_SIZE, corner_tags(12, *RUGEN_SIZE), rugen_zones(), _rugen_art)
ROULETTE_MAT: Final = Mat("roulette", *ROULETTE_SIZE, corner_tags(16, *ROULETTE_SIZE), roulette_zones(), _roulette_art)
