"""``companion pin``: sets the dealer's PIN at the machine. Also the options with which commands take a PIN."""

import ctypes
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TextIO

import click
from click.core import ParameterSource

from companion.cli.options import data_option, json_option

_LONGEST_LINE: Final = 200  # a device may never send a line break

pin_file_option = click.option(
    "--pin-file",
    type=click.File(encoding="utf-8"),
    help="File with the dealer's PIN on its first line; - is standard input.",
)


def pin_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--pin`` and ``--pin-file`` to a command."""
    shown = "The dealer's PIN, 4 to 12 digits. Stays in the shell's history: prefer --pin-file or $COMPANION_PIN."
    return click.option("--pin", envvar="COMPANION_PIN", help=shown)(pin_file_option(command))


def given_pin(pin: str | None, pin_file: TextIO | None) -> str | None:
    """Return the PIN from the command line or file, and hide it in the process list.

    Raises:
        UsageError: both are given, or the file contains no PIN.
    """
    hide_argument(pin)
    if pin_file is None:
        return pin
    if click.get_current_context().get_parameter_source("pin") is ParameterSource.COMMANDLINE:
        raise click.UsageError("Give either --pin or --pin-file.")
    try:
        line = pin_file.readline(_LONGEST_LINE).strip()
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{pin_file.name} is no text. Write the PIN into its first line.") from error
    if not line:
        raise click.UsageError(f"There is no PIN on the first line of {pin_file.name}.")
    return line


def hide_argument(value: str | None) -> None:
    """Overwrite an argument of this process, as all users of the machine can read the process list.

    Linux only; elsewhere the argument stays visible.
    """
    if not value:
        return
    with suppress(OSError, ValueError, IndexError):
        fields = Path("/proc/self/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        start, end = int(fields[45]), int(fields[46])  # arg_start and arg_end of proc(5)
        place = start
        for word in ctypes.string_at(start, end - start).split(b"\0"):
            shown = word.removeprefix(b"--pin=")
            if shown == value.encode():
                ctypes.memset(place + len(word) - len(shown), ord("*"), len(shown))
            place += len(word) + 1


@click.command(name="pin")
@pin_file_option
@data_option
@json_option
def command(pin_file: TextIO | None, data_dir: Path, as_json: bool) -> int:
    """Set the dealer's PIN, even while the table runs or logging in is locked.

    Asks for it, or reads it from --pin-file. All dealers' browsers have to log in again. If the log-in page has to
    wait because others guess, the code that this prints logs in once in place of the PIN.
    """
    from web_ui.access.store import AccessStore, check_shape

    pin = given_pin(None, pin_file) or click.prompt("New PIN", hide_input=True, confirmation_prompt="Again")
    check_shape(pin)
    access = AccessStore(data_dir)
    access.set_pin(pin)
    code = access.make_login_code()
    if as_json:
        click.echo(json.dumps({"pin": "set", "login_code": code}))
        return 0
    click.echo("The PIN is set. Log in with it at /dealer.")
    click.echo(f"If the page makes you wait, type {code} instead of the PIN: it works once, within an hour.")
    return 0
