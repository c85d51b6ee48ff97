"""Panel of King of Roulette: NEXT reveals, a menu offers names for elections, lights show the seats that have chosen.

Everybody sees the panel, so it shows only who has chosen, never what.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from companion.games.king.state import Phase, State, highest, price
from companion.games.king.view import waiting_for
from companion.kernel.messages import Message, message, plural
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

_LIGHTS: Final = 6
_FIRST_LIGHT: Final = 2
_URGENCY: Final[tuple[LightState, ...]] = ("free", "owned", "ripe")
_TITLES: Final[Mapping[Phase, tuple[str, Message]]] = {
    Phase.SUCCESSION: ("elect", message("Who is the next king?")),
    Phase.CHOOSE: ("choose", message("Who is the Elimination Candidate?")),
}


class KingPanel(PanelPart):
    """See `companion.plugins.panel.PanelPart`."""

    def buttons(self, moment: Moment) -> Mapping[str, ButtonAction]:
        reveal = message("reveal"), {"do": "reveal"}
        again = message("new game"), {"do": "new-game"}
        return available_actions(moment, {"next": again if moment.state.phase is Phase.OVER else reveal})

    def menu(self, moment: Moment) -> Menu | None:
        """Offer the eligible players; none is preselected."""
        if moment.state.phase not in _TITLES:
            return None
        verb, title = _TITLES[moment.state.phase]
        choices = tuple((name, Do({"do": verb, "player": name})) for name in moment.state.tied)
        return Menu(f"{verb}:{moment.state.round}", title, choices, first=-1, hint=message("say who"))

    def rare(self, moment: Moment) -> Iterable[Offer]:
        """Offer public actions: bonus purchases during rounds, otherwise joining and leaving."""
        return _bonuses(moment) if moment.state.phase is Phase.ROUND else join_and_leave_offers(moment)

    def lights(self, moment: Moment) -> Mapping[int, LightState]:
        """Map seats 1 to 6 to lights; seats 7 to 12 share them. Slow: a choice is missing; on: all made."""
        moods: dict[int, LightState] = {}
        for seat in moment.state.seats:
            light = _FIRST_LIGHT + (seat.number - 1) % _LIGHTS
            mood = _mood(moment.state, seat.player)
            moods[light] = max(mood, moods.get(light, "free"), key=_URGENCY.index)
        return moods

    def is_under_way(self, moment: Moment) -> bool:
        return moment.state.phase in (Phase.ROUND, *_TITLES)


def _mood(state: State, player: str) -> LightState:
    """Return "ripe" while a player's choice is pending; after the game, "owned" for winners of tokens only."""
    if player in (highest(state.players) if state.phase is Phase.CHOOSE else waiting_for(state)):
        return "ripe"
    if state.ended is not None:
        return "owned" if player in dict(state.ended.tokens) else "free"
    return "owned"


def _bonuses(moment: Moment) -> Iterator[Offer]:
    for player in moment.state.players:
        record = {"do": "buy-bonus", "player": player.name}
        if moment.accepts(record):
            text = plural(
                "{player} buys a Double Bonus for {n} garnet",
                "{player} buys a Double Bonus for {n} garnets",
                price(player),
                player=player.name,
            )
            yield text, record
