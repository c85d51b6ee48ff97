"""Held-out bowls and dice: materials, pips, numerals, lamps and tables that are not used for tuning or training.

They share the ray caster with the training, but none of its looks.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import cos, pi, radians, sin, sqrt
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from companion.rendering.bowls.rays import Camera, Die, Lamp, Scene, Surface, render
from companion.rendering.bowls.shapes import Bowl, Pose, beside, lifted, overlap, rest, tipped, upright
from companion.rendering.faces import SIDE, FaceArt
from companion.rendering.materials import Material
from companion.rendering.solids import solid

N = 512
ON_EDGE = 0.1
DROPS = Path(__file__).with_name("dropped_dice.npz")
"""1,800 throws of three dice: the first 600 from one run of the simulation, which differs between machines."""
FLAT_ENOUGH = 0.25  # difference of the upper two faces' heights: 35 degrees off an edge
PIPS = {1: [(0, 0)], 2: [(-1, -1), (1, 1)], 3: [(-1, -1), (0, 0), (1, 1)], 4: [(-1, -1), (1, 1), (-1, 1), (1, -1)],
        5: [(-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)],
        6: [(-1, -1), (1, 1), (-1, 1), (1, -1), (-1, 0), (1, 0)]}  # fmt: skip


@dataclass(frozen=True)
class Throw:
    """A picture of a bowl with its ground truth.

    Attributes:
        values: values of the dice in the bowl; None for a cocked or mostly occluded die.
        upper: the same, but None only for a die on its edge or occluded: values that a careful reader may still give.
        out: number of dice beside the bowl.
        size_px: median of the dice's larger sides.
        rim: points of the bowl's rim, (48, 2).
        is_plain: exactly three readable dice, all in the bowl: it should be answered.
    """

    picture: np.ndarray
    values: tuple[int | None, ...]
    out: int
    size_px: float
    boxes: tuple[tuple[float, float, float, float], ...]
    upper: tuple[int | None, ...] = ()
    rim: np.ndarray | None = None

    @property
    def is_plain(self) -> bool:
        return len(self.values) == 3 and None not in self.values and not self.out


Laid = tuple[Bowl, list[Pose]]


def throw(seed: int, *, size_px: float | None = None, count: int = 3, out: int = 0, cocked: bool = False,
          laid: Laid | None = None) -> Throw:  # fmt: skip
    """Return a random throw, deterministic for the arguments.

    Args:
        size_px: approximate size of the dice; random from 40 to 100 by default.
        count: dice in the bowl. out: dice beside it. cocked: one of them leans on its edge.
        laid: a bowl with dice poses, instead of random ones.
    """
    rng = np.random.default_rng([2026, seed])
    size_px = size_px or float(np.exp(rng.uniform(np.log(40), np.log(100))))
    bowl, poses = laid or _laid(rng, count, cocked)
    poses = list(poses)
    for k in range(out):
        far, way = bowl.radius + bowl.lip + rng.uniform(0.8, 1.6), rng.uniform(0, 2 * pi) + k
        turn = upright(int(rng.integers(3)), int(rng.choice([-1, 1])), float(rng.uniform(0, 6)))
        poses.append(Pose(np.array([far * cos(way), far * sin(way), 0.5]), turn))
    inner, outer = _bowl_look(rng, bowl)
    make = _dice_look(rng, inner)
    dice, layouts = [], []
    for pose in poses:
        if rng.random() < 0.12:
            make = _dice_look(rng, inner)
        art, material, layout, ball = make()
        dice.append(Die(art, material, pose, ball))
        layouts.append(layout)
    camera = _camera(rng, bowl, size_px, bool(out))
    lamps, ambient, sky = _light(rng)
    scene = Scene(bowl, inner, outer, _table(rng, bowl), tuple(dice), lamps, ambient, sky, camera,
                  float(rng.uniform(0.7, 1.2)))  # fmt: skip
    picture, owner = render(scene, rng, fine=1.1 if size_px < 60 else 1.0, samples=1)
    picture = _photographed(picture, rng)
    shown = [
        _shown(die, layout, owner == i, camera) for i, (die, layout) in enumerate(zip(dice, layouts, strict=True), 1)
    ]
    sizes = [max(box[2:]) for *_, box in shown] or [size_px]
    return Throw(picture, tuple(value for value, *_ in shown[:count]), out, float(np.median(sizes)),
                 tuple(box for *_, box in shown), tuple(upper for _, upper, _ in shown[:count]),
                 _rim(bowl, camera))  # fmt: skip


def _rim(bowl: Bowl, camera: Camera) -> np.ndarray:
    turn = np.linspace(0, 2 * pi, 49)[:-1]
    up = np.full(48, bowl.height)
    return camera.project(np.column_stack([bowl.radius * np.cos(turn), bowl.radius * np.sin(turn), up]))


def chance_bowl(rng: np.random.Generator) -> Bowl:
    radius = float(rng.uniform(2.5, 4.6))
    depth = float(rng.uniform(0.35, 0.85)) * min(radius, 3.0)
    shapes = ((0.3, 2.0, 0.0, 0.18, 0.5), (0.1, 1.8, 0.35, 0.12, 0.7), (0.4, 3.5, 0.0, 0.3, 0.6),
              (0.05, 5.0, 0.3, 0.08, 0.97))  # fmt: skip
    thick, *shape = shapes[int(rng.integers(4))]
    return Bowl(radius, depth + thick, depth, *shape)


def dropped(number: int, drops: Path = DROPS) -> Laid:
    """Return a bowl with dice poses simulated by `tests/bench/drop_dice.py`."""
    bowl, middle, turn = (_drops(drops)[name][number].astype(float) for name in ("bowl", "middle", "turn"))
    return Bowl(*bowl), [Pose(*pose) for pose in zip(middle, turn, strict=True)]


@cache
def _drops(path: Path) -> dict[str, np.ndarray]:
    with np.load(path) as kept:
        return dict(kept)


def _laid(rng: np.random.Generator, count: int, cocked: bool) -> tuple[Bowl, list[Pose]]:
    while True:
        bowl = chance_bowl(rng)
        poses: list[Pose] = []
        for _ in range(60):
            turn = upright(int(rng.integers(3)), int(rng.choice([-1, 1])), float(rng.uniform(0, 2 * pi)))
            if poses and rng.random() < 0.45:
                at = poses[-1].middle[:2]
                pose = beside(bowl, poses, turn, float(rng.uniform(0, 2 * pi)), at, float(rng.choice([0.0, 0.1])))
            else:
                x, y = rng.normal(0, 0.33 * bowl.radius, 2)
                pose = rest(bowl, float(x), float(y), turn)
            if pose is None or any(overlap(pose, other) for other in poses):
                continue
            if _margin(pose) < FLAT_ENOUGH + 0.03:
                continue
            poses.append(pose)
            if len(poses) == count:
                break
        if len(poses) < count:
            continue
        if cocked:
            poses[-1] = lifted(bowl, tipped(poses[-1], radians(45) - 0.02, float(rng.uniform(0, 2 * pi))), poses[:-1])
        return bowl, poses


def _margin(pose: Pose) -> float:
    second, first = np.sort(solid("d6").normals @ pose.turn.T[:, 2])[-2:]
    return float(first - second)


def _shown(die: Die, layout: tuple[int, ...], mask: np.ndarray, camera: Camera):
    """Return the value (None unless one face is clearly up and mostly visible), the upper face's value, and the box."""
    heights = solid("d6").normals @ die.pose.turn.T[:, 2]
    flat = camera.project(die.pose.middle + (die.pose.corners - die.pose.middle) * 0.97).astype(np.float32)
    (x0, y0), (x1, y1) = flat.min(axis=0), flat.max(axis=0)
    seen = mask.sum() / cv2.contourArea(cv2.convexHull(flat))
    value = layout[int(heights.argmax())] if seen > 0.6 else None
    clear, upper = (value if _margin(die.pose) > least else None for least in (FLAT_ENOUGH, ON_EDGE))
    return clear, upper, (float(x0), float(y0), float(x1 - x0), float(y1 - y0))


