"""``companion run``: connects camera, table, journal and dashboard."""

from __future__ import annotations

import ctypes
import gc
import logging
import os
import secrets
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

import click

from companion.app.bug_report import LogTail
from companion.app.panel import PANELS, start_panel
from companion.app.restart import Restart
from companion.app.sdnotify import sd_notify
from companion.app.timekeeper import Timekeeper
from companion.cli import JobFailed
from companion.cli.access.pin import given_pin, pin_option
from companion.cli.options import check_port, data_option, usual_config, with_games
from companion.config.file import FILE_NAME as CONFIG_NAME
from companion.config.file import is_blank, load_config
from companion.config.tables import Config
from companion.journal.backups.pending import PENDING, ArchiveError, Pending
from companion.journal.backups.staged_restore import finish_restore
from companion.journal.datalock import DataDirBusy, hold_data_dir
from companion.journal.evidence import EvidenceRing
from companion.journal.store import FILE_NAME as JOURNAL_NAME
from companion.journal.store import JournalError
from companion.kernel.messages import Message, message
from companion.kernel.table import Header
from companion.objects.decks import DeckStore
from companion.odds.exposure import limit_words
from companion.plugins.registry import Games
from companion.service.table_service import TableService

if TYPE_CHECKING:
    from companion.app.floor.purse_cashier import PurseCashier
    from companion.app.floor.wiring import FloorMembership, FloorServices
    from companion.app.game_rig import GameRig
    from companion.app.integrations.wiring import Links
    from companion.app.operations.house import House
    from companion.app.setup.service import TableSetup
    from companion.app.setup.tray_axis import TrayAxis
    from web_ui.access.store import AccessStore
    from web_ui.https.certificates import Certificates
    from web_ui.push.sender import Notifier

log = logging.getLogger("companion.run")

STOP_S: Final = 1.8  # then a stop is forced: acknowledged commands are already on disk
_M_TRIM_THRESHOLD: Final = -1  # from glibc's malloc.h
_M_MMAP_THRESHOLD: Final = -3
_M_ARENA_MAX: Final = -8
STUCK_S: Final = 10.0  # age of a thread's last loop iteration at which it counts as hung


