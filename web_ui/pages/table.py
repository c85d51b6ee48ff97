"""``/``: the table as everybody in the room sees it."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, render_template

from web_ui.access.rights import service
from web_ui.families import page_files

blueprint = Blueprint("table", __name__)


@blueprint.get("/")
def show() -> str:
    view = service().view("room")
    files = page_files("table", view["game"])
    return render_template("table.html", view=view, zones=felt_zones(view), **files)


def felt_zones(view: dict[str, Any]) -> dict[str, tuple[float, ...]]:
    """Where the printed mat has the bets of a game of Roche: spot -> x, y, width, height in millimetres."""
    mat = service().games.mats.get("grand-roche" if view.get("layout") == "grand" else view["game"])
    if mat is None:
        return {}
    zones = ((name.removeprefix("bet/"), box) for name, box in mat.zones.items() if name.startswith("bet/"))
    return {on: (box.x, box.y, box.width, box.height) for on, box in zones if on in view.get("spots", ())}
