"""JSON schemas of `TypedDict`s."""

import ast
import inspect
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import pairwise
from typing import Final

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema
from typing_extensions import get_original_bases, is_typeddict

from companion.kernel.game import GameView
from companion.service.snapshot import RoomView
from web_ui.openapi.operations import Shape

VIEW: Final = "View"
"""Schema name of the whole view: the table's part and the game's."""
_REF: Final = "#/components/schemas/"

Schemas = dict[str, JsonSchemaValue]
Views = tuple[tuple[str, Shape | None], ...]
"""Each game with its view's type, if the plug-in names one."""


class _Generator(GenerateJsonSchema):
    """Strips the ``Json`` suffix from type names, and takes field descriptions from the string below a field."""

    def normalize_name(self, name: str) -> str:
        return super().normalize_name(name.removesuffix("Json"))

    def field_title_should_be_set(self, schema: object) -> bool:
        return False

    def typed_dict_schema(self, schema: core_schema.TypedDictSchema) -> JsonSchemaValue:
        made = super().typed_dict_schema(schema)
        for field, says in _field_words(schema["cls"]).items():  # type: ignore[arg-type]  # a class can be hashed
            made["properties"][field]["description"] = says
        made.pop("title", None)
        return made


@cache
def _field_words(shape: Shape) -> Mapping[str, str]:
    """Return the descriptions of a type's fields, including inherited ones."""
    found: dict[str, str] = {}
    for base in get_original_bases(shape):
        found |= _field_words(base) if is_typeddict(base) else {}
    try:
        made = ast.parse(inspect.getsource(shape)).body[0]
    except (OSError, TypeError):  # created dynamically, no source
        return found
    for field, below in pairwise(made.body if isinstance(made, ast.ClassDef) else ()):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(below, ast.Expr):
            found[field.target.id] = str(ast.literal_eval(below.value))
    return found


def schemas(shapes: Iterable[Shape]) -> tuple[Mapping[Shape, str], Schemas]:
    """Return the schema name of each type, and by name the schemas of these and all types they refer to."""
    adapters = [(shape, "validation", TypeAdapter(shape)) for shape in dict.fromkeys(shapes)]
    refs, made = TypeAdapter.json_schemas(adapters, ref_template=_REF + "{model}", schema_generator=_Generator)  # type: ignore[arg-type, type-var]
    return {shape: refs[shape, "validation"]["$ref"].removeprefix(_REF) for shape, *_ in adapters}, made["$defs"]


def view_schema(views: Views, names: Mapping[Shape, str]) -> JsonSchemaValue:
    """Return the schema of the whole view: the common part, and one alternative per game."""
    played = {game: names[view or GameView] for game, view in views}
    own = [
        {"properties": {"game": {"enum": [name for name in played if played[name] == shape]}},
         "allOf": [{"$ref": _REF + shape}]}
        for shape in dict.fromkeys(played.values())
    ]  # fmt: skip
    return {"description": "The table as a viewer may see it.", "allOf": [{"$ref": _REF + names[RoomView]},
            *([{"oneOf": own}] if own else [])]}  # fmt: skip
