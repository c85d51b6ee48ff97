"""The command line: one module per group of commands, each imported only when used.

A command module exports `command`, a click command or group. Errors that a person can fix
(`companion.kernel.errors.CompanionError`) become one line on stderr and exit code 2, or 1 where a valid job
failed (`JobFailed`).
"""

import gc
import importlib
import os
import sys
from types import ModuleType
from typing import Any, Final

import click

from companion.kernel.errors import CompanionError

# Name -> module, and the command in it where that is not `command`. Loaded on use, so that `companion odds` does not
# import OpenCV.
COMMANDS: Final = {
    "run": "companion.cli.run",
    "read": "companion.cli.read",
    "replay": "companion.cli.replay",
    "deck": "companion.cli.deck",
    "print": "companion.cli.print_",
    "odds": "companion.cli.odds",
    "games": "companion.cli.games",
    "pin": "companion.cli.access.pin",
    "journal": "companion.cli.journal",
    "backup": "companion.cli.backup",
    "restore": "companion.cli.backup:restore_command",
    "calibrate": "companion.cli.calibrate",
    "enroll": "companion.cli.enroll",
    "doctor": "companion.cli.doctor",
    "wiring": "companion.cli.wiring",
    "hil": "companion.cli.hil",
    "floor": "companion.cli.floor.server",
    "join": "companion.cli.floor.join",
    "torture": "companion.app.torture.command",
    "bug-report": "companion.cli.doctor:bug_report_command",
}


class JobFailed(CompanionError):
    """A valid request that failed: exit code 1."""


class LazyGroup(click.Group):
    """A group that imports its commands on use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = COMMANDS.get(cmd_name)
        if module is None:
            return None
        name, _, attribute = module.partition(":")
        command: click.Command = getattr(_imported(name), attribute or "command")
        return command


def _imported(name: str) -> ModuleType:
    """Import a command's module; the first time with garbage collection suspended, as nothing becomes garbage.

    A sixth of the startup of `companion run` was spent on collections during imports.
    """
    if name in sys.modules or not gc.isenabled():
        return importlib.import_module(name)
    gc.disable()
    try:
        return importlib.import_module(name)
    finally:
        gc.freeze()
        gc.enable()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="table-companion", prog_name="companion")
def cli() -> None:
    """Run a real card table: read its cards, settle bets and show the table to everybody."""


def main(argv: list[str] | None = None) -> None:
    """Run the command line; exit codes: 0 done, 1 the job failed, 2 bad usage or bad input."""
    sys.exit(run_command_line(argv))


def run_command_line(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    # Our own error messages suffice; additional ones from OpenCV and FFmpeg would confuse.
    os.environ.setdefault("OPENCV_LOG_LEVEL", "FATAL")
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    try:
        result: Any = cli.main(args=argv, prog_name="companion", standalone_mode=False)
    except click.exceptions.Abort:
        click.echo("Stopped.", err=True)
        return 1
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.exceptions.NoArgsIsHelpError as error:  # `companion` without arguments shows the help
        click.echo(error.format_message(), err=True)
        return 2
    except click.ClickException as error:
        click.echo(f"companion: {' '.join(error.format_message().split())}", err=True)
        return 2
    except JobFailed as error:
        click.echo(f"companion: {error}", err=True)
        return 1
    except CompanionError as error:
        click.echo(f"companion: {error}", err=True)
        return 2
    except OSError as error:  # a full disk or missing permissions: not a bug, so no traceback
        what = error.strerror or str(error) or type(error).__name__
        where = "" if error.filename is None else f"{error.filename}: "
        click.echo(f"companion: {where}{what}. Fix this, then try again.", err=True)
        return 1
    return result if isinstance(result, int) else 0