@click.command(name="run")
@click.option(
    "--camera",
    help="Camera: auto, demo, a device number, /dev/videoN, a video file, a folder of pictures or a stream's URL. "
    "[default: auto]",
)
@click.option("--game", help="Game to play; `companion games` lists them. [default: from the configuration]")
@click.option("--host", help="Address to listen on. [default: 0.0.0.0]")
@click.option(
    "--port", type=click.IntRange(0, 65535), help="Port of the dashboard; 0 picks a free one. [default: 8080]"
)
@click.option(
    "--panel",
    type=click.Choice(PANELS),
    default="auto",
    help="Buttons and lights. mock: simulated, controlled through a socket.",
)
@pin_option
@click.option(
    "--config", "config_file", type=click.Path(path_type=Path, dir_okay=False), help="Configuration file (TOML)."
)
@click.option(
    "--safe", is_flag=True, help="Safe mode, table and history only: no camera, panel, voice or integrations."
)
@click.option("--verbose", "-v", is_flag=True, help="Log debug messages, too.")
@data_option
@with_games
def command(
    games: Games,
    camera: str | None,
    game: str | None,
    host: str | None,
    port: int | None,
    panel: str,
    pin: str | None,
    pin_file: TextIO | None,
    config_file: Path | None,
    safe: bool,
    verbose: bool,
    data_dir: Path,
) -> int:
    """Run the table (camera, journal and dashboard) until stopped with Ctrl-C.

    Without a camera, the demo table runs. Only one table can use a data directory at a time. --pin and --pin-file set
    the dealer's PIN; without either, the set-up page asks for one.
    """
    pin = given_pin(pin, pin_file)
    tail = _log_to_stderr(verbose)
    _keep_memory_small()
    end = _end_after(STOP_S)
    stop = _stop_on_signals(end)
    restored = _finish_restore(data_dir)
    config, header = load_config(config_file or usual_config(data_dir), games, game)
    config = _with_options(config, camera, host, port)
    from web_ui.https.authority import CertificateUnusable
    from web_ui.server import ServerError

    restart = Restart(stop)
    try:
        with ExitStack() as stack:
            stack.callback(end.cancel)  # pushed first, so that it runs last
            stack.enter_context(hold_data_dir(data_dir))
            check_port(config.web.host, config.web.port)
            plan = Plan(data_dir, games, config, header, pin, panel, config_file or data_dir / CONFIG_NAME, tail,
                        is_safe=safe, restored=restored)  # fmt: skip
            _run(stack, plan, stop, restart)
    except (DataDirBusy, JournalError, ServerError, CertificateUnusable) as error:
        raise JobFailed(str(error)) from error
    restart.run_if_requested()
    return 0


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run; ``config`` includes the command-line options."""

    data_dir: Path
    games: Games
    config: Config
    header: Header
    pin: str | None
    panel: str
    config_file: Path
    tail: Callable[[], str]
    is_safe: bool = False
    restored: Pending | None = None
    "The backup that was restored at this start."


def _with_options(config: Config, camera: str | None, host: str | None, port: int | None) -> Config:
    web = config.web.model_copy(
        update={key: value for key, value in (("host", host), ("port", port)) if value is not None}
    )
    source = config.camera.model_copy(update={} if camera is None else {"source": camera})
    return config.model_copy(update={"web": web, "camera": source})


def _run(stack: ExitStack, plan: Plan, stop: threading.Event, restart: Restart) -> None:
    from companion.app.game_changer import GameChanger
    from companion.app.game_rig import GameRig
    from companion.app.integrations.wiring import start_integrations
    from companion.app.pipeline import choose_perception
    from companion.app.setup.wiring import start_setting_up
    from web_ui import create_app
    from web_ui.addresses import own_names
    from web_ui.https.trust import Root, create_plain_app
    from web_ui.server import Secured, Server

    web, names = plan.config.web, own_names((*plan.config.web.names, plan.config.web.host))
    certificates = _certificates(plan, names)
    root = None if certificates is None else Root(certificates.authority.der, certificates.authority.fingerprint)
    side = _floor_side(plan)
    if side is not None:
        plan = replace(plan, header=side.desk.prices.configured(plan.header))
    decks = None if side is None else side.desk.decks
    perception = None if plan.is_safe else choose_perception(plan.data_dir, plan.config, plan.games, decks)
    access = _access(plan)
    service = stack.enter_context(_open_table(plan, perception is not None and perception.is_demo))
    stack.enter_context(Timekeeper(service)).start()
    floor = _follow_floor(stack, plan, service, side)
    cashier = None if floor is None else floor.cashier
    _say_blank(service, plan.config_file)
    rig = GameRig(plan.data_dir, plan.config, service, is_safe=plan.is_safe, house_decks=decks)
    stack.enter_context(rig).start(perception)
    if cashier is not None:
        _watch_for_cards(stack, rig, cashier, service)
    bench = start_panel(stack, "none" if plan.is_safe else plan.panel, plan.config.panel, service, plan.data_dir)
    house = start_setting_up(
        stack, plan.config, plan.data_dir, plan.config_file, service, rig, bench, rig.demo, restart, plan.tail
    )
    house.table_setup.floor_prices = None if side is None else side.desk.prices
    links: Links = list
    if not plan.is_safe:
        watchers = () if floor is None else (floor.snapshot_feed,)
        member = None if side is None else side.member
        links = start_integrations(stack, plan.config, plan.data_dir, service, bench, watchers, member)
    changer = GameChanger(house.table_setup, lambda: rig.demo, rig.replan)
    app = create_app(
        service,
        access=access,
        watch=rig,
        demo=rig.demo,
        deck_store=DeckStore(plan.data_dir, plan.games.decks),
        exhibits=_evidence(plan),
        table_setup=house.table_setup,
        enrollment=rig.enrollment,
        deck_enrollment=rig.deck_enrollment,
        tray_axis=_tray_axis(plan, rig, house.table_setup),
        changer=changer,
        operations=_keep_house(stack, plan, service, restart, house.table_setup.restart, links),
        notifier=_notifier(stack, plan, service),
        cashier=cashier,
        duty=None if floor is None else floor.directives,
        root=root,
        test_config={"ROOM_LANGUAGE": web.language, "HOSTS": names, "SPECTATOR_DELAY_S": web.spectator_delay},
    )
    house.follow(app.config)

    def exchanged() -> None:
        app.extensions.update(demo=rig.demo, enrollment=rig.enrollment, deck_enrollment=rig.deck_enrollment)
        house.table_setup.demo = rig.demo

    rig.follow(exchanged)
    secured = None
    if certificates is not None and root is not None:
        secured = Secured(certificates.context, create_plain_app(root, names))
    server = stack.enter_context(Server(app, web.host, web.port, secured=secured))
    _say_addresses(web.host, server.port, None if access.has_pin else access.setup_code, is_secured=secured is not None)
    _say_game(service, plan.header)
    _say_limits(service)
    sd_notify("READY=1")
    _wait(stop, service, rig)
    sd_notify("STOPPING=1")


def _tray_axis(plan: Plan, rig: GameRig, table_setup: TableSetup) -> TrayAxis | None:
    """Return the set-up page's axis part; None if this installation cannot read dice."""
    from companion.app.setup.tray_axis import TrayAxis
    from companion.vision.dice.enrolled import EnrolledDice
    from companion.vision.dice.faces.classifier import has_network

    if not has_network():
        return None
    return TrayAxis(rig, table_setup.save_unlisted, EnrolledDice(plan.data_dir).names)


