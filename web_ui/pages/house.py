"""``/dealer/house``: backups, restores, restarts and the state of the installation, for the owner.

Works without scripts: during a job the page reloads itself.
"""

from datetime import UTC, datetime

from flask import Blueprint, Response, abort, current_app, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.app.operations.house import House
from companion.app.operations.update import LOG
from companion.kernel.errors import CompanionError
from web_ui.access import rights
from web_ui.figures import local_time
from web_ui.languages import said

blueprint = Blueprint("house", __name__, url_prefix="/dealer/house")


def operations() -> House:
    """Return the back end; 404 without one."""
    found: House | None = current_app.extensions["operations"]
    return found or abort(404)


@blueprint.get("")
def show() -> str | AnyResponse:
    found = operations()
    if not rights.access().has_pin:
        return redirect(url_for("setup.show"))
    if not rights.is_dealer():
        return render_template("login.html", error=None)
    return _page(found)


def _page(found: House, error: str | None = None) -> str:
    state = found.state()
    made = "" if state.pending is None else _time(state.pending.made)
    return render_template("house.html", state=state, error=error, job=state.job, made=made)


def _time(made: str) -> str:
    """Format a backup's time in the table's time zone; unchanged if the archive's text is not a time."""
    try:
        return local_time(made)
    except ValueError:
        return made


@blueprint.get("/update")
def update() -> str | AnyResponse:
    """Show how to update the program; ``from`` is the mark of the previous release."""
    found = operations()
    if not rights.is_dealer():
        return render_template("login.html", error=None)
    state, before = found.state(), request.args.get("from", "")
    return render_template(
        "update.html",
        installed=state.installed,
        job=state.job,
        backed_up=state.is_backed_up(datetime.now(UTC)),
        undecided=said(state.undecided),
        before=before.partition(" ")[0],
        log=LOG,
        is_new=state.installed.is_other_release_than(before) if before else None,
    )


@blueprint.get("/update/mark")
def mark() -> Response:
    """Return the running release and its start, for the page that waits for a newer one."""
    rights.need_dealer()
    return Response(operations().state().installed.mark, mimetype="text/plain")


@blueprint.post("/restart")
def restart() -> AnyResponse:
    """Restart the table; the response is the waiting page itself, as it could not be requested afterwards."""
    rights.need_dealer()
    found = operations()
    try:
        found.restart(safe="safe" in request.form)
    except CompanionError as error:
        return Response(_page(found, said(error.message)), 409)
    return Response(render_template("restarting.html", boot=current_app.extensions["boot"]))


@blueprint.post("/<what>")
def do(what: str) -> AnyResponse:
    """Start an action; then show the page again, with its progress or the error."""
    rights.need_dealer()
    found, name = operations(), request.form.get("name", "")[:200]
    try:
        if what == "backup":
            found.back_up(away="away" in request.form)
        elif what == "restore":
            found.restore(name, away="away" in request.form)
        elif what == "drop-restore":
            found.drop_restore()
        elif what == "accept-key":
            found.accept_key()
        else:
            abort(404)
    except CompanionError as error:
        return Response(_page(found, said(error.message)), 409)
    return redirect(url_for("house.show"))
