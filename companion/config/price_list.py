"""A house's price list for one table: settings of its games that the floor sets, in place of the table's own.

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


class BadPrices(CompanionError):
    """A price list that cannot be used; the message names the game and the setting."""


@dataclass(frozen=True, slots=True)
class Priced:
    """What the floor sets for one game at one table.

    Attributes:
        version: of the house's list, with which it last changed; `who` changed it, and when.
        keys: setting -> value; none: the table's own settings hold.
    """

    version: int
    who: str
    at: str
    keys: Changes

    @classmethod
    def parse(cls, told: Any) -> Self:
        """Return what `asdict` gave; raises as JSON does where it is something else."""
        keys = told["keys"]
        if not isinstance(keys, Mapping) or type(told["version"]) is not int:
            raise TypeError("no price list")
        return cls(told["version"], str(told["who"]), str(told["at"]), dict(keys))


PriceList = Mapping[str, Priced]
"""By game; a game that is not in it was never set by the floor."""


def mark_of(list_: PriceList) -> str:
    """Return what differs for two lists that set something else, be it under the same version.

    A floor that was recovered from a backup numbers its next versions as it numbered those that it lost.
    """
    told = [[game, one.version, dict(one.keys)] for game, one in sorted(list_.items())]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:16]


def fields_of(plugin: GamePlugin, games: Games) -> list[FormFieldJson]:
    """Return the settings of a game that a price list may have, with what a page needs to edit them."""
    form = next(form for form in game_forms(games) if form["id"] == plugin.name)
    return [field for field in form["fields"] if field["key"] not in _NOT_OF_PRICES]


def tables_of(plugin: GamePlugin) -> list[str]:
    """Return the settings that are whole tables of prices."""
    model = options_of(plugin)
    names = [name for name, field in model.model_fields.items() if setting(field).by_house]
    return [f"{place_of(plugin.name, model, name)}.{name}" for name in names]


def check_prices(games: Games, game: str, keys: Changes) -> Header:
    """Have a game's own models check what a list sets for it; return the header of a table that has nothing else set.

    Raises:
        BadPrices: there is no such game or setting, or the game does not take the value.
    """
    if game not in games:
        raise BadPrices.saying("There is no game {game} at this floor.", game=repr(game[:40]))
    plugin = games[game]
    known = {field["key"] for field in fields_of(plugin, games)} | set(tables_of(plugin))
    strange = next((key for key in keys if key not in known), None)
    if strange is not None:
        names = ", ".join(sorted(known)) or "none"
        raise BadPrices.saying(
            "{game}: {key} cannot be set by the floor. Known here: {keys}.",
            game=plugin.title,
            key=repr(strange[:60]),
            keys=names,
        )
    try:
        return _header(_NOWHERE, "", games, game, keys)
    except ConfigError as error:
        raise BadPrices.saying("{game}: {what}", game=plugin.title, what=_plain(error)) from error


def _header(path: Path, text: str, games: Games, game: str, keys: Changes) -> Header:
    return parse_config(path, edited(text, {"table.game": game, **keys}), games)[1]


def _plain(error: ConfigError) -> str:
    """Return what is wrong without the line of a file that nobody wrote."""
    told = error.message
    if isinstance(told, Message) and "key" in told.values and "what" in told.values:
        return message("{key}: {what}", key=told.values["key"], what=told.values["what"])
    return told


def priced(path: Path, games: Games, game: str, list_: PriceList, changes: Changes | None = None) -> Header:
    """Return the header of a game as a table has configured it, with the floor's prices and without players.

    Those of the file sit down at the table's first start; by now others may sit there.

    Args:
        path: the table's configuration; it need not be there.
        changes: further settings, over which the floor's win.

    Raises:
        ConfigError: the table's settings and the floor's cannot be used together.
    """
    told = list_.get(game)
    keys = {} if told is None else told.keys
    header = _header(path, file_text(path), games, game, {**(changes or {}), **keys, "players": None})
    return replace(header, prices=None if told is None else told.version)


def followed(now: Header, before: Header, after: Header) -> Header:
    """Return a running table's header once a list changes: what the dealer chose for this session alone stays.

    Args:
        before, after: as configured with the list before, and with the new one.
    """
    if dict(now.options) == dict(before.options):
        return after
    changed = {key: value for key, value in after.options.items() if before.options.get(key) != value}
    gone = before.options.keys() - after.options.keys()
    kept = {key: value for key, value in now.options.items() if key not in gone}
    return replace(after, options={**kept, **changed})


def write_list(folder: Path, list_: PriceList) -> None:
    """Keep a list, for starts without the floor."""
    write_private(folder / FILE, json.dumps({game: asdict(one) for game, one in list_.items()}).encode())


def read_list(folder: Path) -> PriceList | None:
    """Return the list that was kept, an empty one if there is none; None if it is damaged: the floor sends it again."""
    try:
        return parse_list(json.loads((folder / FILE).read_text(encoding="utf-8")))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (*DAMAGED, OSError) as error:
        log.warning("%s is damaged, and the floor asked for it anew: %s", folder / FILE, error)
        return None


def parse_list(told: Any) -> PriceList:
    """Return the list of a JSON object; raises as JSON does where it is none."""
    if not isinstance(told, Mapping):
        raise TypeError("no price list")
    return {str(game): Priced.parse(one) for game, one in told.items()}
