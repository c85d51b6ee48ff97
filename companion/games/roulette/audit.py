"""Independent audit of roulette: each account's change, and the imprisoned bets, computed without the rules' code.

It works from the spots' names alone, with its own arithmetic. The table compares both results before coins move.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from companion.kernel.accounts import HOUSE, Account
from companion.kernel.ledger import Transfer
from companion.kernel.messages import Message, message
from companion.kernel.shared.audit import wrong_sums

Bet = tuple[str, str, int]
"""Player, spot and coins."""


def differences(
    pocket: str,
    zero_rule: str,
    imprisoned: Sequence[Bet],
    bets: Sequence[Bet],
    moved: Iterable[Transfer],
    kept: Iterable[Bet],
) -> tuple[Message, ...]:
    """Compare a settlement with the audit's own result.

    Args:
        moved: the transfers of the settlement under test.
        kept: the bets it leaves in prison.

    Returns:
        One sentence per account whose change differs, and one if imprisoned bets differ; empty if all agree.
    """
    due, prison = expected(pocket, zero_rule, imprisoned, bets)
    wrong = wrong_sums(due, moved)
    if Counter({(player, on): coins for player, on, coins in kept}) != prison:
        return (*wrong, message("other bets are in prison than the rule says"))
    return wrong


def expected(
    pocket: str, zero_rule: str, imprisoned: Sequence[Bet], bets: Sequence[Bet]
) -> tuple[Counter[Account], Counter[tuple[str, str]]]:
    """Return account -> change in coins, and (player, spot) -> coins in prison."""
    changes: Counter[Account] = Counter()
    prison: Counter[tuple[str, str]] = Counter()
    number = 0 if pocket in ("0", "00") else int(pocket)
    for is_fresh, stakes in ((False, imprisoned), (True, bets)):
        for player, on, amount in stakes:
            gain = _gain(on, amount, pocket, number) if is_fresh else _back(on, number)
            if gain < 0 and not number and "/" not in on and (zero_rule == "en-prison" or not is_fresh):
                prison[player, on] += amount
                continue
            lost = 0 if gain >= 0 else amount
            if lost and not number and "/" not in on and zero_rule == "surrender":
                lost = amount // 2
            changes[Account.stake(player, on)] -= amount
            changes[Account.player(player)] += amount - lost + max(gain, 0)
            changes[HOUSE] += lost - max(gain, 0)
    return changes, prison


def _back(on: str, number: int) -> int:
    """Return 0 if an imprisoned bet is released, else -1."""
    return 0 if number and _is_even_win(on, number) else -1


def _gain(on: str, amount: int, pocket: str, number: int) -> int:
    """Return a new bet's win; negative if it loses."""
    kind, *named = on.split("/")
    if kind in ("straight", "split"):
        return amount * (36 // len(named) - 1) if pocket in named else -1
    if not number:
        return -1
    if not named:
        return amount if _is_even_win(on, number) else -1
    return amount * _times(kind, int(named[0]), number)


def _times(kind: str, first: int, number: int) -> int:
    """Return the payout multiple of a bet on several numbers; -1 if it loses."""
    row, column = divmod(number - first, 3)
    hit, times = {
        "street": (row == 0, 11),
        "corner": (row in (0, 1) and column in (0, 1), 8),
        "line": (row in (0, 1), 5),
        "dozen": (1 + (number - 1) // 12 == first, 2),
        "column": (column == 0, 2),
    }[kind]
    return times if hit else -1


def _is_even_win(on: str, number: int) -> bool:
    """Whether a number wins an even-money bet. Red are the odd numbers in 1–10 and 19–28, the even ones otherwise."""
    swaps = 10 < number < 19 or number > 28
    is_red = bool(number % 2) != swaps
    return {
        "red": is_red,
        "black": not is_red,
        "odd": number % 2 == 1,
        "even": number % 2 == 0,
        "low": number < 19,
        "high": number > 18,
    }[on]
