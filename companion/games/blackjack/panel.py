"""Panel of blackjack: NEXT stands or deals the hole card, FOLD surrenders; one light for each of six boxes."""

from collections.abc import Iterable, Mapping
from typing import Final

from companion.games.blackjack.hands import Box, End
from companion.games.blackjack.state import Phase, may_insure
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

LIGHTS: Final = range(2, 8)


class BlackjackPanel(PanelPart):
    """See `companion.plugins.panel.PanelPart`. Cards are entered on the dealer's page: too many values for a menu."""

    def buttons(self, moment: Moment) -> Mapping[str, ButtonAction]:
        turn = moment.turn
        if turn is None:
            return available_actions(moment, {"next": (message("face-down card"), {"do": "hole"})})
        stand = message("stand"), {"do": "stand", "player": turn}
        give_up = message("surrender"), {"do": "surrender", "player": turn}
        return available_actions(moment, {"next": stand, "fold": give_up}, is_of_turn=True)

    def menu(self, moment: Moment) -> Menu | None:
        """Offer insurance while it is open."""
        players = [player for player in may_insure(moment.state) if moment.accepts({"do": "insure", "player": player})]
        choices = tuple(
            (message("insure {player}", player=player), Do({"do": "insure", "player": player})) for player in players
        )
        key = f"insure:{moment.revision}"
        return Menu(key, message("Who takes insurance?"), choices, first=-1) if choices else None

    def rare(self, moment: Moment) -> Iterable[Offer]:
        """Joining and leaving, between rounds only: newcomers would wait anyway, and hands are near the buttons."""
        return () if self.is_under_way(moment) else join_and_leave_offers(moment)

    def lights(self, moment: Moment) -> Mapping[int, LightState]:
        """Map seats 1 to 6 to the lights, in order."""
        boxes = {box.seat: box for box in moment.state.boxes}
        return {rank: _mood(boxes.get(rank - 1), moment.turn) for rank in LIGHTS}

    def on_table(self, moment: Moment) -> int:
        return len(moment.state.seen)

    def is_under_way(self, moment: Moment) -> bool:
        return moment.state.phase is not Phase.BETTING


def _mood(box: Box | None, turn: str | None) -> LightState:
    """Return "ripe": acts; "locked": all hands settled; "cut": blackjack; "owned": has a bet; "free": no bet."""
    if box is None:
        return "free"
    if box.player == turn:
        return "ripe"
    if all(not hand.stake for hand in box.hands):
        return "locked"
    return "cut" if box.hands[0].end is End.BLACKJACK else "owned"
