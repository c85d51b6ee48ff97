"""Connects a running table to the floor that it has joined."""

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from companion.app.floor.counter import Counter
from companion.app.floor.desk.house_decks import HouseDecksHere
from companion.app.floor.desk.liaison import Desk, Liaison
from companion.app.floor.desk.prices import TablePrices
from companion.app.floor.follower import Follower
from companion.app.floor.membership import FOLDER, JoinFailed, Membership
from companion.app.floor.orders import Orders
from companion.app.floor.showcase import Showcase
from companion.config.tables import Config
from companion.journal.evidence import EvidenceRing
from companion.journal.store import FILE_NAME
from companion.kernel.messages import message
from companion.objects.decks import DeckStore
from companion.plugins.registry import Games
from companion.service.snapshot import FloorLink
from companion.service.table_service import TableService


@dataclass(frozen=True, slots=True)
class FloorSide:
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
            HouseDecksHere(folder, "" if member is None else member.name, DeckStore(data_dir, games.decks).all),
            EvidenceRing(data_dir / "evidence", kept.limit_mb, kept.days),
            lambda: config.table.game,
        )
        return cls(member, desk, wrong)


@dataclass(frozen=True, slots=True)
class Followed:
    """Running floor services of the table.

    Attributes:
        counter: coin transfers from and to purses.
        liaison: the floor's directives, and dealer sign-on.
        showcase: snapshots for the pit's page.
    """

    counter: Counter | None
    liaison: Liaison | None
    showcase: Showcase


def follow_floor(stack: ExitStack, data_dir: Path, service: TableService, side: FloorSide) -> Followed:
    """Start shipping the journal to the floor and following its directives.

    An unusable membership does not stop the table; the dealer is told.
    """
    showcase = Showcase(lambda game: service.games.named(game).title, lambda: service.floor_news.refused)
    try:
        if side.member is None:
            raise JoinFailed(side.wrong)
        counter = Counter(service, side.member.client(), number=side.member.table, data_dir=data_dir)
        liaison = Liaison(service, side.member.client(), side.desk)
        follower = Follower(
            data_dir / FILE_NAME, service, side.member.client(), side.member.name, on_link=counter.settle_open,
            on_errands=liaison.hear, picture=showcase.latest, orders=Orders(service),
        )  # fmt: skip
    except JoinFailed as error:
        service.set_floor(FloorLink("trouble", message("This table follows no floor: {why}", why=error.message), 0, ""))
        return Followed(None, None, showcase)
    stack.enter_context(liaison)
    stack.enter_context(follower.start())
    stack.callback(counter.close)
    return Followed(counter, liaison, showcase)
