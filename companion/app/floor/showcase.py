"""What the floor's page is shown of this table between its entries: the latest public picture, and no older one."""

from collections.abc import Callable, Mapping
from typing import Final

from companion.app.outside.happenings import HappeningJson
from companion.app.outside.picture import Picture
from companion.kernel.messages import Message

APART_S: Final = 1.0
"""Pictures that follow one another sooner are one."""
MOST_PLAYERS: Final = 100
"""A floor takes no picture with more; the sums are those of all."""
Shown = Mapping[str, object]


class Showcase:
    """Holds the latest picture for the thread that sends it; listens to what is told outside.

    Args:
        title_of: returns a game's title.
        refused: returns why the floor's newest prices cannot hold at this table; None if they can.
    """

    def __init__(self, title_of: Callable[[str], str], refused: Callable[[], str | None] = lambda: None) -> None:
        self._title_of, self._refused = title_of, refused
        self._picture: Picture | None = None

    def show(self, picture: Picture) -> None:
        """Take what is so now."""
        self._picture = picture

    def tell(self, happened: HappeningJson) -> None:
        """What happens is in the entries."""

    def latest(self) -> Shown | None:
        """Return what the floor is to show; None before the first picture."""
        picture = self._picture
        if picture is None:
            return None
        shown, refused = shown_of(picture, self._title_of(picture.state["game"])), self._refused()
        if refused is None:
            return shown
        return {**shown, "prices_refused": refused[:1000], "prices_said": said_of(refused)}


def shown_of(picture: Picture, title: str) -> Shown:
    """Return the part of a table's public picture that the pit watches."""
    state, health = picture.state, picture.health
    shown = state["players"][:MOST_PLAYERS]
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
    """Return a hold's sentence as `said_of` does; a floor of an older version takes none with others in it."""
    is_plain = (
        isinstance(text, Message)
        and text.plural is None
        and not any(isinstance(value, Message) for value in text.values.values())
    )
    return said_of(text) if is_plain else None


def said_of(text: str | None) -> Mapping[str, object] | None:
    """Return one of the program's own sentences so that the pit reads it in its own language; None for other texts.

    What counts something is named by its form for several: a floor of an older version, which knows none of these,
    then shows the English text, and never the form for one of three cards.
    """
    return _told(text) if isinstance(text, Message) and _is_sendable(text) else None


def _told(text: Message) -> Mapping[str, object]:
    values = {slot: _told(value) if isinstance(value, Message) else value for slot, value in text.values.items()}
    return {"say": text.key if text.plural is None else text.plural, "with": values}


def _is_sendable(text: Message) -> bool:
    """Say whether nothing but words and whole numbers stands in it."""
    return all(
        _is_sendable(value) if isinstance(value, Message) else type(value) in (str, int)
        for value in text.values.values()
    )
