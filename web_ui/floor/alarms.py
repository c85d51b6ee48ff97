"""The pit's alarms page: active alarms, subscriptions, and this phone's registration for push."""

import json

from flask import Blueprint, abort, current_app, jsonify, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response

from companion.floor import people
from companion.floor.alarms import store
from companion.floor.alarms.rules import KINDS
from companion.floor.errors import FloorError
from companion.kernel.errors import BadScript
from companion.kernel.messages import message
from web_ui.floor.people import Page, may, page
from web_ui.floor.table_api import house
from web_ui.https.authority import Authority
from web_ui.languages import language
from web_ui.push.subscriptions import Subscriptions, checked

blueprint = Blueprint("alarms", __name__)
LATEST = 50


def _phones() -> Subscriptions:
    found: Subscriptions | None = current_app.extensions["phones"]
    return found or abort(404, message("This floor sends alarms to no phones."))


@blueprint.get("/alarms")
@may("look")
def show() -> Page:
    """Show active and recent alarms, and everybody's subscriptions."""
    with house().connection() as connection:
        on, latest, choices = store.active(connection), store.latest(connection, LATEST), store.choices(connection)
    phones = _phones()
    counts = {name: len(phones.of(name)) for name in choices}
    return page("floor/alarms.html", on=on, latest=latest, choices=choices, counts=counts, kinds=KINDS,
                key=phones.public)  # fmt: skip


@blueprint.post("/alarms/who")
@may("alarms")
def choose() -> Page:
    """Set the alarm kinds a person subscribes to."""
    person, kinds = request.form.get("person", ""), request.form.getlist("kind")
    with house().connection() as connection, connection.transaction():
        store.choose(connection, person, kinds)
        people.note(connection, session["name"], "chose who is told of alarms", {"person": person, "alarms": kinds})
    return redirect(url_for(".show"))


@blueprint.post("/alarms/phone")
@may("look")
def begin() -> Page:
    """Register this phone for push notifications."""
    try:
        told = json.loads(request.form.get("subscription", "null"))
        keys = told["keys"]
        one = checked(told["endpoint"], keys["p256dh"], keys["auth"], session["name"], language())
    except BadScript as error:
        raise FloorError("bad-request", error.message) from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise FloorError.coded("bad-request", "This is no browser's subscription.") from error
    _phones().add(one)
    house().note(session["name"], "has a phone that is told of alarms")
    return jsonify(told=True)


@blueprint.post("/alarms/phone/end")
@may("look")
def end() -> Page:
    """Unregister this phone."""
    mine = {one.endpoint for one in _phones().of(session["name"])}
    endpoint = request.form.get("endpoint", "")
    if endpoint in mine:
        _phones().drop(endpoint)
        house().note(session["name"], "has a phone that is told of alarms no more")
    return jsonify(told=False)


@blueprint.get("/sw.js")
def worker() -> Response:
    """Return the service worker that shows notifications."""
    script = render_template("floor/sw.js")
    return Response(script, mimetype="text/javascript", headers={"Cache-Control": "no-cache"})


@blueprint.get("/authority.crt")
def authority() -> Response:
    """Return the floor's CA certificate, which a phone must trust before it accepts push."""
    found: Authority = current_app.extensions["authority"]
    headers = {"Content-Disposition": 'attachment; filename="floor.crt"'}
    return Response(found.der, mimetype="application/x-x509-ca-cert", headers=headers)