def _camera(rng: np.random.Generator, bowl: Bowl, size_px: float, wide: bool) -> Camera:
    edge = size_px / 1.3
    across = 2 * (bowl.radius + bowl.lip) * edge
    height = int(across * rng.uniform(1.1, 1.3)) if not wide else int(across + 6.2 * edge)
    width = int(height * rng.choice([1.0, 1.15, 4 / 3]))
    distance = float(rng.uniform(14, 60))
    tilt = radians(float(rng.choice([0, rng.uniform(0, 12), rng.uniform(10, 30)])))
    towards = float(rng.uniform(0, 2 * pi))
    # up in the picture leads away from the camera, as seen by a person; random if straight down
    roll = towards + pi + radians(float(rng.uniform(-25, 25)))
    return Camera((width, height), edge * distance, distance, tilt, towards, roll,
                  (float(rng.uniform(-0.2, 0.2)), float(rng.uniform(-0.2, 0.2)), 0.4 * bowl.height))  # fmt: skip


# ---- bowls and tables


def _grain(rng: np.random.Generator, sigma: float, stretch: float = 1.0) -> np.ndarray:
    noise = rng.normal(0, 1, (N, N)).astype(np.float32)
    soft = cv2.GaussianBlur(noise, (0, 0), sigma * stretch, sigmaY=sigma)
    return (soft / soft.std())[..., None]


