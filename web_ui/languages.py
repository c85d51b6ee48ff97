"""Which language a page is in: what somebody chose here, else the house's for the room's screen, else the browser's."""

from __future__ import annotations

from typing import Final

from flask import Flask, current_app, has_request_context, request

from web_ui.phrases import say
from web_ui.strings import LANGUAGES, text

COOKIE: Final = "language"
ROOM: Final = "ROOM_LANGUAGE"
ROOM_PAGE: Final = "/"


def language() -> str:
    """Return the language of the page that is asked for."""
    if not has_request_context():
        return "en"
    chosen = request.cookies.get(COOKIE, "")
    if chosen in LANGUAGES:
        return chosen
    room = str(current_app.config.get(ROOM, "auto"))
    if room in LANGUAGES and request.path == ROOM_PAGE:
        return room
    return request.accept_languages.best_match(list(LANGUAGES)) or "en"


def register_languages(app: Flask) -> None:
    """Give the templates texts in the page's language."""

    def t(key: str, **values: object) -> str:
        return text(key, language(), **values)

    def said(sentence: object) -> str:
        return say(str(sentence), language())

    app.jinja_env.globals.update(t=t, said=said, language=language, languages=LANGUAGES)
