"""Coverage-guided fuzzing of the program's input formats with Atheris; keeps the inputs that it finds.

    make fuzz-inputs ARGS="--minutes 30"
    make fuzz-inputs ARGS="script config --minutes 5"
    make fuzz-inputs ARGS="--keep"

Each entry point in `tests/fuzz/entry_points.py` is called with mutated copies of the files in `tests/fuzz/corpus` and
of those that earlier runs found (`build/fuzz-inputs`). A crash, a call of more than `SLOWEST_S` seconds or memory above
`MAX_MB` ends that entry point's run: the input is then in `build/fuzz-inputs/found`, and the exit code is 1. Add it to
the corpus together with the fix; `make test` replays the corpus. `--keep` adds the smallest files that reach lines
which the corpus does not reach.
"""

import argparse
import importlib
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
CORPUS: Final = ROOT / "tests" / "fuzz" / "corpus"
WORK: Final = ROOT / "build" / "fuzz-inputs"
INSTRUMENTED: Final = {
    "script": ["companion.kernel", "companion.games"],
    "config": ["companion.config", "companion.plugins", "companion.games", "tomllib"],
    "payload": ["companion.objects", "companion.journal.trust"],
    "picture": ["companion.cli.pictures", "companion.vision.picture_size", "PIL"],
    "backup": ["companion.journal", "tarfile"],
    "stored": ["companion.objects", "companion.app.operations"],
    "request": ["web_ui", "companion.service"],
}
LONGEST: Final = {"payload": 5000, "backup": 20_000}
"""Maximum input size in bytes, where it differs from `USUAL`."""
USUAL: Final = 4096
SLOWEST_S: Final = 10
"""About a second of the program itself: coverage tracing makes everything some ten times slower."""
MAX_MB: Final = 2048
_KEPT_BYTES: Final = 40_000
_KEPT_FILES: Final = 60


def main() -> int:
    parser = argparse.ArgumentParser(prog="make fuzz-inputs", description=__doc__)
    parser.add_argument("names", nargs="*", help="entry points; all without any: " + ", ".join(INSTRUMENTED))
    parser.add_argument("--minutes", type=float, default=1.0, help="minutes per entry point")
    parser.add_argument("--keep", action="store_true", help="add the files that reach new lines to the corpus")
    parser.add_argument("--seed", type=int, default=0, help="random seed; 0 for a new one each time")
    if sys.argv[1:2] == ["--one"]:  # in a separate process, since Atheris never returns
        return fuzz_one(sys.argv[2], sys.argv[3:])
    options = parser.parse_args()
    names = options.names or list(INSTRUMENTED)
    if unknown := set(names) - set(INSTRUMENTED):
        parser.error(f"no entry point: {', '.join(sorted(unknown))}")
    if options.keep:
        for name in names:
            keep(name)
        return 0
    return max([run(name, options.minutes, options.seed) for name in names])


def run(name: str, minutes: float, seed: int) -> int:
    """Fuzz one entry point in a separate process; print the number of inputs."""
    learned, found = WORK / name, WORK / "found"
    for folder in (learned, found):
        folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [*itself(name), str(learned), str(CORPUS / name), f"-max_total_time={60 * minutes:.0f}",
         f"-max_len={LONGEST.get(name, USUAL)}",
         f"-timeout={SLOWEST_S}", f"-rss_limit_mb={MAX_MB}", f"-artifact_prefix={found}/{name}-", f"-dict={words()}",
         f"-seed={seed}", "-print_final_stats=1"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    said = done.stdout.decode(errors="replace")
    numbers = dict(re.findall(r"stat::(\w+):\s+(\d+)", said))
    reached = re.findall(r"cov: (\d+)", said)
    print(
        f"{name}: {numbers.get('number_of_executed_units', '?')} inputs, {reached[-1] if reached else '?'} places, "
        f"{numbers.get('peak_rss_mb', '?')} MB, {'nothing found' if done.returncode == 0 else 'FOUND SOMETHING'}",
        flush=True,
    )
    if done.returncode:
        print(said[-6000:])
    return int(done.returncode != 0)


def itself(name: str) -> list[str]:
    return [sys.executable, __file__, "--one", name]


def words() -> Path:
    """Write the fuzzer's dictionary of words used in inputs; return the file."""
    sys.path[:0] = [str(ROOT)]
    testing = importlib.import_module("companion.testing")
    found = {verb for game in testing.INSTALLED for verb in testing.INSTALLED.rules(game).verbs}
    found |= set(testing.INSTALLED) | set(testing.DECKS)
    for file in sorted(CORPUS.rglob("*")):
        if file.is_file() and file.parent.name in ("script", "config", "request"):
            found |= set(re.findall(r"[A-Za-z][A-Za-z_-]{2,30}", file.read_text(encoding="utf-8", errors="ignore")))
    target = WORK / "words.dict"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("".join(f'"{word}"\n' for word in sorted(found)), encoding="ascii")
    return target


def fuzz_one(name: str, arguments: list[str]) -> int:
    """Run Atheris on one entry point; never returns."""
    import atheris

    sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "fuzz"), str(ROOT / "tests" / "web_ui")]
    with atheris.instrument_imports(include=INSTRUMENTED[name]):
        entry_points = importlib.import_module("entry_points")
    atheris.Setup([sys.argv[0], *arguments], entry_points.ENTRY_POINTS[name])
    atheris.Fuzz()
    return 0


def keep(name: str) -> None:
    """Add the smallest files that reach lines which the corpus does not, as many as fit."""
    merged = WORK / f"{name}-merged"
    merged.mkdir(parents=True, exist_ok=True)
    corpus = CORPUS / name
    subprocess.run(
        [*itself(name), "-merge=1", f"-max_len={LONGEST.get(name, USUAL)}", str(merged), str(corpus), str(WORK / name)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True,
    )  # fmt: skip
    have = [path for path in corpus.iterdir() if path.is_file()]
    room, count = _KEPT_BYTES - sum(path.stat().st_size for path in have), _KEPT_FILES - len(have)
    for path in sorted(merged.iterdir(), key=lambda path: path.stat().st_size):
        room -= path.stat().st_size
        if room < 0 or count <= 0:
            break
        if not (corpus / path.name[:12]).exists() and path.read_bytes() not in [one.read_bytes() for one in have]:
            (corpus / path.name[:12]).write_bytes(path.read_bytes())
            count -= 1
    print(f"{name}: {len(list(corpus.iterdir()))} files")


if __name__ == "__main__":
    sys.exit(main())
