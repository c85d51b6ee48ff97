"""The house's configuration: one TOML file, checked whole before anything starts.

Errors name the file, the line and the key. Nothing here is guessed at: an unknown key is an error, too.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from companion.config.die import DieConfig
from companion.config.games import OWN_TABLES, CapitalConfig, CoinsConfig, HouseConfig, RochiConfig, StreetConfig
from companion.config.panel import PanelConfig
from companion.config.toml_lines import line_of
from companion.games.roche.odds import players_edges
from companion.games.roche.paytable import Layout, Paytable, RocheDeck, load_paytable, load_paytable_file
from companion.journal.session_transfer import seated
from companion.kernel.errors import BadScript, CompanionError, TableError
from companion.kernel.shared.banked import LIMITS, proposed
from companion.kernel.table import Header
from companion.plugins.registry import Games
from companion.service.settings import TableSettings

FILE_NAME: Final = "companion.toml"
_MOST: Final = 10**12

BANK: Final = 2000
"""The bank of a house that has not said its own: what twenty players bring who come with the usual 100 coins."""

Coins = Annotated[int, Field(ge=1, le=_MOST)]


class ConfigError(CompanionError):
    """The configuration cannot be used: file, line, key, and what is wrong there."""


class Part(BaseModel):
    """Base of the file's tables: frozen, strict about types, no unknown keys."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class TableConfig(Part):
    """``[table]``: what is played here, and within which limits (coins)."""

    game: str = "roche"
    layout: Layout = "basic"
    deck: RocheDeck = "full"
    deck_id: Annotated[str, Field(pattern=r"^[A-Z0-9]{4}$")] | None = None
    bank: Annotated[int, Field(ge=0, le=_MOST)] = BANK
    "What the house puts up: all bets of a round together can never win more; 0 for no limit."
    min: Coins | None = None
    max: Coins | None = None
    cap: Coins | None = None
    verify: Literal["strict", "relaxed"] = "strict"
    insist: bool = False
    turn_seconds: Annotated[int, Field(ge=5, le=3600)] | None = None
    chances: bool = False
    practice: bool = False
    paytable: dict[str, Any] = Field(default_factory=dict)
    paytable_file: str | None = None

    def limits(self) -> dict[str, int]:
        """Return the limits of a game against the house as header options: the owner's own, else the bank's share."""
        own = {"min": self.min, "max": self.max, "cap": self.cap}
        if self.bank:
            share = proposed(self.bank, self.min)
            own |= {"max": self.max or share, "cap": self.cap or share, "bank": self.bank}
        return {key: coins for key, coins in own.items() if coins is not None}


class PlayerConfig(Part):
    """``[[players]]``: who sits here when the journal is new."""

    name: Annotated[str, Field(min_length=1, max_length=40, pattern=r"^\S(.*\S)?$")]
    coins: Annotated[int, Field(ge=0, le=_MOST)] = 0


class CameraConfig(Part):
    """``[camera]``: where pictures come from, and what to ask of it (pixels, frames a second)."""

    source: str = "auto"
    width: Annotated[int, Field(ge=320, le=8192)] = 1920
    height: Annotated[int, Field(ge=240, le=8192)] = 1080
    fps: Annotated[int, Field(ge=1, le=120)] = 30


Language = Literal["auto", "en", "de", "es"]
"""``auto``: what the looking browser prefers; for the voice, the room's language, else English."""


class WebConfig(Part):
    """``[web]``: where the dashboard listens, and the language of the room's screen."""

    host: str = "0.0.0.0"
    port: Annotated[int, Field(ge=1, le=65535)] = 8080
    language: Language = "auto"


class VoiceConfig(Part):
    """``[voice]``: what the table itself says aloud, by espeak-ng: off unless wanted."""

    on: bool = False
    language: Language = "auto"
    speed: Annotated[int, Field(ge=80, le=400)] = 160
    "Words a minute."
    volume: Annotated[int, Field(ge=0, le=200)] = 100


class EvidenceConfig(Part):
    """``[evidence]``: how much of the disk the pictures of what was read may take."""

    limit_mb: Annotated[int, Field(ge=1, le=1_000_000)] = 500


