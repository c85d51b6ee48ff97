"""``companion enroll``: enroll a die, face by face."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

import click

from companion.cli import JobFailed
from companion.cli.options import axis_option, data_option, json_option
from companion.objects.dice import DIE_KINDS

if TYPE_CHECKING:
    from companion.vision.dice.axis import Axis
    from companion.vision.dice.enrolled import EnrolledDice
    from companion.vision.dice.enrollment import Enrollment
    from companion.vision.frame import Image
    from hardware.cameras import Camera

_LATEST_S: Final = 0.6
"""How long to read frames before using the latest, to skip buffered ones taken before the prompt."""
_TRIES: Final = 5


class Enrolling(Protocol):
    """An enrollment of a die or a deck, with one picture for each face or card."""

    @property
    def wanted(self) -> tuple[str, ...]: ...
    @property
    def shown(self) -> tuple[str, ...]: ...
    def take(self, image: Image, label: str, /) -> str: ...


@click.command(name="enroll")
@click.argument("name", required=False)
@click.argument("files", nargs=-1, metavar="[FILE...]", type=click.Path(path_type=Path))
@click.option("--kind", type=click.Choice(DIE_KINDS), default="d20", show_default=True)
@click.option("--camera", default="auto", show_default=True, help="As for `companion run`; not used with files.")
@axis_option
@click.option("--list", "listed", is_flag=True, help="List the enrolled dice.")
@click.option("--forget", is_flag=True, help="Delete the enrolled die of this name.")
@click.option("--replace", is_flag=True, help="Replace an enrolled die of this name without asking.")
@data_option
@json_option
def command(
    name: str | None, files: tuple[Path, ...], kind: str, camera: str, axis: Axis | None, listed: bool, forget: bool,
    replace: bool, data_dir: Path, as_json: bool,
) -> int:  # fmt: skip
    """Enroll a die as NAME: the command asks for its faces one after the other, before the camera.

    With files, each must be named for what it shows, as 17.jpg (or 3n.png for a 3 by night); a second picture of a
    face is 17-2.jpg. A picture that will not do is named with its reason.
    """
    from companion.vision.dice.enrolled import EnrolledDice

    store = EnrolledDice(data_dir)
    if listed:
        _list(store, as_json)
        return 0
    if name is None:
        raise click.UsageError("Which die? Give it a name: companion enroll 'house die'.")
    if forget:
        store.forget(name)
        say(f"{name} is forgotten.", {"name": name, "forgotten": True}, as_json)
        return 0
    enrollment = _enrollment(name, kind, axis)
    if not replace:
        ask_before_replacing(enrollment.name, store.names())
    refused = from_files(enrollment, files, "face") if files else from_camera(enrollment, camera, _ask)
    while why := _unfinished(enrollment, store, refused):
        if files:
            raise JobFailed(why)
        click.echo(why, err=True)
        click.confirm("Show these faces again? The others are kept.", default=True, abort=True, err=True)
        from_camera(enrollment, camera, _ask)
    done = {"name": name, "kind": kind, "faces": len(enrollment.shown), "refused": refused}
    say(f"{name} is known now, all {len(enrollment.shown)} faces of it.", done, as_json)
    return 0


def _unfinished(enrollment: Enrollment, store: EnrolledDice, refused: Sequence[str]) -> str:
    """Store the die and return ""; or return why not, with the faces to show again."""
    from companion.vision.dice.enrollment import NotRecognized

    if enrollment.wanted:
        faces = ", ".join(enrollment.wanted)
        return " ".join((f"{enrollment.name} is not stored: no good picture of {faces}.", *refused))
    try:
        enrollment.finish(store)
    except NotRecognized as error:
        return error.message
    return ""


def _ask(shown: int, label: str) -> str:
    return f"[{shown + 1}] Lay the die with {label} up and press Enter"


def _enrollment(name: str, kind: str, axis: Axis | None) -> Enrollment:
    from companion.vision.dice.enrollment import Enrollment

    return Enrollment(name, next(known for known in DIE_KINDS if known == kind), axis=axis)


def _list(store: EnrolledDice, as_json: bool) -> None:
    names = store.names()
    if as_json:
        click.echo(json.dumps([{"name": name, "kind": kind} for name, kind in names.items()]))
    else:
        click.echo("\n".join(f"{name} ({kind})" for name, kind in names.items()) or "No die is enrolled yet.")


def ask_before_replacing(name: str, known: Iterable[str]) -> None:
    """If the name is already enrolled, ask for confirmation to replace it.

    Raises:
        UsageError: confirmation is needed, but there is no terminal.
        Abort: the answer is no.
    """
    other = next((one for one in known if one.lower() == name.lower()), None)
    if other is None:
        return
    if not sys.stdin.isatty():
        raise click.UsageError(f"{other} is already enrolled. Choose another name, or replace it with --replace.")
    click.confirm(f"{other} is already enrolled. Replace it?", abort=True, err=True)


def say(text: str, document: dict[str, object], as_json: bool) -> None:
    click.echo(json.dumps(document) if as_json else text)


def from_files(enrollment: Enrolling, files: Sequence[Path], piece: str) -> list[str]:
    """Enroll from pictures named after the ``piece`` (face, card) they show; return the refused ones with reasons."""
    from companion.cli.pictures import UnreadableFile, Video, files_of, open_file

    refused = []
    for path in (path for given in files for path in files_of(given)):
        try:
            opened = open_file(path)
        except UnreadableFile as error:
            raise UnreadableFile(f"{path}: {error}") from error
        if isinstance(opened, Video):
            raise click.BadParameter(f"{path} is a video. Give a picture of each {piece}.", param_hint="FILE")
        why = enrollment.take(opened, path.stem.split("-")[0])
        if why:
            refused.append(f"{path.name}: {why}.")
    return refused


def from_camera(enrollment: Enrolling, name: str, ask: Callable[[int, str], str]) -> list[str]:
    """Enroll from a camera: prompt for each piece, with up to `_TRIES` attempts.

    Args:
        ask: returns the prompt, from the number of pieces already shown and the name of the next one.

    Returns:
        An empty list: refusals, as `from_files` returns them, are printed at once.
    """
    from hardware.cameras import open_camera

    with open_camera(name) as camera:
        for label in enrollment.wanted:
            for _ in range(_TRIES):
                click.prompt(ask(len(enrollment.shown), label), default="", show_default=False, err=True)
                why = enrollment.take(latest(camera), label)
                if not why:
                    break
                click.echo(f"Not this picture: {why}.", err=True)
    return []


def latest(camera: Camera) -> Image:
    """Return a current picture.

    Raises:
        JobFailed: the camera gives none.
    """
    from hardware.cameras import CameraEnded

    frame = None
    ends = time.monotonic() + _LATEST_S
    try:
        while frame is None or time.monotonic() < ends:
            newer = camera.read(2.0)
            if newer is None:
                break
            frame = newer
    except CameraEnded:
        pass
    if frame is None:
        raise JobFailed(f"{camera.name} gives no picture. Check its cable with a viewer.")
    return frame.image
