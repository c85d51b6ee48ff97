"""Connects a running table to the floor that it has joined."""

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from companion.app.floor.desk.directives import Desk, DirectiveFollower
from companion.app.floor.desk.house_decks import KnownHouseDecks
from companion.app.floor.desk.prices import TablePrices
from companion.app.floor.journal_shipper import JournalShipper
from companion.app.floor.membership import FOLDER, JoinFailed, Membership
from companion.app.floor.orders import Orders
from companion.app.floor.purse_cashier import PurseCashier
from companion.app.floor.snapshot_feed import SnapshotFeed
from companion.config.tables import Config
from companion.journal.evidence import EvidenceRing
from companion.journal.store import FILE_NAME
from companion.kernel.messages import message
from companion.objects.decks import DeckStore
from companion.plugins.registry import Games
from companion.service.snapshot import FloorLink
from companion.service.table_service import TableService


@dataclass(frozen=True, slots=True)
class FloorMembership:
    """The table's floor membership, before the table starts.

    Attributes:
        member: None if the membership is unusable; `wrong` says why.
    """

    member: Membership | None
    desk: Desk
    wrong: str = ""

    @classmethod
    def of(cls, data_dir: Path, config_file: Path, config: Config, games: Games) -> Self | None:
        """Return a table's membership; None if it has joined no floor."""
        wrong = ""
        try:
            member = Membership.of(data_dir)
            if member is None:
                return None
            member.context()
        except JoinFailed as error:
            member, wrong = None, str(error.message)
        kept, folder = config.evidence, data_dir / FOLDER
        desk = Desk(
            TablePrices(config_file, games, folder),
            KnownHouseDecks(folder, "" if member is None else member.name, DeckStore(data_dir, games.decks).all),
            EvidenceRing(data_dir / "evidence", kept.limit_mb, kept.days),
            lambda: config.table.game,
        )
        return cls(member, desk, wrong)


@dataclass(frozen=True, slots=True)
class FloorServices:
    """Running floor services of the table.

    Attributes:
        cashier: coin transfers from and to purses.
        directives: the floor's directives, and dealer sign-on.
        snapshot_feed: snapshots for the pit's page.
    """

    cashier: PurseCashier | None
    directives: DirectiveFollower | None
    snapshot_feed: SnapshotFeed


def start_floor_services(
    stack: ExitStack, data_dir: Path, service: TableService, side: FloorMembership
) -> FloorServices:
    """Start shipping the journal to the floor and following its directives.

    An unusable membership does not stop the table; the dealer is told.
    """
    snapshot_feed = SnapshotFeed(lambda game: service.games.named(game).title, lambda: service.floor_news.refused)
    try:
        if side.member is None:
            raise JoinFailed(side.wrong)
        cashier = PurseCashier(service, side.member.client(), number=side.member.table, data_dir=data_dir)
        directives = DirectiveFollower(service, side.member.client(), side.desk)
        shipper = JournalShipper(
            data_dir / FILE_NAME, service, side.member.client(), side.member.name, on_link=cashier.settle_open,
            on_directives=directives.receive, picture=snapshot_feed.latest, orders=Orders(service),
        )  # fmt: skip
    except JoinFailed as error:
        service.set_floor(FloorLink("trouble", message("This table follows no floor: {why}", why=error.message), 0, ""))
        return FloorServices(None, None, snapshot_feed)
    stack.enter_context(directives)
    stack.enter_context(shipper.start())
    stack.callback(cashier.close)
    return FloorServices(cashier, directives, snapshot_feed)
