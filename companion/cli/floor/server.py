"""``companion floor``: the server of a floor of many tables, and its administration on the machine."""

from __future__ import annotations

import os
import resource
import secrets
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from companion.cli import JobFailed
from companion.journal.datalock import hold_data_dir
from companion.journal.durable import write_private
from companion.kernel.errors import CompanionError

if TYPE_CHECKING:
    from companion.floor.cluster import Cluster
    from companion.floor.house import House
    from companion.floor.people import Role

PORT: Final = 8443
BROKER_PORT: Final = 8883
OWNER: Final = "Owner"
_ROOTS_FOLDER: Final = Path("/var/lib/companion-floor")


def default_folder() -> Path:
    """Return ``$COMPANION_FLOOR_DATA``, else the default folder of root or the user."""
    named = os.environ.get("COMPANION_FLOOR_DATA")
    if named:
        return Path(named).expanduser()
    if os.geteuid() == 0:  # root's home is not accessible to PostgreSQL's user
        return _ROOTS_FOLDER
    return Path(os.environ.get("XDG_DATA_HOME") or "~/.local/share").expanduser() / "companion-floor"


folder_option = click.option(
    "--data",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=default_folder,
    help="The floor's data directory. [default: $COMPANION_FLOOR_DATA, else the XDG data directory; root: /var/lib/…]",
)


@click.group(name="floor", invoke_without_command=True)
@folder_option
@click.option("--host", default="0.0.0.0", help="Address to listen on. [default: 0.0.0.0]")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=PORT, help=f"Port; 0 picks a free one. [default: {PORT}]"
)
@click.option(
    "--broker-port",
    type=click.IntRange(0, 65535),
    help="The MQTT broker's port; 0 picks a free one. [default: 8883; with --port 0 a free one]",
)
@click.option("--no-broker", is_flag=True, help="Start no MQTT broker.")
@click.option(
    "--archive",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder to archive PostgreSQL's write-ahead log in, for recovery.",
)
@click.option(
    "--demo", type=click.IntRange(0, 64), default=0, help="Also start this many demo tables, which join the floor."
)
@click.pass_context
def command(
    ctx: click.Context,
    folder: Path,
    host: str,
    port: int,
    broker_port: int | None,
    no_broker: bool,
    archive: Path | None,
    demo: int,
) -> None:
    """Run the server of a house of many tables (the floor), until stopped with Ctrl-C.

    It starts a private PostgreSQL server (Debian's package postgresql) and an MQTT broker (mosquitto), which its tables
    log in to. The first start prints the owner's PIN, once.
    """
    if ctx.invoked_subcommand is not None:
        ctx.obj = folder
        return
    _need_extra()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with suppress(OSError, ValueError):  # may be forbidden in a sandbox; then the service manager's limit applies
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # each table needs a connection
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    with ExitStack() as stack:
        stack.enter_context(hold_data_dir(folder))
        cluster = _cluster(folder, archive)
        stack.callback(cluster.stop)
        _start(cluster)
        at = None if no_broker else broker_port if broker_port is not None else BROKER_PORT if port else 0
        _serve(stack, cluster, folder, host, port, at, demo, stop)


