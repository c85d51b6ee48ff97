"""Loads the configuration: one TOML file, fully validated before anything starts.

Errors name the file, the line and the key. Unknown keys are errors; nothing is guessed.
"""

import difflib
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from companion.config.games import config_model, games_part, options_of
from companion.config.integrations import WebhookConfig
from companion.config.tables import Config, NightConfig, PlayerConfig
from companion.config.toml_lines import line_of
from companion.journal.durable import small_text
from companion.journal.session_transfer import seated
from companion.kernel.errors import BadName, BadScript, CompanionError, TableError, os_reason
from companion.kernel.game import Options
from companion.kernel.messages import Message, Value, Words, message
from companion.kernel.shared.names import new_name, same_name
from companion.kernel.table import Header
from companion.plugins.options import TABLE, OptionError, place_of
from companion.plugins.plugin import GamePlugin
from companion.plugins.registry import Games
from companion.service.night import is_in_order

FILE_NAME: Final = "companion.toml"
LIMITS: Final = ("bank", "min", "max", "cap")
"""The keys of ``[table]`` that a planned game may set besides its own options."""


_LOGIN: Final = re.compile(r"://[^/\s@]+@")
"""The credentials in a URL, which must not reach the log with an error message."""


class ConfigError(CompanionError):
    """The configuration is invalid. The message names file, line, key and the problem."""

    def without_place(self, keys: Collection[str]) -> Words:
        """Return the problem without file and line if it concerns one of these keys, which a form already shows."""
        text = self.message
        if isinstance(text, Message) and text.values.get("key") in keys and "what" in text.values:
            return Message("{what:capital}", {"what": text.values["what"]})
        return text


def load_config(path: Path | None, games: Games, game: str | None = None) -> tuple[Config, Header]:
    """Read a configuration file (None: all defaults) and return it with the table's header.

    Args:
        games: the installed games.
        game: the game from the command line, overriding the file's.

    Raises:
        ConfigError: unreadable or invalid; names file, line and key.
    """
    if path is None:
        return _checked(_with_game(config_model(games)(), game, games), _Source(Path("(no file)"), ""), games)
    return parse_config(path, _text_of(path), games, game)


def parse_config(path: Path, text: str, games: Games, game: str | None = None) -> tuple[Config, Header]:
    """Parse a configuration file's text and return the configuration with the table's header.

    Args:
        path: the file of this text, for messages and relative paths; it need not exist.
        games: the installed games.
        game: the game from the command line, overriding the file's.

    Raises:
        ConfigError: the text is invalid; names file, line and key.
    """
    source = _Source(path, text)
    try:
        config = config_model(games).model_validate(tomllib.loads(source.text))
    except tomllib.TOMLDecodeError as error:
        raise _syntax(source, error) from error
    except RecursionError as error:
        raise ConfigError.saying(
            "{file}: brackets are nested too deeply to be settings. Correct it.", file=str(path)
        ) from error
    except ValidationError as error:
        raise source.error(*_first(error, config_model(games))) from error
    return _checked(_with_game(config, game, games), source, games)


def is_blank(path: Path) -> bool:
    """Whether a configuration file exists but is blank, as after a write to a full disk."""
    return path.is_file() and not _text_of(path).strip()


def _with_game(config: Config, game: str | None, games: Games) -> Config:
    if game is not None:
        try:
            games.named(game)
        except BadScript as error:
            raise ConfigError(error.message) from error
    table = config.table.model_copy(update={"game": game or config.table.game})
    return config.model_copy(update={"table": table})


