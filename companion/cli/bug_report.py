"""``companion bug-report``: one file with what is needed to look into a bug, without names or secrets."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Final

import click

from companion.app.bug_report import bundle
from companion.cli.options import data_option, with_games
from companion.config.file import FILE_NAME as CONFIG_NAME
from companion.plugins.registry import Games
from companion.printing.files import write_atomically

FILE: Final = "companion-bug-report.zip"


@click.command(name="bug-report")
@click.option("--out", type=click.Path(path_type=Path), default=Path(FILE), show_default=True, help="The zip to write.")
@click.option("--config", "config_file", type=click.Path(path_type=Path, dir_okay=False), help="Configuration (TOML).")
@data_option
@with_games
def command(games: Games, out: Path, config_file: Path | None, data_dir: Path) -> None:
    """Write journal, settings and versions into a zip: no names, no PIN, no keys. Also while the table runs."""
    from companion.cli.doctor import examine

    found = [asdict(finding) for finding in examine(data_dir, config_file, games)]
    write_atomically(out, bundle(games, data_dir, config_file or data_dir / CONFIG_NAME, state={"doctor": found}))
    click.echo(f"{out} is written. Look through it, then send it along.")
