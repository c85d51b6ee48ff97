"""The simulated players of the demo's Rugen tables: what they bet, take and stake. They know the room's view only."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, Final

from companion.games.roche.demo.players import is_within
from companion.kernel.commands import Record

View = Mapping[str, Any]

NAMES: Final = ("Aubrey", "Benedict", "Celia", "Dorian")
PURSE: Final = 200
LOW: Final = 40
"""Whoever has fewer coins buys in again."""


def refills(view: View, names: Sequence[str]) -> list[Record]:
    """Return the buy-ins of players who are almost broke."""
    mine = [p for p in view["players"] if p["name"] in names]
    return [{"do": "buy-in", "player": p["name"], "coins": PURSE} for p in mine if p["coins"] < LOW]


def whose(record: Record, view: View) -> set[str]:
    """Return the players whose coins a planned command moves; none for what the house does.

    >>> sorted(whose({"do": "side-bet", "numbers": {"Ann": 1, "Bo": 4}}, {})), whose({"do": "close"}, {})
    (['Ann', 'Bo'], set())
    """
    if record["do"] == "stake":
        return {view["shooter"]}
    return {record["player"]} if "player" in record else set(record.get("numbers", ()))


def plan(view: View, names: Sequence[str], rng: random.Random) -> list[Record]:
    """Return what these players do before the next throw, in order; the last may close the taking.

    >>> plan({"game": "rugen-street", "phase": "point", "players": []}, (), random.Random(1))
    []
    """
    by_game = {"rugen-house": _house, "rugen-street": _street, "rugen-capital": _capital}
    here = [p["name"] for p in view["players"] if p["name"] in names]
    return by_game[view["game"]](view, here, rng)


def _house(view: View, names: Sequence[str], rng: random.Random) -> list[Record]:
    purses = {p["name"]: p["coins"] for p in view["players"]}
    bets: list[Record] = []
    for name in names:
        budget = purses[name] // 4
        for on, amount in _tastes(at_start=not view["chain"], rng=rng):
            if amount <= budget and is_within(view["limits"], view["spots"][on], amount):
                budget -= amount
                bets.append({"do": "bet", "player": name, "on": on, "amount": amount})
    return bets


def _tastes(*, at_start: bool, rng: random.Random) -> list[tuple[str, int]]:
    """Return one to three spots with amounts: chains at their start, one-roll bets at any time."""
    wishes = []
    if at_start and rng.random() < 0.8:
        wishes.append((f"chain/{rng.choice((1, 2, 3, 3, 4, 4))}", rng.choice((5, 5, 10))))
        if rng.random() < 0.2:
            wishes.append((f"chain-{rng.choice(('day', 'night'))}/{rng.choice((2, 3, 4))}", rng.choice((1, 2, 5))))
    if rng.random() < (0.6 if at_start else 0.45):
        number = rng.choice((1, 2, 3, 3, 4, 4))
        kind = rng.choice(("center", "center", "center", "day", "night"))
        wishes.append((f"{kind}/{number}", number * rng.choice((1, 1, 2))))
    return wishes


def _street(view: View, names: Sequence[str], rng: random.Random) -> list[Record]:
    if view["phase"] == "stake" and view["shooter"] in names:
        return [{"do": "stake", "units": max(view["minimum"], rng.choice((1, 1, 2, 2, 3)))}]
    if view["phase"] != "taking":
        return []
    units, purses = view["wager"]["units"], {p["name"]: p["coins"] for p in view["players"]}
    others = [name for name in names if name != view["shooter"]]
    rng.shuffle(others)
    taken: list[Record] = []
    for name, number in zip(others, rng.sample(view["free"], len(view["free"])), strict=False):
        if rng.random() < 0.8 and purses[name] >= units * view["units"][str(number)]:
            taken.append({"do": "take", "player": name, "number": number})
    if len(names) >= 2 and rng.random() < 0.25:
        pair = rng.sample(list(names), 2)
        if all(purses[name] >= 40 for name in pair):
            taken.append(
                {"do": "side-bet", "units": 1, "numbers": dict(zip(pair, rng.sample((1, 2, 3, 4), 2), strict=True))}
            )
    return [*taken, {"do": "close"}]


def _capital(view: View, names: Sequence[str], rng: random.Random) -> list[Record]:
    if view["phase"] != "taking":
        return []
    prices, purses = view["schedule"]["player"], {p["name"]: p["coins"] for p in view["players"]}
    units = view["wager"]["units"] or rng.choice((1, 1, 2))
    free, limits = list(view["free"]), view["limits"]
    rest = {number: sum(view["schedule"]["house"]) - view["schedule"]["house"][number - 1] for number in free}
    taken: list[Record] = []
    for name in rng.sample(list(names), len(names)):
        wish = [
            number
            for number in free
            if prices[number - 1] * units <= purses[name] // 3
            and is_within(limits, f"{rest[number]}:{prices[number - 1]}", prices[number - 1] * units)
        ]
        if wish and rng.random() < 0.65:
            number = rng.choice(wish)
            free.remove(number)
            record: dict[str, Any] = {"do": "take", "player": name, "number": number}
            taken.append(record if taken or view["wager"]["units"] else record | {"units": units})
    return [*taken, {"do": "close"}]
