"""The pit's price list pages: settings by scope, version history, and the versions tables play by."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from flask import Blueprint, redirect, request, session, url_for

from companion.config.price_list import fields_of, tables_of
from companion.floor.desk.prices import NOTHING, Document, Scope, Setting, Version, changes_between, group_of
from companion.floor.errors import FloorError
from companion.kernel.messages import message
from web_ui.floor.labels import choice_words, key_words
from web_ui.floor.people import Page, may, page
from web_ui.floor.table_api import house

blueprint = Blueprint("prices", __name__, url_prefix="/prices")

_SWITCH: Final = {"yes": True, "no": False}
_MAX_DIGITS: Final = 13


@blueprint.get("")
@may("look")
def show() -> Page:
    """Show the settings, the tables' versions, and the history."""
    book = house().prices
    latest, versions = book.latest(), book.versions()
    lines = sorted(house().board.lines(), key=lambda line: line.table_id)
    return page(
        "floor/prices.html",
        latest=latest,
        document=_document(latest),
        lines=lines,
        versions=list(zip(versions, _changes(versions), strict=True)),
        games=book.games,
        group_of=group_of,
        key_words=key_words,
        choice_words=choice_words,
    )


@blueprint.get("/versions/<int:number>")
@may("look")
def show_version(number: int) -> Page:
    """Show a version and its changes."""
    book = house().prices
    found = book.version(number)
    (changed,) = _changes([found])
    return page("floor/price_version.html", version=found, document=found.document, changed=changed, games=book.games,
                latest=book.latest(), key_words=key_words, choice_words=choice_words)  # fmt: skip


@blueprint.post("/versions/<int:number>/bring-back")
@may("prices")
def bring_back(number: int) -> Page:
    """Save an old version as a new one."""
    house().prices.bring_back(number, base=_base(), who=session["name"])
    return redirect(url_for(".show"))


@blueprint.get("/edit")
@may("prices")
def edit() -> Page:
    """Show the form for a scope's settings of a game."""
    latest = house().prices.latest()
    scope, game = Scope.parse(request.args.get("scope", "")), _game(request.args.get("game", ""))
    keys = scope.games_in(_document(latest)).get(game, {})
    return _form(scope, game, {key: _written(value) for key, value in keys.items()}, latest)


@blueprint.post("/edit")
@may("prices")
def save() -> Page:
    """Save a scope's settings for a game; if the game rejects them, show the form again."""
    scope, game = Scope.parse(request.form.get("scope", "")), _game(request.form.get("game", ""))
    given = {key[2:]: value for key, value in request.form.items() if key.startswith("k-")}
    try:
        house().prices.set_games(scope, game, _parsed(game, given), base=_base(), who=session["name"])
    except FloorError as error:
        return _form(scope, game, given, house().prices.latest(), wrong=error.message, base=_base())
    return redirect(url_for(".show"))


@blueprint.post("/groups")
@may("prices")
def set_group() -> Page:
    """Set a group's member tables."""
    name, tables = request.form.get("group", ""), request.form.getlist("table")
    house().prices.set_group(name, tables, base=_base(), who=session["name"])
    return redirect(url_for(".show"))


def _form(
    scope: Scope, game: str, given: Mapping[str, str], latest: Version | None, *, wrong: str | None = None,
    base: int | None = None,
) -> Page:  # fmt: skip
    plugin = house().prices.games[game]
    number = 0 if latest is None else latest.number
    return page("floor/price_edit.html", scope=scope, game=plugin, fields=fields_of(plugin, house().prices.games),
                tables=tables_of(plugin), given=given, base=number if base is None else base, wrong=wrong,
                key_words=key_words, choice_words=choice_words)  # fmt: skip


def _document(latest: Version | None) -> Document:
    return {name: dict(part) for name, part in (NOTHING if latest is None else latest.document).items()}


Changed = list[tuple[Setting, Any, Any]]


def _changes(versions: Sequence[Version]) -> list[Changed]:
    """Return the changes of each of some consecutive versions, newest first."""
    if not versions:
        return []
    oldest = versions[-1].number
    first = house().prices.version(oldest - 1).document if oldest > 1 else NOTHING
    documents = [_flat(one) for one in (*(version.document for version in versions), first)]
    return [changes_between(before, after) for after, before in pairwise(documents)]


def _flat(document: Document) -> dict[Setting, Any]:
    """Return all settings of a document."""
    scopes = {"house": document["house"]}
    scopes |= {f"group/{name}": group["games"] for name, group in document["groups"].items()}
    scopes |= {f"table/{name}": games for name, games in document["tables"].items()}
    found: dict[Setting, Any] = {
        (f"group/{name}", "", ""): group["tables"] for name, group in document["groups"].items()
    }
    for scope, games in scopes.items():
        for game, keys in games.items():
            found |= {(scope, game, key): value for key, value in keys.items()}
    return found


# ---- form parsing


def _base() -> int:
    text = request.form.get("base", "")
    if not (text.isascii() and text.isdecimal()) or len(text) > _MAX_DIGITS:
        raise FloorError.coded("bad-request", "This page is too old. Load it again.")
    return int(text)


def _game(name: str) -> str:
    games = house().prices.games
    if name not in games:
        raise FloorError.coded("bad-prices", "There is no game {game} at this floor.", game=repr(name[:40]))
    return name


def _parsed(game: str, given: Mapping[str, str]) -> dict[str, Any]:
    """Return a form's settings; empty fields are not set."""
    plugin, games = house().prices.games[game], house().prices.games
    kinds = {field["key"]: str(field["kind"]) for field in fields_of(plugin, games)}
    kinds |= dict.fromkeys(tables_of(plugin), "table")
    return {key: _value(key, kinds[key], text.strip()) for key, text in given.items() if key in kinds and text.strip()}


def _value(key: str, kind: str, text: str) -> Any:
    if kind == "choice":
        return text
    if kind == "switch":
        return _SWITCH.get(text, text)
    if kind == "table":
        return _price_table([_priced(line) for line in text.splitlines() if line.strip()])
    if not (text.isascii() and text.isdecimal()) or len(text) > _MAX_DIGITS:
        raise FloorError.coded("bad-prices", "{key} is a whole number, not {text}.", key=key, text=repr(text[:40]))
    return int(text)


def _price_table(prices: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return prices by name; rejects duplicates rather than picking one."""
    found: dict[str, str] = {}
    for name, price in prices:
        if found.setdefault(name, price) != price:
            text = message("{name} has two prices: {first} and {second}. Leave one.",
                           name=name[:40], first=found[name][:40], second=price[:40])  # fmt: skip
            raise FloorError("bad-prices", text)
    return found


def _priced(line: str) -> tuple[str, str]:
    name, equals, price = (part.strip() for part in line.partition("="))
    if not equals or not name or not price:
        text = message("{line} is no price. Write one a line, such as cut/6 = 8:1.", line=repr(line.strip()[:60]))
        raise FloorError("bad-prices", text)
    return name, price


def _written(value: Any) -> str:
    """Return a value as text for the form.

    >>> _written(True), _written(5), _written({"cut": {"6": "8:1"}, "cavalry": 290})
    ('yes', '5', 'cut/6 = 8:1\\ncavalry = 290')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        lines = []
        for name, price in value.items():
            by_suit = price if isinstance(price, Mapping) else {None: price}
            lines += [f"{name if suit is None else f'{name}/{suit}'} = {one}" for suit, one in by_suit.items()]
        return "\n".join(lines)
    return str(value)
