"""Options of Rochi and Captain's Rochi."""

from typing import Annotated, ClassVar

from pydantic import Field

from companion.games.roche.paytable import RocheDeck
from companion.plugins.options import SHARED, GameOptions, Setting


class RochiOptions(GameOptions):
    """Rule variants of Rochi; without ``leader`` the first leader is drawn by lot in a new session."""

    has_turns: ClassVar[bool] = True

    deck: Annotated[RocheDeck, SHARED] = "full"
    join_fee: bool = True
    credit: bool = False
    locked_discards: bool = False
    marker: bool = False
    leader: Annotated[int | None, Setting(in_form=False), Field(ge=1, le=6)] = None


class CaptainsOptions(GameOptions):
    """Captain's Rochi: the deck alone."""

    has_turns: ClassVar[bool] = True

    deck: Annotated[RocheDeck, SHARED] = "full"
