"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

from companion.app.paths import default_data_dir

data_option = click.option(
    "--data",
    "data_dir",
    type=click.Path(path_type=Path, file_okay=False),
    default=default_data_dir,
    help="Data directory. [default: $COMPANION_DATA, else the XDG data directory]",
)

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
