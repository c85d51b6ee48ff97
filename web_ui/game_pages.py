"""Scripts, style sheets, texts and spots of the current game, with generic defaults."""

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from typing import Final, Literal

from typing_extensions import TypedDict

from companion.kernel.commands import Command, field_name, type_words
from companion.plugins.plugin import GamePlugin
from companion.plugins.web import Page
from web_ui.access.rights import SEAT_VERBS, service
from web_ui.languages import language, said
from web_ui.strings import Catalogue, catalogue, filled, game_catalogue

PLAIN_STYLE: Final = "css/plain.css"
"""The style sheet of the generic pages."""
ELSEWHERE: Final = frozenset({"join", "leave"})
"""Verbs with a form of their own under Players on the dealer's console."""


def page_files(page: Page, game: str) -> dict[str, object]:
    """Return a game page's script, style sheets, texts and title."""
    plugin = _plugin(game)
    web = plugin.web if plugin is not None else None
    is_own = web is not None and page in web.pages
    folder = f"games/{web.family}/" if web is not None else ""
    return {
        "script": f"{folder}{page}.js" if is_own else f"js/{page}.js",
        "sheets": [folder + style for style in web.styles] if web is not None and is_own else [PLAIN_STYLE],
        "game_texts": game_texts(game),
        "game_title": game_title(game),
    }


def page_extras(page: Page, view: Mapping[str, object]) -> dict[str, object]:
    """Return a page script's data besides the view: the game's own, or spots and verbs for a generic page."""
    plugin = _plugin(str(view.get("game")))
    if plugin is None:
        return {}
    if plugin.web is not None and page in plugin.web.pages and plugin.web.data is not None:
        return dict(plugin.web.data(page, view))
    extras: dict[str, object] = {"spot_names": spot_names(plugin)}
    if page in ("dealer", "seat") and (plugin.web is None or page not in plugin.web.pages):
        extras["verbs"] = verb_fields(plugin, page)
    return extras


def spot_names(plugin: GamePlugin) -> dict[str, str]:
    """Return spot -> words of a banked game."""
    return {on: _words_of(plugin, on, words) for on, words in _offers(plugin).items()}


def _offers(plugin: GamePlugin) -> dict[str, str]:
    """Return spot -> the rules' words for the spots on offer; uses the table's options if it plays this game."""
    table = service()
    is_played = table.view("room")["game"] == plugin.name
    house = plugin.house_state(plugin.rules.start((), table.options if is_played else {}))
    return {offer.on: offer.words for offer in house.offers} if house is not None else {}


FieldKind = Literal["number", "flag", "text", "any"]


class FieldJson(TypedDict):
    """A field of the form for a verb."""

    name: str
    kind: FieldKind
    optional: bool


def verb_fields(plugin: GamePlugin, page: Page) -> dict[str, list[FieldJson]]:
    """Return verb -> form fields for the commands that a page may give.

    The dealer's page leaves out `ELSEWHERE`; a seat's page has only the verbs of seats, without the player's name.
    """
    verbs = plugin.rules.verbs
    if page == "seat":
        own = plugin.phone.own_commands if plugin.phone is not None else SEAT_VERBS
        return {verb: _fields(kind, {"player"}) for verb, kind in verbs.items() if verb in own}
    return {verb: _fields(kind, set()) for verb, kind in verbs.items() if verb not in ELSEWHERE}


def _fields(command: type[Command], without: set[str]) -> list[FieldJson]:
    """Return the fields of a command.

    >>> from companion.kernel.commands import Bet
    >>> _fields(Bet, {"player"})
    [{'name': 'on', 'kind': 'text', 'optional': False}, {'name': 'amount', 'kind': 'any', 'optional': False}]
    """
    return [
        {"name": field_name(field), "kind": _kind(type_words(field)), "optional": field.default is not MISSING}
        for field in fields(command)
        if field.name not in without
    ]


def _kind(annotation: str) -> FieldKind:
    return _KINDS.get(annotation.removesuffix(" | None"), "any")


_KINDS: Final[dict[str, FieldKind]] = {"str": "text", "int": "number", "bool": "flag"}


def game_texts(game: str, *parts: str) -> Catalogue:
    """Return a game's own texts in the page's language, including further files such as ``setup``."""
    plugin = _plugin(game)
    return game_catalogue(plugin.web, language(), *parts) if plugin is not None and plugin.web is not None else {}


def all_game_texts() -> Catalogue:
    """Return the texts of all games, for pages on which a game is chosen."""
    texts: Catalogue = {}
    for plugin in service().games.values():
        texts |= {f"game_{plugin.name}": plugin.title} | game_texts(plugin.name, "setup")
    return texts


def game_title(game: str) -> str:
    """Return a game's title, in the page's language if available; the id of a game that is no longer installed."""
    plugin = _plugin(game)
    return str(game_texts(game).get(f"game_{game}") or (plugin.title if plugin is not None else game))


def game_titles() -> dict[str, str]:
    """Return game -> title for the installed games."""
    return {game: game_title(game) for game in service().games}


def game_text(game: str, key: str, /, **values: object) -> str:
    """Return one text of a game's catalogue, or of the program's; the key if neither has it."""
    found = (catalogue(language()) | game_texts(game)).get(key)
    return key if found is None else filled(found, language(), **values)


def luck_notes(games: Iterable[str]) -> list[str]:
    """Return notes on how bets are counted, for games whose bets are evaluated per round; without duplicates."""
    plugins = (_plugin(game) for game in games)
    return list(dict.fromkeys(game_text(one.name, "luck_note") for one in plugins if one and one.odds.rounds))


def spot_words(game: str, on: str) -> str:
    """Return a bet's spot in words: the page's, else those of the rules' offer, else its id."""
    plugin = _plugin(game)
    if plugin is None:
        return on
    offered = {} if plugin.web is not None and plugin.web.spot is not None else _offers(plugin)
    return _words_of(plugin, on, offered.get(on, on))


def _words_of(plugin: GamePlugin, on: str, offered: str) -> str:
    if plugin.web is None or plugin.web.spot is None:
        return said(offered)
    return plugin.web.spot(on, lambda key, /, **values: game_text(plugin.name, key, **values))


def play_notice() -> str:
    """Return the footer of the players' and room pages: the owner's text, or a default about play money."""
    return service().settings.notice or catalogue(language(), "seat")["play_notice"]


def round_word(game: str) -> str:
    """Return a game's word for a round: round, hand, chain."""
    plugin = _plugin(game)
    return plugin.rules.rounds.word if plugin is not None else "round"


def round_title(game: str, number: int) -> str:
    """Return a round's name: "Hand 3"."""
    word = round_word(game)
    found = (catalogue(language(), "history") | game_texts(game)).get(f"hand_word_{word}")
    return filled(found, language(), n=number) if found is not None else f"{word.capitalize()} {number}"


def _plugin(game: str) -> GamePlugin | None:
    return service().games.get(game)
