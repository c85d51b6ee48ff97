"""Independent audit of Roche: each account's change, directly from the price table.

It shares no code with `companion.games.roche.rules` and uses only the IDs of the dealt cards. The table compares both
results before coins move.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from companion.games.roche.paytable import Paytable
from companion.kernel.accounts import HOUSE, Account
from companion.kernel.game import Effect
from companion.kernel.messages import Message
from companion.kernel.shared.audit import wrong_sums


def differences(
    ranks: Sequence[int],
    prices: Paytable,
    dealt: Sequence[str],
    stakes: Iterable[tuple[str, str, int]],
    happened: Iterable[Effect],
) -> tuple[Message, ...]:
    """Compare a settlement's transfers with the audit's own result.

    Args:
        dealt: card IDs in the order of the deal, the last one just dealt.
        stakes: (player, spot, coins) of every undecided bet.
        happened: the settlement under test.

    Returns:
        One sentence per account whose change differs; empty if all agree.
    """
    return wrong_sums(expected_changes(ranks, prices, dealt, stakes), happened)


def expected_changes(
    ranks: Sequence[int], prices: Paytable, dealt: Sequence[str], stakes: Iterable[tuple[str, str, int]]
) -> Counter[Account]:
    """Return account -> change in coins after these cards; empty before a suit is cut."""
    if not is_cut(dealt):
        return Counter()
    winners = winning_spots(ranks, dealt)
    changes: Counter[Account] = Counter()
    for player, on, amount in stakes:
        changes[Account.stake(player, on)] -= amount
        if on not in winners:
            changes[HOUSE] += amount
            continue
        price = prices.price(on)
        assert price is not None
        gain = (amount // price.per) * price.win
        changes[Account.player(player)] += amount + gain
        changes[HOUSE] -= gain
    return changes


def is_cut(dealt: Sequence[str]) -> bool:
    """Whether the last card cut its suit, with r of its 2r cards dealt."""
    return "".join(card[0] for card in dealt).count(dealt[-1][0]) == int(dealt[-1][0])


def winning_spots(ranks: Sequence[int], dealt: Sequence[str]) -> set[str]:
    """Return every spot of the grand layout that wins with these cards."""
    last = dealt[-1]
    suit = last[0]
    half = [card for card in dealt if card[0] == suit]
    winners = {f"cut/{suit}", f"terminus/{last}"} | {f"card/{card}" for card in half}
    for letter, name in (("D", "day"), ("N", "night")):
        if all(card[1] == letter for card in half):
            winners.add(f"{name}/{suit}")
        every = {f"{suit}{letter}{n}" for n in range(1, int(suit) + 1)}
        winners |= {f"oscura/{card}" for card in every - set(half)}
    shown = Counter(card[0] for card in dealt)
    winners |= {f"starlight/{rank}" for rank in ranks if not shown[str(rank)]}
    before = Counter(card[0] for card in dealt[:-1])
    if before == Counter({str(rank): rank - 1 for rank in ranks}):
        winners.add("cavalry")
    return winners
