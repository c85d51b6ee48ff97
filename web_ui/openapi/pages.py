"""The description of everything that is not ``/api/v1``: pages for people, what monitors and browsers ask."""

from __future__ import annotations

from typing import Any, Final

from web_ui.openapi.parts import path_text, problems

_HTML: Final = "text/html"
_FORM: Final = "application/x-www-form-urlencoded"
_JSON: Final = {"schema": {"type": "object"}}


def _answer(says: str, mimetype: str = _HTML) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object"} if mimetype.endswith("json") else {"type": "string"}
    return {"description": says, "content": {mimetype: {"schema": schema}}}


def _page(
    summary: str, name: str, *parameters: str, mimetype: str = _HTML, refusals: tuple[int, ...] = ()
) -> dict[str, Any]:
    return {
        "get": {
            "summary": summary,
            "operationId": name,
            "parameters": [path_text(one, one) for one in parameters],
            "responses": {"200": _answer(summary, mimetype), **problems(*refusals)},
        }
    }


def _form(summary: str, name: str, *parameters: str) -> dict[str, Any]:
    """A form of a page: it leads to another page, or shows its own again with what was wrong."""
    return {
        "summary": summary,
        "operationId": name,
        "parameters": [path_text(one, one) for one in parameters],
        "requestBody": {"content": {_FORM: {"schema": {"type": "object"}}}},
        "responses": {
            "302": {"description": "Done: on to the next page."},
            **{str(status): _answer("The form again, with what was wrong.") for status in (400, 401, 403, 429)},
        },
    }


def _asked(summary: str, name: str, *parameters: str, verb: str = "get") -> dict[str, Any]:
    """What the dealer's page asks its own server."""
    return {
        "summary": summary,
        "operationId": name,
        "parameters": [path_text(one, one) for one in parameters],
        **({"requestBody": {"content": {"application/json": _JSON}}} if verb == "post" else {}),
        "responses": {"200": _answer(summary, "application/json"), **problems(400, 401, 403, 404)},
        "security": [{"browser": []}],
    }


PATHS: Final[dict[str, Any]] = {
    "/": _page("The table for the room", "showTable"),
    "/odds": _page("Chance, price and edge of every bet", "showOdds"),
    "/history": _page("What was played", "showHistory"),
    "/history/log": _page("The journal in words", "showLog"),
    "/history/session/{session}": _page("A session's summary", "showSession", "session", refusals=(404,)),
    "/history/{session}/{number}": _page("A hand, step by step", "showHand", "session", "number", refusals=(404,)),
    "/history/{session}/{number}/receipt": _page(
        "A round's receipt", "showReceipt", "session", "number", refusals=(404,)
    ),
    "/dealer": _page("The dealer's console, or its log-in", "showDealer"),
    "/dealer/login": {"post": _form("Log in with the PIN", "logIn")},
    "/dealer/logout": {"post": _form("Log out", "logOut")},
    "/dealer/camera.jpg": _page("What the camera sees", "showCamera", mimetype="image/jpeg", refusals=(401, 404)),
    "/dealer/reasons": {"get": _asked("Chances and pictures behind the payouts", "getReasons")},
    "/dealer/seats/{seat}": {"get": _asked("The code for the seat's next phone", "getSeatCode", "seat")},
    "/dealer/seats/{seat}/new-code": {"post": _asked("A fresh code for a seat", "newSeatCode", "seat", verb="post")},
    "/dealer/demo": {
        "get": _asked("The demo table", "getDemo"),
        "post": _asked("Tell the demo table what to do", "postDemo", verb="post"),
    },
    "/seat/{seat}": _page("A player's phone, or its joining", "showSeat", "seat"),
    "/seat/{seat}/join": {"post": _form("Sit down with the seat's code", "joinSeat", "seat")},
    "/seat/{seat}/leave": {"post": _form("Leave the phone", "leaveSeat", "seat")},
    "/setup": {
        **_page("The set-up wizard, or the choice of the first PIN", "showSetup"),
        "post": _form("Choose or change the PIN", "choosePin"),
    },
    "/setup/pin": _page("The form to change the PIN", "showPin"),
    "/setup/dice": _page("Teach the table the house's dice", "showDice"),
    "/healthz": _page("The process is alive", "getHealth", mimetype="application/json"),
    "/readyz": _page("The table answers", "getReadiness", mimetype="application/json", refusals=(503,)),
    "/metrics": _page("Numbers for Prometheus", "getMetrics", mimetype="text/plain"),
    "/manifest.webmanifest": _page("The app's manifest", "getManifest", mimetype="application/manifest+json"),
    "/sw.js": _page("The app's worker", "getWorker", mimetype="text/javascript"),
    "/offline": _page("What is shown without a network", "showOffline"),
    "/static/{digest}/{name}": _page(
        "A static file", "getStatic", "digest", "name", mimetype="application/octet-stream", refusals=(404,)
    ),
    "/api/v1/openapi.json": _page("This description", "getDescription", mimetype="application/json"),
}
