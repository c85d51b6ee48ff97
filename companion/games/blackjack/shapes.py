"""The shapes of what a blackjack table shows."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from companion.kernel.events import PaidJson, Result
from companion.kernel.game import GameView
from companion.kernel.messages import Words
from companion.kernel.shared.banked import LimitsJson, StakeJson

HandStateId = Literal["open", "turn", "waiting", "blackjack", "stood", "bust", "surrendered", "given-up"]
OutcomeId = Literal["win", "lose", "push", "blackjack", "bust", "surrender"]


class BlackjackResult(Result):
    """A decided round."""

    dealer: list[str]
    total: int
    blackjack: bool


class HandFacts(TypedDict):
    """A hand as the public contract's ``state`` has it."""

    cards: list[str]
    stake: int
    total: int


class HandJson(HandFacts):
    """A hand on the table. ``amount`` is what was staked on it, also once that was settled."""

    number: int
    is_soft: bool
    amount: int
    state: HandStateId


class BoxJson(TypedDict):
    """A player with a bet: the hands from left to right, and the insurance."""

    player: str
    seat: int
    insured: int
    hands: list[HandJson]


class DealerJson(TypedDict):
    """The dealer's known cards."""

    cards: list[str]
    total: int
    is_soft: bool
    has_hole: bool
    "Whether there is a face-down card."
    must_draw: bool


class NextCardJson(TypedDict):
    """Whom the next card goes to: a player, or the dealer; with the verb that says so."""

    do: str
    to: str
    hand: int
    "0 for the dealer."


class SettledJson(PaidJson):
    """One bet of the round decided last, and in words how it ended."""

    text: Words


class BlackjackView(GameView):
    """Blackjack as the room may see it."""

    limits: LimitsJson
    decks: int
    soft17: Literal["stand", "hit"]
    surrender: Literal["late", "early", "none"]
    split_aces: Literal["play-on", "one-card"]
    hints: NotRequired[bool]
    "False where the house forbids hints."
    bets: list[StakeJson]
    boxes: list[BoxJson]
    dealer: DealerJson
    next_card: NextCardJson | None
    "Where the next card of the usual order goes."
    choices: list[str]
    "What the player whose turn it is may choose."
    may_insure: list[str]
    used_up: list[str]
    "Cards that all decks of the shoe have shown."
    result: BlackjackResult | None
    settled: list[SettledJson]
    last: list[BoxJson]
    "The hands of the round decided last."
    summary: Words | None
