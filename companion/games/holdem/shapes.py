"""The JSON objects that hold'em shows: its part of the table view, and its results."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from companion.games.holdem.hands import RankId
from companion.games.holdem.tournament.shapes import TourJson
from companion.kernel.events import Result
from companion.kernel.game import GameView
from companion.kernel.messages import Words


class PotJson(TypedDict):
    """A pot of a decided hand."""

    pot: str
    coins: int
    winners: list[str]


class ShownJson(TypedDict):
    """A hand that was shown: what it is, and the five cards that count."""

    rank: RankId
    cards: list[str]


class HandResult(Result):
    """A decided hand."""

    hand: int
    button: str
    board: list[str]
    pots: list[PotJson]
    hands: dict[str, ShownJson]
    mucked: list[str]


class OpenPotJson(TypedDict):
    """A pot that is not decided, and who may win it."""

    pot: str
    coins: int
    claims: list[str]


class PlayerJson(TypedDict):
    """A player's part in the hand."""

    player: str
    stake: int
    "Of this round."
    total: int
    "Of the whole hand."
    folded: bool
    all_in: bool
    dealt: bool
    "Whether the two cards were dealt."
    cards: list[str]
    "Once they were shown."
    rank: RankId | None
    "What they come to with the board, once they were shown."
    mucked: bool


SizeId = Literal["least", "half", "pot", "all-in"]
"""A size of a bet or raise: the least, half the pot, the pot, everything."""


class SizeJson(TypedDict):
    """A bet or raise that can be made: what the whole stake of the round comes to."""

    size: SizeId
    to: int


class HoldemView(GameView):
    """Hold'em as the room may see it."""

    button: str | None
    small_blind: str | None
    big_blind: str | None
    blinds: list[int]
    min_chip: int
    in_hand: list[PlayerJson]
    "In seat order."
    board: list[str]
    bet: int
    "What a stake of this round must come to."
    raise_to: int | None
    "The least that a bet or raise comes to, unless it is everything."
    to_call: int
    "What whoever's turn it is puts in to call; 0 where a check is free."
    sizes: list[SizeJson]
    "The bets or raises to choose from; none where neither can be made."
    total: int
    "All coins in pots and stakes."
    open_pots: list[OpenPotJson]
    result: HandResult | None
    summary: Words | None
    "The latest hand in words."
    tournament: NotRequired[TourJson]
    "Only at a tournament."
