"""Events of the Rugen games."""

from collections.abc import Sequence
from dataclasses import dataclass

from companion.games.rugen.shapes import ChainResult, HouseChainResult
from companion.games.rugen.words import breaker_words, face_words, so_far_words, units_words
from companion.kernel.accounts import Account
from companion.kernel.events import Decided, Event, Paid, bet_gains, paid_words, summed
from companion.kernel.ledger import TransferJson
from companion.kernel.messages import Message, joined, message, plural
from companion.kernel.words import coins_words


@dataclass(frozen=True, slots=True)
class DieThrown(Event):
    """The die came to rest in a chain; its number has come ``count`` times. ``d20`` is the value of a d20."""

    face: str
    number: int
    count: int
    d20: int | None = None

    @property
    def sentence(self) -> Message:
        face, so_far = face_words(self.face), so_far_words(self.number, self.count)
        if self.d20 is None:
            return message("The die shows {face}: {so_far}", face=face, so_far=so_far)
        return message("The die shows {d20}, that is {face}: {so_far}", d20=self.d20, face=face, so_far=so_far)


@dataclass(frozen=True, slots=True)
class ThrowSettled(Event):
    """A throw settled the one-roll bets."""

    face: str
    paid: tuple[Paid, ...]

    @property
    def sentence(self) -> Message:
        return plural(
            "The throw settles {n} one-roll bet. {paid:capital}",
            "The throw settles {n} one-roll bets. {paid:capital}",
            len(self.paid),
            paid=paid_words(self.paid),
        )


@dataclass(frozen=True, slots=True)
class HouseChainBroken(Decided):
    """House: a number broke; ``paid`` lists the one-roll bets of the whole chain, then the chain bets."""

    number: int
    face: str
    chain: tuple[str, ...]
    paid: tuple[Paid, ...]

    @property
    def sentence(self) -> Message:
        breaker = breaker_words(self.face)
        if not any(bet.is_won for bet in self.paid):
            return message("{breaker} breaks the chain. No bet won since it began", breaker=breaker)
        paid = paid_words(self.paid)
        return message("{breaker} breaks the chain. Since it began, {paid}", breaker=breaker, paid=paid)

    @property
    def result(self) -> HouseChainResult:
        paid = [bet.to_json() for bet in self.paid]
        return {"number": self.number, "face": self.face, "chain": list(self.chain), "paid": paid}

    @property
    def gains(self) -> dict[str, int]:
        return bet_gains(self.paid)

    @property
    def decided_by(self) -> int:
        return self.number


@dataclass(frozen=True, slots=True)
class ChainBroken(Decided):
    """Street and Capital: a number broke, and its owner takes all; ``winner`` None is the bank.

    ``losses`` are the stakes that changed hands, as (loser, coins, number). ``stake`` is the amount returned to a
    winning player.
    """

    number: int
    face: str
    chain: tuple[str, ...]
    winner: str | None
    losses: tuple[tuple[str | None, int, int], ...]
    stake: int = 0

    @property
    def sentence(self) -> Message:
        breaker, won = breaker_words(self.face), _won(self.losses)
        if self.winner is None:
            return message("{breaker} breaks the chain: the house wins {won}", breaker=breaker, won=won)
        if not self.stake:
            return message(
                "{breaker} breaks the chain: {player} wins {won}", breaker=breaker, player=self.winner, won=won
            )
        return message(
            "{breaker} breaks the chain: {player} wins {won}, stake of {stake} back: {sum} in all",
            breaker=breaker,
            player=self.winner,
            won=won,
            stake=self.stake,
            sum=won + self.stake,
        )

    @property
    def result(self) -> ChainResult:
        return {
            "number": self.number,
            "face": self.face,
            "chain": list(self.chain),
            "winner": self.winner,
            "transfers": transfers_json(self.winner, self.losses),
        }

    @property
    def gains(self) -> dict[str, int]:
        moves = [move for loser, coins, _ in self.losses for move in ((loser, -coins), (self.winner, coins))]
        return summed((name, coins) for name, coins in moves if name is not None)

    @property
    def won_by(self) -> str | None:
        return self.winner

    @property
    def decided_by(self) -> int:
        return self.number


