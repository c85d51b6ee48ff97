"""How the program says it is updated, and whether a new release runs."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from companion.app.operations.update import Installed, InstallMethod


@pytest.fixture
def prefix(tmp_path: Path) -> Path:
    for release in ("20260501-120000", "20260502-120000"):
        (tmp_path / "releases" / release).mkdir(parents=True)
    (tmp_path / "current").symlink_to(tmp_path / "releases" / "20260501-120000")
    return tmp_path


def test_a_program_outside_of_the_releases_runs_from_its_source(prefix: Path, tmp_path: Path) -> None:
    found = Installed.found("1.0", program=tmp_path / ".venv", prefix=prefix)
    assert (found.way, found.release) == (InstallMethod.SOURCE, "")
    assert "make run" in found.commands


def test_a_release_is_updated_as_it_was_made(prefix: Path) -> None:
    found = Installed.found("1.0", program=prefix / "current", prefix=prefix)
    assert (found.way, found.release) == (InstallMethod.RELEASE, "20260501-120000")
    assert found.commands[-1] == "sudo make install"


def test_a_package_says_what_it_holds(prefix: Path) -> None:
    """Also when its release did not start, and the one before runs."""
    (prefix / "wheels").mkdir()
    (prefix / "wheels" / "table_companion-1.1-py3-none-any.whl").touch()
    found = Installed.found("1.0", program=prefix / "current", prefix=prefix)
    assert (found.way, found.version, found.packaged) == (InstallMethod.PACKAGE, "1.0", "1.1")
    assert found.commands == ("sudo apt install ./table-companion_*.deb",)


def test_a_restart_is_told_from_an_update() -> None:
    before = Installed("1.0", "20260501-120000", InstallMethod.RELEASE)
    restarted = replace(before, begun=datetime(2030, 1, 1, tzinfo=UTC))
    assert before.is_other_release_than(before.mark) is None
    assert restarted.is_other_release_than(before.mark) is False
    assert replace(restarted, release="20300101-000000").is_other_release_than(before.mark) is True
