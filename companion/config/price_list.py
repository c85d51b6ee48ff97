"""The floor's price list for one table: settings of its games that override the table's own.

Settings are dotted keys of the configuration, such as ``table.min`` or ``table.max``, so that the same models
check them at the floor and at the table.
"""

import hashlib
import json
import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, Self

from companion.config.edit import Changes, edited, file_text
from companion.config.file import ConfigError, parse_config
from companion.config.games import options_of
from companion.config.setup_keys import AT_ONCE, SETTABLE, game_forms
from companion.journal.durable import DAMAGED, write_private
from companion.kernel.errors import CompanionError
from companion.kernel.header import Header
from companion.kernel.messages import Message, message
from companion.plugins.options import FormFieldJson, place_of, setting
from companion.plugins.plugin import GamePlugin
from companion.plugins.registry import Games

log = logging.getLogger(__name__)

FILE: Final = "price_list.json"
_NOWHERE: Final = Path("price list")
_NOT_OF_PRICES: Final = AT_ONCE | frozenset(SETTABLE) - {"table.bank", "table.min", "table.max", "table.cap"}


class InvalidPriceList(CompanionError):
    """A price list that cannot be used; the message names the game and the setting."""


@dataclass(frozen=True, slots=True)
class GamePrices:
    """The floor's settings for one game at one table.

    Attributes:
        version: the version of the floor's list that last changed them, by ``who`` at time ``at``.
        keys: setting -> value; empty if the table's own settings apply.
    """

    version: int
    who: str
    at: str
    keys: Changes

    @classmethod
    def parse(cls, record: Any) -> Self:
        """Parse the output of `asdict`; raises like a failed JSON lookup (`KeyError`, `TypeError`) otherwise."""
        keys = record["keys"]
        if not isinstance(keys, Mapping) or type(record["version"]) is not int:
            raise TypeError("no price list")
        return cls(record["version"], str(record["who"]), str(record["at"]), dict(keys))


PriceList = Mapping[str, GamePrices]
"""Settings by game; the floor never set any for a game that is missing."""


def mark_of(list_: PriceList) -> str:
    """Return a fingerprint of a list's content.

    Versions do not suffice: a floor restored from a backup reuses the version numbers that it lost.
    """
    content = [[game, one.version, dict(one.keys)] for game, one in sorted(list_.items())]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def fields_of(plugin: GamePlugin, games: Games) -> list[FormFieldJson]:
    """Return the form fields of a game's settings that a price list may contain."""
    form = next(form for form in game_forms(games) if form["id"] == plugin.name)
    return [field for field in form["fields"] if field["key"] not in _NOT_OF_PRICES]


def tables_of(plugin: GamePlugin) -> list[str]:
    """Return the keys of a game's settings that hold whole tables of prices."""
    model = options_of(plugin)
    names = [name for name, field in model.model_fields.items() if setting(field).by_house]
    return [f"{place_of(plugin.name, model, name)}.{name}" for name in names]


def check_prices(games: Games, game: str, keys: Changes) -> Header:
    """Validate a list's settings for a game with the game's own models.

    Returns:
        The header of a table with just these settings.

    Raises:
        InvalidPriceList: an unknown game or setting, or an invalid value.
    """
    if game not in games:
        raise InvalidPriceList.saying("There is no game {game} at this floor.", game=repr(game[:40]))
    plugin = games[game]
    known = {field["key"] for field in fields_of(plugin, games)} | set(tables_of(plugin))
    strange = next((key for key in keys if key not in known), None)
    if strange is not None:
        names = ", ".join(sorted(known)) or "none"
        raise InvalidPriceList.saying(
            "{game}: {key} cannot be set by the floor. Known here: {keys}.",
            game=plugin.title,
            key=repr(strange[:60]),
            keys=names,
        )
    try:
        return _header(_NOWHERE, "", games, game, keys)
    except ConfigError as error:
        raise InvalidPriceList.saying("{game}: {what}", game=plugin.title, what=_plain(error)) from error


def _header(path: Path, text: str, games: Games, game: str, keys: Changes) -> Header:
    return parse_config(path, edited(text, {"table.game": game, **keys}), games)[1]


def _plain(error: ConfigError) -> str:
    """Return the error without file and line, as there is no file."""
    text = error.message
    if isinstance(text, Message) and "key" in text.values and "what" in text.values:
        return message("{key}: {what}", key=text.values["key"], what=text.values["what"])
    return text


def priced_header(path: Path, games: Games, game: str, list_: PriceList, changes: Changes | None = None) -> Header:
    """Return a game's header from the table's configuration and the floor's prices, without players.

    Those in the file sit down at the table's first start; others may sit there by now.

    Args:
        path: the table's configuration file; it need not exist.
        changes: further settings, with lower priority than the floor's.

    Raises:
        ConfigError: the table's and the floor's settings are invalid together.
    """
    prices_set = list_.get(game)
    keys = {} if prices_set is None else prices_set.keys
    header = _header(path, file_text(path), games, game, {**(changes or {}), **keys, "players": None})
    return replace(header, prices=None if prices_set is None else prices_set.version)


def updated_header(now: Header, before: Header, after: Header) -> Header:
    """Return a running table's header after the list changed, keeping the dealer's choices for this session.

    Args:
        before, after: the configured header with the old list, and with the new one.
    """
    if dict(now.options) == dict(before.options):
        return after
    changed = {key: value for key, value in after.options.items() if before.options.get(key) != value}
    gone = before.options.keys() - after.options.keys()
    kept = {key: value for key, value in now.options.items() if key not in gone}
    return replace(after, options={**kept, **changed})


def write_list(folder: Path, list_: PriceList) -> None:
    """Store a list for starts without a connection to the floor."""
    write_private(folder / FILE, json.dumps({game: asdict(one) for game, one in list_.items()}).encode())


def read_list(folder: Path) -> PriceList | None:
    """Return the stored list, or an empty one; None if it is damaged and the floor has to send it again."""
    try:
        return parse_list(json.loads((folder / FILE).read_text(encoding="utf-8")))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (*DAMAGED, OSError) as error:
        log.warning("%s is damaged; requesting the price list from the floor again: %s", folder / FILE, error)
        return None


def parse_list(record: Any) -> PriceList:
    """Parse a list from JSON; raises like `GamePrices.parse`."""
    if not isinstance(record, Mapping):
        raise TypeError("no price list")
    return {str(game): GamePrices.parse(one) for game, one in record.items()}
