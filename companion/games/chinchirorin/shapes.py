"""The JSON objects that chinchirorin shows: its part of the table view, and its results."""

from typing import Literal

from typing_extensions import TypedDict

from companion.kernel.events import Result
from companion.kernel.game import GameView
from companion.kernel.messages import Words

OutcomeId = Literal["banker", "bettors", "wash"]
"""Who collects."""


class RoundResult(Result):
    """A decided round."""

    banker: str
    player: str | None
    banker_score: int | None
    player_score: int | None
    outcome: OutcomeId
    times: int


class BetJson(TypedDict):
    """A bet that is not decided. ``on`` is the same for all: there is one thing to bet on."""

    player: str
    on: str
    amount: int


class ThrowJson(TypedDict):
    """A throw: its dice, none for one out of the bowl, what it is, and in words."""

    dice: list[int]
    kind: str
    score: int | None
    text: Words


class DrawnJson(TypedDict):
    """What somebody threw for the bank."""

    player: str
    die: int


class ChinchirorinView(GameView):
    """Chinchirorin as the room may see it."""

    banker: str | None
    player: str | None
    "Who throws for the bettors."
    bank: int | None
    "How much the banker risks."
    left: int | None
    "How much more may be bet without the banker's word; never below 0."
    bets: list[BetJson]
    may_bet: list[str]
    "Who is not past yet: clockwise from the banker, from the last bettor on."
    asked: list[str]
    drawn: list[DrawnJson]
    throws: list[ThrowJson]
    banker_throws: list[ThrowJson]
    banker_score: int | None
    last: ThrowJson | None
    "The throw that decided the latest round."
    result: RoundResult | None
    summary: Words | None
    "The latest round in words."
