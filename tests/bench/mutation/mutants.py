"""Selects the mutants of a source file that are worth running, and describes their changes."""

from __future__ import annotations

import ast
import random
import tomllib
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SAME_OBJECT = ("Eq_Is", "NotEq_IsNot", "Is_Eq", "IsNot_NotEq")
"""Suffixes of operators that compare identity instead of equality: equivalent for small integers and enums."""


@dataclass(frozen=True)
class Mutant:
    """A changed source file.

    Attributes:
        line: line number of the change, from 1.
        lines: lines of the changed statement, without the block under it.
        was, now: the changed lines, without indentation.
    """

    module: str
    operator: str
    line: int
    lines: range
    was: str
    now: str
    source: str

    def __str__(self) -> str:
        return f"{self.module}:{self.line} {self.operator}\n    - {self.was}\n    + {self.now}"


@dataclass(frozen=True)
class Equivalent:
    """An equivalent mutant, with the reason; `now` is ``*`` for any change of the line."""

    module: str
    was: str
    now: str
    reason: str

    def covers(self, mutant: Mutant) -> bool:
        """Whether this entry describes a mutant."""
        return (self.module, self.was) == (mutant.module, mutant.was) and self.now in ("*", mutant.now)


def equivalents(file: Path) -> list[Equivalent]:
    """Read the list of equivalent mutants."""
    listed = tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return [Equivalent(**one) for one in listed.get("equivalent", [])]


def worth_running(module: str, source: str, made: Iterable[dict[str, Any]]) -> Iterator[Mutant]:
    """Yield the mutants that change the executed program, without duplicates.

    Left out are changes of annotations, docstrings, ``__repr__``, type-checking code, positional-only and keyword-only
    markers, and a dataclass's ``frozen`` and ``slots``; mutants that do not compile; and mutants equal to another one.
    """
    tree = ast.parse(source)
    seen = {_program(tree)}
    for told in made:
        if told["operator"].endswith(SAME_OBJECT):
            continue
        try:
            with warnings.catch_warnings(action="ignore"):
                program = _program(ast.parse(told["source"]))
                compile(told["source"], module, "exec")
        except (SyntaxError, ValueError):
            continue
        if program in seen:
            continue
        seen.add(program)
        line, column = told["start"]
        was, now = _changed(source, told["source"])
        yield Mutant(module, told["operator"], line, _statement(tree, line, column), was, now, told["source"])


def sampled(mutants: list[Mutant], count: int | None, seed: int, module: str) -> list[Mutant]:
    """Return a random sample of ``count`` mutants, deterministic for a seed."""
    if count is None or count >= len(mutants):
        return mutants
    drawn = random.Random(f"{seed} {module}").sample(range(len(mutants)), count)
    return [mutants[at] for at in sorted(drawn)]


def _changed(source: str, mutated: str) -> tuple[str, str]:
    """Return the differing lines, before and after."""
    before, after = source.splitlines(), mutated.splitlines()
    first = next(at for at, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1])
    last = next(at for at, pair in enumerate(zip(before[::-1], after[::-1], strict=False)) if pair[0] != pair[1])
    return tuple(  # type: ignore[return-value]
        " ".join(line.strip() for line in lines[first : max(first + 1, len(lines) - last)]) for lines in (before, after)
    )


class _Bare(ast.NodeTransformer):
    """Removes parts that are not executed."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST | None:
        if node.name == "__repr__":
            return None
        node.returns = None
        node.args.args += node.args.posonlyargs + node.args.kwonlyargs
        node.args.posonlyargs = []
        node.args.kwonlyargs, node.args.kw_defaults, defaults = [], [], node.args.kw_defaults
        node.args.defaults += [one or ast.Constant(0) for one in defaults]
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id == "dataclass":
            node.keywords = [one for one in node.keywords if one.arg not in ("frozen", "slots")]
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = ast.Constant(0)
        return self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        return None if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_If(self, node: ast.If) -> ast.AST | None:
        is_typing = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        return None if is_typing else self.generic_visit(node)


def _program(tree: ast.AST) -> str:
    """Return the executed program of a source file, as text."""
    return ast.dump(_Bare().visit(ast.parse(ast.unparse(tree))))


def _statement(tree: ast.AST, line: int, column: int) -> range:
    """Return the lines of the innermost statement, or head of a compound statement, at a position."""
    heads = [head for node in ast.walk(tree) if (head := _head(node)) is not None and line in head]
    return min(heads, key=len, default=range(line, line + 1))


def _head(node: ast.AST) -> range | None:
    """Return the lines of a statement without its block."""
    if isinstance(node, ast.match_case):
        first, end = node.pattern.lineno, node.body[-1].end_lineno
    elif isinstance(node, (ast.stmt, ast.excepthandler)):
        first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
        end = node.end_lineno
    else:
        return None
    body = getattr(node, "body", None)
    if isinstance(body, list) and body:
        end = max(first, body[0].lineno - 1)
    return range(first, (end or first) + 1)
