"""`companion print`: cards, tokens, mats, chips, rules cards and so on, as PDF pages or as one picture per piece."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast, get_args

import click

from companion.cli.options import data_option, json_option, usual_config, with_games
from companion.kernel.messages import Message
from companion.objects.decks import Deck, DeckStore
from companion.objects.geometry import CardSize
from companion.plugins.registry import Games

if TYPE_CHECKING:
    from companion.printing.jobs import Order, What
    from companion.printing.pieces import Piece


_SHEETS: Final = ("deck", "tokens", "mat", "stickers", "dice", "chips", "coins", "slips", "rules", "seats", "test")
_OF_A_GAME: Final = ("slips", "rules")
_SEATS: Final = range(1, 13)
_USUAL_SEATS: Final = 6
_PICTURES: Final = (".png", ".jpg", ".jpeg")


@click.command()
@click.argument("what", metavar="WHAT", type=click.Choice(_SHEETS))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="PDF file, or folder for PNG files.")
@click.option("--deck", "deck_id", help="Id of the deck; a mat then shows its prices. [default: the newest deck]")
@click.option("--format", "form", type=click.Choice(["pdf", "png"]), default="pdf", show_default=True)
@click.option(
    "--paper",
    type=click.Choice(["a4", "letter", "a3", "full"]),
    default="a4",
    show_default=True,
    help="Paper size; full prints the whole mat on one large sheet, as a poster.",
)
@click.option(
    "--size",
    metavar="SIZE",
    help="Size of cards (poker, the default, or tarot), or of slips (a size that the game offers).",
)
@click.option("--style", help="Style of the deck, if it has several, such as four-color or large.")
@click.option(
    "--game",
    help="Game of the mat, rules or slips. [default: for a mat, a game with the deck; else the configured game]",
)
@click.option(
    "--only",
    default="",
    metavar="6D3,7N1",
    help="Print only these pieces, such as lost cards, or LDR for the leader button; chips by seat: C7; seats: 1,2.",
)
@click.option(
    "--duplex",
    type=click.Choice(["long", "short", "none"]),
    default="long",
    show_default=True,
    help="The edge on which your printer flips the sheet; none prints faces only.",
)
@click.option(
    "--copies", type=int, default=1, show_default=True, help="Copies of each piece, such as 2 for spare tokens."
)
@click.option(
    "--offset",
    metavar="RIGHT,DOWN",
    help="Offset of your printer's backs in mm, measured with `companion print test`: 0.5,-1.",
)
@click.option("--address", metavar="URL", help="The table's address for phones, on seat cards. [default: this machine]")
@click.option(
    "--language", type=click.Choice(["en", "de", "es"]), default="en", show_default=True, help="Language of the text."
)
@click.option(
    "--config",
    "config_file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Configuration file with the rules on slips and cards. [default: companion.toml in the data directory]",
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
    copies: int,
    offset: str | None,
    address: str | None,
    language: str,
    config_file: Path | None,
    data_dir: Path,
    as_json: bool,
) -> None:
    """Print a deck's cards, tokens or stickers, a mat, a die, chips, paper chips, slips, rules or seat cards.

    WHAT is deck, tokens, stickers, mat, dice, chips, coins (paper chips), slips, rules, seats, or test: a page to
    measure how far your printer's backs are shifted.
    """
    from companion.locale import Translator
    from companion.printing.jobs import WITHOUT_DECK, Order, carry_out

    if form == "pdf" and out.suffix.lower() in _PICTURES:
        raise click.BadParameter(f"{out} would be a PDF. Name it .pdf, or add --format png.", param_hint="--out")
    deck = _deck(DeckStore(data_dir, games.decks), deck_id) if deck_id or what not in WITHOUT_DECK else None
    names = tuple(name.strip().upper() for name in only.split(",") if name.strip())
    mat = games.mat(game, deck.design if deck else None) if what == "mat" else None
    say = partial(Translator(games.packages), language=language)
    source = config_file or usual_config(data_dir)
    order = Order(what, deck, form, paper, _card_size(what, size), mat, names, duplex, style=style, copies=copies,  # type: ignore[arg-type]
                  offset=_offset(offset), say=say)  # fmt: skip
    if what in _OF_A_GAME:
        title, pieces = _of_game(what, games, game, source, size, language)
        order = replace(order, title=title, pieces=pieces)
    elif what == "seats":
        order = replace(order, pieces=_seats(data_dir, source, games, names, address, say), only=())
    elif what == "coins":
        order = replace(order, coins=_coins(games, source))
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


def _offset(text: str | None) -> tuple[float, float]:
    try:
        right, down = map(float, (text or "0,0").split(","))
        if not (isfinite(right) and isfinite(down)):
            raise ValueError
    except ValueError:
        raise click.BadParameter(f"Write two numbers of mm, like 0.5,-1, not {text}.", param_hint="--offset") from None
    return right, down


def _coins(games: Games, config: Path | None) -> tuple[int, ...]:
    from companion.config.file import load_config

    return tuple(load_config(config, games)[0].coins.chips)


def _of_game(
    what: str, games: Games, game: str | None, config: Path | None, size: str | None, language: str
) -> tuple[str, tuple[Piece, ...]]:
    """Return the title and the pieces of a game's slips or rules cards."""
    from companion.config.file import load_config
    from companion.locale import Translator
    from companion.plugins.rules_text import rules_text
    from companion.plugins.slips import slips_of
    from companion.printing.rules_card import rules_cards

    _, header = load_config(config, games, game)
    plugin = games.named(header.game)
    if what == "rules":
        text, say = rules_text(plugin, header.options), partial(Translator((plugin.package,)), language=language)
        return say(text.title), rules_cards(text, say)
    return "", slips_of(plugin, header.options, size, language)


def _seats(
    data: Path,
    config: Path | None,
    games: Games,
    only: Sequence[str],
    address: str | None,
    say: Callable[[Message], str],
) -> tuple[Piece, ...]:
    from companion.config.file import load_config
    from companion.printing.seat_card import SeatCode, seat_cards
    from web_ui.access.store import AccessStore, spaced
    from web_ui.addresses import local_address

    if address and not re.match(r"https?://[^/\s]", address):
        raise click.BadParameter(
            f"{address} is no address. It begins with http:// or https://.", param_hint="--address"
        )
    web = load_config(config, games)[0].web
    where = address or f"{'https' if web.https else 'http'}://{local_address() or 'localhost'}:{web.port}"
    seats = [_seat(name) for name in only] or range(1, _USUAL_SEATS + 1)
    access = AccessStore(data)
    return seat_cards(
        (SeatCode(seat, f"{where.rstrip('/')}/seat/{seat}", spaced(access.seat_code(seat))) for seat in seats), say
    )


def _seat(name: str) -> int:
    if name not in map(str, _SEATS):
        raise click.BadParameter(f"There is no seat {name}. Name seats from 1 to {_SEATS[-1]}.", param_hint="--only")
    return int(name)


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar if stderr is a terminal."""
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
        click.echo(f"Wrote {files[0]}. Print it at 100 % (no scaling).")
    else:
        click.echo(f"Wrote {len(files)} files to {files[0].parent}.")
