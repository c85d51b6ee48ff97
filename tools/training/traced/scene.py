"""Random tables with dice, path-traced by Mitsuba, which is imported lazily since only this renderer needs it."""

from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rendering.faces import art_axes
from companion.rendering.painter import Die, View, camera_matrix, project
from companion.rendering.poses import leaning, matrix, resting, top_face
from companion.rendering.solids import Points
from tools.training.rays.arts import FAMILIES, FAMILY_WEIGHTS, Family, MadeDie, kind_of, random_die
from tools.training.samples.appearance import random_color
from tools.training.samples.fonts import Fonts, Split
from tools.training.samples.prints import random_ground
from tools.training.samples.scenes import KINDS, OFF_DEG, SIX_OR_NINE, SURE, UNREADABLE
from tools.training.traced.mesh import Floats, Mesh, linear, rounded, texture_sheet

SIDE: Final = 320
"""Side of a picture, pixels."""
_SIZES_PX: Final = (34.0, 130.0)
_DAY_NIGHT_SIZES_PX: Final = (48.0, 110.0)
_MIRRORED_LAMP_SHARE: Final = 0.75  # of the day-and-night pictures
_MAX_DICE: Final = 9
_MAX_TILT_DEG: Final = 38.0
_LEANING_SHARE: Final = 0.12
_LEAN_DEG: Final = (3.0, 37.0)
_MAX_FLAT_LEAN_DEG: Final = 0.5
_SAMPLES_PER_PIXEL: Final = 12
_MAX_DEPTH: Final = 7  # of light paths
_TABLE_PX: Final = 640
_TABLE_SIZE: Final = 8.0
"""Side of the table in sides of the picture."""
_SKIN: Final = ((95, 130, 185), (120, 160, 215), (50, 75, 120), (35, 50, 85))


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """One picture with the labels of its dice.

    Attributes:
        picture: uint8 (SIDE, SIDE, 3) BGR.
        boxes: float32 (n, 5): left, top, right, bottom in pixels, lean in degrees.
        labels: int16 (n, 9), see `dataset.Samples`; with a note of -1 a die is for the finder only.
    """

    picture: NDArray[np.uint8]
    boxes: Floats
    labels: NDArray[np.int16]


def random_shot(
    rng: np.random.Generator, fonts: Fonts, split: Split, prints: float = 0.0, *, day_night: bool = False
) -> Shot:
    """Path-trace a random table with dice.

    Args:
        prints: probability of a busy print as the table.
        day_night: day-and-night dice only, most with a lamp reflected by their upper faces.
    """
    import mitsuba as mi

    if mi.variant() is None:
        mi.set_variant("scalar_rgb")
        mi.set_log_level(mi.LogLevel.Error)
    size = float(np.exp(rng.uniform(*np.log(_DAY_NIGHT_SIZES_PX if day_night else _SIZES_PX))))
    distance = float(np.exp(rng.uniform(np.log(9), np.log(45))))
    tilt = float(15 * rng.random() ** 1.5 if rng.random() < 0.4 else _MAX_TILT_DEG * rng.random())
    view = View((SIDE / 2, SIDE / 2), size / 1.8, distance, tilt, float(rng.uniform(0, 360)))
    dice = _placed_dice(rng, fonts, split, view, "rugen" if day_night else None)
    scene = {"type": "scene", "integrator": {"type": "path", "max_depth": _MAX_DEPTH}, "sensor": _camera(mi, view)}
    scene |= _light(mi, rng, distance) | _table(mi, rng, fonts, view, prints) | _other_objects(mi, rng, view, dice)
    scene |= {f"die{k}": each.shape(mi, rng) for k, each in enumerate(dice)}
    if day_night and rng.random() < _MIRRORED_LAMP_SHARE:
        scene |= _mirrored_lamp(mi, rng, view)
    light = np.array(mi.render(mi.load_dict(scene), spp=_SAMPLES_PER_PIXEL, seed=int(rng.integers(1 << 30))))
    boxes = np.array([(*each.box(view), each.lean_deg) for each in dice], np.float32).reshape(-1, 5)
    labels = np.array([each.label(view) for each in dice], np.int16).reshape(-1, 9)
    return Shot(_developed(light, rng), boxes, labels)


# ---- dice


