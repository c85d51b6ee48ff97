"""Liveness and readiness, for systemd, containers and monitors."""

from flask import Blueprint, Response, current_app, jsonify

from companion.app.operations.house import House
from companion.app.operations.self_check import FilesJson
from web_ui.access.rights import service
from web_ui.problems import problem

blueprint = Blueprint("health", __name__)


@blueprint.get("/healthz")
def alive() -> Response:
    return jsonify(status="ok")


@blueprint.get("/readyz")
def ready() -> Response:
    try:
        view = service().view("room")
    except Exception as error:  # a monitor needs a clear "no" in any case
        return problem(503, "not-ready", f"The table does not answer: {error}. See the service's log.")
    if (held := view.get("journal")) is not None:
        return problem(503, held["state"], held["text"])
    return jsonify(
        status="ready",
        seq=view["seq"],
        camera=view["camera"]["status"],
        camera_text=view["camera"]["text"],
        boot=current_app.extensions["boot"],
        floor=None if (link := service().floor) is None else {"status": link.status, "behind": link.behind},
        files=_files(current_app.extensions["operations"]),
    )


def _files(operations: House | None) -> FilesJson | None:
    """Return the result of the self-check of the installed files; None if not available (yet)."""
    checked = None if operations is None else operations.checked
    return None if checked is None else checked.to_json()
