"""JSON shapes of hold'em: its part of the table view, and results."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from companion.games.holdem.hands import RankId
from companion.games.holdem.tournament.shapes import TourJson
from companion.kernel.events import Result
from companion.kernel.game import GameView
from companion.kernel.messages import Words


class PotJson(TypedDict):
    """A pot that was paid out."""

    pot: str
    coins: int
    winners: list[str]


class ShownJson(TypedDict):
    """A shown hand: its rank and best five cards."""

    rank: RankId
    cards: list[str]


class HandResult(Result):
    """Result of a hand."""

    hand: int
    button: str
    board: list[str]
    pots: list[PotJson]
    hands: dict[str, ShownJson]
    mucked: list[str]


class OpenPotJson(TypedDict):
    """A pot in play, and the players eligible for it."""

    pot: str
    coins: int
    claims: list[str]


class PlayerJson(TypedDict):
    """A player's part in the hand."""

    player: str
    stake: int
    "Coins put in during this round."
    total: int
    "Coins put in during the whole hand."
    folded: bool
    all_in: bool
    dealt: bool
    "Whether the hole cards were dealt."
    cards: list[str]
    "Shown hole cards; empty before."
    rank: RankId | None
    "Best hand of the shown cards with the board; null before."
    mucked: bool


SizeId = Literal["least", "half", "pot", "all-in"]
"""A preset bet size: minimum, half pot, pot, all-in."""


class SizeJson(TypedDict):
    """A legal bet or raise; ``to`` is the total stake in this round."""

    size: SizeId
    to: int


class HoldemView(GameView):
    """Public view of hold'em."""

    button: str | None
    small_blind: str | None
    big_blind: str | None
    blinds: list[int]
    min_chip: int
    in_hand: list[PlayerJson]
    "In seat order."
    board: list[str]
    bet: int
    "The current bet: the stake to match in this round."
    raise_to: int | None
    "Minimum bet or raise (total stake), unless all-in; null outside betting rounds."
    to_call: int
    "Coins the player to act needs to call; 0 if checking is free."
    sizes: list[SizeJson]
    "Preset bets or raises; empty if neither is legal."
    total: int
    "Sum of all pots and stakes."
    open_pots: list[OpenPotJson]
    result: HandResult | None
    summary: Words | None
    "The last result as text."
    tournament: NotRequired[TourJson]
    "Only in tournaments."
