"""The part of the API's description about hands, receipts and evidence."""

from __future__ import annotations

from typing import Any, Final

from web_ui.openapi.parts import ok, problems, query

_TEXT: Final = {"type": "string"}
_WHOLE: Final = {"type": "integer"}
_MAYBE_TEXT: Final = {"type": ["string", "null"]}
_MAYBE_WHOLE: Final = {"type": ["integer", "null"]}
_COINS_BY_PLAYER: Final = {"type": "object", "additionalProperties": _WHOLE}

_FILTERS: Final = (
    query("game", "Only hands of this game.", _TEXT),
    query("session", "Only hands of this session.", {**_WHOLE, "minimum": 1}),
    query("player", "Only hands during which this player sat at the table.", _TEXT),
    query(
        "result",
        "Only hands that ended so: open, decided, nobody, won, lost (the player's, if one is named), or the suit or "
        "number that decided.",
        {"type": "string", "pattern": "^(open|decided|nobody|won|lost|[1-7])$"},
    ),
)


def _path_text(name: str, says: str) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "description": says, "schema": _TEXT}


def _file(mimetype: str, says: str) -> dict[str, Any]:
    return {"description": says, "content": {mimetype: {"schema": {"type": "string"}}}}


def _export(what: str, mimetype: str, operation: str) -> dict[str, Any]:
    return {
        "get": {
            "summary": f"All {what} as a file, the latest hand first",
            "operationId": operation,
            "parameters": list(_FILTERS),
            "responses": {"200": _file(mimetype, f"One row for each of the {what}."), **problems(400)},
        }
    }


PATHS: Final[dict[str, Any]] = {
    "/api/v1/hands": {
        "get": {
            "summary": "Hands, rounds, cuts and chains, the latest first",
            "operationId": "getHands",
            "parameters": [
                query("before", "The `next` of the page before: go on behind it.", {**_TEXT, "pattern": "^\\d+-\\d+$"}),
                query("limit", "At most so many.", {**_WHOLE, "minimum": 1, "maximum": 100, "default": 20}),
                *_FILTERS,
            ],
            "responses": {"200": ok("A page, and where the next one begins.", "Hands"), **problems(400)},
        }
    },
    "/api/v1/hands/{id}": {
        "get": {
            "summary": "One hand, step by step, with its receipt",
            "operationId": "getHand",
            "parameters": [_path_text("id", "Session and number, like 1-17.")],
            "responses": {"200": ok("The hand.", "HandInSteps"), **problems(400, 404)},
        }
    },
    "/api/v1/hands.csv": _export("hands", "text/csv", "getHandsCsv"),
    "/api/v1/hands.json": _export("hands", "application/json", "getHandsJson"),
    "/api/v1/transfers.csv": _export("transfers of coins", "text/csv", "getTransfersCsv"),
    "/api/v1/transfers.json": _export("transfers of coins", "application/json", "getTransfersJson"),
    "/api/v1/glossary": {
        "get": {
            "summary": "The games' words in plain English",
            "operationId": "getGlossary",
            "parameters": [query("game", "Only the words of this game.", _TEXT)],
            "responses": {"200": ok("Words in alphabetical order.", "Glossary"), **problems(400)},
        }
    },
    "/api/v1/evidence/{name}": {
        "get": {
            "summary": "What the camera read, and how sure it was",
            "operationId": "getEvidence",
            "parameters": [_path_text("name", "The name in a step's command.")],
            "responses": {"200": ok("What was read.", "Evidence"), **problems(404)},
        }
    },
    "/api/v1/evidence/{name}.jpg": {
        "get": {
            "summary": "The picture of what the camera read",
            "operationId": "getEvidencePicture",
            "parameters": [_path_text("name", "The name in a step's command.")],
            "responses": {"200": _file("image/jpeg", "The picture."), **problems(404)},
        }
    },
}

