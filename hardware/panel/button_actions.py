"""What each button would do now: one pure function of the view, for every game.

DEAL confirms, PLAY turns to the next choice, FOLD passes, NEXT goes on, UNDO takes back, HOLD stops the table. A
question comes first: DEAL gives the answer that is shown, PLAY shows the next one; where the answers are themselves
called play and deal, each button gives its own. A button that is free opens the menu of rare things.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from hardware.panel.menus import (
    NOWHERE,
    Act,
    Answer,
    Back,
    Cursor,
    Do,
    Finish,
    Intend,
    Menu,
    Open,
    Turn,
    View,
    menu_of,
    rare_menu,
)


@dataclass(frozen=True, slots=True)
class Duty:
    """What a button would do: in a few words for the display, and what exactly.

    ``is_chosen``: it has been pressed and waits for the camera; its lamp blinks.
    """

    label: str
    act: Act
    is_chosen: bool = False


def duties(view: View, cursor: Cursor = NOWHERE) -> dict[str, Duty]:
    """Return what each button would do; one that would do nothing is not there.

    Args:
        view: the dealer's (`companion.service.table_service.TableService.glance`).
        cursor: which choice is shown.
    """
    if view["hold"] is not None:
        return _undo(view) | {"hold": Duty("go on", Do({"do": "release"}))}
    always = _undo(view) | _hold(view)
    menu = menu_of(view, cursor)
    if menu is not None and menu.is_opened:
        return always | _choosing(menu, cursor) | {"next": Duty("back", Back())}
    found = _of_game(view) if menu is None else _of_game(view) | _choosing(menu, cursor)
    return always | _rare_button(view, found) | found


def _rare_button(view: View, found: Mapping[str, Duty]) -> dict[str, Duty]:
    """The menu of rare things is opened by a button that is free for it, while nothing is asked or under way."""
    button = next((name for name in _free_buttons(view) if name not in found), None)
    is_busy = (
        view.get("questions")
        or (view.get("turn") and any(view["done"].values()))
        or view.get("sight", {}).get("waits_for")
    )
    if button is None or is_busy or rare_menu(view) is None:
        return {}
    return {button: Duty("more", Open())}


def _free_buttons(view: View) -> tuple[str, ...]:
    """Which buttons may open the menu: at the Rochi tables PLAY between hands, NEXT in a hand."""
    if "done" not in view:
        return "fold", "play"
    return ("next",) if view["turn"] or view["phase"] == "seeding" else ("play",)


def _undo(view: View) -> dict[str, Duty]:
    """The press names what it takes back: what comes in between, even while the finger is down, is not undone."""
    if "undo" not in view["expected"]:
        return {}
    only = {"number": view["commands"], **(view["undoes"] or {})}
    return {"undo": Duty(f"undo {view['undo']}", Do({"do": "undo", "only": only}))}


def _hold(view: View) -> dict[str, Duty]:
    return {"hold": Duty("hold the table", Do({"do": "hold"}))} if "hold" in view["expected"] else {}


def _choosing(menu: Menu, cursor: Cursor) -> dict[str, Duty]:
    """DEAL and PLAY while something is to be chosen."""
    by_name = {act.choice: (label, act) for label, act in menu.choices if isinstance(act, Answer)}
    if {"play", "deal"} <= set(by_name):
        return {name: Duty(*by_name[name]) for name in ("deal", "play")}
    place = cursor.at(menu)
    found = {"deal": Duty(*menu.choices[place])} if place >= 0 else {}
    if len(menu.choices) > 1 or place < 0:
        first = "show it" if menu.is_opened else "say the face"
        found["play"] = Duty("another" if place >= 0 else first, Turn())
    return found


# ---- games


def _of_game(view: View) -> dict[str, Duty]:
    game = _GAMES.get(view["game"])
    return {} if game is None else game(view)


Wanted = Mapping[str, tuple[str, str, Mapping[str, Any]]]
"""Button -> verb, label and the command's further fields."""


def _only(view: View, wanted: Wanted) -> dict[str, Duty]:
    """Keep what can be done now."""
    expected = view["expected"]
    return {
        button: Duty(label, Do({"do": verb, **more}))
        for button, (verb, label, more) in wanted.items()
        if verb in expected
    }


def _roche(view: View) -> dict[str, Duty]:
    is_over = view["phase"] == "settled"
    following = ("new-round", "new round") if is_over else ("no-more-bets", "no more bets")
    return _only(view, {"next": (*following, {}), "fold": ("burn", "burn a card", {"count": 1})})


def _rochi(view: View) -> dict[str, Duty]:
    if view["phase"] == "between-hands":
        return _only(view, {"next": ("next-hand", "next hand", {}), "fold": ("last-hand", "call last hand", {})})
    if view["phase"] == "finished":
        return _only(view, {"next": ("new-game", "new game", {})})
    return _card_buttons(view) | _ends_of_turn(view, "fold")


def _captains(view: View) -> dict[str, Duty]:
    if "new-game" in view["expected"]:
        ante = len(view["pots"])
        is_payable = all(player["coins"] >= ante for player in view["players"])
        return _only(view, {"next": ("new-game", "new game", {})}) if is_payable else {}
    return _card_buttons(view) | _ends_of_turn(view, "pass")


def _ends_of_turn(view: View, giving_up: str) -> dict[str, Duty]:
    """NEXT after something was done, else FOLD: each names the player, so that it never hits the one who follows.

    A card that lies there undecided was played or dealt: it counts first.
    """
    whose: Mapping[str, Any] = {"player": view["turn"]}
    has_acted = view["done"]["play"] or view["done"]["deal"]
    if view["phase"] == "turns" and view.get("sight", {}).get("waits_for"):
        card_is = "deal" if "deal" in view["expected"] else "play"
        return {"next": Duty("end the turn", Finish({"do": "end", **whose}, card_is))}
    if has_acted:
        return _only(view, {"next": ("end", "end the turn", whose)})
    return _only(view, {"fold": (giving_up, giving_up, whose)})


def _card_buttons(view: View) -> dict[str, Duty]:
    """PLAY and DEAL say what the next card will be."""
    labels = {"play": "the next card is played", "deal": "the next card is dealt"}
    return {
        verb: Duty(label, Intend(verb, view["turn"]), is_chosen=view.get("intention") == verb)
        for verb, label in labels.items()
        if verb in view["expected"]
    }


def _rugen(view: View) -> dict[str, Duty]:
    return _only(view, {"next": ("close", "no more bets", {})})


_GAMES: Final[Mapping[str, Callable[[View], dict[str, Duty]]]] = {
    "roche": _roche,
    "rochi": _rochi,
    "captains": _captains,
    "rugen-street": _rugen,
    "rugen-house": _rugen,
    "rugen-capital": _rugen,
}
