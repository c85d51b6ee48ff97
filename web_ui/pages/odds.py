"""``/odds``: probability, price and edge of every bet at the current position."""

from flask import Blueprint, render_template

from web_ui.access.rights import service
from web_ui.game_pages import page_extras, page_files

blueprint = Blueprint("odds", __name__)


@blueprint.get("/odds")
def show() -> str:
    view = service().view("room")
    return render_template("odds.html", view=view, extras=page_extras("odds", view), **page_files("odds", view["game"]))