class Config(Part):
    """The whole file; what is left out has its default."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", populate_by_name=True)

    table: TableConfig = TableConfig()
    coins: CoinsConfig = CoinsConfig()
    rochi: RochiConfig = RochiConfig()
    rugen_street: StreetConfig = Field(default=StreetConfig(), alias="rugen-street")
    rugen_house: HouseConfig = Field(default=HouseConfig(), alias="rugen-house")
    rugen_capital: CapitalConfig = Field(default=CapitalConfig(), alias="rugen-capital")
    players: list[PlayerConfig] = Field(default_factory=list)
    camera: CameraConfig = CameraConfig()
    web: WebConfig = WebConfig()
    voice: VoiceConfig = VoiceConfig()
    evidence: EvidenceConfig = EvidenceConfig()
    panel: PanelConfig = PanelConfig()
    die: DieConfig = DieConfig()

    def header(self, games: Games, paytable: Paytable | None = None) -> Header:
        """Return what the table is started with, with no option that its game does not know.

        Args:
            paytable: Roche's prices; those that are not the printed ones go along.
        """
        return Header(
            games.rules(self.table.game), tuple((p.name, p.coins) for p in self.players), self._options(paytable)
        )

    def _options(self, paytable: Paytable | None) -> dict[str, Any]:
        table, game = self.table, self.table.game
        limits = self.table.limits()
        if game == "roche":
            changes = _unlike_printed(paytable) if paytable is not None else {}
            options: dict[str, Any] = {"layout": table.layout, "deck": table.deck, **limits}
            return options | ({"paytable": changes} if changes else {})
        own: dict[str, Any] = getattr(self, OWN_TABLES[game]).options() if game in OWN_TABLES else {}
        if game in ("rochi", "captains"):
            return {"deck": table.deck, **own}
        return own if game == "rugen-street" else own | limits

    @property
    def settings(self) -> TableSettings:
        """How the table is shown."""
        table = self.table
        return TableSettings(tuple(self.coins.chips), table.turn_seconds, table.chances, table.practice)


def load_config(path: Path | None, games: Games, game: str | None = None) -> tuple[Config, Header]:
    """Read a configuration file (None: all defaults) and return it with the header of the table it describes.

    Args:
        games: the installed games.
        game: what the command line wants played instead of the file's game.

    Raises:
        ConfigError: it cannot be read or used; file, line and key are named.
    """
    if path is None:
        return _checked(_with_game(Config(), game), _Source(Path("(no file)"), ""), games)
    return parse_config(path, _text_of(path), games, game)


def parse_config(path: Path, text: str, games: Games, game: str | None = None) -> tuple[Config, Header]:
    """Return what a configuration file says, or would say, with the header of the table that it describes.

    Args:
        path: where the text stands, or shall stand.
        games: the installed games.
        game: what the command line wants played instead of the file's game.

    Raises:
        ConfigError: it cannot be used; file, line and key are named.
    """
    source = _Source(path, text)
    try:
        config = Config.model_validate(tomllib.loads(source.text))
    except tomllib.TOMLDecodeError as error:
        raise _syntax(source, error) from error
    except RecursionError as error:
        raise ConfigError(f"{path}: brackets are nested too deeply to be settings. Correct it.") from error
    except ValidationError as error:
        raise source.error(*_first(error)) from error
    return _checked(_with_game(config, game), source, games)


def _with_game(config: Config, game: str | None) -> Config:
    table = config.table.model_copy(update={"game": game or config.table.game})
    return config.model_copy(update={"table": table})


class _Source:
    """A file and its text, to say where something stands."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.text = text

    def error(self, key: Sequence[str | int], what: str) -> ConfigError:
        """Return the error to raise about a key. Lists are counted from 1 for people."""
        named = ".".join(str(part + 1) if isinstance(part, int) else part for part in key)
        return ConfigError(f"{self.path}, line {line_of(self.text, key)}: {named}: {what}")


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")  # some editors write a mark before the text
    except OSError as error:
        raise ConfigError(f"The configuration {path} cannot be read: {error.strerror}. Check --config.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"The configuration {path} is not UTF-8 text ({error.reason}). Save it as UTF-8.") from error


def _syntax(source: _Source, error: tomllib.TOMLDecodeError) -> ConfigError:
    found = re.search(r"(?P<what>.*) \(at line (?P<line>\d+), column (?P<column>\d+)\)", str(error))
    if found is None:  # "at end of document"
        last = len(source.text.splitlines()) or 1
        return ConfigError(f"{source.path}, line {last}: this is not TOML: {error}. Correct it.")
    where = f"{source.path}, line {found['line']}"
    return ConfigError(f"{where}: this is not TOML: {found['what']} (column {found['column']}). Correct it.")


def _first(error: ValidationError) -> tuple[tuple[str | int, ...], str]:
    """Return the key and the words of the first thing that pydantic found wrong."""
    wrong = error.errors(include_url=False)[0]
    key = wrong["loc"]
    if wrong["type"] == "extra_forbidden":
        return key, _unknown(key)
    if wrong["type"] == "missing":
        return key, "this is needed. Add it."
    seen = repr(wrong["input"])
    seen = seen if len(seen) <= 60 else f"{seen[:59]}…"
    said = wrong["msg"].removeprefix("Value error, ").replace("Input should", "this should")
    return key, f"{said}, not {seen}. Correct it."


def _unknown(key: Sequence[str | int]) -> str:
    known = _keys_at(key[:-1])
    near = difflib.get_close_matches(str(key[-1]), known, n=1, cutoff=0.5)
    hint = f"Did you mean {near[0]!r}?" if near else f"Known here: {', '.join(known)}."
    return f"there is no such key. {hint}"


def _keys_at(path: Sequence[str | int]) -> list[str]:
    """Return the keys that the file may have in one of its tables."""
    model: type[BaseModel] = Config
    for part in path:
        if part == "players":
            model = PlayerConfig
        elif isinstance(part, str):
            inner = model.model_fields[part.replace("-", "_")].annotation
            model = inner if isinstance(inner, type) and issubclass(inner, BaseModel) else model
    return [field.alias or name for name, field in model.model_fields.items()]


# ---- what the parts say together


def _checked(config: Config, source: _Source, games: Games) -> tuple[Config, Header]:
    """Return the configuration and its header once both make sense."""
    table = config.table
    if table.game not in games:
        known = ", ".join(games)
        raise source.error(("table", "game"), f"there is no game {table.game!r} to run. It knows {known}.")
    if table.min is not None and table.max is not None and table.min > table.max:
        raise source.error(("table", "min"), f"the minimum {table.min} is above the maximum {table.max}. Correct one.")
    _check_names(config, source)
    paytable = _paytable(table, source)
    _check_edges(table, paytable, source)
    header = config.header(games, paytable)
    _check_options(header, source)
    _check_players(header, source)
    return config, header


def _check_options(header: Header, source: _Source) -> None:
    """Have the game itself look at its options, one after the other, so that the error finds its line."""
    for key, value in header.options.items():
        try:
            header.rules.start((), {key: value})
        except BadScript as error:
            where = header.game if header.game in OWN_TABLES and key not in ("deck", *LIMITS) else "table"
            raise source.error((where, key), str(error)) from error


def _check_players(header: Header, source: _Source) -> None:
    """Refuse players who cannot all sit at this game. Too few may wait for others."""
    try:
        seated(header, header.seats, dict(header.players))
    except TableError as error:
        raise source.error(("players",), str(error)) from error


def _check_names(config: Config, source: _Source) -> None:
    names: set[str] = set()
    for place, player in enumerate(config.players):
        if player.name in names:
            raise source.error(
                ("players", place, "name"), f"{player.name} sits here already. Give each their own name."
            )
        names.add(player.name)


def _paytable(table: TableConfig, source: _Source) -> Paytable:
    """Return the prices: the printed ones, changed by a file, then by the configuration itself."""
    paytable = load_paytable(table.deck)
    if table.paytable_file is not None:
        file = source.path.parent / table.paytable_file
        if not file.is_file():
            raise source.error(("table", "paytable_file"), f"there is no file {file}. Check the path.")
        paytable = load_paytable_file(file)
        if paytable.deck != table.deck:
            what = f"its prices are for the {paytable.deck} deck, this table plays the {table.deck} one. Change one."
            raise source.error(("table", "paytable_file"), what)
    for family, prices in table.paytable.items():
        for rank in prices if isinstance(prices, dict) and prices else (None,):
            key = ("table", "paytable", family) if rank is None else ("table", "paytable", family, rank)
            try:
                paytable = paytable.with_changes({family: prices if rank is None else {rank: prices[rank]}})
            except BadScript as error:
                raise source.error(key, str(error)) from error
    return paytable


def _check_edges(table: TableConfig, paytable: Paytable, source: _Source) -> None:
    """Refuse prices that the house loses at, unless the owner insists."""
    wrong = () if table.insist else players_edges(paytable, table.layout)
    if not wrong:
        return
    worst = min(wrong, key=lambda odds: odds.edge)
    family, _, spot = worst.on.partition("/")
    inline = ("table", "paytable", family, spot[:1]) if spot else ("table", "paytable", family)
    key = ("table", "paytable_file") if table.paytable_file and family not in table.paytable else inline
    more = f" So do {len(wrong) - 1} other bets." if len(wrong) > 1 else ""
    raise source.error(
        key,
        f"{worst.on} pays {worst.pays}, which leaves the players an edge of {float(-worst.edge):.2%}.{more} "
        "Lower the price, or write insist = true under [table].",
    )


def _unlike_printed(paytable: Paytable) -> dict[str, Any]:
    """Return the prices that differ from the printed ones, as a header's ``paytable``."""
    printed = load_paytable(paytable.deck)
    changed = tuple((on, price) for on, price in paytable.prices if dict(printed.prices).get(on) != price)
    return Paytable(paytable.deck, changed).as_changes()
