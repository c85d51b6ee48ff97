"""The scripts, style sheets, texts and spots of the game that is shown. What a game lacks is generic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.plugins.plugin import GamePlugin
from companion.plugins.web import Page
from web_ui.access.rights import service
from web_ui.languages import language
from web_ui.strings import Catalogue, catalogue, filled, game_catalogue


def page_files(page: Page, game: str) -> dict[str, Any]:
    """Return what a page of a game is made with: its script, the game's style sheets, its texts and title."""
    plugin = _plugin(game)
    web = plugin.web if plugin is not None else None
    is_own = web is not None and page in web.pages
    folder = f"games/{web.family}/" if web is not None else ""
    return {
        "script": f"{folder}{page}.js" if is_own else f"js/{page}.js",
        "sheets": [folder + style for style in web.styles] if web is not None and is_own else [],
        "game_texts": game_texts(game),
        "game_title": game_title(game),
    }


def page_extras(page: Page, view: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the game's script of a page gets beside the view."""
    plugin = _plugin(str(view.get("game")))
    if plugin is None or plugin.web is None or plugin.web.data is None or page not in plugin.web.pages:
        return {}
    return dict(plugin.web.data(page, view))


def game_texts(game: str) -> Catalogue:
    """Return a game's own texts in the page's language."""
    plugin = _plugin(game)
    return game_catalogue(plugin.web, language()) if plugin is not None and plugin.web is not None else {}


def all_game_texts() -> Catalogue:
    """Return the texts of all games, for the page on which one is chosen."""
    texts: Catalogue = {}
    for plugin in service().games.values():
        texts |= {f"game_{plugin.name}": plugin.title} | game_texts(plugin.name)
    return texts


def game_title(game: str) -> str:
    """Return what people call a game, in the page's language where the game has it; of one that is gone its id."""
    plugin = _plugin(game)
    return str(game_texts(game).get(f"game_{game}") or (plugin.title if plugin is not None else game))


def game_text(game: str, key: str, /, **values: object) -> str:
    """Return one text of a game's catalogue, or of the program's; the key if neither has it."""
    found = (catalogue(language()) | game_texts(game)).get(key)
    return key if found is None else filled(found, **values)


def spot_words(game: str, on: str) -> str:
    """Return a bet's spot in words; as the rules call it where the game has no words."""
    plugin = _plugin(game)
    if plugin is None or plugin.web is None or plugin.web.spot is None:
        return on
    return plugin.web.spot(on, lambda key, /, **values: game_text(game, key, **values))


def round_word(game: str) -> str:
    """Return what one of a game's rounds is called: round, hand, chain."""
    plugin = _plugin(game)
    return plugin.rules.rounds.word if plugin is not None else "round"


def round_title(game: str, number: int) -> str:
    """Return a round's name: "Hand 3"."""
    word = round_word(game)
    found = (catalogue(language(), "history") | game_texts(game)).get(f"hand_word_{word}")
    return filled(found, n=number) if found is not None else f"{word.capitalize()} {number}"


def _plugin(game: str) -> GamePlugin | None:
    return service().games.get(game)
