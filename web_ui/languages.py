"""The language of a page: the visitor's choice, else the configured one for the room's screen, else the browser's."""

from typing import Any, Final

from flask import Flask, current_app, g, has_request_context, request
from flask.json.provider import DefaultJSONProvider
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header

from companion.kernel.messages import in_words_of
from companion.locale import Translator
from web_ui.strings import LANGUAGES, text

COOKIE: Final = "language"
ROOM: Final = "ROOM_LANGUAGE"
ROOM_PAGE: Final = "/"
_LONGEST: Final = 500
"""Maximum length read of an Accept-Language header: browsers send a few languages, an attacker thousands."""


def language() -> str:
    """Return the current request's language, cached as it is needed for every text; English outside requests."""
    if not has_request_context():
        return "en"
    if "language" not in g:
        g.language = _asked_for()
    return str(g.language)


def _asked_for() -> str:
    chosen = request.cookies.get(COOKIE, "")
    if chosen in LANGUAGES:
        return chosen
    room = str(current_app.config.get(ROOM, "auto"))
    if room in LANGUAGES and request.path == ROOM_PAGE:
        return room
    wanted = parse_accept_header(request.headers.get("Accept-Language", "")[:_LONGEST], LanguageAccept)
    return wanted.best_match(list(LANGUAGES)) or "en"


def said(sentence: str) -> str:
    """Translate a table message to the page's language."""
    translate: Translator = current_app.extensions["translator"]
    return translate(sentence, language())


def in_page_language(value: Any) -> Any:
    """Return a JSON value with the table's messages translated to the page's language."""
    return value if language() == "en" else in_words_of(value, said)


class LocalJSON(DefaultJSONProvider):
    """A JSON provider that translates the table's messages to the client's language."""

    def dumps(self, obj: Any, **kwargs: Any) -> str:
        return super().dumps(in_page_language(obj), **kwargs)


def register_languages(app: Flask, translator: Translator) -> None:
    """Set up translation in templates and JSON responses."""

    def t(key: str, **values: object) -> str:
        return text(key, language(), **values)

    app.extensions["translator"] = translator
    app.json = LocalJSON(app)
    app.jinja_env.globals.update(t=t, said=said, language=language, languages=LANGUAGES)
