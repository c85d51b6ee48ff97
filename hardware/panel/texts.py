"""Text on a small display: two lines, paged where the text is longer. Pure."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Final

from companion.kernel.messages import Message, linked, message
from companion.plugins.panel import ButtonAction, Menu, Moment
from hardware.panel.button_actions import Cursor
from hardware.panel.debouncer import Together

PAGE_S: Final = 1.8
NAMES: Final = {"deal": "DEAL", "play": "PLAY", "fold": "FOLD", "undo": "UNDO", "next": "NEXT", "hold": "HOLD"}


def pages(text: str, columns: int) -> tuple[str, ...]:
    """Wrap a text into display lines, between words if possible; at least one line.

    >>> pages("Deal the next card", 10)
    ('Deal the', 'next card')
    """
    return tuple(textwrap.wrap(plain(text), columns)) or ("",)


def plain(text: str) -> str:
    """Convert a text to ASCII, the character set of the displays.

    >>> plain("3 × 4 – “so”")
    '3 x 4 - "so"'
    """
    return text.translate(_PLAIN).encode("ascii", "replace").decode()


_PLAIN: Final = str.maketrans({"×": "x", "–": "-", "—": "-", "“": '"', "”": '"', "’": "'", "…": "..", "→": ">"})


def screen(
    moment: Moment,
    menu: Menu | None,
    cursor: Cursor,
    actions: Mapping[str, ButtonAction],
    own_text: str | None,
    columns: int,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the pages of the upper and the lower line.

    Args:
        menu: the current menu, if any.
        own_text: the panel's own message, if any; it takes priority.
        columns: width of the display.
    """
    if own_text is not None:
        both = pages(own_text, columns)
        return both[::2], both[1::2] or ("",)
    return pages(_title(moment, menu, cursor), columns), pages(_help(moment, actions), columns)


def _title(moment: Moment, menu: Menu | None, cursor: Cursor) -> str:
    if moment.trouble:
        return moment.trouble
    if moment.hold is not None:
        return f"On hold: {moment.hold}"
    if menu is not None and menu.is_opened and cursor.at(menu) < 0:
        return "What else? PLAY shows it, NEXT goes back"
    return moment.prompt if menu is None or menu.first < 0 else menu.title


def _help(moment: Moment, actions: Mapping[str, ButtonAction]) -> str:
    """Return the active buttons with their actions.

    UNDO and HOLD are nearly always active and shown only by their lamps, except that HOLD is listed during a hold.
    """
    counts = ("hold",) if moment.hold is not None else ("deal", "play", "fold", "next")
    shown = [name for name in counts if name in actions]
    return "  ".join(f"{NAMES[name]}: {actions[name].label}" for name in shown)


def page_at(lines: Sequence[str], t: float) -> str:
    """Return the page displayed ``t`` seconds after the text appeared.

    >>> page_at(("a", "b"), 2.0), page_at(("a",), 2.0)
    ('b', 'a')
    """
    return lines[int(t / PAGE_S) % len(lines)]


def together_words(what: Together) -> Message:
    """Return the message about buttons pressed together.

    >>> together_words(Together(("deal", "play")))
    'DEAL and PLAY were pressed together, so neither counts. Press one.'
    """
    names = linked([NAMES[button] for button in what.buttons])
    if what.counted is not None:
        return message(
            "{buttons} were pressed together; only {button} counts.", buttons=names, button=NAMES[what.counted]
        )
    if len(what.buttons) == 2:
        return message("{buttons} were pressed together, so neither counts. Press one.", buttons=names)
    return message("{buttons} were pressed together, so none counts. Press one.", buttons=names)
