"""Chance bowls as Mitsuba's path tracer shows them: light that the ray caster knows nothing of.

The caster (`casting`) draws a bowl, its dice and the camera, and tells what is to be seen; here the same scene gets
other lamps, a room, and dice whose light goes everywhere. The pictures are kept in files and learnt from with its own.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from companion.rendering.faces import FaceArt
from companion.rendering.materials import PATTERNS, Material
from companion.rendering.painter import Die
from companion.rendering.solids import solid
from tools.training.bowls.casting.develop import developed
from tools.training.bowls.casting.hits import TO_EDGES, height_of, slope_of
from tools.training.bowls.casting.scenes import Bank, Chance, Scenes, chance_scenes
from tools.training.bowls.parts import FIELDS
from tools.training.bowls.stock import SIDES, Shots, shots_of, whole
from tools.training.traced.cuts import smooth
from tools.training.traced.mesh import Floats, Mesh, rounded
from tools.training.traced.scene import material_of, mesh_of, room_and_lamps, texture_of

PART: Final = 20
"""Pictures in one file."""
_FEW: Final = 4  # dice at most in every other file
_SAMPLES: Final = 16
_BOUNCES: Final = 5
_RINGS, _AROUND = 40, 120
_TABLE: Final = 12.0  # of a bowl's radii
_CLEAR: Final = 0.12  # of the throws have dice that let light through
_SOFT: Final = 0.35
"""Of the caster's rounding, a die's as `rounded` means it: there edges fade into each other beyond it."""
_BRIGHT: Final = (90.0, 99.0)  # percentile of the light that is shown nearly white


def make_traced(path: Path, bank: Bank, seed: int, number: int) -> Path:
    """Render a file of pictures of dice in bowls from close by, unless it is there."""
    if not path.exists():
        chance = Chance(torch.Generator().manual_seed(1_000_003 * seed + number))
        rng = np.random.default_rng([seed, number, 7103])
        with torch.no_grad():
            scenes = chance_scenes(bank, chance, PART, "close", SIDES["close"], few=_FEW if number % 2 else None)
            pictures = [picture_of(scenes, bank, row, rng) for row in range(PART)]
            light = torch.from_numpy(np.stack(pictures)).permute(0, 3, 1, 2)
            shots = shots_of(scenes, bank, chance, picture=developed(light, chance))
        kept = {each.name: getattr(shots, each.name).numpy() for each in fields(Shots)}
        part = path.with_suffix(".part.npz")
        np.savez_compressed(part, allow_pickle=False, **kept)
        os.replace(part, path)
    return path


def load_traced(paths: Sequence[Path], dice: int, device: torch.device) -> Shots:
    """Return the pictures of some files, with room for so many dice in each."""
    parts = []
    for path in paths:
        with np.load(path) as kept:
            told = {name: torch.from_numpy(kept[name]) for name in kept.files}
        parts.append(whole(Shots(**told), dice))
    return Shots(**{each.name: torch.cat([getattr(part, each.name) for part in parts]).to(device)
                    for each in fields(Shots)})  # fmt: skip


def picture_of(scenes: Scenes, bank: Bank, row: int, rng: np.random.Generator) -> Floats:
    """Return one of the scenes as a path tracer shows it, float32 (side, side, 3) BGR, 0 to 1."""
    import mitsuba as mi

    if mi.variant() is None:
        mi.set_variant("scalar_rgb")
        mi.set_log_level(mi.LogLevel.Error)
    radius = float(scenes.bowl[row, 0])
    distance = float(torch.linalg.vector_norm(scenes.eye[row]))
    scene = {"type": "scene", "integrator": {"type": "path", "max_depth": _BOUNCES}, "sensor": _camera(mi, scenes, row)}
    scene |= room_and_lamps(mi, rng, distance) | _table(mi, scenes, bank, row, radius) | _bowl(mi, scenes, bank, row)
    clear = float(rng.uniform(0.3, 0.9)) if rng.random() < _CLEAR else 0.0
    for k in torch.nonzero(scenes.there[row])[:, 0].tolist():
        die = _die(scenes, bank, row, k, clear)
        mesh = rounded(die, float(scenes.look["ball"][row, k]))
        turn, middle = scenes.turn[row, k].numpy().T, scenes.middle[row, k].numpy()
        points = TO_EDGES * mesh.points @ turn + middle
        scene[f"die{k}"] = mesh_of(mi, points, mesh.normals @ turn, mesh, material_of(mi, rng, die))
    light = np.array(mi.render(mi.load_dict(scene), spp=_SAMPLES, seed=int(rng.integers(1 << 30))))
    light = np.nan_to_num(light[..., 2::-1], posinf=0.0, neginf=0.0)
    level = max(1e-3, float(np.percentile(light.max(axis=2), rng.uniform(*_BRIGHT))))
    shown = np.clip(light / level * rng.uniform(0.6, 1.05), 0, 1) ** (1 / rng.uniform(1.9, 2.4))
    plain = smooth(np.asarray(np.round(255 * shown), np.uint8), rng)
    return np.asarray(plain / np.float32(255), np.float32)


def _die(scenes: Scenes, bank: Bank, row: int, k: int, clear: float) -> Die:
    """Return a scene's die as the painters know it."""
    look, number = {name: values[row, k] for name, values in scenes.look.items()}, int(scenes.look["number"][row, k])
    masks = bank["dice"]["mask"][number].numpy()
    art = tuple(
        FaceArt(masks[face], _shown(look["ink"][face]), None, float(np.degrees(float(look["turned"][face]))),
                float(look["depth"][face]))
        for face in range(6)
    )  # fmt: skip
    pattern, field = divmod(int(look["field"]), FIELDS)
    material = Material(
        _shown(look["base"]), _shown(look["second"]), PATTERNS[pattern], float(look["amount"]), float(look["grain"]),
        clear * (float(look["metal"]) == 0), float(look["metal"]), float(look["gloss"]),
        _SOFT * float(look["rounding"]), field,
    )  # fmt: skip
    return Die(solid("d6"), art, material)


