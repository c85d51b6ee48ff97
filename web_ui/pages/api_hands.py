"""``/api/v1/hands``: the hands played, step by step and as tables, the camera's evidence, and the glossary."""

from collections.abc import Iterator
from typing import Final

from flask import Blueprint, Response, current_app, jsonify, request, url_for

from companion.journal.evidence import EvidenceRing, NoEvidence
from companion.journal.history.export import HAND_COLUMNS, MOVE_COLUMNS, Row, as_csv, as_json, hand_rows, move_rows
from companion.journal.history.filter import HandFilter
from companion.journal.history.hand_history import Step, StepJson
from companion.journal.receipt import receipt
from companion.kernel.errors import BadScript
from companion.service.glossary import glossary
from web_ui.access.rights import service
from web_ui.openapi.shapes import Glossary, HandInSteps, Hands
from web_ui.pages.api import asked_number
from web_ui.problems import BadRequest, problem

HANDS_DEFAULT: Final = 20
HANDS_LIMIT: Final = 100

blueprint = Blueprint("api_hands", __name__, url_prefix="/api/v1")


@blueprint.get("/hands")
def hands() -> Response:
    limit = max(1, min(asked_number("limit", 0) or HANDS_DEFAULT, HANDS_LIMIT))
    before = request.args.get("before")
    found = service().history.hands(limit + 1, None if before is None else _named(before), _asked())
    page = found[:limit]
    answer: Hands = {"hands": page, "next": page[-1]["id"] if len(found) > limit else None}
    return jsonify(answer)


@blueprint.get("/hands/<hand_id>")
def hand(hand_id: str) -> Response:
    session, number = _named(hand_id)
    history = service().history
    found, steps, slip = (
        history.hand(session, number),
        history.steps(session, number),
        receipt(history, session, number),
    )
    if found is None or steps is None:
        return problem(404, "not-found", f"There is no hand {hand_id[:40]!r}. Look for it under /api/v1/hands.")
    answer: HandInSteps = {
        **found,
        "receipt": slip.to_json() if slip else None,
        "steps": [_step(step) for step in steps],
    }
    return jsonify(answer)


def _step(step: Step) -> StepJson:
    """Return a step, with the evidence as the picture's URL."""
    picture = url_for(".evidence_picture", name=step.evidence) if step.evidence else None
    return {**step.to_json(), "evidence": picture}


@blueprint.get("/hands.csv")
def hands_csv() -> Response:
    return _file(as_csv(hand_rows(service().history, _asked()), HAND_COLUMNS), "hands.csv", "text/csv")


@blueprint.get("/hands.json")
def hands_json() -> Response:
    return _file(as_json(hand_rows(service().history, _asked())), "hands.json", "application/json")


@blueprint.get("/transfers.csv")
def transfers_csv() -> Response:
    return _file(as_csv(_moves(), MOVE_COLUMNS), "transfers.csv", "text/csv")


@blueprint.get("/transfers.json")
def transfers_json() -> Response:
    return _file(as_json(_moves()), "transfers.json", "application/json")


def _moves() -> Iterator[Row]:
    return move_rows(service().history, _asked())


def _file(pieces: Iterator[str], name: str, mimetype: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(pieces, mimetype=mimetype, headers=headers)


@blueprint.get("/glossary")
def words() -> Response:
    try:
        terms = glossary(service().games, request.args.get("game"))
    except BadScript as error:
        raise BadRequest(error.message) from error
    answer: Glossary = {"terms": terms}
    return jsonify(answer)


# ---- evidence


@blueprint.get("/evidence/<name>.jpg")
def evidence_picture(name: str) -> Response:
    return Response(_exhibits().get(name).jpeg, mimetype="image/jpeg")


@blueprint.get("/evidence/<name>")
def evidence(name: str) -> Response:
    return jsonify(_exhibits().get(name).facts)


@blueprint.errorhandler(NoEvidence)
def no_evidence(error: NoEvidence) -> Response:
    return problem(404, "not-found", error.message)


def _exhibits() -> EvidenceRing:
    found: EvidenceRing | None = current_app.extensions["exhibits"]
    if found is None:
        raise NoEvidence("This table keeps no pictures of what was read.")
    return found


# ---- reading a request


def _asked() -> HandFilter:
    args = request.args
    try:
        return HandFilter.checked(
            service().games, args.get("game"), asked_number("session", None), args.get("player"), args.get("result")
        )
    except BadScript as error:
        raise BadRequest(error.message) from error


def _named(hand_id: str) -> tuple[int, int]:
    session, _, number = hand_id.partition("-")
    if not all(part.isascii() and part.isdigit() and len(part) < 16 for part in (session, number)):
        raise BadRequest(f"A hand is named by its session and number, like 1-17, got {hand_id[:40]!r}.")
    return int(session), int(number)
