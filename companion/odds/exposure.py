"""The bank's exposure: the maximum loss in this round, and what the limits still allow."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from typing_extensions import TypedDict

from companion.kernel.ledger import Ledger
from companion.kernel.shared.banked import Limits, LimitsJson, Offer, StakeJson, Worst

USUAL_PURSE: Final = 100
"""Assumed coins of a player at an empty table (rulings, sitting down)."""


class HouseRules(Protocol):
    """The rules of a banked game."""

    @property
    def limits(self) -> Limits: ...


class HouseState(Protocol):
    """The state of a banked game; a plugin names its own as ``house``."""

    @property
    def rules(self) -> HouseRules: ...
    @property
    def offers(self) -> tuple[Offer, ...]: ...
    @property
    def worst(self) -> Worst | None: ...


class OneBetJson(TypedDict):
    """The most that a single bet can win."""

    on: str
    coins: int
    win: int


class RiskJson(TypedDict):
    """What the house has at risk."""

    worst: int
    "What this round can cost at most with the stakes as they lie."
    when: Mapping[str, object] | None
    "What has to happen for that; what it names is the game's."
    bet: StakeJson | None
    "The bet that wins most by it."
    bank: int | None
    left: int | None
    "What the house has now of its bank."
    is_short: bool
    one_bet: OneBetJson | None
    "The most that a single bet could cost where there is no bank."


class TableLimits(LimitsJson):
    """The limits of a table, and what they come to."""

    one_bet: OneBetJson | None
    "The most that a single bet could cost where there is no bank."
    closed: list[str]
    "The spots that take no bet."


@dataclass(frozen=True, slots=True)
class OneBet:
    """The most that a single bet can win."""

    offer: Offer
    coins: int
    win: int

    def to_json(self) -> OneBetJson:
        return {"on": self.offer.on, "coins": self.coins, "win": self.win}


def largest_bet(state: HouseState, purse: int) -> OneBet:
    """Return the bet that could cost the bank most, within the limits per bet, by a player with ``purse`` coins.

    >>> from types import SimpleNamespace as Made
    >>> from companion.kernel.price import Price
    >>> offers = (Offer("even", "Even", Price(1)), Offer("number/7", "Seven", Price(35)))
    >>> largest_bet(Made(rules=Made(limits=Limits(maximum=20)), offers=offers), 100).to_json()
    {'on': 'number/7', 'coins': 20, 'win': 700}
    """
    limits = state.rules.limits
    coins = purse if limits.maximum is None else min(purse, limits.maximum)
    cap = limits.cap
    wins = ((offer.best.winnings(coins), offer) for offer in state.offers)
    win, offer = max(wins, key=lambda one: one[0])
    return OneBet(offer, coins, win if cap is None else min(win, cap))


def closed_spots(state: HouseState) -> tuple[str, ...]:
    """Return the spots on which the limits exclude even the minimum stake.

    >>> from types import SimpleNamespace as Made
    >>> from companion.kernel.price import Price
    >>> offers = (Offer("even", "Even", Price(1)), Offer("number/7", "Seven", Price(35)))
    >>> closed_spots(Made(rules=Made(limits=Limits(cap=30)), offers=offers))
    ('number/7',)
    """
    limits = state.rules.limits
    return tuple(offer.on for offer in state.offers if _is_closed(offer, limits))


def _is_closed(offer: Offer, limits: Limits) -> bool:
    least = offer.least(limits.minimum)
    bounds = [bound for bound in (limits.cap, limits.bank) if bound is not None]
    too_large = limits.maximum is not None and least > limits.maximum
    return too_large or any(offer.best.winnings(least) > bound for bound in bounds)


def risk_of(house: HouseState, ledger: Ledger, won_before: int = 0) -> RiskJson:
    """Return the house's risk for the dealer's page.

    Args:
        won_before: the bank's net gain this evening in other games.
    """
    worst, bank = house.worst, house.rules.limits.bank
    coins = max(worst.coins, 0) if worst else 0
    left = None if bank is None else bank + won_before + ledger.house + (worst.staked if worst else 0)
    return {
        "worst": coins,
        "when": dict(worst.when) if worst and coins else None,
        "bet": worst.bet.to_json() if worst and worst.bet and coins else None,
        "bank": bank,
        "left": left,
        "is_short": left is not None and coins > left,
        "one_bet": largest_bet(house, richest(ledger)).to_json() if bank is None else None,
    }


def richest(ledger: Ledger) -> int:
    """Return the highest balance of a player; `USUAL_PURSE` if nobody has coins."""
    return max(ledger.players.values(), default=0) or USUAL_PURSE


def limits_of(house: HouseState, purse: int) -> TableLimits:
    """Return the limits of a table in a state, for the setup page."""
    limits = house.rules.limits
    one_bet = largest_bet(house, purse).to_json() if limits.bank is None else None
    return {**limits.to_json(), "one_bet": one_bet, "closed": list(closed_spots(house))}


def limit_words(house: HouseState, ledger: Ledger) -> str:
    """Return a sentence with the limits in force and their reason."""
    limits = house.rules.limits
    own = ", ".join(_own_words(limits.to_json()))
    if limits.bank is not None:
        return f"The bank is {limits.bank:,}: all bets of a round together may win no more; {own}."
    bet = largest_bet(house, richest(ledger))
    warning = f"No limit: one bet can cost the house {bet.win:,} ({bet.coins:,} on {bet.offer.words}). "
    return f"{warning}For one bet: {own}." if own else f"{warning}Set a bank under [table]."


def _own_words(limits: LimitsJson) -> Iterable[str]:
    rows = (
        ("min", limits["min"], "at least {} on a spot"),
        ("max", limits["max"], "at most {} on a spot"),
        ("cap", limits["cap"], "no win above {}"),
    )
    for name, coins, words in rows:
        if coins is not None:
            share = " (a tenth of the bank)" if name in limits["from_bank"] else ""
            yield words.format(f"{coins:,}") + share
