"""The description of what the set-up page asks and does. All of it is for the dealer alone."""

from __future__ import annotations

from typing import Any, Final

from web_ui.openapi.parts import JSON, ok, path_text, problems, query

_TEXT: Final = {"type": "string"}
_BOTH: Final[list[dict[str, list[str]]]] = [{"pin": []}, {"browser": []}]
_REFUSALS: Final = (400, 401, 403, 404, 409, 413, 415, 429)


def _body(properties: dict[str, Any], *required: str, example: dict[str, Any] | None = None) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": properties, "required": list(required)}
    return {"required": True, "content": {JSON: {"schema": schema | ({"examples": [example]} if example else {})}}}


def _post(
    summary: str, name: str, says: str, schema: str, body: dict[str, Any] | None = None, status: int = 200
) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "summary": summary,
        "operationId": name,
        "responses": {str(status): ok(says, schema), **problems(*_REFUSALS)},
        "security": _BOTH,
    }
    return {"post": operation | ({"requestBody": body} if body else {})}


def _get(summary: str, name: str, success: dict[str, Any], *parameters: dict[str, Any]) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "summary": summary,
        "operationId": name,
        "parameters": list(parameters),
        "responses": {"200": success, **problems(401, 403, 404, 409)},
        "security": _BOTH,
    }
    return {"get": operation}


def _file(says: str, mimetype: str) -> dict[str, Any]:
    return {"description": says, "content": {mimetype: {"schema": {"type": "string", "format": "binary"}}}}


PATHS: Final[dict[str, Any]] = {
    "/api/v1/setup": _get("How far the house is set up", "getSetup", ok("Settings, decks, cameras, panel.", "Setup")),
    "/api/v1/setup/settings": _post(
        "Write settings into the configuration file",
        "postSettings",
        "Written, whole; `waiting` names what counts after a new start.",
        "Settings",
        _body(
            {"changes": {"type": "object"}}, "changes", example={"changes": {"table.layout": "grand", "table.min": 5}}
        ),
    ),
    "/api/v1/setup/edges": _post(
        "What the house keeps under these rules, and under each other choice",
        "postEdges",
        "Shares of a coin, exact to a float.",
        "Edges",
        _body(
            {"game": _TEXT, "options": {"type": "object"}},
            "game",
            example={"game": "poker", "options": {"deck": "red"}},
        ),
    ),
    "/api/v1/setup/limits": _post(
        "The limits that would hold with these settings; nothing is saved",
        "postLimits",
        "Coins, null for none; `from_bank` names those that are the bank's share, `closed` the spots that take no bet.",
        "Limits",
        _body({"changes": {"type": "object"}}, example={"changes": {"table.bank": 5000}}),
    ),
    "/api/v1/setup/decks": _post(
        "Make a deck",
        "postDeck",
        "The deck, without its key.",
        "Deck",
        _body({"kind": _TEXT, "name": _TEXT}, "kind"),
    ),
    "/api/v1/setup/sheets/{what}.pdf": _get(
        "Sheets to print",
        "getSheet",
        _file("The sheets.", "application/pdf"),
        path_text("what", "deck, tokens, mat, stickers or dice."),
        query("deck", "The deck's id.", _TEXT),
        query("paper", "a4 or letter; full for a mat on one sheet.", {**_TEXT, "default": "a4"}),
        query("game", "Whose mat; the usual game's without it.", _TEXT),
    ),
    "/api/v1/setup/camera": _post(
        "Look through a camera", "postCamera", "A picture and its meters.", "Look", _body({"source": _TEXT}, "source")
    ),
    "/api/v1/setup/mat": _post(
        "Find the printed mat and store where it lies",
        "postMat",
        "Pass or fail, with the fix.",
        "MatFound",
        _body({"mat": {"type": ["string", "null"]}}),
    ),
    "/api/v1/setup/panel": _post(
        "Blink a line of the panel, hear its buttons; `test: false` ends it",
        "postPanel",
        "The panel.",
        "PanelState",
        _body({"line": {"type": ["string", "null"]}, "test": {"type": "boolean"}}),
    ),
    "/api/v1/setup/voice": _post(
        "Say a sentence aloud", "postVoice", "Said.", "Said", _body({"language": {"type": ["string", "null"]}})
    ),
    "/api/v1/setup/done": _post(
        "Note that a step is finished", "postDone", "All that are.", "Done", _body({"step": _TEXT}, "step")
    ),
    "/api/v1/setup/restart": _post(
        "Start anew with the settings as they are", "postRestart", "It will.", "Status", status=202
    ),
    "/api/v1/setup/bug-report.zip": _get(
        "What happened, without names and secrets", "getBugReport", _file("A zip.", "application/zip")
    ),
}

_OBJECT: Final = {"type": "object"}
_LIST: Final = {"type": "array", "items": _OBJECT}
SCHEMAS: Final[dict[str, Any]] = {
    "Settings": {
        "type": "object",
        "required": ["values", "file", "waiting"],
        "properties": {"values": _OBJECT, "file": _TEXT, "waiting": {"type": "array", "items": _TEXT}},
    },
    "Setup": {
        "type": "object",
        "required": ["settings", "games", "decks", "deck_kinds", "cameras", "panel", "done"],
        "properties": {
            "settings": {"$ref": "#/components/schemas/Settings"},
            "games": _LIST,
            "decks": {"type": "array", "items": {"$ref": "#/components/schemas/Deck"}},
            "deck_kinds": {"type": "array", "items": {"type": "object"}},
            "cameras": _LIST,
            "panel": {"anyOf": [{"$ref": "#/components/schemas/PanelState"}, {"type": "null"}]},
            "done": {"type": "array", "items": _TEXT},
        },
    },
    "Edges": {"type": "object", "required": ["now", "choices"], "properties": {"now": _LIST, "choices": _OBJECT}},
    "Limits": {
        "type": "object",
        "required": ["limits"],
        "properties": {"limits": {"anyOf": [_OBJECT, {"type": "null"}]}},
    },
    "Deck": {
        "type": "object",
        "required": ["id", "kind", "name", "created"],
        "properties": {"id": _TEXT, "kind": _TEXT, "name": _TEXT, "created": _TEXT},
    },
    "Look": {
        "type": "object",
        "required": ["picture", "glare_percent", "edge_px", "px_per_mm"],
        "properties": {
            "picture": {**_TEXT, "description": "A data: address of a JPEG."},
            "glare_percent": {"type": "number"},
            "edge_px": {"type": ["number", "null"]},
            "px_per_mm": {"type": ["number", "null"]},
        },
    },
    "MatFound": {
        "type": "object",
        "required": ["ok", "troubles"],
        "properties": {"ok": {"type": "boolean"}, "troubles": {"type": "array", "items": _TEXT}},
    },
    "PanelState": {
        "type": "object",
        "required": ["lines", "buttons", "troubles", "testing", "pressed"],
        "properties": {
            "lines": {"type": "array", "items": _TEXT},
            "buttons": {"type": "array", "items": _TEXT},
            "troubles": {"type": "array", "items": _TEXT},
            "testing": {"type": "boolean"},
            "pressed": {"type": "array", "items": _TEXT},
        },
    },
    "Said": {"type": "object", "required": ["language"], "properties": {"language": _TEXT}},
    "Done": {"type": "object", "required": ["done"], "properties": {"done": {"type": "array", "items": _TEXT}}},
    "Status": {"type": "object", "required": ["status"], "properties": {"status": _TEXT}},
}
