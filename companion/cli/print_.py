"""`companion print`: cards, tokens, mats, stickers, dice and chips, as printable pages or as one picture each."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast, get_args

import click

from companion.cli.options import data_option, json_option, usual_config, with_games
from companion.objects.decks import Deck, DeckStore
from companion.objects.geometry import CardSize
from companion.plugins.registry import Games

if TYPE_CHECKING:
    from companion.printing.jobs import Order, What
    from companion.printing.pieces import Piece


_WITHOUT_DECK: Final = ("mat", "dice", "chips", "slips")
_PICTURES: Final = (".png", ".jpg", ".jpeg")


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
@click.option("--size", metavar="SIZE", help="Of cards: poker (the usual one) or tarot; of slips what the game has.")
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
@click.option("--language", type=click.Choice(["en", "de", "es"]), default="en", show_default=True, help="Of slips.")
@click.option(
    "--config",
    "config_file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Whose rules stand on slips. [default: companion.toml in the data directory]",
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
    size: str | None,
    style: str | None,
    game: str | None,
    only: str,
    duplex: str,
    language: str,
    config_file: Path | None,
    data_dir: Path,
    as_json: bool,
) -> None:
    """Print a deck's cards, tokens or stickers, a table mat, a die, betting chips, or a game's paper slips."""
    from companion.printing.jobs import Order, carry_out

    if form == "pdf" and out.suffix.lower() in _PICTURES:
        raise click.BadParameter(f"{out} would be a PDF. Name it .pdf, or add --format png.", param_hint="--out")
    deck = _deck(DeckStore(data_dir, games.decks), deck_id) if deck_id or what not in _WITHOUT_DECK else None
    names = tuple(name.strip().upper() for name in only.split(",") if name.strip())
    mat = games.mat(game, deck.design if deck else None) if what == "mat" else None
    slips = _slips(games, game, config_file or usual_config(data_dir), size, language) if what == "slips" else ()
    order = Order(what, deck, form, paper, _card_size(what, size), mat, names, duplex, slips, style)  # type: ignore[arg-type]
    with _progress() as show:
        files = carry_out(order, out, show)
    _report(order, files, as_json)


def _deck(store: DeckStore, deck_id: str | None) -> Deck:
    return store.get(deck_id.upper()) if deck_id else store.latest()


def _card_size(what: str, size: str | None) -> CardSize:
    if what == "slips" or size is None:
        return "poker"
    if size not in get_args(CardSize):
        raise click.BadParameter(f"Choose {' or '.join(get_args(CardSize))}, not {size}.", param_hint="--size")
    return cast(CardSize, size)


def _slips(games: Games, game: str | None, config: Path | None, size: str | None, language: str) -> tuple[Piece, ...]:
    from companion.config.file import load_config
    from companion.plugins.slips import slips_of

    _, header = load_config(config, games, game)
    return slips_of(games.named(header.game), header.options, size, language)


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
