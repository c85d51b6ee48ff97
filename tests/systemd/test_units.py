"""The service's units as systemd itself sees them, and what the installer lays where."""

import configparser
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
UNITS = ROOT / "systemd"
HINTS = ("display", "hardware-watchdog", "journald", "push", "voice")

pytestmark = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd here")


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("unit", ["companion.service", "companion-kiosk.service", "companion-floor.service"])
def test_systemd_has_nothing_to_say_against_a_unit(unit):
    checked = run("systemd-analyze", "verify", UNITS / unit)
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize("unit", ["companion.service", "companion-floor.service"])
def test_the_sandbox_is_tight(unit):
    """The design's limit is 2.5; `--threshold` counts in tenths."""
    checked = run("systemd-analyze", "security", "--offline=true", "--threshold=25", UNITS / unit)
    assert checked.returncode == 0, checked.stdout[-300:]


def test_the_service_may_use_cameras_and_pins_and_no_other_device():
    unit = (UNITS / "companion.service").read_text()
    allowed = re.findall(r"^DeviceAllow=(\S+)", unit, re.MULTILINE)
    assert "DevicePolicy=closed" in unit
    assert allowed == ["char-video4linux", "char-media", "char-dma_heap", "char-gpiochip", "/dev/gpiomem"]


def test_the_installer_lays_every_file_and_keeps_settings(tmp_path):
    settings = tmp_path / "etc/companion/companion.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text("# mine\n")
    laid = run("bash", UNITS / "install.sh", "files", tmp_path)
    assert laid.returncode == 0, laid.stderr
    there = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert {
        "usr/lib/systemd/system/companion.service", "usr/lib/systemd/system/companion-floor.service",
        "usr/lib/systemd/system/companion-kiosk.service",
        "usr/lib/sysusers.d/companion.conf", "usr/lib/tmpfiles.d/companion.conf",
        "usr/lib/udev/rules.d/70-companion.rules", "etc/avahi/services/companion.service",
        *(f"usr/share/doc/table-companion/{hint}.conf" for hint in HINTS),
        *(f"usr/share/doc/table-companion/{page}" for page in ("README.md", "SECURITY.md")),
        *(f"usr/share/doc/table-companion/docs/{page.name}" for page in (UNITS.parent / "docs").glob("*.md")),
    } <= there  # fmt: skip
    assert settings.read_text() == "# mine\n"
    assert (tmp_path / "usr/bin/companion").readlink() == Path("/opt/table-companion/current/bin/companion")


@pytest.mark.parametrize(
    ("hint", "section", "keys"),
    [
        ("journald", "Journal", {"SystemMaxUse", "MaxRetentionSec"}),
        ("hardware-watchdog", "Manager", {"RuntimeWatchdogSec", "RebootWatchdogSec"}),
        ("push", "Service", {"IPAddressDeny", "IPAddressAllow"}),
    ],
)
def test_a_hint_is_a_file_that_systemd_takes(hint, section, keys):
    """Each says where it goes; a misspelt key would be passed over in silence."""
    text = (UNITS / f"{hint}.conf").read_text()
    unit = configparser.ConfigParser(interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string(text)
    assert {name: set(unit[name]) for name in unit.sections()} == {section: keys}
    assert "Copy to /etc/systemd/" in text


@pytest.mark.parametrize("drop_in", ["display", "voice"])
def test_a_drop_in_opens_its_device_and_leaves_the_sandbox_tight(tmp_path, drop_in):
    """A display's bus or the loudspeaker is for the owner to open; the unit stays valid and below the limit with it."""
    unit = tmp_path / "companion.service"
    shutil.copy(UNITS / "companion.service", unit)
    (tmp_path / "companion.service.d").mkdir()
    shutil.copy(UNITS / f"{drop_in}.conf", tmp_path / "companion.service.d")
    checked = run("systemd-analyze", "verify", unit)
    assert (checked.returncode, checked.stderr) == (0, "")
    assert run("systemd-analyze", "security", "--offline=true", "--threshold=25", unit).returncode == 0
    assert re.search(r"^DeviceAllow=char-(alsa|i2c) rw$", (UNITS / f"{drop_in}.conf").read_text(), re.MULTILINE)


def test_the_set_up_page_may_write_the_settings_and_nothing_else_outside_its_data(tmp_path):
    """As that user, by the rights that systemd-tmpfiles gives: a file is replaced there, root's own stay root's."""
    unit = (UNITS / "companion.service").read_text()
    assert re.findall(r"^ReadWritePaths=(.*)$", unit, re.MULTILINE) == ["-/etc/companion"]
    (tmp_path / "etc").mkdir()
    run("systemd-sysusers", "--root", tmp_path, UNITS / "sysusers.conf")
    made = run("systemd-tmpfiles", "--root", tmp_path, "--create", UNITS / "tmpfiles.conf")
    assert made.returncode == 0, made.stderr
    folder = (tmp_path / "etc/companion").stat()
    groups = dict(line.split(":")[0:3:2] for line in (tmp_path / "etc/group").read_text().splitlines())
    assert (folder.st_mode & 0o7777, folder.st_uid, folder.st_gid) == (0o775, 0, int(groups["companion"]))


def test_groups_and_users_can_be_made(tmp_path):
    """Also on a plain Debian, which has no gpio group: a missing group would keep the service from starting."""
    (tmp_path / "etc").mkdir()
    made = run("systemd-sysusers", "--root", tmp_path, UNITS / "sysusers.conf")
    assert made.returncode == 0, made.stderr
    groups = {line.split(":")[0] for line in (tmp_path / "etc/group").read_text().splitlines()}
    wanted = re.findall(r"^SupplementaryGroups=(.*)$", (UNITS / "companion.service").read_text(), re.MULTILINE)[0]
    assert set(wanted.split()) - {"video"} <= groups


def test_the_shipped_settings_are_the_defaults(tmp_path):
    from companion.config.file import load_config
    from companion.testing import INSTALLED

    shipped, _ = load_config(UNITS / "companion.toml", INSTALLED)
    assert shipped == load_config(None, INSTALLED)[0]


def test_the_announcement_names_the_port_of_the_shipped_settings():
    from companion.config.file import load_config
    from companion.testing import INSTALLED

    port = load_config(UNITS / "companion.toml", INSTALLED)[0].web.port
    assert f"<port>{port}</port>" in (UNITS / "avahi.service").read_text()


def test_the_watchdog_outlasts_what_the_table_may_take():
    """The table counts as stuck after STUCK_S; only then may systemd lose patience."""
    from companion.cli.run import STUCK_S

    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(UNITS / "companion.service")
    assert float(unit["Service"]["WatchdogSec"]) > STUCK_S + 5


def test_install_is_refused_without_rights_and_says_how():
    if shutil.which("runuser") is None:
        pytest.skip("cannot become somebody else here")
    asked = run("runuser", "-u", "nobody", "--", "bash", UNITS / "install.sh", "install")
    if "cannot" in asked.stderr and "sudo" not in asked.stderr:
        pytest.skip("the tree is not readable for others here")
    assert asked.returncode == 1
    assert "sudo" in asked.stderr
