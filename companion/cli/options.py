"""Shared by commands: common options, the installed games, a progress bar."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial, wraps
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

import click

from companion.cli import JobFailed
from companion.kernel.errors import CompanionError
from companion.kernel.messages import packed
from companion.plugins.registry import Games, installed_games

if TYPE_CHECKING:
    from companion.vision.dice.axis import Axis


def default_data_dir() -> Path:
    """Return ``$COMPANION_DATA``, else the XDG data directory's ``companion``."""
    named = os.environ.get("COMPANION_DATA")
    if named:
        return Path(named).expanduser()
    base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(base).expanduser() / "companion"


def usual_config(data_dir: Path) -> Path | None:
    """Return the configuration in a data directory; None without one."""
    path = data_dir / "companion.toml"
    return path if path.exists() else None


P = ParamSpec("P")
R = TypeVar("R")


def _keep_owner(ctx: click.Context, _: click.Parameter, folder: Path) -> Path:
    """If root runs the command, give files it creates in a service's data directory to the service's user at exit."""
    with suppress(OSError):
        before = folder.stat()
        if os.geteuid() == 0 and before.st_uid != 0:
            ctx.call_on_close(partial(_give_back, folder, before.st_uid, before.st_gid))
    return folder


def _give_back(folder: Path, owner: int, group: int) -> None:
    with suppress(OSError):
        for _, _, names, handle in os.fwalk(folder):
            if os.fstat(handle).st_uid == 0:
                os.chown(handle, owner, group)
            for name in names:
                found = os.stat(name, dir_fd=handle, follow_symlinks=False)
                if found.st_uid == 0 and found.st_nlink == 1:  # never a hard link to another file of root's
                    os.chown(name, owner, group, dir_fd=handle, follow_symlinks=False)


def _axis(text: str | None) -> Axis | None:
    from companion.vision.dice.axis import MAX_TILT_DEG, Axis

    if text is None:
        return None
    try:
        tilt_deg, towards_deg = map(float, text.split(","))
    except ValueError:
        tilt_deg = towards_deg = nan
    if not (0 <= tilt_deg <= MAX_TILT_DEG and 0 <= towards_deg < 360):
        raise click.BadParameter(
            f"{text!r} is not two numbers such as 25,270: up to {MAX_TILT_DEG:g} degrees off the vertical, and a "
            "direction from 0 to below 360.",
        )
    return Axis(tilt_deg, towards_deg)


view_option = click.option(
    "--view",
    type=click.FloatRange(20, 130),
    metavar="DEG",
    help="The camera's horizontal angle of view, as view under [die]; Raspberry Pi camera modules have 54, 62 or 66. "
    "[default: 55]",
)


def axis_option(command: Callable[..., R]) -> Callable[..., R]:
    """Add the options ``--axis`` and ``--view``, passed to the command as ``axis``, an `Axis` or None."""

    @click.option(
        "--axis",
        metavar="DEG,DEG",
        callback=lambda _ctx, _option, text: _axis(text),
        help="The camera's viewing direction, as axis under [die]: its tilt from the vertical, and the direction of "
        "the tilt in the picture (0 right, 90 top). Measure it with `companion calibrate --die`: a wrong one leads to "
        "wrong values. [default: unknown]",
    )
    @view_option
    @wraps(command)
    def run(*args: object, axis: Axis | None, view: float | None, **values: object) -> R:
        if view is not None:
            from companion.vision.dice.axis import Lens

            if axis is None:
                raise click.UsageError("--view needs the axis: add --axis 0,0 if the camera stands above.")
            axis = replace(axis, lens=Lens.of_view(view))
        return command(*args, axis=axis, **values)

    return run


data_option = click.option(
    "--data",
    "data_dir",
    type=click.Path(path_type=Path, file_okay=False),
    default=default_data_dir,
    callback=_keep_owner,
    help="Data directory. [default: $COMPANION_DATA, else the XDG data directory]",
)

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")


def with_games(command: Callable[Concatenate[Games, P], R]) -> Callable[P, R]:
    """Pass the installed games to a command as its first argument."""

    @wraps(command)
    def run(*args: P.args, **values: P.kwargs) -> R:
        return command(installed_games(), *args, **values)

    return run


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar; yield the function that updates it, called with (done, total)."""
    from rich.console import Console  # not needed by `companion run`
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


progress_option = click.option("--progress", "tells", is_flag=True, hidden=True)
"""Prints the progress in lines, for the page that runs the command as a job."""


@contextmanager
def progress_lines() -> Iterator[Callable[[int, int], None]]:
    """Yield a function, called with (done, total), that prints each whole percent of progress as a line."""
    last_percent = -1

    def show(done: int, total: int) -> None:
        nonlocal last_percent
        percent = 100 * done // max(1, total)
        if percent != last_percent:
            last_percent = percent
            click.echo(f"{done}/{total}")

    yield show


@contextmanager
def failure_line(*, tells: bool) -> Iterator[None]:
    """With ``tells``, print a failure's message as JSON, so that the calling program can translate it."""
    try:
        yield
    except CompanionError as error:
        if tells:
            click.echo(json.dumps({"failed": packed(error.message)}))
        raise


def check_port(host: str, port: int) -> None:
    """Check that the dashboard can listen on this address, before anything else is started.

    Raises:
        JobFailed: an invalid host, or the port is in use or not permitted; the message names an alternative.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except socket.gaierror as error:
            raise JobFailed(
                f"The dashboard cannot listen on {host!r}: no address of this machine. Choose another --host, such as "
                "0.0.0.0."
            ) from error
        except OSError as error:
            what = f"The dashboard cannot listen on {host}, port {port}: {error.strerror}."
            raise JobFailed(
                f"{what} Choose another port, such as --port {port + 1 if port < 65535 else 8080}."
            ) from error
