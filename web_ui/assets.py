"""Static files: under an address that holds their digest, compressed once, kept by browsers for good.

``/static/<digest>/js/table.js``, and a game's own ``/static/<digest>/games/<family>/table.js``: modules import each
other by relative paths and so get the same digest; after an update every address is new and no browser mixes old files
with new ones.
"""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

from flask import Flask, Response, abort, request

from companion.plugins.registry import Games
from companion.plugins.web import WebPart

_TYPES: Final = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2"}
_SMALLEST_GZIP: Final = 400


@dataclass(frozen=True, slots=True)
class Asset:
    """One file: its bytes, the same compressed where that helps, its type and tag."""

    body: bytes
    packed: bytes | None
    mimetype: str
    etag: str


class Assets:
    """All static files of this package and of the games' own, read once."""

    def __init__(self, webs: Iterable[WebPart] = ()) -> None:
        found = _walk(resources.files("web_ui").joinpath("static"), "")
        packages = {web.family: web.package for web in webs}
        for family, package in packages.items():
            folder = resources.files(package).joinpath("web")
            found += _walk(folder, f"games/{family}/") if folder.is_dir() else []
        self.files = dict(sorted(found))
        whole = hashlib.sha256()
        for name, asset in self.files.items():
            whole.update(name.encode() + asset.etag.encode())
        self.digest = whole.hexdigest()[:12]

    def url(self, name: str) -> str:
        """Return the address of a file.

        Raises:
            KeyError: there is no such file, which is a mistake of ours.
        """
        self.files[name]
        return f"/static/{self.digest}/{name}"

    def respond(self, digest: str, name: str) -> Response:
        """Answer a request for a file."""
        asset = self.files.get(name)
        if asset is None:
            abort(404)
        packed = asset.packed if request.accept_encodings["gzip"] > 0 else None
        response = Response(packed or asset.body, mimetype=asset.mimetype)
        response.set_etag(asset.etag)
        response.headers["Vary"] = "Accept-Encoding"
        if packed:
            response.headers["Content-Encoding"] = "gzip"
        current = digest == self.digest
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable" if current else "no-cache"
        return response.make_conditional(request)  # type: ignore[return-value]


def _walk(folder: Traversable, prefix: str) -> list[tuple[str, Asset]]:
    found: list[tuple[str, Asset]] = []
    for entry in folder.iterdir():
        if entry.is_dir():
            found += _walk(entry, f"{prefix}{entry.name}/")
        elif not entry.name.startswith("."):
            found.append((prefix + entry.name, _read(entry)))
    return found


def _read(entry: Traversable) -> Asset:
    body = entry.read_bytes()
    suffix = "." + entry.name.rpartition(".")[2]
    mimetype = _TYPES.get(suffix) or mimetypes.guess_type(entry.name)[0] or "application/octet-stream"
    packable = len(body) >= _SMALLEST_GZIP and suffix in (".js", ".css", ".svg", ".json")
    packed = gzip.compress(body, 9, mtime=0) if packable else None
    return Asset(body, packed, mimetype, hashlib.sha256(body).hexdigest()[:16])


def register_assets(app: Flask, games: Games) -> Assets:
    """Serve the static files and let templates find them by ``asset("css/base.css")``."""
    assets = Assets(plugin.web for plugin in games.values() if plugin.web is not None)
    app.add_url_rule("/static/<digest>/<path:name>", "static_asset", assets.respond)
    app.jinja_env.globals["asset"] = assets.url
    return assets
