"""`companion deck`: make decks and list them."""

from __future__ import annotations

import json
from pathlib import Path

import click

from companion.cli.deck_check import check
from companion.cli.options import data_option, json_option, with_games
from companion.objects.decks import Deck, DeckStore
from companion.plugins.registry import Games


@click.group()
def command() -> None:
    """Make decks, list them, check that none of their cards is missing."""


command.add_command(check)


@command.command()
@click.option("--kind", help="One of the installed games' kinds of decks, or standard. [default: the first of them]")
@click.option("--name", default="", help="What people call it. [default: Deck and its id]")
@data_option
@json_option
@with_games
def new(games: Games, kind: str | None, name: str, data_dir: Path, as_json: bool) -> None:
    """Make a deck: an id, and a secret key that signs its cards."""
    kinds = list(games.decks)
    if kind is not None and kind not in kinds:
        raise click.BadParameter(f"{kind!r} is not one of {', '.join(map(repr, kinds))}.", param_hint="--kind")
    deck = DeckStore(data_dir, games.decks).new(kind or kinds[0], name)
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
@with_games
def list_(games: Games, data_dir: Path, as_json: bool) -> None:
    """List the decks, the oldest first."""
    decks = DeckStore(data_dir, games.decks).all()
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
