"""``/api/v1``: the table for programs and for the pages' own scripts."""

import dataclasses
import json
from collections.abc import Callable, Iterator
from dataclasses import MISSING
from difflib import get_close_matches
from typing import Final, TypeGuard, TypeVar

from flask import Blueprint, Response, jsonify, request

from companion.kernel.commands import TABLE_VERBS, Record, field_name
from companion.service.committing.jobs import Accepted
from web_ui.access import rights
from web_ui.access.rights import Viewer
from web_ui.access.store import AccessError
from web_ui.languages import language
from web_ui.live import StreamSpec, stream
from web_ui.openapi import shapes
from web_ui.openapi.document import openapi_json
from web_ui.problems import BadRequest

KEY_LIMIT: Final = 150
EVENTS_DEFAULT: Final = 100
EVENTS_LIMIT: Final = 500
INTENTIONS: Final = ("play", "deal")
SESSION: Final = "Table-Session"
AFTER: Final = "Table-Seq"
NOTE: Final = "note"
"""Field of any command of the dealer: a remark, kept in the journal."""
ALMOST: Final = 0.75  # similarity by `difflib`: at most a letter or two missing, added or swapped

Default = TypeVar("Default", int, None)
Body = dict[str, object]
"""A request's JSON object, not validated."""

blueprint = Blueprint("api", __name__, url_prefix="/api/v1")


@blueprint.get("/state")
def state() -> Response:
    who = rights.viewer()
    return Response(rights.service().view_json(who.kind, language()), mimetype="application/json")


@blueprint.get("/advice")
def advice() -> Response:
    return jsonify(rights.service().advice(rights.viewer().kind))


@blueprint.get("/events")
def events() -> Response:
    after, limit = asked_number("after", 0), asked_number("limit", EVENTS_DEFAULT)
    found = rights.service().events(after, max(1, min(limit, EVENTS_LIMIT)), rights.viewer().kind)
    page: shapes.Events = {"events": found, "next": found[-1]["seq"] if found else after}
    return jsonify(page)


@blueprint.get("/stream")
def watch_stream() -> Response:
    who = rights.viewer()
    spec = StreamSpec(who.kind, language(), _still_allowed(who))
    request.environ["companion.stream"] = spec  # our own server takes the connection over
    body: Iterator[bytes] = stream(rights.service(), spec)
    return Response(body, mimetype="text/event-stream", headers={"X-Accel-Buffering": "no"}, direct_passthrough=True)


@blueprint.post("/commands")
def commands() -> tuple[Response, int]:
    who = rights.viewer()
    record, key = keyed(json_body())
    command = rights.allowed_command(_without_unknown(record, who), who)
    scoped = None if key is None else f"{who.kind}:{key}"  # a viewer cannot query the outcome of another's command
    accepted = rights.service().submit(
        command, source=source_of(who), key=scoped, session=meant_session(), after=_whole(AFTER)
    )
    return _accepted(accepted), 200


@blueprint.post("/answers")
def answers() -> tuple[Response, int]:
    who = rights.viewer()
    if not who.is_dealer:
        raise AccessError.coded("not-logged-in", "Only the dealer answers. Log in with the PIN at /dealer.")
    body = json_body()
    question, choice, mark = body.get("question"), body.get("choice"), body.get("mark")
    if not isinstance(question, str) or not isinstance(choice, str) or not isinstance(mark, str | None):
        raise BadRequest('An answer is {"question": "…", "choice": "…"}.')
    return _accepted(rights.service().answer(question, choice, source=source_of(who), mark=mark)), 200


@blueprint.post("/intentions")
def intentions() -> Response:
    """Set whether the next card is played or dealt, before it is on the table."""
    who = rights.viewer()
    if not who.is_dealer:
        raise AccessError.coded(
            "not-logged-in", "Only the dealer says what comes next. Log in with the PIN at /dealer."
        )
    what = json_body().get("next")
    if what not in INTENTIONS:
        raise BadRequest('An intention is {"next": "play"} or {"next": "deal"}.')
    rights.service().intend(what, source=source_of(who))
    return jsonify(next=what)


@blueprint.post("/payments")
def payments() -> tuple[Response, int]:
    """Tick or untick steps of the pay sheet."""
    who = rights.viewer()
    if not who.is_dealer:
        raise AccessError.coded("not-logged-in", "Only the dealer ticks payments. Log in with the PIN at /dealer.")
    body = json_body()
    sheet, steps, paid = body.get("sheet"), body.get("steps"), body.get("paid")
    if not isinstance(sheet, str) or not isinstance(paid, bool) or not _is_texts(steps):
        raise BadRequest('A tick is {"sheet": "…", "steps": ["…"], "paid": true}.')
    return _accepted(rights.service().tick(sheet, steps, is_paid=paid, source=source_of(who))), 200


