"""The camera's axis over the dice tray: from the settings, or from the calibrated mat."""

import logging
from dataclasses import replace
from typing import Final, Literal

import numpy as np

from companion.config.tables import Config
from companion.tracking.dice.sight import WHOLE
from companion.vision.dice.axis import MAX_SEEN_DEG, Axis, Lens, axis_of_plane
from companion.vision.mat import MatCalibration

AxisSetting = tuple[float, float] | Literal["mat"] | None
"""``[die] axis`` of the configuration."""

log = logging.getLogger("companion.run")

_STRAIGHT_DEG: Final = 12.0
_ASLANT: Final = (
    "According to the calibrated mat, the camera views the tray at %.0f degrees from the vertical: dice are read "
    "accordingly. If the camera has moved, calibrate again, or mount it above the tray."
)
_TOO_ASLANT: Final = (
    "According to the calibrated mat, the camera views the tray at %.0f degrees from the vertical: too far to read "
    "dice. Mount it above the tray, or calibrate again if it has moved."
)


def die_axis(config: Config, mat: MatCalibration | None) -> Axis | None:
    """Return the camera's axis over the tray from the settings or the calibrated mat; None if neither gives it.

    Without a setting, a mat-derived tilt of at most `_STRAIGHT_DEG` counts as straight down.
    """
    die = config.die
    if isinstance(die.axis, tuple):
        return Axis(*die.axis, Lens.of_view(die.view))
    if mat is None or (die.axis is None and die.camera is not None):
        if die.axis == "mat":
            log.warning('[die] axis is "mat", but no mat is calibrated: the camera must be straight above the tray.')
        return None
    found = axis_of_plane(np.array(mat.to_px), mat.size[::-1])
    if die.view is not None:
        found = replace(found, lens=Lens.of_view(die.view))
    if die.axis == "mat":
        return found
    if found.tilt_deg <= _STRAIGHT_DEG:
        return Axis(0.0, lens=found.lens)
    left, top, wide, high = die.zone or WHOLE
    width, height = mat.size
    middle = ((left + wide / 2) * width, (top + high / 2) * height)
    aside = found.along(found.lens.slope(middle, mat.size[::-1])).tilt_deg
    log.warning(_ASLANT if aside <= MAX_SEEN_DEG else _TOO_ASLANT, aside)
    return found


def with_axis(config: Config, axis: AxisSetting, view: float | None) -> Config:
    """Return a configuration with another ``[die] axis`` and ``view``."""
    return config.model_copy(update={"die": config.die.model_copy(update={"axis": axis, "view": view})})
