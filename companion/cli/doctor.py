"""``companion doctor``: diagnostics with advice. ``companion bug-report``: an archive for debugging."""

import json
import os
import platform
import shutil
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final, Literal

import click

from companion.cli import JobFailed
from companion.cli.options import data_option, json_option, with_games
from companion.config.file import FILE_NAME as CONFIG_NAME
from companion.config.file import is_blank, load_config
from companion.config.games import config_model
from companion.config.tables import Config
from companion.journal.datalock import is_held
from companion.journal.store import FILE_NAME as JOURNAL_NAME
from companion.journal.store import JournalError, JournalReader
from companion.journal.trust.proof import Proof
from companion.journal.verify import SECRET_MISSING, verify
from companion.kernel.errors import CompanionError
from companion.objects.decks import DeckError, DeckStore
from companion.plugins.registry import Games
from companion.printing.files import write_atomically

Status = Literal["ok", "warning", "wrong"]

REPORT: Final = Path("companion-bug-report.zip")
_MB: Final = 1_000_000
_LOW_DISK: Final = 1_000 * _MB
_FULL_DISK: Final = 100 * _MB
_SLOW_COMMIT_S: Final = 0.05
_PROBE: Final = "6D3K7QXABCDEFGHJ"  # sixteen letters, as on a card


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report. ``mend`` is the remedy; empty if there is nothing to do."""

    name: str
    status: Status
    text: str
    mend: str = ""


Check = Callable[[Path, Config, Games], Iterator[Finding]]


@click.command(name="doctor")
@click.option(
    "--config", "config_file", type=click.Path(path_type=Path, dir_okay=False), help="Configuration file (TOML)."
)
@data_option
@json_option
@with_games
def command(games: Games, config_file: Path | None, data_dir: Path, as_json: bool) -> int:
    """Check camera, pins, decoders, disk, clock, journal, port and decks. Exit code 1 if something is wrong."""
    findings = list(examine(data_dir, config_file, games))
    is_well = all(finding.status != "wrong" for finding in findings)
    if as_json:
        click.echo(json.dumps({"ok": is_well, "checks": [asdict(finding) for finding in findings]}, ensure_ascii=False))
        return 0 if is_well else 1
    for finding in findings:
        sign = {"ok": "ok     ", "warning": "warning", "wrong": "WRONG  "}[finding.status]
        click.echo(f"{sign}  {finding.name:<14} {finding.text}" + (f" {finding.mend}" if finding.mend else ""))
    return 0 if is_well else 1


@click.command(name="bug-report")
@click.option("--out", type=click.Path(path_type=Path), default=REPORT, show_default=True, help="The zip to write.")
@click.option(
    "--config", "config_file", type=click.Path(path_type=Path, dir_okay=False), help="Configuration file (TOML)."
)
@data_option
@with_games
def bug_report_command(games: Games, out: Path, config_file: Path | None, data_dir: Path) -> None:
    """Write a zip of journal, settings and versions, without names, PINs and keys. The table may be running."""
    from companion.app.bug_report import bundle

    found = [asdict(finding) for finding in examine(data_dir, config_file, games)]
    write_atomically(out, bundle(games, data_dir, config_file or data_dir / CONFIG_NAME, state={"doctor": found}))
    click.echo(f"Wrote {out}. Look through it, then attach it to your bug report.")


def examine(data_dir: Path, config_file: Path | None, games: Games) -> Iterator[Finding]:
    """Run all checks and yield their findings; a failure does not stop the others."""
    usual = data_dir / CONFIG_NAME
    path = config_file or (usual if usual.exists() else None)
    try:
        config, _ = load_config(path, games)
        if path is not None and is_blank(path):
            mend = "Go through /setup again, or restore a backup; delete the file if you want the defaults."
            yield Finding("configuration", "warning", f"{path} is empty: all settings have their defaults.", mend)
        else:
            yield Finding("configuration", "ok", str(path) if path else "No file: all settings have their defaults.")
    except CompanionError as error:  # of the configuration, or of the price table that it names
        config = config_model(games)()
        yield Finding("configuration", "wrong", str(error))
    for check in CHECKS:
        yield from check(data_dir, config, games)


# ---- the machine


def check_versions(data_dir: Path, config: Config, games: Games) -> Iterator[Finding]:
    """Python, OpenCV and SQLite are new enough."""
    import cv2

    yield Finding("system", "ok", f"Python {platform.python_version()}, OpenCV {cv2.__version__}, {platform.machine()}")
    if sqlite3.sqlite_version_info < (3, 37):
        text = f"SQLite {sqlite3.sqlite_version} is older than 3.37."
        yield Finding("SQLite", "wrong", text, "Update the system (Debian 12 or later).")
    else:
        yield Finding("SQLite", "ok", sqlite3.sqlite_version)


def check_decoders(data_dir: Path, config: Config, games: Games) -> Iterator[Finding]:
    """Each decoder reads a generated test code."""
    import cv2
    import numpy as np
    import segno
    import zxingcpp

    from companion.vision.decoders.zbar import ZbarRescue

    code = segno.make(_PROBE, version=1, error="q", mode="alphanumeric", boost_error=False)
    modules = np.array([[0 if dark else 255 for dark in row] for row in code.matrix_iter(border=4)], np.uint8)
    image = np.kron(modules, np.ones((6, 6), np.uint8))
    found = [result.text for result in zxingcpp.read_barcodes(image)]
    yield _decoder("zxing-cpp", found == [_PROBE], "wrong", "Run `make setup` again.")
    with ZbarRescue(deadline_s=5.0) as rescue:
        mend = "Without it, fewer cards are read under glare. Install it: sudo apt install libzbar0."
        yield _decoder("zbar", rescue(image) == _PROBE, "warning", mend)
    has_tags = hasattr(cv2, "aruco") and hasattr(cv2.aruco, "DICT_APRILTAG_36h11")
    yield _decoder("corner tags", has_tags, "wrong", "This OpenCV has no aruco module: run `make setup` again.")


def _decoder(name: str, works: bool, otherwise: Status, mend: str) -> Finding:
    return Finding(name, "ok", "works") if works else Finding(name, otherwise, "It cannot read a test code.", mend)


def check_camera(data_dir: Path, config: Config, games: Games) -> Iterator[Finding]:
    """There is a camera, and this user may open it."""
    from hardware.cameras import CameraError
    from hardware.cameras.picamera2 import count_cameras
    from hardware.cameras.v4l2 import capture_devices, check_device

    if count := count_cameras():
        yield Finding("camera", "ok", f"{count} Pi camera(s)")
    devices = capture_devices()
    for device in devices:
        try:
            check_device(device)
            yield Finding("camera", "ok", device)
        except CameraError as error:
            yield Finding("camera", "wrong", str(error))
    if not count and not devices:
        mend = "Connect one, or run the table with --camera demo, a file or a stream's URL."
        yield Finding("camera", "warning", "None is connected.", mend)


def check_pins(data_dir: Path, config: Config, games: Games) -> Iterator[Finding]:
    """The panel's pin plan is valid, and its pins and display are available."""
    from hardware.panel.board import Pins
    from hardware.panel.factories import NoPins, describe, open_factory
    from hardware.panel.pin_map import faults

    for fault in faults(config.panel):
        yield Finding("panel", "wrong", fault.text)
    if is_held(data_dir):
        yield Finding("pins", "ok", "In use by the running table.")
        return
    try:
        factory, name = open_factory(config.panel.factory, config.panel.chip)
    except NoPins as error:
        mend = "The table runs without its panel; --panel mock simulates one."
        if any(Path("/dev").glob("gpiochip*")):
            yield Finding("pins", "wrong", str(error), mend)
        else:
            yield Finding("pins", "warning", "This machine has no GPIO pins (/dev/gpiochip*).", mend)
        return
    with Pins(config.panel, factory) as board:
        planned = {fault.text for fault in faults(config.panel)}
        for trouble in (trouble for trouble in board.troubles if trouble not in planned):
            yield Finding("pins", "wrong", trouble)
        summary = f"{describe(factory, name)}: {len(board.buttons)} buttons, {len(board.lines)} lights"
        yield Finding("pins", "ok" if board.buttons or board.lines else "wrong", summary)
    yield from _display(config)


