"""``/history/recall``: the last rounds and the open one, with all evidence behind them, on one page."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, Final

from flask import Blueprint, current_app, render_template

from companion.journal.evidence import ChangedEvidence, EvidenceRing, NoEvidence
from companion.journal.history.hand_history import HandJson, Step
from companion.journal.history.settlements import Settlement, sums_by_kind
from companion.kernel.accounts import Account, Kind
from web_ui.access.rights import service
from web_ui.figures import number
from web_ui.game_pages import round_title, spot_words
from web_ui.languages import language, said
from web_ui.pages.history.hands import base_of, decision, reading
from web_ui.pages.history.parties import who
from web_ui.strings import catalogue, text

ROUNDS: Final = 10
"""Decided rounds shown, besides the one in progress."""
_PLACES: Final = 2
"""Decimal places of a confidence."""

blueprint = Blueprint("recall", __name__)


@dataclass(frozen=True, slots=True)
class Seen:
    """A camera image with its reading."""

    seq: int
    name: str
    sentence: str
    is_undone: bool
    facts: Mapping[str, Any]
    "Empty if the image has been deleted."


@dataclass(frozen=True, slots=True)
class Recalled:
    """A round as shown on the page."""

    hand: HandJson
    title: str
    base: str
    said: str
    seen: list[Seen]
    settlements: dict[int, Settlement]
    sentences: Mapping[int, str]

    @property
    def is_agreed(self) -> bool:
        """Whether both settlements agree wherever both exist."""
        return not any(one.differences for one in self.settlements.values())


@blueprint.get("/history/recall")
def show() -> str:
    waiting = reading()
    if waiting is not None:
        return waiting
    found = service().history.hands(ROUNDS + 1)
    is_open = bool(found) and found[0]["decided"] is None
    ledger, exhibits = service().ledger, _exhibits()
    return render_template(
        "recall.html",
        rounds=[_recalled(hand, exhibits) for hand in found[: ROUNDS + is_open]],
        sums=sums_by_kind(ledger),
        total=ledger.total,
        held=exhibits.held() if exhibits else None,
        exhibits=exhibits,
        who=_who,
        shown=_shown,
    )


def _exhibits() -> EvidenceRing | None:
    found: EvidenceRing | None = current_app.extensions["exhibits"]
    return found


def _recalled(hand: HandJson, exhibits: EvidenceRing | None) -> Recalled:
    history, named = service().history, (hand["session"], hand["number"])
    steps = history.steps(*named) or ()
    seen = [one for step in steps if (one := _seen(step, exhibits)) is not None]
    title = round_title(hand["game"], hand["number"])
    sentences = {step.seq: step.sentence for step in steps}
    return Recalled(hand, title, base_of(hand), decision(hand), seen, history.settlements(*named), sentences)


def _seen(step: Step, exhibits: EvidenceRing | None) -> Seen | None:
    """Return the image of a step: of what was played, or of what was only reported, such as a foreign card."""
    told = step.record.get("data")
    name = step.evidence or (told.get("evidence") if isinstance(told, Mapping) else None)
    if not isinstance(name, str) or exhibits is None:
        return None
    try:
        facts = exhibits.get(name).facts
    except ChangedEvidence as error:
        facts = {"trouble": said(error.message)}
    except NoEvidence:
        facts = {}
    return Seen(step.seq, name, step.sentence, step.is_undone, facts)


def _shown(facts: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the figures of a reading: value, number of votes, confidence, and alternatives.

    A signed code is either valid or not; its margin is the number of agreeing frames and the card's size in them. The
    time of reading is shown if it is impossible.
    """
    words, spoken = catalogue(language(), "history"), language()
    told = {"id": facts.get("id"), "at": _future(facts.get("at")), "status": facts.get("status")}
    told |= {"votes": facts.get("votes")}
    told |= {"rest_s": _written(facts.get("rest_s"), _PLACES), "px": _pixels(facts.get("outline"))}
    told |= {"confidence": _written(facts.get("confidence"), _PLACES + 2)}
    told |= {"likely": ", ".join(map(str, facts.get("likely") or ())), "trouble": facts.get("trouble")}
    return [
        (words.get(f"fact_{key}") or text(f"fact_{key}", spoken), words.get(f"fact_{key}_{value}") or str(value))
        for key, value in told.items()
        if value
    ]


def _written(value: Any, digits: int) -> str | None:
    """Return a localized measurement."""
    return None if value is None else number(float(value), digits)


def _future(at: Any) -> str | None:
    """Return a time if it is in the future, else None."""
    with suppress(TypeError, ValueError):
        if datetime.fromisoformat(at) > datetime.now(UTC):
            return f"{datetime.fromisoformat(at):%Y-%m-%d %H:%M} UTC"
    return None


def _pixels(outline: Any) -> str | None:
    """Return the length of a card's short side, in pixels."""
    try:
        points = [complex(*point) for point in outline]
    except TypeError:
        return None
    return f"{min(abs(a - b) for a, b in pairwise(points)):.0f}" if len(points) > 1 else None


def _who(account: Account, game: str) -> str:
    if account.kind is Kind.STAKE:
        return f"{account.name}: {spot_words(game, account.on)}"
    return who(account.label)
