"""Rules of Rochi: three to six players buy the suits of the Roche deck from each other, and pay when one is cut.

The companion never knows the players' hands: a card counts once it is face up. Source: the Rochi rules 1.3, with the
rulings on Rochi and on sitting down and leaving.

Error codes, beyond the obvious: ``wrong-phase`` for a verb at the wrong time (a second card played or dealt in a turn,
a fold after acting, a player without cards), ``not-offered`` for a swap without the option or of an unlocked suit, or
for a nonexistent seat or pot, ``bad-amount`` for a fee that is not paid exactly, ``nothing-done`` for sitting out or
returning twice.
"""

import abc
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final

from companion.games.rochi import audit as rochi_audit
from companion.games.rochi import company as rochi_company
from companion.games.rochi import turn as rochi_turn
from companion.games.rochi import view as rochi_view
from companion.games.rochi.commands import (
    DealCard,
    Discard,
    End,
    Fold,
    JoinRochi,
    LastHand,
    NewGame,
    NextHand,
    Play,
    ReturnToPlay,
    Seed,
    SitOut,
)
from companion.games.rochi.shapes import RochiView
from companion.games.rochi.state import LOTS, State, started
from companion.games.rochi.when import VERBS_IN, refusal
from companion.games.six_suits import pot_name
from companion.kernel.commands import Command, Leave, verbs
from companion.kernel.errors import TableError
from companion.kernel.game import BaseGame, Draw, Effect, Options, Rounds, Seat
from companion.kernel.ledger import Ledger
from companion.kernel.messages import message

Rule = Callable[[Any, Any, Ledger], tuple[Any, tuple[Effect, ...]]]
"""Applies a legal command: (state, command, ledger) -> (next state, events)."""


class TurnGame(BaseGame):
    """Base for games with one rule per verb, and reasons against illegal verbs."""

    by_command: ClassVar[Mapping[type[Command], Rule]]
    own_words = rochi_view.COMMANDS
    verbs_in: ClassVar[Mapping[Any, frozenset[str]]]
    "Phase -> its verbs; in other phases they are always illegal."

    @abc.abstractmethod
    def refusal(self, state: Any, verb: str) -> TableError | None:
        """Return why a verb is illegal now; None if it is legal."""

    def expected(self, state: Any) -> frozenset[str]:
        return frozenset(verb for verb in self.verbs_in[state.phase] if self.refusal(state, verb) is None)

    def reasons(self, state: Any) -> dict[str, str]:
        """Return illegal verb -> reason."""
        refused = {verb: self.refusal(state, verb) for verb in self.verbs}
        return {verb: error.message for verb, error in refused.items() if error is not None}

    def apply(self, state: Any, command: Command, ledger: Ledger) -> tuple[Any, tuple[Effect, ...]]:
        refused = self.refusal(state, command.verb)
        if refused is not None:
            raise refused
        return self.by_command[type(command)](state, command, ledger)

    def pot_name(self, pot: int | str) -> str:
        return pot_name(pot)


_RULES: Final[Mapping[type[Command], Rule]] = {
    Seed: rochi_turn.seed,
    Play: rochi_turn.play,
    DealCard: rochi_turn.deal,
    Discard: rochi_turn.discard,
    End: rochi_turn.end,
    Fold: rochi_turn.fold,
    NextHand: rochi_company.next_hand,
    LastHand: rochi_company.last_hand,
    NewGame: rochi_company.new_game,
    JoinRochi: rochi_company.join,
    Leave: rochi_company.leave,
    SitOut: rochi_company.sit_out,
    ReturnToPlay: rochi_company.return_to_play,
}


class Rochi(TurnGame):
    """Rules of Rochi; see `companion.kernel.game.Game`."""

    name = "rochi"
    title = "Rochi"
    rounds = Rounds("hand", begin_with=frozenset({"next-hand", "new-game"}))
    to_finish: ClassVar[str] = message("play the last hand, which divides the pots")
    verbs = verbs(*_RULES)
    by_command = _RULES
    verbs_in = VERBS_IN

    def start(self, seats: Sequence[Seat], options: Options) -> State:
        return started(seats, options)

    def drawn(self, options: Options, draw: Draw) -> Options:
        """Add a lot for the first leader to the options, unless a leader is named."""
        return options if "leader" in options else {**options, "lot": draw(LOTS)}

    def refusal(self, state: State, verb: str) -> TableError | None:
        return refusal(state, verb)

    def audit(self, before: State, command: Command, happened: Sequence[Effect], ledger: Ledger) -> tuple[str, ...]:
        return rochi_audit.differences(before, command, happened, ledger)

    def view(self, state: State) -> RochiView:
        return rochi_view.view(state)

    def facts(self, state: State) -> Mapping[str, object]:
        return rochi_view.facts(state)
