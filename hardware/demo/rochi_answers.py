"""How a careful dealer, who knows what really happened on the demo table, answers the companion's questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hardware.demo.rochi_follow import open_in, open_on
from hardware.demo.rochi_seen import Awaited
from hardware.demo.rochi_table import DemoRochiTable

View = Mapping[str, Any]


def answer_to(question: View, view: View, table: DemoRochiTable, awaited: Sequence[Awaited]) -> str | None:
    """Return the choice that is true, None where nothing fits: then hands mend the table and the question goes."""
    choices = {choice["id"] for choice in question["choices"]}
    mine = next((a for a in awaited if a.record.get("card") == question.get("card") and not a.is_wrong), None)
    if mine is not None:
        verb = mine.record["do"]
        return next((choice for choice in (verb, "count", "yes", "approve") if choice in choices), None)
    card = question.get("card")
    if card in open_in(view) and card not in open_on(table):  # pocketed: it still counts
        return next((choice for choice in ("keep", "counts", "leave") if choice in choices), None)
    return None
