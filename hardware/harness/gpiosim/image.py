"""Builds the gpiosim rig's virtual machine, and decides when to rebuild it.

The cache folder has three layers: the kernel with its modules and a bare guest system (kept at any age), the
companion's Debian package, and the disk with that package installed. The last two are rebuilt when their inputs change.
"""

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import hardware
from hardware.harness.rig import RigError

ROOT: Final = Path(hardware.__file__).parents[1]
NEEDED: Final = {
    "qemu-system-x86_64": "qemu-system-x86", "mmdebstrap": "mmdebstrap", "mke2fs": "e2fsprogs", "cpio": "cpio",
    "busybox": "busybox-static",
}  # fmt: skip
"""Program -> Debian package."""

PACKAGED: Final = ("companion", "hardware", "web_ui", "systemd")
_OF_THE_HOST: Final = frozenset({"scenarios", "vm"})
"""Names of folders that are not packaged, because only the host needs them."""
_BUILD_S: Final = 3600.0
Say = Callable[[str], None]


def cache_folder() -> Path:
    """Return the folder of the virtual machine: ``$COMPANION_HIL``, otherwise in the user's cache."""
    named = os.environ.get("COMPANION_HIL")
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(named) if named else Path(base) / "companion-hil"


def check_programs(which: Callable[[str], str | None] = shutil.which) -> None:
    """Check that the programs for building and booting are installed.

    Raises:
        RigError: some are missing; the message names the packages.
    """
    missing = sorted({package for program, package in NEEDED.items() if which(program) is None})
    if missing:
        raise RigError(
            f"The gpiosim rig needs {', '.join(missing)}. Run `make hil`, or: apt install {' '.join(missing)}"
        )


def source_key(root: Path) -> str:
    """Return a hash of the sources of the companion's package.

    Scenarios are left out: they are sent with each job, so that a changed one needs no new machine.
    """
    digest = hashlib.sha256()
    for path in _sources(root):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _sources(root: Path) -> Iterator[Path]:
    yield from (path for name in ("pyproject.toml", "constraints.txt") if (path := root / name).exists())
    for folder in PACKAGED:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts and path.parent.name not in _OF_THE_HOST:
                yield path


@dataclass(frozen=True, slots=True)
class Image:
    """A bootable machine: a folder with ``kernel/`` and ``disk.img``."""

    folder: Path


@contextlib.contextmanager
def exclusive_lock(folder: Path) -> Iterator[None]:
    """Hold the machine's exclusive lock, so that no other process builds or boots it.

    Raises:
        RigError: another process holds the lock.
    """
    with (folder / "lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise RigError(f"The machine in {folder} is in use already. Wait for it, or set COMPANION_HIL.") from error
        yield


def build(
    cache: Path, say: Say, *, root: Path = ROOT, run: Callable[[Sequence[str], float], int] | None = None
) -> Image:
    """Build the outdated layers, and return the machine.

    Args:
        say: called with a message before each slow step.
        run: runs a command with a time limit in seconds and returns its exit code; tests pass their own.

    Raises:
        RigError: a step failed; the message names it.
    """
    run = run or _run
    if not (root / "systemd" / "build-deb.sh").exists():
        raise RigError("The gpiosim rig is built from the companion's sources. Run it in a clone: make hil")
    cache.mkdir(parents=True, exist_ok=True)
    with exclusive_lock(cache):
        package = _package(cache, root, say, run)
        script = root / "hardware" / "harness" / "vm" / "build.sh"
        if run([*_as_root(), "bash", str(script), str(cache), str(package)], _BUILD_S):
            raise RigError("The virtual machine cannot be built; see above. Fix the fault, then run `make hil` again.")
        if not (cache / "disk.img").exists():
            raise RigError(
                f"{script.name} ended well, but there is no {cache}/disk.img. Delete {cache} and build it again."
            )
    return Image(cache)


def _package(cache: Path, root: Path, say: Say, run: Callable[[Sequence[str], float], int]) -> Path:
    """Return the companion's package; it is rebuilt if the sources have changed."""
    folder, key = cache / "package", source_key(root)
    note = folder / "from"
    found = sorted(folder.glob("*.deb"))
    if found and note.exists() and note.read_text() == key:
        return found[-1]
    say("the companion's Debian package (some minutes, after each change of the program) ...")
    shutil.rmtree(folder, ignore_errors=True)
    if run(["bash", str(root / "systemd" / "build-deb.sh"), str(folder)], _BUILD_S):
        raise RigError("The Debian package cannot be built; see above. `make deb` does the same.")
    found = sorted(folder.glob("*.deb"))
    if not found:
        raise RigError(f"build-deb.sh ended well, but there is no package in {folder}. `make deb` does the same.")
    note.write_text(key)
    return found[-1]


def _as_root() -> list[str]:
    return [] if os.geteuid() == 0 else ["sudo"]


def _run(words: Sequence[str], limit_s: float) -> int:
    """Run a command, with its output redirected to stderr; return the exit code."""
    try:
        return subprocess.run(words, stdout=2, timeout=limit_s, check=False).returncode
    except subprocess.TimeoutExpired as error:
        raise RigError(
            f"`{' '.join(words[:3])}` took more than {limit_s / 60:.0f} minutes. Is a mirror away?"
        ) from error
    except OSError as error:
        raise RigError(f"`{words[0]}` cannot be run: {error.strerror}. Install it.") from error
