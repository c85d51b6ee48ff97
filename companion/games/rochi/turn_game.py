"""What the rules of Rochi and Captain's Rochi are to the engine alike: a rule for each verb, and reasons against it."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from companion.games.rochi import view as rochi_view
from companion.games.six_suits import pot_name
from companion.kernel.commands import Command, Record
from companion.kernel.errors import TableError
from companion.kernel.game import BaseGame, Happening
from companion.kernel.ledger import Ledger
from companion.kernel.messages import Message

Rule = Callable[[Any, Any, Ledger], tuple[Any, tuple[Happening, ...]]]
"""Plays a command that is due: the state and the command to the next state and what happened."""


class TurnGame(BaseGame, abc.ABC):
    """A game whose verbs each have a rule, and often a reason why they cannot be done now."""

    by_command: ClassVar[Mapping[type[Command], Rule]]
    verbs_in: ClassVar[Mapping[Any, frozenset[str]]]
    "The verbs of each phase: in another there is always a reason against them."

    @abc.abstractmethod
    def refusal(self, state: Any, verb: str) -> TableError | None:
        """Return why a verb cannot be done now; None if it can."""

    def expected(self, state: Any) -> frozenset[str]:
        return frozenset(verb for verb in self.verbs_in[state.phase] if self.refusal(state, verb) is None)

    def reasons(self, state: Any) -> dict[str, str]:
        """Return why each other verb cannot be done now."""
        refused = {verb: self.refusal(state, verb) for verb in self.verbs}
        return {verb: error.message for verb, error in refused.items() if error is not None}

    def apply(self, state: Any, command: Command, ledger: Ledger) -> tuple[Any, tuple[Happening, ...]]:
        refused = self.refusal(state, command.verb)
        if refused is not None:
            raise refused
        return self.by_command[type(command)](state, command, ledger)

    def describe(self, record: Record) -> Message:
        return rochi_view.described(record)

    def pot_name(self, pot: int) -> str:
        return pot_name(pot)
