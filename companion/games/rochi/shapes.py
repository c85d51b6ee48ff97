"""JSON shapes of Rochi and Captain's Rochi: their parts of the table view, and results."""

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
    """Result of a Rochi hand, or a cut in Captain's Rochi; winner and suit are null if nobody won."""

    winner: str | None
    suit: int | None
    locked: list[int]
    short: list[ShortfallJson]


class IfCut(TypedDict):
    """What a player would pay if the suit were cut now."""

    player: str
    coins: int
    odd_coin: NotRequired[int]
    "Coins the player would then put into a pot."


class SuitStack(TypedDict):
    """Public view of a suit."""

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
    "Price for players who do not own the suit."
    pays_to: str | None
    shields: dict[str, list[str]]
    "Player -> cards."


class RochiStack(SuitStack):
    """A suit, and the penalties if it were cut now."""

    if_cut: list[IfCut]


class Acted(TypedDict):
    """Actions of the player to act in this turn."""

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
    """Parts of the view common to both games."""

    deck: str
    left: int
    to_seed: int
    done: Acted
    stacks: list[RochiStack]


class RochiView(SixSuitsView):
    """Public view of Rochi."""

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
    """Public view of Captain's Rochi."""

    odd_coin: str | None
    "Player who has to place the odd coin."
    hands: list[CaptainsHand]
    discards: list[str]