def _display(config: Config) -> Iterator[Finding]:
    from hardware.panel.displays import NoDisplay, open_display

    try:
        display = open_display(config.panel.display)
    except NoDisplay as error:
        yield Finding("display", "wrong", str(error))
        return
    if display is not None:
        display.close()
        yield Finding("display", "ok", f"{config.panel.display.kind}, {display.columns} columns")


def check_clock(data_dir: Path, config: Config, games: Games) -> Iterator[Finding]:
    """The clock is set, and not before the journal's last entry."""
    now = datetime.now(UTC)
    latest = _latest_time(data_dir)
    mend = "Set the clock: `sudo timedatectl set-ntp true`, or `sudo date -s …`."
    if now.year < 2025:
        yield Finding("clock", "wrong", f"It shows {now:%Y-%m-%d %H:%M} UTC.", mend)
    elif latest is not None and latest > now:
        yield Finding("clock", "warning", f"It shows {now:%Y-%m-%d %H:%M} UTC, before the journal's last entry.", mend)
    else:
        yield Finding("clock", "ok", f"{now:%Y-%m-%d %H:%M} UTC")


def _latest_time(data_dir: Path) -> datetime | None:
    try:
        with JournalReader.open(data_dir / JOURNAL_NAME) as reader:
            return max((datetime.fromisoformat(entry.at) for entry in reader.latest(1)), default=None)
    except (JournalError, ValueError):
        return None


