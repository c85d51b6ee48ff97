"""Ray tracer for dice in a bowl: soft shadows, glaze, and light reflected by the bowl."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rendering.bowls.shapes import Bowl, Pose
from companion.rendering.faces import SIDE, FaceArt, art_axes
from companion.rendering.materials import FIELD, Material, pattern_field
from companion.rendering.solids import solid

Floats = NDArray[np.float32]
Picture = NDArray[np.uint8]
TABLE, BOWL = -1, 0
_A: Final = np.float32(1 / np.sqrt(3))  # half an edge of a die with circumscribed radius 1
_TO_EDGES: Final = np.float32(np.sqrt(3) / 2)  # a die's circumscribed radius in edges
_STEPS: Final = 9
_RELIEF: Final = 0.9
_SMALL: Final = 240  # width of a picture that is only used for exposure


@dataclass(frozen=True, eq=False)
class Surface:
    """Surface of the bowl or the table.

    Attributes:
        art: uint8 (n, n, 3) BGR, seen from above.
        span: width in die edges.
        gloss: 0 matt to 1 glazed. metal: 0 to 1. rough: 0 for sharp to 1 for diffuse reflections.
    """

    art: Picture
    span: float
    gloss: float = 0.0
    metal: float = 0.0
    rough: float = 0.5


@dataclass(frozen=True, eq=False)
class Die:
    """A d6 in the scene; ``ball``: radius of the sphere that cuts its corners off, in circumscribed radii."""

    art: tuple[FaceArt, ...]
    material: Material
    pose: Pose
    ball: float = 1.0
    edge: float = 1.0


@dataclass(frozen=True, eq=False)
class Lamp:
    """A distant lamp: unit vector towards it, angular size (radians), and light, BGR."""

    way: NDArray[np.float64]
    wide: float
    light: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Camera:
    """A camera above the bowl.

    Attributes:
        size: width and height of its picture.
        focal_px: focal length.
        middle: the point it looks at.
        distance: from that point, in edges. tilt: off the vertical (radians). towards: azimuth of the camera.
        roll: rotation of the picture (radians).
        shift: offset of the optical axis from the picture's centre, pixels right and down; nonzero in a crop.
    """

    size: tuple[int, int]
    focal_px: float
    distance: float
    tilt: float = 0.0
    towards: float = 0.0
    roll: float = 0.0
    middle: tuple[float, float, float] = (0.0, 0.0, 0.5)
    shift: tuple[float, float] = (0.0, 0.0)

    def part(self, box: tuple[int, int, int, int]) -> Camera:
        """Return the camera for a crop of its picture: x, y, width and height in pixels."""
        x, y, width, height = box
        shift = ((self.size[0] - width) / 2 - x, (self.size[1] - height) / 2 - y)
        return replace(self, size=(width, height), shift=shift)

    def axes(self) -> NDArray[np.float64]:
        """Return the unit vectors right, up, and towards the camera in the world, as rows."""
        back = np.array([np.sin(self.tilt) * np.cos(self.towards), np.sin(self.tilt) * np.sin(self.towards),
                         np.cos(self.tilt)])  # fmt: skip
        up = np.array([np.cos(self.roll), np.sin(self.roll), 0.0])
        up -= back * (up @ back)
        up /= np.linalg.norm(up)
        return np.stack([np.cross(up, back), up, back])

    def project(self, points: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the projections of points (n, 3), pixels (n, 2)."""
        axes = self.axes()
        seen = (points - np.array(self.middle)) @ axes.T
        flat = seen[:, :2] * (self.focal_px / (self.distance - seen[:, 2]))[:, None] * (1, -1)
        return np.asarray(flat + np.array(self.size) / 2 + self.shift)

    def rays(self) -> tuple[Floats, Floats]:
        """Return the eye (3,) and each pixel's unit direction, float32 (height * width, 3)."""
        axes = self.axes()
        width, height = self.size
        right, down = width / 2 + self.shift[0], height / 2 + self.shift[1]
        x, y = np.meshgrid(np.arange(width) + 0.5 - right, down - np.arange(height) - 0.5)
        ways = np.stack([x.ravel(), y.ravel(), np.full(x.size, -self.focal_px)], axis=1) @ axes
        ways /= np.linalg.norm(ways, axis=1)[:, None]
        return (np.array(self.middle) + self.distance * axes[2]).astype(np.float32), ways.astype(np.float32)


