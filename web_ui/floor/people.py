"""The floor's staff pages; permissions depend on the role, and every action is written to the audit log."""

import hmac
import json
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ParamSpec

import orjson
import segno
from flask import Blueprint, abort, current_app, jsonify, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response

from companion.floor.errors import FloorError
from companion.floor.overview.audit import COLUMNS, AuditLine
from companion.floor.overview.audit import MOST as MAX_AUDITED
from companion.floor.overview.search import MOST, find
from companion.floor.people import MAY, ROLES, Role
from companion.journal.history.export import as_csv
from companion.kernel.messages import message
from web_ui.floor.labels import not_as, title_words
from web_ui.floor.login_limiter import LoginLimiter
from web_ui.floor.table_api import house
from web_ui.languages import in_page_language

blueprint = Blueprint("people", __name__, template_folder="templates")
P = ParamSpec("P")
STRANGERS = 10
"""Stray cards shown on the start page."""
Page = str | Response
LASTS_S = 12 * 3600.0
"""Session lifetime."""
MAX_LOGINS = 1000


class Logins:
    """Server-side login sessions since this start. Thread-safe.

    The cookie holds only a session id, so logging out also invalidates copies of the cookie.

    Args:
        clock: monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._begun: dict[str, float] = {}

    def begin(self) -> str:
        """Create a session; return its id. Evicts the oldest of too many."""
        name = secrets.token_hex(16)
        with self._lock:
            self._begun[name] = self._clock()
            if len(self._begun) > MAX_LOGINS:
                del self._begun[next(iter(self._begun))]
        return name

    def end(self, name: object) -> None:
        """End a session."""
        with self._lock:
            self._begun = {other: at for other, at in self._begun.items() if other != name}

    def counts(self, name: object) -> bool:
        """Return whether a session is valid."""
        with self._lock:
            begun = self._begun.get(name) if isinstance(name, str) else None
        return begun is not None and self._clock() - begun < LASTS_S


def may(what: str) -> Callable[[Callable[P, Page]], Callable[P, Page]]:
    """Decorator that requires a permission; others must log in first, or are refused."""

    def guard(view: Callable[P, Page]) -> Callable[P, Page]:
        @wraps(view)
        def guarded(*args: P.args, **values: P.kwargs) -> Page:
            role = my_role()
            if role is None:
                return redirect(url_for("people.log_in"))
            if what not in MAY[role]:
                abort(403, not_as(role))
            if request.method == "POST":
                check_token()
            return view(*args, **values)

        return guarded

    return guard


def my_role() -> Role | None:
    """Return the requester's role; None if they are not logged in, or their PIN has changed since."""
    if not _logins().counts(session.get("login")):
        return None
    found = house().role_and_mark(session["name"]) if "name" in session else None
    return found[0] if found is not None and found[1] == session.get("pin") else None


def _logins() -> Logins:
    found: Logins = current_app.extensions["logins"]
    return found


def check_token() -> None:
    """Check the form's CSRF token."""
    if not hmac.compare_digest(request.form.get("token", "").encode(), session.get("token", "").encode() or b"none"):
        abort(400, message("This page is too old. Load it again."))


def page(template: str, **values: Any) -> str:
    """Render a page, with the requester and their permissions."""
    session.setdefault("token", secrets.token_hex(16))
    role = my_role()
    return render_template(template, token=session["token"], name=session.get("name"), role=role,
                           may=MAY[role] if role else frozenset(), **values)  # fmt: skip


@blueprint.route("/login", methods=["GET", "POST"])
def log_in() -> Page:
    """Log in with name and PIN."""
    if request.method == "GET":
        return page("floor/login.html", wrong=None)
    check_token()
    guesses: LoginLimiter = current_app.extensions["guesses"]
    name, address = request.form.get("name", "").strip(), request.remote_addr or ""
    is_name, pin = len(name) <= 40 and "\0" not in name, request.form.get("pin", "")[:20]
    try:
        is_right = guesses.is_right(address, name[:40], lambda: is_name and house().is_pin(name, pin))
    except FloorError as error:
        return page("floor/login.html", wrong=error.message)
    if not is_right:
        if is_name and house().role_of(name) is not None:
            house().note(name, "was refused: a wrong PIN", {"from": address})
        return page("floor/login.html", wrong=True)
    _end()
    _begin(name)
    house().note(name, "logged in", {"from": address})
    return redirect(url_for("people.start"))