def _serve(
    stack: ExitStack, cluster: Cluster, folder: Path, host: str, port: int, broker_port: int | None, demo: int,
    stop: threading.Event,
) -> None:  # fmt: skip
    from companion.app.floor.membership import Address
    from companion.app.pit.wiring import start_pit_notifications
    from companion.app.sdnotify import sd_notify
    from companion.floor.house import House
    from companion.floor.runtime.interpreter import prepare
    from web_ui.addresses import local_address
    from web_ui.floor.app import create_floor_app
    from web_ui.floor.server import FloorServer, floor_certificates

    prepare()
    house = stack.enter_context(House(cluster.dsn(), folder))
    certificates = floor_certificates(folder, host)
    fingerprint = certificates.authority.fingerprint.replace(":", "").lower()

    def address(code: str) -> str:
        name = host if host not in ("0.0.0.0", "::", "") else local_address() or "localhost"
        return str(Address(f"https://{name}:{server.port}", fingerprint, code))

    phones = start_pit_notifications(stack, house, cluster, folder, host, broker_port)
    app = create_floor_app(house, certificates.authority, address, phones.subscriptions)
    server = stack.enter_context(FloorServer(house, app, certificates, host, port))
    write_private(folder / "address", f"{address('').partition('#')[0]}\n{fingerprint}\n".encode())
    click.echo(f"The floor is open: {address('').partition('#')[0]}")
    click.echo(f"Its fingerprint:   {fingerprint}")
    if broker_port is not None:
        broker = house.broker
        click.echo(f"MQTT broker:       {broker.trouble or f'port {broker.port}, TLS by the same authority'}")
    if house.role_of(OWNER) is None:
        pin = f"{secrets.randbelow(10**8):08d}"
        house.set_person(OWNER, "owner", pin, "first start")
        click.echo(f"First start: log in as {OWNER} with the PIN {pin}. It is not shown again.")
    sys.stdout.flush()
    if demo:
        from companion.app.floor.demo import DemoTables

        stack.enter_context(DemoTables(house, folder / "demo", address, demo))
        click.echo(f"{demo} demo tables have joined.")
    sys.stdout.flush()
    sd_notify("READY=1")
    stop.wait()
    sd_notify("STOPPING=1")


def _need_extra() -> None:
    try:
        import orjson  # noqa: F401
        import psycopg  # noqa: F401
        import psycopg_pool  # noqa: F401
    except ImportError as error:
        raise JobFailed(f"The floor needs the extra floor: pip install 'table-companion[floor]' ({error}).") from error


def _need_floor(folder: Path) -> None:
    """Require an initialised floor in the folder.

    Raises:
        JobFailed: there is none, or what it needs is not installed.
    """
    _need_extra()
    if not (folder / "postgres" / "data").exists():
        raise JobFailed(f"There is no floor in {folder}. Start it: companion floor; or name its folder with --data.")


def _cluster(folder: Path, archive: Path | None = None) -> Cluster:
    from companion.floor.cluster import Cluster

    if os.geteuid() == 0:
        folder.chmod(0o755)  # PostgreSQL's user must be able to enter the folder
    # absolute, because PostgreSQL runs in another working directory
    return Cluster(folder.absolute() / "postgres", None if archive is None else archive.absolute())


def _start(cluster: Cluster) -> None:
    import psycopg

    from companion.floor.cluster import OWNER as DATABASE_OWNER
    from companion.floor.migrations import migrate

    cluster.make()
    cluster.start()
    cluster.create_database()
    with psycopg.connect(cluster.dsn(DATABASE_OWNER), autocommit=True) as connection:
        migrate(connection)


# ---- commands for a running floor


@contextmanager
def running(folder: Path) -> Iterator[House]:
    _need_floor(folder)
    from companion.floor.house import House
    from companion.floor.ingest.writer import Unavailable

    cluster = _cluster(folder)
    try:
        with House(cluster.dsn(), folder) as house:
            yield house
    except Unavailable as error:
        raise JobFailed(f"No floor runs on {folder}. Start it: companion floor.") from error


@command.command(name="code")
@click.argument("table")
@click.pass_obj
def code_command(folder: Path, table: str) -> None:
    """Print the command with which TABLE joins the floor. Its one-time code is valid for an hour.

    If the table has joined before, the code starts a new epoch and shuts out the machine that ran the table until now.
    """
    with running(folder) as house:
        code = house.invite(table, "command line")
    url, fingerprint = (folder / "address").read_text(encoding="ascii").split()
    click.echo(f"companion join '{url}#{code}.{fingerprint}'")


