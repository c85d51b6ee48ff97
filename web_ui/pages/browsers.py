"""``/dealer/browsers``: the logged-in browsers, and logging them out."""

from datetime import datetime

from flask import Blueprint, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response

from companion.kernel.messages import message
from web_ui.access import rights
from web_ui.access.sessions import agent_words, handle
from web_ui.pages.for_dealer import dealer_page

blueprint = Blueprint("browsers", __name__, url_prefix="/dealer/browsers")


@blueprint.get("")
@dealer_page
def show() -> str | Response:
    own = session.get("dealer")
    rows = [
        {
            "handle": handle(name),
            "seat": one.kind.partition("/")[2],
            "player": one.player,
            "browser": agent_words(one.agent),
            "address": one.address,
            "since": datetime.fromtimestamp(one.since).strftime("%Y-%m-%d %H:%M"),
            "is_own": name == own,
        }
        for name, one in rights.access().all_sessions().items()
    ]
    return render_template("browsers.html", rows=rows)


@blueprint.post("/end")
def end() -> Response:
    """End one session, or all others than this browser's; then show the page again."""
    rights.need_dealer()
    asked, own = request.form.get("session", ""), session.get("dealer")
    for name, one in rights.access().all_sessions().items():
        if handle(name) == asked or (asked == "others" and name != own):
            rights.access().end_session(name)
            rights.note(message("The log-in of {address} was ended", address=one.address), source="web")
    return redirect(url_for("browsers.show"))
