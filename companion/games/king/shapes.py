"""JSON shapes of King of Roulette: its part of the table view, results, and a player's own secrets."""

from typing_extensions import TypedDict

from companion.kernel.events import Result
from companion.kernel.game import GameView


class RuleJson(TypedDict):
    """A rigging rule."""

    text: str
    one: list[int]
    two: int


class RoundResult(Result):
    """Result of a round."""

    round: int
    king: str
    rule: RuleJson
    guess: str
    earned: int
    "Number of others who earned points."
    bets: dict[str, int | str]
    bonus: list[str]
    "Players who used a Double Bonus."
    points: dict[str, int]
    "Points of this round."
    next_king: str | None
    "Null if the king still has to decide, and after the last round."


class FinalResult(Result):
    """Final result of a game."""

    final: dict[str, int]
    tokens: dict[str, int]
    candidate: str


class ReadyJson(TypedDict):
    """Choices already made in the round."""

    rule: bool
    guess: bool
    bets: list[str]
    "Players who have bet."


class GuessJson(TypedDict):
    """A possible guess and its points."""

    range: str
    points: int


class KingView(GameView):
    """Public view of King of Roulette, without secrets."""

    round: int
    all_rounds: int
    "Total number of rounds."
    king: str | None
    spaces: list[int | str]
    ranges: list[GuessJson]
    points: dict[str, int]
    bonuses: dict[str, int]
    prices: dict[str, int]
    "Player -> price of the next Double Bonus."
    voted: list[str]
    vote_tied: bool
    "Whether the previous vote was tied and is being repeated."
    ready: ReadyJson
    waiting: list[str]
    "Players with a pending secret choice, or the king during an election."
    tied: list[str]
    revealed: RoundResult | None
    "Last revealed round."
    final: FinalResult | None
    choosing: list[str]
    "Players who choose the Elimination Candidate."


class KingSecrets(TypedDict):
    """A player's own secret choices, visible only to them."""

    vote: str | None
    space: int | str | None
    uses_bonus: bool
    rule: RuleJson | None
    guess: str | None
