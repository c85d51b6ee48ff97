"""``companion deck``: create and list decks, check printed ones with the camera, enroll ordinary ones."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from click.core import ParameterSource

from companion.cli import JobFailed
from companion.cli.enroll import ask_before_replacing, from_camera, from_files, say
from companion.cli.options import data_option, json_option, with_games
from companion.objects.cards import standard_words
from companion.objects.decks import Deck, DeckStore
from companion.plugins.registry import Games

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Group

    from companion.objects.designs import Designs
    from companion.tracking.cards.deck_check import DeckCheck
    from companion.vision.frame import Frame
    from companion.vision.own_deck.store import OwnDecks
    from companion.vision.sightings import FrameReading
    from hardware.cameras import Camera, CameraChoice

    Readings = Generator[FrameReading, None, None]

_BATCH_S: Final = 2.5


@click.group()
def command() -> None:
    """Make decks, list them, enroll ordinary ones, and check them for missing cards."""


@command.command()
@click.option("--kind", help="A kind of deck of an installed game, or standard. [default: the first game's]")
@click.option("--name", default="", help="Its display name. [default: Deck and its id]")
@data_option
@json_option
@with_games
def new(games: Games, kind: str | None, name: str, data_dir: Path, as_json: bool) -> None:
    """Make a deck: an id, and a secret key to sign its cards with."""
    kinds = list(games.decks)
    if kind is not None and kind not in kinds:
        raise click.BadParameter(f"{kind!r} is not one of {', '.join(map(repr, kinds))}.", param_hint="--kind")
    deck = DeckStore(data_dir, games.decks).new(kind or kinds[0], name)
    if as_json:
        click.echo(json.dumps(_record(deck)))
        return
    click.echo(deck.id)
    is_given = click.get_current_context().get_parameter_source("data_dir") is ParameterSource.COMMANDLINE
    there = f" --data {data_dir}" if is_given else ""
    click.echo(
        f"{deck.name} is ready: {len(deck.design.all_cards)} cards to print. "
        f"Print them with `companion print deck --deck {deck.id}{there} --out {deck.id}.pdf`.",
        err=True,
    )


@command.command("list")
@data_option
@json_option
@with_games
def list_(games: Games, data_dir: Path, as_json: bool) -> None:
    """List the decks, oldest first."""
    decks = DeckStore(data_dir, games.decks).all()
    if as_json:
        click.echo(json.dumps({"decks": [_record(deck) for deck in decks]}))
    elif not decks:
        click.echo("There is no deck yet. Make one with `companion deck new`.")
    for deck in () if as_json else decks:
        click.echo(f"{deck.id}  {deck.kind:8}  {len(deck.cards)} cards  made {deck.created[:10]}  {deck.name}")


def _record(deck: Deck) -> dict[str, object]:
    """Return a deck's JSON, without its key."""
    return {
        "id": deck.id,
        "kind": deck.kind,
        "name": deck.name,
        "cards": len(deck.cards),
        "created": deck.created,
    }


# ---- check of a printed deck


@command.command()
@click.option(
    "--camera", default="auto", show_default=True, help="As for `companion run`; a folder of photographs works, too."
)
@click.option(
    "--deck", "deck_ids", multiple=True, help="Id of the deck; repeat it for each deck of a shoe. [default: the latest]"
)
@data_option
@json_option
@with_games
def check(games: Games, camera: str, deck_ids: tuple[str, ...], data_dir: Path, as_json: bool) -> int:
    """Check a deck before the camera for missing, duplicate, forged and foreign cards.

    With several decks, also for cards that do not belong to this shoe.

    Lay the cards down in any order, as many at a time as you like. It ends when all have been seen, with Ctrl-C, or
    with the last picture of a file or folder. Exit code 0 if the deck is complete and clean, else 1.
    """
    from companion.tracking.cards.deck_check import DeckCheck
    from hardware.cameras import choose_camera

    store = DeckStore(data_dir, games.decks)
    ids = tuple(dict.fromkeys(deck_id.upper() for deck_id in deck_ids))
    decks = [store.get(deck_id) for deck_id in ids] or [store.latest()]
    choice = choose_camera(camera)
    sure = 1 if choice.kind in ("folder", "image") else 5
    found = [DeckCheck(deck, sure, ids if len(ids) > 1 else ()) for deck in decks]
    with ExitStack() as stack:
        readings = stack.enter_context(closing(_readings(choice, camera == "demo", decks, store.keys(), games.decks)))
        _walk(found, readings, live=not as_json, stack=stack)
    if as_json:
        reports = [one.to_json() for one in found]
        whole = {"decks": reports, "complete": all(report["complete"] for report in reports)}
        click.echo(json.dumps(reports[0] if len(found) == 1 else whole))
    wrong = [one for one in found if not (one.is_complete and one.is_clean)]
    for one in () if as_json else found:
        if one not in wrong:
            click.echo(f"Deck {one.deck.id} is complete: all {len(one.deck.cards)} cards were seen.")
    if wrong:
        raise JobFailed(" ".join(dict.fromkeys(text for one in wrong for text in one.problems())))
    return 0


