"""Random bowls with three dropped dice, path traced and stored with their labels."""

import json
from pathlib import Path
from typing import Any

import cv2
import held_bowls
import numpy as np
import plain_dice

from path_traced.scene import (
    GROUNDS,
    bitmap,
    body_art,
    chance_colours,
    ground_art,
    kept_mesh,
    lamps,
    photographed,
    projected,
    smooth_noise,
)
from path_traced.shapes import atlas, pips, rings_of, shape_of, written
from tools.training.samples.fonts import find_fonts

CROCKERY = ("china", "wood", "metal", "lacquer", "print")
SEEN = 0.6  # minimum visible share of a die's outline
UPPER, CLEAR = held_bowls.ON_EDGE, held_bowls.FLAT_ENOUGH
_AROUND = 180


def render_all(folder: Path, seed: int, count: int, fonts: Path, drops: Path) -> None:
    """Render the missing pictures of a run: picture N shows throw N of a file by `drop_dice.py`."""
    import mitsuba as mi

    mi.set_variant("scalar_rgb")
    mi.set_log_level(mi.LogLevel.Error)
    folder.mkdir(parents=True, exist_ok=True)
    families = find_fonts([fonts]).held
    for number in range(seed, seed + count):
        path = folder / f"{number:05}"
        if not path.with_suffix(".json").exists():
            picture, truth = _one(
                mi, np.random.default_rng([number, 41141]), held_bowls.dropped(number, drops), families
            )
            cv2.imwrite(str(path.with_suffix(".png")), picture)
            path.with_suffix(".json").write_text(json.dumps(truth))


def _one(
    mi: Any, rng: np.random.Generator, laid: held_bowls.Laid, families: Any
) -> tuple[np.ndarray, dict[str, Any]]:  # fmt: skip
    bowl, poses = laid
    edge_px = float(np.exp(rng.uniform(np.log(30), np.log(75))))
    tilt = float(rng.choice([0, rng.uniform(0, 12), rng.uniform(10, 30)]))
    towards, distance = float(rng.uniform(0, 2 * np.pi)), float(rng.uniform(18, 50))
    side = int(2 * (bowl.radius + bowl.lip) * edge_px * rng.uniform(1.1, 1.3))
    film = (int(side * rng.choice([1.0, 4 / 3])), side)
    family = families[int(rng.integers(len(families)))]
    font = family[int(rng.integers(len(family)))] if rng.random() < 0.25 else None
    _, rings = rings_of("d6")
    material = str(rng.choice(("plastic", "plastic", "swirl", "speckled", "wood", "metal")))
    bevel, body, ink = float(rng.uniform(0.02, 0.2)), *chance_colours(rng)
    shapes, values = [], []
    for _ in poses:
        shapes.append(shape_of("d6", bevel, [int(rng.integers(len(ring))) for ring in rings]))
        values.append(plain_dice._numbered(shapes[-1].normals, rng))
    scene, camera, crockery = _scene(mi, rng, bowl, tilt, towards, distance, film, edge_px)
    scale = 0.5 / abs(shapes[0].normals @ shapes[0].corners.T).max()
    for k, (pose, shape, numbers) in enumerate(zip(poses, shapes, values, strict=True)):
        points = shape.triangles * scale @ pose.turn.T + pose.middle
        scene[f"die{k}"] = _die(mi, rng, points, shape, numbers, font, material, (body, ink))
    spp = int(np.clip(28 * (60 / edge_px), 14, 40))
    loaded = mi.load_dict(scene)
    image = np.array(mi.render(loaded, spp=spp, seed=int(rng.integers(1 << 30))))
    owners = _owners(mi, loaded, scene["sensor"])
    shown = []
    for k, (pose, shape, numbers) in enumerate(zip(poses, shapes, values, strict=True)):
        outline = projected(pose.corners, camera, film)
        shown.append(_shown(pose, shape, numbers, outline, int((owners == f"die{k}").sum())))
    return photographed(image, rng), {
        "values": [clear for clear, *_ in shown], "upper": [upper for _, upper, _ in shown],
        "size": float(np.median([size for *_, size in shown])), "tilt": tilt, "material": material,
        "crockery": crockery, "numbered": font is not None,
    }  # fmt: skip


