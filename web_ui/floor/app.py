"""Application factory of the floor."""

import secrets
from collections.abc import Callable
from datetime import timedelta
from typing import Final

from flask import Flask, Response, jsonify, request
from flask.json.provider import DefaultJSONProvider
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException

from companion.floor.errors import FloorError
from companion.floor.house import House
from companion.kernel.messages import Message, message
from companion.locale import Translator
from web_ui.app import HEADERS, LateRule
from web_ui.assets import register_assets
from web_ui.figures import local_time, register_figures
from web_ui.floor import (
    alarms,
    broker,
    day_closes,
    orders,
    people,
    prices,
    purses,
    reports,
    table_api,
    table_desk_api,
    table_pages,
)
from web_ui.floor.labels import (
    account_words,
    alarm_words,
    game_words,
    in_words,
    kind_words,
    page_strings,
    title_words,
    why_words,
)
from web_ui.floor.login_limiter import LoginLimiter
from web_ui.https.authority import Authority
from web_ui.languages import register_languages
from web_ui.push.subscriptions import Subscriptions

BODY_LIMIT: Final = 64 * 1024
_TOLD: Final = {
    404: message("There is no such page. Go back to the tables."),
    405: message("There is no such page. Go back to the tables."),
    413: message("That is more than the floor reads at once. Send less."),
    500: message("Something went wrong here; the tables play on. Load the page again."),
}
"""User-facing texts of HTTP errors."""
_STATUS: Final = {
    "unavailable": 503, "no-certificate": 401, "unknown-table": 401, "replaced": 403, "too-many-guesses": 429,
    "bad-code": 403, "broker-revoked": 403, "no-broker": 404,
}  # fmt: skip


def create_floor_app(
    house: House, authority: Authority, join_address: Callable[[str], str], phones: Subscriptions | None = None
) -> Flask:
    """Return the Flask application with the staff pages and the tables' API.

    Args:
        authority: the CA that issues the tables' certificates.
        join_address: returns the argument of `companion join` for a one-time code.
        phones: push subscriptions; None disables them.
    """
    app = Flask("web_ui.floor", static_folder=None)
    app.url_rule_class = LateRule
    app.config.update(
        SECRET_KEY=secrets.token_bytes(32),  # a restart logs everybody out
        MAX_CONTENT_LENGTH=BODY_LIMIT,
        PERMANENT_SESSION_LIFETIME=timedelta(seconds=people.LASTS_S),
        SESSION_COOKIE_NAME="floor",
        SESSION_COOKIE_SECURE=True,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Strict",
    )
    app.extensions.update(
        house=house, authority=authority, guesses=LoginLimiter(), logins=people.Logins(), join_address=join_address
    )
    app.extensions["phones"] = phones
    app.add_template_filter(local_time, "minute")
    register_assets(app)
    games = house.prices.games
    register_languages(app, Translator(games.packages))
    assert isinstance(app.json, DefaultJSONProvider)
    app.json.sort_keys = False  # the board of a thousand tables has twenty thousand keys to sort
    register_figures(app)
    app.jinja_env.globals.update(
        game_words=game_words,
        in_words=in_words,
        kind_words=kind_words,
        page_strings=page_strings,
        title_words=title_words,
        account_words=account_words,
        alarm_words=alarm_words,
        why_words=why_words,
    )
    areas = table_api, table_desk_api, people, day_closes, purses, alarms, broker, orders, table_pages, prices, reports
    for area in areas:
        app.register_blueprint(area.blueprint)

    @app.get("/healthz")
    def alive() -> Response:
        return jsonify(status="ok")

    @app.get("/floor/v1/authority.json")
    def show_authority() -> Response:
        return jsonify(pem=authority.path.read_text(encoding="ascii"))

    @app.errorhandler(FloorError)
    def refuse(error: FloorError) -> ResponseReturnValue:
        status = _STATUS.get(error.code, 400)
        if request.path.startswith("/floor/"):
            return jsonify(error.to_json()), status
        return people.refusal(error.message), status

    @app.errorhandler(HTTPException)
    def explain(error: HTTPException) -> ResponseReturnValue:
        status = error.code or 500
        if request.path.startswith("/floor/"):
            return jsonify(code=error.name.lower().replace(" ", "-"), message=error.description), status
        told = error.description if isinstance(error.description, Message) else _TOLD.get(status)
        return people.refusal(told or error.description or error.name), status

    @app.after_request
    def add_headers(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    return app
