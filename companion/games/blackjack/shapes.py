"""JSON shapes of blackjack."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from companion.kernel.events import PaidJson, Result
from companion.kernel.game import GameView
from companion.kernel.messages import Words
from companion.kernel.shared.banked import LimitsJson, StakeJson

HandStateId = Literal["open", "turn", "waiting", "blackjack", "stood", "bust", "surrendered", "given-up"]
OutcomeId = Literal["win", "lose", "push", "blackjack", "bust", "surrender"]


class BlackjackResult(Result):
    """Result of a round."""

    dealer: list[str]
    total: int
    blackjack: bool


class HandFacts(TypedDict):
    """A hand in the API's ``state`` object."""

    cards: list[str]
    stake: int
    total: int


class HandJson(HandFacts):
    """A hand on the table. ``amount`` is its total stake, kept after settlement."""

    number: int
    is_soft: bool
    amount: int
    state: HandStateId


class BoxJson(TypedDict):
    """A player's hands from left to right, and the insurance."""

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
    "Whether the hole card is still face down."
    must_draw: bool


class NextCardJson(TypedDict):
    """Recipient of the next card, and the verb that deals it."""

    do: str
    to: str
    hand: int
    "0 for the dealer."


class SettledJson(PaidJson):
    """A bet of the last round, with its outcome as text."""

    text: Words


class BlackjackView(GameView):
    """Public view of blackjack."""

    limits: LimitsJson
    decks: int
    soft17: Literal["stand", "hit"]
    surrender: Literal["late", "early", "none"]
    split_aces: Literal["play-on", "one-card"]
    hints: NotRequired[bool]
    "False if the house forbids hints."
    most_bet: NotRequired[int | None]
    "The largest bet, if cap or bank allow less than the maximum: a blackjack wins half as much again."
    bets: list[StakeJson]
    boxes: list[BoxJson]
    dealer: DealerJson
    next_card: NextCardJson | None
    "Recipient of the next card in the usual dealing order."
    choices: list[str]
    "Choices of the player to act."
    may_insure: list[str]
    used_up: list[str]
    "Cards of which all copies in the shoe were dealt."
    result: BlackjackResult | None
    settled: list[SettledJson]
    last: list[BoxJson]
    "Hands of the last decided round."
    summary: Words | None