def _keep_house(
    stack: ExitStack, plan: Plan, service: TableService, restart: Restart, rehearsed: Callable[[], None], links: Links
) -> House:
    """Start housekeeping, and return the back end of the owner's page."""
    from companion.app.operations.backups import Backups
    from companion.app.operations.house import House
    from companion.app.operations.housekeeper import Housekeeper
    from companion.app.operations.meters import Meters
    from companion.app.operations.self_check import self_check

    meters = Meters(plan.data_dir, service.history.entries)
    if plan.restored is not None:
        meters.count("restores")
        service.notice(_restored_words(plan.data_dir, plan.restored), source="table")

    def done(kind: str) -> None:
        if kind == "backup":
            meters.count("backups")

    backups = Backups(plan.data_dir, plan.config.backup, on_done=done)
    keeper = stack.enter_context(
        Housekeeper(service, backups, meters, check=partial(self_check, plan.data_dir))
    ).start()
    return House(plan.data_dir, keeper, restart.request, rehearsed, is_safe=plan.is_safe, links=links)


def _notifier(stack: ExitStack, plan: Plan, service: TableService) -> Notifier | None:
    """Start push notifications to phones; None if they are turned off."""
    if not plan.config.web.push:
        return None
    from web_ui.push.sender import Notifier
    from web_ui.push.subscriptions import Subscriptions

    notifier = Notifier(service, Subscriptions(plan.data_dir))
    stack.enter_context(notifier.start())
    return notifier


def _floor_side(plan: Plan) -> FloorMembership | None:
    """Return the table's side of the floor connection; None at a standalone table."""
    if not (plan.data_dir / "floor" / "floor.json").exists():
        return None
    from companion.app.floor.wiring import FloorMembership

    return FloorMembership.of(plan.data_dir, plan.config_file, plan.config, plan.games)


def _follow_floor(
    stack: ExitStack, plan: Plan, service: TableService, side: FloorMembership | None
) -> FloorServices | None:
    """Start shipping the journal to the floor and following its requests; None at a standalone table."""
    if side is None:
        return None
    from companion.app.floor.wiring import start_floor_services

    return start_floor_services(stack, plan.data_dir, service, side)


