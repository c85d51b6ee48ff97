"""Chance looks of bowls, tables, lamps and dice, and the camera's view of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rendering.bowls.rays import Camera, Die, Floats, Lamp, Picture, Scene, Surface, render
from companion.rendering.bowls.shapes import Bowl, Pose
from companion.rendering.faces import Colour, FaceArt
from companion.rendering.layouts import Layout
from companion.rendering.materials import Material
from tools.training.bowls.paint import chance_pips, paint
from tools.training.bowls.throws import Lying, chance_bowl, chance_poses, lying, on_table
from tools.training.samples.appearance import brightness, chance_colour, chance_table
from tools.training.samples.chance_dice import chance_d6
from tools.training.samples.fonts import Fonts, Split

_ART: Final = 384
_COUNTS: Final = (3, 3, 3, 4, 5, 6, 7, 8, 2, 0)
_SIDE: Final = 272
VIEW_PX: Final = 160
"""Side of the picture in which the bowl is found."""
_LEAST_EDGE_PX: Final = 19.0
_CLOSE_EDGES_PX: Final = (28.0, 56.0)
_CLOSE_COUNTS: Final = (3, 3, 4, 4, 5, 6, 7)


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """A picture, its dice, the bowl's rim, float32 (n, 2) pixels, and how the camera is tilted.

    `tilt` is off the vertical, radians; `away_deg` is the direction in the picture that leads away from the camera,
    clockwise from its upper side.
    """

    picture: Picture
    dice: tuple[Lying, ...]
    rim: np.ndarray
    tilt: float
    away_deg: float


def chance_shot(
    rng: np.random.Generator, fonts: Fonts, split: Split, *, edge_px: float | None = None, count: int | None = None
) -> Shot:
    """Return a chance picture of a bowl and what lies in it.

    Args:
        edge_px: length of a die's edge; the picture then shows the whole bowl. Else a small picture of the dice.
        count: dice in the bowl; none lies outside then.
    """
    bowl = chance_bowl(rng)
    poses = chance_poses(rng, bowl, int(rng.choice(_COUNTS)) if count is None else count)
    if count is None and rng.random() < 0.08:
        poses.append(on_table(rng, bowl))
    if edge_px is None:
        camera = chance_camera(rng, bowl, poses, (_SIDE, _SIDE))
    else:
        side = round(2.5 * bowl.radius * edge_px)
        camera = replace(chance_camera(rng, bowl, (), (side, side)), distance=30.0, focal_px=30 * edge_px)
    return _shot(rng, fonts, split, bowl, poses, camera, fine=1.0)


def chance_close(rng: np.random.Generator, fonts: Fonts, split: Split) -> Shot:
    """Return a chance picture of the dice in a bowl from close by; of a large bowl it shows a part only."""
    bowl = chance_bowl(rng)
    poses = chance_poses(rng, bowl, int(rng.choice(_CLOSE_COUNTS)))
    if rng.random() < 0.06:
        poses.append(on_table(rng, bowl))
    camera = chance_camera(rng, bowl, (), (_SIDE, _SIDE))
    edge_px = float(np.exp(rng.uniform(*np.log(_CLOSE_EDGES_PX))))
    at = poses[int(rng.integers(len(poses)))].middle[:2] if poses else np.zeros(2)
    at = at * float(rng.uniform(0.5, 1)) + rng.uniform(-0.8, 0.8, 2)
    camera = replace(camera, focal_px=edge_px * camera.distance, middle=(float(at[0]), float(at[1]), 0.3 * bowl.height))
    return _shot(rng, fonts, split, bowl, poses, camera, fine=1.0)


def chance_view(rng: np.random.Generator, fonts: Fonts, split: Split) -> Shot:
    """Return a small picture of a whole bowl on its table, as the network that finds the bowl takes it.

    One in ten shows only the table, sometimes with dice on it; its rim lies outside the picture.
    """
    bowl = chance_bowl(rng)
    is_bare = rng.random() < 0.1
    poses = chance_poses(rng, bowl, int(rng.integers(0, 5))) if not is_bare else []
    poses += [on_table(rng, bowl) for _ in range(int(rng.integers(1, 4)) if is_bare or rng.random() < 0.15 else 0)]
    camera = chance_camera(rng, bowl, (), (VIEW_PX, VIEW_PX))
    share = float(rng.uniform(0.35, 1.02))
    focal = share * VIEW_PX / (2 * bowl.radius) * (camera.distance - bowl.height)
    away = rng.uniform(-0.5, 0.5, 2) * (1.05 - share) * 2 * bowl.radius / share
    if is_bare and poses:
        away = poses[0].middle[:2] * 1.6 + rng.uniform(-1, 1, 2)
        focal = VIEW_PX / (2.0 * float(np.hypot(*away) - bowl.radius - bowl.lip) + 1) * camera.distance * 0.8
    camera = replace(camera, focal_px=focal, middle=(float(away[0]), float(away[1]), 0.5 * bowl.height))
    return _shot(rng, fonts, split, bowl, poses, camera, fine=1.0)


def _shot(
    rng: np.random.Generator,
    fonts: Fonts,
    split: Split,
    bowl: Bowl,
    poses: Sequence[Pose],
    camera: Camera,
    *,
    fine: float,
) -> Shot:
    surface, dice, values = _surface(rng), [], []
    usual = _die(rng, fonts, split, surface)
    for pose in poses:
        art, material, layout, ball = usual if rng.random() < 0.8 else _die(rng, fonts, split, surface)
        dice.append(Die(art, material, pose, ball))
        values.append(layout)
    outer = surface if rng.random() < 0.4 else _surface(rng)
    table = Surface(chance_table(rng, _ART), 5 * bowl.radius, gloss=float(rng.choice([0, rng.uniform(0, 0.6)])))
    lamps, ambient, sky = chance_light(rng)
    scene = Scene(bowl, replace(surface, span=2 * bowl.radius), replace(outer, span=2.6 * bowl.radius), table,
                  tuple(dice), lamps, ambient, sky, camera, float(rng.uniform(0.6, 1.25)))  # fmt: skip
    picture, owner = render(scene, rng, fine=fine, samples=1)
    turn = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    ring = np.column_stack([np.cos(turn), np.sin(turn), np.zeros(48)]) * bowl.radius + (0, 0, bowl.height)
    shown = lying(dice, values, owner, camera, bowl)
    far = camera.project(np.array([[0, 0, 0], [-np.cos(camera.towards), -np.sin(camera.towards), 0]]))
    dx, dy = far[1] - far[0]
    away_deg = float(np.degrees(np.arctan2(dx, -dy)))
    return Shot(developed(picture, rng), tuple(shown), camera.project(ring).astype(np.float32), camera.tilt, away_deg)


def chance_camera(rng: np.random.Generator, bowl: Bowl, poses: Sequence[Pose], size: tuple[int, int]) -> Camera:
    tilt = np.radians(34) * float(rng.random()) ** 0.9
    distance = float(np.exp(rng.uniform(np.log(4.5), np.log(16)))) * bowl.radius
    share = float(rng.uniform(0.68, 1.1))
    focal = share * min(size) / (2 * bowl.radius) * (distance - bowl.height)
    away = rng.uniform(-0.12, 0.12, 2) * bowl.radius
    if poses and focal / distance < _LEAST_EDGE_PX:  # a large bowl: only the part where the dice lie
        focal = float(rng.uniform(1, 1.5)) * _LEAST_EDGE_PX * distance
        away = np.mean([pose.middle[:2] for pose in poses], axis=0) + rng.uniform(-0.5, 0.5, 2)
    return Camera(size, focal, distance, float(tilt), float(rng.uniform(0, 2 * np.pi)),
                  float(rng.uniform(0, 2 * np.pi)), (float(away[0]), float(away[1]), 0.5 * bowl.height))  # fmt: skip


def _die(
    rng: np.random.Generator, fonts: Fonts, split: Split, surface: Surface
) -> tuple[tuple[FaceArt, ...], Material, Layout, float]:
    die, layout, has_numerals = chance_d6(rng, fonts, split)
    if not has_numerals and rng.random() < 0.3:
        die = replace(die, art=chance_pips(rng, layout, die.art))
    material = replace(die.material, clear=0.0, rounding=float(rng.uniform(0.01, 0.14)))
    if rng.random() < 0.25:  # the usual die: white or ivory, black pips
        light = float(rng.uniform(200, 250))
        material = replace(material, base=(light * float(rng.uniform(0.82, 1)), light * 0.98, light), pattern="solid",
                           metal=0.0)  # fmt: skip
        dark = _colour(rng.uniform(5, 50, 3))
        art = tuple(replace(a, ink=dark) if not isinstance(a.ink, tuple) or brightness(a.ink) > 110 else a
                    for a in die.art)  # fmt: skip
        return art, material, layout, _ball(rng)
    if rng.random() < 0.12:  # of the bowl's colour
        mean = surface.art.reshape(-1, 3).mean(axis=0)
        base = _colour(np.clip(mean + rng.uniform(-18, 18, 3), 0, 255))
        if all(isinstance(a.ink, tuple) and abs(brightness(a.ink) - brightness(base)) > 45 for a in die.art):
            material = replace(material, base=base, pattern="solid")
    return die.art, material, layout, _ball(rng)


def _colour(bgr: NDArray[np.floating]) -> Colour:
    return float(bgr[0]), float(bgr[1]), float(bgr[2])


def _ball(rng: np.random.Generator) -> float:
    return float(rng.uniform(0.78, 0.97)) if rng.random() < 0.4 else 1.0


def _surface(rng: np.random.Generator) -> Surface:
    kind = rng.random()
    if kind < 0.25:
        plain = np.full((_ART, _ART, 3), chance_colour(rng), np.float32)
        plain += rng.normal(0, rng.uniform(0, 4), (_ART, _ART, 1)).astype(np.float32)
        art = np.clip(plain, 0, 255).astype(np.uint8)
    else:
        art = chance_table(rng, _ART)
    if rng.random() < 0.6:
        paint(art, rng)
    metal = float(rng.uniform(0.4, 1)) if rng.random() < 0.14 else 0.0
    return Surface(art, 1.0, float(rng.uniform(0, 1)), metal, float(rng.uniform(0.05, 1)))


def chance_light(rng: np.random.Generator) -> tuple[tuple[Lamp, ...], tuple[float, float, float], Floats]:
    ambient = rng.uniform(0.15, 0.9)
    warm = rng.uniform(-0.15, 0.15)
    lamps = []
    n = 96
    y, x = np.mgrid[-1 : 1 : n * 1j, -1 : 1 : n * 1j].astype(np.float32)
    slope = rng.uniform(-0.3, 0.3, 2)
    sky = np.repeat((ambient * (0.8 + slope[0] * x + slope[1] * y))[..., None], 3, axis=2).astype(np.float32)
    for _ in range(int(rng.integers(0, 4))):  # windows, softboxes, a ceiling's panels
        centre, sides = rng.uniform(0, n, 2), rng.uniform(5, 30, 2)
        corners = cv2.boxPoints((centre.tolist(), sides.tolist(), float(rng.uniform(0, 180))))
        layer = np.zeros((n, n), np.float32)
        cv2.fillConvexPoly(layer, corners.round().astype(np.int32), float(rng.uniform(0.5, 6)), cv2.LINE_AA)
        sky += cv2.GaussianBlur(layer, (0, 0), rng.uniform(0.5, 3))[..., None]
    for _ in range(int(rng.integers(1, 4))):
        around, above = rng.uniform(0, 2 * np.pi), np.radians(rng.uniform(25, 88))
        way = np.array([np.cos(around) * np.cos(above), np.sin(around) * np.cos(above), np.sin(above)])
        wide, tint = float(rng.uniform(0.01, 0.3)), rng.uniform(-0.15, 0.15)
        power = float(rng.uniform(0.15, 1.1))
        lamps.append(Lamp(way, wide, (power * (1 - tint), power, power * (1 + tint))))
        spread = 0.04 + 0.5 * wide
        sky += (np.exp(-((x - way[0]) ** 2 + (y + way[1]) ** 2) / spread**2) * 8 * power)[..., None]
    light = (ambient * (1 - warm), ambient, ambient * (1 + warm))
    return tuple(lamps), light, sky.astype(np.float32)


def developed(picture: Picture, rng: np.random.Generator) -> Picture:
    """Return what a camera makes of it: focus, sharpening, colour balance, noise, JPEG."""
    seen = picture.astype(np.float32)
    if rng.random() < 0.7:
        soft = np.asarray(cv2.GaussianBlur(seen, (0, 0), float(rng.uniform(0.3, 1.0))), np.float32)
        seen = soft if rng.random() < 0.7 else seen + (seen - soft) * np.float32(rng.uniform(0.3, 1.2))
    gain = rng.uniform(0.85, 1.12) * rng.uniform(0.9, 1.1, 3)
    seen = seen * gain.astype(np.float32) + np.float32(rng.uniform(-6, 14))
    seen += rng.normal(0, rng.uniform(0, 7) * rng.random() + 0.01, seen.shape).astype(np.float32)
    done = np.clip(seen, 0, 255).astype(np.uint8)
    if rng.random() < 0.5:
        packed = cv2.imencode(".jpg", done, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(50, 96))])[1]
        return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)
    return done
