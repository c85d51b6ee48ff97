"""Panel of roulette: NEXT calls no more bets, a menu of pockets, one light per even-money bet."""

from collections.abc import Iterable, Mapping

from companion.games.roulette.layout import EVEN_MONEY
from companion.games.roulette.rules import Phase
from companion.games.roulette.wheel import POCKETS
from companion.games.roulette.words import pocket_words
from companion.kernel.messages import message
from companion.plugins.panel import (
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


class RoulettePanel(PanelPart):
    """See `companion.plugins.panel.PanelPart`."""

    def buttons(self, moment: Moment) -> Mapping[str, ButtonAction]:
        return available_actions(moment, {"next": (message("no more bets"), {"do": "no-more-bets"})})

    def menu(self, moment: Moment) -> Menu | None:
        """Offer all pockets, for a ball the camera does not read; none is preselected."""
        if not self.is_under_way(moment):
            return None
        pockets = POCKETS[moment.state.rules.wheel]
        choices = tuple((pocket_words(pocket), Do({"do": "spin", "pocket": pocket})) for pocket in pockets)
        title = message("Where does the ball rest?")
        return Menu(f"spin:{moment.rounds}", title, choices, first=-1, hint=message("say the pocket"))

    def rare(self, moment: Moment) -> Iterable[Offer]:
        """Joining and leaving, except during a spin: newcomers would wait anyway, and hands are near the buttons."""
        return () if self.is_under_way(moment) else join_and_leave_offers(moment)

    def lights(self, moment: Moment) -> Mapping[int, LightState]:
        """Map red, black, odd, even, low and high to the lights, in this order."""
        return {rank: _mood(moment, on) for rank, on in enumerate(EVEN_MONEY, start=2)}

    def is_under_way(self, moment: Moment) -> bool:
        return moment.state.phase is Phase.SPIN


def _mood(moment: Moment, on: str) -> LightState:
    """Return "owned": has a bet; "locked": has an imprisoned bet; "cut": just won; otherwise "free"."""
    state = moment.state
    if any(stake.on == on for stake in state.bets):
        return "owned"
    if any(stake.on == on for stake in state.imprisoned):
        return "locked"
    return "cut" if state.rested and not state.bets and state.rested.pocket in EVEN_MONEY[on] else "free"
