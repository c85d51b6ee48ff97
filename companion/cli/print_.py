"""`companion print`: cards, tokens, mats and stickers, as PDF to print or PNG faces."""

from __future__ import annotations

from pathlib import Path

import click

from companion.cli.options import data_option
from companion.decks import DeckStore


@click.command()
@click.argument("what", type=click.Choice(["deck", "tokens", "mat", "stickers"]))
@click.option("--out", type=click.Path(path_type=Path), required=True)
@click.option("--deck", "deck_id")
@click.option("--format", "form", type=click.Choice(["pdf", "png"]), default="pdf")
@click.option("--size", type=click.Choice(["poker", "tarot"]), default="poker")
@click.option("--only", default="")
@data_option
def command(what, out, deck_id, form, size, only, data_dir) -> None:  # type: ignore
    from companion.printing.files import prepare_folder
    from companion.printing.pieces import back_piece, card_pieces, token_pieces
    from companion.printing.raster import write_pngs
    store = DeckStore(data_dir)
    deck = store.get(deck_id) if deck_id else store.latest()
    chosen = [c for c in only.split(",") if c]
    if what == "deck":
        pieces = [*card_pieces(deck, size, chosen), back_piece(size)]
    else:
        pieces = [p for pair in token_pieces(deck, chosen) for p in pair]
    prepare_folder(out)
    click.echo(f"{len(write_pngs(pieces, out))} files")
