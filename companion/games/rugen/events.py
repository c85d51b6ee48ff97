"""What happened at the Rugen tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from companion.games.rugen.shapes import ChainResult, HouseChainResult
from companion.games.rugen.words import breaker_words, face_words, so_far_words
from companion.kernel.accounts import Account
from companion.kernel.events import Decided, Event, Paid, bet_gains, paid_words, summed
from companion.kernel.ledger import TransferJson
from companion.kernel.words import counted


@dataclass(frozen=True, slots=True)
class DieThrown(Event):
    """The die came to rest in a chain; its number has now come ``count`` times. ``d20`` is what a d20 showed."""

    face: str
    number: int
    count: int
    d20: int | None = None

    @property
    def sentence(self) -> str:
        shown = face_words(self.face) if self.d20 is None else f"{self.d20}, that is {face_words(self.face)}"
        return f"The die shows {shown}: {so_far_words(self.number, self.count)}"


@dataclass(frozen=True, slots=True)
class ThrowSettled(Event):
    """A throw settled the one-roll bets."""

    face: str
    paid: tuple[Paid, ...]

    @property
    def sentence(self) -> str:
        bets = counted(len(self.paid), "one-roll bet")
        return f"The throw settles {bets}. {paid_words(self.paid)}"


@dataclass(frozen=True, slots=True)
class HouseChainBroken(Decided):
    """House: a number broke; ``paid`` has the one-roll bets of the whole chain, then the chain bets."""

    number: int
    face: str
    chain: tuple[str, ...]
    paid: tuple[Paid, ...]

    @property
    def sentence(self) -> str:
        breaker = breaker_words(self.face)
        if not any(bet.is_won for bet in self.paid):
            return f"{breaker} breaks the chain. No bet won since it began"
        return f"{breaker} breaks the chain. Since it began, {paid_words(self.paid)}"

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
    """Street and Capital: a number broke, and whoever has it takes all; ``winner`` None is the house.

    ``losses`` are the stakes that changed hands: who lost, how many coins, on which number. ``stake`` is what goes
    back to a player who has won.
    """

    number: int
    face: str
    chain: tuple[str, ...]
    winner: str | None
    losses: tuple[tuple[str | None, int, int], ...]
    stake: int = 0

    @property
    def sentence(self) -> str:
        wins = _wins_words(self.losses, self.stake)
        return f"{breaker_words(self.face)} breaks the chain: {self.winner or 'the house'} wins {wins}"

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
    def sentence(self) -> str:
        wins = _wins_words(self.losses, self.stake)
        return f"Side bet {self.index} is decided by the {self.number}s: {self.winner} wins {wins}"


def _wins_words(losses: Sequence[tuple[str | None, int, int]], stake: int) -> str:
    """Return what a winner gets: the others' stakes, and his own where he has one on the table."""
    won = sum(coins for _, coins, _ in losses)
    return f"{won}, stake of {stake} back: {won + stake} in all" if stake else str(won)


def transfers_json(winner: str | None, losses: Sequence[tuple[str | None, int, int]]) -> list[TransferJson]:
    """Return the stakes that a winner took as the public contract lists them; the house goes by ``house``."""
    taker = Account.purse(winner).label
    return [
        {"from": Account.purse(loser).label, "to": taker, "coins": coins, "why": f"staked on {number}"}
        for loser, coins, number in losses
    ]


@dataclass(frozen=True, slots=True)
class PointMade(Event):
    """Street: the shooter's first throw; he has to stake on its number."""

    shooter: str
    face: str
    point: int
    unit: int

    @property
    def sentence(self) -> str:
        shown = face_words(self.face)
        return f"The die shows {shown}: {self.shooter}'s point is {self.point}, the stake is a multiple of {self.unit}"


@dataclass(frozen=True, slots=True)
class NumberTaken(Event):
    """Street and Capital: a player bet on a number; in Street the shooter's point is the first one."""

    player: str
    number: int
    units: int
    coins: int

    @property
    def sentence(self) -> str:
        units = f"{counted(self.units, 'unit')} of {self.coins // self.units}"
        return f"{self.player} takes the {self.number} for {counted(self.coins, 'coin')}: {units}"


@dataclass(frozen=True, slots=True)
class SideBetMade(Event):
    """Street: some players bet among themselves; ``stakes`` are player, number and coins."""

    index: int
    units: int
    stakes: tuple[tuple[str, int, int], ...]

    @property
    def sentence(self) -> str:
        parts = ", ".join(f"{player} {coins} on {number}" for player, number, coins in self.stakes)
        return f"Side bet {self.index}: {parts}"


@dataclass(frozen=True, slots=True)
class HouseCovered(Event):
    """Capital: the house staked on the numbers that nobody took; number and coins of each."""

    stakes: tuple[tuple[int, int], ...]

    @property
    def sentence(self) -> str:
        parts = ", ".join(f"{coins} on {number}" for number, coins in self.stakes)
        return f"The house covers what nobody took: {parts}" if parts else "The house has nothing to cover"


@dataclass(frozen=True, slots=True)
class NobodyTook(Event):
    """Street: no other player took a number; the stake went back."""

    shooter: str
    coins: int

    @property
    def sentence(self) -> str:
        return f"Nobody took a number: {self.shooter} gets {self.coins} back and throws a new point"


@dataclass(frozen=True, slots=True)
class DiePassed(Event):
    """Street: somebody else is the shooter now."""

    shooter: str

    @property
    def sentence(self) -> str:
        return f"The die passes to {self.shooter}"
