"""Evidence of open questions and disputed payouts, sent to the pit on request.

It contains what the recall page shows to everybody at the table: hidden cards only once they are revealed.
"""

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from companion.app.floor.snapshot_feed import said_of
from companion.journal.evidence import CHANGED, ChangedEvidence, EvidenceRing, NoEvidence
from companion.journal.history.hand_history import Step
from companion.journal.history.settlements import Settlement
from companion.kernel.messages import Message, Words
from companion.kernel.table import is_disputed
from companion.plugins.perception import CardPerception
from companion.service.table_service import TableService

MAX_PICTURES: Final = 12
LONGEST_PICTURE: Final = 80_000
MAX_BYTES: Final = 600_000
"""Size limit of all images together, before encoding."""
MAX_MESSAGES: Final = 150
"""Most messages sent in translatable form."""
_FACTS: Final = ("id", "deck", "status", "votes", "rest_s", "confidence", "likely", "margin", "trouble", "at")


class _Teller:
    """Truncates texts to what may be sent, and collects the messages behind them."""

    def __init__(self) -> None:
        self.said: dict[str, Mapping[str, object]] = {}

    def __call__(self, text: Words) -> str:
        cut = str(text)[:600]
        told = said_of(_alone(text)) if cut == text and len(self.said) < MAX_MESSAGES else None
        if told is not None:
            self.said[cut] = told
        return cut


def _alone(text: Words) -> Words:
    """Return the message of a step that consists of a single one: floors accept only limited nesting."""
    inner = text.values.get("item0") if isinstance(text, Message) and text.key == "{item0}" else None
    return inner if isinstance(inner, Message) else text


def dossier(table: TableService, pictures: EvidenceRing) -> dict[str, Any]:
    """Return the table's open questions and disputes, JSON-ready and bounded in size."""
    tell = _Teller()
    view = table.view("dealer")
    hold = view["hold"]
    is_secret = _is_secret(table, view["game"])
    hand = next(iter(table.history.hands(1)), None)
    steps: Sequence[Step] = ()
    settled: Mapping[int, Settlement] = {}
    if hand is not None:
        named = hand["session"], hand["number"]
        steps, settled = table.history.steps(*named) or (), table.history.settlements(*named)
    said: dict[int, Words] = {step.seq: step.sentence for step in steps}
    return {
        "seq": view["seq"],
        "round": "" if hand is None else f"{hand['game']} {hand['number']}",
        "hold": None if hold is None else tell(hold),
        "disputed": is_disputed(hold),
        "questions": [_question(one, tell, is_secret=is_secret) for one in view.get("questions", ())[:20]],
        "settlements": [_settled(seq, said.get(seq, ""), one, tell) for seq, one in list(settled.items())[-20:]],
        "pictures": [] if is_secret else list(_seen(steps, pictures, tell))[::-1],
        "said": tell.said,
    }


def _is_secret(table: TableService, game: str) -> bool:
    """Return whether a card may be secret; then neither question texts nor images leave the table."""
    plugin = table.games[game]
    seen = plugin.perception
    return bool(plugin.rules.secret) or (isinstance(seen, CardPerception) and seen.is_secret)


def _question(asked: Mapping[str, Any], tell: _Teller, *, is_secret: bool) -> dict[str, Any]:
    if is_secret:
        return {"kind": str(asked["kind"])[:80], "text": "", "choices": []}
    labels = [tell(one["label"]) for one in asked["choices"][:20]]
    return {"kind": str(asked["kind"])[:80], "text": tell(asked["text"]), "choices": labels}


def _settled(seq: int, said: Words, one: Settlement, tell: _Teller) -> dict[str, Any]:
    lines = [{"account": str(account)[:80], "first": first, "second": second} for account, first, second in one.rows]
    return {"seq": seq, "text": tell(said), "differences": [tell(text) for text in one.differences[:40]],
            "lines": lines[:100]}  # fmt: skip


def _seen(steps: Sequence[Step], pictures: EvidenceRing, tell: _Teller) -> Iterator[dict[str, Any]]:
    """Yield the latest images, newest first, up to the size limit."""
    left, count = MAX_BYTES, 0
    for step in reversed(steps):
        told = step.record.get("data")
        name = step.evidence or (told.get("evidence") if isinstance(told, Mapping) else None)
        if not isinstance(name, str):
            continue
        try:
            exhibit = pictures.get(name)
            facts, jpeg = exhibit.facts, exhibit.jpeg
        except ChangedEvidence:
            facts, jpeg = {"trouble": CHANGED}, b""
        except NoEvidence:
            facts, jpeg = {}, b""
        fits = 0 < len(jpeg) <= min(LONGEST_PICTURE, left)
        left -= len(jpeg) if fits else 0
        yield {
            "seq": step.seq, "text": tell(step.sentence), "is_undone": step.is_undone, "facts": _facts(facts),
            "jpeg": base64.b64encode(jpeg).decode() if fits else None,
        }  # fmt: skip
        count += 1
        if count == MAX_PICTURES:
            return


def _facts(facts: Mapping[str, Any]) -> dict[str, str]:
    """Return an image's reading: value, number of votes, confidence, and alternatives."""
    found = {key: facts[key] for key in _FACTS if facts.get(key) not in (None, "", [])}
    return {key: (f"{one:.4f}" if isinstance(one, float) else str(one))[:80] for key, one in found.items()}
