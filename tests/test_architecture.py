"""The seams hold: imports point one way, and the rules touch nothing outside."""

from __future__ import annotations

import ast
import posixpath
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path, PurePosixPath

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
    *(f"companion/games/{family}" for family in ("roche", "rochi", "roulette", "rugen")),
)
NOT_RULES = {
    "camera", "demo", "command.py", "options.py", "paytable.py", "simulation.py",
    "asked.py", "plugin.py",
}  # fmt: skip
"""What a game's package holds beside its rules and odds, and what `companion odds` asks it."""
IO_MODULES = {"os", "io", "socket", "subprocess", "threading", "time", "random", "sqlite3", "pathlib", "shutil"}
WIRING = {"companion/cli/run.py"}
HOLDING = ("body", "orelse", "finalbody", "handlers", "cases")
"""Fields of a statement that hold statements."""


def sources(*places: str) -> list[Path]:
    found = [ROOT / place for place in places]
    return sorted(p for place in found for p in (place.rglob("*.py") if place.is_dir() else [place]))


@cache
def imported(path: Path) -> frozenset[str]:
    """Return every module that a file imports, wherever in the file."""
    return frozenset(_imported(ast.parse(path.read_text())))


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in statements(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def statements(tree: ast.AST, *, is_skipped: Callable[[ast.AST], bool] = lambda node: False) -> Iterator[ast.AST]:
    """Yield the statements at any depth, five times as fast as `ast.walk`: no statement stands in an expression."""
    for field in HOLDING:
        for node in getattr(tree, field, ()):
            if not is_skipped(node):
                yield node
                yield from statements(node, is_skipped=is_skipped)


def test_statements_are_found_at_any_depth():
    tree = ast.parse("if a:\n  try:\n    import b\n  except c:\n    raise d\nelse:\n  e = lambda: f")
    found = sorted(type(node).__name__ for node in statements(tree))
    assert found == ["Assign", "ExceptHandler", "If", "Import", "Raise", "Try"]


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
    assert tops <= set(sys.stdlib_module_names) | {"companion", "typing_extensions"}  # a later Python's typing
    assert not tops & IO_MODULES


@pytest.mark.parametrize("path", sources("hardware", "web_ui"), ids=name)
def test_hardware_and_web_do_not_know_each_other(path):
    other = "web_ui" if name(path).startswith("hardware") else "hardware"
    assert other not in {module.partition(".")[0] for module in imported(path)}


def test_no_module_imports_in_a_circle():
    """A function's own late import counts, too; what only a type checker follows does not."""
    assert_no_circle({module_of(path): module_imports(path) for path in sources(*PACKAGES)})


def assert_no_circle(graph: Mapping[str, set[str]]) -> None:
    done: set[str] = set()

    def visit(module: str, trail: tuple[str, ...]) -> None:
        assert module not in trail, " → ".join((*trail[trail.index(module) :], module))
        if module in done or module not in graph:
            return
        for other in sorted(graph[module]):
            visit(other, (*trail, module))
        done.add(module)

    for module in graph:
        visit(module, ())


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def module_imports(path: Path) -> set[str]:
    modules: set[str] = set()
    for node in statements(ast.parse(path.read_text()), is_skipped=is_for_type_checkers):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                modules.add(inner if is_module(inner) else node.module)
    return {m for m in modules if m.partition(".")[0] in PACKAGES} - {module_of(path)}


def is_module(dotted: str) -> bool:
    place = ROOT / dotted.replace(".", "/")
    return place.with_suffix(".py").exists() or (place / "__init__.py").exists()


def is_for_type_checkers(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


# ---- the house: games above the engine, rooms of a readable size


def product_files() -> list[Path]:
    kinds = (".py", ".js", ".html", ".css", ".toml", ".json")
    return [path for place in PACKAGES for path in sorted((ROOT / place).rglob("*")) if path.suffix in kinds]


ENGINE = [path for path in sources(*PACKAGES) if not name(path).startswith("companion/games/")]


@pytest.mark.parametrize("path", ENGINE, ids=name)
def test_the_engine_never_imports_a_game(path):
    assert not [module for module in imported(path) if module.startswith("companion.games")]


GAME_NAMES = re.compile(r"roche|rochi|captain|rugen|roulette|blackjack|hold.?em|chinchirorin", re.IGNORECASE)
MAY_NAME_ONE = {
    "companion/config/tables.py",  # the die kind, as in the public contract; so are the next three
    "companion/objects/dice.py",
    "companion/printing/dice/sheet.py",
    "companion/vision/dice/models/dice.json",
}


def test_nothing_outside_its_package_names_a_game():
    outside = [path for path in product_files() if not name(path).startswith("companion/games/")]
    naming = {
        name(p) for p in outside if GAME_NAMES.search(name(p)) or GAME_NAMES.search(p.read_text(errors="replace"))
    }
    assert naming <= MAY_NAME_ONE, naming - MAY_NAME_ONE


def test_a_folder_is_no_crowd():
    """At most 16 modules in a folder; a prefix that four of them share wants to be a folder."""
    folders: dict[Path, list[str]] = {}
    for path in sources(*PACKAGES):
        if path.name != "__init__.py":
            folders.setdefault(path.parent, []).append(path.stem)
    assert not {name(folder): len(inside) for folder, inside in folders.items() if len(inside) > 16}
    prefixed = [
        (name(folder), stem.partition("_")[0]) for folder, stems in folders.items() for stem in stems if "_" in stem
    ]
    prefixes = Counter(prefixed)
    assert not {prefix: count for prefix, count in prefixes.items() if count >= 4}


def served(script: Path) -> PurePosixPath:
    """Return where a script is below the static address: a game's own beside the shared ones."""
    place = script.relative_to(ROOT)
    if place.parts[0] == "web_ui":
        return PurePosixPath(*place.parts[2:])
    return PurePosixPath("games", place.parts[2], *place.parts[4:])


def test_scripts_import_in_no_circle():
    scripts = [path for path in product_files() if path.suffix == ".js"]
    graph = {}
    for path in scripts:
        asked = re.findall(r'(?:from|import)\s+"(\.[^"]+)"', path.read_text())
        graph[str(served(path))] = {posixpath.normpath(served(path).parent / one) for one in asked}
    assert {one for wanted in graph.values() for one in wanted} <= set(graph)
    assert_no_circle(graph)
