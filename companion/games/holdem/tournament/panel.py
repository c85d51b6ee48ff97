"""Panel of a tournament: hold'em's buttons, plus clock and rebuys between hands."""

from collections.abc import Iterable, Mapping

from companion.games.holdem.panel import HoldemPanel
from companion.games.holdem.state import Phase
from companion.games.holdem.tournament.rules import of
from companion.kernel.messages import message
from companion.plugins.panel import ButtonAction, Moment, Offer, available_actions

_BETWEEN = (Phase.READY, Phase.BREAK)


class TournamentPanel(HoldemPanel):
    """See `companion.plugins.panel.PanelPart`. Chip race winners are entered on the dealer's page."""

    def buttons(self, moment: Moment) -> Mapping[str, ButtonAction]:
        if moment.state.phase is Phase.BREAK:
            return available_actions(moment, {"next": (message("next level"), {"do": "next-level"})})
        if moment.state.phase is Phase.OVER or (moment.state.phase is Phase.READY and of(moment.state).race):
            return {}
        return super().buttons(moment)

    def rare(self, moment: Moment) -> Iterable[Offer]:
        """Offer clock, levels, rebuys, joining and leaving between hands."""
        others = super().rare(moment)
        return others if self.is_under_way(moment) else (*_clock(moment), *_rebuys(moment), *others)

    def is_under_way(self, moment: Moment) -> bool:
        return moment.state.phase not in (*_BETWEEN, Phase.OVER)


def _clock(moment: Moment) -> Iterable[Offer]:
    if "pause-clock" in moment.expected:
        yield message("pause the clock"), {"do": "pause-clock"}
    if "start-clock" in moment.expected:
        yield message("start the clock"), {"do": "start-clock"}
    if "next-level" in moment.expected:
        yield message("next level"), {"do": "next-level"}


def _rebuys(moment: Moment) -> Iterable[Offer]:
    for player in moment.players:
        if moment.accepts(record := {"do": "rebuy", "player": player.name}):
            yield message("{player} comes in again", player=player.name), record
    for name in of(moment.state).may_add:
        yield message("{player} has an add-on", player=name), {"do": "add-on", "player": name}
