"""Events of King of Roulette. None contains a secret before the reveal."""

from dataclasses import dataclass

from companion.games.king.shapes import FinalResult, RoundResult
from companion.games.king.spaces import KING, Rule, Space
from companion.kernel.events import Decided, Event
from companion.kernel.ledger import Transfer
from companion.kernel.messages import Message, Value, joined, linked, listed, message, plural
from companion.kernel.values import quick


@quick
class ChoiceMade(Event):
    """A player voted, bet, or set rule or guess for the first time, which changes what everybody sees."""

    says = message("{player} has made a secret choice")
    player: str


@dataclass(frozen=True, slots=True)
class SecretChoiceMade(Event):
    """Somebody changed their vote, bet, rule or guess, or used a bonus; neither the change nor the player is public."""

    says = message("A secret choice was made or changed")


@dataclass(frozen=True, slots=True)
class VoteTied(Event):
    """The vote for the first king was tied."""

    says = message("The vote is tied: everybody votes again")


@quick
class KingCrowned(Event):
    """A player became king, by vote, by the king space, or elected by the last king."""

    king: str
    round: int

    @property
    def sentence(self) -> Message:
        return message("{player} is the king of round {round}", player=self.king, round=self.round)


@quick
class BonusBought(Event):
    """A Double Bonus was bought."""

    player: str
    price: int

    @property
    def sentence(self) -> Message:
        return plural(
            "{player} buys a Double Bonus for {n} garnet",
            "{player} buys a Double Bonus for {n} garnets",
            self.price,
            player=self.player,
        )


@dataclass(frozen=True, slots=True)
class GameBegan(Event):
    """Another game began."""

    says = message("A new game begins: everybody votes for the first king")


@quick
class RoundRevealed(Decided):
    """Rule, guess and bets were revealed, and the round was settled."""

    round: int
    king: str
    rule: Rule
    guess: str
    bets: tuple[tuple[str, Space], ...]
    bonus: tuple[str, ...]
    points: tuple[tuple[str, int], ...]
    earned: int
    next_king: str | None
    garnets: tuple[Transfer, ...]

    @property
    def sentence(self) -> Message:
        return message(
            "Round {round}: “{text}” ({one} earn 1, {two} earns 2). {bets}. {earned} of the others earned points, "
            "{king} guessed {guess}. {points}",
            round=self.round,
            text=self.rule.words,
            one=linked(self.rule.one),
            two=self.rule.two,
            bets=self._bets_words,
            earned=self.earned,
            king=self.king,
            guess=self.guess,
            points=self._points_words,
        )

    @property
    def _bets_words(self) -> Value:
        return joined([message("{player} on {space}", player=name, space=space_words(on)) for name, on in self.bets])

    @property
    def _points_words(self) -> Value:
        won = [message("{player} {points}", player=name, points=points) for name, points in self.points if points]
        return message("Points: {points}", points=joined(won)) if won else message("Nobody gets points")

    @property
    def result(self) -> RoundResult:
        return {
            "round": self.round,
            "king": self.king,
            "rule": {"text": self.rule.text, "one": list(self.rule.one), "two": self.rule.two},
            "guess": self.guess,
            "earned": self.earned,
            "bets": dict(self.bets),
            "bonus": list(self.bonus),
            "points": dict(self.points),
            "next_king": self.next_king,
            "transfers": [move.public_json() for move in self.garnets],
        }

    @property
    def gains(self) -> dict[str, int]:
        return {move.payee.name: move.coins for move in self.garnets}

    @property
    def decided_by(self) -> int:
        return self.rule.two


@dataclass(frozen=True, slots=True)
class GameEnded(Decided):
    """The game ended; the Elimination Candidate is decided."""

    final: tuple[tuple[str, int], ...]
    tokens: tuple[tuple[str, int], ...]
    candidate: str

    @property
    def sentence(self) -> Message:
        return message(
            "The game is over. {tokens}; {candidate} is the Elimination Candidate",
            tokens=self._tokens_words,
            candidate=self.candidate,
        )

    @property
    def _tokens_words(self) -> Value:
        if not self.tokens:
            return message("Nobody wins a Token of Life")
        return listed([
            plural("{player} wins {n} Token of Life", "{player} wins {n} Tokens of Life", n, player=name)
            for name, n in self.tokens
        ])  # fmt: skip

    @property
    def result(self) -> FinalResult:
        return {
            "final": dict(self.final),
            "tokens": dict(self.tokens),
            "candidate": self.candidate,
            "transfers": [],
        }

    @property
    def gains(self) -> dict[str, int]:
        return {}

    @property
    def won_by(self) -> str | None:
        return self.tokens[0][0] if len(self.tokens) == 1 else None


def space_words(space: Space) -> Value:
    """Return a space's name."""
    return message("king") if space == KING else space
