"""`companion odds`: what every bet of a game is worth, exactly, now or in the middle of a deal."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast, get_args

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from companion.cli.odds_request import Asked, SomeOdds, limit_options, parse_options, parse_seen
from companion.cli.options import json_option
from companion.games.roche import odds_table as tables
from companion.games.roche.odds import live_odds
from companion.games.roche.paytable import Layout, Paytable, RocheDeck, load_paytable, load_paytable_file
from companion.games.rugen.odds import command as odds_rugen
from companion.kernel.errors import BadScript
from companion.kernel.shared.banked import LIMITS, parse_limits
from companion.odds.bet_odds import BetOdds

if TYPE_CHECKING:
    import numpy as np

GAMES_WITH_ODDS: Final = ("roche", *odds_rugen.RUGEN_GAMES)
OTHER_GAMES: Final = (
    "rochi",
    "captains",
    "chinchirorin",
    "roulette",
    "holdem",
    "blackjack",
    "king-of-roulette",
)
ROCHE_OPTIONS: Final = ("layout", "deck", "paytable", *LIMITS)


@dataclass(frozen=True, slots=True)
class RocheAsked:
    """A Roche table: its layout, deck and prices, and the cards seen so far."""

    layout: Layout
    deck: RocheDeck
    paytable: Paytable
    seen: tuple[str, ...]

    @property
    def played(self) -> str:
        return "rounds dealt"

    def odds(self) -> tuple[BetOdds, ...]:
        return live_odds(self.layout, self.deck, self.seen, self.paytable)

    def lines(self) -> Iterable[tuple[str, ...]]:
        return (row.cells for row in tables.rows(self.odds()))

    def simulate(self, rounds: int, random: np.random.Generator, progress: Callable[[int], object]) -> dict[str, int]:
        from companion.games.roche.simulation import simulate

        return simulate(rounds, random, self.deck, self.seen, progress=progress)


@click.command("odds")
@click.argument("game")
@click.option("--seen", default="", metavar="6D3,5N1,…", help="Cards dealt or faces thrown (3d,1n,…) so far.")
@click.option("--layout", type=click.Choice(get_args(Layout)), help="The bets on offer in Roche.  [default: basic]")
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="KEY=VALUE",
    help="An option of the game: deck=red, chain_day_night=own, taken=1,3, … Can be repeated.",
)
@click.option("--simulate", type=click.IntRange(1, 10**12), metavar="ROUNDS", help="Play that many rounds, too.")
@click.option("--seed", type=click.IntRange(0), help="Repeat a simulation.  [default: a new one]")
@click.option("--markdown", is_flag=True, help="Print a Markdown table.")
@json_option
def command(
    game: str,
    seen: str,
    layout: str | None,
    options: tuple[str, ...],
    simulate: int | None,
    seed: int | None,
    markdown: bool,
    as_json: bool,
) -> None:
    """Print the chance, the fair and the paid price and the house edge of every bet of GAME."""
    _known_game(game)
    if markdown and (as_json or simulate):
        raise click.UsageError("--markdown prints exact odds only. Leave out --json and --simulate.")
    asked = _asked(game, seen, layout, options)
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


def _known_game(game: str) -> None:
    if game in OTHER_GAMES:
        raise BadScript(f"Odds for {game} do not exist yet. There are odds for {', '.join(GAMES_WITH_ODDS)}.")
    if game not in GAMES_WITH_ODDS:
        raise BadScript(f"There is no game {game!r}. There are odds for {', '.join(GAMES_WITH_ODDS)}.")


def _asked(game: str, seen: str, layout: str | None, options: Iterable[str]) -> Asked:
    if game == "roche":
        return _roche_asked(seen, layout, options)
    if layout is not None:
        raise BadScript(f"--layout is for roche; {game} has one layout only. Leave it out.")
    return odds_rugen.ask(game, seen, options)


def _roche_asked(seen: str, layout: str | None, options: Iterable[str]) -> RocheAsked:
    chosen = parse_options("roche", options, ROCHE_OPTIONS, "deck=red")
    if layout is not None:
        if chosen.get("layout", layout) != layout:
            raise BadScript(
                f"--layout {layout} and --option layout={chosen['layout']} disagree. Leave one of them out."
            )
        chosen["layout"] = layout
    parse_limits(limit_options(chosen))  # no limit changes the odds, but a slip in one is told
    deck = cast(RocheDeck, _choice("deck", chosen.get("deck", "full"), get_args(RocheDeck)))
    return RocheAsked(
        cast(Layout, _choice("layout", chosen.get("layout", "basic"), get_args(Layout))),
        deck,
        _paytable(deck, chosen.get("paytable")),
        parse_seen(seen),
    )


def _choice(key: str, value: str, allowed: Sequence[str]) -> str:
    if value not in allowed:
        raise BadScript(f"{key} is {value!r}. Use {' or '.join(allowed)}.")
    return value


def _paytable(deck: RocheDeck, source: str | None) -> Paytable:
    """Return the printed prices, or those of a TOML file, or changes written as JSON as in a script's header."""
    if source is None:
        return load_paytable(deck)
    if source.lstrip().startswith("{"):
        try:
            return load_paytable(deck).with_changes(json.loads(source))
        except ValueError as error:
            raise BadScript(f"--option paytable is not valid JSON ({error}). Correct it.") from error
    paytable = load_paytable_file(Path(source))
    if paytable.deck != deck:
        raise BadScript(
            f"{source} has prices for the {paytable.deck} deck, not the {deck} one. "
            f"Add --option deck={paytable.deck}, or choose another file."
        )
    return paytable


def _simulate(asked: Asked, rounds: int, seed: int) -> dict[str, int]:
    """Play the rounds behind a progress bar on a terminal; return the wins of every bet."""
    import numpy as np  # only here: the exact odds start faster without it

    columns = (TextColumn("Playing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("play", total=rounds)
        generator = np.random.Generator(np.random.SFC64(seed))
        return asked.simulate(rounds, generator, lambda done: bar.advance(task, done))


def _document(
    game: str, odds: Iterable[SomeOdds], wins: dict[str, int] | None, rounds: int | None, seed: int | None
) -> dict[str, Any]:
    if wins is None:
        return {"game": game, "bets": [bet.as_json() for bet in odds]}
    bets = [{**bet.as_json(), "won": wins[bet.on]} for bet in odds]
    return {"game": game, "simulated": {"rounds": rounds, "seed": seed}, "bets": bets}


def _comparison(
    odds: Iterable[SomeOdds], wins: dict[str, int], rounds: int
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return headings and rows of exact against simulated chances.

    The deviation counts standard errors: of a hundred bets, five are off by more than two.
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