class _Source:
    """A file's path and text, to locate errors."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.text = text

    def error(self, key: Sequence[str | int], what: str) -> ConfigError:
        """Return the error to raise about a key. List indexes are shown counted from 1."""
        named = ".".join(str(part + 1) if isinstance(part, int) else part for part in key)
        line = line_of(self.text, key)
        return ConfigError.saying(
            "{file}, line {line}: {key}: {what}", file=str(self.path), line=line, key=named, what=what
        )


def _text_of(path: Path) -> str:
    try:
        return small_text(path, "utf-8-sig")  # some editors write a byte order mark
    except OSError as error:
        raise ConfigError.saying(
            "The configuration {path} cannot be read: {error}. Check --config.", path=str(path), error=os_reason(error)
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigError.saying(
            "The configuration {path} is not UTF-8 text ({reason}). Save it as UTF-8.",
            path=str(path),
            reason=error.reason,
        ) from error


def _syntax(source: _Source, error: tomllib.TOMLDecodeError) -> ConfigError:
    found = re.search(r"(?P<what>.*) \(at line (?P<line>\d+), column (?P<column>\d+)\)", str(error))
    line: Value = len(source.text.splitlines()) or 1  # for errors at the end of the document
    what = str(error)
    if found is not None:
        line, what = found["line"], f"{found['what']} (column {found['column']})"
    return ConfigError.saying(
        "{file}, line {line}: this is not TOML: {error}. Correct it.", file=str(source.path), line=line, error=what
    )


def _first(error: ValidationError, model: type[BaseModel]) -> tuple[tuple[str | int, ...], str]:
    """Return the key and message of pydantic's first error."""
    wrong = error.errors(include_url=False)[0]
    key = wrong["loc"]
    if wrong["type"] == "extra_forbidden":
        return key, _unknown(key, model)
    if wrong["type"] == "missing":
        return key, message("this is needed. Add it.")
    seen = _LOGIN.sub("://…@", repr(wrong["input"]))
    seen = seen if len(seen) <= 60 else f"{seen[:59]}…"
    reason = wrong["msg"].removeprefix("Value error, ").replace("Input should", "this should")
    return key, message("{wanted}, not {seen}. Correct it.", wanted=reason, seen=seen)


def _unknown(key: Sequence[str | int], model: type[BaseModel]) -> Message:
    known = _keys_at(key[:-1], model)
    near = difflib.get_close_matches(str(key[-1]), known, n=1, cutoff=0.5)
    if near:
        return message("there is no such key. Did you mean {key}?", key=repr(near[0]))
    return message("there is no such key. Known here: {keys}.", keys=", ".join(known))


_LISTED: Final[dict[str | int, type[BaseModel]]] = {
    "players": PlayerConfig,
    "night": NightConfig,
    "webhooks": WebhookConfig,
}


def _keys_at(path: Sequence[str | int], model: type[BaseModel]) -> list[str]:
    """Return the valid keys of one of the file's tables."""
    for part in path:
        if part in _LISTED:
            model = _LISTED[part]
        elif isinstance(part, str):
            inner = next(field for name, field in model.model_fields.items() if part in (name, field.alias)).annotation
            model = inner if isinstance(inner, type) and issubclass(inner, BaseModel) else model
    return [field.alias or name for name, field in model.model_fields.items()]


# ---- checks across tables


def _checked(config: Config, source: _Source, games: Games) -> tuple[Config, Header]:
    """Run the checks across tables and return the configuration with its header."""
    table = config.table
    if table.game not in games:
        known = ", ".join(games)
        raise source.error(
            ("table", "game"),
            message("there is no game {game} to run. Choose one of {games}.", game=repr(table.game), games=known),
        )
    if table.min is not None and table.max is not None and table.min > table.max:
        raise source.error(
            ("table", "min"),
            message(
                "the minimum {minimum} is above the maximum {maximum}. Correct one.",
                minimum=table.min,
                maximum=table.max,
            ),
        )
    _check_names(config, source)
    options = {game: _game_options(config, plugin, source) for game, plugin in games.items()}
    players = tuple((same_name(player.name), player.coins) for player in config.players)
    header = Header(games.rules(table.game), players, options[table.game])
    _check_options(header, games[table.game], source)
    _check_limits(config, games[table.game], source)
    _check_shoe(config, games[table.game], source)
    _check_players(config, header, source)
    _check_night(config, source, games)
    return config, header


def _check_night(config: Config, source: _Source, games: Games) -> None:
    """Check that every planned game is installed and accepts its options, and that the times are ascending."""
    for place, one in enumerate(config.night):
        if one.game not in games:
            known = ", ".join(games)
            what = message("there is no game {game} to run. Choose one of {games}.", game=repr(one.game), games=known)
            raise source.error(("night", place, "game"), what)
        if place == 0 and one.at is None:
            raise source.error(("night", 0, "minutes"), message("the first game needs a time, such as 20:00. Add it."))
        _check_planned(config, place, source, games)
    if not is_in_order(config.plan):
        last = ("night", len(config.night) - 1, "at")
        raise source.error(last, message("the games' times are not one after the other. Put them in order."))


