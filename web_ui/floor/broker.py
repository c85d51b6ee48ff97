"""The pit's broker page: address, logins, and revoking them."""

from flask import Blueprint, current_app, redirect, request, session, url_for

from companion.floor.broker.access import READERS
from web_ui.floor.people import Page, may, page
from web_ui.floor.table_api import house
from web_ui.https.authority import Authority

blueprint = Blueprint("broker", __name__)


@blueprint.get("/broker")
@may("broker")
def show() -> Page:
    """Show the broker and its logins."""
    return _page(None)


@blueprint.post("/broker/readers")
@may("people")
def let_in() -> Page:
    """Issue a password for a read-only login, and show it once."""
    login = request.form.get("login", "")
    return _page((login, house().broker.issue_reader_login(login, session["name"])))


@blueprint.post("/broker/revoke")
@may("broker")
def revoke() -> Page:
    """Revoke a login."""
    house().broker.revoke(request.form.get("login", ""), session["name"])
    return redirect(url_for(".show"))


def _page(given: tuple[str, str] | None) -> str:
    door, authority = house().broker, current_app.extensions["authority"]
    assert isinstance(authority, Authority)
    return page("floor/broker.html", broker=door, accesses=door.accesses(), given=given, readers=READERS,
                host=request.host.rpartition(":")[0] or request.host, fingerprint=authority.fingerprint)  # fmt: skip
