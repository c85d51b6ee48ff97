"""What games against a house share: stakes on spots of a layout, the table's limits, and paying or collecting."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from companion.games.roche.paytable import Price
from companion.kernel.accounts import HOUSE, Account
from companion.kernel.commands import Bet, TakeBack
from companion.kernel.errors import BadAmount, BadScript, NotEnoughCoins, NothingDone, OverLimit
from companion.kernel.events import BetPlaced, BetTakenBack, Paid
from companion.kernel.game import Happening, Options
from companion.kernel.ledger import Ledger, Transfer, checked_coins
from companion.kernel.shared.options import whole_number

LIMITS: Final = ("min", "max", "cap")


@dataclass(frozen=True, slots=True)
class Limits:
    """What the house takes on one spot and pays on one bet, in coins; None is no limit."""

    minimum: int | None = None
    maximum: int | None = None
    cap: int | None = None

    def check(self, on: str, total: int, could_win: int) -> None:
        """Refuse a stake outside the limits.

        Args:
            total: all that the player would then have on the spot.
            could_win: the most that it could win.

        Raises:
            BadAmount: less than the minimum.
            OverLimit: more than the maximum, or it could win more than the cap.
        """
        if self.minimum is not None and total < self.minimum:
            raise BadAmount(f"The table's minimum is {self.minimum}; {total} on {on} is below it. Bet more.")
        if self.maximum is not None and total > self.maximum:
            raise OverLimit(f"The table's maximum is {self.maximum}; {total} on {on} is above it. Bet less.")
        if self.cap is not None and could_win > self.cap:
            raise OverLimit(
                f"The house pays at most {self.cap} on a bet; {total} on {on} could win {could_win}. Bet less."
            )

    def to_json(self) -> dict[str, int | None]:
        """Return the limits as pages show them."""
        return {"min": self.minimum, "max": self.maximum, "cap": self.cap}


def parse_limits(options: Options) -> Limits:
    """Return the limits of a header's options ``min``, ``max`` and ``cap``.

    Raises:
        BadScript: one of them is no number of coins, or the minimum is above the maximum.
    """
    limits = Limits(*(whole_number(options, key) for key in LIMITS))
    if limits.minimum is not None and limits.maximum is not None and limits.minimum > limits.maximum:
        raise BadScript(f"The minimum {limits.minimum} is above the maximum {limits.maximum}. Correct one of them.")
    return limits


def reasons(verbs: Iterable[str], expected: Collection[str], why_not: str) -> dict[str, str]:
    """Return why verbs cannot be done now, from what a phase says to all that has to wait.

    >>> reasons(["deal", "bet"], ["bet"], "has to wait: bets are still open. Call no more bets first.")
    {'deal': 'This has to wait: bets are still open. Call no more bets first.'}
    """
    return {verb: f"This {why_not}" for verb in verbs if verb not in expected}


@dataclass(frozen=True, slots=True)
class Stake:
    """One player's coins on one spot."""

    player: str
    on: str
    amount: int

    def to_json(self) -> dict[str, str | int]:
        """Return the stake as the public contract's ``state`` lists it."""
        return {"player": self.player, "on": self.on, "amount": self.amount}


Stakes = tuple[Stake, ...]
"""All undecided bets, in the order they were first placed."""


def find_stake(stakes: Sequence[Stake], player: str, on: str) -> Stake | None:
    """Return what a player has on a spot."""
    return next((stake for stake in stakes if stake.player == player and stake.on == on), None)


def check_affordable(ledger: Ledger, player: str, amount: int) -> None:
    """Refuse a stake that the player has not got.

    Raises:
        NotEnoughCoins: he has less.
    """
    have = ledger.balance(player)
    if amount > have:
        raise NotEnoughCoins(f"{player} has {have} coins and cannot bet {amount}. Bet less, or buy in.")


def place(
    stakes: Stakes, bet: Bet, best: Price, limits: Limits, ledger: Ledger
) -> tuple[Stakes, tuple[Happening, ...]]:
    """Stake coins on a spot; a second bet there adds to the first.

    Args:
        best: the highest price that the spot can pay.

    Raises:
        BadAmount, OverLimit, NotEnoughCoins: the amount cannot be bet there.
    """
    amount = checked_coins(bet.amount, "a bet")
    old = find_stake(stakes, bet.player, bet.on)
    total = amount + (old.amount if old else 0)
    limits.check(bet.on, total, best.winnings(total))
    check_affordable(ledger, bet.player, amount)
    new = Stake(bet.player, bet.on, total)
    after = tuple(new if stake is old else stake for stake in stakes) if old else (*stakes, new)
    moved = Transfer(Account.player(bet.player), Account.stake(bet.player, bet.on), amount, f"bet {bet.on}")
    return after, (BetPlaced(bet.player, bet.on, amount, total, total % best.per), moved)


def take_back(stakes: Stakes, command: TakeBack) -> tuple[Stakes, tuple[Happening, ...]]:
    """Return the whole stake on a spot to its player.

    Raises:
        NothingDone: he has none there.
    """
    player, on = command.player, command.on
    stake = find_stake(stakes, player, on)
    if stake is None:
        raise NothingDone(f"{player} has no bet on {on}. There is nothing to take back.")
    moved = Transfer(Account.stake(player, on), Account.player(player), stake.amount, f"take back {on}")
    return tuple(s for s in stakes if s is not stake), (BetTakenBack(player, on, stake.amount), moved)


def settled(stake: Stake, price: Price | None) -> Paid:
    """Return the outcome of a stake: won at a price, or lost (None)."""
    won = price.winnings(stake.amount) if price else 0
    return Paid(stake.player, stake.on, stake.amount, won, price is not None)


def payment(bet: Paid) -> tuple[Transfer, ...]:
    """Return the coins that a settled bet moves: stake and winnings to the player, or the stake to the house."""
    stake, player = Account.stake(bet.player, bet.on), Account.player(bet.player)
    if not bet.is_won:
        return (Transfer(stake, HOUSE, bet.amount, f"{bet.on} lost"),)
    back = Transfer(stake, player, bet.amount, f"stake on {bet.on} returned")
    return (back, Transfer(HOUSE, player, bet.won, f"{bet.on} won")) if bet.won else (back,)


def payments(bets: Sequence[Paid]) -> tuple[Transfer, ...]:
    """Return the coins that settled bets move, in order."""
    return tuple(move for bet in bets for move in payment(bet))
