"""Mutation tests: makes small changes to the source, one at a time, and counts those that no test detects.

    make mutation
    make mutation ARGS="--group ledger --sample 60"
    make mutation ARGS="companion/kernel/ledger.py"

Cosmic Ray makes the mutants; `make mutation` installs it in a separate environment. `mutation/targets.toml` lists the
changed files and the tests that ought to detect the changes: each mutant is tested with those that run the changed
statement, the shortest first, until one fails. The source itself is not overwritten. Left out are changes of
annotations, docstrings and ``__repr__``, of ``==`` into ``is``, and mutants that give the same program as another.
`--sample` draws this many mutants per file, the same ones for the same seed. Survivors are listed with their positions:
add a test for each, or, if the mutant is equivalent, a line with the reason in `mutation/equivalent.toml`; those are
not counted.
"""

import argparse
import importlib
import json
import os
import pickle
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from mutation.mutants import Mutant, equivalents, sampled, worth_running
from mutation.runner import Outcome, Session, clean, run_imported

HERE = Path(__file__).parent / "mutation"
ROOT = Path(__file__).parents[2]
PRELOADED = (
    "numpy",
    "cv2",
    "cryptography",
    "flask",
    "cattrs",
    "pydantic",
    "PIL",
    "prometheus_client",
    "cheroot",
    "babel",
)
"""Libraries shared by all mutant processes, so that reimporting a module is quick."""
QUIET = ("-q", "-s", "-n", "0", "-p", "no:cacheprovider", "-m", "not slow and not thorough and not browser and not hil")


@dataclass(frozen=True)
class Group:
    """Files to mutate, and the tests that ought to detect the changes."""

    name: str
    modules: tuple[str, ...]
    tests: tuple[str, ...]
    last: tuple[str, ...] = ()
    "Slow test files, run only on mutants that survive the others."
    only: str = ""
    "Selection of these tests, an expression for `pytest -k`."


def main() -> int:
    groups = targets(HERE / "targets.toml")
    parser = argparse.ArgumentParser(prog="make mutation", description=__doc__)
    parser.add_argument("modules", nargs="*", help="only these source files")
    parser.add_argument("--group", action="append", choices=[group.name for group in groups], help="only these groups")
    parser.add_argument("--sample", type=int, help="number of mutants per file, drawn at random")
    parser.add_argument("--seed", type=int, default=14, help="random seed of the sample")
    parser.add_argument(
        "--cosmic-ray", default="cosmic-ray", help="path of the cosmic-ray program, in its own environment"
    )
    options = parser.parse_args()
    if unknown := set(options.modules) - {module for group in groups for module in group.modules}:
        parser.error(f"not in targets.toml: {', '.join(sorted(unknown))}")
    os.chdir(ROOT)
    prepare()
    known = equivalents(HERE / "equivalent.toml")
    survived = 0
    for group in groups:
        if options.group and group.name not in options.group:
            continue
        modules = [module for module in group.modules if module in (options.modules or group.modules)]
        mutants, sources, same = [], {}, 0
        for module in modules:
            sources[module] = Path(module).read_text(encoding="utf-8")
            made = list(worth_running(module, sources[module], generated(module, options.cosmic_ray)))
            # Sampled before filtering, so that new entries in the list of equivalents leave the sample unchanged.
            drawn = sampled(made, options.sample, options.seed, module)
            counted = [one for one in drawn if not any(listed.covers(one) for listed in known)]
            same += len(drawn) - len(counted)
            mutants += counted
        if mutants:
            survived += told(group, mutants, same, run(mutants, sources, group))
    return 1 if survived else 0


def targets(file: Path) -> list[Group]:
    """Read the groups; patterns are expanded to all matching files, each once."""
    listed = tomllib.loads(file.read_text(encoding="utf-8"))["group"]
    return [
        Group(
            one["name"],
            files(one["modules"]),
            files(one["tests"]),
            files(one.get("last", [])),
            one.get("only", ""),
        )
        for one in listed
    ]