def _walk(found: Sequence[DeckCheck], readings: Iterator[FrameReading], *, live: bool, stack: ExitStack) -> None:
    """Read pictures until all cards were seen, the pictures end, or Ctrl-C."""
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True)
    screen = None
    if live and console.is_terminal:
        screen = stack.enter_context(Live(_boards(found), console=console, refresh_per_second=8, transient=True))
    try:
        for reading in readings:
            for one in found:
                one.see(reading)
            if screen is not None:
                screen.update(_boards(found))
            if all(one.is_complete for one in found):
                return
    except KeyboardInterrupt:
        return


def _boards(found: Sequence[DeckCheck]) -> Group:
    from rich.console import Group

    return Group(*map(board, found))


def board(found: DeckCheck) -> Group:
    """Return the terminal display: a progress bar, the missing cards by suit, and problems."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    from companion.tracking.cards.deck_check import suits_missing

    total = len(found.deck.cards)
    lines = Table.grid(padding=(0, 2))
    for suit, cards in suits_missing(found).items():
        lines.add_row(suit, " ".join(cards) if cards else Text("all here", style="green"))
    wrong = [Text(text, style="bold red") for text in found.problems() if "Missing: " not in text]
    return Group(
        Text(f"{found.deck.name} ({found.deck.id}): {len(found.seen)} of {total} seen. Ctrl-C ends."),
        ProgressBar(total=total, completed=len(found.seen), width=60),
        lines,
        *wrong,
    )


# ---- picture sources


def _readings(
    choice: CameraChoice, demo_wanted: bool, decks: Sequence[Deck], keys: Mapping[str, bytes], designs: Designs
) -> Readings:
    """Yield readings of the source; the demo table draws every card, so it is used only where it was named.

    Raises:
        CameraError: the source cannot be opened, or no camera was found.
    """
    if choice.kind in ("folder", "image"):
        yield from _photographs(choice, keys, designs)
    elif demo_wanted:
        for deck in decks:
            yield from _demo(deck, keys, designs)
    else:
        yield from _film(choice, keys, designs)


def _photographs(choice: CameraChoice, keys: Mapping[str, bytes], designs: Designs) -> Readings:
    """Read every picture on its own, as thoroughly as possible."""
    from companion.vision.still import read_image
    from hardware.cameras.file import StillImage
    from hardware.cameras.folder import FolderCamera

    path = Path(choice.target)
    if choice.kind == "image":
        with StillImage(path) as still:
            frame = still.read(1.0)
            if frame is not None:
                yield read_image(frame.image, keys, designs)
        return
    with FolderCamera(path, fps=0) as folder:
        for frame in _frames_of(folder):
            yield read_image(frame.image, keys, designs)


def _frames_of(camera: Camera) -> Iterator[Frame]:
    """Yield a camera's frames until it ends."""
    from hardware.cameras import CameraEnded

    with suppress(CameraEnded):
        while True:
            if (frame := camera.read(1.0)) is not None:
                yield frame


