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
"""Verbs that the dealer's console offers under Players."""


def page_files(page: Page, game: str) -> dict[str, object]:
    """Return what a page of a game is made with: its script, the game's style sheets, its texts and title."""
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
    """Return what the script of a page gets beside the view: what the game says, or its verbs for a generic page."""
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
    """Return the spots of a game against the house in words."""
    return {on: _words_of(plugin, on, words) for on, words in _offers(plugin).items()}


def _offers(plugin: GamePlugin) -> dict[str, str]:
    """Return what the rules call each spot that the house offers, under the table's options where it plays this."""
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
    """Return what each verb of a game takes that the page may give: the fields of its form.

    Who plays, sits down and leaves has forms of its own; a seat says only what a seat may say, for its own player.
    """
    verbs = plugin.rules.verbs
    if page == "seat":
        own = plugin.phone.own if plugin.phone is not None else SEAT_VERBS
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
    """Return a game's own texts in the page's language, those of further files such as ``setup`` included."""
    plugin = _plugin(game)
    return game_catalogue(plugin.web, language(), *parts) if plugin is not None and plugin.web is not None else {}


def all_game_texts() -> Catalogue:
    """Return the texts of all games, for the page on which one is chosen."""
    texts: Catalogue = {}
    for plugin in service().games.values():
        texts |= {f"game_{plugin.name}": plugin.title} | game_texts(plugin.name, "setup")
    return texts


def game_title(game: str) -> str:
    """Return what people call a game, in the page's language where the game has it; of one that is gone its id."""
    plugin = _plugin(game)
    return str(game_texts(game).get(f"game_{game}") or (plugin.title if plugin is not None else game))


def game_titles() -> dict[str, str]:
    """Return what people call each installed game, in the page's language."""
    return {game: game_title(game) for game in service().games}


def game_text(game: str, key: str, /, **values: object) -> str:
    """Return one text of a game's catalogue, or of the program's; the key if neither has it."""
    found = (catalogue(language()) | game_texts(game)).get(key)
    return key if found is None else filled(found, language(), **values)


def luck_notes(games: Iterable[str]) -> list[str]:
    """Return how the bets are counted in those games that tell a round's bets as a whole, each note once."""
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
    """Return what stands at the foot of a player's page and the room's: the owner's sentence, else one about coins."""
    return service().settings.notice or catalogue(language(), "seat")["play_notice"]


def round_word(game: str) -> str:
    """Return what one of a game's rounds is called: round, hand, chain."""
    plugin = _plugin(game)
    return plugin.rules.rounds.word if plugin is not None else "round"


def round_title(game: str, number: int) -> str:
    """Return a round's name: "Hand 3"."""
    word = round_word(game)
    found = (catalogue(language(), "history") | game_texts(game)).get(f"hand_word_{word}")
    return filled(found, language(), n=number) if found is not None else f"{word.capitalize()} {number}"


def _plugin(game: str) -> GamePlugin | None:
    return service().games.get(game)
