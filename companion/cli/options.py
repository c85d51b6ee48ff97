"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

import click

from companion.app.paths import default_data_dir
from companion.plugins.registry import Games, installed_games

P = ParamSpec("P")
R = TypeVar("R")

data_option = click.option(
    "--data",
    "data_dir",
    type=click.Path(path_type=Path, file_okay=False),
    default=default_data_dir,
    help="Data directory. [default: $COMPANION_DATA, else the XDG data directory]",
)

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")


def with_games(command: Callable[Concatenate[Games, P], R]) -> Callable[P, R]:
    """Hand the installed games to a command, as its first argument."""

    @wraps(command)
    def run(*args: P.args, **values: P.kwargs) -> R:
        return command(installed_games(), *args, **values)

    return run
