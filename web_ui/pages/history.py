"""``/history``: the decided rounds and the journal, page by page."""

from __future__ import annotations

from typing import Final

from flask import Blueprint, current_app, render_template, request

from companion.chain import sentences
from web_ui.rights import is_dealer, service
from web_ui.rounds import Rounds

ROUNDS_A_PAGE: Final = 10
ENTRIES_A_PAGE: Final = 50

blueprint = Blueprint("history", __name__)


@blueprint.get("/history")
def show() -> str:
    page = max(request.args.get("page", 0, type=int), 0)
    rounds: Rounds = current_app.extensions["rounds"]
    decided, count = rounds.latest(page, ROUNDS_A_PAGE)
    return render_template("history.html", rounds=decided, page_number=page, pages=-(-count // ROUNDS_A_PAGE))


@blueprint.get("/history/log")
def log() -> str:
    """The journal as sentences, the newest first; ``before`` pages back."""
    newest = service().view("room")["seq"]
    before = min(max(request.args.get("before", newest + 1, type=int), 1), newest + 1)
    first = max(before - 1 - ENTRIES_A_PAGE, 0)
    viewer = "dealer" if is_dealer() else "room"
    entries = [entry for entry in service().events(first, ENTRIES_A_PAGE, viewer) if entry["seq"] < before]
    lines = [_line(entry) for entry in reversed(entries) if sentences(entry)]
    older = first + 1 if first else None
    newer = min(before + ENTRIES_A_PAGE, newest + 1) if before <= newest else None
    return render_template("log.html", entries=lines, older=older, newer=newer)


def _line(entry: dict[str, object]) -> dict[str, object]:
    return {"seq": entry["seq"], "at": entry["at"], "source": entry.get("source") or "", "said": sentences(entry)}