# ---- the data directory


def check_data_dir(data_dir: Path, config: Config, games: Games) -> Iterator[Finding]:
    """The data directory is writable, private to its owner, and on a disk with free space."""
    place = next(path for path in (data_dir.absolute(), *data_dir.absolute().parents) if path.exists())
    if not place.is_dir():
        yield Finding("data", "wrong", f"{place} is a file.", "Choose another directory with --data.")
        return
    yield _writable(data_dir, place)
    yield _room(place)


def _writable(data_dir: Path, place: Path) -> Finding:
    try:
        commit_s = _commit_time(place)
    except OSError as error:
        mend = f"Make it writable for this user (uid {os.getuid()}), or choose another --data."
        return Finding("data", "wrong", f"{place} cannot be written: {error.strerror}.", mend)
    if place != data_dir.absolute():
        return Finding("data", "ok", f"{data_dir} will be created at the first start.")
    if place.stat().st_mode & 0o077:
        return Finding(
            "data", "warning", f"Other users can read {data_dir}, with the decks' keys.", f"Run: chmod 700 {data_dir}"
        )
    if commit_s > _SLOW_COMMIT_S:
        text = f"The disk takes {commit_s * 1e3:.0f} ms to save an entry."
        return Finding("data", "warning", text, "A good SD card or an SSD is faster.")
    return Finding("data", "ok", f"{data_dir}, {commit_s * 1e3:.1f} ms to save an entry")


def _commit_time(folder: Path) -> float:
    """Return the median duration of a small synced write, in seconds."""
    times = []
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".doctor-") as file:
        for _ in range(7):
            begun = time.perf_counter()
            file.write(b"x" * 4096)
            file.flush()
            os.fsync(file.fileno())
            times.append(time.perf_counter() - begun)
    return statistics.median(times)


def _room(place: Path) -> Finding:
    free = shutil.disk_usage(place).free
    text = f"{free / 1e9:.1f} GB free"
    if free < _FULL_DISK:
        return Finding("disk", "wrong", text, "Free some space: on a full disk, no command can be saved.")
    return (
        Finding("disk", "ok", text) if free >= _LOW_DISK else Finding("disk", "warning", text, "Free some space soon.")
    )


def check_journal(data_dir: Path, config: Config, games: Games) -> Iterator[Finding]:
    """The journal's hash chain is intact, and a replay agrees with it."""
    path = data_dir / JOURNAL_NAME
    if not path.exists():
        yield Finding("journal", "ok", "None yet: `companion run` creates it.")
        return
    try:
        proof = Proof.beside(path)
        with JournalReader.open(path) as reader:
            found = verify(reader, games, proof)
            last = reader.latest(1)[-1].session if found.entries else 0
    except CompanionError as error:  # of the journal, or of its countersigned heads
        yield Finding("journal", "wrong", str(error))
        return
    if proof.missing_key is not None:
        yield Finding("journal", "wrong", proof.missing_key)
    if found.wrong is None:
        yield Finding("journal", "ok", f"{found.entries} entries, hash chain intact")
        if (why := found.why_unplayed.get(last)) is not None:
            mend = "Have the players make their secret choices of this round again." if why == SECRET_MISSING else ""
            yield Finding("journal", "warning", f"Session {last} was not replayed: {why}.", mend)
    else:
        where = f"Entry {found.seq}: " if found.seq is not None else ""
        yield Finding(
            "journal",
            "wrong",
            f"{where}{found.wrong}",
            "Copy it somewhere safe, then restore a backup: `companion restore`.",
        )


