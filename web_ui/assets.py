"""Static files: read into memory once, served under a URL with their digest, cached by browsers indefinitely.

``/static/<digest>/js/table.js``, and a game's own ``/static/<digest>/games/<family>/table.js``. The digest covers all
files, and modules import each other by relative paths, so after an update no browser mixes old and new files.
"""

import hashlib
import mimetypes
from collections.abc import Iterable
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

from flask import Flask, Response, abort, request

from companion.plugins.registry import Games
from companion.plugins.web import WebPart

_TYPES: Final = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2"}


class Assets:
    """All static files of this package and the games, by name."""

    def __init__(self, webs: Iterable[WebPart] = ()) -> None:
        found = _walk(resources.files("web_ui").joinpath("static"), "")
        packages = {web.family: web.package for web in webs}
        for family, package in packages.items():
            folder = resources.files(package).joinpath("web")
            found |= _walk(folder, f"games/{family}/") if folder.is_dir() else {}
        self.files = dict(sorted(found.items()))
        whole = hashlib.sha256()
        for name, body in self.files.items():
            whole.update(name.encode() + hashlib.sha256(body).digest())
        self.digest = whole.hexdigest()[:12]

    def url(self, name: str) -> str:
        """Return a file's URL.

        Raises:
            KeyError: no such file: a bug.
        """
        self.files[name]
        return f"/static/{self.digest}/{name}"

    def respond(self, digest: str, name: str) -> Response:
        """Return the response to a request for a file."""
        if name not in self.files:
            abort(404)
        suffix = "." + name.rpartition(".")[2]
        response = Response(self.files[name], mimetype=_TYPES.get(suffix) or mimetypes.guess_type(name)[0])
        response.set_etag(self.digest)
        current = digest == self.digest
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable" if current else "no-cache"
        return response.make_conditional(request)  # type: ignore[return-value]


def _walk(folder: Traversable, prefix: str) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for entry in folder.iterdir():
        if entry.is_dir():
            found |= _walk(entry, f"{prefix}{entry.name}/")
        elif not entry.name.startswith("."):
            found[prefix + entry.name] = entry.read_bytes()
    return found


def register_assets(app: Flask, games: Games | None = None) -> Assets:
    """Serve the static files, and let templates link to them with ``asset("css/base.css")``."""
    assets = Assets(plugin.web for plugin in (games or {}).values() if plugin.web is not None)
    app.add_url_rule("/static/<digest>/<path:name>", "static_asset", assets.respond)
    app.jinja_env.globals["asset"] = assets.url
    return assets
