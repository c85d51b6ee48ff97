"""The seams hold: imports point one way, and the rules touch nothing outside."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("companion", "hardware", "web_ui")
PURE = (
    "companion/kernel",
    "companion/objects/cards.py",
    "companion/objects/codes.py",
    "companion/objects/dice.py",
    "companion/objects/geometry.py",
    "companion/odds",
    "companion/service/questions.py",
    *(f"companion/games/{family}" for family in ("roche", "rochi", "rugen")),
)
NOT_RULES = {"plugin.py", "camera", "demo", "mat_art.py", "command.py", "paytable.py", "simulation.py"}
"""What a game's package holds beside its rules and odds."""
IO_MODULES = {"os", "io", "socket", "subprocess", "threading", "time", "random", "sqlite3", "pathlib", "shutil"}
WIRING = {"companion/cli/run.py"}


def sources(*places: str) -> list[Path]:
    found = [ROOT / place for place in places]
    return sorted(p for place in found for p in (place.rglob("*.py") if place.is_dir() else [place]))


def imported(path: Path) -> Iterator[str]:
    """Yield every module that a file imports, wherever in the file."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", sources("companion"), ids=name)
def test_the_companion_knows_neither_flask_nor_gpio(path):
    tops = {module.partition(".")[0] for module in imported(path)}
    assert not tops & {"flask", "gpiozero", "cheroot", "lgpio"}
    if name(path).startswith(("companion/cli/", "companion/app/", "companion/games/")):
        return  # what plugs things together, and the games above the engine
    assert not tops & {"hardware", "web_ui"}


@pytest.mark.parametrize("path", [p for p in sources(*PURE) if not NOT_RULES & set(p.parts)], ids=name)
def test_the_rules_do_no_io(path):
    tops = {module.partition(".")[0] for module in imported(path)}
    assert tops <= set(sys.stdlib_module_names) | {"companion"}
    assert not tops & IO_MODULES


@pytest.mark.parametrize("path", sources("hardware", "web_ui"), ids=name)
def test_hardware_and_web_do_not_know_each_other(path):
    other = "web_ui" if name(path).startswith("hardware") else "hardware"
    assert other not in {module.partition(".")[0] for module in imported(path)}


def test_no_module_imports_in_a_circle():
    """Follows imports at the top of files; a function's own late import is allowed."""
    graph = {module_of(path): top_imports(path) for path in sources(*PACKAGES)}
    done: set[str] = set()

    def visit(module: str, trail: tuple[str, ...]) -> None:
        assert module not in trail, " → ".join((*trail[trail.index(module) :], module))
        if module in done or module not in graph:
            return
        for other in graph[module]:
            visit(other, (*trail, module))
        done.add(module)

    for module in graph:
        visit(module, ())


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def top_imports(path: Path) -> set[str]:
    modules: set[str] = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            known = {m for m in inner if (ROOT / (m.replace(".", "/") + ".py")).exists()}
            modules |= known or {node.module}
    return {m for m in modules if m.partition(".")[0] in PACKAGES}
