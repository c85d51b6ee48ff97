"""The current action of each button: one pure function of the table's state, for every game.

DEAL confirms, PLAY shows the next choice, FOLD passes, NEXT advances, UNDO reverts, HOLD stops the table.

In a menu, PLAY shows the next choice and DEAL takes the displayed one. Open questions take priority over the game's
menu; if a question's answers are named play and deal, each button gives its own. The menu of rare actions is opened by
an otherwise unused button and closed with NEXT.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Final

from companion.plugins.panel import (
    Answer,
    ButtonAction,
    CloseMenu,
    Do,
    Menu,
    Moment,
    OpenMenu,
    OpenQuestion,
    PanelPart,
    ShowNext,
)


@dataclass(frozen=True, slots=True)
class Cursor:
    """The displayed choice of a menu, and which menu of rare actions is open.

    Attributes:
        menu: key of the menu that ``place`` belongs to.
        place: index of the displayed choice.
        opened: key of the open menu of rare actions; '' if it is closed.
    """

    menu: str = ""
    place: int = 0
    opened: str = ""

    def at(self, menu: Menu) -> int:
        """Return the index of a menu's displayed choice; -1 if none is displayed yet."""
        return self.place % len(menu.choices) if self.menu == menu.key else menu.first

    def turned(self, menu: Menu) -> Cursor:
        """Return the cursor on the next choice."""
        return replace(self, menu=menu.key, place=(self.at(menu) + 1) % len(menu.choices))


NO_CURSOR: Final = Cursor()


def menu_of(part: PanelPart, moment: Moment, cursor: Cursor = NO_CURSOR) -> Menu | None:
    """Return the current menu, if any."""
    if moment.hold is not None:
        return None
    if moment.questions:
        return _question_menu(moment.questions)
    rare = rare_menu(part, moment) if cursor.opened else None
    if rare is not None and rare.key == cursor.opened:
        return rare
    return part.menu(moment)


def _question_menu(questions: Sequence[OpenQuestion]) -> Menu:
    """Return the menu of the first blocking question, otherwise of the first question."""
    question = next((q for q in questions if q.blocks), questions[0])
    named = zip_longest(question.choices, question.marks)
    choices = tuple((label, Answer(question.id, choice, mark)) for (choice, label), mark in named)
    return Menu(":".join(("question", question.id, *question.marks)), question.text, choices)


def rare_menu(part: PanelPart, moment: Moment) -> Menu | None:
    """Return the menu of rare actions, or None if there are none."""
    choices = tuple((label, Do(record)) for label, record in part.rare(moment))
    if not choices:
        return None
    key = f"rare:{moment.rounds}:{moment.phase}:{moment.turn}"
    return Menu(key, "What else?", choices, first=-1, is_opened=True)


# ---- the buttons


def actions_of(part: PanelPart, moment: Moment, cursor: Cursor = NO_CURSOR) -> dict[str, ButtonAction]:
    """Return the current action of each button that has one.

    Args:
        part: the game's part of the panel.
        cursor: the displayed choice.
    """
    if moment.hold is not None:
        return _undo(moment) | {"hold": ButtonAction("go on", Do({"do": "release"}))}
    hold = {"hold": ButtonAction("hold the table", Do({"do": "hold"}))} if "hold" in moment.expected else {}
    always = _undo(moment) | hold
    menu = menu_of(part, moment, cursor)
    if menu is not None and menu.is_opened:
        return always | _choosing(menu, cursor) | {"next": ButtonAction("back", CloseMenu())}
    found = {**part.buttons(moment), **({} if menu is None else _choosing(menu, cursor))}
    return always | _rare_button(part, moment, found) | found


def _rare_button(part: PanelPart, moment: Moment, found: Mapping[str, ButtonAction]) -> dict[str, ButtonAction]:
    """Assign the menu of rare actions to a free button, unless a question or a card is pending."""
    button = next((name for name in part.menu_buttons(moment) if name not in found), None)
    if button is None or moment.questions or moment.waits_for or rare_menu(part, moment) is None:
        return {}
    return {button: ButtonAction("more", OpenMenu())}


def _undo(moment: Moment) -> dict[str, ButtonAction]:
    """Return the undo of the latest command shown; refused if another command arrives first, even during the hold."""
    if "undo" not in moment.expected:
        return {}
    return {"undo": ButtonAction(f"undo {moment.undo}", Do({"do": "undo", "whole": True}, after=moment.seq))}


def _choosing(menu: Menu, cursor: Cursor) -> dict[str, ButtonAction]:
    """Return the actions of DEAL and PLAY in a menu."""
    by_name = {act.choice: (label, act) for label, act in menu.choices if isinstance(act, Answer)}
    if {"play", "deal"} <= set(by_name):
        return {name: ButtonAction(*by_name[name]) for name in ("deal", "play")}
    place = cursor.at(menu)
    found = {"deal": ButtonAction(*menu.choices[place])} if place >= 0 else {}
    if len(menu.choices) > 1 or place < 0:
        found["play"] = ButtonAction("another" if place >= 0 else menu.hint, ShowNext())
    return found