_HAND: Final[dict[str, Any]] = {
    "id": {**_TEXT, "description": "Session and number."},
    "session": _WHOLE,
    "number": {**_WHOLE, "description": "Counted in its session."},
    "game": _TEXT,
    "players": {"type": "array", "items": _TEXT, "description": "Who sat at the table during it."},
    "first": {**_WHOLE, "description": "Its first entry in the journal."},
    "last": {**_WHOLE, "description": "Its last entry so far."},
    "begun": _TEXT,
    "ended": _MAYBE_TEXT,
    "decided": {**_MAYBE_WHOLE, "description": "The entry that decided it."},
    "head": {**_MAYBE_TEXT, "description": "The journal's hash at that entry."},
    "result": {"type": ["object", "null"], "description": "As `companion replay` prints it; null while it is open."},
    "told": {**_MAYBE_TEXT, "description": "How it ended, in a sentence."},
    "is_undone": {"type": "boolean", "description": "All of it was taken back."},
    "sentences": {"type": "array", "items": _TEXT, "description": "What happened, without what was undone."},
}

SCHEMAS: Final[dict[str, Any]] = {
    "Hand": {"type": "object", "required": list(_HAND), "properties": _HAND},
    "Hands": {
        "type": "object",
        "required": ["hands", "next"],
        "properties": {
            "hands": {"type": "array", "items": {"$ref": "#/components/schemas/Hand"}},
            "next": {**_MAYBE_TEXT, "description": "Null on the last page."},
        },
    },
    "Step": {
        "type": "object",
        "required": [
            "seq",
            "at",
            "source",
            "kind",
            "sentence",
            "command",
            "transfers",
            "evidence",
            "is_undone",
            "view",
        ],
        "properties": {
            "seq": _WHOLE,
            "at": _TEXT,
            "source": _TEXT,
            "kind": {"type": "string", "enum": ["start", "command", "notice"]},
            "sentence": _TEXT,
            "command": {"type": ["object", "null"]},
            "transfers": {"type": "array", "items": {"$ref": "#/components/schemas/Transfer"}},
            "evidence": {**_MAYBE_TEXT, "description": "Where the picture is of what the camera read."},
            "is_undone": {"type": "boolean", "description": "It was taken back later."},
            "hash": _TEXT,
            "view": {"type": ["object", "null"], "description": "The table after it; null if the rules have changed."},
        },
    },
    "Transfer": {
        "type": "object",
        "required": ["from", "to", "coins", "why"],
        "properties": {"from": _TEXT, "to": _TEXT, "coins": {**_WHOLE, "minimum": 1}, "why": _TEXT},
    },
    "Receipt": {
        "type": "object",
        "required": ["id", "game", "ended", "seq", "head", "stakes", "payouts", "text"],
        "properties": {
            **{name: _HAND[name] for name in ("id", "session", "number", "game")},
            "ended": _TEXT,
            "seq": {**_WHOLE, "description": "The entry that decided the hand."},
            "head": {**_TEXT, "description": "The journal's hash at that entry."},
            "stakes": {**_COINS_BY_PLAYER, "description": "What each player put in."},
            "payouts": {**_COINS_BY_PLAYER, "description": "What each player got, stakes included."},
            "text": {**_TEXT, "description": "For a QR code."},
        },
    },
    "HandInSteps": {
        "type": "object",
        "required": [*_HAND, "receipt", "steps"],
        "properties": {
            **_HAND,
            "receipt": {"anyOf": [{"$ref": "#/components/schemas/Receipt"}, {"type": "null"}]},
            "steps": {"type": "array", "items": {"$ref": "#/components/schemas/Step"}},
        },
    },
    "Glossary": {
        "type": "object",
        "required": ["terms"],
        "properties": {
            "terms": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["word", "also", "means", "games"],
                    "properties": {
                        "word": _TEXT,
                        "also": {"type": "array", "items": _TEXT, "description": "What else players call it."},
                        "means": _TEXT,
                        "games": {"type": "array", "items": _TEXT},
                    },
                },
            }
        },
    },
    "Evidence": {"type": "object", "properties": {"id": _TEXT, "at": _TEXT}},
}