@command.command(name="person")
@click.argument("name")
@click.option("--role", type=click.Choice(["owner", "pit", "dealer", "auditor"]), required=True)
@click.option("--pin", prompt=True, hide_input=True, confirmation_prompt=True, help="4 to 12 digits.")
@click.pass_obj
def person_command(folder: Path, name: str, role: Role, pin: str) -> None:
    """Add a person, or give them another role and PIN."""
    with running(folder) as house:
        house.set_person(name, role, pin, "command line")
    click.echo(f"{name} can log in as {role}.")


@command.command(name="reader")
@click.argument("login", type=click.Choice(["homeassistant", "watcher"]))
@click.pass_obj
def reader_command(folder: Path, login: str) -> None:
    """Print a new password for a login at the house's MQTT broker; the previous one stops working.

    homeassistant may read everything and ask tables to pause and resume; watcher may only read.
    """
    with running(folder) as house:
        password = house.broker.issue_reader_login(login, "command line")
    click.echo(f"{login} logs in with the password {password}. It is not shown again.")
    click.echo(f"The authority that issued the broker's certificate: {folder / 'https' / 'authority.pem'}")


@command.command(name="check")
@click.pass_obj
def check_command(folder: Path) -> None:
    """Check every hash chain, countersigned head, coin balance and the server. Exit code 1 if something is wrong."""
    _need_floor(folder)
    import psycopg

    from companion.app.pit.check import broker_problems
    from companion.app.pit.wiring import BROKER_FOLDER
    from companion.floor.check import find_problems
    from companion.floor.runtime.health import machine_problems

    wrong = list(broker_problems(folder / BROKER_FOLDER))
    try:
        with psycopg.connect(_cluster(folder).dsn(), autocommit=True) as connection:
            wrong += find_problems(connection)
            wrong += machine_problems(connection, folder)
    except psycopg.OperationalError as error:
        for line in wrong:
            click.echo(line)
        raise JobFailed(_no_database(folder, str(error))) from error
    for line in wrong:
        click.echo(line)
    if wrong:
        raise JobFailed(f"{len(wrong)} things are wrong.")
    click.echo("All hash chains, countersigned heads and coin balances are correct, and the server is in order.")


def _no_database(folder: Path, said: str) -> str:
    """Return the probable reason why the database does not respond, and what to do."""
    try:
        with hold_data_dir(folder):
            return f"No floor runs on {folder}. Start it: companion floor."
    except CompanionError:
        last = " ".join(said.split())[-200:]
        return (
            f"The floor runs, but its PostgreSQL does not answer: {last}. It is restarted automatically; if that does "
            f"not help within a minute, look into {folder / 'postgres' / 'server.log'}, and whether the disk is full."
        )


@command.command(name="recover")
@click.argument("base", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.option("--archive", type=click.Path(path_type=Path, file_okay=False, exists=True), required=True)
@click.option(
    "--until",
    help="Recover up to this time, given with its zone, such as '2026-05-01 23:10:00+02'. [default: the archive's end]",
)
@click.pass_obj
def recover_command(folder: Path, base: Path, archive: Path, until: str | None) -> None:
    """Restore the stopped floor from the base backup BASE and the archived write-ahead log; then start it as usual.

    Everything that the tables sent after that time, they send again on their own.
    """
    with hold_data_dir(folder):
        cluster = _cluster(folder)
        aside = cluster.recover(base.absolute(), archive.absolute(), until)
        cluster.stop()
    click.echo(
        f"The floor is restored. The previous data is in {aside}. Start the floor, then run: companion floor check."
    )


@command.command(name="backup")
@click.argument("target", type=click.Path(path_type=Path, file_okay=False))
@click.pass_obj
def backup_command(folder: Path, target: Path) -> None:
    """Write a base backup of the running floor to the new folder TARGET. docs/floor.md explains the recovery."""
    _need_floor(folder)
    if target.exists():
        raise CompanionError(f"{target} is there already. Name a new folder.")
    _cluster(folder).copy_to(target.absolute())
    click.echo(f"The backup is in {target}. Keep {folder / 'floor.key'} and {folder / 'https'} with it.")
