"""What can be chosen from with three buttons: questions, faces, stakes, pots, and the rare things of each game.

PLAY shows the next choice, DEAL takes the one that is shown. A menu that the table waits for is open by itself; the
one of rare things is opened by a button, and NEXT leaves it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from companion.games.rugen.prices import STREET_UNIT
from companion.kernel.words import card_words
from companion.objects.cards import SUIT_NAMES
from companion.objects.dice import DAY_NIGHT_FACES

View = Mapping[str, Any]
MOST_STAKES: Final = 40
NEWCOMER_COINS: Final = 100
LOW_COINS: Final = 20
"""Who has fewer coins is offered more."""
UNDER_WAY: Final = ("dealing", "chain")
"""Phases in which nobody is shown in or out by buttons."""
FREE_HANDS: Final = 2
"""Who sits out of Rochi no longer than this returns for nothing (ruling 10)."""


@dataclass(frozen=True, slots=True)
class Do:
    """Play a command."""

    record: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Finish:
    """Have the card that lies there counted first, then play a command if it is still that player's turn."""

    record: Mapping[str, Any]
    card_is: str
    "``deal`` or ``play``: what the card can only be."


@dataclass(frozen=True, slots=True)
class Intend:
    """Say what the next card will be: ``play`` or ``deal``."""

    what: str
    whose: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer an open question."""

    question: str
    choice: str


@dataclass(frozen=True, slots=True)
class Turn:
    """Show the next choice of the menu."""


@dataclass(frozen=True, slots=True)
class Open:
    """Open the menu of rare things."""


@dataclass(frozen=True, slots=True)
class Back:
    """Leave it."""


Act = Do | Finish | Intend | Answer | Turn | Open | Back


@dataclass(frozen=True, slots=True)
class Menu:
    """Something to choose from, one choice after another.

    ``key`` stays the same while the same is to be chosen; ``first`` is the place shown at the start, -1 for none.
    """

    key: str
    title: str
    choices: tuple[tuple[str, Act], ...]
    first: int = 0
    is_opened: bool = False


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


def menu_of(view: View, cursor: Cursor = NOWHERE) -> Menu | None:
    """Return what is to be chosen now, if anything."""
    if view["hold"] is not None:
        return None
    if view.get("questions"):
        return _question_menu(view["questions"])
    rare = rare_menu(view) if cursor.opened else None
    if rare is not None and rare.key == cursor.opened:
        return rare
    expected = view["expected"]
    if "odd-coin" in expected:
        pots = tuple((f"pot {SUIT_NAMES[int(s)]}", Do({"do": "odd-coin", "pot": int(s)})) for s in view["pots"])
        return Menu(f"odd-coin:{view['rounds']}", "Odd coin into which pot?", pots)
    if "stake" in expected:
        return _stake_menu(view)
    if "throw" in expected:
        faces = tuple((f"{f.number} {f.half}", Do({"do": "throw", "face": f.id})) for f in DAY_NIGHT_FACES.values())
        return Menu(f"throw:{view['rounds']}:{len(view['chain'])}:{view['phase']}", "Which face?", faces, first=-1)
    return None


def _question_menu(questions: Sequence[View]) -> Menu:
    """The question that keeps the table waiting comes first."""
    question = next((q for q in questions if q["blocks"]), questions[0])
    choices = tuple((c["label"], Answer(question["id"], c["id"])) for c in question["choices"])
    return Menu(f"question:{question['id']}", question["text"], choices)


def _stake_menu(view: View) -> Menu | None:
    """Every number of units that the shooter can pay, the fewest first; none if he cannot pay those."""
    unit, fewest = STREET_UNIT[view["point"]], view["minimum"]
    coins = next((p["coins"] for p in view["players"] if p["name"] == view["shooter"]), 0)
    most = min(coins // unit, fewest + MOST_STAKES - 1)
    choices = tuple((f"stake {n * unit}", Do({"do": "stake", "units": n})) for n in range(fewest, most + 1))
    return Menu(f"stake:{view['rounds']}", f"{view['shooter']} stakes on {view['point']}", choices) if choices else None


# ---- rare things: who comes and goes, swaps, calls and the end of a game


def rare_menu(view: View) -> Menu | None:
    """Return what can be done besides, if anything."""
    choices = tuple((label, Do(record)) for label, record in _rare(view))
    if not choices:
        return None
    key = f"rare:{view['rounds']}:{view['phase']}:{view.get('turn')}:{view.get('hand')}"
    return Menu(key, "What else?", choices, first=-1, is_opened=True)


Offer = tuple[str, Mapping[str, Any]]


def _rare(view: View) -> Iterator[Offer]:
    expected = view["expected"]
    if "discard" in expected:
        yield from _swaps(view)
    if "stop" in expected:
        yield "both stop, share the pots", {"do": "stop"}
    if "drop" in expected:
        yield from ((f"{hand['player']} drops out", {"do": "drop", "player": hand["player"]}) for hand in view["hands"])
    if "last-hand" in expected and view["phase"] != "between-hands":  # there FOLD does it
        yield "call last hand", {"do": "last-hand"}
    yield from _coming_and_going(view)


def _swaps(view: View) -> Iterator[Offer]:
    """Cards of locked suits that nobody has seen yet: one of them is in the hand."""
    seen = set(view.get("gone", ()))
    for stack in view["stacks"]:
        seen.update(stack["cards"], *stack["shields"].values())
    for rank in (stack["suit"] for stack in view["stacks"] if stack["is_locked"]):
        for card in (f"{rank}{half}{n}" for half in "DN" for n in range(1, rank + 1)):
            if card not in seen:
                yield f"swap {card_words(card)}", {"do": "discard", "player": view["turn"], "card": card}


def _coming_and_going(view: View) -> Iterator[Offer]:
    if view["phase"] in UNDER_WAY:
        return  # whoever came would wait anyway, and hands are near the buttons now
    expected, away = view["expected"], {one["player"]: one for one in view.get("away", ())}
    for name in away if "return" in expected else ():
        yield from _with_fee(f"{name} returns", {"do": "return", "player": name}, _return_fee(view, away[name]), view)
    if "join" in expected:
        guest = _guest(view)
        record = {"do": "join", "player": guest, "coins": NEWCOMER_COINS}
        yield from _with_fee(f"{guest} joins", record, joining_fee(view), view)
    for player in view["players"]:
        name, coins = player["name"], player["coins"]
        if "sit-out" in expected and name not in away:
            yield f"{name} sits out", {"do": "sit-out", "player": name}
        if "leave" in expected and coins < LOW_COINS:
            yield f"{name} buys {NEWCOMER_COINS} coins", {"do": "buy-in", "player": name, "coins": NEWCOMER_COINS}
        if "leave" in expected:
            yield from _leaving(view, player)


def _leaving(view: View, player: View) -> Iterator[Offer]:
    """In Rochi the coins go along; elsewhere they are cashed first. Nobody leaves with coins at stake."""
    name, coins = player["name"], player["coins"]
    if view["game"] == "rochi" or not (coins or player["staked"]):
        yield f"{name} leaves", {"do": "leave", "player": name}
    elif coins > 0:
        yield f"{name} cashes {coins} coins", {"do": "cash-out", "player": name}


def _guest(view: View) -> str:
    here = {player["name"] for player in view["players"]}
    return next(name for n in range(1, len(here) + 2) if (name := f"Guest {n}") not in here)


def joining_fee(view: View) -> int:
    """Return what a newcomer to Rochi puts into the pots: all pots by the players present, rounded up (ruling 10)."""
    present = len(view["players"]) - len(view.get("away", ()))
    if not view.get("join_fee") or not present:
        return 0
    pots: int = sum(view["pots"].values())
    return -(-pots // present)


def _return_fee(view: View, away: View) -> int:
    is_free = view["hand"] - away["since"] <= FREE_HANDS
    return 0 if is_free else max(0, joining_fee(view) - away["marker"])


def _with_fee(label: str, record: Mapping[str, Any], fee: int, view: View) -> Iterator[Offer]:
    """One offer for each pot that the fee may go into; none where it cannot be paid."""
    coins = next((p["coins"] for p in view["players"] if p["name"] == record["player"]), record.get("coins", 0))
    if not fee:
        yield label, record
    elif fee <= coins:
        for suit in view["pots"]:
            yield f"{label}, {fee} into {SUIT_NAMES[int(suit)]}", {**record, "into": {suit: fee}}
