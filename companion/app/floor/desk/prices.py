"""The floor's prices at this table: kept beside the journal for starts without the floor, and followed between rounds.

A new list counts from a session of its own, so it is in the journal like everything that decides about coins.
"""

import logging
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from companion.config.edit import Changes
from companion.config.file import ConfigError
from companion.config.price_list import Priced, PriceList, followed, parse_list, priced, read_list, write_list
from companion.kernel.errors import BadScript, CompanionError, WrongPhase
from companion.kernel.header import Header
from companion.kernel.messages import Message, message
from companion.plugins.registry import Games
from companion.service.table_service import TableService

log = logging.getLogger(__name__)

SOURCE: Final = "floor"
_BEFORE: Final = "before"
"The folder of the list by which the present session was begun."


class TablePrices:
    """What the floor sets at this table. Thread-safe.

    Args:
        path: the table's configuration.
        folder: keeps the list; None at a table that has joined no floor.
    """

    def __init__(self, path: Path, games: Games, folder: Path | None = None) -> None:
        self._path, self._games, self._folder = path, games, folder
        self._lock = threading.Lock()
        self._before: PriceList = {} if folder is None else read_list(folder / _BEFORE) or {}
        found = {} if folder is None else read_list(folder)
        self.list_: PriceList = self._before if found is None else found
        "What holds, by game: after damage what held when the session began, not what the table alone would play by."

    def header(self, game: str, changes: Changes | None = None) -> Header:
        """Return a game's header as it is configured, with some settings changed, and the floor's above all.

        Raises:
            ConfigError: that cannot be played.
        """
        return priced(self._path, self._games, game, self.list_, changes)

    def configured(self, header: Header) -> Header:
        """Return the header of a start with the floor's prices; as it is, where they do not go together."""
        if header.game not in self.list_:
            return header
        try:
            with_list = self.header(header.game)
        except CompanionError as error:
            log.warning("The floor's prices cannot be used here: %s", error)
            return header
        return Header(header.rules, header.players, with_list.options, header.gains, with_list.prices)

    def renewed(self, old: Header) -> Header:
        """Return the header of a game that was played before, with the prices of today.

        Raises:
            ConfigError: the table's settings cannot be used.
        """
        if old.game not in self.list_:
            return old
        return followed(old, priced(self._path, self._games, old.game, {}), self.header(old.game))

    def set_for(self, game: str) -> Mapping[str, Priced]:
        """Return the settings that the floor sets for a game, each with who did."""
        told = self.list_.get(game)
        return {} if told is None else dict.fromkeys(told.keys, told)

    def take(self, told: Any, table: TableService, game: str) -> None:
        """Take a list from the floor; it is on the disk when this returns, and counts once `follow` can have it so.

        Args:
            game: the one that the table is configured for.

        Raises:
            BadScript: that is no list; nothing has changed.
            OSError: it could not be kept.
        """
        try:
            list_ = parse_list(told)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BadScript("The floor has sent something else than a price list.") from error
        with self._lock:
            if self._folder is not None:
                write_list(self._folder, list_)
            self.list_ = list_
        try:
            table.set_configured(self.header(game))
        except CompanionError as error:
            log.warning("The floor's prices cannot be used at a start: %s", error)

    def follow(self, table: TableService) -> Message | None:
        """Play by the list from now on if no round is under way, nor paid; return what the dealer is told while one is.

        Raises:
            TableError, ConfigError: the table cannot be played so, and goes on as before.
        """
        now, session = table.header, table.session
        told = self.list_.get(now.game)
        if told is None:
            return None
        if told.version == now.prices and self._is_as_before(now.game, told):
            self._note(now.game, told)
            return None
        try:
            key = f"prices/{told.version}/{session}"
            table.change_game(self._after(now), source=SOURCE, key=key, session=session, spares_sheet=True)
        except WrongPhase:
            return message("New prices from the floor from the next round: version {version}, set by {who}.",
                           version=told.version, who=told.who)  # fmt: skip
        self._note(now.game, told)
        return None

    def _is_as_before(self, game: str, told: Priced) -> bool:
        """Whether a version is still the one by which the game is played; it may have come anew with other prices."""
        before = self._before.get(game)
        return before is None or before.version != told.version or before.keys == told.keys

    def _after(self, now: Header) -> Header:
        after = self.header(now.game)
        try:
            before = priced(self._path, self._games, now.game, self._before)
        except ConfigError:
            return after
        return followed(now, before, after)

    def _note(self, game: str, told: Priced) -> None:
        """Keep by which list the game is played, to know later what changes."""
        if self._before.get(game) == told or self._folder is None:
            return
        with self._lock:
            self._before = {**self._before, game: told}
            place = self._folder / _BEFORE
            place.mkdir(mode=0o700, exist_ok=True)
            write_list(place, self._before)
