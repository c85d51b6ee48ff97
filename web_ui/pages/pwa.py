"""The table as an installable phone app: its manifest, its service worker, and the offline page.

The worker caches only the offline page, never a view of the table: a table from a minute ago would be believed.
"""

import json
from typing import Final

from flask import Blueprint, Response, current_app, render_template

from web_ui.languages import language
from web_ui.strings import text

DARK: Final = "#0c1613"
KEPT: Final = ("css/base.css", "js/theme.js", "js/pwa.js", "fonts/cinzel-bold.woff2", "icon.svg")

blueprint = Blueprint("pwa", __name__)


@blueprint.get("/manifest.webmanifest")
def manifest() -> Response:
    spoken = language()
    body = {
        "id": "/",
        "name": text("app", spoken),
        "short_name": text("app_short", spoken),
        "description": text("app_about", spoken),
        "lang": spoken,
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "background_color": DARK,
        "theme_color": DARK,
        "icons": [_icon("icon-192", 192), _icon("icon-512", 512), _icon("maskable-512", 512, "maskable")],
        "shortcuts": [
            {"name": text("nav_dealer", spoken), "url": "/dealer"},
            {"name": text("nav_odds", spoken), "url": "/odds"},
        ],
    }
    return Response(json.dumps(body, ensure_ascii=False), mimetype="application/manifest+json")


def _icon(name: str, size: int, purpose: str = "any") -> dict[str, str]:
    return {"src": _asset(f"icons/{name}.png"), "sizes": f"{size}x{size}", "type": "image/png", "purpose": purpose}


def _asset(name: str) -> str:
    return str(current_app.jinja_env.globals["asset"](name))  # type: ignore[operator]  # as the templates call it


@blueprint.get("/sw.js")
def worker() -> Response:
    kept = ["/offline", *map(_asset, KEPT)]
    version, icon = json.dumps(f"offline-{kept[1].split('/')[2]}"), json.dumps(_asset("icons/icon-192.png"))
    script = render_template("sw.js", kept=json.dumps(kept), version=version, icon=icon)
    return Response(script, mimetype="text/javascript", headers={"Cache-Control": "no-cache"})


@blueprint.get("/offline")
def offline() -> str:
    return render_template("offline.html")
