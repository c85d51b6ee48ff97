"""``/watch`` and ``/overlay``: the table for spectators, optionally delayed, and as a video overlay for OBS."""

from collections.abc import Iterator
from math import ceil, isfinite
from typing import Final

from flask import Blueprint, Response, current_app, render_template, request

from web_ui.access.rights import service
from web_ui.game_pages import page_extras, page_files
from web_ui.languages import language
from web_ui.live import StreamSpec, stream
from web_ui.spectators import WATCH, Spectators

STREAM: Final = "/api/v1/spectators"
PARTS: Final = ("prompt", "players", "result")
LEAST, MOST = 0.5, 3.0
"""Range of the overlay's scale."""

blueprint = Blueprint("audience", __name__)


def spectators() -> Spectators:
    """Return the spectators' view."""
    found: Spectators = current_app.extensions["spectators"]
    return found


@blueprint.get("/watch")
def watch() -> str | tuple[str, int]:
    view = spectators().view
    if view is None:
        return _waiting_page()
    extras = page_extras("table", view)
    return render_template("table.html", view=view, extras=extras, stream=STREAM, **page_files("table", view["game"]))


@blueprint.get("/overlay")
def overlay() -> str | tuple[str, int]:
    """Show a page with a transparent background: players and coins, the prompt, the last result."""
    view = spectators().view
    if view is None:
        return _waiting_page()
    asked = request.args.get("parts", "").split(",")
    parts = [part for part in PARTS if part in asked] or list(PARTS)
    return render_template(
        "overlay.html", view=view, parts=parts, scale=_scale(), stream=STREAM, **page_files("overlay", view["game"])
    )


def _scale() -> float:
    asked = request.args.get("scale", 1.0, type=float)
    return min(max(asked, LEAST), MOST) if isfinite(asked) else 1.0


def _waiting_page() -> tuple[str, int]:
    """Return the waiting page until the delay is over."""
    return render_template("audience_wait.html", seconds=ceil(spectators().missing_s) + 1), 503


@blueprint.get(STREAM)
def watch_stream() -> Response:
    spec = StreamSpec(WATCH, language())
    request.environ["companion.stream"] = spec  # our own server takes the connection over
    body: Iterator[bytes] = stream(service(), spec, spectators())
    return Response(body, mimetype="text/event-stream", headers={"X-Accel-Buffering": "no"}, direct_passthrough=True)
