"""The description of the API, OpenAPI 3.1."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from web_ui.openapi import enroll as openapi_enroll
from web_ui.openapi import hands as openapi_hands
from web_ui.openapi import pages as openapi_pages
from web_ui.openapi import setup as openapi_setup
from web_ui.openapi.parts import JSON, ok, problems, query

_AS: Final = query("as", "Who is looking: room, dealer or seat/N.", {"type": "string", "default": "room"})
_KEY: Final = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "The same key gives the same answer, and the command is played once.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 150},
}


def _body(schema: str) -> dict[str, Any]:
    return {"required": True, "content": {JSON: {"schema": {"$ref": f"#/components/schemas/{schema}"}}}}


_PATHS: Final[dict[str, Any]] = {
    "/api/v1/state": {
        "get": {
            "summary": "The table as the viewer may see it",
            "operationId": "getState",
            "parameters": [_AS],
            "responses": {"200": ok("The whole view.", "View"), **problems(400, 401)},
        }
    },
    "/api/v1/events": {
        "get": {
            "summary": "The journal behind an entry, oldest first",
            "operationId": "getEvents",
            "parameters": [
                query("after", "Number of the last entry you have.", {"type": "integer", "minimum": 0, "default": 0}),
                query("limit", "At most so many.", {"type": "integer", "minimum": 1, "maximum": 500, "default": 100}),
                _AS,
            ],
            "description": "Of private notices (log-ins) only the dealer sees what they say.",
            "responses": {
                "200": ok("Entries, and the `after` of the next page.", "Events"),
                **problems(400, 401, 403, 429),
            },
        }
    },
    "/api/v1/stream": {
        "get": {
            "summary": "The view at once and at each change, as server-sent events",
            "description": "Events: `view` (the whole view; its id is the version), `heartbeat` every two seconds, "
            "`goodbye` when the right to watch is over.",
            "operationId": "getStream",
            "parameters": [_AS],
            "responses": {
                "200": {"description": "A stream.", "content": {"text/event-stream": {"schema": {"type": "string"}}}},
                **problems(400, 401),
            },
        }
    },
    "/api/v1/commands": {
        "post": {
            "summary": "Do something: the very objects of a hand script",
            "operationId": "postCommand",
            "parameters": [_AS, _KEY],
            "requestBody": _body("Command"),
            "responses": {
                "200": ok("Done, and durable.", "Accepted"),
                **problems(400, 401, 403, 409, 413, 415, 429, 503),
            },
            "security": [{"pin": []}, {"browser": []}],
        }
    },
    "/api/v1/answers": {
        "post": {
            "summary": "Answer a question that the table asks the dealer",
            "operationId": "postAnswer",
            "parameters": [_AS],
            "requestBody": _body("Answer"),
            "responses": {
                "200": ok("Done; seq is null where the answer is no command.", "Accepted"),
                **problems(400, 401, 403, 409, 413, 415, 429, 503),
            },
            "security": [{"pin": []}, {"browser": []}],
        }
    },
    "/api/v1/intentions": {
        "post": {
            "summary": "Say whether the next card is played or dealt, before the camera sees it",
            "operationId": "postIntention",
            "parameters": [_AS],
            "requestBody": _body("Intention"),
            "responses": {
                "200": ok("Noted until the next card counts.", "Intention"),
                **problems(400, 401, 403, 413, 415, 429),
            },
            "security": [{"pin": []}, {"browser": []}],
        }
    },
}

_WHOLE: Final = {"type": "integer"}
_TEXT: Final = {"type": "string"}
_SCHEMAS: Final[dict[str, Any]] = {
    "View": {
        "type": "object",
        "required": ["game", "phase", "expected", "players", "house", "staked", "seq", "version"],
        "properties": {
            "game": _TEXT,
            "phase": _TEXT,
            "prompt": _TEXT,
            "expected": {"type": "array", "items": _TEXT, "description": "The verbs that can be done now."},
            "players": {"type": "array", "items": {"type": "object"}},
            "house": _WHOLE,
            "staked": _WHOLE,
            "odds": {
                "type": "array",
                "items": {"type": "object"},
                "description": "Chance, price and edge of every bet now; of the next round once this one is decided.",
            },
            "seq": {**_WHOLE, "description": "The latest entry of the journal."},
            "version": {**_WHOLE, "description": "Grows with everything that can be seen."},
        },
    },
    "Entry": {
        "type": "object",
        "required": ["seq", "at", "source", "do", "record", "events"],
        "properties": {
            "seq": _WHOLE,
            "at": {"type": "string", "format": "date-time"},
            "source": _TEXT,
            "do": _TEXT,
            "record": {"type": "object"},
            "events": {"type": "array", "items": {"type": "object"}},
        },
    },
    "Events": {
        "type": "object",
        "required": ["events", "next"],
        "properties": {"events": {"type": "array", "items": {"$ref": "#/components/schemas/Entry"}}, "next": _WHOLE},
    },
    "Command": {
        "type": "object",
        "required": ["do"],
        "properties": {"do": _TEXT, "key": {**_TEXT, "description": "As the header Idempotency-Key."}},
        "examples": [{"do": "bet", "player": "Aubrey", "on": "cut/6", "amount": 5}, {"do": "deal", "card": "6D3"}],
    },
    "Answer": {
        "type": "object",
        "required": ["question", "choice"],
        "properties": {"question": _TEXT, "choice": _TEXT},
    },
    "Intention": {
        "type": "object",
        "required": ["next"],
        "properties": {"next": {"type": "string", "enum": ["play", "deal"]}},
    },
    "Accepted": {
        "type": "object",
        "required": ["seq", "events"],
        "properties": {
            "seq": {"type": ["integer", "null"]},
            "events": {"type": "array", "items": {"type": "object"}},
        },
    },
    "Problem": {
        "type": "object",
        "required": ["code", "message", "status"],
        "properties": {"code": _TEXT, "message": _TEXT, "status": _WHOLE, "title": _TEXT, "detail": _TEXT},
    },
}


@cache
def openapi() -> dict[str, Any]:
    """Return the document that ``/api/v1/openapi.json`` serves."""
    try:
        number = version("table-companion")
    except PackageNotFoundError:  # run from a source tree that was never installed
        number = "0"
    return {
        "openapi": "3.1.0",
        "info": {"title": "Table companion", "version": number, "description": "The table for programs."},
        "paths": {
            **_PATHS,
            **openapi_hands.PATHS,
            **openapi_setup.PATHS,
            **openapi_enroll.PATHS,
            **openapi_pages.PATHS,
        },
        "components": {
            "schemas": {**_SCHEMAS, **openapi_hands.SCHEMAS, **openapi_setup.SCHEMAS, **openapi_enroll.SCHEMAS},
            "securitySchemes": {
                "pin": {"type": "http", "scheme": "bearer", "description": "The dealer's PIN."},
                "browser": {"type": "apiKey", "in": "cookie", "name": "companion", "description": "A log-in's cookie."},
            },
        },
    }
