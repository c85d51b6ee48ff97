"""``companion calibrate``: locate the mat under the camera and store its pose."""

from __future__ import annotations

import json
import logging
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from companion.cli import JobFailed
from companion.cli.options import data_option, json_option, with_games
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
@click.option("--camera", default="auto", show_default=True, help="As for `companion run`.")
@click.option("--mat", "mat_name", help="Which mat lies there. [default: by its tags]")
@data_option
@json_option
@with_games
def command(games: Games, camera: str, mat_name: str | None, data_dir: Path, as_json: bool) -> int:
    """Find the mat's corner tags, and store where its zones are in the picture.

    Clear the mat's corners first. Nothing is stored unless all is well.
    """
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
    """Return what was stored; None if nothing was, or nothing that can be used."""
    from companion.vision.mat import MatCalibration, MatNotSeen

    path = data_dir / FILE_NAME
    if not path.exists():
        return None
    try:
        return MatCalibration.from_json(json.loads(path.read_text(encoding="utf-8")), mats)
    except (OSError, ValueError, MatNotSeen) as error:
        log.warning("%s is left aside: %s", path, error)
        return None


def collect_tags(source: Camera) -> tuple[list[tuple[TagSeen, ...]], tuple[int, int]]:
    """Return the tags of some frames that show any of a mat, and the pictures' size (width, height).

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
