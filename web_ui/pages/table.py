"""``/``: the table as everybody in the room sees it."""

from __future__ import annotations

from flask import Blueprint, render_template

from web_ui.families import page_files
from web_ui.rights import service

blueprint = Blueprint("table", __name__)


@blueprint.get("/")
def show() -> str:
    view = service().view("room")
    return render_template("table.html", view=view, **page_files("table", view["game"]))
