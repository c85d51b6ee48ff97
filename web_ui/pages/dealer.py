"""``/dealer``: everything the dealer needs, behind the PIN."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import segno
from flask import Blueprint, Response, abort, current_app, jsonify, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.kernel.errors import TableError
from companion.kernel.messages import message
from companion.plugins.demo import DemoControl
from web_ui.access import first_start, rights
from web_ui.access.store import AccessError, spaced
from web_ui.addresses import public_base
from web_ui.game_pages import page_extras, page_files
from web_ui.languages import said
from web_ui.pages.api import Body
from web_ui.payout_explanation import chances_before, seen
from web_ui.problems import BadRequest, status_of, wants_json

if TYPE_CHECKING:
    from companion.app.game_rig import GameRig

blueprint = Blueprint("dealer", __name__, url_prefix="/dealer")


@blueprint.get("")
def show() -> str | AnyResponse:
    if not rights.access().has_pin and not rights.is_dealer():
        return redirect(url_for("setup.show"))
    if not rights.is_dealer():
        return render_template("login.html", error=None)
    view = rights.service().view("dealer")
    extras = page_extras("dealer", view) | {
        "demo": _demo_state(),
        "camera": current_app.extensions["watch"] is not None,
        "switches": current_app.extensions["table_setup"] is not None,
        "purses": current_app.extensions["cashier"] is not None,
        "duty": current_app.extensions["duty"] is not None,
        "changes": current_app.extensions["changer"] is not None,
    }
    return render_template("dealer.html", view=view, extras=extras, **page_files("dealer", view["game"]))


@blueprint.post("/login")
def log_in() -> AnyResponse | tuple[str, int]:
    try:
        rights.log_in_dealer(request.form.get("pin", "")[:40])
    except AccessError as error:
        return render_template("login.html", error=error.message), status_of(error)
    return redirect(url_for("dealer.show"))


@blueprint.post("/logout")
def log_out() -> AnyResponse:
    rights.log_out_dealer()
    return jsonify(done=True) if wants_json() else redirect(url_for("table.show"))


# ---- the camera's picture


@blueprint.get("/camera.jpg")
def camera() -> Response:
    rights.need_dealer()
    watch: GameRig | None = current_app.extensions["watch"]
    picture = watch.picture() if watch is not None else None
    if not picture:
        abort(404)
    return Response(picture, mimetype="image/jpeg")


# ---- explanation of payouts


@blueprint.get("/reasons")
def reasons() -> Response:
    """Return the exact probabilities of the bets, and the pictures of the latest hand."""
    rights.need_dealer()
    service = rights.service()
    view, history = service.view("dealer"), service.history
    latest = next(iter(history.hands(1)), None)
    pictures = [] if latest is None else seen(history, latest["session"], latest["number"])
    hand = {"hand": latest["id"], "is_decided": latest["decided"] is not None} if latest else {"hand": None}
    chances = chances_before(service.games[view["game"]], service.options)
    return jsonify(seq=view["seq"], chances=chances, pictures=pictures, **hand)


# ---- the seats' codes


@blueprint.get("/seats/<int:seat>")
def seat_code(seat: int) -> Response:
    """Return the code with which the next phone joins this seat, as text, URL and QR code."""
    rights.need_dealer()
    return jsonify(_seat_link(seat, rights.access().seat_code(_taken(seat))))


@blueprint.post("/seats/<int:seat>/new-code")
def new_seat_code(seat: int) -> Response:
    rights.need_dealer()
    return jsonify(_seat_link(seat, rights.access().new_seat_code(_taken(seat))))


def _taken(seat: int) -> int:
    if rights.player_in(seat) is None:
        raise BadRequest(
            message("Nobody sits in seat {seat}. Let somebody join first.", seat=seat), code="no-such-seat", status=404
        )
    return seat


def _seat_link(seat: int, code: str) -> dict[str, str | int]:
    """Return a seat's link. The code is in the fragment, so that it is not logged, nor used up by a link preview."""
    where = f"{public_base()}/seat/{seat}"
    image = segno.make(f"{where}#{code}", micro=False, error="m").svg_data_uri(border=2, dark="#000", light="#fff")
    return {"seat": seat, "code": spaced(code), "address": where, "host": urlsplit(where).netloc, "qr": image}


# ---- the demo table

_DEMO_VERBS: Final = frozenset({"auto", "players", "deal", "gather", "mischief"})


def _demo_state() -> dict[str, object] | None:
    demo: DemoControl | None = current_app.extensions["demo"]
    try:
        return None if demo is None else _with_own(demo)
    except TableError:  # during a game change the new demo is not ready yet
        return None


def _with_own(demo: DemoControl, **more: object) -> dict[str, object]:
    """Return the demo's state, with this browser's seat and whether a PIN has been chosen."""
    return {**demo.state(), "seat": rights.own_seat(), "pin": rights.access().has_pin, **more}


@blueprint.post("/take-over")
def take_over() -> AnyResponse | tuple[str, int]:
    """Make this browser the demo's dealer and the first free seat's phone. Until a PIN is chosen, none is needed."""
    if not rights.is_dealer():
        if rights.access().has_pin:
            return redirect(url_for("dealer.show"))
        try:
            first_start.need_first()
        except AccessError as error:
            status = status_of(error)
            return render_template("problem.html", status=status, message=said(error.message)), status
        rights.remember_dealer()
    demo = _demo()
    demo.auto(False)
    if rights.own_seat() is None and (seat := rights.free_seat()) is not None:
        rights.sit_down(seat)
    return redirect(url_for("dealer.show"))


def _demo() -> DemoControl:
    demo: DemoControl | None = current_app.extensions["demo"]
    if demo is None:
        raise BadRequest(message("This is a real table: deal by hand."), code="no-demo", status=404)
    return demo


@blueprint.get("/demo")
def demo_state() -> Response:
    rights.need_dealer()
    return jsonify(_demo_state() or {})


@blueprint.post("/demo")
def demo_do() -> Response:
    rights.need_dealer()
    demo = _demo()
    body = request.get_json()
    verb = body.get("do") if isinstance(body, dict) else None
    if verb not in _DEMO_VERBS:
        raise BadRequest(f"The demo table knows {', '.join(sorted(_DEMO_VERBS))}.")
    said = _demo_call(demo, verb, body)
    return jsonify(_with_own(demo, said=said))


def _demo_call(demo: DemoControl, verb: str, body: Body) -> str | None:
    """Run a demo action; return a message about it, or None."""
    if verb == "auto":
        demo.auto(body.get("on") is True)
    elif verb == "players":
        demo.players(body.get("on") is True)
    elif verb == "mischief":
        return demo.cause_incident(str(body.get("kind", ""))[:40])
    elif verb == "deal":
        demo.deal()
    else:
        demo.gather()
    return None
