"""Pieces that the API's description is put together from."""

from __future__ import annotations

from typing import Any, Final

JSON: Final = "application/json"
_PROBLEM: Final = {
    "description": "Refused: `code` never changes, `message` is for people.",
    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
}


def ok(says: str, schema: str, mimetype: str = JSON) -> dict[str, Any]:
    """Return the response of a success."""
    return {"description": says, "content": {mimetype: {"schema": {"$ref": f"#/components/schemas/{schema}"}}}}


def query(name: str, says: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Return a parameter behind the question mark; none is needed."""
    return {"name": name, "in": "query", "required": False, "description": says, "schema": schema}


def problems(*statuses: int) -> dict[str, Any]:
    """Return the responses that are refusals."""
    return {str(status): _PROBLEM for status in statuses}


def path_text(name: str, says: str) -> dict[str, Any]:
    """Return a parameter of the path."""
    return {"name": name, "in": "path", "required": True, "description": says, "schema": {"type": "string"}}
