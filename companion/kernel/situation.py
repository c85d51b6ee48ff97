"""The table's situation, and "what if" queries to the rules, for camera interpreters and the panel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from companion.kernel.cashier import AtTheCage, over_the_counter
from companion.kernel.commands import TABLE_VERBS, Record, parse_command
from companion.kernel.errors import TableError
from companion.kernel.game import Game
from companion.kernel.ledger import Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """The table's current position, and the rules to query about it.

    Attributes:
        state: the game's.
        expected: the verbs that can be done now.
        latest: what an undo names as the latest command: ``number``, ``do`` and ``card``.
        hold: why the table is on hold; None if it is not.
        seq: the journal's entry that has brought the table here; 0 without a journal. It only grows, also by an undo.
        began: the command that began the latest round; None in a first one that nothing began. A round that is begun
            anew, such as after a misdeal, has another one, though it may say the same; what is done again stays itself.
    """

    rules: Game[Any]
    state: Any
    ledger: Ledger
    latest: Record
    expected: frozenset[str] = frozenset()
    hold: str | None = None
    seq: int = 0
    began: Record | None = None

    def takes(self, record: Record) -> bool:
        """Ask the rules whether they would take a command now. Nothing is done."""
        if record["do"] not in self.expected:
            return False
        try:
            command = parse_command(record, {**TABLE_VERBS, **self.rules.verbs})
            if isinstance(command, AtTheCage):
                over_the_counter(self.rules, self.state, command, self.ledger)
            elif command.verb not in TABLE_VERBS:
                self.rules.apply(self.state, command, self.ledger)
        except TableError:
            return False
        return True
