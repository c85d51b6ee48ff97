"""`companion deck`: make decks and list them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import click

from companion.cli.deck_check import check
from companion.cli.options import data_option, json_option
from companion.objects.cards import DeckKind
from companion.objects.decks import Deck, DeckStore


@click.group()
def command() -> None:
    """Make decks, list them, check that none of their cards is missing."""


command.add_command(check)


@command.command()
@click.option("--kind", type=click.Choice(get_args(DeckKind)), default="roche", show_default=True)
@click.option("--name", default="", help="What people call it. [default: Deck and its id]")
@data_option
@json_option
def new(kind: DeckKind, name: str, data_dir: Path, as_json: bool) -> None:
    """Make a deck: an id, and a secret key that signs its cards."""
    deck = DeckStore(data_dir).new(kind, name)
    if as_json:
        click.echo(json.dumps(_record(deck)))
        return
    click.echo(deck.id)
    click.echo(
        f"{deck.name} is ready: {len(deck.cards)} cards to print. "
        f"Print them with `companion print deck --deck {deck.id} --out {deck.id}.pdf`.",
        err=True,
    )


@command.command("list")
@data_option
@json_option
def list_(data_dir: Path, as_json: bool) -> None:
    """List the decks, the oldest first."""
    decks = DeckStore(data_dir).all()
    if as_json:
        click.echo(json.dumps({"decks": [_record(deck) for deck in decks]}))
    elif not decks:
        click.echo("There is no deck yet. Make one with `companion deck new`.")
    for deck in () if as_json else decks:
        click.echo(f"{deck.id}  {deck.kind:8}  {len(deck.cards)} cards  made {deck.created[:10]}  {deck.name}")


def _record(deck: Deck) -> dict[str, object]:
    """What programs are told about a deck; never its key."""
    return {
        "id": deck.id,
        "kind": deck.kind,
        "name": deck.name,
        "cards": len(deck.cards),
        "created": deck.created,
    }
