"""How dice come to rest when they are thrown into a bowl: simulated by MuJoCo as rigid cubes that slide and bounce.

Nothing is laid by hand here: dice lean on each other and on the wall, and stand on others, as often as they do when
they fall.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from companion.rendering.bowls.shapes import Bowl, Pose

if TYPE_CHECKING:
    import mujoco

_GRID: Final = 121
_GRAVITY: Final = 600.0  # edges a second squared, of dice of 16 mm
_STEP_S: Final = 0.0025
_WALL: Final = 4.0
"""Height by way of a wall round the rim: dice that would jump out fall back."""
_LONGEST_S: Final = 8.0
_LOOK: Final = 60  # steps
_MOVED: Final = 0.004  # edges, or of a unit vector, in so many steps: less is at rest


def dropped(rng: np.random.Generator, bowl: Bowl, count: int) -> list[Pose] | None:
    """Return where some dice lie that were thrown into a bowl; None where they do not come to rest in it.

    Needs MuJoCo, of the extra `train`.
    """
    import mujoco

    model = mujoco.MjModel.from_xml_string(_world(bowl, count, float(rng.uniform(0.12, 0.45))))
    model.hfield_data[:] = (_heights(bowl) / _heights(bowl).max()).ravel()
    data = mujoco.MjData(model)
    at, way = rng.uniform(-0.4, 0.4, 2) * bowl.radius, rng.normal(0, 6, 2)
    for k in range(count):
        turn = rng.normal(size=4)
        data.qpos[7 * k : 7 * k + 2] = at + rng.uniform(-0.8, 0.8, 2)
        data.qpos[7 * k + 2] = bowl.height + 1.2 + 1.6 * k
        data.qpos[7 * k + 3 : 7 * k + 7] = turn / np.linalg.norm(turn)
        data.qvel[6 * k : 6 * k + 3] = [*(way + rng.normal(0, 2, 2)), -10.0]
        data.qvel[6 * k + 3 : 6 * k + 6] = rng.normal(0, 25, 3)
    before = _all(data, count)
    for _ in range(round(_LONGEST_S / _STEP_S / _LOOK)):
        for _ in range(_LOOK):
            mujoco.mj_step(model, data)
        now = _all(data, count)
        if np.abs(now - before).max() < _MOVED:
            poses = [Pose(row[:3], row[3:].reshape(3, 3)) for row in now]
            return poses if all(np.hypot(*pose.middle[:2]) < bowl.radius for pose in poses) else None
        before = now
    return None


def _all(data: mujoco.MjData, count: int) -> NDArray[np.float64]:
    """Return middles and turns of all dice, (count, 12)."""
    return np.hstack([data.xpos[1 : count + 1], data.xmat[1 : count + 1]])


def _heights(bowl: Bowl) -> NDArray[np.float64]:
    side = np.linspace(-_reach(bowl), _reach(bowl), _GRID)
    far = np.hypot(*np.meshgrid(side, side))
    radii, inside, _ = bowl.profile
    return np.asarray(np.interp(np.minimum(far, bowl.radius), radii, inside) + _WALL * np.maximum(far - bowl.radius, 0))


def _reach(bowl: Bowl) -> float:
    return bowl.radius + 1.5


def _world(bowl: Bowl, count: int, friction: float) -> str:
    contact = f'friction="{friction} 0.005 0.0001" solref="0.006 0.6"'
    die = f'<body><freejoint/><geom type="box" size=".5 .5 .5" mass="1" {contact}/></body>'
    reach = _reach(bowl)
    return f"""<mujoco>
  <option timestep="{_STEP_S}" gravity="0 0 -{_GRAVITY}" cone="elliptic" impratio="5" integrator="implicitfast"/>
  <asset><hfield name="bowl" nrow="{_GRID}" ncol="{_GRID}" size="{reach} {reach} {_heights(bowl).max()} 1"/></asset>
  <worldbody><geom type="hfield" hfield="bowl" {contact}/>{die * count}</worldbody>
</mujoco>"""
