"""The Flask application. Everything it shows is passed in, so that tests can build it around their own objects."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from flask import Flask, Request, Response, request, session
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface, SessionMixin
from flask_compress import Compress
from flask_limiter import Limiter
from flask_wtf.csrf import CSRFProtect, generate_csrf
from itsdangerous import BadSignature
from werkzeug.routing import IntegerConverter, Rule

from companion.app.game_changer import GameChanger
from companion.app.operations.house import House
from companion.app.setup.service import TableSetup
from companion.app.setup.tray_axis import TrayAxis
from companion.journal.evidence import EvidenceRing
from companion.objects.decks import DeckStore
from companion.plugins.demo import DemoControl
from companion.service.table_service import TableService
from companion.statistics.bet_book import BetBook
from companion.statistics.standings import Standings
from companion.tracking.cards.enrollment import OwnDeckEnrollment
from companion.tracking.dice.enrollment import DieEnrollment
from web_ui.access import rights
from web_ui.access.first_start import FirstBrowser
from web_ui.access.store import AccessStore
from web_ui.addresses import own_names, register_hosts
from web_ui.assets import register_assets
from web_ui.emblems import emblem_sheets
from web_ui.figures import register_figures
from web_ui.game_pages import game_text, game_title, game_titles, play_notice, round_title, spot_words
from web_ui.https.trust import Root
from web_ui.languages import ROOM, in_page_language, language, register_languages
from web_ui.metrics import TableNumbers, register_metrics
from web_ui.pages import BLUEPRINTS
from web_ui.problems import register_problems
from web_ui.push.sender import Notifier
from web_ui.spectators import Spectators
from web_ui.strings import Catalogue, catalogue

if TYPE_CHECKING:
    from companion.app.floor.desk.directives import DirectiveFollower
    from companion.app.floor.purse_cashier import PurseCashier
    from companion.app.game_rig import GameRig

BODY_LIMIT: Final = 16 * 1024
DEFAULTS: Final = {
    "MAX_CONTENT_LENGTH": BODY_LIMIT,
    "MAX_FORM_MEMORY_SIZE": BODY_LIMIT,
    "PERMANENT_SESSION_LIFETIME": timedelta(hours=18),
    "SESSION_COOKIE_NAME": "companion",
    "SESSION_COOKIE_HTTPONLY": True,
    "SESSION_COOKIE_SAMESITE": "Lax",  # with Strict, a QR code opened from the camera app would come without the cookie
    "SESSION_REFRESH_EACH_REQUEST": False,
    "WTF_CSRF_CHECK_DEFAULT": False,  # `check_csrf` decides: requests with a PIN do not use cookies
    "WTF_CSRF_TIME_LIMIT": None,  # pages stay open for hours
    "WTF_CSRF_SSL_STRICT": False,
    "RATELIMIT_HEADERS_ENABLED": False,
    "COMPRESS_REGISTER": False,  # `_protect` decides
    "COMPRESS_ALGORITHM": "gzip",  # the only one that browsers accept without HTTPS
    "COMPRESS_MIMETYPES": ["text/html", "text/css", "text/javascript", "image/svg+xml"],
    ROOM: "auto",  # the language of the room's screen
    "HOSTS": own_names(),  # allowed Host headers, besides the address that the client connected to
    "SPECTATOR_DELAY_S": 0,  # delay of the spectators' view
    "PUBLIC_URL": None,  # the base of links in seat codes; None: derived from the request
}
SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
LOGGING_IN: Final = frozenset({"dealer.log_in", "seat.join"})
REQUESTS_ALLOWED: Final = "600 per minute; 40 per second"
CSP: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "worker-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS: Final = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
INERT: Final = frozenset({"text/css", "text/javascript", "font/woff2"})
"""Subresources that browsers do not render as documents, so that page policies do not apply to them."""
INERT_HEADERS: Final = ("X-Content-Type-Options", "Cross-Origin-Resource-Policy")
"""The headers of such files. A page loads thirty of them; half a kilobyte of headers on each would be noticeable."""


_EXPIRES: Final = re.compile(r"Expires=[^;]*")


class Sessions(SecureCookieSessionInterface):
    """Flask's cookie sessions, independent of the table's clock; cookies set over TLS are marked as secure.

    The table's clock may be days behind and then jump. So the age of a cookie's signature is ignored: the cookie only
    names sessions, and the access store decides how long these are valid. And the cookie is sent with ``Max-Age``
    instead of ``Expires``.
    """

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        signer = self.get_signing_serializer(app)
        shown = request.cookies.get(self.get_cookie_name(app))
        if signer is None or not shown:
            return super().open_session(app, request)
        try:
            return self.session_class(signer.loads(shown))
        except BadSignature:
            return self.session_class()

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:
        before = response.headers.getlist("Set-Cookie")
        super().save_session(app, session, response)
        fresh = response.headers.getlist("Set-Cookie")[len(before) :]
        if session and fresh:
            kept_s = int(app.permanent_session_lifetime.total_seconds())
            lasting = [_EXPIRES.sub(f"Max-Age={kept_s}", cookie) for cookie in fresh]
            response.headers.setlist("Set-Cookie", [*before, *lasting])

    def get_cookie_secure(self, app: Flask) -> bool:
        return request.is_secure


class ShortNumber(IntegerConverter):
    """An integer in a URL, limited to the range that the journal supports."""

    regex = "[0-9]{1,15}"


class LateRule(Rule):
    """A URL rule that compiles its URL builder on first use.

    Werkzeug compiles all builders at the start, each twice: two thirds of an application's startup time, while few are
    ever used.
    """

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        compiled = cache(super()._compile_builder)

        def build(rule: Rule, /, **values: Any) -> tuple[str, str]:
            return compiled(append_unknown)(rule, **values)

        return build


def create_app(
    service: TableService,
    *,
    access: AccessStore,
    watch: GameRig | None = None,
    demo: DemoControl | None = None,
    deck_store: DeckStore | None = None,
    exhibits: EvidenceRing | None = None,
    table_setup: TableSetup | None = None,
    enrollment: DieEnrollment | None = None,
    deck_enrollment: OwnDeckEnrollment | None = None,
    tray_axis: TrayAxis | None = None,
    changer: GameChanger | None = None,
    operations: House | None = None,
    notifier: Notifier | None = None,
    cashier: PurseCashier | None = None,
    duty: DirectiveFollower | None = None,
    root: Root | None = None,
    test_config: Mapping[str, object] | None = None,
) -> Flask:
    """Return the dashboard of a table. Features whose argument is None are turned off.

    Args:
        watch: the camera's equipment, for pictures.
        demo: the demo table's control; None at a real table.
        deck_store: the decks that the set-up page lists.
        exhibits: stored pictures of what the camera read.
        table_setup: the set-up wizard's back end; without it the page only shows the configuration.
        enrollment: enrollment of dice.
        deck_enrollment: enrollment of the owner's own decks.
        tray_axis: setting of the camera's axis over the dice tray.
        changer: changes of the game.
        operations: backups and restarts.
        notifier: push notifications to phones.
        cashier: transfers between the floor's purses and the table; None at a standalone table.
        duty: dealers' sign-on and sign-off; None at a standalone table.
        root: the CA certificate that phones are asked to trust; None without TLS.
        test_config: Flask settings that replace the defaults.
    """
    app = Flask("web_ui", static_folder=None)
    app.url_rule_class = LateRule
    app.url_map.converters["int"] = ShortNumber
    app.session_interface = Sessions()
    app.config.update(DEFAULTS, SECRET_KEY=access.secret, **(test_config or {}))
    app.extensions.update(
        service=service,
        access=access,
        watch=watch,
        demo=demo,
        decks=deck_store,
        standings=Standings(service),
        bet_book=BetBook(service),
        exhibits=exhibits,
        first_browser=FirstBrowser(),
    )
    app.extensions.update(
        table_setup=table_setup, enrollment=enrollment, deck_enrollment=deck_enrollment, changer=changer,
        operations=operations, notifier=notifier, cashier=cashier, duty=duty, tray_axis=tray_axis,
    )  # fmt: skip
    if root is not None:
        app.extensions["root"] = root
        app.config["HTTPS"] = True
    app.extensions["spectators"] = Spectators(service, float(app.config["SPECTATOR_DELAY_S"]))
    app.extensions["boot"] = secrets.token_hex(4)  # lets a page that waits for a restart recognize it
    app.extensions["stream_count"] = lambda: 0  # replaced by our own server with its hub's count
    app.extensions["is_dealers"] = rights.dealers_request(app, access)
    app.jinja_env.globals.update(page_data=_page_data, game_title=game_title, game_text=game_text)
    app.jinja_env.globals.update(game_titles=game_titles, play_notice=play_notice)
    app.jinja_env.globals.update(round_title=round_title, spot_words=spot_words)
    app.jinja_env.globals["emblems"] = cache(lambda: emblem_sheets(service.games.decks))
    register_languages(app, service.translator)
    register_figures(app)
    register_assets(app, service.games)
    register_problems(app)
    register_metrics(app, TableNumbers(service, watch, lambda: app.extensions["stream_count"]()))
    register_hosts(app)
    rights.register_known_browsers(app)
    _protect(app)
    for blueprint in BLUEPRINTS:
        app.register_blueprint(blueprint)
    return app


def _protect(app: Flask) -> None:
    limiter = Limiter(
        rights.limited_by,
        app=app,
        storage_uri="memory://",
        application_limits=[REQUESTS_ALLOWED],
        headers_enabled=False,
    )
    limiter.request_filter(_is_unlimited)
    csrf = CSRFProtect(app)
    compress = Compress(app)

    @app.before_request
    def check_csrf() -> None:
        if request.method not in SAFE_METHODS and rights.bearer() is None and session:
            csrf.protect()
        elif request.method not in SAFE_METHODS and rights.bearer() is None and not request.path.startswith("/api/"):
            csrf.protect()  # includes log-in forms, against login CSRF

    @app.after_request
    def add_headers(response: Response) -> Response:
        is_inert = request.endpoint == "static_asset" and response.mimetype in INERT
        for name in INERT_HEADERS if is_inert else HEADERS:
            response.headers.setdefault(name, HEADERS[name])
        response.headers.setdefault("Cache-Control", "no-store")
        # Against BREACH: if the query is echoed in a compressed page that contains the CSRF token, the response's
        # length leaks the token.
        return response if request.query_string else compress.after_request(response)


def _is_unlimited() -> bool:
    """Whether a request is exempt from rate limits: reads, log-ins (which have their own limit), and the dealer."""
    if request.method in SAFE_METHODS or request.endpoint in LOGGING_IN:
        return True
    pin = rights.bearer()
    return rights.access().is_known_pin(pin, rights.guesser()) if pin is not None else rights.is_dealer()


def _page_data(*parts: str, game_texts: Catalogue | None = None, **data: Any) -> str:
    """Return the initial data of a page's script, as JSON that is safe inside a script element.

    It includes the texts and the CSRF token, so that the first paint needs no further request.

    Args:
        parts: further files of texts, such as ``setup``.
        game_texts: the texts of the current game.
    """
    whole = {"strings": catalogue(language(), *parts) | (game_texts or {}), "csrf": generate_csrf(), **data}
    return json.dumps(in_page_language(whole), ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
