"""The table's situation, and "what if" queries to the rules, for camera interpreters and the panel."""

from dataclasses import dataclass
from typing import Any, TypeAlias

from companion.kernel.cashier import CashierCommand, apply_at_cashier
from companion.kernel.commands import TABLE_VERBS, Record, parse_command
from companion.kernel.errors import TableError
from companion.kernel.game import Game
from companion.kernel.ledger import Ledger

Undos: TypeAlias = tuple[tuple[int, int], ...]
"""(revision, number of effective commands after it) of each undo not superseded by a deeper one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """The table's current position, and the rules to query about it.

    Attributes:
        state: the game's state.
        expected: the verbs available now.
        latest: the latest command as `Undo.only` names it: ``number``, ``do`` and ``card``.
        recent: the latest few effective commands, oldest first.
        hold: why the table is on hold, or None.
        seq: the journal entry that led here; 0 without a journal. It only grows, even with an undo.
        began: the command that began the latest round; None in a first round that no command began. Compare by
            identity: a round begun again, such as after a misdeal, has a new record that may be equal to the old one;
            a redone command keeps its record.
        rounds: the number of decided rounds. It falls when a decision is undone.
        revision: incremented by each command, undo and redo since the table was opened. It tells an undo followed by
            another command from no change, where the number of commands is the same.
        undos: the data for `undone_since`.
    """

    rules: Game[Any]
    state: Any
    ledger: Ledger
    latest: Record
    recent: tuple[Record, ...] = ()
    expected: frozenset[str] = frozenset()
    hold: str | None = None
    seq: int = 0
    began: Record | None = None
    rounds: int = 0
    revision: int = 0
    undos: Undos = ()

    def undone_since(self, revision: int) -> int | None:
        """Return the lowest number of effective commands reached by undos since a revision; None without an undo.

        The first that many commands stayed in effect throughout. Those after them were undone, and may since have been
        redone or replaced.
        """
        return next((count for at, count in self.undos if at > revision), None)

    def accepts(self, record: Record) -> bool:
        """Whether the rules would accept a command now; it is not applied."""
        if record["do"] not in self.expected:
            return False
        try:
            command = parse_command(record, {**TABLE_VERBS, **self.rules.verbs})
            if isinstance(command, CashierCommand):
                apply_at_cashier(self.rules, self.state, command, self.ledger)
            elif command.verb not in TABLE_VERBS:
                self.rules.apply(self.state, command, self.ledger)
        except TableError:
            return False
        return True
