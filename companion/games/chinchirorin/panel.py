"""Panel of chinchirorin: NEXT closes bets or keeps the bank, FOLD passes it or reports a die out of the bowl."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from companion.games.chinchirorin.commands import PIPS
from companion.games.chinchirorin.state import Phase
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

BANKS: Final = (5, 10, 20, 30, 40, 50, 75, 100, 150, 200, 300, 400, 500, 1000)
THROWING: Final = (Phase.BANKER, Phase.PLAYER)


class ChinchirorinPanel(PanelPart):
    """See `companion.plugins.panel.PanelPart`. Throws are entered on the dealer's page: too many values for a menu."""

    def buttons(self, moment: Moment) -> Mapping[str, ButtonAction]:
        turn = moment.turn
        if moment.state.phase is Phase.WASH:
            keep = message("keep the bank"), {"do": "keep-bank", "player": turn}
            away = message("pass the bank"), {"do": "pass-bank", "player": turn}
            return available_actions(moment, {"next": keep, "fold": away}, is_of_turn=True)
        close = message("no more bets"), {"do": "close"}
        out = message("out of the bowl"), {"do": "throw", "out": True, "player": turn}
        return available_actions(moment, {"next": close, "fold": out}, is_of_turn=turn is not None)

    def menu(self, moment: Moment) -> Menu | None:
        if moment.state.phase is Phase.BANK:
            return _menu(moment, message("How much is the bank?"), _banks(moment))
        if moment.state.phase is Phase.DRAW:
            return _menu(moment, message("Who throws what for the bank?"), _draws(moment))
        return None

    def rare(self, moment: Moment) -> Iterable[Offer]:
        """Joining and leaving, between rounds only: newcomers would wait anyway, and hands are near the buttons."""
        return () if self.is_under_way(moment) else join_and_leave_offers(moment)

    def lights(self, moment: Moment) -> Mapping[int, LightState]:
        """One light per die number: the score to beat, and the dice in the bowl."""
        return {rank: _mood(moment, rank - 1) for rank in range(2, 8)}

    def on_table(self, moment: Moment) -> int:
        return len(moment.state.banker_throws) + len(moment.state.throws)

    def is_under_way(self, moment: Moment) -> bool:
        return moment.state.phase in (*THROWING, Phase.WASH)


def _menu(moment: Moment, title: str, offers: Iterable[Offer]) -> Menu | None:
    choices = tuple((label, Do(record)) for label, record in offers)
    key = f"{moment.phase}:{moment.revision}"
    return Menu(key, title, choices, first=-1) if choices else None


def _banks(moment: Moment) -> Iterator[Offer]:
    """Offer the banker's whole stack, and round sums below it."""
    most = next(player.coins for player in moment.players if player.name == moment.turn)
    for coins in (most, *(sum_ for sum_ in BANKS if sum_ < most)):
        yield message("bank {coins}", coins=coins), {"do": "bank", "amount": coins, "player": moment.turn}


def _draws(moment: Moment) -> Iterator[Offer]:
    for player in moment.state.asked:
        for die in PIPS:
            record = {"do": "throw-for-bank", "player": player, "die": die}
            yield message("{player}: {die}", player=player, die=die), record


def _mood(moment: Moment, number: int) -> LightState:
    state = moment.state
    if state.banker_score == number:
        return "owned"
    return "ripe" if any(number in throw for throw in state.throws[-1:] if throw != "out") else "free"
