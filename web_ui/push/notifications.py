"""Push notifications for players: it is their turn, or a decision paid them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from companion.journal.hash_chain import EntryJson
from companion.journal.history.results import decision_among
from companion.service.snapshot import RoomView

Kind = Literal["turn", "won"]


@dataclass(frozen=True, slots=True)
class PlayerNotification:
    """A notification for one player. ``coins``: their winnings."""

    player: str
    kind: Kind
    coins: int = 0


def turn_notifications(before: RoomView | None, after: RoomView) -> tuple[PlayerNotification, ...]:
    """Return a notification if a turn has begun; none while the table is on hold, or just after the start."""
    if before is None or after["hold"] is not None:
        return ()
    now = after.get("turn")
    return (PlayerNotification(now, "turn"),) if now is not None and now != before.get("turn") else ()


def win_notifications(entries: Sequence[EntryJson]) -> tuple[PlayerNotification, ...]:
    """Return the winners' notifications for decisions in these entries, except those undone within them."""
    told: list[tuple[PlayerNotification, ...]] = []
    for entry in entries:
        verb = entry["record"].get("do")
        if verb == "undo" and told:
            told.pop()
        elif verb is not None and verb != "redo":
            decision = decision_among(entry["events"])
            gains = decision["gains"] if decision is not None else {}
            told.append(tuple(PlayerNotification(name, "won", coins) for name, coins in gains.items() if coins > 0))
    return tuple(news for some in told for news in some)
