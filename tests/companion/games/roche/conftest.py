"""An independent, minimal implementation of Roche's winning conditions, to check the odds."""

from collections.abc import Callable, Iterable

import pytest

Winners = Callable[[str, Iterable[str]], set[str] | None]


@pytest.fixture(scope="session")
def winners() -> Winners:
    """Return a function from deck and cards in dealing order to the winning bets; None if no suit cuts."""
    return winning_bets


def winning_bets(deck: str, order: Iterable[str]) -> set[str] | None:
    """Deal card by card until a suit is cut, and return the winning bets."""
    stacks: dict[int, list[str]] = {rank: [] for rank in ((2, 3, 4, 5, 6, 7) if deck == "full" else (3, 4, 5, 6, 7))}
    won: set[str] = set()
    for card in order:
        if all(len(stack) == rank - 1 for rank, stack in stacks.items()):
            won.add("cavalry")
        rank = int(card[0])
        stacks[rank].append(card)
        if len(stacks[rank]) == rank:
            return won | _won_at_the_cut(rank, stacks)
    return None


def _won_at_the_cut(rank: int, stacks: dict[int, list[str]]) -> set[str]:
    cards = stacks[rank]
    everything = [f"{rank}{half}{number}" for half in "DN" for number in range(1, rank + 1)]
    won = {f"cut/{rank}", f"terminus/{cards[-1]}"}
    won |= {f"card/{card}" for card in cards}
    won |= {f"oscura/{card}" for card in everything if card not in cards}
    won |= {f"starlight/{suit}" for suit, stack in stacks.items() if not stack}
    halves = {card[1] for card in cards}
    if halves == {"D"}:
        won.add(f"day/{rank}")
    if halves == {"N"}:
        won.add(f"night/{rank}")
    return won