def _shown(light: Tensor) -> tuple[float, float, float]:
    """Return a colour, BGR 0 to 255, of light."""
    blue, green, red = (255 * light.clamp(0, 1) ** (1 / 2.2)).tolist()
    return blue, green, red


def _camera(mi: Any, scenes: Scenes, row: int) -> dict[str, Any]:
    eye, (_, up, back) = scenes.eye[row].numpy(), scenes.axes[row].numpy()
    field = 2 * np.degrees(np.arctan(scenes.side / 2 / float(scenes.focal[row])))
    film = {"type": "hdrfilm", "width": scenes.side, "height": scenes.side, "rfilter": {"type": "gaussian"}}
    to_world = mi.ScalarTransform4f().look_at(origin=eye.tolist(), target=(eye - back).tolist(), up=up.tolist())
    return {"type": "perspective", "fov": float(field), "fov_axis": "x", "to_world": to_world, "film": film}


def _surface(mi: Any, scenes: Scenes, bank: Bank, row: int, name: str) -> dict[str, Any]:
    art = bank["surfaces"]["art"][int(scenes.art[name][row])].numpy()
    gloss, metal, rough = scenes.polish[name][row].tolist()
    light = (art[..., ::-1].astype(np.float32) / 255) ** np.float32(2.2)
    color = texture_of(mi, np.clip(light, 0.004, 0.97)) | {"wrap_mode": "mirror"}
    return {"type": "twosided", "bsdf": {
        "type": "principled", "base_color": color, "metallic": metal, "specular": 0.2 + 0.5 * gloss,
        "roughness": float(np.clip(0.08 + 0.6 * rough * (1.2 - gloss), 0.06, 1.0)), "clearcoat": 0.6 * gloss,
    }}  # fmt: skip


def _table(mi: Any, scenes: Scenes, bank: Bank, row: int, radius: float) -> dict[str, Any]:
    half = _TABLE * radius
    corners = np.array([(-half, -half, 0), (half, -half, 0), (half, half, 0), (-half, half, 0)])
    triangles = np.array([(0, 1, 2), (0, 2, 3)], np.int32)
    flat = _meshed(corners, np.tile([0.0, 0.0, 1.0], (4, 1)), triangles, float(scenes.span["table"][row]))
    return {"table": mesh_of(mi, flat.points, flat.normals, flat, _surface(mi, scenes, bank, row, "table"))}


def _bowl(mi: Any, scenes: Scenes, bank: Bank, row: int) -> dict[str, Any]:
    """Return a bowl's inside, and its rounded rim with the outside down to the foot."""
    one = scenes.bowl[row : row + 1]
    radius, height, _, _, _, lip, foot = one[0].tolist()
    far = torch.linspace(0, radius, _RINGS)[None]
    slopes = -slope_of(one, far)[0].numpy()
    inside = np.column_stack([far[0].numpy(), height_of(one, far)[0].numpy()])
    bend = np.linspace(np.pi, 0, 9)
    rim = np.column_stack([radius + lip / 2 + lip / 2 * np.cos(bend), height + lip / 2 * np.sin(bend)])
    base = (radius + lip) * foot
    outside = np.array([(radius + lip, height), (base, 0.0)])
    way = np.array([height, base - radius - lip]) / np.hypot(height, base - radius - lip)
    parts = {
        "inner": (inside, np.column_stack([slopes, np.ones(_RINGS)])),
        "rim": (rim, np.column_stack([np.cos(bend), np.sin(bend)])),
        "outer": (outside, np.tile(way, (2, 1))),
    }
    made = {}
    for name, (line, normals) in parts.items():
        art = "inner" if name == "inner" else "outer"
        around = _turned(line, normals / np.linalg.norm(normals, axis=1, keepdims=True), float(scenes.span[art][row]))
        surface = _surface(mi, scenes, bank, row, art)
        made[name] = mesh_of(mi, around.points, around.normals, around, surface)
    return made


def _turned(line: NDArray[np.floating], normals: NDArray[np.floating], span: float) -> Mesh:
    """Return what a line turned round the bowl's axis covers: points and normals (n, 2) out from the axis and up."""
    turn = np.linspace(0, 2 * np.pi, _AROUND + 1)
    ring = np.stack([np.cos(turn), np.sin(turn), np.ones_like(turn)], axis=1)
    points = (line[:, None, (0, 0, 1)] * ring).reshape(-1, 3)
    ways = (normals[:, None, (0, 0, 1)] * ring).reshape(-1, 3)
    first = (np.arange(len(line) - 1)[:, None] * len(turn) + np.arange(_AROUND)).reshape(-1, 1)
    low = first + np.array([(0, 1, len(turn))])
    high = first + np.array([(1, len(turn) + 1, len(turn))])
    return _meshed(points, ways, np.concatenate([low, high]).astype(np.int32), span)


def _meshed(points: NDArray[np.floating], normals: NDArray[np.floating], triangles: NDArray[np.int32],
            span: float) -> Mesh:  # fmt: skip
    """Return a mesh whose art, so wide, lies on it as seen from above."""
    places = points[:, :2] / span + 0.5
    return Mesh(points.astype(np.float32), normals.astype(np.float32), triangles, places.astype(np.float32))
