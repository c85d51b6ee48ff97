"""Snapshot of this table for the floor's pages, sent between journal entries: only the latest, never an older one."""

from collections.abc import Callable, Mapping
from typing import Final

from companion.app.integrations.public_events import PublicEventJson
from companion.app.integrations.public_snapshot import PublicSnapshot
from companion.kernel.messages import Message

APART_S: Final = 1.0
"""Shortest time between snapshots; those in between are dropped."""
MAX_PLAYERS: Final = 100
"""Most players a floor accepts in a snapshot; the totals include all."""
Shown = Mapping[str, object]


class SnapshotFeed:
    """Holds the latest snapshot for the sender thread; a listener of the table's public state.

    Args:
        title_of: returns a game's title.
        refused: returns why the floor's newest prices cannot apply at this table; None if they can.
    """

    def __init__(self, title_of: Callable[[str], str], refused: Callable[[], str | None] = lambda: None) -> None:
        self._title_of, self._refused = title_of, refused
        self._picture: PublicSnapshot | None = None

    def show(self, picture: PublicSnapshot) -> None:
        """Replace the snapshot."""
        self._picture = picture

    def on_event(self, happened: PublicEventJson) -> None:
        """Ignored: the floor reads events from the entries."""

    def latest(self) -> Shown | None:
        """Return the latest snapshot; None before the first."""
        picture = self._picture
        if picture is None:
            return None
        shown, refused = shown_of(picture, self._title_of(picture.state["game"])), self._refused()
        if refused is None:
            return shown
        return {**shown, "prices_refused": refused[:1000], "prices_said": said_of(refused)}


def shown_of(picture: PublicSnapshot, title: str) -> Shown:
    """Return the part of a table's public state that the pit watches."""
    state, health = picture.state, picture.health
    shown = state["players"][:MAX_PLAYERS]
    players = [{"name": one["name"], "coins": one["coins"], "staked": one["staked"]} for one in shown]
    return {
        "game": state["game"], "title": title, "seq": state["seq"], "rounds": state["rounds"], "phase": state["phase"],
        "players": players, "in_play": state["in_play"], "on_table": state["on_table"], "house": state["house"],
        "hold": None if state["hold"] is None else str(state["hold"])[:1000], "hold_said": _said(picture.held),
        "hold_told": said_of(picture.held),
        "disputed": "payout" in picture.alarm["alarms"], "asked_since": picture.question["since"],
        "camera": health["camera"], "panel": health["panel"], "disk": health["disk"], "journal": health["journal"],
        "behind_s": health["behind_s"],
    }  # fmt: skip


def _said(text: str | None) -> Mapping[str, object] | None:
    """Return a hold's message like `said_of`, without nested messages, which older floors reject."""
    is_plain = (
        isinstance(text, Message)
        and text.plural is None
        and not any(isinstance(value, Message) for value in text.values.values())
    )
    return said_of(text) if is_plain else None


def said_of(text: str | None) -> Mapping[str, object] | None:
    """Return a message in wire format, so that the pit reads it in its own language; None for other texts.

    A counted message is named by its plural form: older floors do not know those and show the English text, never the
    singular for three cards.
    """
    return _told(text) if isinstance(text, Message) and _is_sendable(text) else None


def _told(text: Message) -> Mapping[str, object]:
    values = {slot: _told(value) if isinstance(value, Message) else value for slot, value in text.values.items()}
    return {"say": text.key if text.plural is None else text.plural, "with": values}


def _is_sendable(text: Message) -> bool:
    """Return whether its values are only texts and integers."""
    return all(
        _is_sendable(value) if isinstance(value, Message) else type(value) in (str, int)
        for value in text.values.values()
    )