@dataclass(frozen=True, eq=False)
class Scene:
    """A scene; ``sky`` is the environment for reflections, float32 (n, n, 3), with straight up in the middle."""

    bowl: Bowl
    inner: Surface
    outer: Surface
    table: Surface
    dice: tuple[Die, ...]
    lamps: tuple[Lamp, ...]
    ambient: tuple[float, float, float]
    sky: Floats
    camera: Camera
    exposure: float = 1.0
    "Relative to automatic exposure."


@dataclass(eq=False)
class _Hits:
    """Ray hits: depth, object (`TABLE`, `BOWL` or a die's number from 1), normal, colour, gloss."""

    t: Floats
    what: NDArray[np.int8]
    normal: Floats
    colour: Floats
    gloss: Floats
    metal: Floats
    rough: Floats


def render(
    scene: Scene, rng: np.random.Generator, *, fine: float = 1.5, samples: int = 3, white: float | None = None
) -> tuple[Picture, Picture]:
    """Return the picture, uint8 (H, W, 3) BGR, and the die at each pixel, uint8 (H, W): its number, 0 for none.

    Args:
        fine: rays per side of a pixel.
        samples: shadow rays per lamp.
        white: the light shown almost white; None for automatic exposure (`white_of`).
    """
    size = _fine_size(scene.camera, fine)
    linear, owner = _traced(scene, size, rng, samples)
    linear *= np.float32(0.85 * scene.exposure / (white_of(linear) if white is None else white))
    picture = cv2.resize(linear.reshape(size[1], size[0], 3), scene.camera.size, interpolation=cv2.INTER_AREA)
    picture = 255 * np.clip(picture, 0, 1) ** np.float32(1 / 2.2)
    seen = cv2.resize(owner, scene.camera.size, interpolation=cv2.INTER_NEAREST)
    return picture.astype(np.uint8), np.asarray(seen, np.uint8)


def white_of(linear: Floats) -> float:
    """Return the light shown almost white with automatic exposure."""
    return max(1e-3, float(np.percentile(linear, 97)))


def measured(scene: Scene, rng: np.random.Generator) -> float:
    """Return `white_of` for a scene, from a small picture."""
    width, height = scene.camera.size
    linear, _ = _traced(scene, (_SMALL, max(1, round(_SMALL * height / width))), rng, 1)
    return white_of(linear)


def _fine_size(camera: Camera, fine: float) -> tuple[int, int]:
    return round(camera.size[0] * fine), round(camera.size[1] * fine)


def _traced(scene: Scene, size: tuple[int, int], rng: np.random.Generator, samples: int) -> tuple[Floats, Picture]:
    """Return the light of each ray, float32 (n, 3), and the object it hits, uint8 (height, width)."""
    grow = size[0] / scene.camera.size[0]
    shift = scene.camera.shift[0] * grow, scene.camera.shift[1] * grow
    camera = replace(scene.camera, size=size, focal_px=scene.camera.focal_px * grow, shift=shift)
    eye, ways = camera.rays()
    hits = _ground(scene, eye, ways)
    for number, die in enumerate(scene.dice, start=1):
        part = _part(die, camera)
        if len(part):
            _add_die(hits, die, number, eye, ways, part)
    linear = _lit(scene, hits, eye, ways, rng, samples)
    return linear, np.maximum(hits.what, 0).astype(np.uint8).reshape(size[1], size[0])


def linear_of(colour: NDArray[np.generic] | Sequence[float]) -> Floats:
    """Return linear light for sRGB colours of 0 to 255.

    >>> linear_of([0, 255]).tolist()
    [0.0, 1.0]
    """
    return np.asarray(np.clip(np.asarray(colour, np.float32) / 255, 0, 1) ** np.float32(2.2), np.float32)


# ---- intersections


def _ground(scene: Scene, eye: Floats, ways: Floats) -> _Hits:
    """Intersect the table, and the bowl's outside, rim and inside."""
    n, bowl = len(ways), scene.bowl
    t = -eye[2] / np.minimum(ways[:, 2], -1e-3)
    at = eye + t[:, None] * ways
    normal = np.zeros((n, 3), np.float32)
    normal[:, 2] = 1
    polish = (np.full(n, v, np.float32) for v in (scene.table.gloss, scene.table.metal, scene.table.rough))
    hits = _Hits(t, np.full(n, TABLE, np.int8), normal, _art(scene.table, at), *polish)
    _add_outside(hits, scene, eye, ways)
    rim = (bowl.height - eye[2]) / ways[:, 2]
    over = eye[:2] + rim[:, None] * ways[:, :2]
    far = np.hypot(over[:, 0], over[:, 1])
    lip = np.flatnonzero((far >= bowl.radius) & (far < bowl.radius + bowl.lip) & (rim < hits.t))
    bend = ((far[lip] - bowl.radius) / bowl.lip * 2 - 1) * 0.9  # the lip is round
    out = over[lip] / far[lip, None]
    around = np.column_stack([out * bend[:, None], np.sqrt(1 - bend * bend)]).astype(np.float32)
    _set(hits, lip, rim[lip], around, scene.outer, np.column_stack([over[lip], np.zeros(len(lip))]))
    inside = np.flatnonzero(far < bowl.radius)
    _add_inside(hits, scene, eye, ways, rim, inside)
    return hits


