"""``companion backup``: the whole data directory in one file, also while the table runs."""

from __future__ import annotations

from pathlib import Path

import click

from companion.cli import JobFailed
from companion.cli.options import data_option, with_games
from companion.cli.progress import progress_bar
from companion.journal.backup import ArchiveError, make_backup
from companion.journal.store import JournalError
from companion.plugins.registry import Games


@click.command(name="backup")
@click.argument("file", type=click.Path(path_type=Path))
@data_option
@with_games
def command(games: Games, file: Path, data_dir: Path) -> int:
    """Write journal, decks, access and configuration into FILE (tar.gz). Keep it safe: it holds the decks' keys."""
    try:
        with progress_bar("Backing up") as progress:
            made = make_backup(data_dir, file, games, progress)
    except (ArchiveError, JournalError) as error:
        raise JobFailed(str(error)) from error
    entries = f", a journal of {made.journal.entries} entries" if made.journal else ""
    click.echo(f"{file}: {len(made.files)} files, {sum(made.files.values()) / 1e6:.1f} MB{entries}.")
    if made.journal is not None and made.journal.wrong is not None:
        where = f"entry {made.journal.seq}: " if made.journal.seq is not None else ""
        raise JobFailed(
            f"The backup is made, but its journal is broken: {where}{made.journal.wrong} It will not restore."
        )
    return 0