def _check_planned(config: Config, place: int, source: _Source, games: Games) -> None:
    plan = config.night[place]
    if not plan.options:
        return
    plugin = games[plan.game]
    known = {*options_of(plugin).model_fields, *LIMITS}
    unknown = next((key for key in plan.options if key not in known), None)
    if unknown is not None:
        what = message("there is no such key. Known here: {keys}.", keys=", ".join(sorted(known)))
        raise source.error(("night", place, "options", unknown), what)
    try:
        without = config.model_dump(by_alias=True, exclude_unset=True, exclude={"night", "players"})
        changed = config_model(games).model_validate(_with_keys(without, planned_keys(plan, plugin)))
        _checked(_with_game(changed, plan.game, games), source, games)
    except ValidationError as error:
        raise source.error(("night", place, "options"), _first(error, config_model(games))[1]) from error
    except ConfigError as error:
        raise source.error(("night", place, "options"), error.message) from error


def planned_keys(plan: NightConfig, plugin: GamePlugin) -> dict[str, object]:
    """Return the options of a planned game as dotted keys of the configuration."""
    model = options_of(plugin)
    return {f"{place_of(plugin.name, model, key)}.{key}": value for key, value in plan.options.items()}


def _with_keys(tables: Mapping[str, Any], keys: Mapping[str, object]) -> dict[str, Any]:
    """Return configuration tables with some dotted keys set."""
    changed = dict(tables)
    for key, value in keys.items():
        place, _, name = key.partition(".")
        changed[place] = {**changed.get(place, {}), name: value}
    return changed


def _game_options(config: Config, plugin: GamePlugin, source: _Source) -> Options:
    """Return a game's header options. Called for unused games too, so that mistakes in their tables are reported."""
    model = options_of(plugin)
    try:
        chosen = games_part(config, plugin)
        limits = config.table.limits() if plugin.house is not None else {}
        return {**chosen.header(source.path.parent), **limits}
    except ValidationError as error:
        if plugin.name != config.table.game:
            return {}  # a shared option may be meant for another game
        key, what = _first(error, model)
    except OptionError as error:
        key, what = error.key, error.what
    raise source.error((place_of(plugin.name, model, str(key[0]) if key else ""), *key), what)


def _check_options(header: Header, plugin: GamePlugin, source: _Source) -> None:
    """Have the game check its options together; the error names the line of the option that fails on its own, too."""
    model = options_of(plugin)
    try:
        header.rules.start((), header.options)
    except BadScript as error:
        alone = (key for key, value in header.options.items() if _refusal(header, {key: value}) == error.message)
        key = next(alone, "")
        raise source.error((place_of(plugin.name, model, key), *([key] if key else ())), error.message) from error


def _refusal(header: Header, options: Options) -> str | None:
    """Return the message with which the game refuses options, or None."""
    try:
        header.rules.start((), options)
    except BadScript as error:
        return error.message
    return None


def _check_limits(config: Config, plugin: GamePlugin, source: _Source) -> None:
    try:
        games_part(config, plugin).check_limits(config.table.limits() if plugin.house is not None else {})
    except OptionError as error:
        raise source.error((TABLE, *error.key), error.what) from error


def _check_shoe(config: Config, plugin: GamePlugin, source: _Source) -> None:
    """Check that a shoe's decks are distinct, and as many as the game's options say."""
    shoe, options = config.table.shoe, games_part(config, plugin)
    if len(set(shoe)) < len(shoe):
        raise source.error((TABLE, "shoe"), message("a deck stands here twice. Leave one out."))
    decks = getattr(options, options.decks_option) if options.decks_option is not None else len(shoe)
    if shoe and decks != len(shoe):
        what = message(
            "decks in the shoe: {n}, decks that {game} is played with: {decks}. Change one of the two.",
            n=len(shoe),
            game=plugin.title,
            decks=decks,
        )
        raise source.error((TABLE, "shoe"), what)


def _check_players(config: Config, header: Header, source: _Source) -> None:
    """Check that the game has seats for all players and that nobody brings too much. Too few players are allowed."""
    most = config.play.most_brought
    for place, player in enumerate(config.players):
        if most and player.coins > most:
            what = message("a player may bring at most {most} coins in an evening. Change one of the two.", most=most)
            raise source.error(("players", place, "coins"), what)
    try:
        seated(header, header.seats, dict(header.players))
    except TableError as error:
        raise source.error(("players",), error.message) from error


def _check_names(config: Config, source: _Source) -> None:
    names: set[str] = set()
    for place, player in enumerate(config.players):
        try:
            names.add(new_name(player.name, names))
        except BadName as error:
            raise source.error(("players", place, "name"), error.message) from error