def _set(
    hits: _Hits, at: NDArray[np.int64], t: Floats, normal: Floats, surface: Surface, point: NDArray[np.floating]
) -> None:
    hits.t[at], hits.normal[at], hits.colour[at] = t, normal, _art(surface, point.astype(np.float32))
    hits.what[at], hits.gloss[at], hits.metal[at], hits.rough[at] = BOWL, surface.gloss, surface.metal, surface.rough


def _add_outside(hits: _Hits, scene: Scene, eye: Floats, ways: Floats) -> None:
    """Add the outside: a cone from the foot up to the rim."""
    bowl = scene.bowl
    top = bowl.radius + bowl.lip
    grow = top * (1 - bowl.foot) / bowl.height
    base = top * bowl.foot + grow * eye[2]
    a = ways[:, 0] ** 2 + ways[:, 1] ** 2 - (grow * ways[:, 2]) ** 2
    b = eye[0] * ways[:, 0] + eye[1] * ways[:, 1] - base * grow * ways[:, 2]
    c = eye[0] ** 2 + eye[1] ** 2 - base * base
    root = b * b - a * c
    with np.errstate(all="ignore"):
        for sign in (-1, 1):
            t = (-b + sign * np.sqrt(np.maximum(root, 0))) / a
            z = eye[2] + t * ways[:, 2]
            on = np.flatnonzero((root > 0) & (z > 0) & (z < bowl.height) & (t > 0) & (t < hits.t))
            at = eye + t[on, None] * ways[on]
            out = at[:, :2] / np.hypot(at[:, 0], at[:, 1])[:, None]
            normal = np.column_stack([out, np.full(len(on), -grow)]) / np.hypot(1, grow)
            facing = (normal * ways[on]).sum(axis=1) < 0
            _set(hits, on[facing], t[on[facing]], normal[facing].astype(np.float32), scene.outer, at[facing])


def _add_inside(hits: _Hits, scene: Scene, eye: Floats, ways: Floats, rim: Floats, inside: NDArray[np.int64]) -> None:
    bowl = scene.bowl
    way, low = ways[inside], rim[inside].astype(np.float64)
    high = (bowl.height - bowl.depth - eye[2]) / way[:, 2].astype(np.float64)
    for _ in range(11):  # the inside is convex: each ray leaves it once
        t = (low + high) / 2
        x, y, z = (eye[k] + t * way[:, k] for k in range(3))
        above = (z > bowl.inside(x, y)) & (np.hypot(x, y) < bowl.radius)
        low, high = np.where(above, t, low), np.where(above, high, t)
    at = eye + high[:, None] * way
    far = np.maximum(np.hypot(at[:, 0], at[:, 1]), 1e-6)
    slope = bowl.slope(far)
    out = -at[:, :2] / far[:, None] * slope[:, None]
    normal = np.column_stack([out, np.ones(len(at))]) / np.sqrt(1 + slope * slope)[:, None]
    _set(hits, inside, high.astype(np.float32), normal.astype(np.float32), scene.inner, at)


def _art(surface: Surface, at: Floats) -> Floats:
    n = surface.art.shape[0]
    where = (at[:, :2] / np.float32(surface.span) * (1, -1) + 0.5) * n - 0.5
    return linear_of(_looked_up(surface.art, where[:, 0], where[:, 1]))