def files(patterns: Sequence[str]) -> tuple[str, ...]:
    """Return the matching files, each once, without empty ones."""
    found = (path for pattern in patterns for path in sorted(ROOT.glob(pattern)) if path.stat().st_size)
    return tuple(dict.fromkeys(path.relative_to(ROOT).as_posix() for path in found))


def prepare() -> None:
    """Preload libraries; make Hypothesis deterministic and disable shrinking."""
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = tempfile.mkdtemp(prefix="mutation-hypothesis-")
    sys.path.insert(0, str(ROOT))
    for name in PRELOADED:
        with suppress(ImportError):
            importlib.import_module(name)
    settings.register_profile(
        "mutation", deadline=None, derandomize=True, database=None, phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck), max_examples=30,
    )  # fmt: skip
    settings.load_profile("mutation")


def generated(module: str, cosmic_ray: str) -> Iterator[dict[str, object]]:
    """Yield the mutants of a file, generated by Cosmic Ray."""
    python = Path(cosmic_ray).with_name("python")
    done = subprocess.run([python, HERE / "generate.py", module], capture_output=True, text=True, check=True)
    return map(json.loads, done.stdout.splitlines())


def run(mutants: Sequence[Mutant], sources: dict[str, str], group: Group) -> Iterator[Outcome]:
    """Yield the outcome of each mutant: first those patched in memory, then those that need a reimport."""
    with tempfile.TemporaryDirectory() as folder:
        basetemp = Path(folder) / "tests"
        arguments = [*QUIET, f"--basetemp={basetemp}"]
        only = ["-k", group.only] if group.only else []
        found = Path(folder) / "found"
        child = os.fork()
        if child == 0:
            with found.open("wb") as out:
                session = Session(mutants, sources, group.last, lambda outcome: _written(out, outcome))
                examples = sources  # the modules' own
                status = pytest.main([*arguments, *only, *examples, *group.tests, *group.last], plugins=[session])
            sys.stdout.flush()
            os._exit(int(status))
        os.waitpid(child, 0)
        late = []
        with found.open("rb") as stream, suppress(EOFError):
            while True:
                outcome: Outcome = pickle.load(stream)
                if outcome.wants_import:
                    late.append(outcome)
                else:
                    yield outcome
        for outcome in late:
            yield Outcome(outcome.mutant, run_imported(outcome.mutant, outcome.chosen, arguments), outcome.tests)
            clean(basetemp)


def _written(out: object, outcome: Outcome) -> None:
    pickle.dump(outcome, out)  # type: ignore[arg-type]
    out.flush()  # type: ignore[attr-defined]


def told(group: Group, mutants: Sequence[Mutant], same: int, outcomes: Iterator[Outcome]) -> int:
    """Print the survivors and the number of detected mutants; return the number of survivors."""
    began = time.monotonic()
    counts = {module: [0, 0] for module in group.modules}
    for outcome in outcomes:
        count = counts[outcome.mutant.module]
        count[0] += 1
        if outcome.killer is None:
            count[1] += 1
            print(f"{outcome.mutant}\n    of {outcome.tests} tests that run it none fails", flush=True)
    total, survived = (sum(count[at] for count in counts.values()) for at in (0, 1))
    for module, (made, left) in counts.items():
        if made:
            print(f"{module}: {made - left} of {made} noticed, {100 * (made - left) / made:.1f} %")
    missed = "" if total == len(mutants) else f"; {len(mutants) - total} WERE NOT RUN"
    print(f"== {group.name}: {total - survived} of {total} noticed, {100 * (total - survived) / max(1, total):.1f} %, "
          f"{same} more that nobody can notice, {time.monotonic() - began:.0f} s{missed}", flush=True)  # fmt: skip
    return survived


if __name__ == "__main__":
    sys.exit(main())
