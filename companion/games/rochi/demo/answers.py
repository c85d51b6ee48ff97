"""How a careful dealer, who knows what really happened on the demo table, answers the companion's questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from companion.games.rochi.demo.moves import seats_of
from companion.games.rochi.demo.seen import Awaited
from companion.games.rochi.demo.table import DemoRochiTable

View = Mapping[str, Any]

_IT_COUNTS: Final = ("here", "approve", "again")


def answer_to(question: View, view: View, table: DemoRochiTable, awaited: Sequence[Awaited]) -> str | None:
    """Return the choice that is true, None where nothing fits: then hands mend the table and the question goes."""
    choices = {choice["id"] for choice in question["choices"]}
    for mine in awaited:
        if mine.is_wrong or mine.record.get("card") not in (question.get("card"), *choices):
            continue
        found = next((way for way in _true_ways(mine, view) if way in choices), None)
        if found is not None:
            return found
    return None


def _true_ways(mine: Awaited, view: View) -> Iterator[str]:
    """Yield how the ids of choices may call what was really done, the most exact first."""
    verb, card = mine.record["do"], mine.record["card"]
    seat = seats_of(view).get(view.get("turn") or "")
    yield f"{verb}{seat}"
    yield verb
    yield card
    yield from _IT_COUNTS