@dataclass(frozen=True, slots=True)
class SideBetDecided(Event):
    """Street: the first number of a side bet broke."""

    index: int
    number: int
    face: str
    winner: str
    losses: tuple[tuple[str | None, int, int], ...]
    stake: int = 0

    @property
    def sentence(self) -> Message:
        won = _won(self.losses)
        if not self.stake:
            return message(
                "Side bet {index} is decided by the {number}s: {player} wins {won}",
                index=self.index,
                number=self.number,
                player=self.winner,
                won=won,
            )
        return message(
            "Side bet {index} is decided by the {number}s: {player} wins {won}, stake of {stake} back: {sum} in all",
            index=self.index,
            number=self.number,
            player=self.winner,
            won=won,
            stake=self.stake,
            sum=won + self.stake,
        )


def _won(losses: Sequence[tuple[str | None, int, int]]) -> int:
    """Return the sum of the losses."""
    return sum(coins for _, coins, _ in losses)


def transfers_json(winner: str | None, losses: Sequence[tuple[str | None, int, int]]) -> list[TransferJson]:
    """Return the stakes won, in the API's form; the bank appears as ``house``."""
    taker = Account.purse(winner).label
    return [
        {
            "from": Account.purse(loser).label,
            "to": taker,
            "coins": coins,
            "why": message("staked on {number}", number=number),
        }
        for loser, coins, number in losses
    ]


@dataclass(frozen=True, slots=True)
class PointMade(Event):
    """Street: the shooter threw a point, and must stake on it."""

    shooter: str
    face: str
    point: int
    unit: int

    @property
    def sentence(self) -> Message:
        return message(
            "The die shows {face}: {shooter}'s point is {point}, the stake is a multiple of {unit}",
            face=face_words(self.face),
            shooter=self.shooter,
            point=self.point,
            unit=self.unit,
        )


@dataclass(frozen=True, slots=True)
class NumberTaken(Event):
    """Street and Capital: a player bet on a number; in Street the shooter's point is the first one."""

    player: str
    number: int
    units: int
    coins: int

    @property
    def sentence(self) -> Message:
        return message(
            "{player} takes the {number} for {coins}: {units} of {each}",
            player=self.player,
            number=self.number,
            coins=coins_words(self.coins),
            units=units_words(self.units),
            each=self.coins // self.units,
        )


@dataclass(frozen=True, slots=True)
class SideBetMade(Event):
    """Street: players bet among themselves; ``stakes`` are (player, number, coins)."""

    index: int
    units: int
    stakes: tuple[tuple[str, int, int], ...]

    @property
    def sentence(self) -> Message:
        stakes = (
            message("{player} {coins} on {number}", player=player, coins=coins, number=number)
            for player, number, coins in self.stakes
        )
        return message("Side bet {index}: {stakes}", index=self.index, stakes=joined(stakes))


@dataclass(frozen=True, slots=True)
class HouseCovered(Event):
    """Capital: the bank staked on the free numbers, as (number, coins)."""

    stakes: tuple[tuple[int, int], ...]

    @property
    def sentence(self) -> Message:
        if not self.stakes:
            return message("The house has nothing to cover")
        stakes = (message("{coins} on {number}", coins=coins, number=number) for number, coins in self.stakes)
        return message("The house covers what nobody took: {stakes}", stakes=joined(stakes))


@dataclass(frozen=True, slots=True)
class NobodyTook(Event):
    """Street: no other player took a number; the stake was returned."""

    says = message("Nobody took a number: {shooter} gets {coins} back and throws a new point")
    shooter: str
    coins: int


@dataclass(frozen=True, slots=True)
class DiePassed(Event):
    """Street: the die passed to another shooter."""

    says = message("The die passes to {shooter}")
    shooter: str
