"""Shared by banked games: stakes on spots of a layout, table limits, paying and collecting."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from typing_extensions import TypedDict

from companion.kernel.accounts import HOUSE, Account
from companion.kernel.commands import Bet, Record, TakeBack
from companion.kernel.errors import BadAmount, BadScript, NotEnoughCoins, NothingDone, OverLimit
from companion.kernel.events import BetPlaced, BetTakenBack, Paid
from companion.kernel.game import USUAL_BUY_IN, Effect, Options
from companion.kernel.ledger import Ledger, Transfer, checked_coins
from companion.kernel.messages import Message, joined, message
from companion.kernel.price import Price
from companion.kernel.shared.options import whole_number
from companion.kernel.values import quick

LIMITS: Final = ("min", "max", "cap", "bank")
BETS_TO_BRING: Final = 30
"""The usual buy-in, in minimum bets."""
SHARE: Final = 10
"""By default the maximum stake and the maximum win of a bet are one tenth of the bank."""


@quick
class Wish:
    """A requested bet, to be checked against the limits."""

    spot: str
    "In words."
    amount: int
    "Coins to add to the stake."
    wins: Callable[[int], int]
    "Total stake -> the most that this bet can win. Monotonic."
    payout: Callable[[int], int]
    "Total stake -> the most that all bets of this round can win together. Monotonic."
    purse: int
    "The player's coins."
    had: int = 0
    "The player's stake already on the spot."
    step: int = 1
    "Stakes must be multiples of this."


class LimitsJson(TypedDict):
    """The limits of a table in coins; null is no limit."""

    min: int | None
    max: int | None
    cap: int | None
    bank: int | None
    from_bank: list[str]
    "Those that are the bank's share."


@dataclass(frozen=True, slots=True)
class Limits:
    """The bank's limits in coins: stake per spot, win per bet, win per round; None for no limit."""

    minimum: int | None = None
    maximum: int | None = None
    cap: int | None = None
    bank: int | None = None
    "The most that all bets of a round can win together."

    @property
    def usual_buy_in(self) -> int:
        """The coins with which a player usually comes.

        >>> Limits().usual_buy_in, Limits(minimum=50).usual_buy_in
        (100, 1500)
        """
        return max(USUAL_BUY_IN, BETS_TO_BRING * (self.minimum or 1))

    def check(self, wish: Wish) -> None:
        """Check a bet against the limits.

        Raises:
            BadAmount: the total stake would be below the minimum.
            OverLimit: the total stake would be above the maximum, could win more than the cap, or could win more than
                the bank together with the round's other bets. The message says how much can still be bet.
        """
        total = wish.had + wish.amount
        if self.minimum is not None and total < self.minimum:
            raise BadAmount.saying(
                "The table's minimum is {minimum}; {total} on {spot} is below it. Bet more.",
                minimum=self.minimum,
                total=total,
                spot=wish.spot,
            )
        why = self._excess(wish, total)
        if why is not None:
            raise OverLimit(joined([why, _room_words(self.room(wish), wish.had)], " "))

    def _excess(self, wish: Wish, total: int) -> Message | None:
        """Return which limit a total stake would exceed, in words, or None."""
        if self.maximum is not None and total > self.maximum:
            return message(
                "The table's maximum is {maximum}; {total} on {spot} is above it.",
                maximum=self.maximum,
                total=total,
                spot=wish.spot,
            )
        could_win = wish.wins(total)
        if self.cap is not None and could_win > self.cap:
            return message(
                "The house pays at most {cap} on a bet; {total} on {spot} could win {could_win}.",
                cap=self.cap,
                total=total,
                spot=wish.spot,
                could_win=could_win,
            )
        payout = wish.payout(total) if self.bank is not None else 0
        if self.bank is not None and payout > self.bank:
            return message(
                "The bank is {bank}, and all bets together may win no more; with {total} on {spot} they could "
                "win {payout}.",
                bank=self.bank,
                total=total,
                spot=wish.spot,
                payout=payout,
            )
        return None

    def room(self, wish: Wish) -> int:
        """Return the most that can be added to the stake, up to the requested amount and the player's coins."""
        low, high = 0, max(min(wish.amount, wish.purse) // wish.step, 0)
        while low < high:
            middle = (low + high + 1) // 2
            if self._excess(wish, wish.had + middle * wish.step) is None:
                low = middle
            else:
                high = middle - 1
        room = low * wish.step
        return room if self.minimum is None or wish.had + room >= self.minimum else 0

    def to_json(self) -> LimitsJson:
        """Return the limits as pages show them."""
        by_name = {"min": self.minimum, "max": self.maximum, "cap": self.cap}
        share = proposed(self.bank) if self.bank is not None else None
        from_bank = [name for name in ("max", "cap") if share is not None and by_name[name] == share]
        return {"min": self.minimum, "max": self.maximum, "cap": self.cap, "bank": self.bank, "from_bank": from_bank}


def _room_words(room: int, had: int) -> Message:
    if room:
        return (
            message("At most {room} more can be bet there now.", room=room)
            if had
            else message("At most {room} can be bet there now.", room=room)
        )
    return message("Nothing more can be bet there now.") if had else message("Nothing can be bet there now.")


def proposed(bank: int, minimum: int | None = None) -> int:
    """Return the default maximum and cap for a bank: a tenth of it, rounded down to a round number of coins.

    Rounded to a multiple of 10, or to 5 below that. At least the table minimum, otherwise no bet would be possible.

    >>> [proposed(bank) for bank in (2000, 1234, 70, 12)], proposed(2000, minimum=500)
    ([200, 120, 5, 1], 500)
    """
    share = bank // SHARE
    whole = share - share % 10 if share >= 10 else 5 if share >= 5 else max(share, 1)
    return max(whole, minimum or 1)


def parse_limits(options: Options) -> Limits:
    """Return the limits in a header's options ``min``, ``max``, ``cap`` and ``bank``.

    Raises:
        BadScript: one is not a positive whole number, or the minimum is above the maximum.
    """
    limits = Limits(*(whole_number(options, key) for key in LIMITS))
    if limits.minimum is not None and limits.maximum is not None and limits.minimum > limits.maximum:
        raise BadScript.saying(
            "The minimum {minimum} is above the maximum {maximum}. Correct one of them.",
            minimum=limits.minimum,
            maximum=limits.maximum,
        )
    return limits


class StakeJson(TypedDict):
    """One player's coins on one spot."""

    player: str
    on: str
    amount: int


@quick
class Stake:
    """One player's coins on one spot."""

    player: str
    on: str
    amount: int

    def to_json(self) -> StakeJson:
        """Return the stake as the public contract's ``state`` lists it."""
        return {"player": self.player, "on": self.on, "amount": self.amount}


Stakes = tuple[Stake, ...]
"""All undecided bets, in the order in which they were first placed."""


@dataclass(frozen=True, slots=True)
class Worst:
    """The bank's worst case: the outcome of this round that costs it most, given the current bets."""

    coins: int
    "The players' winnings less their lost stakes; negative if the bank wins in every case."
    when: Mapping[str, object]
    "The outcome, for pages to put into words."
    bet: Stake | None
    "The bet that wins most in this outcome."
    commands: tuple[Record, ...]
    "Deals or throws that lead to this outcome."
    staked: int = 0
    "The part of ``coins`` that the bank has already put on the table."


def highest_win(won: Iterable[tuple[Stake, int]]) -> Stake | None:
    """Return the bet with the highest win, or None if none won."""
    best = max(won, key=lambda one: one[1], default=None)
    return best[0] if best and best[1] else None


def find_stake(stakes: Sequence[Stake], player: str, on: str) -> Stake | None:
    """Return a player's stake on a spot, or None."""
    return next((stake for stake in stakes if stake.player == player and stake.on == on), None)


def check_affordable(ledger: Ledger, player: str, amount: int) -> None:
    """Check that a player has the coins for a bet.

    Raises:
        NotEnoughCoins: they have fewer.
    """
    have = ledger.balance(player)
    if amount > have:
        raise NotEnoughCoins.saying(
            "{player} has {coins} coins and cannot bet {amount}. Bet less, or buy in.",
            player=player,
            coins=have,
            amount=amount,
        )


@quick
class Offer:
    """A spot of the layout, with its price."""

    on: str
    words: str
    best: Price
    "The highest price that it can pay."
    step: int = 1
    "Stakes must be multiples of this."

    def least(self, minimum: int | None) -> int:
        """Return the smallest allowed stake."""
        wanted = max(minimum or 1, self.step)
        return wanted + -wanted % self.step


def place(
    stakes: Stakes, bet: Bet, offer: Offer, most_won: Callable[[Stakes], int], limits: Limits, ledger: Ledger
) -> tuple[Stakes, tuple[Effect, ...]]:
    """Stake coins on a spot; a second bet there adds to the first.

    Args:
        most_won: all undecided bets -> the most that they can win together.

    Raises:
        BadAmount, OverLimit, NotEnoughCoins: the amount cannot be bet on this spot.
    """
    amount = checked_coins(bet.amount, message("a bet"))
    old = find_stake(stakes, bet.player, bet.on)

    def after(total: int) -> Stakes:
        new = Stake(bet.player, bet.on, total)
        return tuple(new if stake is old else stake for stake in stakes) if old else (*stakes, new)

    def payout(total: int) -> int:
        return most_won(after(total))

    had = old.amount if old else 0
    purse = ledger.balance(bet.player)
    limits.check(Wish(offer.words, amount, offer.best.winnings, payout, purse, had, offer.step))
    check_affordable(ledger, bet.player, amount)
    total = had + amount
    moved = Transfer(Account.player(bet.player), Account.stake(bet.player, bet.on), amount, f"bet {bet.on}")
    return after(total), (BetPlaced(bet.player, bet.on, offer.words, amount, total, total % offer.best.per), moved)


def take_back(stakes: Stakes, command: TakeBack, words: str) -> tuple[Stakes, tuple[Effect, ...]]:
    """Give the whole stake on a spot back to its player.

    Args:
        words: the spot in words.

    Raises:
        NothingDone: the player has no stake on it.
    """
    player, on = command.player, command.on
    stake = find_stake(stakes, player, on)
    if stake is None:
        raise NothingDone.saying("{player} has no bet on {on}. There is nothing to take back.", player=player, on=on)
    moved = Transfer(Account.stake(player, on), Account.player(player), stake.amount, f"take back {on}")
    return tuple(s for s in stakes if s is not stake), (BetTakenBack(player, on, words, stake.amount), moved)


def settled(stake: Stake, price: Price | None) -> Paid:
    """Return the outcome of a stake that won at a price, or lost (None)."""
    won = price.winnings(stake.amount) if price else 0
    return Paid(stake.player, stake.on, stake.amount, won, price is not None)


def payment(bet: Paid) -> tuple[Transfer, ...]:
    """Return a settled bet's transfers: returned stake and winnings to the player, the lost part to the house."""
    stake, player, lost = Account.stake(bet.player, bet.on), Account.player(bet.player), bet.amount - bet.back
    moves = (
        (stake, player, bet.back, f"stake on {bet.on} returned"),
        (stake, HOUSE, lost, f"{bet.on} lost"),
        (HOUSE, player, bet.won, f"{bet.on} won"),
    )
    return tuple([Transfer(*move) for move in moves if move[2]])


def payments(bets: Sequence[Paid]) -> tuple[Transfer, ...]:
    """Return the transfers of settled bets, in order."""
    return tuple(move for bet in bets for move in payment(bet))
