"""Renders one row of the tables in `web_ui.openapi.api` and `web_ui.openapi.pages` as an OpenAPI operation."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

Described = Mapping[str, object]
"""A part of the document."""

Shape = type[object]
"""A `TypedDict`."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A path or query parameter, or a request header; only path parameters are required.

    Attributes:
        schema: what its text must be, as JSON schema.
    """

    name: str
    says: str
    schema: Mapping[str, object] | None = None
    place: str = "query"

    def described(self) -> Described:
        """Return the parameter as OpenAPI has it."""
        schema = self.schema or {"type": "string"}
        is_needed = self.place == "path"
        return {"name": self.name, "in": self.place, "required": is_needed, "description": self.says, "schema": schema}


@dataclass(frozen=True, slots=True)
class File:
    """A body other than our JSON, by its mimetype."""

    mimetype: str = "text/html"
    schema: Mapping[str, object] | None = None


PAGE: Final = File()
FORM: Final = File("application/x-www-form-urlencoded", {"type": "object"})
ANY_JSON: Final = File("application/json", {"type": "object"})


ANY_REFUSALS: Final = frozenset({400, 401, 421, 429})
DOING_REFUSALS: Final = frozenset({403, 413, 507})


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One HTTP method at one path.

    Attributes:
        says: about a success; the summary without it.
        answer: None for a form, which leads to the next page.
        body: what a request brings; None: nothing.
        instead: other successes by status, and what they bring: another page that it leads to, or JSON.
        refusals: the statuses of problems, besides those that any request may meet; a form shows itself again.
        of: parameters; those of the path need no more than their name there.
        by: who may ask, ``pin`` or ``browser``; anybody without one.
        is_page: for people, who are refused with a page.
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
        """The shapes that it speaks of."""
        return tuple(one for one in (self.answer, self.body) if isinstance(one, type))

    def described(self, names: Mapping[Shape, str]) -> Described:
        """Return the operation as OpenAPI has it.

        Args:
            names: of the shapes, among the document's components.
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
        """Return what it may be refused with: a request may be malformed, bring a wrong PIN, name another host."""
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
    """Return the key ``content`` for a body; nothing for none."""
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
