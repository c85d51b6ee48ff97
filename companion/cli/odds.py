"""`companion odds`: exact odds of every bet of a game, now or in the middle of a round."""

import json
import secrets
from collections.abc import Iterable, Sequence
from typing import cast

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from companion.cli.options import json_option, with_games
from companion.kernel.errors import BadScript
from companion.odds import table as tables
from companion.odds.asked import Asked
from companion.odds.bet_odds import AnyBet
from companion.plugins.ask import ask
from companion.plugins.registry import Games


@click.command("odds")
@click.argument("game")
@click.option("--seen", default="", metavar="6D3,5N1,…", help="Cards dealt or faces thrown (3d,1n,…) so far.")
@click.option("--layout", help="Layout of the bets, in a game with more than one: short for --option layout=….")
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="KEY=VALUE",
    help="An option of the game: deck=red, chain_day_night=own, taken=1,3, … Can be repeated.",
)
@click.option("--simulate", type=click.IntRange(1, 10**12), metavar="ROUNDS", help="Also simulate this many rounds.")
@click.option(
    "--seed", type=click.IntRange(0), help="Random seed of the simulation, to repeat one.  [default: a new one]"
)
@click.option("--markdown", is_flag=True, help="Print a Markdown table.")
@json_option
@with_games
def command(
    games: Games,
    game: str,
    seen: str,
    layout: str | None,
    options: tuple[str, ...],
    simulate: int | None,
    seed: int | None,
    markdown: bool,
    as_json: bool,
) -> None:
    """Print the probability, the fair and the paid odds and the house edge of every bet of GAME."""
    if markdown and (as_json or simulate):
        raise click.UsageError("--markdown prints exact odds only. Leave out --json and --simulate.")
    asked = _asked(games, game, seen, _with_layout(layout, options))
    odds = asked.odds()
    wins = None
    if simulate:
        seed = secrets.randbits(32) if seed is None else seed
        wins = _simulate(asked, simulate, seed)
    if as_json:
        click.echo(json.dumps(_document(game, odds, wins, simulate, seed)))
    elif markdown:
        click.echo(tables.markdown_table(asked.lines()), nl=False)
    elif wins is None:
        _print_table(tables.HEADINGS, asked.lines())
    else:
        _print_table(*_comparison(odds, wins, cast(int, simulate)))
        click.echo(f"{simulate:,} {asked.played}; --seed {seed} repeats them.")


def _asked(games: Games, game: str, seen: str, options: Iterable[str]) -> Asked:
    plugin = games.named(game)
    if plugin.odds.ask is not None:
        return plugin.odds.ask(seen, options)
    if plugin.odds.has_odds:
        return ask(plugin, seen, options)
    having = ", ".join(name for name, one in games.items() if one.odds.has_odds)
    raise BadScript(f"{game} brings no odds. There are odds for {having or 'no game here'}.")


def _with_layout(layout: str | None, options: Sequence[str]) -> Sequence[str]:
    if layout is None:
        return options
    for pair in options:
        key, _, value = pair.partition("=")
        if key == "layout" and value != layout:
            raise BadScript(f"--layout {layout} and --option {pair} disagree. Leave one of them out.")
    return (*options, f"layout={layout}")


def _simulate(asked: Asked, rounds: int, seed: int) -> dict[str, int]:
    """Play the rounds, with a progress bar on a terminal; return the wins of every bet."""
    import numpy as np  # only here: the exact odds start faster without it

    columns = (TextColumn("Playing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("play", total=rounds)
        generator = np.random.Generator(np.random.SFC64(seed))
        return asked.simulate(rounds, generator, lambda done: bar.advance(task, done))


def _document(
    game: str, odds: Iterable[AnyBet], wins: dict[str, int] | None, rounds: int | None, seed: int | None
) -> dict[str, object]:
    if wins is None:
        return {"game": game, "bets": [bet.as_json() for bet in odds]}
    bets = [{**bet.as_json(), "won": wins[bet.on]} for bet in odds]
    return {"game": game, "simulated": {"rounds": rounds, "seed": seed}, "bets": bets}


def _comparison(
    odds: Iterable[AnyBet], wins: dict[str, int], rounds: int
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return headings and rows of exact against simulated chances.

    The deviation is in standard errors: five in a hundred bets are off by more than two.
    """
    headings = ("bet", "exact", "simulated", "standard errors off")
    lines: list[tuple[str, ...]] = []
    for bet in odds:
        chance = float(bet.probability)
        error = (chance * (1 - chance) * rounds) ** 0.5
        off = f"{(wins[bet.on] - chance * rounds) / error:+.2f}" if error else "—"
        lines.append((bet.on, tables.percent(chance, 4), tables.percent(wins[bet.on] / rounds, 4), off))
    return headings, lines


def _print_table(headings: Sequence[str], lines: Iterable[Sequence[str]]) -> None:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in headings:
        words = heading in ("bet", "wins if")
        table.add_column(heading, justify="left" if words else "right", no_wrap=not words)
    for line in lines:
        table.add_row(*line)
    Console(highlight=False).print(table)
