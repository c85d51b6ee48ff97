"""``companion backup`` and ``companion restore``: the whole data directory in one archive."""

from contextlib import nullcontext
from pathlib import Path

import click

from companion.cli import JobFailed
from companion.cli.options import data_option, failure_line, progress_bar, progress_lines, progress_option, with_games
from companion.journal.backups.backup import make_backup
from companion.journal.backups.pending import ArchiveError
from companion.journal.backups.restore import restore, wrong_words
from companion.journal.backups.staged_restore import stage_restore
from companion.journal.datalock import DataDirBusy, hold_data_dir
from companion.journal.store import JournalError
from companion.plugins.registry import Games


@click.command(name="backup")
@click.argument("file", type=click.Path(path_type=Path))
@progress_option
@data_option
@with_games
def command(games: Games, file: Path, tells: bool, data_dir: Path) -> int:
    """Back up journal, decks, access and configuration to FILE (tar.gz). Keep it safe: it holds the decks' keys."""
    with failure_line(tells=tells):
        return _back_up(games, file, data_dir, tells=tells)


def _back_up(games: Games, file: Path, data_dir: Path, *, tells: bool) -> int:
    try:
        with progress_lines() if tells else progress_bar("Backing up") as progress:
            made = make_backup(data_dir, file, games, progress)
    except (ArchiveError, JournalError) as error:
        raise JobFailed(error.message) from error
    entries = f", a journal of {made.journal.entries} entries" if made.journal else ""
    click.echo(f"{file}: {len(made.files)} files, {sum(made.files.values()) / 1e6:.1f} MB{entries}.")
    if made.journal is not None and made.journal.wrong is not None:
        raise JobFailed.saying(
            "The backup is made, but its journal is broken: {wrong} It will not restore.",
            wrong=wrong_words(made.journal),
        )
    return 0


@click.command(name="restore")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Move the data directory's current contents aside first.")
@click.option("--stage", is_flag=True, help="Only unpack and check it; the table's next start switches to it.")
@progress_option
@data_option
@with_games
def restore_command(games: Games, file: Path, force: bool, stage: bool, tells: bool, data_dir: Path) -> int:
    """Restore the data directory from a backup FILE. All of it is checked before anything is changed."""
    if stage:
        with failure_line(tells=tells):
            return _stage(games, file, data_dir, tells=tells)
    lock = hold_data_dir(data_dir) if data_dir.is_dir() else nullcontext()
    try:
        with lock, progress_bar("Restoring") as progress:
            aside = restore(file, data_dir, games, force=force, progress=progress)
    except (JournalError, DataDirBusy) as error:
        raise JobFailed(str(error)) from error
    if aside is not None:
        click.echo(f"The previous data is now in {aside}.")
    click.echo(f"{data_dir} is as it was in {file}.")
    return 0


def _stage(games: Games, file: Path, data_dir: Path, *, tells: bool) -> int:
    try:
        with progress_lines() if tells else progress_bar("Checking") as progress:
            made = stage_restore(file, data_dir, games, progress)
    except JournalError as error:
        raise JobFailed(error.message) from error
    entries = made.journal.entries if made.journal else 0
    click.echo(f"{file} is sound: {entries} entries, made {made.made}. The next start of the table switches to it.")
    return 0
