"""``/seat/N``: a player's phone, joined with the seat's one-time code."""

from flask import Blueprint, jsonify, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from web_ui.access import rights
from web_ui.access.store import AccessError
from web_ui.game_pages import page_extras, page_files, play_notice
from web_ui.pages.phones.push import notifier
from web_ui.problems import status_of, wants_json

blueprint = Blueprint("seat", __name__)


@blueprint.get("/seat/<int:seat>")
def show(seat: int) -> str:
    if not rights.is_seat(seat):
        return _join_page(seat)
    view = rights.service().view(f"seat/{seat}")
    extras = page_extras("seat", view) | {"seat": seat, "player": rights.player_in(seat), "notice": play_notice()}
    if (found := notifier()) is not None:
        extras["push"] = found.subscriptions.public
    return render_template("seat.html", seat=seat, view=view, extras=extras, **page_files("seat", view["game"]))


@blueprint.post("/seat/<int:seat>/join")
def join(seat: int) -> Response | tuple[str, int]:
    """Log in with the seat's code, typed into the form or filled in from the QR code's URL."""
    try:
        rights.log_in_seat(seat, request.form.get("code", "")[:40])
    except AccessError as error:
        return _join_page(seat, error.message), status_of(error)
    return redirect(url_for("seat.show", seat=seat))


@blueprint.post("/seat/<int:seat>/leave")
def leave(seat: int) -> Response:
    rights.log_out_seat(seat)
    return jsonify(done=True) if wants_json() else redirect(url_for("table.show"))


def _join_page(seat: int, error: str | None = None) -> str:
    return render_template("join.html", seat=seat, player=rights.player_in(seat), error=error)
