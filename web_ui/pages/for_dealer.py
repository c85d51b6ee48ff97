"""What is for the dealer alone: the log-in before its pages and APIs, and the back ends that not every table has."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from flask import Blueprint, current_app, redirect, render_template, url_for
from werkzeug.wrappers import Response

from companion.kernel.messages import Message
from web_ui.access import rights
from web_ui.problems import BadRequest


def dealer_page(show: Callable[[], str | Response]) -> Callable[[], str | Response]:
    """Show a page only to the dealer: others log in first, and without a PIN one is chosen."""

    @wraps(show)
    def asked() -> str | Response:
        if not rights.access().has_pin:
            return redirect(url_for("setup.show"))
        return show() if rights.is_dealer() else render_template("login.html", error=None)

    return asked


def dealer_api(name: str, url_prefix: str) -> Blueprint:
    """Return the blueprint of an API that refuses everybody else."""
    blueprint = Blueprint(name, __name__, url_prefix=url_prefix)

    @blueprint.before_request
    def only_the_dealer() -> None:
        rights.need_dealer()

    return blueprint


def back_end(name: str, without: Message, code: str) -> Any:
    """Return what an API asks.

    Raises:
        BadRequest: this table has none; ``without`` says why, and what to do.
    """
    found = current_app.extensions[name]
    if found is None:
        raise BadRequest(without, code=code, status=404)
    return found


def tell_dealer(text: str) -> None:
    """Write down for the dealer alone what was done here."""
    rights.service().notice(text, source="web", private=True)
