"""Shared by the games' audits: compares a settlement's transfers with independently computed balance changes."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from companion.kernel.accounts import Account
from companion.kernel.game import Effect
from companion.kernel.ledger import Transfer
from companion.kernel.messages import Message, message

Sums = Mapping[Account, int]
_COLLECTED: Final[ContextVar[list[Sums] | None]] = ContextVar("collected", default=None)


@contextmanager
def second_sums() -> Iterator[list[Sums]]:
    """Collect the balance changes that audits compute in this context, to show the second settlement to people."""
    collected: list[Sums] = []
    token = _COLLECTED.set(collected)
    try:
        yield collected
    finally:
        _COLLECTED.reset(token)


def changes(happened: Iterable[Effect]) -> dict[Account, int]:
    """Return the net change of each account from the transfers among these events."""
    would: defaultdict[Account, int] = defaultdict(int)
    for event in happened:
        if isinstance(event, Transfer):
            would[event.payer] -= event.coins
            would[event.payee] += event.coins
    return would


def wrong_sums(due: Mapping[Account, int], happened: Iterable[Effect]) -> tuple[Message, ...]:
    """Compare a settlement's transfers with the expected balance changes.

    Args:
        due: account -> expected change; 0 for accounts that are not listed.
        happened: the settlement's events and transfers; events are ignored.

    Returns:
        One sentence for each account that differs; empty if all agree.

    >>> ann, bo = Account.player("Ann"), Account.player("Bo")
    >>> wrong_sums({ann: -3, bo: 3}, [Transfer(ann, bo, 2, "price")])
    ('player/Ann would change by -2, the rules say -3', 'player/Bo would change by 2, the rules say 3')
    """
    would = changes(happened)
    if (collected := _COLLECTED.get()) is not None:
        collected.append(due)
    if would == due:
        return ()
    return tuple(
        message(
            "{account} would change by {would}, the rules say {should}",
            account=str(account),
            would=would[account],
            should=due.get(account, 0),
        )
        for account in sorted(due.keys() | would.keys())
        if due.get(account, 0) != would[account]
    )
