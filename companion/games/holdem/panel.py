"""Panel of hold'em: NEXT checks or calls, FOLD folds or mucks, a menu offers bet and raise sizes.

Misdeal is in the menu of rare actions, which DEAL opens while FOLD and PLAY are in use.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from companion.games.holdem.state import BETTING, Phase
from companion.games.holdem.view import sizes_now
from companion.kernel.messages import Message, message
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

BOARD_LIGHTS: Final = range(2, 7)
"""One light per board card."""


class HoldemPanel(PanelPart):
    """See `companion.plugins.panel.PanelPart`. Cards are entered on the dealer's page: too many values for a menu."""

    def buttons(self, moment: Moment) -> Mapping[str, ButtonAction]:
        turn, record = moment.turn, {"player": moment.turn}
        if moment.state.phase is Phase.READY:
            return available_actions(moment, {"next": (message("put the blinds in"), {"do": "post"})})
        if moment.state.phase is Phase.HOLE:
            cards = message("{player} has two cards", player=str(turn))
            return available_actions(moment, {"next": (cards, {"do": "hole", **record})}, is_of_turn=True)
        if moment.state.phase is Phase.SHOWDOWN:
            return available_actions(moment, {"fold": (message("muck"), {"do": "muck", **record})}, is_of_turn=True)
        stay = message("check"), {"do": "check", **record}
        if "call" in moment.expected:
            stay = message("call"), {"do": "call", **record}
        fold = message("fold"), {"do": "fold", **record}
        return available_actions(moment, {"next": stay, "fold": fold}, is_of_turn=turn is not None)

    def menu(self, moment: Moment) -> Menu | None:
        """Offer all bet or raise sizes; none is preselected."""
        if moment.state.phase not in BETTING:
            return None
        verb = "raise" if moment.state.bet else "bet"
        choices = tuple(
            (_size_words(verb, size["to"]), Do({"do": verb, "to": size["to"], "player": moment.turn}))
            for size in sizes_now(moment.state)
        )
        key = f"size:{moment.revision}"
        return Menu(key, message("How much?"), choices, first=-1) if choices else None

    def menu_buttons(self, moment: Moment) -> tuple[str, ...]:
        """DEAL has nothing to confirm until a size is shown."""
        return "fold", "play", "deal"

    def rare(self, moment: Moment) -> Iterable[Offer]:
        """Offer a misdeal during a hand, joining and leaving between hands."""
        if self.is_under_way(moment):
            return ((message("misdeal: the hand is taken back"), {"do": "misdeal"}),)
        return join_and_leave_offers(moment)

    def lights(self, moment: Moment) -> Mapping[int, LightState]:
        laid = len(moment.state.board)
        return {light: "owned" if place < laid else "free" for place, light in enumerate(BOARD_LIGHTS)}

    def on_table(self, moment: Moment) -> int:
        return len(moment.state.board)

    def is_under_way(self, moment: Moment) -> bool:
        return moment.state.phase is not Phase.READY


def _size_words(verb: str, to: int) -> Message:
    return message("raise to {to}", to=to) if verb == "raise" else message("bet {to}", to=to)
