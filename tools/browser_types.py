"""Type hints for the pages' scripts, made from the shapes of what the API hands out.

Write them with ``python -m tools.browser_types``: the engine's as ``web_ui/static/js/types.d.ts``, each game's own
beside its scripts. Editors find them by ``@typedef {import("./types").RoomView} RoomView``; browsers never load them.
"""

import json
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from companion.plugins.registry import Games, installed_games
from web_ui.openapi.document import all_schemas
from web_ui.openapi.schemas import VIEW, Views

HEAD: Final = "// Made by `python -m tools.browser_types` from the program's own types. Do not edit.\n"
ENGINE: Final = Path(str(files("web_ui"))) / "static" / "js" / "types.d.ts"

Schema = Mapping[str, Any]


def made(games: Games) -> dict[Path, str]:
    """Return the text of every file of type hints."""
    shared = _schemas(())
    written = {ENGINE: HEAD + "".join(_interface(name, schema) for name, schema in sorted(shared.items()))}
    views: dict[Path, list[tuple[str, type[object] | None]]] = defaultdict(list)
    for plugin in games.values():
        if plugin.web is not None and plugin.view is not None:
            views[Path(str(files(plugin.web.package))) / "web"].append((plugin.name, plugin.view))
    for folder, of_family in views.items():
        own = {name: one for name, one in _schemas(tuple(of_family)).items() if name not in shared}
        text = "".join(_interface(name, schema) for name, schema in sorted(own.items()))
        used = sorted(name for name in shared if f'"#/components/schemas/{name}"' in json.dumps(own))
        place = os.path.relpath(ENGINE, folder).removesuffix(".d.ts")
        written[folder / "types.d.ts"] = f'{HEAD}import type {{ {", ".join(used)} }} from "{place}";\n{text}'
    return written


def _schemas(views: Views) -> dict[str, Schema]:
    return {name: schema for name, schema in all_schemas(views)[1].items() if name != VIEW}


def _interface(name: str, schema: Schema) -> str:
    lines = "".join(_fields(schema))
    return f"\n{_comment(schema, '')}export interface {name} {{\n{lines}}}\n"


def _fields(schema: Schema) -> Iterator[str]:
    needed = schema.get("required", ())
    for key, value in schema.get("properties", {}).items():
        yield f"{_comment(value, '  ')}  {key}{'' if key in needed else '?'}: {_type(value)};\n"


def _comment(schema: Schema, indent: str) -> str:
    says = schema.get("description")
    return "" if says is None else f"{indent}/** {' '.join(says.split())} */\n"


def _type(schema: Schema) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "enum" in schema or "const" in schema:
        return " | ".join(json.dumps(value) for value in schema.get("enum", [schema.get("const")]))
    if "anyOf" in schema:
        return " | ".join(map(_type, schema["anyOf"]))
    kind = schema.get("type")
    if kind == "array":
        inner = _type(schema.get("items", {}))
        return f"({inner})[]" if " " in inner else f"{inner}[]"
    if kind == "object":
        inside = schema.get("additionalProperties", True)
        return f"Record<string, {'unknown' if inside is True else _type(inside)}>"
    return {"integer": "number", "number": "number", "string": "string", "boolean": "boolean", "null": "null"}.get(
        str(kind), "unknown"
    )


if __name__ == "__main__":
    for path, text in made(installed_games()).items():
        path.write_text(text, encoding="utf-8")
        print(path)