def _shown(
    pose: Any, shape: Any, numbers: list[int], outline: np.ndarray, pixels: int
) -> tuple[int | None, int | None, float]:
    """Return a die's value if its upper face is visible and clear, and with a lower threshold; and its size, px."""
    heights = shape.normals @ pose.turn.T[:, 2]
    order = np.argsort(heights)
    margin, value = float(heights[order[-1]] - heights[order[-2]]), numbers[int(order[-1])]
    is_seen = pixels > SEEN * cv2.contourArea(cv2.convexHull(outline.astype(np.float32)))
    clear, upper = (value if margin > least and is_seen else None for least in (CLEAR, UPPER))
    return clear, upper, float(np.ptp(outline, axis=0).max())


def _owners(mi: Any, loaded: Any, sensor: dict[str, Any]) -> np.ndarray:
    """Return the name of the object at each pixel, (height, width)."""
    sharp = mi.load_dict({**sensor, "film": {**sensor["film"], "rfilter": {"type": "box"}}})
    which = mi.load_dict({"type": "aov", "aovs": "which:shape_index"})
    names = np.array(["", *(shape.id() for shape in loaded.shapes())])
    return names[np.array(mi.render(loaded, sensor=sharp, integrator=which, spp=1))[..., 0].round().astype(int)]


def _scene(mi: Any, rng: np.random.Generator, bowl: Any, tilt: float, towards: float, distance: float,
           film: tuple[int, int], edge_px: float) -> tuple[dict[str, Any], Any, str]:  # fmt: skip
    """Return a table with a bowl and lamps, the camera with its up direction, and the bowl's material."""
    turn = mi.ScalarTransform4f
    t, roll = np.radians(tilt), towards + np.pi + np.radians(rng.uniform(-25, 25))
    way = np.array([np.sin(t) * np.cos(towards), np.sin(t) * np.sin(towards), np.cos(t)])
    focus = np.array([*rng.uniform(-0.2, 0.2, 2), 0.4 * bowl.height])
    to_world = turn().look_at(
        origin=(focus + distance * way).tolist(), target=focus.tolist(), up=[np.cos(roll), np.sin(roll), 0]
    )
    field = float(2 * np.degrees(np.arctan(film[0] / 2 / (edge_px * distance))))
    ground = GROUNDS[int(rng.integers(len(GROUNDS)))]
    around = turn().rotate([0, 0, 1], float(rng.uniform(0, 360))) @ turn().scale([16, 16, 1])
    scene: dict[str, Any] = {
        "type": "scene",
        "integrator": {"type": "path", "max_depth": 7},
        "sensor": {"type": "perspective", "fov": field, "fov_axis": "x", "to_world": to_world,
                   "film": {"type": "hdrfilm", "width": film[0], "height": film[1],
                            "rfilter": {"type": "gaussian"}}},
        "table": {"type": "rectangle", "id": "table", "to_world": around,
                  "bsdf": {"type": "principled", "base_color": bitmap(mi, ground_art(ground, rng)),
                           "roughness": float(rng.uniform(0.3, 1)), "specular": float(rng.uniform(0, 0.5))}},
    }  # fmt: skip
    scene["bowl"], crockery = _bowl(mi, rng, bowl)
    scene["room"] = {"type": "constant", "radiance": {"type": "rgb", "value": (
        rng.uniform(0.12, 0.5) * rng.uniform(0.85, 1.15, 3)).tolist()}}  # fmt: skip
    return scene | lamps(mi, rng, distance, 35), (np.array(to_world.matrix), field), crockery