def _watch_for_cards(stack: ExitStack, rig: GameRig, cashier: PurseCashier, service: TableService) -> None:
    """Ask the dealer about players whose cards the camera sees."""
    from companion.app.floor.card_scanner import CardScanner

    stack.enter_context(CardScanner(rig.frame, cashier.cards, service).start())


def _finish_restore(data_dir: Path) -> Pending | None:
    """Complete a restore that was staged on a page, or one that was interrupted; None if there is none."""
    if not (data_dir / PENDING).exists():
        return None
    try:
        with hold_data_dir(data_dir):
            done = finish_restore(data_dir)
    except (DataDirBusy, ArchiveError) as error:
        raise JobFailed(str(error)) from error
    if done is not None and (data_dir / done.aside).exists():
        click.echo(f"Restored from {done.archive}. The previous data is in {data_dir / done.aside}.")
    return done


def _restored_words(data_dir: Path, done: Pending) -> Message:
    """Return the notice after a restore, including what was played after the request and where that is stored."""
    if not done.commands or not (data_dir / done.aside).exists():
        return message("The table goes on with the backup {name}, made {at}.", name=done.archive, at=done.made)
    return message(
        "The table goes on with the backup {name}, made {at}. What was played since the restore was asked for does not "
        "count (commands: {commands}, decided rounds: {rounds}). It lies in the folder {folder} of the data directory.",
        name=done.archive,
        at=done.made,
        commands=done.commands,
        rounds=done.rounds,
        folder=done.aside,
    )


def _certificates(plan: Plan, names: frozenset[str]) -> Certificates | None:
    """Return the table's certificates, created at the first start; None if HTTPS is turned off."""
    if not plan.config.web.https:
        return None
    from web_ui.addresses import local_address
    from web_ui.https.certificates import Certificates

    addresses = ("127.0.0.1", "::1", *filter(None, (local_address(),)))
    return Certificates(plan.data_dir, names, addresses)


def _access(plan: Plan) -> AccessStore:
    from companion.app.operations.housekeeper import passed_s
    from web_ui.access.store import AccessStore

    access = AccessStore(plan.data_dir, passed=passed_s)
    if plan.pin is not None and not access.is_pin(plan.pin):
        access.set_pin(plan.pin)
    return access


def _open_table(plan: Plan, is_demo: bool) -> TableService:
    from companion.app.operations.housekeeper import passed_s

    header = plan.header
    demo = plan.games.named(header.game).demo if is_demo else None
    if demo is not None and not header.players:
        header = replace(header, players=tuple((name, demo.coins) for name in demo.players))
    path, settings = plan.data_dir / JOURNAL_NAME, plan.config.settings
    kept = plan.config.journal.witness
    witness = None if kept is None else Path(kept)
    service = TableService.open(
        path, header, plan.games, settings=settings, draw=secrets.randbelow, witness=witness,
        evidence_to_disk=_evidence(plan).bring_to_disk, passed=passed_s,
    )  # fmt: skip
    gc.freeze()  # the loaded session stays alive: exclude it from garbage collection
    return service


def _evidence(plan: Plan) -> EvidenceRing:
    return EvidenceRing(plan.data_dir / "evidence", plan.config.evidence.limit_mb, plan.config.evidence.days)


def _wait(stop: threading.Event, service: TableService, watch: GameRig) -> None:
    """Wait for the stop; meanwhile feed the watchdog as long as neither the table nor the camera thread hangs."""
    while not stop.wait(1.0):
        if time.monotonic() - min(service.beat, watch.beat) < STUCK_S:
            sd_notify("WATCHDOG=1")


# ---- helpers


