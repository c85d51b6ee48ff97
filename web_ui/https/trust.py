"""The page that explains how to trust the table's CA certificate, and its download.

Plain HTTP clients from the network get only this: no pages of the table, no forms, no cookies.
"""

import base64
import hashlib
import plistlib
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

import segno
from flask import Blueprint, Flask, Response, current_app, render_template, request
from markupsafe import Markup

from web_ui.addresses import is_own, plain_host, public_base
from web_ui.languages import language
from web_ui.strings import text

CERTIFICATE: Final = "/table-companion.crt"
PROFILE: Final = "/table-companion.mobileconfig"
_HEADERS: Final = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
}

blueprint = Blueprint("trust", __name__)


@dataclass(frozen=True, slots=True)
class Root:
    """The CA certificate (DER) and its fingerprint."""

    der: bytes
    fingerprint: str


def create_plain_app(root: Root, hosts: frozenset[str]) -> Flask:
    """Return the application for plain HTTP clients.

    Args:
        hosts: the table's names, the only ones it links to.
    """
    app = Flask("web_ui", static_folder=None)
    app.config.update(HOSTS=hosts, MAX_CONTENT_LENGTH=1024)
    app.extensions["root"] = root
    app.jinja_env.globals.update(t=_t, language=language)
    app.register_blueprint(blueprint)
    app.add_url_rule("/", "any", lambda: _page(None))
    app.add_url_rule("/<path:_>", "any_below", lambda _: _page(None))
    app.register_error_handler(405, lambda _: _refused())
    return app


def _t(key: str, **values: object) -> str:
    return text(key, language(), **values)


def _refused() -> tuple[str, int]:
    return _t("trust_refused"), 403


@blueprint.get("/trust")
def show() -> Response:
    """Show how to trust the table, with a QR code that opens this page on a phone."""
    is_table = current_app.config.get("HTTPS", False)
    return _page(f"{public_base().replace('https://', 'http://', 1)}/trust" if is_table else None)


def _page(plain: str | None) -> Response:
    """Return the page.

    Args:
        plain: the URL for the QR code; None for no code.
    """
    root: Root | None = current_app.extensions.get("root")
    style, hashed = _style()
    code = segno.make(plain, micro=False).svg_inline(scale=5, border=2, light="#fff") if plain else ""
    page = render_template(
        "trust.html", root=root, style=Markup(style), code=Markup(code), plain=plain, onward=_onward(),
        certificate=CERTIFICATE, profile=PROFILE,
    )  # fmt: skip
    policy = f"default-src 'none'; style-src {hashed}; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'"
    return Response(page, headers={"Content-Security-Policy": policy, **_HEADERS})


def _onward() -> str | None:
    """Return the https URL of the requested page; None within the table's own application, or for a foreign host."""
    if current_app.config.get("HTTPS") or not is_own(plain_host(request.host)):
        return None
    path = "/" if request.path in ("/trust", CERTIFICATE, PROFILE) else request.full_path.rstrip("?")
    return f"https://{request.host}{path}"


@blueprint.get(CERTIFICATE)
def certificate() -> Response:
    """Return the certificate for Android and desktops."""
    return _file(lambda root: root.der, "application/x-x509-ca-cert", "table-companion.crt")


@blueprint.get(PROFILE)
def profile() -> Response:
    """Return the certificate as a profile for iPhones and iPads."""
    return _file(_profile, "application/x-apple-aspen-config", "table-companion.mobileconfig")


def _file(content: Callable[[Root], bytes], mimetype: str, name: str) -> Response:
    root: Root | None = current_app.extensions.get("root")
    if root is None:
        return Response(_t("trust_off"), 404, mimetype="text/plain")
    headers = {"Content-Disposition": f'attachment; filename="{name}"', **_HEADERS}
    return Response(content(root), mimetype=mimetype, headers=headers)


def _profile(root: Root) -> bytes:
    name = uuid.uuid5(uuid.NAMESPACE_URL, root.fingerprint)
    shown = {"PayloadDisplayName": "Table companion", "PayloadVersion": 1}
    inner: dict[str, Any] = {
        **shown,
        "PayloadType": "com.apple.security.root",
        "PayloadIdentifier": f"table-companion.{name}.root",
        "PayloadUUID": str(uuid.uuid5(name, "root")).upper(),
        "PayloadContent": root.der,
        "PayloadCertificateFileName": "table-companion.crt",
    }
    outer = {
        **shown,
        "PayloadType": "Configuration",
        "PayloadIdentifier": f"table-companion.{name}",
        "PayloadUUID": str(name).upper(),
        "PayloadContent": [inner],
    }
    return plistlib.dumps(outer)


@cache
def _style() -> tuple[str, str]:
    style = resources.files("web_ui").joinpath("static", "css", "verify.css").read_text(encoding="utf-8")
    return style, f"'sha256-{base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()}'"
