"""``/verify``: a self-contained page that checks receipts offline, saved to a disk or phone, without trusting a server.

Styles, scripts and all translations are inlined; its CSP allows them by hash and forbids connections.
"""

import base64
import hashlib
import json
from functools import cache
from importlib import resources
from typing import Final

from flask import Blueprint, Response, request
from jinja2 import Environment

from web_ui.strings import LANGUAGES, catalogue

FILE_NAME: Final = "check-receipts.html"

blueprint = Blueprint("verify", __name__)


@blueprint.get("/verify")
def show() -> Response:
    """Show the page; with ``?save`` as a download."""
    page, policy = verify_page()
    headers = {"Content-Security-Policy": f"{policy}; frame-ancestors 'none'"}
    if "save" in request.args:
        headers["Content-Disposition"] = f'attachment; filename="{FILE_NAME}"'
    return Response(page, mimetype="text/html", headers=headers)


@cache
def verify_page() -> tuple[str, str]:
    """Return the page and its Content-Security-Policy."""
    style, library, script = (_static(name) for name in ("css/verify.css", "vendor/noble.js", "js/verify.js"))
    script = f"(() => {{\n{script}}})();"
    parts = {
        "default-src": "'none'",
        "script-src": f"{_hash(library)} {_hash(script)}",
        "style-src": _hash(style),
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    policy = "; ".join(f"{name} {value}" for name, value in parts.items())
    texts = {name: _texts(name) for name in LANGUAGES}
    template = resources.files("web_ui").joinpath("templates", "verify.html").read_text(encoding="utf-8")
    page = Environment(autoescape=False).from_string(template)  # no user input
    told = json.dumps(texts, ensure_ascii=False).replace("<", "\\u003c")
    return page.render(
        policy=policy, style=style, library=library, script=script, texts=told, title=texts["en"]["verify_title"]
    ), policy


def _texts(language: str) -> dict[str, str]:
    return {key: text for key, text in catalogue(language, "trust").items() if key.startswith("verify_")}


def _static(name: str) -> str:
    return resources.files("web_ui").joinpath("static", *name.split("/")).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
