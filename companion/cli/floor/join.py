"""``companion join``: adds this table to a house's floor."""

from pathlib import Path

import click

from companion.cli import JobFailed
from companion.cli.options import data_option


@click.command(name="join")
@click.argument("url")
@click.argument("code", required=False)
@data_option
def command(url: str, code: str | None, data_dir: Path) -> int:
    """Add this table to the floor at URL, with the one-time CODE that the pit gives out.

    URL is the whole address that the floor shows, with the fingerprint behind #; the code may stand there, too, as in
    the QR code. A table that was restored from a backup joins again, with a new code: it goes on in a new epoch.
    """
    from companion.app.floor.client import FloorRefused, FloorUnreachable
    from companion.app.floor.house_broker import ask_login
    from companion.app.floor.membership import Address, JoinFailed, join

    address = Address.parse(url)
    given = code or address.code
    if not given:
        raise JoinFailed("Which code? The pit's page makes one: companion join URL CODE.")
    try:
        member = join(data_dir, address, given)
    except (FloorUnreachable, FloorRefused) as error:
        raise JobFailed(str(error)) from error
    click.echo(f"This is {member.name} of {member.url} from now on. Start the table, or start it again: companion run.")
    try:
        login = ask_login(member)
    except (FloorUnreachable, FloorRefused) as error:  # retried while the table runs
        click.echo(f"The house's MQTT broker: {error.message}")
    else:
        click.echo(f"It tells the house's MQTT broker {login.host}:{login.port} what happens, as {login.login}.")
    return 0
