"""Renders rows of the operation tables (`web_ui.openapi.api`, `web_ui.openapi.pages`) as OpenAPI operations."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

Described = Mapping[str, object]
"""A fragment of the document."""

Shape = type[object]
"""A `TypedDict`."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A path or query parameter, or a request header; only path parameters are required.

    Attributes:
        schema: JSON schema of its text.
    """

    name: str
    says: str
    schema: Mapping[str, object] | None = None
    place: str = "query"

    def described(self) -> Described:
        """Return the OpenAPI parameter object."""
        schema = self.schema or {"type": "string"}
        is_needed = self.place == "path"
        return {"name": self.name, "in": self.place, "required": is_needed, "description": self.says, "schema": schema}


@dataclass(frozen=True, slots=True)
class File:
    """A request or response body other than our JSON, by MIME type."""

    mimetype: str = "text/html"
    schema: Mapping[str, object] | None = None


PAGE: Final = File()
FORM: Final = File("application/x-www-form-urlencoded", {"type": "object"})
ANY_JSON: Final = File("application/json", {"type": "object"})


ANY_REFUSALS: Final = frozenset({400, 401, 421, 429})
DOING_REFUSALS: Final = frozenset({403, 413, 507})


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One HTTP method of one path (an OpenAPI path item operation).

    Attributes:
        says: description of the success response; by default the summary.
        answer: type of the response; None for a form, which redirects.
        body: type of the request body, if any.
        instead: other success responses by status: a redirect (None) or JSON.
        refusals: error statuses besides those that any request may get; a form is shown again.
        of: parameters; path parameters only need to be listed for a schema or description.
        by: accepted security schemes, ``pin`` or ``browser``; empty for public operations.
        is_page: for people: errors are pages.
    """

    verb: str = "get"
    path: str
    name: str
    summary: str
    says: str = ""
    description: str = ""
    answer: Shape | File | None = PAGE
    status: int = 200
    body: Shape | File | None = None
    example: Mapping[str, object] | None = None
    instead: Mapping[int, File | None] = field(default_factory=dict)
    refusals: tuple[int, ...] = ()
    of: tuple[Parameter, ...] = ()
    by: tuple[str, ...] = ()
    is_page: bool = False

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """All types in the operation's bodies."""
        return tuple(one for one in (self.answer, self.body) if isinstance(one, type))

    def described(self, names: Mapping[Shape, str]) -> Described:
        """Return the OpenAPI operation object.

        Args:
            names: schema names of the types.
        """
        says = {"description": self.description} if self.description else {}
        refused: Described = _PROBLEM
        if self.is_page:
            what = "Refused, in words." if self.answer is not None else "The form again, with what was wrong."
            refused = {"description": what, "content": {**_content(PAGE, names), **_PROBLEM_CONTENT}}
        answered = {"description": self.says or self.summary, **_contents(self.answer, names)}
        others = {str(status): {"description": "Instead.", **_contents(other, names)}
                  for status, other in self.instead.items()}  # fmt: skip
        sent = {**_contents(self.body, names, self.example), "required": isinstance(self.body, type)}
        return {
            "summary": self.summary,
            "operationId": self.name,
            **says,
            "parameters": [parameter.described() for parameter in self._parameters()],
            **({"requestBody": sent} if self.body is not None else {}),
            "responses": {str(self.status): answered} | others | {str(status): refused for status in self._refused()},
            **({"security": [{who: []} for who in self.by]} if self.by else {}),
        }

    def _refused(self) -> tuple[int, ...]:
        """Return the error statuses, including those for malformed requests, wrong PINs and unknown hosts."""
        more = (
            ANY_REFUSALS
            | (DOING_REFUSALS if self.verb == "post" else frozenset())
            | ({404} if "{" in self.path else frozenset())
        )
        return tuple(sorted({*self.refusals, *more}))

    def _parameters(self) -> tuple[Parameter, ...]:
        given = {parameter.name: parameter for parameter in self.of}
        inside = [given.pop(name, Parameter(name, name)) for name in re.findall(r"{(\w+)}", self.path)]
        return (*(replace(parameter, place="path") for parameter in inside), *given.values())


def _contents(
    body: Shape | File | None, names: Mapping[Shape, str], example: Mapping[str, object] | None = None
) -> Described:
    """Return the ``content`` key of a body; empty if there is none."""
    if body is None:
        return {}
    shown = {} if example is None else {"example": example}
    return {"content": {kind: {**of, **shown} for kind, of in _content(body, names).items()}}


def _content(body: Shape | File, names: Mapping[Shape, str]) -> Mapping[str, Mapping[str, object]]:
    if isinstance(body, File):
        schema = {"type": "object" if body.mimetype.endswith("json") else "string"}
        return {body.mimetype: {"schema": schema if body.schema is None else body.schema}}
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{names[body]}"}}}


_PROBLEM_CONTENT: Final = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
_PROBLEM: Final = {
    "description": "Refused: `code` never changes, `message` is for people.",
    "content": _PROBLEM_CONTENT,
}
