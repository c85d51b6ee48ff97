"""``companion games``: the installed games and the packages that provide them."""

import json
from dataclasses import asdict

import click
from rich.console import Console
from rich.table import Table

from companion.cli.options import json_option, with_games
from companion.plugins.registry import Games


@click.command(name="games")
@json_option
@with_games
def command(games: Games, as_json: bool) -> int:
    """List the installed games and the package of each. Exit code 1 if one cannot be loaded."""
    if as_json:
        found = [asdict(source) | {"title": _title(games, source.game)} for source in games.sources]
        click.echo(json.dumps(found, ensure_ascii=False))
    else:
        _print(games)
    return 1 if any(source.problem for source in games.sources) else 0


def _title(games: Games, name: str) -> str | None:
    return games[name].title if name in games else None


def _print(games: Games) -> None:
    table = Table("--game", "game", "package", "version", box=None, header_style="bold", pad_edge=False)
    for source in games.sources:
        table.add_row(source.game, _title(games, source.game) or f"cannot be loaded: {source.problem}",
                      source.package, source.version)  # fmt: skip
    Console().print(table)
