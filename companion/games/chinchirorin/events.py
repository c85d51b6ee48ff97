"""Events of chinchirorin."""

from dataclasses import dataclass

from companion.games.chinchirorin.shapes import OutcomeId, RoundResult
from companion.games.chinchirorin.throws import TRIES, Throw, reading
from companion.games.chinchirorin.words import dice_words, throw_words
from companion.kernel.accounts import Account
from companion.kernel.events import Decided, Event, summed
from companion.kernel.ledger import TransferJson
from companion.kernel.messages import Message, joined, linked, message, plural
from companion.kernel.values import quick


@dataclass(frozen=True, slots=True)
class DrawThrown(Event):
    """A player threw a die for the first bank."""

    says = message("{player} throws {die} for the bank")
    player: str
    die: int


@dataclass(frozen=True, slots=True)
class DrawTied(Event):
    """Several players tied for the highest die; they throw again."""

    players: tuple[str, ...]
    die: int

    @property
    def sentence(self) -> Message:
        return message("{players} threw {die} each: they throw again", players=linked(self.players), die=self.die)


@quick
class BankGiven(Event):
    """A player got the bank."""

    says = message("{banker} has the bank")
    banker: str


@dataclass(frozen=True, slots=True)
class BankKept(Event):
    """After a wash the banker kept the bank."""

    says = message("{banker} keeps the bank")
    banker: str


@quick
class BankAnnounced(Event):
    """The banker announced the bank."""

    banker: str
    coins: int

    @property
    def sentence(self) -> Message:
        return plural(
            "{banker} risks {n} coin. Bet, clockwise from the banker",
            "{banker} risks {n} coins. Bet, clockwise from the banker",
            self.coins,
            banker=self.banker,
        )


@quick
class WagerPlaced(Event):
    """A player bet against the bank; ``total`` includes earlier bets."""

    player: str
    amount: int
    total: int

    @property
    def sentence(self) -> Message:
        if self.total == self.amount:
            return message("{player} bets {amount}", player=self.player, amount=self.amount)
        return message("{player} bets {amount} more, {total} in all",
                       player=self.player, amount=self.amount, total=self.total)  # fmt: skip


@dataclass(frozen=True, slots=True)
class WagerTakenBack(Event):
    """A player took back the bet."""

    says = message("{player} takes {amount} back")
    player: str
    amount: int


@quick
class DiceThrown(Event):
    """A player threw the dice; the throw's number in the turn is included."""

    player: str
    throw: Throw
    count: int

    @property
    def sentence(self) -> Message:
        said = message("{player} throws {throw}", player=self.player, throw=throw_words(self.throw))
        if self.count == TRIES and reading(self.throw).kind.value == "nothing":
            return message("{said} for the third time: the score is 0", said=said)
        return said


@quick
class Payment:
    """A payment from one player to another."""

    payer: str
    payee: str
    coins: int
    why: Message

    def told(self) -> TransferJson:
        """Return the JSON form used in results."""
        payer, payee = Account.player(self.payer).label, Account.player(self.payee).label
        return {"from": payer, "to": payee, "coins": self.coins, "why": self.why}


@quick
class RoundDecided(Decided):
    """A round ended; ``throw`` decided it, ``payments`` are clockwise from the banker.

    ``owed`` lists each bettor, clockwise, with the amount owed by or to them; a short payer's payment is lower.
    """

    banker: str
    player: str | None
    banker_score: int | None
    player_score: int | None
    outcome: OutcomeId
    times: int
    payments: tuple[Payment, ...]
    throw: Throw
    owed: tuple[tuple[str, int], ...]

    @property
    def sentence(self) -> Message:
        if self.player is None:
            return message("Nobody has bet: a wash")
        if self.outcome == "wash":
            return message("{score} against {score}: a wash, the bets go back", score=self.banker_score or 0)
        return message("{why}: {what}. {paid}", why=self._why(), what=self._what(), paid=self._paid())

    def _what(self) -> Message:
        if self.outcome == "banker":
            if self.times == 1:
                return message("{banker} collects the bets", banker=self.banker)
            return message("{banker} collects {times} times the bets", banker=self.banker, times=self.times)
        if self._is_banker_short:
            return self._has_only()
        if self.times == 1:
            return message("{banker} pays the bets", banker=self.banker)
        return message("{banker} pays {times} times the bets", banker=self.banker, times=self.times)

    @property
    def _is_banker_short(self) -> bool:
        return self.outcome == "bettors" and self._paid_in_all < sum(coins for _, coins in self.owed)

    @property
    def _paid_in_all(self) -> int:
        return sum(payment.coins for payment in self.payments)

    def _has_only(self) -> Message:
        owed, coins = sum(coins for _, coins in self.owed), self._paid_in_all
        if self.times == 1:
            return message("{banker} owes the bets, {owed} in all, and has only {coins}",
                           banker=self.banker, owed=owed, coins=coins)  # fmt: skip
        return message("{banker} owes {times} times the bets, {owed} in all, and has only {coins}",
                       banker=self.banker, times=self.times, owed=owed, coins=coins)  # fmt: skip

    def _why(self) -> Message:
        if self.player_score is None:
            return dice_words(self.throw)
        return message("{banker} has {score}, {player} {against}", banker=self.banker, score=self.banker_score or 0,
                       player=str(self.player), against=self.player_score)  # fmt: skip

    def _paid(self) -> Message:
        if not self.payments:
            return message("There is nothing to pay with")
        is_banker = self.outcome == "banker"
        paid = {payment.payer if is_banker else payment.payee: payment.coins for payment in self.payments}
        say = _bettor_pays if is_banker else _bettor_gets
        return joined(say(player, paid.get(player, 0), owed) for player, owed in self.owed)

    @property
    def result(self) -> RoundResult:
        return {
            "banker": self.banker,
            "player": self.player,
            "banker_score": self.banker_score,
            "player_score": self.player_score,
            "outcome": self.outcome,
            "times": self.times,
            "transfers": [payment.told() for payment in self.payments],
        }

    @property
    def gains(self) -> dict[str, int]:
        moves = ((p.payer, -p.coins) for p in self.payments), ((p.payee, p.coins) for p in self.payments)
        return summed(move for part in moves for move in part)


def _bettor_pays(player: str, coins: int, owed: int) -> Message:
    if coins < owed:
        return message("{player} owes {owed}, has only {coins} and pays that",
                       player=player, coins=coins, owed=owed)  # fmt: skip
    return message("{player} pays {coins}", player=player, coins=coins)


def _bettor_gets(player: str, coins: int, owed: int) -> Message:
    if coins < owed:
        return message("{player} gets {coins} of {owed}", player=player, coins=coins, owed=owed)
    return message("{player} gets {coins}", player=player, coins=coins)


@dataclass(frozen=True, slots=True)
class GameOver(Event):
    """At most one player has coins left."""

    winner: str | None

    @property
    def sentence(self) -> Message:
        if self.winner is None:
            return message("Nobody has coins left: the game is over")
        return message("{winner} has all the coins: the game is over", winner=self.winner)
