"""What stands behind a payout beside its price: the exact chance that the bet had, and what the camera saw."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from companion.journal.history.hand_history import HandHistory
from companion.kernel.game import Game
from companion.odds.live import odds_of

RULES: Final = ("layout", "deck", "chain_day_night", "better_half")
"""What of a view says by which rules the chances are counted."""


def chances_before(rules: Game[Any], view: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return each bet's exact chance before the first card or throw: spot -> probability as "p/q" and as a number."""
    return _chances(rules, tuple((name, view[name]) for name in RULES if view.get(name) is not None))


@cache
def _chances(rules: Game[Any], options: tuple[tuple[str, Any], ...]) -> dict[str, dict[str, Any]]:
    state = rules.start((), dict(options))
    return {line["on"]: {key: line[key] for key in ("probability", "float")} for line in odds_of(state)}


def seen(history: HandHistory, session: int, number: int) -> list[dict[str, Any]]:
    """Return the pictures of what counted in a hand: entry, evidence's name, and the card or face read there."""
    found = []
    for step in history.steps(session, number) or ():
        shown = next((step.record[key] for key in ("card", "face", "d20") if step.record.get(key) is not None), None)
        if step.evidence and shown is not None and not step.is_undone:
            found.append({"seq": step.seq, "name": step.evidence, "shown": str(shown)})
    return found
