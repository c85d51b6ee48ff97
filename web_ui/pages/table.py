"""``/``: the table as everybody in the room sees it."""

from __future__ import annotations

from flask import Blueprint, render_template

from web_ui.access.rights import service
from web_ui.game_pages import page_extras, page_files

blueprint = Blueprint("table", __name__)


@blueprint.get("/")
def show() -> str:
    view = service().view("room")
    return render_template(
        "table.html", view=view, extras=page_extras("table", view), **page_files("table", view["game"])
    )
