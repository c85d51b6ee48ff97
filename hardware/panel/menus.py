"""What can be chosen from with three buttons: open questions, and what the game asks for or has besides.

PLAY shows the next choice, DEAL takes the one that is shown. A menu that the table waits for is open by itself; the
one of rare things is opened by a button, and NEXT leaves it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from companion.plugins.panel import Answer, Asked, Do, Menu, Moment, PanelPart


@dataclass(frozen=True, slots=True)
class Cursor:
    """Which choice of which menu is shown, and which menu of rare things is open. Another menu's points nowhere."""

    menu: str = ""
    place: int = 0
    opened: str = ""

    def at(self, menu: Menu) -> int:
        """Return the place that is shown in a menu."""
        return self.place % len(menu.choices) if self.menu == menu.key else menu.first

    def turned(self, menu: Menu) -> Cursor:
        """Return the cursor on the next choice."""
        return replace(self, menu=menu.key, place=(self.at(menu) + 1) % len(menu.choices))


NOWHERE: Final = Cursor()


def menu_of(part: PanelPart, moment: Moment, cursor: Cursor = NOWHERE) -> Menu | None:
    """Return what is to be chosen now, if anything."""
    if moment.hold is not None:
        return None
    if moment.questions:
        return _question_menu(moment.questions)
    rare = rare_menu(part, moment) if cursor.opened else None
    if rare is not None and rare.key == cursor.opened:
        return rare
    return part.menu(moment)


def _question_menu(questions: Sequence[Asked]) -> Menu:
    """The question that keeps the table waiting comes first."""
    question = next((q for q in questions if q.blocks), questions[0])
    choices = tuple((label, Answer(question.id, choice)) for choice, label in question.choices)
    return Menu(f"question:{question.id}", question.text, choices)


def rare_menu(part: PanelPart, moment: Moment) -> Menu | None:
    """Return what can be done besides, if anything."""
    choices = tuple((label, Do(record)) for label, record in part.rare(moment))
    if not choices:
        return None
    key = f"rare:{moment.rounds}:{moment.phase}:{moment.turn}"
    return Menu(key, "What else?", choices, first=-1, is_opened=True)
