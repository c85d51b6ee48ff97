"""Configuration of the installed games: a table named after each game, and options shared under ``[table]``.

One file may configure several games; only the options of the game being played are used.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any

from pydantic import BaseModel, Field, create_model
from pydantic.fields import FieldInfo

from companion.config.tables import Config, Part, TableConfig
from companion.kernel.errors import BadScript
from companion.plugins.options import GameOptions, setting
from companion.plugins.plugin import GamePlugin
from companion.plugins.registry import Games

Models = tuple[tuple[str, type[GameOptions]], ...]


def options_of(plugin: GamePlugin) -> type[GameOptions]:
    """Return the model of a game's options."""
    return plugin.options() if plugin.options is not None else GameOptions


def config_model(games: Games) -> type[Config]:
    """Return the model of the whole file for these installed games."""
    models = tuple((name, options_of(plugin)) for name, plugin in games.items())
    return _config_model(models, games.default.name if games else "")


def games_part(config: Config, plugin: GamePlugin) -> GameOptions:
    """Return a game's options from a configuration, shared ones included.

    Raises:
        pydantic.ValidationError: the options are invalid for this game.
    """
    model = options_of(plugin)
    own = getattr(config, _field_name(plugin.name), None)
    given: dict[str, object] = {}
    for name, field in model.model_fields.items():
        part: BaseModel | None = config.table if setting(field).is_shared else own
        if part is not None and name in part.model_fields_set:
            given[name] = getattr(part, name)
    return model.model_validate(given)


@cache
def _config_model(models: Models, default: str) -> type[Config]:
    shared: dict[str, Any] = {"game": (str, default)}
    tables: dict[str, Any] = {}
    for game, model in models:
        fields = {name: field for name, field in model.model_fields.items() if setting(field).is_shared}
        shared |= {name: _definition(field, shared.get(name)) for name, field in fields.items()}
        own: dict[str, Any] = {
            name: (field.annotation, field) for name, field in model.model_fields.items() if name not in fields
        }
        if own:
            table = create_model(f"{model.__name__}Table", __base__=Part, **own)
            tables[_field_name(game)] = (table, Field(default=table(), alias=game))
    _refuse_taken([game for game, _ in models if _field_name(game) in tables])
    everything = create_model("GamesTable", __base__=TableConfig, **shared)
    return create_model("GamesConfig", __base__=Config, table=(everything, everything()), **tables)


def _refuse_taken(games: Iterable[str]) -> None:
    taken = next((game for game in games if game in Config.model_fields), None)
    if taken is not None:
        raise BadScript(f"A game cannot be called {taken!r}: the configuration has a table of that name. Uninstall it.")


def _definition(field: FieldInfo, before: tuple[Any, Any] | None) -> tuple[Any, Any]:
    """Return a shared option for `create_model`. If games differ in its type, a union; each game validates its own."""
    if before is None or before[0] == field.annotation:
        return before or (field.annotation, field)
    return before[0] | field.annotation, field.default


def _field_name(game: str) -> str:
    return f"game_{game.replace('-', '_')}"