def check_decks(data_dir: Path, config: Config, games: Games) -> Iterator[Finding]:
    """There is a deck, and the configured one exists."""
    from companion.vision.own_deck.store import OwnDecks

    try:
        decks, own = DeckStore(data_dir, games.decks).all(), OwnDecks(data_dir)
        found = [f"{deck.id} ({deck.kind})" for deck in decks] + [f"{deck.id} ({deck.name})" for deck in own.all()]
    except DeckError as error:
        yield Finding("decks", "wrong", str(error))
        return
    for damage in own.damaged():
        yield Finding("decks", "wrong", str(damage))
    wanted = config.table.deck_id
    if wanted is not None and wanted not in {deck.id for deck in decks} and not own.has(wanted):
        yield Finding(
            "decks", "wrong", f"The configured deck {wanted} does not exist.", "Make one: `companion deck new`."
        )
    elif not found:
        yield Finding("decks", "warning", "None yet.", "Make one with `companion deck new`, then print it.")
    else:
        yield Finding("decks", "ok", ", ".join(found))


def check_dashboard(data_dir: Path, config: Config, games: Games) -> Iterator[Finding]:
    """The dashboard's port is free, or used by this table."""
    from companion.cli.options import check_port

    if is_held(data_dir):
        yield Finding("port", "ok", "In use by the running table.")
        return
    try:
        check_port(config.web.host, config.web.port)
        yield Finding("port", "ok", f"{config.web.port} is free")
    except JobFailed as error:
        yield Finding("port", "wrong", str(error))


def check_outside(data_dir: Path, config: Config, games: Games) -> Iterator[Finding]:
    """The broker, the floor and the webhooks accept the table's messages, and their secrets are private."""
    from companion.app.integrations.wiring import NOT_INSTALLED, has_mqtt
    from companion.app.webhooks.check import check_webhook

    mqtt = config.mqtt
    if mqtt.host is not None and not has_mqtt():
        yield Finding("MQTT", "wrong", NOT_INSTALLED)
    elif mqtt.host is not None:
        from companion.app.mqtt.check import check_broker

        yield _tried("MQTT", partial(check_broker, mqtt))
        if not mqtt.tls and mqtt.username is not None and mqtt.host not in ("localhost", "127.0.0.1", "::1"):
            mend = "Set up TLS on the broker; see docs/mqtt.md."
            yield Finding("MQTT", "warning", "The password is sent over the network in plain text.", mend)
    yield from _check_floor(data_dir)
    for hook in config.webhooks:
        yield _tried("webhook", partial(check_webhook, hook, mqtt.table))
    for secret in filter(None, (mqtt.password_file, mqtt.key_file, *(hook.secret_file for hook in config.webhooks))):
        with suppress(OSError):  # already reported above
            if Path(secret).stat().st_mode & 0o077:
                yield Finding("secrets", "warning", f"Other users can read {secret}.", f"Run: chmod 600 {secret}")


def _check_floor(data_dir: Path) -> Iterator[Finding]:
    """The floor knows this table, and its broker accepts the table's messages."""
    from companion.app.floor.checks import check_house_broker, check_membership
    from companion.app.floor.membership import JoinFailed, Membership
    from companion.app.integrations.wiring import NOT_INSTALLED, has_mqtt

    try:
        member = Membership.of(data_dir)
    except JoinFailed as error:
        yield Finding("floor", "wrong", error.message)
        return
    if member is None:
        return
    yield _tried("floor", partial(check_membership, member))
    if has_mqtt():
        yield _tried("house's broker", partial(check_house_broker, member))
    else:
        yield Finding("house's broker", "warning", NOT_INSTALLED)


def _tried(name: str, check: Callable[[], str]) -> Finding:
    try:
        return Finding(name, "ok", check())
    except CompanionError as error:
        return Finding(name, "wrong", error.message)


CHECKS: Final[tuple[Check, ...]] = (
    check_versions,
    check_decoders,
    check_camera,
    check_pins,
    check_clock,
    check_data_dir,
    check_journal,
    check_decks,
    check_dashboard,
    check_outside,
)