def _bowl(mi: Any, rng: np.random.Generator, bowl: Any) -> tuple[dict[str, Any], str]:
    """Return a bowl and its material."""
    radii, inside, _ = bowl.profile
    every = slice(None, None, max(1, len(radii) // 60))
    line = [*zip(radii[every], inside[every], strict=True), (bowl.radius, bowl.height),
            (bowl.radius + bowl.lip / 2, bowl.height + bowl.lip / 6), (bowl.radius + bowl.lip, bowl.height),
            ((bowl.radius + bowl.lip) * (1 + bowl.foot) / 2, bowl.height / 2),
            ((bowl.radius + bowl.lip) * bowl.foot, 0.0)]  # fmt: skip
    profile = np.array(line)
    turn = np.linspace(0, 2 * np.pi, _AROUND + 1)
    points = np.stack([profile[:, :1] * np.cos(turn), profile[:, :1] * np.sin(turn),
                       np.broadcast_to(profile[:, 1:], (len(profile), len(turn)))], axis=-1)  # fmt: skip
    reach = bowl.radius + bowl.lip
    places = 0.5 + 0.5 * points[..., :2] / reach / 1.02
    rows, columns = np.meshgrid(np.arange(len(profile) - 1), np.arange(_AROUND), indexing="ij")
    corner = (rows * (_AROUND + 1) + columns).ravel()
    after, above = corner + 1, corner + _AROUND + 1
    faces = np.concatenate([np.column_stack([corner, above, after]), np.column_stack([after, above, above + 1])])
    kind = CROCKERY[int(rng.integers(len(CROCKERY)))]
    colour = rng.uniform(0.02, 0.9, 3) if kind in ("lacquer", "metal") else rng.uniform(0.5, 0.9, 3)
    art = np.broadcast_to(colour, (768, 768, 3)).astype(np.float32).copy()
    if kind == "wood":
        art = ground_art("wood", rng)
    elif kind == "print":
        art = ground_art(str(rng.choice(("print", "lively"))), rng)
    elif kind == "china" and rng.random() < 0.6:
        for _ in range(int(rng.integers(1, 4))):
            ink = tuple(float(v) for v in rng.uniform(0.02, 0.5, 3))
            cv2.circle(art, (384, 384), int(384 * rng.uniform(0.2, 0.95)), ink, int(rng.integers(2, 14)), cv2.LINE_AA)
    art *= (0.9 + 0.2 * smooth_noise(rng, art.shape[:2], float(rng.uniform(2, 60))))[..., None]
    bsdf: dict[str, Any] = {
        "type": "principled",
        "base_color": bitmap(mi, np.clip(art, 0.005, 0.97)),
        "roughness": float(rng.uniform(0.08, 0.7)),
        "specular": float(rng.uniform(0.1, 0.7)),
    }
    if kind == "metal":
        bsdf |= {"metallic": float(rng.uniform(0.5, 1)), "roughness": float(rng.uniform(0.25, 0.6))}
    elif kind in ("lacquer", "china"):
        bsdf["clearcoat"] = float(rng.uniform(0.2, 1))
    path = kept_mesh(mi, rng, points.reshape(-1, 3), faces, places)
    return {"type": "ply", "id": "bowl", "filename": path, "bsdf": {"type": "twosided", "bsdf": bsdf}}, kind


def _die(mi: Any, rng: np.random.Generator, points: np.ndarray, shape: Any, numbers: list[int], font: str | None,
         material: str, colours: tuple[np.ndarray, np.ndarray]) -> dict[str, Any]:  # fmt: skip
    radius, spread = float(rng.uniform(0.13, 0.2)), float(rng.uniform(0.45, 0.58))
    if font is None:
        marks = [pips(value, radius, spread) for value in numbers]
    else:
        marks = [written(str(value), font, 0.55, mark="line" if value in (6, 9) else "none") for value in numbers]
    share = atlas(marks)[..., None]
    sheet = body_art(material, colours[0], share.shape[:2], rng) * (1 - share) + colours[1] * share
    bsdf: dict[str, Any] = {"type": "principled", "base_color": bitmap(mi, np.clip(sheet, 0.005, 0.98)),
                            "roughness": float(rng.uniform(0.1, 0.5)), "specular": float(rng.uniform(0.2, 0.8)),
                            "metallic": float(rng.uniform(0.6, 1)) if material == "metal" else 0.0}  # fmt: skip
    corners = points.reshape(-1, 3)
    path = kept_mesh(mi, rng, corners, np.arange(len(corners)), shape.places)
    return {"type": "ply", "filename": path, "face_normals": True, "bsdf": bsdf}
