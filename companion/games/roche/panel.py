"""Panel of Roche: NEXT closes the bets and begins a round, FOLD burns a card, one light per stack."""

from collections.abc import Iterable, Mapping

from companion.games.roche.rules import Phase, State
from companion.kernel.messages import message
from companion.plugins.panel import (
    ButtonAction,
    LightState,
    Menu,
    Moment,
    Offer,
    PanelPart,
    available_actions,
    join_and_leave_offers,
)


class RochePanel(PanelPart):
    """See `companion.plugins.panel.PanelPart`."""

    def buttons(self, moment: Moment) -> Mapping[str, ButtonAction]:
        following = message("no more bets"), {"do": "no-more-bets"}
        if moment.state.phase is Phase.SETTLED:
            following = message("new round"), {"do": "new-round"}
        return available_actions(
            moment, {"next": following, "fold": (message("burn a card"), {"do": "burn", "count": 1})}
        )

    def menu(self, moment: Moment) -> Menu | None:
        return None

    def rare(self, moment: Moment) -> Iterable[Offer]:
        """Joining and leaving, except during the deal: newcomers would wait anyway, and hands are near the buttons."""
        return () if moment.state.phase is Phase.DEALING else join_and_leave_offers(moment)

    def lights(self, moment: Moment) -> Mapping[int, LightState]:
        return {rank: _mood(moment.state, rank) for rank in moment.state.rules.ranks}

    def on_table(self, moment: Moment) -> int:
        return len(moment.state.dealt)

    def is_under_way(self, moment: Moment) -> bool:
        return moment.state.phase is Phase.DEALING


def _mood(state: State, rank: int) -> LightState:
    if state.cut is not None and state.cut.cut == rank:
        return "cut"
    count = len(state.stack(rank))
    if count == rank - 1:
        return "ripe"
    return "owned" if count else "free"
