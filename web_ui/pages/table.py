"""``/``: the table as everyone in the room sees it."""

from flask import Blueprint, render_template

from web_ui.access.first_start import is_here
from web_ui.access.rights import access, service
from web_ui.access.store import spaced
from web_ui.addresses import public_base
from web_ui.game_pages import page_extras, page_files

blueprint = Blueprint("table", __name__)


@blueprint.get("/")
def show() -> str:
    view = service().view("room")
    extras = page_extras("table", view)
    return render_template("table.html", view=view, extras=extras, first=_first(), **page_files("table", view["game"]))


def _first() -> dict[str, str] | None:
    """Return the set-up page's URL and code, for the attached screen of a table without a PIN; else None."""
    code = None if access().has_pin else access().setup_code
    return {"address": f"{public_base()}/setup", "code": spaced(code)} if code is not None and is_here() else None