def _is_texts(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


@blueprint.get("/openapi.json")
def description() -> Response:
    return Response(openapi_json(rights.service().games), mimetype="application/json")


# ---- reading a request


def asked_number(name: str, default: Default) -> int | Default:
    """Return a number in the query."""
    return _number(name, request.args.get(name), default)


def _number(name: str, value: str | None, default: Default) -> int | Default:
    if value is None:
        return default
    if not (value.isascii() and value.isdigit() and len(value) < 16):
        raise BadRequest(f"{name!r} is a whole number, got {value[:40]!r}.")
    return int(value)


def text_of(key: str, default: str | None = None) -> str:
    """Return a text in the request's body."""
    value = json_body().get(key, default)
    if not isinstance(value, str):
        raise BadRequest(f"{key!r} is text. Send it.")
    return value


def text_or_none(key: str, how: str) -> str | None:
    """Return an optional text in the request's body; ``how`` is the error message."""
    value = json_body().get(key)
    if not isinstance(value, str | None):
        raise BadRequest(how)
    return value


def json_body() -> Body:
    """Return the request's JSON object, strictly: no NaN, no duplicate keys."""
    if request.mimetype != "application/json":
        raise BadRequest("Send JSON with Content-Type: application/json.", code="not-json", status=415)
    try:
        body = json.loads(request.get_data(), object_pairs_hook=_once_each, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"That is not JSON: {error}.", code="bad-json") from error
    if not isinstance(body, dict):
        raise BadRequest('Send one JSON object, such as {"do": "undo"}.', code="bad-json")
    return body


def _once_each(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("a key stands there twice")
    return dict(pairs)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number")


def keyed(body: Body) -> tuple[Body, str | None]:
    """Split off the idempotency key, from the header or else from the body."""
    inside = body.pop("key", None)
    key = request.headers.get("Idempotency-Key", inside)
    if key is None:
        return body, None
    if not isinstance(key, str) or not 0 < len(key) <= KEY_LIMIT or not key.isprintable():
        raise BadRequest(f"A key is printable text of 1 to {KEY_LIMIT} characters.", code="bad-key")
    return body, key


def _without_unknown(record: Record, who: Viewer) -> Record:
    """Return a command without the fields that its verb does not have: they are ignored, as in a hand script.

    Raises:
        BadRequest: an unknown field is almost the name of an optional one that is absent. Ignoring it could cost coins:
            a misspelt ``only`` would let an undo take back another command than the one meant.
    """
    verb = record.get("do")
    verbs = {**TABLE_VERBS, **rights.service().games.rules(rights.service().view("room")["game"]).verbs}
    kind = verbs.get(verb) if isinstance(verb, str) else None
    if kind is None:
        return record  # the table reports the error
    absent = [
        name for f in dataclasses.fields(kind) if f.default is not MISSING and (name := field_name(f)) not in record
    ]
    known = {field_name(field) for field in dataclasses.fields(kind)} | {"do"} | ({NOTE} if who.is_dealer else set())
    for name in record.keys() - known:
        if meant := get_close_matches(name.lower(), absent, n=1, cutoff=ALMOST):
            raise BadRequest(
                f"{verb!r} has no field {name[:40]!r}. Write {meant[0]!r} if you mean that, or leave it out.",
                code="unknown-field",
            )
    return {name: value for name, value in record.items() if name in known}


# ---- responses


def source_of(who: Viewer) -> str:
    return "api" if rights.bearer() is not None else who.kind


def meant_session() -> int | None:
    """Return the session that the page was rendered for: its commands must not apply to another game."""
    return _whole(SESSION)


def _whole(header: str) -> int | None:
    return _number(header, request.headers.get(header), None)


def _accepted(accepted: Accepted | None) -> Response:
    answer: shapes.Accepted = {"seq": None, "events": []}
    if accepted is not None:
        answer = {"seq": accepted.seq, "events": accepted.events}
    return jsonify(answer)


def _still_allowed(who: Viewer) -> Callable[[], bool]:
    """Return a check of a stream's permission, as it outlives its request: compares the access then and now."""
    store, table = rights.access(), rights.service()
    epoch, name = store.epoch, rights.session_name(who)
    if who.is_dealer:
        return lambda: store.epoch == epoch and (name is None or store.session(name) is not None)
    if who.is_seat:
        seat = int(who.kind.partition("/")[2])
        return lambda: (
            store.session(name) is not None
            and any(p["seat"] == seat and p["name"] == who.player for p in table.view("room")["players"])
        )
    return lambda: True
