"""Building the machine image: cache keys, missing programs, failed builds; and the boot script."""

import os
import subprocess
from pathlib import Path

import pytest

from hardware.harness.gpiosim import image as image
from hardware.harness.rig import RigError

VM = image.ROOT / "hardware" / "harness" / "vm"


@pytest.fixture
def tree(tmp_path):
    """A small repository clone."""
    for name in ("pyproject.toml", "constraints.txt", "companion/objects/cards.py", "hardware/harness/vm/build.sh",
                 "companion/games/toy/scenarios/a.toml", "web_ui/app.py", "systemd/build-deb.sh"):  # fmt: skip
        path = tmp_path / "clone" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path / "clone"


class Builder:
    """Fake of the two build scripts."""

    def __init__(self, *, package: int = 0, machine: int = 0) -> None:
        self.codes, self.calls = {"build-deb.sh": package, "build.sh": machine}, []

    def __call__(self, words, limit_s):
        script = next(word for word in words if word.endswith(".sh"))
        name, folder = Path(script).name, Path(words[words.index(script) + 1])
        self.calls.append(name)
        folder.mkdir(parents=True, exist_ok=True)
        if not self.codes[name]:
            (folder / ("table-companion_1_amd64.deb" if name == "build-deb.sh" else "disk.img")).touch()
        return self.codes[name]


def test_the_key_follows_the_program_and_nothing_else(tree):
    key = image.source_key(tree)
    (tree / "companion/games/toy/scenarios/a.toml").write_text("changed")
    (tree / "companion/__pycache__").mkdir()
    (tree / "companion/__pycache__/cards.pyc").write_bytes(b"x")
    (tree / "README.md").write_text("changed")
    assert image.source_key(tree) == key
    (tree / "companion/objects/cards.py").write_text("changed")
    changed = image.source_key(tree)
    assert changed != key
    (tree / "companion/objects/cards.py").rename(tree / "companion/card.py")
    assert image.source_key(tree) not in (key, changed)


def test_the_package_is_built_once_and_again_after_a_change(tree, tmp_path):
    builder, said = Builder(), []
    for _ in range(2):
        assert image.build(tmp_path / "cache", said.append, root=tree, run=builder).folder == tmp_path / "cache"
    assert builder.calls == ["build-deb.sh", "build.sh", "build.sh"], "build.sh itself knows what is up to date"
    (tree / "web_ui/app.py").write_text("changed")
    image.build(tmp_path / "cache", said.append, root=tree, run=builder)
    assert builder.calls[3:] == ["build-deb.sh", "build.sh"]
    assert sum("package" in line for line in said) == 2


def test_a_build_that_failed_is_not_taken_for_done(tree, tmp_path):
    with pytest.raises(RigError, match="Debian package cannot be built"):
        image.build(tmp_path / "cache", print, root=tree, run=Builder(package=1))
    with pytest.raises(RigError, match="virtual machine cannot be built"):
        image.build(tmp_path / "cache", print, root=tree, run=Builder(machine=1))


def test_a_machine_that_runs_is_not_built_anew_under_it(tree, tmp_path):
    builder = Builder()
    image.build(tmp_path / "cache", print, root=tree, run=builder)
    (tree / "web_ui/app.py").write_text("changed")
    with image.exclusive_lock(tmp_path / "cache"), pytest.raises(RigError, match="is in use already"):
        image.build(tmp_path / "cache", print, root=tree, run=builder)
    assert len(builder.calls) == 2


def test_outside_of_a_clone_it_says_what_is_needed(tmp_path):
    with pytest.raises(RigError, match="in a clone"):
        image.build(tmp_path / "cache", print, root=tmp_path, run=Builder())


def test_missing_programs_are_named_by_their_packages():
    image.check_programs(lambda program: f"/usr/bin/{program}")
    with pytest.raises(RigError, match=r"cpio, qemu-system-x86.*make hil"):
        image.check_programs(lambda program: None if program in ("cpio", "qemu-system-x86_64") else "x")


def test_the_cache_can_be_elsewhere(monkeypatch, tmp_path):
    monkeypatch.setenv("COMPANION_HIL", str(tmp_path))
    assert image.cache_folder() == tmp_path
    monkeypatch.delenv("COMPANION_HIL")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert image.cache_folder() == Path("/somewhere/companion-hil")


@pytest.mark.parametrize("script", sorted(VM.glob("*.sh")), ids=lambda path: path.name)
def test_the_scripts_are_shell(script):
    checked = subprocess.run(["bash", "-n", str(script)], capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


def boot(tmp_path, qemu: str, **more: str) -> subprocess.CompletedProcess[str]:
    programs, job = tmp_path / "bin", tmp_path / "job"
    programs.mkdir()
    job.mkdir()
    (programs / "qemu-system-x86_64").write_text(f"#!/bin/bash\n{qemu}\n")
    (programs / "qemu-system-x86_64").chmod(0o755)
    env = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "JOB": str(job), **more}
    words = ["bash", str(VM / "boot.sh"), str(tmp_path), str(job)]
    return subprocess.run(words, env=env, capture_output=True, text=True, timeout=30, check=False)


def test_a_boot_whose_job_ended_is_fine_and_gets_no_network(tmp_path):
    done = boot(tmp_path, 'echo 0 >"$JOB/job.rc"; echo "$@" >"$JOB/words"')
    assert done.returncode == 0, done.stderr
    words = (tmp_path / "job" / "words").read_text()
    assert "-nic none" in words
    assert "no_timer_check" in words, "on a busy machine the kernel would take the emulated timer for broken"


def test_a_boot_that_ends_without_its_job_or_not_at_all_is_told(tmp_path):
    done = boot(tmp_path, "exit 0")
    assert done.returncode == 1
    assert "before its job did" in done.stderr


def test_a_boot_that_does_not_end_is_told(tmp_path):
    done = boot(tmp_path, "exec sleep 20", LIMIT="1")
    assert done.returncode == 1
    assert "did not end by itself in 1 s" in done.stderr


def made(*words: str) -> str:
    """Return the commands that make would run."""
    told = subprocess.run(["make", "-n", *words], cwd=image.ROOT, capture_output=True, text=True, check=True)
    return told.stdout


def test_the_tests_and_ci_need_no_machine_and_make_hil_runs_it():
    assert '-m "not thorough and not slow and not hil"' in made("test")
    assert '-m "thorough and not slow and not hil"' in made("test-thorough")
    assert '-m "slow and not hil"' in made("test-slow")
    ci = (image.ROOT / ".ci" / "run").read_text()
    assert "\nmake test || again test\nmake test-thorough || again test-thorough\n" in ci
    assert ci.endswith('\nif [ -n "${HIL:-}" ]; then\n  make hil\nfi\n')
    assert "hil run --rig gpiosim --junit build/hil/junit.xml --trace build/hil/trace a.toml" in made(
        "hil", "SCENARIOS=a.toml"
    )
