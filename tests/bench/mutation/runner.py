"""Runs tests on mutants, each in a forked process that changes the program in memory; no file is written.

A first pass records the lines that each test runs, and its duration. A mutant gets the tests that run the changed
statement, the shortest first, until one fails. A changed function body is replaced in the running program; for a change
in code that an import executes, the modules are reimported, with the mutant in place of the file.
"""

import gc
import math
import os
import pickle
import resource
import select
import shutil
import signal
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest
from mutation.mutants import Mutant

LONGEST_TEST_S = 3.0
"""Maximum CPU seconds of a single test during tracing; longer tests are left out."""
ALL_TESTS_S = 20.0
"""Maximum total seconds of the tests of one mutant; the shortest are taken."""
LATE_TESTS_S = 60.0
"""Maximum total seconds of the slow tests."""
MEMORY_BYTES = 6 << 30
CO_OPTIMIZED = 1


@dataclass
class Ran:
    """First-pass result of one test."""

    item: int
    seconds: float
    lines: dict[str, set[int]]


@dataclass(frozen=True)
class Outcome:
    """The outcome of a mutant.

    Attributes:
        killer: the test that failed; ``timeout`` or ``crash``; None: no test failed.
        tests: number of tests that run the changed statement.
        wants_import: it was not run, since it needs a reimport; `chosen` are its tests.
    """

    mutant: Mutant
    killer: str | None
    tests: int
    wants_import: bool = False
    chosen: tuple[str, ...] = ()


@dataclass
class Session:
    """A pytest plugin: once the tests are collected, runs the mutants in place of the tests."""

    mutants: Sequence[Mutant]
    sources: dict[str, str]
    last: Sequence[str]
    "Slow test files, all of which run only on mutants that survive all other tests."
    tell: Callable[[Outcome], None]
    lines: dict[str, set[int]] = field(default_factory=dict)
    "File -> function lines run while the tests were imported."
    _clean: Callable[[], object] = list
    _late: list[pytest.Item] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.lines = {os.path.abspath(module): set() for module in self.sources}
        _trace(self.lines)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
        if session.testsfailed:
            raise session.Interrupted("tests cannot be collected")
        imported = {path: set(lines) for path, lines in self.lines.items()}
        temporary = session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
        self._clean = lambda: [shutil.rmtree(left, ignore_errors=True) for left in temporary.iterdir()]
        self._late = [item for item in session.items if item.nodeid.split("::")[0] in self.last]
        ran = _in_child(lambda: _measured(session, self.lines, self._late), 3600)
        if not isinstance(ran, list):
            raise session.Interrupted("the tests did not come to their end")
        print(f"{len(ran)} of {len(session.items)} tests, {sum(one.seconds for one in ran):.0f} s", flush=True)
        alive = _alive(self.lines)
        gc.freeze()
        for mutant in self.mutants:
            self.tell(self._outcome(session, mutant, ran, imported, alive))
        self._clean()
        return True

    def _outcome(
        self,
        session: pytest.Session,
        mutant: Mutant,
        ran: list[Ran],
        imported: dict[str, set[int]],
        alive: dict[tuple[str, str, int], list[FunctionType]],
    ) -> Outcome:
        path = os.path.abspath(mutant.module)
        exchange = None
        if imported[path].isdisjoint(mutant.lines):
            exchange = _exchange(path, self.sources[mutant.module], mutant.source, alive)
        wanted = set(mutant.lines)
        tests = [one for one in ran if not wanted.isdisjoint(one.lines.get(path, ()))]
        if not imported[path].isdisjoint(mutant.lines):
            tests = ran  # run at import: any test may depend on it
        elif exchange is None and not tests:
            tests = [one for one in ran if one.lines.get(path)] or ran
        chosen = list(_shortest(tests))
        items = [session.items[one.item] for one in chosen]
        count = len(items) + len(self._late)
        if exchange is None:
            return Outcome(mutant, None, count, True, tuple(item.nodeid for item in (*items, *self._late)))
        limit_s = 5 + 5 * sum(one.seconds for one in chosen)
        killer = self._killer(session, items, exchange, limit_s)
        killer = killer or self._killer(session, list(self._late), exchange, LATE_TESTS_S)
        return Outcome(mutant, killer, count)

    def _killer(
        self,
        session: pytest.Session,
        items: list[pytest.Item],
        exchange: list[tuple[FunctionType, CodeType]],
        limit_s: float,
    ) -> str | None:
        """Return the first test that fails with the mutant but not without it."""
        while items:
            self._clean()  # discard recordings of earlier mutants
            found: str | None = _in_child(partial(_first_failing, session, items, exchange), limit_s)
            if found is None or found in ("timeout", "crash"):
                return found
            self._clean()
            killer = next(item for item in items if item.nodeid == found)
            if _in_child(partial(_first_failing, session, [killer], []), limit_s) is None:
                return found
            items.remove(killer)  # flaky: it also fails without the mutant
        return None


def run_imported(mutant: Mutant, chosen: Sequence[str], arguments: Sequence[str]) -> str | None:
    """Import the program with a mutant in place of its file; return the failing test, or None."""
    files = sorted({name.split("::")[0] for name in chosen})

    def work() -> str | None:
        path, real = os.path.abspath(mutant.module), SourceFileLoader.get_code
        code = compile(mutant.source, path, "exec", dont_inherit=True)
        SourceFileLoader.get_code = (  # type: ignore[method-assign]
            lambda self, name: code if os.path.abspath(self.path) == path else real(self, name)
        )
        chooser = _Chooser({name: at for at, name in enumerate(chosen)})
        status = pytest.main([*arguments, "-x", *files], plugins=[chooser])
        return chooser.failed or (None if status == 0 else "import")

    return _in_child(work, 60 + ALL_TESTS_S + LATE_TESTS_S)  # type: ignore[no-any-return]


