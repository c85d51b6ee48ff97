"""The JSON objects that King of Roulette shows: its part of the table view, its results, and a player's own secrets."""

from typing_extensions import TypedDict

from companion.kernel.events import Result
from companion.kernel.game import GameView


class RuleJson(TypedDict):
    """A rigging rule."""

    text: str
    one: list[int]
    two: int


class RoundResult(Result):
    """A round was revealed."""

    round: int
    king: str
    rule: RuleJson
    guess: str
    earned: int
    "How many others earned points."
    bets: dict[str, int | str]
    bonus: list[str]
    "Who used a Double Bonus."
    points: dict[str, int]
    "Of this round."
    next_king: str | None
    "Null where the king still has to decide, and after the last round."


class FinalResult(Result):
    """The game is over."""

    final: dict[str, int]
    tokens: dict[str, int]
    candidate: str


class ReadyJson(TypedDict):
    """What is there of a round."""

    rule: bool
    guess: bool
    bets: list[str]
    "Who has bet."


class GuessJson(TypedDict):
    """A range that the king may guess, and what it is worth."""

    range: str
    points: int


class KingView(GameView):
    """King of Roulette as the room may see it. What is secret is not in it."""

    round: int
    all_rounds: int
    "How many the game has."
    king: str | None
    spaces: list[int | str]
    ranges: list[GuessJson]
    points: dict[str, int]
    bonuses: dict[str, int]
    prices: dict[str, int]
    "What each player's next Double Bonus costs."
    voted: list[str]
    vote_tied: bool
    "The vote before was tied, and its votes are gone: everybody votes again."
    ready: ReadyJson
    waiting: list[str]
    "Who still has a secret choice to make, or the king to elect."
    tied: list[str]
    revealed: RoundResult | None
    "The last round that was revealed."
    final: FinalResult | None
    choosing: list[str]
    "Who names the candidate."


class KingSecrets(TypedDict):
    """What only one player may see: their own choices."""

    vote: str | None
    space: int | str | None
    uses_bonus: bool
    rule: RuleJson | None
    guess: str | None
