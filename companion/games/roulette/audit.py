"""The second settlement of roulette: what every account should get, and who should sit in prison.

Written apart from the rules and sharing none of their code: it works from the names of the spots, as they would be
read off the layout, with arithmetic of its own. The table compares the two before coins move.
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
    """Compare what a settlement wants to do with what it should do.

    Args:
        moved: the transfers of the settlement under test.
        kept: whom it leaves in prison.

    Returns:
        One sentence for each account that would get another sum; empty when all agree.
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
    """Return 0 for a prisoner that comes free, else -1."""
    return 0 if number and _is_even_win(on, number) else -1


def _gain(on: str, amount: int, pocket: str, number: int) -> int:
    """Return what a fresh bet wins; -1 for one that does not."""
    kind, *named = on.split("/")
    if kind in ("straight", "split"):
        return amount * (36 // len(named) - 1) if pocket in named else -1
    if not number:
        return -1
    if not named:
        return amount if _is_even_win(on, number) else -1
    return amount * _times(kind, int(named[0]), number)


def _times(kind: str, first: int, number: int) -> int:
    """Return how many times its stake a bet on several numbers wins; a negative share for one that does not."""
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
    """Say whether a number wins an even-money bet. Red: odd numbers in rows of one kind, even ones in the other."""
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
