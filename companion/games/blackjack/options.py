"""What an owner may choose in blackjack."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from companion.games.blackjack.state import MOST_DECKS, USUAL_DECKS, Soft17, SplitAces, SurrenderRule
from companion.plugins.options import GameOptions


class BlackjackOptions(GameOptions):
    """The shoe and the rules of the house; without limits of the table's a bet is from 50 to 500."""

    has_turns: ClassVar[bool] = True

    decks: Annotated[int, Field(ge=1, le=MOST_DECKS)] = USUAL_DECKS
    soft17: Soft17 = "stand"
    surrender: SurrenderRule = "late"
    split_aces: SplitAces = "play-on"
