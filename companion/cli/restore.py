"""``companion restore``: a backup back into the data directory."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import click

from companion.cli import JobFailed
from companion.cli.options import data_option, with_games
from companion.cli.progress import progress_bar
from companion.journal import backup as archive
from companion.journal.datalock import DataDirBusy, hold_data_dir
from companion.journal.store import JournalError
from companion.plugins.registry import Games


@click.command(name="restore")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Move what is in the data directory aside first.")
@data_option
@with_games
def command(games: Games, file: Path, force: bool, data_dir: Path) -> int:
    """Bring a backup FILE back. All of it is checked before anything is touched."""
    lock = hold_data_dir(data_dir) if data_dir.is_dir() else nullcontext()
    try:
        with lock, progress_bar("Restoring") as progress:
            aside = archive.restore(file, data_dir, games, force=force, progress=progress)
    except (JournalError, DataDirBusy) as error:
        raise JobFailed(str(error)) from error
    if aside is not None:
        click.echo(f"What was there is now in {aside}.")
    click.echo(f"{data_dir} is as it was in {file}.")
    return 0
