"""``companion torture``: crash, fault injection and load tests on a copy of this table."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING

import click

from companion.cli import JobFailed
from companion.cli.options import data_option, progress_bar, usual_config, with_games
from companion.journal.store import FILE_NAME
from companion.journal.trust.signing import KeyBook, KeyUnusable, brief
from companion.plugins.registry import Games
from companion.printing.files import check_place

if TYPE_CHECKING:
    from companion.app.torture.certificate import Certificate


@click.command(name="torture")
@click.option("--minutes", type=click.FloatRange(0.1, 24 * 60), default=5.0, show_default=True, help="Duration.")
@click.option("--seed", type=click.IntRange(0), help="Random seed, to repeat a run.  [default: a new one]")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("torture.json"),
    show_default=True,
    help="File for the signed certificate.",
)
@click.option("--check", type=click.Path(path_type=Path, dir_okay=False), help="Only check this certificate.")
@click.option("--key", metavar="HEX", help="With --check: the table's public key, if its key file is not here.")
@click.option(
    "--config", "config_file", type=click.Path(path_type=Path, dir_okay=False), help="Configuration file (TOML)."
)
@data_option
@with_games
def command(
    games: Games,
    minutes: float,
    seed: int | None,
    out: Path,
    check: Path | None,
    key: str | None,
    config_file: Path | None,
    data_dir: Path,
) -> int:
    """Test a COPY of this installation with faults such as crashes, and write the results to a signed certificate.

    The data directory and the configuration are only read; the table may be running. Exit code 1 if a promise was
    broken.
    """
    if check is not None:
        return _check(check, key, data_dir)
    if minutes != minutes:  # click takes nan for a number in any range
        raise click.BadParameter("nan is not a number. Enter the number of minutes, such as 5.", param_hint="--minutes")
    check_place(out)
    from companion.app.torture.runner import torture

    used = seed if seed is not None else secrets.randbelow(10**9)
    with progress_bar("Torturing a copy") as bar:
        made = torture(
            data_dir, config_file or usual_config(data_dir), games, 60 * minutes, used,
            lambda what, share: bar(round(100 * share), 100),
        )  # fmt: skip
    made.write(out)
    _tell(made)
    click.echo(f"Written to {out}; `companion torture --check {out}` checks it.")
    if made.faults:
        raise JobFailed(f"{len(made.faults)} promises were broken; the first: {made.faults[0]}")
    return 0


def _tell(made: Certificate) -> None:
    for name, value in made.versions.items():
        click.echo(f"{name:<12} {value}")
    for name, figure in made.figures.items():
        click.echo(f"{figure:>12g}  {name}")
    for fault in made.faults:
        click.echo(f"BROKEN: {fault}")
    if not made.faults:
        click.echo(f"Every promise was kept (seed {made.seed}, {made.began} to {made.ended}).")
    click.echo(f"Signed with {'the table' if made.is_own_key else 'a key made for this certificate'}: {made.public}")


def _check(path: Path, key: str | None, data_dir: Path) -> int:
    from companion.app.torture.certificate import Certificate

    made = Certificate.read(path)
    _tell(made)
    try:
        known = {key.strip().lower()} if key is not None else KeyBook.beside(data_dir / FILE_NAME).trusted()
    except KeyUnusable as error:
        raise JobFailed(str(error)) from error
    if key is not None and made.public not in known:
        raise JobFailed(f"{path} is signed with another key than {brief(key)}: it is not of that table.")
    if made.public in known:
        click.echo("It is as it was signed, with the table's key.")
    else:
        click.echo("It is as it was signed. Whose key that is, --key tells (`companion journal key` at the table).")
    return 1 if made.faults else 0
