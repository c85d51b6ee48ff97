"""``companion calibrate``: locate the mat in the picture and store its pose; or find the camera's axis with a die."""

from __future__ import annotations

import json
import logging
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from companion.cli import JobFailed
from companion.cli.options import data_option, json_option, view_option, with_games
from companion.objects.dice import DIE_KINDS, DieKind
from companion.objects.keeping import keep_file
from companion.objects.mat import Mats
from companion.plugins.registry import Games

if TYPE_CHECKING:
    from companion.vision.mat import MatCalibration
    from companion.vision.sightings import TagSeen
    from hardware.cameras import Camera

FILE_NAME: Final = "calibration.json"
log = logging.getLogger("companion.run")
_FRAMES: Final = 10
_TIMEOUT_S: Final = 8.0


@click.command(name="calibrate")
@click.argument("files", nargs=-1, metavar="[FILE...]", type=click.Path(path_type=Path))
@click.option("--camera", default="auto", show_default=True, help="As for `companion run`; not used with files.")
@click.option("--mat", "mat_name", help="The mat on the table. [default: recognized by its tags]")
@click.option(
    "--die",
    type=click.Choice(DIE_KINDS),
    help="Measure the camera's viewing direction with a die of this kind, instead of finding a mat.",
)
@view_option
@data_option
@json_option
@with_games
def command(
    games: Games,
    files: tuple[Path, ...],
    camera: str,
    mat_name: str | None,
    die: DieKind | None,
    view: float | None,
    data_dir: Path,
    as_json: bool,
) -> int:
    """Find the mat's corner tags, and store the positions of its zones in the picture.

    Clear the mat's corners first. Nothing is stored unless every check passes.

    With --die a few faces of a die are asked for before the camera, or taken from files that are named for what they
    show, as 17.jpg (or 3n.png for a 3 by night; a second picture of a face is 17-2.jpg). Then the line for the
    configuration is printed that says how the camera looks at the tray.
    """
    if die is not None and mat_name is not None:
        raise click.UsageError("Give either --mat or --die, not both.")
    if die is not None:
        return _by_die(die, files, camera, view, as_json)
    if files:
        raise click.UsageError("Picture files are for --die only. Leave them out, or add --die.")
    if view is not None:
        raise click.UsageError("--view counts with --die only: a mat tells the angle of view itself.")
    return _by_mat(games, camera, mat_name, data_dir, as_json)


def _by_die(kind: DieKind, files: tuple[Path, ...], camera: str, view: float | None, as_json: bool) -> int:
    from companion.cli.enroll import from_camera, from_files
    from companion.vision.dice.axis import Lens
    from companion.vision.dice.axis_fit import AxisFit, axis_words

    fit = AxisFit(kind, lens=Lens.of_view(view))
    refused = from_files(fit, files, "face") if files else from_camera(fit, camera, _ask)
    found = fit.found()
    if found.axis is None or found.setting is None:
        raise JobFailed(" ".join([fit.problem(found), *refused]))
    setting = list(found.setting)
    lines = f"axis = {setting}\n" + (f"view = {view:g}\n" if view is not None else "")
    document = {"axis": setting, "view": view, "pictures": len(fit.shown), "refused": refused}
    text = (
        f"{axis_words(found.axis)} It is accurate to a few degrees. Add this to the configuration:\n\n"
        f"[die]\n{lines}\n"
        "Repeat this whenever the camera has moved: a wrong axis leads to wrong values."
    )
    click.echo(json.dumps(document) if as_json else "\n".join([*refused, text]))
    return 0


def _ask(shown: int, label: str) -> str:
    return f"[{shown + 1}] Lay the die flat anywhere in the tray with {label} up and press Enter"


def _by_mat(games: Games, camera: str, mat_name: str | None, data_dir: Path, as_json: bool) -> int:
    from companion.vision.mat import MatNotSeen, calibrate_mat, mat_in, troubles
    from hardware.cameras import open_camera

    if mat_name is not None and mat_name not in games.mats:
        known = ", ".join(map(repr, sorted(games.mats)))
        raise click.BadParameter(f"{mat_name!r} is not one of {known}.", param_hint="--mat")
    with open_camera(camera) as source:
        frames, size = collect_tags(source)
    try:
        mat = games.mats[mat_name] if mat_name is not None else mat_in(frames, games.mats)
        found = calibrate_mat(frames, mat, size)
    except MatNotSeen as error:
        if as_json:
            click.echo(json.dumps({"ok": False, "troubles": [str(error)]}))
        raise JobFailed(str(error)) from error
    wrong = troubles(found)
    _say(found, wrong, as_json)
    if wrong:
        raise JobFailed(" ".join(wrong))
    keep_file(data_dir / FILE_NAME, json.dumps(found.to_json(), indent=1).encode())
    return 0


def stored_calibration(data_dir: Path, mats: Mats) -> MatCalibration | None:
    """Return the stored calibration; None if it is missing or unusable."""
    from companion.vision.mat import MatCalibration, MatNotSeen

    path = data_dir / FILE_NAME
    if not path.exists():
        return None
    try:
        return MatCalibration.from_json(json.loads(path.read_text(encoding="utf-8")), mats)
    except (OSError, ValueError, MatNotSeen) as error:
        log.warning("Ignoring %s: %s", path, error)
        return None


def collect_tags(source: Camera) -> tuple[list[tuple[TagSeen, ...]], tuple[int, int]]:
    """Return the tags in some frames, and the frames' size (width, height).

    Raises:
        JobFailed: the camera gave no picture.
    """
    from companion.vision.decoders.tags import TagFinder, merge_tags
    from companion.vision.frame import to_gray
    from hardware.cameras import CameraEnded

    finder = TagFinder()
    frames: list[tuple[TagSeen, ...]] = []
    size = (0, 0)
    ends = time.monotonic() + _TIMEOUT_S
    while len(frames) < _FRAMES and time.monotonic() < ends:
        try:
            frame = source.read(1.0)
        except CameraEnded:
            break
        if frame is not None:
            size = (frame.image.shape[1], frame.image.shape[0])
            frames.append(merge_tags(finder.find(to_gray(frame.image))))
    if not frames:
        raise JobFailed(f"{source.name} gave no picture in {_TIMEOUT_S:.0f} seconds. Check its cable with a viewer.")
    return frames, size


def _say(found: MatCalibration, wrong: tuple[str, ...], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({**found.to_json(), "ok": not wrong, "troubles": list(wrong)}))
        return
    click.echo(f"Mat: {found.mat.name}, seen in {found.size[0]} × {found.size[1]} pixels")
    click.echo(
        f"Scale: {found.px_per_mm:.2f} px/mm in the middle, {found.least_px_per_mm:.2f} at the far corner "
        f"({found.px_per_module:.1f} px for a module of a card's code)"
    )
    click.echo(f"Corners fit to {found.error_px:.2f} px, shake {found.shake_px:.2f} px")
    click.echo(f"Zones: {', '.join(found.zones())}")
    click.echo("PASS: stored." if not wrong else "FAIL: not stored.")