@dataclass(frozen=True, slots=True, eq=False)
class _PlacedDie:
    """A die on the table: its mesh, centered on the origin, and its position ``at`` (3,)."""

    made: MadeDie
    kind: int
    pose: Points
    mesh: Mesh
    at: Points
    zoom: float

    def shape(self, mi: Any, rng: np.random.Generator) -> Any:
        """Return the die as a Mitsuba shape."""
        turned = matrix(self.pose).T
        points = self.zoom * self.mesh.points @ turned + self.at
        return _mesh(mi, points, self.mesh.normals @ turned, self.mesh, _material(mi, rng, self.made.die))

    @property
    def lean_deg(self) -> float:
        return top_face(self.made.die.solid, self.pose)[1] if self.made.die.solid.name != "d4" else 0.0

    def box(self, view: View) -> tuple[float, float, float, float]:
        """Return left, top, right, bottom in the picture, pixels."""
        seen = self._projected(self.mesh.points, view)
        (left, top), (right, bottom) = seen.min(axis=0), seen.max(axis=0)
        return float(left), float(top), float(right), float(bottom)

    def _projected(self, points: NDArray[np.floating], view: View) -> NDArray[np.float32]:
        world = self.zoom * points @ matrix(self.pose).T + self.at
        return project(world @ camera_matrix(view).T, view)

    def label(self, view: View) -> tuple[int, ...]:
        """Return its row of `Shot.labels`."""
        die = self.made.die
        left, top, right, bottom = self.box(view)
        side = max(right - left, bottom - top)
        face = top_face(die.solid, self.pose)[0]
        value, lean = self.made.values[face], self.lean_deg
        note = SURE
        if value >= 0 and lean > _MAX_FLAT_LEAN_DEG:
            note = UNREADABLE if lean >= OFF_DEG else -1
        elif self.made.is_plain and KINDS[self.kind] == "d20" and value in (5, 8):
            note = SIX_OR_NINE
        if min(left, top) < 1 or max(right, bottom) > SIDE - 1:
            note = -1
        up, x, y = -1, 0, 0
        if self.made.has_numbers and value >= 0 and note in (SURE, SIX_OR_NINE):
            down = art_axes(die.solid, face, die.art[face].turn_deg)[1] * die.solid.reach[face]
            centre = die.solid.centres[face]
            head, foot = self._projected(np.stack([centre - down, centre + down]), view).astype(float)
            off = ((head + foot) / 2 - ((left + right) / 2, (top + bottom) / 2)) / side
            up = round(float(np.degrees(np.arctan2(head[0] - foot[0], foot[1] - head[1])))) % 360
            x, y = round(1000 * off[0]), round(1000 * off[1])
        way = view.distance * camera_matrix(view)[2] - self.at
        tilt = float(np.degrees(np.arccos(way[2] / np.linalg.norm(way))))
        towards = round(float(np.degrees(np.arctan2(way[1], way[0])))) % 360
        return self.kind, value, note, round(side), up, x, y, round(10 * tilt), towards


