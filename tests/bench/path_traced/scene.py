"""Random dice on random tables, path traced and stored with their labels."""

import json
from collections.abc import Collection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import cv2
import numpy as np
import plain_dice

from path_traced.shapes import atlas, pips, rings_of, shape_of, written
from tools.training.samples.fonts import find_fonts

MATERIALS = ("plastic", "plastic", "pearl", "swirl", "metal", "glass", "wood", "speckled")
GROUNDS = ("wood", "cloth", "felt", "paper", "print", "leather", "lively")
OVERSIZE = 1.6
_KINDS = ("d20", "d20", "rugen", "d6", "d20", "other", "rugen", "d6")
_SIZES = ((45, 60), (60, 90), (90, 130), (130, 220))
_TILTS = (0.0, 10.0, 20.0, 30.0, 35.0)
_OTHERS = ("d8", "d12", "d10", "d20 blank")
_WIDE = 1.93  # width of a die, in its radii
_OFF_LEVEL_DEG = 0.05
"""Tilt of a d6: Mitsuba 3.9 cannot shade a relief on exactly vertical sides."""
_MAX_UNKNOWN = 0.01  # maximum share of pixels without a value
_MESHES = TemporaryDirectory(prefix="path-traced-")  # removed when the process ends


def render_all(
    folder: Path, seed: int, count: int, fonts: Path, *, as_sold: bool, wide: bool, kinds: Collection[str]
) -> None:
    """Render the missing pictures of a run with dice of these kinds.

    Args:
        as_sold: number the d20s like nearly all sold dice, a third of them mirrored; otherwise randomly.
        wide: place the dice anywhere in the picture of a lens of 48 to 72 degrees, and keep the part around them.
    """
    import mitsuba as mi

    mi.set_variant("scalar_rgb")
    mi.set_log_level(mi.LogLevel.Error)
    folder.mkdir(parents=True, exist_ok=True)
    families = find_fonts([fonts]).held
    for number in range(count):
        path = folder / f"{seed}-{number:04d}"
        if path.with_suffix(".json").exists() or _KINDS[number % len(_KINDS)] not in kinds:
            continue
        rng = np.random.default_rng([seed, number, 90210])
        picture, truth = _one(mi, rng, number, families, as_sold=as_sold, wide=wide)
        cv2.imwrite(str(path.with_suffix(".png")), picture)
        path.with_suffix(".json").write_text(json.dumps({"seed": seed, **truth}))