def _say_addresses(host: str, port: int, setup_code: str | None, *, is_secured: bool) -> None:
    name, here = _public_name(host), f"http://localhost:{port}"
    base = f"{'https' if is_secured and not _is_here(name) else 'http'}://{name}:{port}"
    is_everywhere = host in ("0.0.0.0", "::", "")
    if not is_everywhere:
        click.echo(f"The table is open: {base}")
    elif not is_secured:
        click.echo(f"The table is open: {base}\nOn this machine:   {here}")
    else:
        click.echo(f"The table is open: {here} on this machine, {base} for phones and other screens")
        click.echo(f"Browsers show a warning until they trust the table's own certificate: http://{name}:{port}/trust")
    if setup_code is not None:
        page = f"/setup?code={setup_code}"
        also = f", or on this machine at {here}{page}" if is_everywhere and is_secured else ""
        click.echo(f"First start: choose the dealer's PIN at {base}{page}{also}")
    sys.stdout.flush()


def _is_here(name: str) -> bool:
    return name in ("localhost", "[::1]") or name.startswith("127.")


def _say_game(service: TableService, configured: Header) -> None:
    """If the table resumes with another game than the configured one, print why."""
    now = service.header
    if now.game != configured.game:
        click.echo(
            f"The table continues with {now.rules.title}, the dealer's choice, not with {configured.rules.title} as "
            "configured. The game can be changed on the dealer's page."
        )
        sys.stdout.flush()


def _say_blank(service: TableService, file: Path) -> None:
    """Warn in the log and on the dealer's page if the configuration file is blank: its limits may have been lost."""
    if is_blank(file):
        text = message(
            "{file} is empty: all settings have their defaults, including the limits. If this is not intended, go "
            "through /setup again, or restore a backup.",
            file=str(file),
        )
        log.warning("%s", text)
        service.notice(text, source="table", private=True)


def _say_limits(service: TableService) -> None:
    """Print the most that the bank can lose, and which limits cause that."""
    house = service.house_state
    if house is not None:
        click.echo(limit_words(house, service.ledger))
        sys.stdout.flush()


def _public_name(host: str) -> str:
    """Return the host under which phones in the same network reach this machine."""
    if host not in ("0.0.0.0", "::", ""):
        return f"[{host}]" if ":" in host else host
    from web_ui.addresses import local_address

    return local_address() or socket.gethostname()


def _keep_memory_small() -> None:
    """Tune glibc's malloc: few arenas, and reuse of the memory of old frames instead of returning it to the system.

    Without this the resident memory creeps from 310 to over 450 MB in half an hour. Returning every frame's memory
    at once costs a twentieth of a core at 10 fps for zeroing pages. Other C libraries lack `mallopt` and do not
    need it.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, 2)
        mallopt(_M_MMAP_THRESHOLD, 16 << 20)
        mallopt(_M_TRIM_THRESHOLD, 64 << 20)


def _log_to_stderr(verbose: bool) -> Callable[[], str]:
    """Log to stderr, and return a function that returns the latest lines."""
    under_systemd = "JOURNAL_STREAM" in os.environ  # journald adds the time
    logging.basicConfig(
        stream=sys.stderr,
        level=logging.DEBUG if verbose else logging.INFO,
        format="%(levelname)s %(message)s" if under_systemd else "%(asctime)s %(levelname)-7s %(message)s",
        datefmt="%H:%M:%S",
    )
    tail = LogTail()
    logging.getLogger().addHandler(tail)
    return lambda: tail.text


def _stop_on_signals(end: threading.Timer) -> threading.Event:
    """Return an event that SIGTERM and SIGINT set. They also start ``end``; a second signal kills the process."""
    stop = threading.Event()

    def ask(number: int, _: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        if not stop.is_set():
            stop.set()
            end.start()
            log.info("Stopping (%s)", signal.Signals(number).name)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, ask)
    return stop


def _end_after(seconds: float) -> threading.Timer:
    """Return a timer that ends the process even if a camera driver hangs. Nothing acknowledged is lost."""
    timer = threading.Timer(seconds, os._exit, (0,))
    timer.daemon = True
    return timer
