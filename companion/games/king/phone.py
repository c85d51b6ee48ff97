"""What a player's phone may do: its own choices, the crown's business for the king, the candidate for the highest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from companion.plugins.words import View

OWN: Final[Mapping[str, frozenset[str]]] = {
    "vote": frozenset({"for"}),
    "rule": frozenset({"text", "one", "two"}),
    "guess": frozenset({"range"}),
    "bet": frozenset({"space"}),
    "buy-bonus": frozenset(),
    "use-bonus": frozenset(),
}
"""Choices of one's own, with their fields."""
_PLAIN: Final = frozenset({"do", "player"})


def phone(record: Mapping[str, Any], player: str, view: View) -> Mapping[str, Any] | None:
    """Return the command as this player's phone may give it; None where it may not."""
    verb = record.get("do")
    if isinstance(verb, str) and verb in OWN:
        is_own = record.get("player", player) == player and (_PLAIN | OWN[verb]).issuperset(record)
        return {**record, "player": player} if is_own else None
    may = {"elect": [view["king"]], "reveal": [view["king"]], "choose": view["choosing"]}.get(str(verb), ())
    return record if player in may and _PLAIN.issuperset(record) else None
