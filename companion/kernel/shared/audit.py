"""Shared by the games' independent audits: compares transferred coins with the changes that are due."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from companion.kernel.accounts import Account
from companion.kernel.game import Happening
from companion.kernel.ledger import Transfer
from companion.kernel.messages import Message, message

Sums = Mapping[Account, int]
_HEARD: Final[ContextVar[list[Sums] | None]] = ContextVar("heard", default=None)


@contextmanager
def second_sums() -> Iterator[list[Sums]]:
    """Keep what the audits within it work out, so that people can be shown the second settlement, too."""
    heard: list[Sums] = []
    token = _HEARD.set(heard)
    try:
        yield heard
    finally:
        _HEARD.reset(token)


def changes(happened: Iterable[Happening]) -> dict[Account, int]:
    """Return what transfers come to: account -> coins more or less."""
    would: defaultdict[Account, int] = defaultdict(int)
    for event in happened:
        if isinstance(event, Transfer):
            would[event.payer] -= event.coins
            would[event.payee] += event.coins
    return would


def wrong_sums(due: Mapping[Account, int], happened: Iterable[Happening]) -> tuple[Message, ...]:
    """Compare the transfers that a settlement wants to make with the changes that it should come to.

    Args:
        due: account -> coins more or less; an account that is not named should not change.
        happened: what the settlement wants to do. Only its transfers count.

    Returns:
        One sentence for each account that would get another sum; empty when all agree.

    >>> ann, bo = Account.player("Ann"), Account.player("Bo")
    >>> wrong_sums({ann: -3, bo: 3}, [Transfer(ann, bo, 2, "price")])
    ('player/Ann would change by -2, the rules say -3', 'player/Bo would change by 2, the rules say 3')
    """
    would = changes(happened)
    if (heard := _HEARD.get()) is not None:
        heard.append(due)
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
