"""Rules of Captain's Rochi: two players, many cuts, until both agree to stop or one drops out.

Source: "Captain's Rochi" of the Rochi rules 1.3, with the rulings on it; otherwise the rules of Rochi apply. Before and
after a game players ``join`` and ``leave``, and ``new-game`` begins one with the two seated players.

Error codes, beyond the obvious: ``wrong-phase`` for a verb at the wrong time (dealing on the first turn, a second card
played or dealt in a turn, a pass after acting), ``nothing-done`` for an end with nothing done, ``deck-empty`` for a
deal when deck and discards are empty, ``not-offered`` for an odd coin into a nonexistent pot.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from companion.games.rochi.captains import audit as captains_audit
from companion.games.rochi.captains import company as captains_company
from companion.games.rochi.captains import cut as captains_cut
from companion.games.rochi.captains import turn as captains_turn
from companion.games.rochi.captains import view as captains_view
from companion.games.rochi.captains.state import State, started
from companion.games.rochi.captains.when import VERBS_IN, refusal
from companion.games.rochi.commands import DealCard, Drop, End, NewGame, OddCoin, Pass, Play, Seed, Stop
from companion.games.rochi.rules import Rule, TurnGame
from companion.games.rochi.shapes import CaptainsView
from companion.kernel.commands import Command, Join, Leave, verbs
from companion.kernel.errors import TableError
from companion.kernel.game import Effect, Options, Rounds, Seat
from companion.kernel.ledger import Ledger, Transfer
from companion.kernel.messages import message

_RULES: Final[Mapping[type[Command], Rule]] = {
    Seed: captains_turn.seed,
    Play: captains_turn.play,
    DealCard: captains_turn.deal,
    End: captains_turn.end,
    Pass: captains_turn.pass_turn,
    OddCoin: captains_cut.odd_coin,
    Stop: captains_cut.stop,
    Drop: captains_cut.drop,
    NewGame: captains_company.new_game,
    Join: captains_company.join,
    Leave: captains_company.leave,
}


class Captains(TurnGame):
    """Rules of Captain's Rochi; see `companion.kernel.game.Game`."""

    name = "captains"
    title = message("Captain's Rochi").key  # marked for translation: printed cards use the localized title
    rounds = Rounds("cut", begin_with=frozenset({"new-game"}), follow_on=True)
    to_finish: ClassVar[str] = message("agree to stop, or let one drop out, which shares out the pots")
    verbs = verbs(*_RULES)
    by_command = _RULES
    verbs_in = VERBS_IN

    def start(self, seats: Sequence[Seat], options: Options) -> State:
        return started(seats, options)

    def opening(self, state: State) -> tuple[Transfer, ...]:
        """Return the antes: one coin from each player into each pot."""
        return captains_company.antes(state)

    def refusal(self, state: State, verb: str) -> TableError | None:
        return refusal(state, verb)

    def audit(self, before: State, command: Command, happened: Sequence[Effect], ledger: Ledger) -> tuple[str, ...]:
        return captains_audit.differences(before, command, happened, ledger)

    def view(self, state: State) -> CaptainsView:
        return captains_view.view(state)

    def facts(self, state: State) -> Mapping[str, object]:
        return captains_view.facts(state)
