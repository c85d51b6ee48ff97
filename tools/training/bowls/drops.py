"""Simulates throws of dice into a bowl with MuJoCo, as rigid cubes that slide and bounce.

So dice lean on each other and on the wall, and stand on others, as often as physics makes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from companion.rendering.bowls.shapes import Bowl, Pose

if TYPE_CHECKING:
    import mujoco

_GRID_POINTS: Final = 121
_GRAVITY: Final = 600.0  # edges per second squared, for dice of 16 mm
_STEP_S: Final = 0.0025
_WALL_SLOPE: Final = 4.0
"""Slope of an invisible wall around the rim, so that dice that would jump out fall back."""
_MAX_DURATION_S: Final = 8.0
_CHECK_INTERVAL_STEPS: Final = 60
_REST_TOLERANCE: Final = 0.004  # largest change between checks of dice at rest: edges, or components of a unit vector


def simulate_throw(rng: np.random.Generator, bowl: Bowl, count: int) -> list[Pose] | None:
    """Return the resting poses of dice thrown into a bowl, or None if they do not all come to rest in it.

    Needs MuJoCo (the extra `train`).
    """
    import mujoco

    model = mujoco.MjModel.from_xml_string(_model_xml(bowl, count, float(rng.uniform(0.12, 0.45))))
    model.hfield_data[:] = (_height_field(bowl) / _height_field(bowl).max()).ravel()
    data = mujoco.MjData(model)
    at, way = rng.uniform(-0.4, 0.4, 2) * bowl.radius, rng.normal(0, 6, 2)
    for k in range(count):
        turn = rng.normal(size=4)
        data.qpos[7 * k : 7 * k + 2] = at + rng.uniform(-0.8, 0.8, 2)
        data.qpos[7 * k + 2] = bowl.height + 1.2 + 1.6 * k
        data.qpos[7 * k + 3 : 7 * k + 7] = turn / np.linalg.norm(turn)
        data.qvel[6 * k : 6 * k + 3] = [*(way + rng.normal(0, 2, 2)), -10.0]
        data.qvel[6 * k + 3 : 6 * k + 6] = rng.normal(0, 25, 3)
    before = _poses(data, count)
    for _ in range(round(_MAX_DURATION_S / _STEP_S / _CHECK_INTERVAL_STEPS)):
        for _ in range(_CHECK_INTERVAL_STEPS):
            mujoco.mj_step(model, data)
        now = _poses(data, count)
        if np.abs(now - before).max() < _REST_TOLERANCE:
            poses = [Pose(row[:3], row[3:].reshape(3, 3)) for row in now]
            return poses if all(np.hypot(*pose.middle[:2]) < bowl.radius for pose in poses) else None
        before = now
    return None


def _poses(data: mujoco.MjData, count: int) -> NDArray[np.float64]:
    """Return the centers and rotation matrices of all dice, (count, 12)."""
    return np.hstack([data.xpos[1 : count + 1], data.xmat[1 : count + 1]])


def _height_field(bowl: Bowl) -> NDArray[np.float64]:
    side = np.linspace(-_half_width(bowl), _half_width(bowl), _GRID_POINTS)
    far = np.hypot(*np.meshgrid(side, side))
    radii, inside, _ = bowl.profile
    return np.asarray(
        np.interp(np.minimum(far, bowl.radius), radii, inside) + _WALL_SLOPE * np.maximum(far - bowl.radius, 0)
    )


def _half_width(bowl: Bowl) -> float:
    return bowl.radius + 1.5


def _model_xml(bowl: Bowl, count: int, friction: float) -> str:
    contact = f'friction="{friction} 0.005 0.0001" solref="0.006 0.6"'
    die = f'<body><freejoint/><geom type="box" size=".5 .5 .5" mass="1" {contact}/></body>'
    size = f"{_half_width(bowl)} {_half_width(bowl)} {_height_field(bowl).max()} 1"
    return f"""<mujoco>
  <option timestep="{_STEP_S}" gravity="0 0 -{_GRAVITY}" cone="elliptic" impratio="5" integrator="implicitfast"/>
  <asset><hfield name="bowl" nrow="{_GRID_POINTS}" ncol="{_GRID_POINTS}" size="{size}"/></asset>
  <worldbody><geom type="hfield" hfield="bowl" {contact}/>{die * count}</worldbody>
</mujoco>"""
