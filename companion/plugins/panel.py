"""A game's part of the dealer's panel: buttons, menus and lights, as pure functions of the table's current state.

The default `PanelPart` is plain but complete and works for any game; a game overrides what it can improve. UNDO, HOLD
and open questions are the same everywhere and belong to the panel itself (`hardware.panel`).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Final, Literal

from companion.kernel.commands import TABLE_VERBS, Command, Join, Record
from companion.kernel.situation import Situation
from companion.service.questions import Intention

NEW_PLAYER_COINS: Final = 100
BUY_IN_BELOW: Final = 20
"""Players with fewer coins are offered a buy-in."""

LightState = Literal["free", "owned", "ripe", "cut", "locked"]
"""The state shown by a light, of a suit or another object."""

Offer = tuple[str, Record]
"""A command with its display text."""


# ---- what a button does


@dataclass(frozen=True, slots=True)
class Do:
    """Play a command.

    Attributes:
        after: sequence number of the journal entry that it is based on; refused if the table has changed since. None:
            not checked.
    """

    record: Record
    after: int | None = None


@dataclass(frozen=True, slots=True)
class DoOnceCounted:
    """Wait until the card on the table counts, then play a command if it is still accepted.

    The command names its player, so that it never applies to the next one.
    """

    record: Record
    card_is: Intention
    "``deal`` or ``play``: the only possible meaning of the card."


@dataclass(frozen=True, slots=True)
class DeclareCard:
    """Declare the next card: ``play`` or ``deal``."""

    what: Intention
    whose: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer an open question; ``mark`` names the choice's effect."""

    question: str
    choice: str
    mark: str | None = None


@dataclass(frozen=True, slots=True)
class ShowNext:
    """Show the next choice of the menu."""


@dataclass(frozen=True, slots=True)
class OpenMenu:
    """Open the menu of rare actions."""


@dataclass(frozen=True, slots=True)
class CloseMenu:
    """Leave the menu of rare actions."""


Act = Do | DoOnceCounted | DeclareCard | Answer | ShowNext | OpenMenu | CloseMenu


@dataclass(frozen=True, slots=True)
class ButtonAction:
    """A button's current action: a short text for the display, and the action itself.

    Attributes:
        is_chosen: whether it was pressed and is waiting for the camera; its lamp blinks.
        is_of_turn: whether it acts for the player whose turn it is; a press counts only once that turn has been shown.
    """

    label: str
    act: Act
    is_chosen: bool = False
    is_of_turn: bool = False


@dataclass(frozen=True, slots=True)
class Menu:
    """A list of choices, shown one at a time.

    Attributes:
        key: identifies the decision; unchanged while the decision is the same.
        first: index of the choice shown initially; -1: none.
        is_opened: whether the dealer has opened it.
        hint: the label of PLAY while no choice is shown.
    """

    key: str
    title: str
    choices: tuple[tuple[str, Act], ...]
    first: int = 0
    is_opened: bool = False
    hint: str = "show it"


# ---- the table at one moment


@dataclass(frozen=True, slots=True)
class Player:
    """A player with the coins in front of them and the coins at stake."""

    name: str
    coins: int
    staked: int = 0


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """An open question; ``choices`` are ids with labels, ``marks`` the choices' effects, ``kind`` is one word."""

    id: str
    text: str
    choices: tuple[tuple[str, str], ...]
    blocks: bool = False
    kind: str = ""
    card: str | None = None
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment(Situation):
    """The table as the dealer's panel needs it.

    Attributes:
        undo: the latest command in words; None if there is nothing to undo.
        intention: the declared meaning of the next card, ``play`` or ``deal``.
        waits_for: the undecided card on the table that the camera waits for.
        camera: ``ok``, ``poor``, ``lost``, ``ended`` or ``none``.
        trouble: why nothing can be saved; None if saving works.
    """

    phase: str
    prompt: str = ""
    players: tuple[Player, ...] = ()
    turn: str | None = None
    undo: str | None = None
    questions: tuple[OpenQuestion, ...] = ()
    intention: str | None = None
    waits_for: str | None = None
    camera: str = "none"
    trouble: str | None = None