def _one(
    mi: Any, rng: np.random.Generator, number: int, families: Any, *, as_sold: bool, wide: bool
) -> tuple[np.ndarray, dict[str, Any]]:
    kind = _KINDS[number % len(_KINDS)]
    size = float(rng.uniform(*_SIZES[number // len(_KINDS) % len(_SIZES)]))
    tilt = _TILTS[number // (len(_KINDS) * len(_SIZES)) % len(_TILTS)]
    towards = float(rng.uniform(0, 360))
    family = families[int(rng.integers(len(families)))]
    font = family[int(rng.integers(len(family)))]
    other = _OTHERS[int(rng.integers(len(_OTHERS)))]
    name = {"d20": "d20", "rugen": "d20", "d6": "d6"}.get(kind, other.split()[0])
    _, rings = rings_of(name)
    turns = [int(rng.integers(len(ring))) for ring in rings]
    shape = shape_of(name, float(rng.uniform(0.02, 0.1 if name != "d6" else 0.2)), turns)
    values = plain_dice._numbered(shape.normals, rng)
    if as_sold and kind == "d20":
        values = plain_dice.as_sold(shape.normals, mirrored=number % 2 == 1)
    marks, night = _marks(kind, other, values, font, rng)
    face = int(rng.integers(len(rings)))
    material = MATERIALS[int(rng.integers(len(MATERIALS)))] if kind != "rugen" else "plastic"
    ground = GROUNDS[int(rng.integers(len(GROUNDS)))]
    lean = _OFF_LEVEL_DEG if kind == "d6" else 0.0
    turn = plain_dice._pose(shape.normals[face], float(rng.uniform(0, 360)), lean, 30.0)
    points = shape.triangles @ turn.T
    lift = -points[..., 2].min()
    points[..., 2] += lift
    distance = float(rng.uniform(9, 30))
    width, height = int(size * rng.uniform(2.6, 3.4)), int(size * rng.uniform(2.3, 2.9))
    at = rng.uniform(-0.5, 0.5, 2)  # the die's offset from the picture's middle, in its radii
    view, whole = 0.0, 0
    if wide:
        view, whole = float(rng.uniform(48, 72)), round(size * rng.uniform(9, 16))
        distance = 1.4 * _WIDE * _focal(view, whole) / size  # maximum distance from a die in a corner
    scene, camera = _scene(mi, rng, points, shape, marks, night, material, ground, kind, tilt, towards,
                           distance, size, (width, height), at)  # fmt: skip
    part: dict[str, Any] = {}
    film = (width, height)
    if wide:
        part, camera, film = _in_wide(
            mi, rng, scene["sensor"], _middle(kind), tilt, towards, size, view, whole, (width, height)
        )
    image = np.array(
        mi.render(
            mi.load_dict(scene), spp=int(np.clip(48 * (80 / size) ** 1.5, 10, 64)), seed=int(rng.integers(1 << 30))
        )
    )
    box = _box(points.reshape(-1, 3), camera, film)
    if part:
        box[:2] = [box[0] - part["part"][0] * film[0], box[1] - part["part"][1] * film[1]]
    up = values[face]
    shown = {"d20": str(up), "d6": str(up)}.get(kind, "none")
    if kind == "rugen":
        value, is_night = plain_dice.rugen_face(up)
        shown = f"{value}{'n' if is_night else 'd'}"
    picture = photographed(image, rng)
    truth = {"kind": kind, "shown": shown, "size": max(box[2:]), "tilt": tilt, "towards": towards, "box": box,
             "material": material, "ground": ground, "font": Path(font).name, "other": other if kind == "other" else "",
             "distance": distance, **part}  # fmt: skip
    return picture, truth


def _in_wide(mi: Any, rng: np.random.Generator, sensor: dict[str, Any], middle: np.ndarray, tilt: float, towards: float,
             size: float, view: float, width: int, part: tuple[int, int],
             ) -> tuple[dict[str, Any], Any, tuple[int, int]]:  # fmt: skip
    """Place a die anywhere in a wide picture and keep a part; return the view, the camera and the film size."""
    height, focal = round(0.75 * width), _focal(view, width)
    way = way_of(tilt, towards)
    right = np.cross([0.0, 1.0, 0.0], way)
    right /= np.linalg.norm(right)
    for _ in range(200):
        across, down = (rng.uniform(0.8 * size, side - 0.8 * size) - side / 2 for side in (width, height))
        ray = -way + across / focal * right - down / focal * np.cross(way, right)
        seen = float(np.degrees(np.arccos(-ray[2] / np.linalg.norm(ray))))
        if seen < 35:
            break
    origin = middle - _WIDE * focal / size * ray
    to_world = mi.ScalarTransform4f().look_at(origin=origin.tolist(), target=(origin - way).tolist(), up=[0, 1, 0])
    off = rng.uniform(-0.25, 0.25, 2) * size
    left = int(np.clip(width / 2 + across + off[0] - part[0] / 2, 0, width - part[0]))
    top = int(np.clip(height / 2 + down + off[1] - part[1] / 2, 0, height - part[1]))
    sensor.update(fov=view, to_world=to_world)
    sensor["film"].update(width=width, height=height, crop_offset_x=left, crop_offset_y=top, crop_width=part[0],
                          crop_height=part[1])  # fmt: skip
    shown = [left / width, top / height, part[0] / width, part[1] / height]
    return {"view": view, "part": shown, "seen": seen}, (np.array(to_world.matrix), view), (width, height)


def _middle(kind: str) -> np.ndarray:
    """Return the centre of a die that lies in the middle of the table."""
    return np.array([0.0, 0.0, 0.79 if kind != "d6" else 0.577])


def way_of(tilt: float, towards: float) -> np.ndarray:
    """Return the camera's direction from its tilt off the table's normal and its azimuth, degrees."""
    t, w = np.radians(tilt), np.radians(towards)
    return np.array([np.sin(t) * np.cos(w), np.sin(t) * np.sin(w), np.cos(t)])


def _focal(view_deg: float, width: int) -> float:
    """Return the focal length in pixels for a picture width."""
    return float(width / 2 / np.tan(np.radians(view_deg) / 2))


def _marks(kind: str, other: str, values: list[int], font: str, rng: np.random.Generator) -> tuple[Any, Any]:
    """Return each face's mask, and which faces are night faces."""
    mark, height, low = str(rng.choice(["dot", "line"])), float(rng.uniform(0.5, 0.68)), float(rng.uniform(0, 0.08))
    if kind == "d6":
        radius, spread = float(rng.uniform(0.13, 0.2)), float(rng.uniform(0.45, 0.58))
        return [pips(v, radius, spread) for v in values], None
    if kind == "rugen":
        faces = [plain_dice.rugen_face(v) for v in values]
        return [written(str(n), font, height, low=low) for n, _ in faces], [night for _, night in faces]
    if other == "d20 blank" and kind == "other":
        return [written("", font, height) for _ in values], None
    if kind == "other" and other == "d10":
        values = [v % 10 for v in values]
    return [written(str(v), font, height * (0.8 if v > 9 else 1), mark=mark if v in (6, 9) else "none", low=low)
            for v in values], None  # fmt: skip


def chance_colours(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    body = rng.uniform(0.02, 0.9, 3) ** rng.uniform(0.6, 2.2)
    light = float(body @ (0.2, 0.7, 0.1))
    inks = [np.array(c) for c in ((0.9, 0.9, 0.88), (0.02, 0.02, 0.02), (0.8, 0.55, 0.15), (0.7, 0.05, 0.05),
                                  (0.05, 0.1, 0.5), (0.7, 0.7, 0.72))]  # fmt: skip
    able = [ink for ink in inks if abs(float(ink @ (0.2, 0.7, 0.1)) - light) > 0.3]
    return body, able[int(rng.integers(len(able)))] if able else inks[0 if light < 0.4 else 1]


def smooth_noise(rng: np.random.Generator, shape: tuple[int, int], sigma: float) -> np.ndarray:
    """Smooth noise from 0 to 1."""
    coarse = max(1.0, sigma / 3)
    small = rng.standard_normal((max(4, int(shape[0] / coarse)), max(4, int(shape[1] / coarse)))).astype(np.float32)
    field = cv2.resize(
        cv2.GaussianBlur(small, (0, 0), max(0.5, sigma / coarse)), shape[::-1], interpolation=cv2.INTER_CUBIC
    )
    return (field - field.min()) / max(1e-6, float(np.ptp(field)))


def body_art(material: str, body: np.ndarray, shape: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    base = np.broadcast_to(body, (*shape, 3)).astype(np.float32).copy()
    other = np.clip(body + rng.uniform(-0.35, 0.35, 3), 0.02, 0.95)
    if material in ("swirl", "pearl"):
        field = np.clip(np.sin(smooth_noise(rng, shape, 60) * rng.uniform(8, 20)) * 0.5 + 0.5, 0, 1)[..., None]
        base = base * (1 - field) + other * field
    elif material == "wood":
        base = np.array([0.45, 0.26, 0.12]) * rng.uniform(0.4, 1.6)
        y = np.linspace(0, 60, shape[0])[:, None] + 8 * smooth_noise(rng, shape, 80)
        base = (base * (0.75 + 0.35 * np.sin(y))[..., None]).astype(np.float32)
    elif material == "speckled":
        field = (smooth_noise(rng, shape, 4) > 0.62)[..., None]
        base = np.where(field, other, base)
    return np.clip(base, 0.005, 0.98).astype(np.float32)


def ground_art(name: str, rng: np.random.Generator) -> np.ndarray:
    shape = (768, 768)
    colour = {"wood": (0.42, 0.25, 0.12), "cloth": (0.12, 0.25, 0.4), "felt": (0.05, 0.22, 0.07),
              "paper": (0.8, 0.8, 0.78), "print": (0.6, 0.55, 0.45), "leather": (0.15, 0.07, 0.04),
              "lively": (0.5, 0.3, 0.3)}[name]  # fmt: skip
    base = np.ones((*shape, 3), np.float32) * np.clip(np.array(colour) * rng.uniform(0.4, 1.7, 3), 0.01, 0.95)
    if name == "wood":
        rows = np.linspace(0, rng.uniform(60, 300), shape[0])[:, None] + 25 * smooth_noise(rng, shape, 120)
        base *= (0.7 + 0.35 * np.sin(rows) * smooth_noise(rng, shape, 40))[..., None]
    elif name == "cloth":
        y, x = np.mgrid[0 : shape[0], 0 : shape[1]]
        base *= (0.8 + 0.2 * np.sin(x * rng.uniform(0.3, 1.2)) * np.sin(y * rng.uniform(0.3, 1.2)))[..., None]
    elif name in ("print", "lively"):
        sheet = np.clip(255 * base, 0, 255).astype(np.uint8)
        for _ in range(int(rng.integers(20, 60))):
            at = tuple(int(v) for v in rng.integers(0, shape[0], 2))
            ink = tuple(float(v) for v in rng.uniform(5, 230, 3))
            if rng.random() < 0.4:
                cv2.putText(
                    sheet, str(rng.integers(1, 99)), at, cv2.FONT_HERSHEY_DUPLEX, float(rng.uniform(0.5, 2)), ink, 2
                )
            elif rng.random() < 0.5:
                cv2.circle(sheet, at, int(rng.integers(5, 70)), ink, int(rng.choice([-1, 2, 5])))
            else:
                cv2.rectangle(
                    sheet, at, tuple(int(v) for v in rng.integers(0, shape[0], 2)), ink, int(rng.integers(1, 6))
                )
        base = sheet.astype(np.float32) / 255
    base *= (0.85 + 0.3 * smooth_noise(rng, shape, 3) * smooth_noise(rng, shape, 90))[..., None]
    return np.clip(base, 0.005, 0.97).astype(np.float32)


def _scene(mi: Any, rng: np.random.Generator, points: np.ndarray, shape: Any, marks: Any, night: Any, material: str,
           ground: str, kind: str, tilt: float, towards: float, distance: float, size: float,
           film: tuple[int, int], at: np.ndarray) -> tuple[dict[str, Any], Any]:  # fmt: skip
    """Return the scene and its camera: matrix and field of view in degrees."""
    body, ink = chance_colours(rng)
    sheet = atlas(marks)
    colour, ink = _coloured(rng, sheet, body, ink, marks, night, material)
    corners = points.reshape(-1, 3)
    path = kept_mesh(mi, rng, corners, np.arange(len(corners)), shape.places)
    bsdf = _surface(mi, rng, material, sheet, colour, body, ink)
    to_world = _place_of_camera(mi, _middle(kind), tilt, towards, distance, at)
    field = float(2 * np.degrees(np.arctan(_WIDE / 2 / distance * film[0] / size)))
    sensor = {"type": "perspective", "fov": field, "fov_axis": "x", "to_world": to_world,
              "film": {"type": "hdrfilm", "width": film[0], "height": film[1],
                       "rfilter": {"type": "gaussian"}}}  # fmt: skip
    scene: dict[str, Any] = {"type": "scene", "integrator": {"type": "path", "max_depth": 9}, "sensor": sensor,
                             "die": {"type": "ply", "filename": path, "face_normals": True, "bsdf": bsdf}}  # fmt: skip
    return scene | _around(mi, rng, ground) | lamps(mi, rng, distance, 25), (np.array(to_world.matrix), field)


def _coloured(
    rng: np.random.Generator,
    sheet: np.ndarray,
    body: np.ndarray,
    ink: np.ndarray,
    marks: Any,
    night: Any,
    material: str,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the colours of faces and ink; for a die with day and night faces, of each pixel."""
    base = body_art(material, body, sheet.shape, rng)
    share = sheet[..., None]
    if night is not None:
        dark, bright = np.clip(rng.uniform(0.01, 0.15, 3), 0, 1), np.clip(rng.uniform(0.55, 0.95, 3), 0, 1)
        sides = atlas([np.full_like(m, float(n)) for m, n in zip(marks, night, strict=True)])[..., None]
        base, ink = bright * (1 - sides) + dark * sides, bright * sides + dark * (1 - sides)
    return np.clip(base * (1 - share) + ink * share, 0.005, 0.98).astype(np.float32), ink


def _surface(mi: Any, rng: np.random.Generator, material: str, sheet: np.ndarray, colour: np.ndarray,
             body: np.ndarray, ink: np.ndarray) -> dict[str, Any]:  # fmt: skip
    """Return the die's material, with printed or engraved marks."""
    texture = bitmap(mi, colour)
    rough = float(rng.uniform(0.05, 0.5))
    if material == "glass":
        return _glass(mi, rng, sheet, body, ink)
    if material == "metal":
        bsdf: dict[str, Any] = {"type": "principled", "base_color": texture, "metallic": float(rng.uniform(0.6, 1)),
                                "roughness": float(rng.uniform(0.2, 0.5))}  # fmt: skip
    else:
        shine = float(rng.uniform(0.2, 0.8))
        bsdf = {"type": "principled", "base_color": texture, "roughness": rough, "specular": shine,
                "clearcoat": float(rng.uniform(0, 0.8))}  # fmt: skip
    if rng.random() < 0.6:
        deep = cv2.GaussianBlur(sheet, (0, 0), 2.0)[..., None]
        bump = {"type": "bitmap", "bitmap": mi.Bitmap(np.ascontiguousarray(1 - deep)), "raw": True}
        bsdf = {"type": "bumpmap", "arbitrary": bump, "scale": float(rng.uniform(0.1, 0.6)), "bsdf": bsdf}
    return bsdf


def _glass(mi: Any, rng: np.random.Generator, sheet: np.ndarray, body: np.ndarray, ink: np.ndarray) -> dict[str, Any]:
    mask = {"type": "bitmap", "bitmap": mi.Bitmap(np.ascontiguousarray(np.repeat(sheet[..., None], 3, axis=2))),
            "raw": True}  # fmt: skip
    through = {"type": "rgb", "value": (0.3 + 0.65 * body / max(body)).tolist()}
    clear = {"type": "dielectric", "int_ior": 1.4, "specular_transmittance": through}
    paint = {"type": "twosided", "bsdf": {"type": "diffuse", "reflectance": {"type": "rgb", "value": ink.tolist()}}}
    plastic = {"type": "plastic", "diffuse_reflectance": {"type": "rgb", "value": body.tolist()}}
    weight = float(rng.uniform(0.1, 0.7))
    milky = {"type": "blendbsdf", "weight": weight, "a": clear, "b": {"type": "twosided", "bsdf": plastic}}
    rng.random()  # keeps the random sequence: for other materials, whether the marks are engraved
    return {"type": "blendbsdf", "weight": mask, "a": milky, "b": paint}


def _place_of_camera(
    mi: Any, middle: np.ndarray, tilt: float, towards: float, distance: float, at: np.ndarray
) -> Any:  # fmt: skip
    way = way_of(tilt, towards)
    focus = middle + np.array([*at, 0.0])
    origin = middle + distance * way + np.array([*at, 0.0])
    return mi.ScalarTransform4f().look_at(origin=origin.tolist(), target=focus.tolist(), up=[0, 1, 0])


def _around(mi: Any, rng: np.random.Generator, ground: str) -> dict[str, Any]:
    """Return the table and the ambient light."""
    turn = mi.ScalarTransform4f
    around = turn().rotate([0, 0, 1], float(rng.uniform(0, 360))) @ turn().scale([14, 14, 1])
    top = {"type": "principled", "base_color": bitmap(mi, ground_art(ground, rng)),
           "roughness": float(rng.uniform(0.3, 1)), "specular": float(rng.uniform(0, 0.5))}  # fmt: skip
    glow = rng.uniform(0.12, 0.5, 3).mean() * np.array([1, 1, 1]) * rng.uniform(0.85, 1.15, 3)
    return {
        "table": {"type": "rectangle", "to_world": around, "bsdf": top},
        "room": {"type": "constant", "radiance": {"type": "rgb", "value": glow.tolist()}},
    }


def lamps(mi: Any, rng: np.random.Generator, distance: float, lowest_deg: float) -> dict[str, Any]:
    """Return one to three lamps farther away than the camera, at least ``lowest_deg`` above the table."""
    turn = mi.ScalarTransform4f
    made: dict[str, Any] = {}
    for k in range(int(rng.integers(1, 4))):
        az, el, far = rng.uniform(0, 2 * np.pi), np.radians(rng.uniform(lowest_deg, 85)), distance + 3
        place = far * np.array([np.cos(az) * np.cos(el), np.sin(az) * np.cos(el), np.sin(el)])
        wide = far * float(rng.uniform(0.05, 0.3))
        warm = np.array([1.0, rng.uniform(0.75, 1.0), rng.uniform(0.5, 1.1)])
        seen_by = turn().look_at(origin=place.tolist(), target=[0, 0, 0.5], up=[0, 1, 0.01])
        glow = warm * rng.uniform(1, 4) * far**2 / (4 * wide**2) / 4
        light = {"type": "area", "radiance": {"type": "rgb", "value": glow.tolist()}}
        made[f"lamp{k}"] = {"type": "rectangle", "to_world": seen_by @ turn().scale([wide, wide, 1]), "emitter": light}
    return made


def kept_mesh(mi: Any, rng: np.random.Generator, points: np.ndarray, faces: np.ndarray, places: np.ndarray) -> str:
    """Write a triangle mesh: ``faces`` index ``points`` (n, 3), ``places`` are texture coordinates; return the file."""
    mesh = mi.Mesh("one", len(points), faces.size // 3, has_vertex_normals=False, has_vertex_texcoords=True)
    params = mi.traverse(mesh)
    params["vertex_positions"] = points.reshape(-1).astype(np.float32)
    params["faces"] = faces.reshape(-1).astype(np.uint32)
    params["vertex_texcoords"] = places.reshape(-1).astype(np.float32)
    params.update()
    path = str(Path(_MESHES.name) / f"{rng.integers(1 << 40)}.ply")
    mesh.write_ply(path)
    return path


def bitmap(mi: Any, colours: np.ndarray) -> dict[str, Any]:
    """Return a picture, (h, w, 3) linear, as a texture."""
    art = mi.Bitmap(np.ascontiguousarray(colours.astype(np.float32)))
    return {"type": "bitmap", "bitmap": art, "raw": True, "filter_type": "bilinear"}


def projected(points: np.ndarray, camera: Any, film: tuple[int, int]) -> np.ndarray:
    """Return where points (n, 3) appear, pixels (n, 2)."""
    world, field = camera
    local = (np.linalg.inv(world) @ np.hstack([points, np.ones((len(points), 1))]).T).T[:, :3]
    focal = film[0] / 2 / np.tan(np.radians(field) / 2)
    return np.column_stack([film[0] / 2 - focal * local[:, 0] / local[:, 2],
                            film[1] / 2 - focal * local[:, 1] / local[:, 2]])  # fmt: skip


def _box(points: np.ndarray, camera: Any, film: tuple[int, int]) -> list[float]:
    seen = projected(points, camera, film)
    return [*map(float, seen.min(axis=0)), *map(float, np.ptp(seen, axis=0))]


def photographed(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Apply exposure, focus, noise and JPEG; pixels without a value are inpainted.

    Raises:
        RuntimeError: too many pixels without a value.
    """
    unknown = ~np.isfinite(image).all(axis=2)
    if unknown.mean() > _MAX_UNKNOWN:
        raise RuntimeError(f"Mitsuba knows nothing of {unknown.mean():.0%} of the pixels: is a side quite upright?")
    image = np.nan_to_num(image, posinf=0.0, neginf=0.0)
    level = float(np.percentile(image.max(axis=2), 96))
    shown = np.clip(image / max(level, 1e-3) * rng.uniform(0.45, 1.05), 0, 1) ** (1 / 2.2)
    bgr = (255 * shown[..., ::-1]).astype(np.float32)
    if unknown.any():
        sharp = np.ascontiguousarray(bgr.astype(np.uint8))
        bgr = cv2.inpaint(sharp, unknown.astype(np.uint8), 2, cv2.INPAINT_TELEA).astype(np.float32)
    bgr = cv2.GaussianBlur(bgr, (0, 0), float(rng.uniform(0.3, 0.9)))
    bgr += rng.normal(0, rng.uniform(0.5, 5), bgr.shape).astype(np.float32)
    packed = cv2.imencode(".jpg", np.nan_to_num(np.clip(bgr, 0, 255)).astype(np.uint8),
                          [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(60, 96))])[1]  # fmt: skip
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR))