def _film(choice: CameraChoice, keys: Mapping[str, bytes], designs: Designs) -> Readings:
    """Read a camera or a video."""
    from companion.vision.live.reader import Reader
    from hardware.cameras import open_choice
    from hardware.cameras.file import VideoFile

    is_file = choice.kind == "file"
    reader = Reader(keys, designs, thorough=is_file)
    with VideoFile(Path(choice.target), paced=False) if is_file else open_choice(choice) as source:
        for frame in _frames_of(source):
            yield reader.read(frame)


def _demo(deck: Deck, keys: Mapping[str, bytes], designs: Designs) -> Readings:
    """Have the demo table lay out the whole deck in batches, and read those."""
    from companion.vision.live.reader import Reader
    from hardware.demo.camera import DemoCamera
    from hardware.demo.card_table import new_card_table
    from hardware.demo.layout import ROW, ROWS

    table, batch = new_card_table(deck), ROW * ROWS
    reader = Reader(keys, designs)
    with DemoCamera(table, 10.0, paced=False) as camera:
        for start in range(0, len(deck.cards), batch):
            table.restore(())
            for card in deck.cards[start : start + batch]:
                table.put_down(card)
            ends = table.now + _BATCH_S + 0.2 * batch
            while table.now < ends:
                frame = camera.read(1.0)
                if frame is not None:
                    yield reader.read(frame)


# ---- enrollment of an ordinary deck, card by card


@command.command()
@click.argument("name", required=False)
@click.argument("files", nargs=-1, metavar="[FILE...]", type=click.Path(path_type=Path))
@click.option("--camera", default="auto", show_default=True, help="As for `companion run`; not used with files.")
@click.option("--list", "listed", is_flag=True, help="List the enrolled decks.")
@click.option("--forget", is_flag=True, help="Delete the enrolled deck of this name.")
@click.option("--replace", is_flag=True, help="Replace an enrolled deck of this name without asking.")
@data_option
@json_option
def enroll(
    name: str | None, files: tuple[Path, ...], camera: str, listed: bool, forget: bool, replace: bool, data_dir: Path,
    as_json: bool,
) -> int:  # fmt: skip
    """Enroll an ordinary deck as NAME: the command asks for each of its 52 cards once, before the camera.

    With files, each must be named for what it shows, as AS.jpg or TD.png; a folder of them will do. A picture that
    will not do is named with its reason. Two decks of one design cannot be told apart: enroll one of them.
    """
    from companion.vision.own_deck.enrollment import DeckEnrollment
    from companion.vision.own_deck.store import OwnDecks

    store = OwnDecks(data_dir)
    if listed:
        _list_own(store, as_json)
        return 0
    if name is None:
        raise click.UsageError("Which deck? Give it a name: companion deck enroll 'house deck'.")
    if forget:
        gone = store.forget(name)
        say(f"{gone.name} ({gone.id}) is forgotten.", {"id": gone.id, "name": gone.name, "forgotten": True}, as_json)
        return 0
    enrollment = DeckEnrollment(name)
    if not replace:
        ask_before_replacing(enrollment.name, (deck.name for deck in store.all()))
    refused = from_files(enrollment, files, "card") if files else from_camera(enrollment, camera, _ask)
    if enrollment.wanted:
        missing = ", ".join(enrollment.wanted)
        raise JobFailed(f"{enrollment.name} is not stored: no good picture of {missing}. {' '.join(refused)}")
    deck = enrollment.finish(store)
    if isinstance(deck, str):
        raise JobFailed(f"{enrollment.name} is not stored: {deck}.")
    done = {"id": deck.id, "name": deck.name, "cards": len(enrollment.shown), "refused": refused}
    say(f'{deck.name} is known now as deck {deck.id}. Play with it: deck_id = "{deck.id}" in [table].', done, as_json)
    return 0


def _list_own(store: OwnDecks, as_json: bool) -> None:
    decks = store.all()
    if as_json:
        click.echo(json.dumps([{"id": deck.id, "name": deck.name, "created": deck.created} for deck in decks]))
    else:
        click.echo("\n".join(f"{deck.id}  {deck.name}" for deck in decks) or "No deck is enrolled yet.")


def _ask(shown: int, card: str) -> str:
    return f"[{shown + 1}/52] Lay down {standard_words(card)}, alone, and press Enter"
