"""What to draw over the camera's picture: every card that is followed, and which of them are asked about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from companion.service.questions import Question
from companion.tracking.cards.observations import Lying, Scene
from companion.vision.draw import Mark, MarkKind


def marks_of(scene: Scene, dealt: Sequence[str], questions: Sequence[Question]) -> tuple[Mark, ...]:
    """Return a mark for every card that lies there.

    Args:
        dealt: cards in the order of the deal; each carries its number.
        questions: what is asked now; the cards they name are marked.
    """
    places = {card: i for i, card in enumerate(dealt, start=1)}
    asked = {q.card: q.kind for q in questions if q.card is not None}
    return tuple(
        mark
        for card in scene.lying
        if card.where != "covered" and card.outline is not None
        for mark in (_mark(card, places, asked),)
    )


def _mark(card: Lying, places: Mapping[str, int], asked: Mapping[str, str]) -> Mark:
    assert card.outline is not None
    name = card.id or "?"
    kind: MarkKind = "seen"
    if card.status in ("forged", "foreign", "unreadable"):
        label, kind = f"{name} {card.status}" if card.id else "unreadable", "stranger"
    elif card.twin_of is not None:
        label, kind = f"{name} twice?", "asked"
    elif name in asked:
        label, kind = f"{name} {asked[name]}?", "asked"
    elif name in places:
        label, kind = f"{places[name]}. {name}", "counted"
    elif card.status == "tag":
        label, kind = f"{name} tag", "tag"
    else:
        label = name
    return Mark(card.outline, label, kind)
