"""`companion print`: cards, tokens, mats, stickers, dice and chips, as printable pages or as one picture each."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, get_args

import click

from companion.cli.options import data_option, json_option, with_games
from companion.objects.decks import Deck, DeckStore
from companion.objects.geometry import CardSize
from companion.plugins.registry import Games

if TYPE_CHECKING:
    from companion.printing.jobs import Order, What


_WITHOUT_DECK: Final = ("mat", "dice", "chips", "slips")


@click.command()
@click.argument("what", type=click.Choice(["deck", "tokens", "mat", "stickers", "dice", "chips", "slips"]))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="PDF file, or folder for PNG files.")
@click.option("--deck", "deck_id", help="Deck id; a mat then shows its prices. [default: the deck made last]")
@click.option("--format", "form", type=click.Choice(["pdf", "png"]), default="pdf", show_default=True)
@click.option(
    "--paper",
    type=click.Choice(["a4", "letter", "full"]),
    default="a4",
    show_default=True,
    help="full: the whole mat on one large sheet.",
)
@click.option("--size", type=click.Choice(get_args(CardSize)), default="poker", show_default=True)
@click.option("--style", help="How the deck is drawn if it can be in several ways: four-color, large.")
@click.option("--game", help="Which game's mat or slips. [default: a mat of a game with the deck]")
@click.option(
    "--only", default="", metavar="6D3,7N1", help="Just these pieces, to replace lost ones; chips also by seat: C7,C8."
)
@click.option(
    "--duplex",
    type=click.Choice(["long", "short", "none"]),
    default="long",
    show_default=True,
    help="The edge your printer turns the sheet on; none prints faces only.",
)
@data_option
@json_option
@with_games
def command(
    games: Games,
    what: What,
    out: Path,
    deck_id: str | None,
    form: str,
    paper: str,
    size: CardSize,
    style: str | None,
    game: str | None,
    only: str,
    duplex: str,
    data_dir: Path,
    as_json: bool,
) -> None:
    """Print a deck's cards, tokens or stickers, a table mat, a die, betting chips, or a game's paper slips."""
    from companion.printing.jobs import Order, carry_out

    deck = _deck(DeckStore(data_dir, games.decks), deck_id) if deck_id or what not in _WITHOUT_DECK else None
    names = tuple(name.strip().upper() for name in only.split(",") if name.strip())
    mat = games.mat(game, deck.design if deck else None) if what == "mat" else None
    plugin = games.named(game) if what == "slips" and game is not None else None
    slips = plugin.slips() if plugin is not None and plugin.slips is not None else ()
    order = Order(what, deck, form, paper, size, mat, names, duplex, slips, style)  # type: ignore[arg-type]
    with _progress() as show:
        files = carry_out(order, out, show)
    _report(order, files, as_json)


def _deck(store: DeckStore, deck_id: str | None) -> Deck:
    return store.get(deck_id.upper()) if deck_id else store.latest()


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """Show a bar on stderr while somebody is watching."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Drawing", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _report(order: Order, files: tuple[Path, ...], as_json: bool) -> None:
    if as_json:
        deck = order.deck.id if order.deck else None
        click.echo(json.dumps({"deck": deck, "files": [str(path) for path in files]}))
    elif len(files) == 1:
        click.echo(f"{files[0]} is written. Print it at 100 % (no scaling).")
    else:
        click.echo(f"{len(files)} files are written to {files[0].parent}.")
