"""The two settlements of a command, for people to compare.

The rules determine the transfers; an audit that shares no code with them determines every account's change. The
command is replayed and the audit recalculated: neither is read from the journal.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from companion.kernel.accounts import Account, Kind
from companion.kernel.commands import parse_command
from companion.kernel.events import Decided
from companion.kernel.ledger import Ledger, Transfer
from companion.kernel.shared.audit import changes, second_sums
from companion.kernel.table import Position, Table


@dataclass(frozen=True, slots=True)
class Settlement:
    """Both settlements of one command.

    Attributes:
        first: account -> change in coins according to the rules.
        second: the same according to the audit; None for commands that are not audited, such as bets.
        differences: descriptions; if there are any, nothing was paid and the table was put on hold.
    """

    first: Mapping[Account, int]
    second: Mapping[Account, int] | None
    differences: tuple[str, ...] = ()

    @property
    def rows(self) -> list[tuple[Account, int, int | None]]:
        """Rows for display: account, first and second change; without rows where both are zero."""
        accounts = sorted({*self.first, *(self.second or {})})
        second = self.second
        rows = ((one, self.first.get(one, 0), None if second is None else second.get(one, 0)) for one in accounts)
        return [row for row in rows if row[1] or row[2]]


def settled_twice(table: Table, before: Position) -> Settlement | None:
    """Return both settlements of the table's latest command; None if it settles nothing.

    Args:
        table: the table after the command.
        before: its position before the command; None is returned unless the command led on from there.
    """
    step = table.latest_step
    if step is None or step.before is not before or step.after is not table.position:
        return None
    transfers = [event for event in (*step.happened, *step.after.withheld) if isinstance(event, Transfer)]
    is_decision = any(isinstance(event, Decided) for event in step.happened)
    wrong: tuple[str, ...] = ()
    with second_sums() as collected:
        if step.record["do"] in table.game.verbs:
            command = parse_command(step.record, table.verbs, table.game.empty_text)
            said = (event for event in step.happened if not isinstance(event, Transfer))
            wrong = table.game.audit(before.state, command, (*said, *transfers), before.ledger)
    if not transfers and not is_decision and not wrong:
        return None
    return Settlement(changes(transfers), dict(collected[-1]) if collected else None, wrong)


def sums_by_kind(ledger: Ledger) -> dict[Kind, int]:
    """Return the total of each kind of account; in a sound ledger they sum to zero.

    >>> from companion.kernel.accounts import CAGE
    >>> ledger = Ledger().post([Transfer(CAGE, Account.player("Ann"), 10, "buy-in")])
    >>> sums_by_kind(ledger)[Kind.CAGE], sum(sums_by_kind(ledger).values())
    (-10, 0)
    """
    sums: Counter[Kind] = Counter({kind: 0 for kind in Kind if kind not in (Kind.POTS, Kind.RECOUNT, Kind.ASIDE)})
    for account, coins in ledger.accounts.items():
        sums[account.kind] += coins
    return dict(sums)
