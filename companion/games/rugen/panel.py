"""Panel of the Rugen games: menus of faces and stakes, one light per number of the die."""

from collections.abc import Iterable, Mapping
from itertools import count, islice, takewhile
from typing import Final

from companion.games.rugen.capital import State as CapitalState
from companion.games.rugen.house import State as HouseState
from companion.games.rugen.prices import STREET_UNIT
from companion.games.rugen.street import Phase as StreetPhase
from companion.games.rugen.street import State as StreetState
from companion.kernel.messages import message
from companion.kernel.words import HALVES
from companion.objects.dice import DAY_NIGHT_FACES, NUMBERS, number_of
from companion.plugins.panel import (
    Act,
    ButtonAction,
    Do,
    LightState,
    Menu,
    Moment,
    Offer,
    PanelPart,
    available_actions,
    join_and_leave_offers,
)

MAX_STAKES: Final = 40
FIRST_LIGHT: Final = 2
"""Light of number 1; lights of suits in other games also begin with 2."""


class RugenPanel(PanelPart):
    """See `companion.plugins.panel.PanelPart`."""

    def buttons(self, moment: Moment) -> Mapping[str, ButtonAction]:
        return available_actions(moment, {"next": (message("no more bets"), {"do": "close"})})

    def menu(self, moment: Moment) -> Menu | None:
        if "stake" in moment.expected:
            return _stake_menu(moment)
        return _face_menu(moment) if "throw" in moment.expected else None

    def rare(self, moment: Moment) -> Iterable[Offer]:
        """Joining and leaving, between chains only: newcomers would wait anyway, and hands are near the buttons."""
        return () if _is_chain(moment) else join_and_leave_offers(moment)

    def lights(self, moment: Moment) -> Mapping[int, LightState]:
        return {number + FIRST_LIGHT - 1: _mood(moment, number) for number in NUMBERS}

    def on_table(self, moment: Moment) -> int:
        return len(moment.state.chain)

    def is_under_way(self, moment: Moment) -> bool:
        return _is_chain(moment) or moment.state.phase is StreetPhase.STAKE


def _is_chain(moment: Moment) -> bool:
    return moment.phase == StreetPhase.CHAIN.value


def _stake_menu(moment: Moment) -> Menu | None:
    """Offer all stakes the shooter can afford, lowest first; None if there are none."""
    state = moment.state
    stakes = ({"do": "stake", "units": units} for units in count(state.minimum))
    payable = islice(takewhile(moment.accepts, stakes), MAX_STAKES)
    unit = STREET_UNIT[state.point]
    choices: tuple[tuple[str, Act], ...] = tuple(
        (message("stake {coins}", coins=stake["units"] * unit), Do(stake)) for stake in payable
    )
    title = message("{shooter} stakes on {point}", shooter=state.shooter, point=state.point)
    return Menu(f"stake:{moment.rounds}", title, choices) if choices else None


def _face_menu(moment: Moment) -> Menu:
    """Offer all faces, for a throw the camera does not read; none is preselected."""
    faces = tuple(
        (message("{number} {half}", number=face.number, half=HALVES[face.half]), Do({"do": "throw", "face": face.id}))
        for face in DAY_NIGHT_FACES.values()
    )
    key = f"throw:{moment.rounds}:{len(moment.state.chain)}:{moment.phase}"
    return Menu(key, message("Which face?"), faces, first=-1, hint=message("say the face"))


def _mood(moment: Moment, number: int) -> LightState:
    """Return "cut": just broke; "ripe": one throw short; "owned": taken or marked; otherwise "free"."""
    state = moment.state
    is_over = not state.chain and not any(_is_taken(state, other) for other in NUMBERS)
    if is_over and state.broken is not None and state.broken.number == number:
        return "cut"
    if not _is_taken(state, number):
        return "free"
    throws = sum(number_of(face) == number for face in state.chain)
    return "ripe" if _is_chain(moment) and throws == number - 1 else "owned"


def _is_taken(state: HouseState | StreetState | CapitalState, number: int) -> bool:
    """Whether a number is taken; in House Rugen, whether it has a marker."""
    if isinstance(state, HouseState):
        return bool(state.markers(number))
    return number not in state.wager.free
