"""``companion deck enroll``: a house's own ordinary deck, enrolled card by card."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from companion.cli import JobFailed
from companion.cli.options import data_option, json_option
from companion.objects.cards import standard_words

if TYPE_CHECKING:
    from companion.vision.own_deck.enrollment import DeckEnrollment
    from companion.vision.own_deck.store import OwnDecks
    from hardware.cameras import Camera

_TRIES: Final = 5


@click.command()
@click.argument("name", required=False)
@click.argument("files", nargs=-1, metavar="[FILE...]", type=click.Path(path_type=Path))
@click.option("--camera", default="auto", show_default=True, help="As for `companion run`; not used with files.")
@click.option("--list", "listed", is_flag=True, help="Show the decks that are known.")
@click.option("--forget", is_flag=True, help="Forget the deck of this name.")
@data_option
@json_option
def enroll(
    name: str | None, files: tuple[Path, ...], camera: str, listed: bool, forget: bool, data_dir: Path, as_json: bool
) -> int:
    """Teach the table the ordinary deck NAME: each of its 52 cards is asked for once, before the camera.

    With files, each must be named for what it shows, as AS.jpg or TD.png; a folder of them will do. A picture that
    will not do is named with its reason. Two decks of one design cannot be told apart: enroll one of them.
    """
    from companion.vision.own_deck.enrollment import DeckEnrollment
    from companion.vision.own_deck.store import OwnDecks

    store = OwnDecks(data_dir)
    if listed:
        _list(store, as_json)
        return 0
    if name is None:
        raise click.UsageError("Which deck? Give it a name: companion deck enroll 'house deck'.")
    if forget:
        gone = store.forget(name)
        _say(f"{gone.name} ({gone.id}) is forgotten.", {"id": gone.id, "name": gone.name, "forgotten": True}, as_json)
        return 0
    enrollment = DeckEnrollment(name)
    refused = _from_files(enrollment, files) if files else _from_camera(enrollment, camera)
    if enrollment.wanted:
        missing = ", ".join(enrollment.wanted)
        raise JobFailed(f"{enrollment.name} is not stored: no good picture of {missing}. {' '.join(refused)}")
    deck = enrollment.finish(store)
    if isinstance(deck, str):
        raise JobFailed(f"{enrollment.name} is not stored: {deck}.")
    done = {"id": deck.id, "name": deck.name, "cards": len(enrollment.shown), "refused": refused}
    _say(f'{deck.name} is known now as deck {deck.id}. Play with it: deck_id = "{deck.id}" in [table].', done, as_json)
    return 0


def _list(store: OwnDecks, as_json: bool) -> None:
    decks = store.all()
    if as_json:
        click.echo(json.dumps([{"id": deck.id, "name": deck.name, "created": deck.created} for deck in decks]))
    else:
        click.echo("\n".join(f"{deck.id}  {deck.name}" for deck in decks) or "No deck is enrolled yet.")


def _say(text: str, document: dict[str, object], as_json: bool) -> None:
    click.echo(json.dumps(document) if as_json else text)


def _from_files(enrollment: DeckEnrollment, files: Sequence[Path]) -> list[str]:
    """Learn from pictures named for what they show; return what was refused, and why."""
    from companion.cli.pictures import Video, files_of, open_file

    refused = []
    for path in (path for given in files for path in files_of(given)):
        opened = open_file(path)
        if isinstance(opened, Video):
            raise click.BadParameter(f"{path} is a video. Give a picture of each card.", param_hint="FILE")
        why = enrollment.take(opened, path.stem.split("-")[0].upper())
        if why:
            refused.append(f"{path.name}: {why}.")
    return refused


def _from_camera(enrollment: DeckEnrollment, name: str) -> list[str]:
    """Ask for each card in turn."""
    from hardware.cameras import open_camera

    with open_camera(name) as camera:
        for card in enrollment.wanted:
            for refusal in _shown(enrollment, camera, card):
                click.echo(f"Not this picture: {refusal}.", err=True)
    return []


def _shown(enrollment: DeckEnrollment, camera: Camera, card: str) -> Iterator[str]:
    """Ask for a card until a picture of it is good; yield why one was not."""
    from companion.cli.enroll import latest

    asked = f"[{len(enrollment.shown) + 1}/52] Lay down {standard_words(card)}, alone, and press Enter"
    for _ in range(_TRIES):
        click.prompt(asked, default="", show_default=False, err=True)
        why = enrollment.take(latest(camera), card)
        if not why:
            return
        yield why
