"""Fuzzer: generates commands for any game, mostly legal, from its verbs, cards and scenarios."""

import random
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, fields
from functools import cache
from pathlib import Path
from typing import Any, Final

from companion.kernel.commands import CASHIER, NAMES, TABLE_VERBS, Command, field_name, type_words
from companion.kernel.header import Header
from companion.plugins.demo import WhatIf
from companion.plugins.panel import Moment
from companion.plugins.plugin import GamePlugin

Drawn = dict[str, Any]

_AMOUNTS: Final = (1, 1, 2, 3, 5, 10, 20, 50, 100)
_ODD: Final[tuple[Any, ...]] = (0, -1, 10**12, 10**16, 1.5, "five", None, True, "", "Nobody", [], {"a": 1})
"""Invalid field values."""
_COINS: Final = frozenset({"amount", "coins", "units", "count", "to"})
_PLAYERS: Final = ("Ann", "Bo", "Cy", "Di", "Eli", "Flo")
_SELDOM: Final = frozenset({*CASHIER, *TABLE_VERBS, "join", "leave"})
_TRIES: Final = 6


def new_header(plugin: GamePlugin, rng: random.Random) -> Header:
    """Return the header of a game with enough players."""
    fewest = max(2, plugin.rules.min_players)
    coins = plugin.demo.coins if plugin.demo is not None else 1000
    count = len(plugin.demo.players) if plugin.demo is not None else fewest + rng.randint(0, 2)
    return Header(plugin.rules, tuple((name, coins) for name in _PLAYERS[:count]), {})


def draw_command(plugin: GamePlugin, moment: Moment, rng: random.Random) -> Drawn:
    """Return a command for the current state: mostly one that the rules accept, sometimes nonsense."""
    if rng.random() < 0.05:
        return _nonsense(plugin, moment, rng)
    if rng.random() < 0.12:
        return _of_table(moment, rng)
    usual = sorted(moment.expected - _SELDOM) or sorted(moment.expected)
    all_ = usual if rng.random() < 0.9 else sorted(moment.rules.verbs)
    drawn: Drawn = {"do": "undo"}
    for _ in range(_TRIES):
        drawn = _filled(plugin, moment, rng.choice(all_), rng)
        if WhatIf(moment).accepts(drawn):
            break
    return drawn


def _of_table(moment: Moment, rng: random.Random) -> Drawn:
    verb = rng.choice(("undo", "redo", "hold", "release", "buy-in", "cash-out", "recount", "join", "leave"))
    if moment.hold is not None:
        verb = "release"
    name = rng.choice([one.name for one in moment.players] or ["Ann"])
    coins = rng.choice(_AMOUNTS)
    more: Mapping[str, Drawn] = {
        "buy-in": {"player": name, "coins": coins},
        "cash-out": {"player": name},
        "recount": {"player": name, "coins": coins, "reason": "counted"},
        "join": {"player": rng.choice(_PLAYERS), "coins": coins},
        "leave": {"player": name},
    }
    return {"do": verb, **more.get(verb, {})}


def _nonsense(plugin: GamePlugin, moment: Moment, rng: random.Random) -> Drawn:
    drawn = _filled(plugin, moment, rng.choice(sorted(moment.rules.verbs)), rng)
    if drawn.keys() - {"do"} and rng.random() < 0.7:
        drawn[rng.choice(sorted(drawn.keys() - {"do"}))] = rng.choice(_ODD)
    else:
        drawn["do"] = rng.choice(("", "undo", "sing", drawn["do"]))
    return drawn


def _filled(plugin: GamePlugin, moment: Moment, verb: str, rng: random.Random) -> Drawn:
    """Return a command with plausible values for its fields."""
    kind: type[Command] = {**TABLE_VERBS, **moment.rules.verbs}[verb]
    drawn: Drawn = {"do": verb}
    for one in fields(kind):
        name = field_name(one)
        if one.default is MISSING or rng.random() < 0.4:
            drawn[name] = _value(plugin, moment, verb, name, type_words(one), rng)
    return drawn


def _value(plugin: GamePlugin, moment: Moment, verb: str, name: str, kind: str, rng: random.Random) -> Any:
    players = [one.name for one in moment.players] or ["Ann"]
    seen = _vocabulary(plugin)
    if name in NAMES and (kind != "Any" or name == "player"):
        return rng.choice([*players, "dealer"] if name == "to" else players)
    deck = plugin.deck_for({})
    if deck is not None and name == "card":
        return rng.choice(deck.cards)
    if deck is not None and name == "cards":
        return rng.sample(deck.cards, rng.choice((1, 1, 2, 3)))
    house = plugin.house_state(moment.state)
    if name == "on" and house is not None:
        return rng.choice([offer.on for offer in house.offers] or ["?"])
    if name in _COINS:
        return rng.choice([*_AMOUNTS, *seen.get((verb, name), ())])
    known = seen.get((verb, name))
    if known:
        value = rng.choice(known)
        return {rng.choice(players): n for n in value.values()} if isinstance(value, Mapping) else value
    return rng.choice((str(rng.randrange(37)), rng.randint(1, 20), rng.choice(players)))


@cache
def _known(folder: Path | None, game: str) -> Mapping[tuple[str, str], tuple[Any, ...]]:
    """Return the values used in a game's scenarios, by verb and field."""
    found: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for path in sorted(folder.glob("*.toml")) if folder is not None else ():
        scenario = tomllib.loads(path.read_text(encoding="utf-8"))
        if scenario["game"] == game:
            for record in _commands(scenario["step"]):
                for name, value in record.items():
                    if value not in found[record["do"], name]:
                        found[record["do"], name].append(value)
    return {name: tuple(values) for name, values in found.items()}


def _vocabulary(plugin: GamePlugin) -> Mapping[tuple[str, str], tuple[Any, ...]]:
    return _known(plugin.scenarios, plugin.name)


def _commands(steps: Iterable[Mapping[str, Any]]) -> Iterator[Drawn]:
    for step in steps:
        for record in (step.get("command"), *step.get("journal", ())):
            if isinstance(record, dict) and isinstance(record.get("do"), str):
                yield {name: value for name, value in record.items() if name not in ("source", "events")}
