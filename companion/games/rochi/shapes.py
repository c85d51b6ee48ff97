"""JSON objects of Rochi and Captain's Rochi: their parts of the table view, and their results."""

from typing import NotRequired

from typing_extensions import TypedDict

from companion.kernel.events import Result
from companion.kernel.game import GameView
from companion.kernel.messages import Words


class ShortfallJson(TypedDict):
    """Coins that a player owed and did not have."""

    player: str
    why: Words
    owed: int
    paid: int


class RochiResult(Result):
    """A hand of Rochi, or a cut in Captain's Rochi, was decided; winner and suit are null if nobody won."""

    winner: str | None
    suit: int | None
    locked: list[int]
    short: list[ShortfallJson]


class IfCut(TypedDict):
    """What a player would pay if the suit were cut now."""

    player: str
    coins: int
    odd_coin: NotRequired[int]
    "What the player would put into a pot after that."


class SuitStack(TypedDict):
    """One suit as the room sees it."""

    suit: int
    name: str
    cards: list[str]
    count: int
    cut_at: int
    to_cut: int
    owner: str | None
    is_locked: bool
    is_cut: bool
    condition: str
    price: int | None
    "What it costs whoever does not own it."
    pays_to: str | None
    shields: dict[str, list[str]]
    "Player -> cards."


class RochiStack(SuitStack):
    """One suit, and who would pay if it were cut now."""

    if_cut: list[IfCut]


class Acted(TypedDict):
    """What whoever's turn it is has done in it."""

    play: bool
    deal: bool


class RochiHand(TypedDict):
    """A player in the hand."""

    player: str
    cards: int
    has_acted: bool
    has_folded: bool
    is_leader: bool
    is_turn: bool
    suits: list[int]
    shields: dict[str, list[str]]
    "Suit -> cards."


class AwayJson(TypedDict):
    """A player who sits out."""

    player: str
    since: int
    marker: int


class SixSuitsView(GameView):
    """What both games show."""

    deck: str
    left: int
    to_seed: int
    done: Acted
    stacks: list[RochiStack]


class RochiView(SixSuitsView):
    """Rochi as the room may see it."""

    leader: str | None
    next_leader: str | None
    last_hand: bool
    join_fee: bool
    hands: list[RochiHand]
    away: list[AwayJson]
    gone: list[str]


class CaptainsHand(TypedDict):
    """One of the two players."""

    player: str
    cards: int
    is_turn: bool


class CaptainsView(SixSuitsView):
    """Captain's Rochi as the room may see it."""

    odd_coin: str | None
    "Who has to put the odd coin into a pot."
    hands: list[CaptainsHand]
    discards: list[str]
