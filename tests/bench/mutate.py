"""Mutation tests: changes the source in small ways, one at a time, and counts how many of them no test notices.

    make mutation ARGS="companion/kernel/ledger.py companion/kernel/accounts.py"

Works on a copy of the tracked files in build/mutation; without names it takes kernel, ledger, journal and access, which
needs a night. Cosmic Ray makes the mutants; `make mutation` installs it beside the project. What survives is
listed with its place: give each a test, or find that nobody could tell the difference.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
COPY = ROOT / "build" / "mutation"
TESTS = {
    "companion/kernel/ledger.py": "tests/companion/kernel/test_ledger.py tests/companion/kernel/test_cashier.py",
    "companion/kernel/accounts.py": "tests/companion/kernel/test_accounts.py tests/companion/kernel/test_ledger.py",
    "companion/kernel/cashier.py": "tests/companion/kernel/test_cashier.py",
    "companion/kernel/timeline.py": "tests/companion/kernel/test_timeline.py",
    "companion/kernel/table.py": "tests/companion/kernel",
    "companion/journal/hash_chain.py": "tests/companion/journal/test_store.py tests/companion/journal/test_forgery.py",
    "companion/journal/store.py": "tests/companion/journal/test_store.py tests/companion/journal/test_lost_tail.py",
    "companion/journal/verify.py": "tests/companion/journal/test_forgery.py tests/companion/journal/test_evening.py",
    "companion/journal/trust/mark.py": "tests/companion/journal/test_lost_tail.py",
    "companion/journal/trust/guard.py": "tests/companion/journal/test_lost_tail.py",
    "web_ui/access": "tests/web_ui/test_access.py tests/web_ui/test_sessions.py",
}
"""What is changed, and the tests that ought to notice; a module's own examples are always among them."""

ANNOTATIONS = ["core/ReplaceBinaryOperator_BitOr_.*"]
"""What would only change type hints, which nobody runs: ``int | None``."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="make mutation", description=__doc__)
    parser.add_argument("sources", nargs="*", default=list(TESTS), help="of: " + ", ".join(TESTS))
    parser.add_argument("--cosmic-ray", default="cosmic-ray")
    options = parser.parse_args()
    copied()
    for source in options.sources:
        if source not in TESTS:
            parser.error(f"{source} is not among the sources that are changed: {', '.join(TESTS)}")
        told(source, list(mutants(source, options.cosmic_ray)))
    return 0


def copied() -> None:
    """Copy the tracked files: mutants are written over them."""
    shutil.rmtree(COPY, ignore_errors=True)
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    for name in filter(None, files):
        if name == "biome.json":  # which Biome wants once in a project
            continue
        (COPY / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, COPY / name)


def mutants(source: str, cosmic_ray: str) -> Iterator[dict[str, Any]]:
    """Make every mutant of a source, run its tests, and yield what came of it."""
    tests = f"{sys.executable} -m pytest -x -q -n 0 -p no:cacheprovider {source} {TESTS[source]}"
    config = COPY / "mutation.toml"
    config.write_text(
        f'[cosmic-ray]\nmodule-path = "{source}"\ntimeout = 120.0\nexcluded-modules = []\n'
        f'test-command = "env PYTHONPATH={COPY} {tests}"\n[cosmic-ray.distributor]\nname = "local"\n'
        "[cosmic-ray.filters.operators-filter]\n"
        f"exclude-operators = {json.dumps(ANNOTATIONS)}\n"
    )
    session = COPY / "session.sqlite"
    session.unlink(missing_ok=True)
    for step in (
        (cosmic_ray, "init", config, session),
        (Path(cosmic_ray).with_name("cr-filter-operators"), session, config),
        (cosmic_ray, "exec", config, session),
    ):
        subprocess.run([*map(str, step)], cwd=COPY, check=True)
    dumped = subprocess.run([cosmic_ray, "dump", str(session)], cwd=COPY, capture_output=True, text=True, check=True)
    for line in dumped.stdout.splitlines():
        work, result = json.loads(line)
        if result is not None and result.get("worker_outcome") == "normal":
            yield {**work["mutations"][0], **result}


def told(source: str, found: list[dict[str, Any]]) -> None:
    """Say how many mutants were noticed, and where the others are."""
    survived = [one for one in found if one.get("test_outcome") == "survived"]
    share = 100 * (len(found) - len(survived)) / max(1, len(found))
    print(f"{source}: {len(found)} mutants, {len(survived)} survived, {share:.1f} % noticed")
    for one in survived:
        place = one.get("start_pos") or ["?"]
        print(f"  {one.get('module_path')}:{place[0]} {one.get('operator_name')}")


if __name__ == "__main__":
    sys.exit(main())
