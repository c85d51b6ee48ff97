"""Which settings the set-up page may write, and which choices change what the house keeps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

SETTABLE: Final = (
    "table.game", "table.layout", "table.deck", "table.deck_id", "table.bank", "table.min", "table.max", "table.cap",
    "table.verify", "table.turn_seconds", "table.chances", "table.practice",
    "rochi.credit", "rochi.locked_discards", "rochi.join_fee", "rochi.marker", "rochi.leader",
    "rugen-street.minimum",
    "rugen-house.late_chain", "rugen-house.chain_day_night", "rugen-house.better_half",
    "rugen-capital.schedule",
    "coins.chips", "camera.source", "web.language", "voice.on", "voice.language",
)  # fmt: skip
"""No path and no price among them: whoever has the dealer's PIN must not reach files, nor sell the house."""

AT_ONCE: Final = frozenset(
    {
        "table.turn_seconds", "table.chances", "table.practice", "coins.chips",
        "web.language", "voice.on", "voice.language",
    }
)  # fmt: skip
"""What takes effect without a new start."""

CHOICES: Final[Mapping[str, Mapping[str, tuple[Any, ...]]]] = {
    "roche": {"layout": ("basic", "grand"), "deck": ("full", "red")},
    "rochi": {},
    "captains": {},
    "rugen-street": {},
    "rugen-house": {"chain_day_night": ("all", "own"), "better_half": ("day", "night")},
    "rugen-capital": {"schedule": ("low", "high")},
}
"""Game -> option -> its values, where the choice may change the house's edge."""


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
