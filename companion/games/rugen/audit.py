"""Independent audit of the Rugen games: each account's change, computed without the games' code or prices.

It replays the whole chain from the faces as text, with its own price formulas. The table compares both results before
coins move.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from companion.kernel.accounts import HOUSE, Account

Claim = tuple[int, Account, int, Account]
"""A stake in a wager between players: number, account that gets the winnings, coins, account they lie on."""


# ---- House Rugen


def house_changes(
    chain: Sequence[str], stakes: Iterable[tuple[str, str, int]], reading: str, better_half: str
) -> Counter[Account]:
    """Return account -> change in coins for the latest throw of a chain.

    Args:
        chain: all throws since the latest break, the one to settle last.
        stakes: player, spot and coins of every undecided bet.
        reading: ``all`` or ``own``, for chain-day and chain-night.
    """
    changes: Counter[Account] = Counter()
    for player, on, amount in stakes:
        gain = _gain(on, amount, "".join(chain), reading, better_half)
        if gain is None:
            continue
        changes[Account.stake(player, on)] -= amount
        if gain:
            changes[Account.player(player)] += amount + gain
        changes[HOUSE] += -gain if gain else amount
    return changes


def _gain(on: str, amount: int, chain: str, reading: str, better_half: str) -> int | None:
    """Return a bet's win, 0 if lost, None if undecided; ``chain`` is like "3d1n"."""
    kind, spot = on.split("/")
    number, last = int(spot), chain[-2:]
    better = last[1] == better_half[0]
    if kind == "center":
        return amount * ((10 if better else 9) - number) // number if last[0] == spot else 0
    if kind in ("day", "night"):
        return amount * (19 - number) // number if last == spot + kind[0] else 0
    if chain.count(last[0]) < int(last[0]):
        return None
    if last[0] != spot:
        return 0
    if kind == "chain":
        return amount * (number + 1 if better and number > 1 else number)
    letters = [half for face, half in zip(chain[::2], chain[1::2], strict=True) if reading == "all" or face == spot]
    wrong = "n" if kind == "chain-day" else "d"
    return 0 if wrong in letters else amount * (0, 3, 12, 35, 90)[number]


# ---- Street and Capital


def wager_changes(chain: Sequence[str], wagers: Iterable[Sequence[Claim]]) -> Counter[Account]:
    """Return account -> change in coins for the latest throw of a chain.

    Args:
        chain: all throws of the chain, the one to settle last.
        wagers: the claims of every wager that was not decided before this throw.
    """
    changes: Counter[Account] = Counter()
    for claims in wagers:
        winner = next((payee for number, payee, _, _ in claims if number == _first_broken(chain, claims)), None)
        if winner is None:
            continue
        for _, _, coins, account in claims:
            changes[account] -= coins
            changes[winner] += coins
    return changes


def _first_broken(chain: Sequence[str], claims: Sequence[Claim]) -> int | None:
    """Replay the chain; return the first claimed number N that was thrown N times."""
    left = {number: number for number, _, _, _ in claims}
    for face in chain:
        number = int(face[0])
        if number in left:
            left[number] -= 1
            if not left[number]:
                return number
    return None


def refund_changes(claims: Sequence[Claim]) -> Counter[Account]:
    """Return account -> change in coins when Street's betting closes: a shooter without takers gets the stake back."""
    changes: Counter[Account] = Counter()
    if len({number for number, _, _, _ in claims}) == 1:
        _, payee, coins, account = claims[0]
        changes[account] -= coins
        changes[payee] += coins
    return changes


def cover_changes(taken: Iterable[int], units: int, prices: Sequence[int]) -> Counter[Account]:
    """Return account -> change in coins when Capital's bank stakes on what nobody took.

    Args:
        prices: the bank's price of one unit, numbers 1 to 4.
    """
    changes: Counter[Account] = Counter()
    for number in {1, 2, 3, 4} - set(taken):
        if units:
            changes[Account.stake(None, f"take/{number}")] += units * prices[number - 1]
            changes[HOUSE] -= units * prices[number - 1]
    return changes
