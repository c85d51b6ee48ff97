"""Plugs the floor into a running table that has joined one."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from companion.app.floor.counter import Counter
from companion.app.floor.follower import Follower
from companion.app.floor.membership import JoinFailed, Membership
from companion.app.floor.orders import Orders
from companion.app.floor.showcase import Showcase
from companion.journal.store import FILE_NAME
from companion.kernel.messages import message
from companion.service.snapshot import FloorLink
from companion.service.table_service import TableService


def usable_membership(data_dir: Path, service: TableService) -> Membership | None:
    """Return the table's membership; None if it has none, or one that cannot be used, which stops no table.

    The dealer is told of the latter.
    """
    try:
        member = Membership.of(data_dir)
        if member is not None:
            member.context()
    except JoinFailed as error:
        service.set_floor(FloorLink("trouble", message("This table follows no floor: {why}", why=error.message), 0, ""))
        return None
    return member


def follow_floor(
    stack: ExitStack, data_dir: Path, member: Membership, service: TableService, showcase: Showcase
) -> Counter:
    """Ship the journal to the floor that this table has joined, and return what moves coins from and to purses.

    Args:
        member: one that can be used.
        showcase: what the pit is shown between entries.
    """
    counter = Counter(service, member.client())
    follower = Follower(
        data_dir / FILE_NAME, service, member.client(), member.name, on_link=counter.settle_open,
        picture=showcase.latest, orders=Orders(service),
    )  # fmt: skip
    stack.enter_context(follower.start())
    stack.callback(counter.close)
    return counter
