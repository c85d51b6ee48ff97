"""What the two settlements of a command came to, worked out again for people to compare.

The rules say what moves; an audit that shares no code with them says what every account should get. Both are computed
anew from the position before the command, so what is shown is no memory of it.
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
    """One command that moved coins, settled twice.

    Attributes:
        first: what the rules move: account -> coins more or less.
        second: what the audit came to; None where no audit looks at such a command, such as a bet.
        differences: in words; then nothing moved, and the table was held.
    """

    first: Mapping[Account, int]
    second: Mapping[Account, int] | None
    differences: tuple[str, ...] = ()

    @property
    def rows(self) -> list[tuple[Account, int, int | None]]:
        """Return account, first and second sum, for a table."""
        accounts = sorted({*self.first, *(self.second or {})})
        second = self.second
        rows = ((one, self.first.get(one, 0), None if second is None else second.get(one, 0)) for one in accounts)
        return [row for row in rows if row[1] or row[2]]


def settled_twice(table: Table, before: Position) -> Settlement | None:
    """Settle the table's latest command again, both ways; None if it moves no coins.

    Args:
        before: where the table stood; a command that has changed nothing since then is none.
    """
    step = table.latest_step
    if step is None or step.before is not before or step.after is not table.position:
        return None
    transfers = [event for event in (*step.happened, *step.after.withheld) if isinstance(event, Transfer)]
    is_decision = any(isinstance(event, Decided) for event in step.happened)
    wrong: tuple[str, ...] = ()
    with second_sums() as heard:
        if step.record["do"] in table.game.verbs:
            command = parse_command(step.record, table.verbs, table.game.empty_text)
            said = (event for event in step.happened if not isinstance(event, Transfer))
            wrong = table.game.audit(before.state, command, (*said, *transfers), before.ledger)
    if not transfers and not is_decision and not wrong:
        return None
    return Settlement(changes(transfers), dict(heard[-1]) if heard else None, wrong)


def sums_by_kind(ledger: Ledger) -> dict[Kind, int]:
    """Return the coins of all accounts of a kind together; they add up to zero, or the ledger is broken.

    >>> from companion.kernel.accounts import CAGE
    >>> ledger = Ledger().post([Transfer(CAGE, Account.player("Ann"), 10, "buy-in")])
    >>> sums_by_kind(ledger)[Kind.CAGE], sum(sums_by_kind(ledger).values())
    (-10, 0)
    """
    sums: Counter[Kind] = Counter({kind: 0 for kind in Kind if kind not in (Kind.POTS, Kind.RECOUNT, Kind.ASIDE)})
    for account, coins in ledger.accounts.items():
        sums[account.kind] += coins
    return dict(sums)
