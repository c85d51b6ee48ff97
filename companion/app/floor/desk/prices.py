"""The floor's price list at this table: stored beside the journal for starts without the floor, applied between rounds.

A new list takes effect with a new session, so it is journaled like everything that affects coins.
"""

import logging
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from companion.config.edit import Changes
from companion.config.file import ConfigError
from companion.config.price_list import (
    GamePrices,
    PriceList,
    parse_list,
    priced_header,
    read_list,
    updated_header,
    write_list,
)
from companion.kernel.errors import BadScript, CompanionError, WrongPhase
from companion.kernel.header import Header
from companion.kernel.messages import Message, message
from companion.plugins.registry import Games
from companion.service.table_service import TableService

log = logging.getLogger(__name__)

SOURCE: Final = "floor"
_BEFORE: Final = "before"
"Folder of the list with which the current session began."


class TablePrices:
    """Prices that the floor sets for this table. Thread-safe.

    Args:
        path: the table's configuration file.
        folder: stores the list; None at a table that has joined no floor.
    """

    def __init__(self, path: Path, games: Games, folder: Path | None = None) -> None:
        self._path, self._games, self._folder = path, games, folder
        self._lock = threading.Lock()
        self._before: PriceList = {} if folder is None else read_list(folder / _BEFORE) or {}
        found = {} if folder is None else read_list(folder)
        self.list_: PriceList = self._before if found is None else found
        "The list in force. If its file is damaged: the list at the session's start, not the table's own prices."

    def header(self, game: str, changes: Changes | None = None) -> Header:
        """Return a game's configured header with some changes, overridden by the floor's settings.

        Raises:
            ConfigError: not playable.
        """
        return priced_header(self._path, self._games, game, self.list_, changes)

    def configured(self, header: Header) -> Header:
        """Return a start's header with the floor's prices; unchanged if they are incompatible."""
        if header.game not in self.list_:
            return header
        try:
            with_list = self.header(header.game)
        except CompanionError as error:
            log.warning("The floor's prices are invalid for this table: %s", error)
            return header
        return Header(header.rules, header.players, with_list.options, header.gains, with_list.prices)

    def renewed(self, old: Header) -> Header:
        """Return an earlier game's header with the current prices.

        Raises:
            ConfigError: the table's settings are unusable.
        """
        if old.game not in self.list_:
            return old
        return updated_header(old, priced_header(self._path, self._games, old.game, {}), self.header(old.game))

    def set_for(self, game: str) -> Mapping[str, GamePrices]:
        """Return the settings that the floor sets for a game, with their authors."""
        told = self.list_.get(game)
        return {} if told is None else dict.fromkeys(told.keys, told)

    def take(self, told: Any, table: TableService, game: str) -> None:
        """Store a list from the floor durably; `follow` applies it.

        Args:
            game: the game that the table is configured for.

        Raises:
            BadScript: invalid list; nothing has changed.
            OSError: it could not be stored.
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
            log.warning("The next start cannot use the floor's prices: %s", error)

    def follow(self, table: TableService) -> Message | None:
        """Apply the list if no round is in progress or unpaid; otherwise return a message for the dealer.

        Raises:
            TableError, ConfigError: not applicable; the table continues as before.
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

    def _is_as_before(self, game: str, told: GamePrices) -> bool:
        """Whether a version is the one in force; the same version may return with other prices."""
        before = self._before.get(game)
        return before is None or before.version != told.version or before.keys == told.keys

    def _after(self, now: Header) -> Header:
        after = self.header(now.game)
        try:
            before = priced_header(self._path, self._games, now.game, self._before)
        except ConfigError:
            return after
        return updated_header(now, before, after)

    def _note(self, game: str, told: GamePrices) -> None:
        """Store the list in force, to compare later lists with."""
        if self._before.get(game) == told or self._folder is None:
            return
        with self._lock:
            self._before = {**self._before, game: told}
            place = self._folder / _BEFORE
            place.mkdir(mode=0o700, exist_ok=True)
            write_list(place, self._before)
