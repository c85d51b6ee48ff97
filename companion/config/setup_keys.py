"""The settings that the set-up page may write, and its form fields for each game."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Final

from typing_extensions import TypedDict

from companion.config.games import options_of
from companion.plugins.options import FormField, FormFieldJson, form_fields, place_of, settable_keys
from companion.plugins.plugin import GamePlugin
from companion.plugins.registry import Games

SETTABLE: Final = (
    "table.game", "table.deck_id", "table.shoe", "table.bank", "table.min", "table.max", "table.cap",
    "table.verify", "table.turn_seconds", "table.chances", "table.practice", "table.wait_for_payments",
    "coins.chips", "play.remind_minutes", "play.most_brought", "camera.source", "web.language", "voice.on",
    "voice.language",
)  # fmt: skip
"""Settable keys outside the games' tables. No paths: the dealer's PIN must not give access to files or coins."""

AT_ONCE: Final = frozenset(
    {
        "table.turn_seconds", "table.chances", "table.practice", "table.wait_for_payments", "coins.chips",
        "play.remind_minutes", "play.most_brought", "web.language", "voice.on", "voice.language",
    }
)  # fmt: skip
"""Keys that take effect without a restart."""


def settable(games: Games) -> tuple[str, ...]:
    """Return every dotted key that the set-up page may write with these games installed."""
    own = (settable_keys(name, options_of(plugin)) for name, plugin in games.items())
    return tuple(dict.fromkeys(chain(SETTABLE, *own)))


_COINS: Final = (FormField("table.bank", "number", "Bank", least=0, needed=True, coins=True), *(
    FormField(f"table.{name}", "number", name.capitalize(), least=1, coins=True) for name in ("min", "max", "cap")
))  # fmt: skip
_CHANCES: Final = FormField("table.chances", "switch", "Chances")
_TIMER: Final = FormField("table.turn_seconds", "number", "Seconds for a turn", least=5)


class GameForm(TypedDict):
    """An installed game, with the fields of its settings."""

    id: str
    title: str
    fields: list[FormFieldJson]
    decks: str | None
    "The setting that says how many decks are played together; null where one is."


def game_forms(games: Games) -> list[GameForm]:
    """Return the installed games with their form fields."""
    return [
        {
            "id": name,
            "title": plugin.title,
            "fields": [field.to_json() for field in _fields(plugin)],
            "decks": _decks_key(plugin),
        }
        for name, plugin in games.items()
    ]


def _decks_key(plugin: GamePlugin) -> str | None:
    model = options_of(plugin)
    option = model.decks_option
    return None if option is None else f"{place_of(plugin.name, model, option)}.{option}"


def _fields(plugin: GamePlugin) -> Iterator[FormField]:
    model = options_of(plugin)
    yield from form_fields(plugin.name, model, has_edges=plugin.house is not None)
    yield from _COINS if plugin.house is not None else ()
    yield from (_CHANCES,) if plugin.odds.next_events is not None else ()
    yield from (_TIMER,) if model.has_turns else ()


def flat(record: Mapping[str, object], prefix: str = "") -> dict[str, object]:
    """Return nested tables as dotted keys.

    >>> flat({"table": {"min": 5}, "players": []})
    {'table.min': 5, 'players': []}
    """
    found: dict[str, object] = {}
    for key, value in record.items():
        if isinstance(value, Mapping):
            found |= flat(value, f"{prefix}{key}.")
        else:
            found[prefix + key] = value
    return found
