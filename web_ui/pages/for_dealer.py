"""Helpers for the dealer's pages and APIs: required log-in, and optional back ends."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from flask import Blueprint, current_app, redirect, render_template, url_for
from werkzeug.wrappers import Response

from companion.kernel.messages import Message
from web_ui.access import rights
from web_ui.problems import BadRequest


def dealer_page(show: Callable[[], str | Response]) -> Callable[[], str | Response]:
    """View decorator: others than the dealer get the log-in, or the set-up if there is no PIN."""

    @wraps(show)
    def asked() -> str | Response:
        if not rights.access().has_pin:
            return redirect(url_for("setup.show"))
        return show() if rights.is_dealer() else render_template("login.html", error=None)

    return asked


def dealer_api(name: str, url_prefix: str) -> Blueprint:
    """Return the blueprint of an API for the dealer only."""
    blueprint = Blueprint(name, __name__, url_prefix=url_prefix)

    @blueprint.before_request
    def only_the_dealer() -> None:
        rights.need_dealer()

    return blueprint


def back_end(name: str, without: Message, code: str) -> Any:
    """Return an optional back end.

    Raises:
        BadRequest: this table does not have it; ``without`` is the message.
    """
    found = current_app.extensions[name]
    if found is None:
        raise BadRequest(without, code=code, status=404)
    return found


def tell_dealer(text: str) -> None:
    """Journal an action as a private notice to the dealer."""
    rights.service().notice(text, source="web", private=True)
