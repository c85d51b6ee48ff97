"""Error responses: problem+json with a stable ``code`` and a ``message`` for people, or an HTML page."""

import json
from http import HTTPStatus
from typing import Any, Final

from flask import Flask, Response, render_template, request
from flask_limiter import RateLimitExceeded
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException

from companion.kernel.errors import CompanionError, TableError
from companion.kernel.messages import message
from web_ui.access.store import AccessError
from web_ui.languages import said

_STATUS_OF: Final = {
    "locked": HTTPStatus.TOO_MANY_REQUESTS,
    "not-logged-in": HTTPStatus.UNAUTHORIZED,
    "wrong-code": HTTPStatus.UNAUTHORIZED,
    "bad-pin": HTTPStatus.BAD_REQUEST,
    "already-set-up": HTTPStatus.CONFLICT,
    "not-saved": HTTPStatus.INSUFFICIENT_STORAGE,
    "not-set-up": HTTPStatus.CONFLICT,
}
_TABLE_STATUS: Final = {"not-saved": 507, "journal-held": 503, "no-answer": 503, "internal": 500}
"Table errors with another status than 409 (conflict with the table's state): those not caused by the command."
_CODE_OF: Final = {
    400: "bad-request",
    401: "not-logged-in",
    403: "not-allowed",
    404: "not-found",
    405: "wrong-method",
    413: "too-large",
    415: "not-json",
    429: "too-many-requests",
}


class BadRequest(Exception):
    """A malformed request; ``status`` is 4xx."""

    def __init__(self, message: str, *, code: str = "bad-request", status: int = 400) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.status = status


def problem(status: int, code: str, message: str, **more: Any) -> Response:
    """Return a problem+json response."""
    message = said(message)
    body = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": int(status),
        "detail": message,
        "code": code,
        "message": message,
        **more,
    }
    return Response(json.dumps(body), status=int(status), mimetype="application/problem+json")


def status_of(error: AccessError) -> int:
    """Return an access error's HTTP status."""
    return int(_STATUS_OF.get(error.code, HTTPStatus.FORBIDDEN))


def wants_json() -> bool:
    """Whether to respond with JSON (for programs and the pages' scripts) rather than with a page."""
    return request.path.startswith("/api/") or request.is_json


def register_problems(app: Flask) -> None:
    """Register the error handlers for all pages."""
    app.register_error_handler(
        TableError, lambda error: problem(_TABLE_STATUS.get(error.code, 409), error.code, error.message)
    )
    app.register_error_handler(CompanionError, lambda error: problem(409, "refused", error.message))
    app.register_error_handler(BadRequest, lambda error: problem(error.status, error.code, error.message))
    app.register_error_handler(AccessError, _access_denied)
    app.register_error_handler(CSRFError, lambda _: _answer(403, "csrf", _CSRF))
    app.register_error_handler(RateLimitExceeded, _too_many)
    app.register_error_handler(HTTPException, _http_error)


_CSRF: Final = message("This page is from an earlier visit. Load it again, then repeat what you did.")


def _access_denied(error: AccessError) -> Response:
    more = {} if error.retry_after_s is None else {"retry_after": error.retry_after_s}
    response = problem(status_of(error), error.code, error.message, **more)
    if error.retry_after_s is not None:
        response.headers["Retry-After"] = str(error.retry_after_s)
    if response.status_code == 401:
        response.headers["WWW-Authenticate"] = 'Bearer realm="dealer"'
    return response


def _too_many(error: RateLimitExceeded) -> Response:
    response = _answer(429, "too-many-requests", message("That was too fast. Wait a moment, then try again."))
    response.headers["Retry-After"] = "1"
    return response


def _http_error(error: HTTPException) -> Response:
    if isinstance(error.response, Response):
        return error.response
    status = error.code or 500
    response = _answer(status, _CODE_OF.get(status, "server-error"), _MESSAGES.get(status, error.description or ""))
    if status == 405:
        response.headers["Allow"] = ", ".join(getattr(error, "valid_methods", None) or ())
    return response


_MESSAGES: Final = {
    404: message("There is no such page. Go back to the table."),
    413: message("That is more than this table reads at once. Send less."),
    500: message("Something went wrong here; the table itself goes on. Load the page again."),
}


def _answer(status: int, code: str, message: str) -> Response:
    if wants_json():
        return problem(status, code, message)
    page = render_template("problem.html", status=status, message=said(message))
    return Response(page, status=status, mimetype="text/html")