def _begin(name: str) -> None:
    """Log this browser in, until the person's PIN changes."""
    found = house().role_and_mark(name)
    login = session.get("login") or _logins().begin()
    session.update(name=name, login=login, pin=None if found is None else found[1])


def _end() -> None:
    """Log this browser out, along with copies of its cookie."""
    _logins().end(session.get("login"))
    session.clear()


@blueprint.post("/logout")
def log_out() -> Page:
    """Log out."""
    check_token()
    if my_role() is not None:
        house().note(session["name"], "logged out")
    _end()
    return redirect(url_for("people.log_in"))


@blueprint.get("/")
@may("look")
def start() -> Page:
    """Show all tables and open problems."""
    house().decks.give_up()
    strangers = house().decks.strangers(STRANGERS, within_hours=1)
    return page("floor/start.html", incidents=house().incidents(), strangers=strangers)


@blueprint.get("/board.json")
def board() -> Response:
    """Return the board's changes since the client's version."""
    if my_role() is None:
        abort(401, "Log in.")
    since = request.args.get("since", "")
    told = house().board.since(int(since) if since.isdecimal() and len(since) < 16 else 0)
    told = {**told, "tables": [_as_read(line) for line in told["tables"]]}
    try:
        return Response(orjson.dumps(in_page_language(told)), mimetype="application/json")
    except TypeError:  # a value that orjson rejects, from one faulty table: keep showing the others
        return jsonify(told)


def _as_read(line: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a row of the board with the game's title in the reader's language."""
    picture = line.get("picture")
    if picture is None:
        return line
    return {**line, "picture": {**picture, "title": title_words(picture["game"], picture["title"])}}


@blueprint.get("/players")
@may("look")
def players() -> Page:
    """Search players by part of the name: seats and purses."""
    part, told = " ".join(request.args.get("name", "")[:40].split()), house()
    found = find(part, told.board.lines(), told.purses())
    return page("floor/players.html", part=part, found=found, most=MOST)


@blueprint.get("/audit")
@may("audit")
def audit() -> Page:
    """Show the audit log."""
    return page("floor/audit.html", lines=house().audit_lines(), more_of=_more_of)


@blueprint.get("/audit.csv")
@may("audit")
def audit_csv() -> Page:
    """Export the audit log as stored."""
    rows = (line.to_json() for line in house().audit_lines(MAX_AUDITED))
    headers = {"Content-Disposition": 'attachment; filename="audit.csv"'}
    return Response(as_csv(rows, COLUMNS), mimetype="text/csv", headers=headers)


def _more_of(line: AuditLine) -> str | None:
    """Return the page about an audit line's subject; None if there is none, or an earlier version stored too little."""
    about = json.loads(line.about)
    shown = {"version": "prices.show_version", "close": "day_closes.show", "purse": "pit_purses.show"}
    return next((url_for(page, number=about[key]) for key, page in shown.items() if type(about.get(key)) is int), None)


@blueprint.post("/invite")
@may("invite")
def invite() -> Page:
    """Show a one-time code for a table."""
    code = house().invite(request.form.get("table", ""), session["name"])
    address = current_app.extensions["join_address"](code)
    qr = segno.make(address, micro=False, error="m").svg_data_uri(border=4, dark="#000", light="#fff")
    return page("floor/code.html", code=code, address=address, qr=qr, table=request.form.get("table", ""))


@blueprint.post("/incidents/<int:number>/close")
@may("close")
def close(number: int) -> Page:
    """Close an incident."""
    house().close_incident(number, session["name"])
    return redirect(url_for("people.start"))


@blueprint.post("/people")
@may("people")
def set_person() -> Page:
    """Add a person, or change their role and PIN."""
    role = request.form.get("role", "")
    if role not in ROLES:
        raise FloorError.coded(
            "bad-role", "There is no role {role}. Roles are {roles}.", role=repr(role[:60]), roles=", ".join(ROLES)
        )
    name, pin = request.form.get("name", "").strip(), request.form.get("pin", "")
    house().set_person(name, role, pin, session["name"])
    if name == session["name"]:
        _begin(name)
    return redirect(url_for("people.start"))


def refusal(text: str) -> str:
    """Return the page that explains a refusal."""
    return page("floor/refused.html", text=text)