def _placed_dice(
    rng: np.random.Generator, fonts: Fonts, split: Split, view: View, only: Family | None = None
) -> list[_PlacedDie]:  # fmt: skip
    """Return random dice side by side, some touching; none in one picture of twelve."""
    if not only and rng.random() < 1 / 12:
        return []
    half = SIDE / 2 / view.radius_px
    most = min(_MAX_DICE, max(2, round(half * half / 1.8)))
    wanted = int(rng.integers(1 if rng.random() < 0.3 else (most + 1) // 2, most + 1))
    done: list[_PlacedDie] = []
    for _ in range(6 * wanted):
        if len(done) == wanted:
            break
        if done and rng.random() < 0.3:
            turn, far = float(rng.uniform(0, 2 * np.pi)), float(rng.uniform(1.75, 2.1))
            x, y = done[-1].at[:2] + far * np.array([np.cos(turn), np.sin(turn)])
        else:
            x, y = rng.uniform(-1, 1, 2) * (half - (0.0 if rng.random() < 0.2 else 1.0))
        if all(np.hypot(*(each.at[:2] - (x, y))) > 1.7 for each in done):
            done.append(_random_placed_die(rng, fonts, split, float(x), float(y), only))
    return done


def _random_placed_die(
    rng: np.random.Generator, fonts: Fonts, split: Split, x: float, y: float, only: Family | None
) -> _PlacedDie:  # fmt: skip
    family = only or FAMILIES[int(rng.choice(len(FAMILIES), p=np.array(FAMILY_WEIGHTS) / sum(FAMILY_WEIGHTS)))]
    made = random_die(rng, fonts, split, family)
    die = made.die
    values = sorted(set(made.values))
    wanted = values[int(rng.integers(len(values)))]
    face = int(rng.choice([k for k, value in enumerate(made.values) if value == wanted]))
    pose = resting(die.solid, face, float(rng.uniform(0, 360)))
    if rng.random() < _LEANING_SHARE:
        pose = leaning(pose, float(rng.uniform(*_LEAN_DEG)), float(rng.uniform(0, 360)))
    ball = rng.uniform(0.84, 1.02) if die.solid.name == "d6" else rng.uniform(0.95, 1.1)
    mesh = rounded(die, float(ball))
    zoom = float(rng.uniform(0.85, 1.0))
    low = float((zoom * mesh.points @ matrix(pose).T)[:, 2].min())
    return _PlacedDie(made, kind_of(family), pose, mesh, np.array([x, y, -low]), zoom)


def _mesh(mi: Any, points: Points, normals: Points, mesh: Mesh, bsdf: dict[str, Any]) -> Any:
    given = mi.Properties()
    given["bsdf"] = mi.load_dict(bsdf)
    made = mi.Mesh("die", len(points), len(mesh.triangles), props=given, has_vertex_normals=True,
                   has_vertex_texcoords=True)  # fmt: skip
    params = mi.traverse(made)
    params["vertex_positions"] = points.astype(np.float32).ravel()
    params["vertex_normals"] = normals.astype(np.float32).ravel()
    params["vertex_texcoords"] = mesh.places.ravel()
    params["faces"] = mesh.triangles.astype(np.uint32).ravel()
    params.update()
    return made


def _material(mi: Any, rng: np.random.Generator, die: Die) -> dict[str, Any]:
    sheet, material = texture_sheet(die, rng), die.material
    colours = _texture(mi, sheet.colours)
    rough = float(np.clip(0.55 * (1 - material.gloss) + rng.uniform(0.03, 0.2), 0.03, 0.8))
    plain = {"type": "principled", "base_color": colours, "roughness": rough, "specular": float(rng.uniform(0.3, 0.7)),
             "clearcoat": float(material.gloss * rng.random()), "clearcoat_gloss": 0.9}  # fmt: skip
    bsdf: dict[str, Any] = plain
    if material.metal:
        bare = {**plain, "metallic": material.metal, "roughness": float(rng.uniform(0.15, 0.5))}
        bsdf = {"type": "blendbsdf", "weight": _texture(mi, sheet.ink), "a": bare,
                "b": bare if rng.random() < 0.3 else plain}  # fmt: skip
    elif material.clear:
        tint = linear(np.array(material.base))
        through = {"type": "rgb", "value": np.clip(tint / max(float(tint.max()), 0.05), 0.15, 1).tolist()}
        glass = {"type": "dielectric", "int_ior": float(rng.uniform(1.35, 1.55)), "specular_transmittance": through}
        cloud = {"type": "twosided", "bsdf": plain}
        milky = {"type": "blendbsdf", "weight": float(np.clip(1.05 - material.clear, 0.1, 0.9)), "a": glass, "b": cloud}
        bsdf = {"type": "blendbsdf", "weight": _texture(mi, sheet.ink), "a": milky,
                "b": {"type": "twosided", "bsdf": {"type": "diffuse", "reflectance": colours}}}  # fmt: skip
    if np.any(sheet.depth) and not material.clear:
        relief = np.asarray(-cv2.GaussianBlur(sheet.depth, (0, 0), float(rng.uniform(0.6, 2))), np.float32)
        bsdf = {"type": "bumpmap", "relief": _texture(mi, relief), "scale": float(rng.uniform(0.05, 0.3)), "bsdf": bsdf}
    return bsdf


def _texture(mi: Any, values: Floats) -> dict[str, Any]:
    art = values if values.ndim == 3 else np.repeat(values[..., None], 3, axis=2)
    return {"type": "bitmap", "bitmap": mi.Bitmap(np.ascontiguousarray(art, np.float32)), "raw": True}


# ---- camera, light, table and other objects


def _camera(mi: Any, view: View) -> dict[str, Any]:
    axes = camera_matrix(view)
    field = 2 * np.degrees(np.arctan(SIDE / 2 / (view.radius_px * view.distance)))
    way = mi.ScalarTransform4f().look_at(origin=(view.distance * axes[2]).tolist(), target=[0, 0, 0],
                                         up=axes[1].tolist())  # fmt: skip
    film = {"type": "hdrfilm", "width": SIDE, "height": SIDE, "rfilter": {"type": "gaussian"}}
    return {"type": "perspective", "fov": float(field), "fov_axis": "x", "to_world": way, "film": film}


def _light(mi: Any, rng: np.random.Generator, distance: float) -> dict[str, Any]:
    """Return an environment map with brighter and darker patches, and up to three lamps above the camera."""
    sky = np.ones((32, 64, 3), np.float32) * rng.uniform(0.08, 0.5) * rng.uniform(0.85, 1.15, 3)
    sky *= np.linspace(rng.uniform(0.5, 1.5), rng.uniform(0.3, 1), 32)[:, None, None]
    for _ in range(int(rng.integers(0, 6))):
        blob = np.zeros((32, 64), np.float32)
        x, y = int(rng.integers(64)), int(rng.integers(16))
        cv2.rectangle(blob, (x, y), (x + int(rng.integers(2, 14)), y + int(rng.integers(2, 9))), 1.0, -1)
        sky += cv2.GaussianBlur(blob, (0, 0), float(rng.uniform(0.4, 3)))[..., None] * rng.uniform(0.2, 3, 3)
    turn = mi.ScalarTransform4f
    made: dict[str, Any] = {
        "room": {"type": "envmap", "bitmap": mi.Bitmap(np.ascontiguousarray(sky, np.float32)),
                 "to_world": turn().rotate([0, 0, 1], float(rng.uniform(0, 360))) @ turn().rotate([1, 0, 0], 90)}
    }  # fmt: skip
    for k in range(int(rng.integers(0 if rng.random() < 0.3 else 1, 4))):
        azimuth, elevation = rng.uniform(0, 2 * np.pi), np.radians(rng.uniform(20, 85))
        far, wide = distance + 4.0, float(np.exp(rng.uniform(np.log(0.04), np.log(0.35))))
        way = np.array([np.cos(azimuth) * np.cos(elevation), np.sin(azimuth) * np.cos(elevation), np.sin(elevation)])
        made[f"lamp{k}"] = _lamp(mi, rng, way, far, wide)
    return made


def _lamp(
    mi: Any, rng: np.random.Generator, way: Points, far: float, wide: float, bright: float = 1.0
) -> dict[str, Any]:  # fmt: skip
    """Return a square lamp at distance ``far`` in a direction.

    Args:
        wide: half its width relative to its distance.
    """
    turn = mi.ScalarTransform4f
    glow = bright * rng.uniform(0.6, 3) / (4 * wide**2) / 4 * np.array([1, rng.uniform(0.75, 1), rng.uniform(0.5, 1.1)])
    place = turn().look_at(origin=(far * way).tolist(), target=[0, 0, 0], up=[0.01, 1, 0])
    return {
        "type": "rectangle", "to_world": place @ turn().scale([far * wide, far * wide, 1]),
        "emitter": {"type": "area", "radiance": {"type": "rgb", "value": glow.tolist()}},
    }  # fmt: skip


def _mirrored_lamp(mi: Any, rng: np.random.Generator, view: View) -> dict[str, Any]:
    """Return a lamp that level faces reflect, approximately, into the camera."""
    way = camera_matrix(view)[2] * (-1, -1, 1) + (*rng.normal(0, 0.12, 2), 0)
    wide = float(np.exp(rng.uniform(np.log(0.05), np.log(0.25))))
    bright = float(np.exp(rng.uniform(0, np.log(5))))
    return {"mirrored": _lamp(mi, rng, way / np.linalg.norm(way), 1.3 * view.distance + 4.0, wide, bright)}


def _table(mi: Any, rng: np.random.Generator, fonts: Fonts, view: View, prints: float) -> dict[str, Any]:
    turn = mi.ScalarTransform4f
    half = _TABLE_SIZE * SIDE / 2 / view.radius_px
    art = _texture(mi, linear(random_ground(rng, _TABLE_PX, fonts, prints)))
    art |= {"wrap_mode": "mirror", "to_uv": turn().scale([_TABLE_SIZE / rng.uniform(1.2, 2.6)] * 2 + [1])}
    place = turn().rotate([0, 0, 1], float(rng.uniform(0, 360))) @ turn().scale([half, half, 1])
    surface = {"type": "principled", "base_color": art, "roughness": float(rng.uniform(0.25, 1)),
               "specular": float(rng.uniform(0, 0.6))}  # fmt: skip
    return {"table": {"type": "rectangle", "to_world": place, "bsdf": surface}}


def _other_objects(mi: Any, rng: np.random.Generator, view: View, dice: list[_PlacedDie]) -> dict[str, Any]:
    """Return cards, coins, balls, bars and fingers beside the dice; cards may lie under them."""
    turn = mi.ScalarTransform4f
    half = SIDE / 2 / view.radius_px
    made: dict[str, Any] = {}
    for k in range(int(rng.choice([0, 1, 2, 4], p=[0.4, 0.3, 0.2, 0.1]))):
        x, y = (float(v) for v in rng.uniform(-1, 1, 2) * half)
        free = min((float(np.hypot(*(each.at[:2] - (x, y)))) for each in dice), default=9.0) - 1.1
        rotation = turn().rotate([0, 0, 1], float(rng.uniform(0, 360)))
        kind = rng.random()
        colour = linear(np.clip(np.array(random_color(rng)), 0, 255)).tolist()
        surface: dict[str, Any] = {"type": "principled", "base_color": {"type": "rgb", "value": colour},
                                   "roughness": float(rng.uniform(0.1, 0.8))}  # fmt: skip
        if kind < 0.3:  # a card
            wide = float(rng.uniform(1.2, 3.5))
            place = turn().translate([x, y, 0.006]) @ rotation @ turn().scale([wide, 1.4 * wide, 0.006])
            made[f"thing{k}"] = {"type": "cube", "to_world": place, "bsdf": surface}
            continue
        if free < 0.3:
            continue
        if kind < 0.55:  # a coin or a token
            wide, high = float(rng.uniform(0.3, free)), float(rng.uniform(0.05, 0.35))
            surface["metallic"] = float(rng.random() < 0.5)
            ends = {"p0": [x, y, 0.0], "p1": [x, y, high], "radius": wide}
            made[f"thing{k}"] = {"type": "cylinder", **ends, "bsdf": {"type": "twosided", "bsdf": surface}}
            place = turn().translate([x, y, high]) @ turn().scale([wide, wide, 1])
            made[f"top{k}"] = {"type": "disk", "to_world": place, "bsdf": surface}
        elif kind < 0.65:
            wide = float(rng.uniform(0.3, min(free, 1.5)))
            made[f"thing{k}"] = {"type": "sphere", "center": [x, y, wide], "radius": wide, "bsdf": surface}
        elif kind < 0.8:  # a bar, never a cube
            wide = float(rng.uniform(0.15, free / 1.5))
            place = turn().translate([x, y, 0.3 * wide]) @ rotation @ turn().scale([wide, 0.4 * wide, 0.3 * wide])
            made[f"thing{k}"] = {"type": "cube", "to_world": place, "bsdf": surface}
        else:  # a finger from outside the picture
            skin = linear(np.array(_SKIN[int(rng.integers(len(_SKIN)))]) * rng.uniform(0.8, 1.15))
            surface |= {"base_color": {"type": "rgb", "value": np.clip(skin, 0.01, 0.9).tolist()}, "roughness": 0.5}
            thick, way = float(rng.uniform(0.3, min(free, 0.9))), np.array([x, y]) / max(0.1, float(np.hypot(x, y)))
            end = np.array([x, y]) + 3 * half * way
            ends = {"p0": [x, y, thick], "p1": [*end.tolist(), 2 * thick], "radius": thick}
            made[f"thing{k}"] = {"type": "cylinder", **ends, "bsdf": {"type": "twosided", "bsdf": surface}}
            made[f"tip{k}"] = {"type": "sphere", "center": [x, y, thick], "radius": thick, "bsdf": surface}
    return made


def _developed(light: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Expose with little clipping; pixels that the tracer left undefined are replaced by the median around them."""
    unknown = ~np.isfinite(light).all(axis=2)
    if unknown.any():
        light = np.nan_to_num(light, posinf=0.0, neginf=0.0)
        light[unknown] = cv2.medianBlur(np.ascontiguousarray(light, np.float32), 5)[unknown]
    level = float(np.percentile(light.max(axis=2), rng.uniform(90, 99)))
    shown = np.clip(light / max(level, 1e-3) * rng.uniform(0.5, 1.05), 0, 1) ** (1 / rng.uniform(1.9, 2.4))
    return np.asarray(np.round(255 * shown[..., ::-1]), np.uint8)
