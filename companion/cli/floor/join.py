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
    """Add this table to the floor at URL, with the one-time CODE from the pit's page.

    URL is the complete address that the floor shows, with the fingerprint after #; it may include the code, as the QR
    code does. A table that was restored from a backup has to join again with a new code, which starts a new epoch.
    """
    from companion.app.floor.client import FloorRefused, FloorUnreachable
    from companion.app.floor.house_broker import ask_login
    from companion.app.floor.membership import Address, JoinFailed, join

    address = Address.parse(url)
    given = code or address.code
    if not given:
        raise JoinFailed("The code is missing. Get one on the pit's page, then run: companion join URL CODE.")
    try:
        member = join(data_dir, address, given)
    except (FloorUnreachable, FloorRefused) as error:
        raise JobFailed(str(error)) from error
    click.echo(f"This table is now {member.name} of {member.url}. Start or restart it: companion run.")
    try:
        login = ask_login(member)
    except (FloorUnreachable, FloorRefused) as error:  # retried while the table runs
        click.echo(f"The house's MQTT broker: {error.message}")
    else:
        click.echo(f"It will publish to the house's MQTT broker {login.host}:{login.port} as {login.login}.")
    return 0
