"""Builds the OpenAPI 3.1 document from the operation tables and the schemas of their types."""

import json
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from companion.kernel.game import GameView
from companion.plugins.registry import Games
from companion.service.snapshot import RoomView
from web_ui.openapi.api import API
from web_ui.openapi.operations import Described, Shape
from web_ui.openapi.pages import PAGES
from web_ui.openapi.schemas import VIEW, Schemas, Views, schemas, view_schema
from web_ui.openapi.shapes import Problem

_WHO: Final = {
    "pin": {"type": "http", "scheme": "bearer", "description": "The dealer's PIN."},
    "browser": {"type": "apiKey", "in": "cookie", "name": "companion", "description": "A log-in's cookie."},
}


def openapi(games: Games) -> Described:
    """Return the document served at ``/api/v1/openapi.json`` with these games installed."""
    return _document(_views(games))


def openapi_json(games: Games) -> bytes:
    """Return the encoded document, cached: encoding 300 kB per request would keep the dealer waiting."""
    return _written(_views(games))


def _views(games: Games) -> Views:
    return tuple((name, plugin.view) for name, plugin in games.items())


@cache
def _written(views: Views) -> bytes:
    return json.dumps(_document(views), separators=(",", ":"), sort_keys=True).encode()


@cache
def _document(views: Views) -> Described:
    names, made = all_schemas(views)
    paths: dict[str, dict[str, Described]] = {}
    for base, operations in (("/api/v1", API), ("", PAGES)):
        for operation in operations:
            paths.setdefault(base + operation.path, {})[operation.verb] = operation.described({**names, RoomView: VIEW})
    return {
        "openapi": "3.1.0",
        "info": {"title": "Table companion", "version": _version(), "description": "The table for programs."},
        "paths": paths,
        "components": {"schemas": made, "securitySchemes": _WHO},
    }


def all_schemas(views: Views) -> tuple[dict[Shape, str], Schemas]:
    """Return the names and schemas of all types in the API."""
    of_games = [view for _, view in views if view is not None]
    of_operations = [shape for operation in API for shape in operation.shapes]
    names, made = schemas([RoomView, GameView, Problem, *of_operations, *of_games])
    return dict(names), {**made, VIEW: view_schema(views, names)}


def _version() -> str:
    try:
        return version("table-companion")
    except PackageNotFoundError:  # run from a source tree
        return "0"