def available_actions(
    moment: Moment, wanted: Mapping[str, Offer], *, is_of_turn: bool = False
) -> dict[str, ButtonAction]:
    """Return the actions of those buttons whose command would be accepted now."""
    return {
        button: ButtonAction(label, Do(record), is_of_turn=is_of_turn)
        for button, (label, record) in wanted.items()
        if moment.accepts(record)
    }


# ---- a game's part


class PanelPart:
    """A game's panel behaviour; this default works for any game, based on the verbs that its rules accept."""

    def buttons(self, moment: Moment) -> Mapping[str, ButtonAction]:
        """Return the actions of DEAL, PLAY, FOLD and NEXT outside menus. Here: NEXT plays the first plain command."""
        first = plain_offers(moment)[:1]
        return available_actions(moment, {"next": first[0]} if first else {}, is_of_turn=moment.turn is not None)

    def menu(self, moment: Moment) -> Menu | None:
        """Return the current menu, or None: DEAL selects, PLAY shows the next choice. Here: other plain commands."""
        others = tuple((label, Do(record)) for label, record in plain_offers(moment)[1:])
        key = f"plain:{moment.revision}:{moment.phase}:{moment.turn}"
        return Menu(key, moment.prompt, others, first=-1) if others else None

    def menu_buttons(self, moment: Moment) -> tuple[str, ...]:
        """Return the buttons that may open the menu of rare actions if unused, best first; empty while none may."""
        return "fold", "play"

    def rare(self, moment: Moment) -> Iterable[Offer]:
        """Return the rare actions: players joining and leaving, agreed ends, corrections."""
        return join_and_leave_offers(moment)

    def lights(self, moment: Moment) -> Mapping[int, LightState]:
        """Return the suits' states, by rank 2 to 7; lights without an entry stay dark."""
        return {}

    def on_table(self, moment: Moment) -> int:
        """Return the number of cards or throws on the table; an increase triggers a sound."""
        return 0

    def is_under_way(self, moment: Moment) -> bool:
        """Whether a hand or round is in progress; otherwise bets are open, or the next one is due."""
        return moment.turn is not None or any(player.staked for player in moment.players)


ANY_GAME: Final = PanelPart()
"""The default panel part."""


def plain_offers(moment: Moment) -> tuple[Offer, ...]:
    """Return the commands without arguments that would be accepted now, in the game's order."""
    verbs = (
        verb for verb, kind in moment.rules.verbs.items() if verb not in TABLE_VERBS and _has_no_required_fields(kind)
    )
    return tuple((verb.replace("-", " "), {"do": verb}) for verb in verbs if moment.accepts({"do": verb}))


def _has_no_required_fields(kind: type[Command]) -> bool:
    return all(field.default is not MISSING or field.default_factory is not MISSING for field in fields(kind))


# ---- coming and going


def join_and_leave_offers(moment: Moment) -> Iterator[Offer]:
    """Offer a seat to a guest, and to each player a buy-in or leaving."""
    if moment.rules.verbs.get("join") is Join:
        label, record = join_offer(moment)
        if moment.accepts(record):
            yield label, record
    for player in moment.players:
        yield from stay_or_leave_offers(moment, player)


def join_offer(moment: Moment) -> Offer:
    """Return the command that seats a new guest."""
    here = {player.name for player in moment.players}
    guest = next(name for n in range(1, len(here) + 2) if (name := f"Guest {n}") not in here)
    return f"{guest} joins", {"do": "join", "player": guest, "coins": NEW_PLAYER_COINS}


def stay_or_leave_offers(moment: Moment, player: Player) -> Iterator[Offer]:
    """Offer a player with few coins a buy-in, and every player to leave, cashing out first if the rules require it."""
    name = player.name
    if "leave" in moment.rules.verbs and "leave" not in moment.expected:
        return
    buying: Record = {"do": "buy-in", "player": name, "coins": NEW_PLAYER_COINS}
    if player.coins < BUY_IN_BELOW and moment.accepts(buying):
        yield f"{name} buys {NEW_PLAYER_COINS} coins", buying
    if moment.accepts({"do": "leave", "player": name}):
        yield f"{name} leaves", {"do": "leave", "player": name}
    elif moment.accepts({"do": "cash-out", "player": name}):
        yield f"{name} cashes {player.coins} coins", {"do": "cash-out", "player": name}
