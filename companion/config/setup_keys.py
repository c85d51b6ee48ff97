"""Which settings the set-up page may write."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any, Final

from companion.config.games import options_of
from companion.plugins.options import settable_keys
from companion.plugins.registry import Games

SETTABLE: Final = (
    "table.game", "table.deck_id", "table.bank", "table.min", "table.max", "table.cap",
    "table.verify", "table.turn_seconds", "table.chances", "table.practice",
    "coins.chips", "camera.source", "web.language", "voice.on", "voice.language",
)  # fmt: skip
"""Those of the engine. No path among them: whoever has the dealer's PIN must not reach files, nor sell the house."""

AT_ONCE: Final = frozenset(
    {
        "table.turn_seconds", "table.chances", "table.practice", "coins.chips",
        "web.language", "voice.on", "voice.language",
    }
)  # fmt: skip
"""What takes effect without a new start."""


def settable(games: Games) -> tuple[str, ...]:
    """Return every key that the set-up page may write where these games are installed, as ``table.min``."""
    own = (settable_keys(name, options_of(plugin)) for name, plugin in games.items())
    return tuple(dict.fromkeys(chain(SETTABLE, *own)))


def flat(record: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested tables as dotted keys.

    >>> flat({"table": {"min": 5}, "players": []})
    {'table.min': 5, 'players': []}
    """
    found: dict[str, Any] = {}
    for key, value in record.items():
        if isinstance(value, Mapping):
            found |= flat(value, f"{prefix}{key}.")
        else:
            found[prefix + key] = value
    return found
