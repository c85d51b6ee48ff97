"""JSON shapes of chinchirorin: its part of the table view, and results."""

from typing import Literal

from typing_extensions import TypedDict

from companion.kernel.events import Result
from companion.kernel.game import GameView
from companion.kernel.messages import Words

OutcomeId = Literal["banker", "bettors", "wash"]
"""The collecting side."""


class RoundResult(Result):
    """Result of a round."""

    banker: str
    player: str | None
    banker_score: int | None
    player_score: int | None
    outcome: OutcomeId
    times: int


class BetJson(TypedDict):
    """An undecided bet. ``on`` is the same for all, since there is only one kind of bet."""

    player: str
    on: str
    amount: int


class ThrowJson(TypedDict):
    """A throw: dice (empty if one left the bowl), kind, score and text."""

    dice: list[int]
    kind: str
    score: int | None
    text: Words


class DrawnJson(TypedDict):
    """A player's die in the draw for the bank."""

    player: str
    die: int


class ChinchirorinView(GameView):
    """Public view of chinchirorin."""

    banker: str | None
    player: str | None
    "Player who throws for the bettors."
    bank: int | None
    "Amount the banker risks."
    left: int | None
    "Amount that may still be bet without the banker's consent; never negative."
    bets: list[BetJson]
    may_bet: list[str]
    "Players who may still bet: clockwise from the banker, starting with the last bettor."
    asked: list[str]
    drawn: list[DrawnJson]
    throws: list[ThrowJson]
    banker_throws: list[ThrowJson]
    banker_score: int | None
    last: ThrowJson | None
    "The throw that decided the last round."
    result: RoundResult | None
    summary: Words | None
    "The last result as text."
