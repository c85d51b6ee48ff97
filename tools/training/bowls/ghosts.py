"""What the network that finds dice takes for dice in its own training's pictures and is none."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from companion.games.chinchirorin.camera.canvas import blob, drawn
from companion.games.chinchirorin.camera.rim import Rim
from companion.games.chinchirorin.camera.sight import VIEWS, found_frame, spots_in
from tools.training.bowls.looks import Shot

Ghosts = tuple[tuple[float, float, float], ...]
"""Places and sizes, px."""
_FROM_DICE: Final = 0.45  # of a die's size: nearer it is found rightly


def ghosts_of(shots: Sequence[Shot], network: Path) -> list[Ghosts]:
    """Return what an exported network finds in each picture away from all dice."""
    net = cv2.dnn.readNetFromONNX(str(network))
    return [_ghosts(shot, net) for shot in shots]


def _ghosts(shot: Shot, net: cv2.dnn.Net) -> Ghosts:
    (x, y), (shorter, longer), turn = cv2.fitEllipse(shot.rim)
    frame = found_frame(Rim((x, y), longer, shorter, turn, float(np.degrees(shot.tilt)), shot.away_deg), VIEWS[0])
    net.setInput(blob(drawn(shot.picture, frame), frame), "canvas")
    side = shot.picture.shape[0]
    return tuple(
        (spot.x, spot.y, spot.size)
        for spot in spots_in(np.asarray(net.forward()[0], np.float32), frame)
        if 0 < spot.x < side and 0 < spot.y < side
        and all(hypot(spot.x - a - w / 2, spot.y - b - h / 2) > _FROM_DICE * max(w, h)
                for a, b, w, h in (die.box for die in shot.dice))
    )  # fmt: skip
