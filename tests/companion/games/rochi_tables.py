"""Tables of Rochi and Captain's Rochi for tests, and a shorthand for commands."""

from typing import Any

from companion.kernel.table import Table
from companion.testing import new_header

NAMES = ("Ann", "Bo", "Cy", "Di", "Ed", "Flo")
QUIET = ("7D1", "7D2", "6D1", "6D2", "5D1", "4D1")
"""Up to six seed cards that lock nothing."""


def rochi(players: int = 3, coins: int = 100, seeds: str | None = "", **options: Any) -> Table:
    """Return a table. ``seeds``: the seed cards, by default harmless ones; None for none."""
    table = Table(new_header("rochi", tuple((name, coins) for name in NAMES[:players]), options))
    needed = 2 * (6 - players)
    cards = [] if seeds is None else [*seeds.split(), *(c for c in QUIET if c not in seeds.split())][:needed]
    return do(table, *(f"seed {card}" for card in cards))


def captains(seeds: str = "7D1 7D2 6D1 6D2 5D1 5D2 4D1 4D2", coins: int = 100, **options: Any) -> Table:
    """Return a seeded game of Captain's Rochi."""
    table = Table(new_header("captains", tuple((name, coins) for name in NAMES[:2]), options))
    return do(table, *(f"seed {card}" for card in seeds.split()))


def do(table: Table, *commands: str) -> Table:
    """Play commands such as ``play 6D3``, ``fold``, ``discard Ann 2D1``, ``odd-coin 5``, ``join Di 20 6:2 7:1``."""
    for command in commands:
        table.do(record(command))
    return table


def record(command: str) -> dict[str, Any]:
    """Return the record for a shorthand command."""
    verb, *words = command.split()
    made: dict[str, Any] = {"do": verb}
    if verb in ("seed", "play", "deal"):
        made["card"] = words.pop(0)
    elif verb == "odd-coin":
        made["pot"] = int(words.pop(0))
    elif words:
        made["player"] = words.pop(0)
    if verb == "discard":
        made["card"] = words.pop(0)
    if verb in ("join", "buy-in"):
        made["coins"] = int(words.pop(0))
    if words:
        made["into"] = {suit: int(coins) for suit, coins in (word.split(":") for word in words)}
    return made


def coins(table: Table) -> list[int]:
    """Return all balances in seat order."""
    return list(table.result()["balances"].values())


def pots(table: Table) -> dict[str, int]:
    """Return the pots that are not empty."""
    return {suit: coins for suit, coins in table.result()["pots"].items() if coins}


def facts(table: Table) -> dict[str, Any]:
    """Return the result's ``state``."""
    return table.result()["state"]


def latest(table: Table) -> dict[str, Any]:
    """Return the latest result."""
    return table.result()["results"][-1]