@dataclass
class _Chooser:
    """A pytest plugin: selects the wanted tests, in the given order."""

    order: dict[str, int]
    failed: str | None = None

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted((i for i in items if i.nodeid in self.order), key=lambda item: self.order[item.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed = self.failed or report.nodeid


def _trace(lines: dict[str, set[int]]) -> None:
    """Record the function lines run in these files, in this thread and all threads started from now on."""

    def inside(frame: Any, event: str, _: object) -> Any:
        if event == "line":
            lines[frame.f_code.co_filename].add(frame.f_lineno)
        return inside

    def begins(frame: Any, event: str, _: object) -> Any:
        code = frame.f_code
        return inside if code.co_filename in lines and code.co_flags & CO_OPTIMIZED else None

    threading.settrace(begins)
    sys.settrace(begins)


def _measured(session: pytest.Session, lines: dict[str, set[int]], late: list[pytest.Item]) -> list[Ran]:
    """Run all tests but the slow ones once; return the passing ones with the lines that they run."""
    ran = []
    _trace(lines)
    left_out = set(late)
    measured = [(at, item) for at, item in enumerate(session.items) if item not in left_out]
    for (at, item), (_, following) in zip(measured, [*measured[1:], (0, None)], strict=True):
        for seen in lines.values():
            seen.clear()
        failed, began = session.testsfailed, time.process_time()  # CPU time, since the machine may be busy
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        seconds = time.process_time() - began
        if session.testsfailed == failed and seconds <= LONGEST_TEST_S:
            ran.append(Ran(at, seconds, {path: set(seen) for path, seen in lines.items() if seen}))
    return ran


def _shortest(tests: list[Ran]) -> Iterator[Ran]:
    """Yield the shortest tests within the time limit."""
    left = ALL_TESTS_S
    for one in sorted(tests, key=lambda one: one.seconds):
        left -= one.seconds
        if left < 0:
            return
        yield one


def _first_failing(
    session: pytest.Session, items: list[pytest.Item], exchange: list[tuple[FunctionType, CodeType]]
) -> str | None:
    for function, code in exchange:
        function.__code__ = code
    for item, following in zip(items, [*items[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            with suppress(Exception):  # files in shared memory, processes
                session._setupstate.teardown_exact(None)
            return item.nodeid
    return None


def _functions(code: CodeType) -> Iterator[CodeType]:
    """Yield the code objects of all nested functions, in source order."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            if inner.co_flags & CO_OPTIMIZED:
                yield inner
            yield from _functions(inner)


def _executed(code: CodeType) -> tuple[object, ...]:
    """Return the part of a module that an import executes: all but function bodies."""
    inner = tuple(
        (type(one), one) if not isinstance(one, CodeType)
        else (one.co_qualname if one.co_flags & CO_OPTIMIZED else _executed(one))
        for one in code.co_consts
    )  # fmt: skip
    return (code.co_code, code.co_names, code.co_exceptiontable, inner)


def _alive(paths: dict[str, Any]) -> dict[tuple[str, str, int], list[FunctionType]]:
    """Return (file, name, line) -> all existing function objects of these files."""
    found = defaultdict(list)
    for one in gc.get_objects():
        if type(one) is FunctionType and one.__code__.co_filename in paths:
            code = one.__code__
            found[code.co_filename, code.co_qualname, code.co_firstlineno].append(one)
    return found


def _exchange(
    path: str, source: str, mutated: str, alive: dict[tuple[str, str, int], list[FunctionType]]
) -> list[tuple[FunctionType, CodeType]] | None:
    """Return the functions to patch with their new code; None if the module must be reimported."""
    old, new = (compile(text, path, "exec", dont_inherit=True) for text in (source, mutated))
    if _executed(old) != _executed(new):
        return None
    pairs = list(zip(_functions(old), _functions(new), strict=False))
    if any(before.co_qualname != after.co_qualname for before, after in pairs):
        return None
    found = []
    for before, after in pairs:
        if before == after:
            continue
        for function in alive.get((path, before.co_qualname, before.co_firstlineno), ()):
            if len(function.__code__.co_freevars) != len(after.co_freevars):
                return None
            found.append((function, after))
    return found or None


def _in_child(work: Callable[[], Any], limit_s: float) -> Any:
    """Return a function's result from a forked process; ``timeout`` or ``crash`` without one.

    Args:
        limit_s: CPU seconds; the limit of elapsed time is five times as long plus a minute, for busy machines.
    """
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            empty = os.open(os.devnull, os.O_RDWR)
            for handle in range(3):
                os.dup2(empty, handle)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
            resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit_s), math.ceil(limit_s)))
            answer = pickle.dumps(work())
            with os.fdopen(write, "wb") as out:
                out.write(answer)
        finally:
            os._exit(0)
    os.close(write)
    try:
        return _answer(read, time.monotonic() + 60 + 5 * limit_s)
    finally:
        os.close(read)
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _answer(read: int, ends_at: float) -> Any:
    parts = []
    while (left := ends_at - time.monotonic()) > 0:
        if select.select([read], [], [], left)[0]:
            part = os.read(read, 1 << 20)
            if not part:
                return pickle.loads(b"".join(parts)) if parts else "crash"
            parts.append(part)
    return "timeout"


def clean(folder: Path) -> None:
    """Remove files left behind by tests."""
    shutil.rmtree(folder, ignore_errors=True)