def _painted(base: tuple[int, int, int]) -> np.ndarray:
    return np.full((N, N, 3), base, np.float32)


def _porcelain(rng: np.random.Generator) -> Surface:
    """Return blue brushwork on white."""
    art = _painted((238, 242, 240)) + 1.5 * _grain(rng, 20)
    blue = (150 + rng.uniform(-20, 20), 70, 25)
    for ring in rng.uniform(0.3, 0.97, int(rng.integers(1, 4))):
        cv2.circle(art, (N // 2, N // 2), int(ring * N / 2), blue, int(rng.integers(2, 9)), cv2.LINE_AA)
    petals, far = int(rng.integers(5, 12)), rng.uniform(0.45, 0.75) * N / 2
    for k in range(petals):
        turn = 2 * pi * k / petals
        at = (int(N / 2 + far * cos(turn)), int(N / 2 + far * sin(turn)))
        cv2.ellipse(art, at, (34, 15), float(np.degrees(turn)), 40, 320, blue, 4, cv2.LINE_AA)
        cv2.circle(art, at, 5, blue, -1, cv2.LINE_AA)
    return Surface(np.clip(art, 0, 255).astype(np.uint8), 1.0, 0.9, 0.0, 0.1)


def _wood(rng: np.random.Generator) -> Surface:
    y, x = np.mgrid[0:N, 0:N].astype(np.float32)
    off = rng.uniform(-0.6, 0.6, 2) * N
    ring = np.sin(
        np.hypot(x - N / 2 - off[0], (y - N / 2 - off[1]) * 0.6) / rng.uniform(4, 9) + 2 * _grain(rng, 25)[..., 0]
    )
    dark = np.array([[60, 105, 160], [40, 66, 98], [105, 160, 205]][int(rng.integers(3))], np.float32)
    art = dark * (1 + 0.13 * ring[..., None] + 0.05 * _grain(rng, 1.0, 6.0))
    return Surface(np.clip(art, 0, 255).astype(np.uint8), 1.0, float(rng.uniform(0.1, 0.6)), 0.0, 0.6)


def _lacquer(rng: np.random.Generator) -> Surface:
    base = [(22, 22, 150), (18, 16, 16), (30, 40, 90)][int(rng.integers(3))]
    art = _painted(base)
    for _ in range(int(rng.integers(0, 14))):  # gold leaves
        at = tuple(int(v) for v in rng.uniform(0.1, 0.9, 2) * N)
        cv2.ellipse(art, at, (int(rng.uniform(8, 40)), int(rng.uniform(3, 12))), float(rng.uniform(0, 180)), 0, 360,
                    (60, 160, 205), -1, cv2.LINE_AA)  # fmt: skip
    return Surface(np.clip(art, 0, 255).astype(np.uint8), 1.0, 1.0, 0.0, 0.03)


def _metal(rng: np.random.Generator) -> Surface:
    tint = [(180, 184, 188), (70, 140, 190), (60, 110, 170)][int(rng.integers(3))]
    art = _painted(tint) * (1 + 0.06 * _grain(rng, 9) + 0.05 * _grain(rng, 0.7, 20))
    return Surface(
        np.clip(art, 0, 255).astype(np.uint8), 1.0, 0.6, float(rng.uniform(0.5, 0.9)), float(rng.uniform(0.2, 0.7))
    )


def _scales(rng: np.random.Generator) -> Surface:
    """Return overlapping waves in two colours."""
    art = _painted(tuple(int(v) for v in rng.uniform(120, 240, 3)))
    ink = tuple(float(v) for v in rng.uniform(20, 130, 3))
    step = int(rng.integers(36, 80))
    for row, y in enumerate(range(0, N + step, step // 2)):
        for x in range(-step + (row % 2) * step // 2, N + step, step):
            for r in (step // 2, step // 3, step // 6):
                cv2.circle(art, (x, y), r, ink, 2, cv2.LINE_AA)
    return Surface(np.clip(art, 0, 255).astype(np.uint8), 1.0, 0.7, 0.0, 0.2)


def _stoneware(rng: np.random.Generator) -> Surface:
    """Return a brown or grey-green glaze with specks, pooled in the middle."""
    base = np.array([[70, 100, 120], [95, 120, 110], [140, 165, 180]][int(rng.integers(3))], np.float32)
    y, x = np.mgrid[-1 : 1 : N * 1j, -1 : 1 : N * 1j]
    art = base * (1 - 0.35 * np.exp(-((np.hypot(x, y) / 0.5) ** 2)))[..., None] + 6 * _grain(rng, 12)
    art -= 60 * (_grain(rng, 1.5) > 2.4)
    return Surface(np.clip(art, 0, 255).astype(np.uint8), 1.0, float(rng.uniform(0.2, 0.8)), 0.0, 0.4)


BOWLS: tuple[Callable[[np.random.Generator], Surface], ...] = (_porcelain, _wood, _lacquer, _metal, _scales, _stoneware)


def _bowl_look(rng: np.random.Generator, bowl: Bowl) -> tuple[Surface, Surface]:
    inner = BOWLS[int(rng.integers(len(BOWLS)))](rng)
    outer = inner if rng.random() < 0.6 else BOWLS[int(rng.integers(len(BOWLS)))](rng)
    spans = 2 * bowl.radius, 2.6 * bowl.radius
    return tuple(Surface(s.art, span, s.gloss, s.metal, s.rough) for s, span in zip((inner, outer), spans, strict=True))  # type: ignore[return-value]


def _table(rng: np.random.Generator, bowl: Bowl) -> Surface:
    kind = int(rng.integers(5))
    if kind == 0:  # tatami
        art = _painted((120, 185, 190)) + 10 * _grain(rng, 0.8, 30)
        art[:, :: N // 3] = (30, 60, 40)
    elif kind == 1:  # a checked cloth
        cell = int(rng.integers(16, 48))
        y, x = np.mgrid[0:N, 0:N] // cell % 2
        art = _painted((230, 230, 235)) - np.array([160, 150, 30]) * ((x + y) / 2)[..., None] + 4 * _grain(rng, 1)
    elif kind == 2:  # planks
        art = _painted((60, 95, 140)) * (1 + 0.1 * _grain(rng, 1.2, 25))
        art[:: N // 6] *= 0.4
    elif kind == 3:  # a newspaper
        art = _painted((200, 208, 210))
        for row in range(10, N, 13):
            cv2.line(art, (8, row), (N - 8, row), (90, 90, 90), 5)
            for x in rng.integers(0, N, 40):
                cv2.line(art, (int(x), row - 4), (int(x), row + 4), (200, 208, 210), 3)
    else:  # dark felt
        art = _painted(tuple(int(v) for v in rng.uniform(20, 90, 3))) + 6 * _grain(rng, 0.8)
    return Surface(np.clip(art, 0, 255).astype(np.uint8), 4.5 * bowl.radius, 0.1 if kind == 2 else 0.0, 0.0, 0.5)


# ---- dice


def _dice_look(rng: np.random.Generator, inner: Surface):
    style = int(rng.choice(7, p=(0.3, 0.15, 0.12, 0.12, 0.08, 0.08, 0.15)))
    bodies = ((236, 240, 240), (30, 28, 28), (35, 30, 170), (130, 60, 20), (60, 120, 40), (150, 200, 225),
              (110, 60, 120), (30, 140, 220))  # fmt: skip
    body = np.array(bodies[int(rng.choice(8, p=(0.4, 0.1, 0.12, 0.1, 0.08, 0.1, 0.05, 0.05)))], float)
    if rng.random() < 0.15:  # of the bowl's colour
        body = np.clip(inner.art.reshape(-1, 3).mean(axis=0) + rng.uniform(-10, 10, 3), 12, 245)
    light = 0.114 * body[0] + 0.587 * body[1] + 0.299 * body[2]
    ink = (20.0, 20.0, 22.0) if light > 120 else (240.0, 244.0, 244.0) if rng.random() < 0.8 else (70.0, 190.0, 220.0)
    swapped = bool(rng.random() < 0.5)
    red = style == 1 and light > 140
    depth = 0.0 if style in (3, 4, 6) else float(rng.uniform(0.3, 1.2))
    size, spread = float(rng.uniform(0.13, 0.19)), float(rng.uniform(0.46, 0.57))
    font = int(rng.integers(100))
    material = Material(tuple(body), gloss=float(rng.uniform(0.1, 1)), rounding=float(rng.uniform(0.015, 0.12)))  # type: ignore[arg-type]
    ball = float(rng.uniform(0.8, 0.95)) if rng.random() < 0.3 else 1.0
    layout = _layout(swapped)

    def make():
        art = []
        for value in layout:
            mask = _number(value, font) if style == 6 else _pips(value, style, size, spread)
            colour = (40.0, 35.0, 190.0) if red and value in (1, 4) else ink
            turn = 45.0 + 90.0 * int(rng.integers(4))
            art.append(FaceArt(mask, colour, turn_deg=turn, depth=depth))
        return tuple(art), material, layout, ball

    return make


def _layout(swapped: bool) -> tuple[int, ...]:
    die = solid("d6")
    one, two = 0, die.neighbours(0)[0]
    three = die.neighbours(0)[1 if swapped else 3]
    values = {one: 1, two: 2, three: 3}
    values |= {die.opposite(face): 7 - value for face, value in values.items()}
    return tuple(values[face] for face in range(6))


@cache
def _pips(value: int, style: int, size: float, spread: float) -> np.ndarray:
    """Return a face with round pips, a large red 1, rings, squares, or pips in a ring."""
    mask = np.zeros((SIDE * 4, SIDE * 4), np.uint8)
    unit, middle = 4 * SIDE / 2 / sqrt(2), 2 * SIDE
    for x, y in PIPS[value]:
        at = (round(middle + x * spread * unit), round(middle + y * spread * unit))
        radius = size * unit * (1.9 if style == 1 and value == 1 else 1.0)
        if style == 3:
            cv2.circle(mask, at, round(1.1 * radius), 255, round(0.45 * radius), cv2.LINE_AA)
        elif style == 4:
            r = round(0.85 * radius)
            cv2.rectangle(mask, (at[0] - r, at[1] - r), (at[0] + r, at[1] + r), 255, -1)
        else:
            cv2.circle(mask, at, round(radius), 255, -1, cv2.LINE_AA)
        if style == 5:
            cv2.circle(mask, at, round(0.35 * radius), 0, -1, cv2.LINE_AA)
    return cv2.resize(mask, (SIDE, SIDE), interpolation=cv2.INTER_AREA)


@cache
def _fonts() -> tuple[str, ...]:
    folder = files("companion.printing.fonts")
    return tuple(sorted(str(p) for p in folder.iterdir() if p.name.endswith(".ttf")))


@cache
def _number(value: int, font: int) -> np.ndarray:
    picture = Image.new("L", (SIDE, SIDE), 0)
    face = ImageFont.truetype(_fonts()[font % len(_fonts())], round(0.55 * SIDE))
    draw = ImageDraw.Draw(picture)
    draw.text((SIDE / 2, SIDE / 2), str(value), fill=255, font=face, anchor="mm")
    if value == 6:
        x0, _, x1, y1 = draw.textbbox((SIDE / 2, SIDE / 2), "6", font=face, anchor="mm")
        draw.rectangle((x0, y1 + 3, x1, y1 + 6), fill=255)
    return np.asarray(picture, np.uint8)


# ---- light and camera


def _light(rng: np.random.Generator):
    n = 96
    y, x = np.mgrid[-1 : 1 : n * 1j, -1 : 1 : n * 1j].astype(np.float32)
    kind = int(rng.integers(4))
    sky = np.zeros((n, n, 3), np.float32)
    if kind == 0:  # one bare bulb
        lamps, ambient = [_lamp(rng.uniform(0, 360), rng.uniform(35, 75), 0.02, 1.0, 0.15)], 0.18
    elif kind == 1:  # a window on one side
        lamps, ambient = [_lamp(rng.uniform(0, 360), rng.uniform(25, 45), 0.35, 0.8, -0.1)], 0.35
        sky[:, int(n * 0.75) :] = 1.5
    elif kind == 2:  # a ceiling full of tubes
        lamps, ambient = [_lamp(rng.uniform(0, 360), rng.uniform(60, 85), 0.25, 0.5, 0.0) for _ in range(3)], 0.5
        sky[:: n // 6] = 4.0
    else:  # overcast
        lamps, ambient = [_lamp(rng.uniform(0, 360), 70, 0.45, 0.25, -0.05)], 0.8
    sky += ambient * (0.9 + 0.2 * y[..., None])
    for lamp in lamps:
        spot = np.exp(-((x - lamp.way[0]) ** 2 + (y + lamp.way[1]) ** 2) / (0.05 + 0.3 * lamp.wide) ** 2)
        sky += 6 * spot[..., None] * np.array(lamp.light, np.float32)
    return tuple(lamps), (ambient, ambient, ambient), sky.astype(np.float32)


def _lamp(around_deg: float, above_deg: float, wide: float, power: float, warm: float) -> Lamp:
    a, h = radians(around_deg), radians(above_deg)
    way = np.array([cos(a) * cos(h), sin(a) * cos(h), sin(h)])
    return Lamp(way, wide, (power * (1 - warm), power, power * (1 + warm)))


def _photographed(picture: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    seen = cv2.GaussianBlur(picture, (0, 0), float(rng.uniform(0.35, 0.9))).astype(np.float32)
    gray = rng.normal(0, rng.uniform(0.5, 4), seen.shape[:2])
    seen = seen * rng.uniform(0.93, 1.07, 3) + gray[..., None]
    data = cv2.imencode(
        ".jpg", np.clip(seen, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(70, 96))]
    )[1]
    return cv2.imdecode(data, cv2.IMREAD_COLOR)
