"""Roche's words in plain English, for players who hear them for the first time."""

from __future__ import annotations

from typing import Final

from companion.games.terms import CUT, DAY_AND_NIGHT
from companion.kernel.messages import message
from companion.plugins.words import Term

CAVALRY: Final = Term(
    message("Cavalry"),
    message("A bet that at some moment every suit is one card short of its cut."),
)
OSCURA: Final = Term(
    message("Oscura"),
    message("A bet that a suit cuts and this card is not among the cards of the cut."),
)
STARLIGHT: Final = Term(
    message("Starlight"),
    message("A bet that the game ends before any card of this suit was dealt."),
)
TERMINUS: Final = Term(
    message("Terminus"),
    message("A bet that this very card cuts its suit: it is the last one dealt."),
)

TERMS: Final = (
    CUT,
    DAY_AND_NIGHT,
    CAVALRY,
    OSCURA,
    STARLIGHT,
    TERMINUS,
)