def _looked_up(picture: NDArray[Any], x: NDArray[np.floating], y: NDArray[np.floating]) -> NDArray[Any]:
    """Return a picture's values at some points, mirrored beyond its border."""
    n, wide = len(x), 1024
    if not n:
        return np.zeros((0, *picture.shape[2:]), picture.dtype)
    rows = -(-n // wide)
    maps = np.zeros((2, rows * wide), np.float32)
    maps[0, :n], maps[1, :n] = x, y
    found = cv2.remap(
        picture, maps[0].reshape(rows, wide), maps[1].reshape(rows, wide), cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REFLECT,
    )  # fmt: skip
    return np.asarray(found.reshape(rows * wide, *picture.shape[2:])[:n])


def _part(die: Die, camera: Camera) -> NDArray[np.int64]:
    """Return the indices of pixels that may show a die."""
    span = 0.9 * die.edge
    box = np.array([[x, y, z] for x in (-span, span) for y in (-span, span) for z in (-span, span)]) + die.pose.middle
    flat = camera.project(box)
    width, height = camera.size
    x0, y0 = np.maximum(np.floor(flat.min(axis=0)).astype(int), 0)
    x1, y1 = np.minimum(np.ceil(flat.max(axis=0)).astype(int), (width, height))
    if x1 <= x0 or y1 <= y0:
        return np.zeros(0, np.int64)
    return (np.arange(y0, y1)[:, None] * width + np.arange(x0, x1)).ravel()


def _own(die: Die, points: Floats, *, ways: bool = False) -> Floats:
    """Return world points (or directions) in a die's axes, in circumscribed radii."""
    moved = points if ways else points - die.pose.middle.astype(np.float32)
    return np.asarray(moved @ die.pose.turn.astype(np.float32) / (_TO_EDGES * np.float32(die.edge)), np.float32)


def _slab(origin: Floats, way: Floats) -> tuple[Floats, Floats]:
    """Return the distances at which rays enter and leave the cube, in a die's axes."""
    with np.errstate(divide="ignore", invalid="ignore"):
        turned = np.float32(1) / way
        a, b = (-_A - origin) * turned, (_A - origin) * turned
    near, far = np.minimum(a, b), np.maximum(a, b)
    enter = np.maximum(np.maximum(near[:, 0], near[:, 1]), near[:, 2])
    return enter, np.minimum(np.minimum(far[:, 0], far[:, 1]), far[:, 2])


def _dot(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.einsum("ij,ij->i", a, b), np.float32)


def _unit(a: Floats) -> Floats:
    return np.asarray(a / np.sqrt(_dot(a, a) + np.float32(1e-12))[:, None], np.float32)


def _add_die(hits: _Hits, die: Die, number: int, eye: Floats, ways: Floats, part: NDArray[np.int64]) -> None:
    origin, way = _own(die, eye[None])[0], _own(die, ways[part], ways=True)
    enter, leave = _slab(origin, way)
    may = np.flatnonzero((enter < leave) & (leave > 0) & (enter < hits.t[part]))
    part, way, t = part[may], way[may], enter[may]
    unit = np.asarray(1 / np.sqrt(_dot(way, way)), np.float32)
    rounding = np.float32(max(die.material.rounding, 0.004))
    for _ in range(_STEPS):
        point = origin + t[:, None] * way
        gap = _gap(point, rounding, die.ball)
        t = np.asarray(t + gap * unit, np.float32)
    on = np.flatnonzero((gap < 0.012) & (t < hits.t[part]))
    part, point, t = part[on], point[on], t[on]
    if not len(part):
        return
    normal, colour, marks = _face(die, point, rounding)
    hits.t[part], hits.what[part], hits.colour[part] = t, number, colour
    hits.normal[part] = normal @ die.pose.turn.T.astype(np.float32)
    hits.gloss[part] = die.material.gloss * (1 - 0.6 * marks)
    hits.metal[part] = die.material.metal * (1 - marks)
    hits.rough[part] = 0.35


def _gap(point: Floats, rounding: np.float32, ball: float) -> Floats:
    out = abs(point) - (_A - rounding)
    over = np.maximum(out, 0)
    deepest = np.maximum(np.maximum(out[:, 0], out[:, 1]), out[:, 2])
    box = np.sqrt(_dot(over, over)) + np.minimum(deepest, 0) - rounding
    return np.asarray(np.maximum(box, np.sqrt(_dot(point, point)) - ball), np.float32)


def _face(die: Die, point: Floats, rounding: np.float32) -> tuple[Floats, Floats, Floats]:
    """Return normals, colours and ink coverage of points on a die."""
    cube = solid("d6")
    out = np.maximum(abs(point) - (_A - rounding), 0) * np.sign(point)
    far = np.linalg.norm(point, axis=1)
    normal = np.where((far > die.ball - 0.015)[:, None], point, out)
    normal = _unit(normal)
    face = (point @ cube.normals.T.astype(np.float32)).argmax(axis=1)
    colour, marks = _body(die.material, point), np.zeros(len(point), np.float32)
    for k, art in enumerate(die.art):
        mine = np.flatnonzero(face == k)
        if not len(mine):
            continue
        right, down = (axis.astype(np.float32) for axis in art_axes(cube, k, art.turn_deg))
        away = (point[mine] - cube.centres[k].astype(np.float32)) / np.float32(cube.reach[k])
        x, y = ((away @ axis + 1) * (SIDE / 2) - 0.5 for axis in (right, down))
        share = _looked_up(art.mask, x, y).astype(np.float32) / 255
        ground = colour[mine] if art.ground is None else linear_of(art.ground)
        colour[mine] = ground + share[:, None] * (linear_of(np.asarray(art.ink)) - ground)
        marks[mine] = share
        if art.depth:
            soft = cv2.GaussianBlur(art.mask, (0, 0), SIDE / 40).astype(np.float32)
            soft *= np.float32(art.depth * _RELIEF / 255)
            dx, dy = (cv2.Sobel(soft, cv2.CV_32F, *order, ksize=3, scale=SIDE / 96) for order in ((1, 0), (0, 1)))
            for steep, axis in ((dx, right), (dy, down)):
                normal[mine] += _looked_up(np.asarray(steep), x, y)[:, None] * axis
    return _unit(normal), colour, marks


def _body(material: Material, point: Floats) -> Floats:
    base = np.tile(linear_of(material.base), (len(point), 1))
    if material.pattern == "solid" or material.amount <= 0:
        return base
    field = pattern_field(material.pattern, material.field)
    step = FIELD / (4 * material.grain)
    x, y = (step * (point[:, k] + 0.37 * point[:, 2]) % (FIELD - 1) for k in (0, 1))
    return base + (_looked_up(field, x, y) * material.amount)[:, None] * (linear_of(material.second) - base)


# ---- light


def _lit(scene: Scene, hits: _Hits, eye: Floats, ways: Floats, rng: np.random.Generator, samples: int) -> Floats:
    at = eye + hits.t[:, None] * ways
    at += np.float32(2e-3) * hits.normal
    open_sky, thrown_back = _ambient(scene, hits, at)
    light = open_sky * np.array(scene.ambient, np.float32) + thrown_back
    shading = _blockers(scene, hits, at)
    for lamp in scene.lamps:
        for _ in range(samples):
            jitter = (rng.random((len(at), 3), np.float32) * 2 - 1) * np.float32(lamp.wide)
            way = _unit(lamp.way.astype(np.float32) + jitter)
            facing = np.maximum(_dot(hits.normal, way), 0)
            facing[_shadowed(scene, hits, at, way, shading)] = 0
            light += (facing / samples)[:, None] * np.array(lamp.light, np.float32)
    diffuse = hits.colour * light * (1 - 0.9 * hits.metal)[:, None]
    return np.asarray(diffuse + _mirrored(scene, hits, at, ways), np.float32)


def _ambient(scene: Scene, hits: _Hits, at: Floats) -> tuple[Floats, Floats]:
    """Return each point's visible share of the sky (n, 1), and the light reflected by the bowl (n, 3)."""
    bowl, n = scene.bowl, len(at)
    sky = np.full(n, 1.0, np.float32)
    far = np.hypot(at[:, 0], at[:, 1])
    inside = (far < bowl.radius) & (at[:, 2] < bowl.height)
    deep = np.clip((bowl.height - at[:, 2]) / bowl.radius, 0, 2)
    sky[inside] = 1 / (1 + 0.9 * deep[inside] ** 2)
    upward = 0.5 + 0.5 * hits.normal[:, 2]
    back = ((1 - sky) * 0.75 + 0.25 * (1 - upward) * inside)[:, None]
    level = np.array(scene.ambient, np.float32) + 0.35 * sum(np.array(lamp.light, np.float32) for lamp in scene.lamps)
    mean = linear_of(cv2.resize(scene.inner.art, (1, 1), interpolation=cv2.INTER_AREA)[0, 0])
    table = ~inside
    near = np.clip((far - bowl.radius - bowl.lip) / max(bowl.height, 0.1), 0, 1)
    sky[table] *= (0.55 + 0.45 * near[table]) if bowl.height > 0.1 else 1
    for number, die in enumerate(scene.dice, start=1):
        to = die.pose.middle.astype(np.float32) - at
        gap = np.sqrt(_dot(to, to)) + np.float32(1e-3)
        facing = np.maximum(_dot(to, hits.normal) / gap, 0)
        covered = np.clip(1.25 * facing * (0.58 * die.edge / np.maximum(gap, 0.5 * die.edge)) ** 2, 0, 0.85)
        sky *= np.where(hits.what == number, 1, 1 - covered).astype(np.float32)
    return (sky * (0.5 + 0.5 * upward))[:, None], back * level * (0.25 + 0.75 * mean) * mean


def _blockers(scene: Scene, hits: _Hits, at: Floats) -> list[NDArray[np.int64]]:
    """Return the points that each die's shadow may reach: all below its top, except its own."""
    found = []
    for number, die in enumerate(scene.dice, start=1):
        gap = at - die.pose.middle.astype(np.float32)
        near = np.hypot(gap[:, 0], gap[:, 1]) < 4 * die.edge
        found.append(np.flatnonzero(near & (gap[:, 2] < 0.8 * die.edge) & (hits.what != number)))
    return found


def _shadowed(
    scene: Scene, hits: _Hits, at: Floats, way: Floats, near: Sequence[NDArray[np.int64]]
) -> NDArray[np.bool_]:
    bowl = scene.bowl
    up = np.maximum(way[:, 2], 0.02)
    flat_way = way[:, :2] / up[:, None]
    rise = bowl.height - at[:, 2]
    over = at[:, :2] + rise[:, None] * flat_way
    far, own = np.hypot(over[:, 0], over[:, 1]), np.hypot(at[:, 0], at[:, 1])
    dark = (rise > 0.01) & (own < bowl.radius) & (far > bowl.radius)
    outside = np.flatnonzero((rise > 0.01) & (own >= bowl.radius))
    for share in (0.25, 0.6, 1.0):
        level = at[outside, :2] + (share * bowl.height - at[outside, 2])[:, None] * flat_way[outside]
        wide = (bowl.radius + bowl.lip) * (bowl.foot + (1 - bowl.foot) * share)
        dark[outside] |= (np.hypot(level[:, 0], level[:, 1]) < wide) & (share * bowl.height > at[outside, 2])
    for die, part in zip(scene.dice, near, strict=True):
        enter, leave = _slab(_own(die, at[part]), _own(die, way[part], ways=True))
        dark[part] |= (enter < leave) & (leave > 0.02)
    return np.asarray(dark)


def _mirrored(scene: Scene, hits: _Hits, at: Floats, ways: Floats) -> Floats:
    """Return reflections on polished points: of the sky, other dice, or the bowl's inside."""
    shiny = np.flatnonzero((hits.gloss > 0.02) | (hits.metal > 0.02))
    result = np.zeros((len(at), 3), np.float32)
    if not len(shiny):
        return result
    normal, way = hits.normal[shiny], ways[shiny]
    cosine = np.clip(-_dot(normal, way), 0, 1)
    back = way + 2 * cosine[:, None] * normal
    n = scene.sky.shape[0]
    x, y = ((back[:, k] * s * 0.5 + 0.5) * (n - 1) for k, s in ((0, 1), (1, -1)))
    sharp = _looked_up(scene.sky, x, y)
    haze = _looked_up(np.asarray(cv2.GaussianBlur(scene.sky, (0, 0), n / 9)), x, y)
    rough = hits.rough[shiny][:, None]
    seen = sharp + rough * (haze - sharp)
    mean = linear_of(cv2.resize(scene.inner.art, (1, 1), interpolation=cv2.INTER_AREA)[0, 0])
    low = np.clip(0.5 - 4 * back[:, 2], 0, 1)[:, None]
    seen = seen * (1 - low) + low * mean * np.array(scene.ambient, np.float32)
    for number, die in enumerate(scene.dice, start=1):
        away = at[shiny] - die.pose.middle.astype(np.float32)
        rows = np.flatnonzero((hits.what[shiny] != number) & (_dot(away, away) < 9))
        enter, leave = _slab(_own(die, at[shiny[rows]]), _own(die, back[rows], ways=True))
        on = rows[(enter < leave) & (leave > 0.02)]
        seen[on] = linear_of(die.material.base) * np.array(scene.ambient, np.float32) * 0.8
    fresnel = 0.04 + 0.96 * (1 - cosine) ** 5
    metal = hits.metal[shiny][:, None]
    strength = (hits.gloss[shiny] * fresnel)[:, None] * (1 - metal) + metal * hits.colour[shiny]
    result[shiny] = strength * seen
    return result
