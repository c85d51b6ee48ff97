"""The description of teaching the table a die. All of it is for the dealer alone."""

from __future__ import annotations

from typing import Any, Final

from web_ui.openapi.parts import JSON, ok, problems

_TEXT: Final = {"type": "string"}
_FACE: Final = {**_TEXT, "description": "What is up: 1 to 20, 1 to 6, or a face by day or by night, such as 3n."}
_BOTH: Final[list[dict[str, list[str]]]] = [{"pin": []}, {"browser": []}]


def _post(summary: str, name: str, says: str, body: dict[str, Any] | None = None, schema: str = "School") -> Any:
    operation: dict[str, Any] = {
        "summary": summary,
        "operationId": name,
        "responses": {"200": ok(says, schema), **problems(400, 401, 403, 404, 409, 413, 415, 429)},
        "security": _BOTH,
    }
    return {"post": operation | ({"requestBody": _body(body)} if body else {})}


def _body(example: dict[str, Any]) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": {key: _FACE if key == "face" else _TEXT for key in example},
        "required": list(example),
        "examples": [example],
    }
    return {"required": True, "content": {JSON: {"schema": schema}}}


def _undo() -> Any:
    described = _post("Forget the picture taken last, or the last one of a face", "undoFace", "What is left.")
    body = _body({"face": "17"})
    body["content"][JSON]["schema"]["required"] = []
    described["post"]["requestBody"] = body
    return described


_BEGIN: Final = _post(
    "Begin to teach a die; nothing counts as a throw meanwhile",
    "beginLesson",
    "The lesson.",
    {"name": "house die", "kind": "d20"},
)
_STATE: Final = {
    "summary": "The house's dice, and how far the lesson is",
    "operationId": "getSchool",
    "responses": {"200": ok("Dice and lesson.", "School"), **problems(401, 403, 404)},
    "security": _BOTH,
}

PATHS: Final[dict[str, Any]] = {
    "/api/v1/enroll": {"get": _STATE, **_BEGIN},
    "/api/v1/enroll/look": _post(
        "Look at the die before the camera: would the picture do, and what does it seem to show?",
        "lookAtDie",
        "A picture, and what is made of it.",
        schema="DieSeen",
    ),
    "/api/v1/enroll/take": _post(
        "Learn the face that is up from what lies before the camera now",
        "takeFace",
        "Learnt. Where the picture will not do (`bad-picture`) the message says why, and `picture` shows it.",
        {"face": "17"},
    ),
    "/api/v1/enroll/undo": _undo(),
    "/api/v1/enroll/cancel": _post("End the lesson; the die stays as it was known", "cancelLesson", "Ended."),
    "/api/v1/enroll/finish": _post(
        "Keep the die; the running table knows it from now on", "finishLesson", "Kept; faces missing is a refusal."
    ),
    "/api/v1/enroll/forget": _post("Forget a die", "forgetDie", "Forgotten.", {"name": "house die"}),
}

_PICTURE: Final = {**_TEXT, "description": "A data: address of a JPEG."}
_FACES: Final = {"type": "array", "items": _TEXT}
_LESSON: Final = {
    "type": "object",
    "required": ["name", "kind", "faces", "wanted", "last"],
    "properties": {
        "name": _TEXT,
        "kind": _TEXT,
        "faces": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["face", "shown"],
                "properties": {"face": _TEXT, "shown": {"type": "boolean"}},
            },
        },
        "wanted": _FACES,
        "last": {
            "anyOf": [
                {"type": "object", "required": ["face", "picture"], "properties": {"face": _TEXT, "picture": _PICTURE}},
                {"type": "null"},
            ]
        },
    },
}
SCHEMAS: Final[dict[str, Any]] = {
    "School": {
        "type": "object",
        "required": ["dice", "lesson"],
        "properties": {
            "dice": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["name", "kind"],
                    "properties": {"name": _TEXT, "kind": _TEXT},
                },
            },
            "lesson": {"anyOf": [_LESSON, {"type": "null"}]},
        },
    },
    "DieSeen": {
        "type": "object",
        "required": ["picture", "trouble", "says", "likely"],
        "properties": {
            "picture": _PICTURE,
            "trouble": {**_TEXT, "description": "Why the picture will not do; empty if it will."},
            "says": {"type": ["string", "null"], "description": "The face that is surely up."},
            "likely": _FACES,
        },
    },
}
