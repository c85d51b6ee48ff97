"""What each button would do now: one pure function of the view, for every game.

DEAL confirms, PLAY turns to the next choice, FOLD passes, NEXT goes on, UNDO takes back, HOLD stops the table. A
question comes first: DEAL gives the answer that is shown, PLAY shows the next one; where the answers are themselves
called play and deal, each button gives its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from companion.cards import SUIT_NAMES
from companion.dice import RUGEN_FACES
from companion.games.rugen_prices import STREET_UNIT

View = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Do:
    """Play a command."""

    record: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Intend:
    """Say what the next card will be: ``play`` or ``deal``."""

    what: str


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer an open question."""

    question: str
    choice: str


@dataclass(frozen=True, slots=True)
class Turn:
    """Show the next choice of the menu."""


Act = Do | Intend | Answer | Turn


@dataclass(frozen=True, slots=True)
class Duty:
    """What a button would do: in a few words for the display, and what exactly.

    ``is_chosen``: it has been pressed and waits for the camera; its lamp blinks.
    """

    label: str
    act: Act
    is_chosen: bool = False


@dataclass(frozen=True, slots=True)
class Menu:
    """Something to choose from, one choice after another.

    ``key`` stays the same while the same is to be chosen; ``first`` is the place shown at the start, -1 for none.
    """

    key: str
    title: str
    choices: tuple[tuple[str, Act], ...]
    first: int = 0


@dataclass(frozen=True, slots=True)
class Cursor:
    """Which choice of which menu is shown. One of another menu points nowhere."""

    menu: str = ""
    place: int = 0

    def at(self, menu: Menu) -> int:
        """Return the place that is shown in a menu."""
        return self.place % len(menu.choices) if self.menu == menu.key else menu.first

    def turned(self, menu: Menu) -> Cursor:
        """Return the cursor on the next choice."""
        return Cursor(menu.key, (self.at(menu) + 1) % len(menu.choices))


def duties(view: View, cursor: Cursor = Cursor()) -> dict[str, Duty]:
    """Return what each button would do; one that would do nothing is not there.

    Args:
        view: the dealer's (`companion.service.TableService.glance`).
        cursor: which choice is shown.
    """
    if view["hold"] is not None:
        return _undo(view) | {"hold": Duty("go on", Do({"do": "release"}))}
    found = _undo(view) | _hold(view) | _of_game(view)
    menu = menu_of(view)
    return found if menu is None else found | _choosing(view, menu, cursor)


def _undo(view: View) -> dict[str, Duty]:
    return {"undo": Duty(f"undo {view['undo']}", Do({"do": "undo"}))} if "undo" in view["expected"] else {}


def _hold(view: View) -> dict[str, Duty]:
    return {"hold": Duty("hold the table", Do({"do": "hold"}))} if "hold" in view["expected"] else {}


# ---- menus


def menu_of(view: View) -> Menu | None:
    """Return what is to be chosen now, if anything."""
    if view["hold"] is not None:
        return None
    if view.get("questions"):
        return _question_menu(view["questions"])
    expected = view["expected"]
    if "odd-coin" in expected:
        pots = tuple((f"pot {SUIT_NAMES[int(s)]}", Do({"do": "odd-coin", "pot": int(s)})) for s in view["pots"])
        return Menu(f"odd-coin:{view['rounds']}", "Odd coin into which pot?", pots)
    if "stake" in expected:
        return _stake_menu(view)
    if "throw" in expected:
        faces = tuple((f"{f.number} {f.half}", Do({"do": "throw", "face": f.id})) for f in RUGEN_FACES.values())
        return Menu(f"throw:{view['rounds']}:{len(view['chain'])}:{view['phase']}", "Which face?", faces, first=-1)
    return None


def _question_menu(questions: Sequence[View]) -> Menu:
    """The question that keeps the table waiting comes first."""
    question = next((q for q in questions if q["blocks"]), questions[0])
    choices = tuple((c["label"], Answer(question["id"], c["id"])) for c in question["choices"])
    return Menu(f"question:{question['id']}", question["text"], choices)


def _stake_menu(view: View) -> Menu:
    """Every number of units that the shooter can pay, the fewest first; the fewest even if he cannot."""
    unit = STREET_UNIT[view["point"]]
    coins = next((p["coins"] for p in view["players"] if p["name"] == view["shooter"]), 0)
    most = max(view["minimum"], min(coins // unit, view["minimum"] + MOST_STAKES - 1))
    choices = tuple(
        (f"stake {units * unit}", Do({"do": "stake", "units": units})) for units in range(view["minimum"], most + 1)
    )
    return Menu(f"stake:{view['rounds']}", f"{view['shooter']} stakes on {view['point']}", choices)


MOST_STAKES: Final = 40


def _choosing(view: View, menu: Menu, cursor: Cursor) -> dict[str, Duty]:
    """DEAL and PLAY while something is to be chosen."""
    by_name = {act.choice: (label, act) for label, act in menu.choices if isinstance(act, Answer)}
    if {"play", "deal"} <= set(by_name):
        return {name: Duty(*by_name[name]) for name in ("deal", "play")}
    place = cursor.at(menu)
    found = {"deal": Duty(*menu.choices[place])} if place >= 0 else {}
    if len(menu.choices) > 1:
        label = "another" if place >= 0 else "say the face"
        found["play"] = Duty(label, Turn())
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
    has_acted = view["done"]["play"] or view["done"]["deal"]
    wanted: Wanted = {"next": ("end", "end the turn", {})} if has_acted else {"fold": ("fold", "fold", {})}
    return _card_buttons(view) | _only(view, wanted)


def _captains(view: View) -> dict[str, Duty]:
    return _card_buttons(view) | _only(view, {"next": ("end", "end the turn", {}), "fold": ("pass", "pass", {})})


def _card_buttons(view: View) -> dict[str, Duty]:
    """PLAY and DEAL say what the next card will be."""
    labels = {"play": "the next card is played", "deal": "the next card is dealt"}
    return {
        verb: Duty(label, Intend(verb), is_chosen=view.get("intention") == verb)
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
