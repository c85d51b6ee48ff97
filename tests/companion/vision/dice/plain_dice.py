"""Dice drawn the plain way: flat faces, one lamp, printed numerals. Shares no code with `companion.rendering`, only the
table of which numbers stand beside which, so that what was learnt from one painter is tried on another.
"""

from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import combinations
from typing import Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow
from PIL import ImageDraw, ImageFont

from companion.rendering.layouts import STANDARD_NEIGHBOURS
from companion.vision.dice.axis import Axis

Image = NDArray[np.uint8]
Kind = Literal["d20", "d6", "rugen", "d8", "d12"]
Order = int | Literal["as sold"] | None
"""Seed of a die's face layout, None for a random one."""
FOOT: Final = 0.41  # height of a die's center above the ground, in die sizes
OVER: Final = 3  # supersampling factor

_PHI = (1 + 5**0.5) / 2
_ICO = np.array([(0, s * 1, t * _PHI) for s in (1, -1) for t in (1, -1)], float)
_DODE = np.array([(s, t, u) for s in (1, -1) for t in (1, -1) for u in (1, -1)], float)
CORNERS: Final = {
    "d20": np.vstack([np.roll(_ICO, k, axis=1) for k in range(3)]),
    "d6": _DODE,
    "d8": np.vstack([np.eye(3), -np.eye(3)]),
    "d12": np.vstack([_DODE, *(np.roll(_ICO * (1, 1 / _PHI, 1), k, axis=1) for k in range(3))]),
}
FONTS: Final = ("Cinzel", "Source", "DejaVu")
PIPS: Final = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (1, 1), (-1, 1), (1, -1)],
    5: [(-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)],
    6: [(-1, -1), (1, 1), (-1, 1), (1, -1), (-1, 0), (1, 0)],
}


@dataclass(frozen=True)
class Look:
    """The appearance of one die: colors BGR, and the index of a font."""

    body: tuple[int, int, int] = (150, 60, 30)
    ink: tuple[int, int, int] = (245, 245, 245)
    font: int = 0
    numeral: float = 0.62  # height, in inscribed radii of a face
    glare: float = 0.35
    mark: Literal["dot", "bar", "none"] = "dot"
    speckle: float = 0.0


@dataclass(frozen=True)
class Drawn:
    """One die in a picture."""

    kind: Kind
    value: int | None
    face: str | None
    box: tuple[int, int, int, int]


@dataclass
class Scene:
    """A picture and the dice in it."""

    image: Image
    dice: list[Drawn] = field(default_factory=list)


@cache
def font_files() -> tuple[str, ...]:
    folder = files("companion.printing.fonts")
    return tuple(sorted(str(p) for p in folder.iterdir() if p.name.endswith(".ttf")))  # type: ignore[attr-defined]


@cache
def faces_of(solid: str) -> list[list[int]]:
    """Return each face's corners in a ring."""
    corners = CORNERS[solid] / np.linalg.norm(CORNERS[solid][0])
    found: dict[tuple[int, ...], np.ndarray] = {}
    for three in combinations(range(len(corners)), 3):
        a, b, c = corners[list(three)]
        normal = np.cross(b - a, c - a)
        side = (corners - a) @ normal
        if side.max() > 1e-6 and side.min() < -1e-6:
            continue
        on = tuple(np.flatnonzero(abs(side) < 1e-6).tolist())
        found.setdefault(on, normal)
    rings = []
    for on in found:
        middle = corners[list(on)].mean(axis=0)
        out = middle / np.linalg.norm(middle)
        right = corners[on[0]] - middle
        up = np.cross(out, right)
        turn = [np.arctan2((corners[i] - middle) @ up, (corners[i] - middle) @ right) for i in on]
        rings.append([on[i] for i in np.argsort(turn)])
    return rings


def draw_die(
    kind: Kind,
    value: int,
    size_px: int,
    look: Look,
    rng: np.random.Generator,
    *,
    tilt_deg: float = 0.0,
    towards_deg: float | None = None,
    order: Order = None,
) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Return a die seen from above with `value` on top: BGR and alpha (0-1), about `size_px` square, trimmed.

    For `rugen`, value 1-20 counts the faces 1d, 1n, 2d, 2d, 2n, ... as the d20 does. `order` numbers the faces the
    same way each time: one and the same die. `towards_deg` is where the camera stands off, 90 is the upper side.
    """
    solid = "d20" if kind == "rugen" else kind
    side = int(size_px * 1.5) * OVER
    corners = CORNERS[solid] / np.linalg.norm(CORNERS[solid], axis=1).max()
    rings = faces_of(solid)
    normals = np.array([corners[r].mean(axis=0) / np.linalg.norm(corners[r].mean(axis=0)) for r in rings])
    if order == "as sold":
        values = as_sold(normals, mirrored=False)
    else:
        values = _numbered(normals, rng if order is None else np.random.default_rng(order))
    yaw, chance = rng.uniform(0, 360), rng.uniform(0, 360)
    turned = _pose(normals[values.index(value)], yaw, tilt_deg, chance if towards_deg is None else towards_deg - 90)
    xyz = corners @ turned.T
    seen = xyz / (1 - xyz[:, 2:] * rng.uniform(0.02, 0.12))  # weak perspective of a finite distance
    radius = size_px * OVER / np.ptp(seen[:, :2], axis=0).max()
    flat = seen[:, :2] * (radius, -radius) + side / 2
    canvas = np.zeros((side, side, 3), np.float32)
    alpha = np.zeros((side, side), np.uint8)
    lamp = np.array([rng.uniform(-0.6, 0.6), rng.uniform(-0.6, 0.6), 1.0])
    lamp /= np.linalg.norm(lamp)
    for i, ring in enumerate(rings):
        normal = turned @ normals[i]
        if normal[2] <= 0.02:
            continue
        points = flat[ring].astype(np.float32)
        light = 0.45 + 0.6 * max(0.0, float(normal @ lamp)) + look.glare * max(0.0, float(normal @ lamp)) ** 12 * 0.5
        _face(canvas, alpha, points, kind, values[i], look, light)
    if look.speckle:
        small = rng.normal(0, look.speckle, (side // 6, side // 6, 1)).astype(np.float32)
        canvas += cv2.resize(small, (side, side))[..., None] * (canvas.sum(axis=2, keepdims=True) > 0)
    shrunk = (side // OVER, side // OVER)
    bgr = cv2.resize(np.clip(canvas, 0, 255).astype(np.uint8), shrunk, interpolation=cv2.INTER_AREA)
    cover = cv2.resize(alpha.astype(np.float32) / 255, shrunk, interpolation=cv2.INTER_AREA)
    return np.asarray(bgr), np.asarray(cover, np.float32)


def _numbered(normals: np.ndarray, rng: np.random.Generator) -> list[int]:
    """Number the faces at random, opposite faces adding up to n + 1."""
    n = len(normals)
    values = [0] * n
    pairs = list(rng.permutation(np.arange(1, n // 2 + 1)))
    for i in range(n):
        if values[i] == 0:
            low = int(pairs.pop())
            other = int((normals @ normals[i]).argmin())
            values[i], values[other] = (low, n + 1 - low) if rng.random() < 0.5 else (n + 1 - low, low)
    return values


def as_sold(normals: np.ndarray, *, mirrored: bool) -> list[int]:
    """Number a d20's faces in the standard layout, or its mirror image."""
    beside = [[int(other) for other in np.argsort(-(normals @ normal))[1:4]] for normal in normals]
    turns_left = np.linalg.det(normals[beside[0]]) > 0
    around = (2, 8, 14) if turns_left != mirrored else (14, 8, 2)
    values = _numbered_on({0: 20, **dict(zip(beside[0], around, strict=True))}, beside)
    assert values is not None
    return [values[face] for face in range(len(normals))]


def _numbered_on(values: dict[int, int], beside: list[list[int]]) -> dict[int, int] | None:
    """Number the faces that have no number yet, each beside those that belong beside it; None where that fails."""
    bare = next((face for one in values for face in beside[one] if face not in values), None)
    if bare is None:
        return values
    around = [values[face] for face in beside[bare] if face in values]
    able = set.intersection(*(set(STANDARD_NEIGHBOURS[value]) for value in around)) - set(values.values())
    tries = (_numbered_on({**values, bare: value}, beside) for value in able)
    return next((done for done in tries if done is not None), None)


def _pose(up: np.ndarray, yaw: float, tilt: float, towards: float) -> np.ndarray:
    z = np.array([0.0, 0.0, 1.0])
    axis = np.cross(up, z)
    s, c = np.linalg.norm(axis), float(up @ z)
    stand = _turn(axis / s, np.arctan2(s, c)) if s > 1e-9 else (np.eye(3) if c > 0 else np.diag([1.0, -1, -1]))
    lean = np.array([np.cos(np.radians(towards)), np.sin(np.radians(towards)), 0])
    return _turn(lean, np.radians(tilt)) @ _turn(z, np.radians(yaw)) @ stand


def _turn(axis: np.ndarray, angle: float) -> np.ndarray:
    return np.asarray(cv2.Rodrigues(axis * angle)[0])


def _face(
    canvas: np.ndarray, alpha: np.ndarray, points: np.ndarray, kind: Kind, value: int, look: Look, light: float
) -> None:
    body, ink, text, mark = _printed(kind, value, look)
    cover = np.zeros(alpha.shape, np.uint8)
    cv2.fillConvexPoly(cover, np.round(points * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
    texture = _texture(text, len(points), look, mark) if kind != "d6" else _pip_texture(value)
    t = texture.shape[0]
    n = len(points)
    corner = np.array([_corner(k, n, t) for k in range(n)], np.float32)
    size = canvas.shape[1::-1]
    if n == 3:
        warped = cv2.warpAffine(texture, cv2.getAffineTransform(corner, points), size)
    else:
        pick = [0, 1, 2, 3] if n == 4 else [0, 1, 3, 4]
        warped = cv2.warpPerspective(texture, cv2.getPerspectiveTransform(corner[pick], points[pick]), size)
    share = warped.astype(np.float32)[..., None] / 255
    colour = (np.array(body, np.float32) * (1 - share) + np.array(ink, np.float32) * share) * light
    on = cover[..., None].astype(np.float32) / 255
    canvas *= 1 - on
    canvas += colour * on
    np.maximum(alpha, cover, out=alpha)


def _corner(k: int, n: int, t: int) -> tuple[float, float]:
    """Return where corner k of an n-gon lies in its texture, the first one up (a square stands on its side)."""
    angle = -np.pi / 2 + 2 * np.pi * -k / n + (np.pi / 4 if n == 4 else 0)
    return t / 2 + 0.49 * t * np.cos(angle), t / 2 + 0.49 * t * np.sin(angle)


def _printed(
    kind: Kind, value: int, look: Look
) -> tuple[tuple[int, int, int], tuple[int, int, int], str, Literal["dot", "bar", "none"]]:
    if kind != "rugen":
        return look.body, look.ink, str(value), look.mark if value in (6, 9) else "none"
    number, night = rugen_face(value)
    dark, bright = sorted((look.body, look.ink), key=sum)
    return (dark, bright, str(number), "none") if night else (bright, dark, str(number), "none")


def rugen_face(value: int) -> tuple[int, bool]:
    """Return a face's number and whether it is a night face.

    >>> [rugen_face(v) for v in (1, 2, 3, 5, 20)]
    [(1, False), (1, True), (2, False), (2, True), (4, True)]
    """
    faces = [(n, night) for n in (1, 2, 3, 4) for night in (False, True) for _ in range(n)]
    return faces[value - 1]


@cache
def _texture(text: str, corners: int, look: Look, mark: str) -> Image:
    t = 240
    inner = 0.49 * t * np.cos(np.pi / corners)
    height = inner * look.numeral * (1.75 if corners == 3 else 1.3)
    picture = Pillow.new("L", (t, t), 0)
    draw = ImageDraw.Draw(picture)
    name = font_files()[look.font % len(font_files())]
    font = ImageFont.truetype(name, int(height * 1.15))
    width = draw.textlength(text, font=font)
    if width > inner * 1.35:
        font = ImageFont.truetype(name, int(height * 1.15 * inner * 1.35 / width))
    draw.text((t / 2, t / 2), text, fill=255, font=font, anchor="mm")
    box = draw.textbbox((t / 2, t / 2), text, font=font, anchor="mm")
    if mark == "dot":
        draw.ellipse((box[2] + 4, box[3] - 8, box[2] + 12, box[3]), fill=255)
    elif mark == "bar":
        draw.rectangle((box[0], box[3] + 5, box[2], box[3] + 11), fill=255)
    return np.asarray(picture, np.uint8)


@cache
def _pip_texture(value: int) -> Image:
    t = 240
    texture = np.zeros((t, t), np.uint8)
    for x, y in PIPS[value]:
        cv2.circle(texture, (int(t / 2 + x * 46), int(t / 2 + y * 46)), 21, 255, -1, cv2.LINE_AA)
    return texture


def put(scene: Scene, kind: Kind, value: int, centre: tuple[int, int], size_px: int, look: Look,
        rng: np.random.Generator, *, tilt_deg: float = 0.0, towards_deg: float | None = None, shadow: float = 0.5,
        order: Order = None,
        ) -> Drawn:  # fmt: skip
    """Lay a die onto the picture, its shadow first: on the ground, which the camera sees from where it stands."""
    if tilt_deg and towards_deg is None:
        towards_deg = rng.uniform(0, 360)
    bgr, cover = draw_die(kind, value, size_px, look, rng, tilt_deg=tilt_deg, towards_deg=towards_deg, order=order)
    ys, xs = np.nonzero(cover > 0.5)
    h, w = cover.shape
    x0, y0 = centre[0] - w // 2, centre[1] - h // 2
    away = rng.uniform(-0.16, 0.16, 2) * size_px
    fallen = cover if not tilt_deg else _on_ground(cover, tilt_deg, towards_deg or 0.0, size_px)
    _shade(scene.image, fallen, x0 + int(away[0]), y0 + int(away[1]), shadow, size_px)
    _blend(scene.image, bgr, cover, x0, y0)
    box = (x0 + int(xs.min()), y0 + int(ys.min()), int(np.ptp(xs)) + 1, int(np.ptp(ys)) + 1)
    face = None
    if kind == "rugen":
        number, night = rugen_face(value)
        face = f"{number}{'n' if night else 'd'}"
    drawn = Drawn(kind, value if kind != "rugen" else rugen_face(value)[0], face, box)
    scene.dice.append(drawn)
    return drawn


def put_other(scene: Scene, name: str, centre: tuple[int, int], size_px: int, rng: np.random.Generator) -> None:
    """Draw a distractor that must never get a value: d8, d12, coin, card, chip, or nothing."""
    look = random_look(rng)
    if name in ("d8", "d12"):
        put(scene, name, int(rng.integers(1, 9)), centre, size_px, look, rng)  # type: ignore[arg-type]
        scene.dice.pop()
    elif name in ("coin", "chip"):
        cv2.circle(scene.image, centre, size_px // 2, look.body, -1, cv2.LINE_AA)
        cv2.circle(scene.image, centre, int(size_px * 0.42), look.ink, max(1, size_px // 40), cv2.LINE_AA)
        text = str(rng.choice(["5", "10", "1", "20"]))
        cv2.putText(scene.image, text, (centre[0] - size_px // 6, centre[1] + size_px // 8), cv2.FONT_HERSHEY_DUPLEX,
                    size_px / 70, look.ink, max(1, size_px // 30), cv2.LINE_AA)  # fmt: skip
    elif name == "card":
        w, h = size_px, int(size_px * 1.4)
        x, y = centre[0] - w // 2, centre[1] - h // 2
        cv2.rectangle(scene.image, (x, y), (x + w, y + h), (240, 244, 246), -1)
        cv2.putText(scene.image, str(int(rng.integers(2, 11))), (x + w // 3, y + h // 2), cv2.FONT_HERSHEY_TRIPLEX,
                    size_px / 60, (30, 30, 160), max(1, size_px // 40), cv2.LINE_AA)  # fmt: skip


def _on_ground(cover: np.ndarray, tilt_deg: float, towards_deg: float, size_px: int) -> np.ndarray:
    """Return a die's cover as its shadow on the ground: moved to where it stands, and foreshortened."""
    t, w = np.radians([tilt_deg, towards_deg])
    way, (h, wide) = np.array([np.cos(w), -np.sin(w)]), cover.shape
    flat = np.eye(2) - (1 - np.cos(t)) * np.outer(way, way)
    middle = np.array([wide, h]) / 2
    foot = FOOT * size_px * np.sin(t) * way
    return cv2.warpAffine(cover, np.hstack([flat, (middle - flat @ middle + foot)[:, None]]), (wide, h))


def _shade(image: Image, cover: np.ndarray, x0: int, y0: int, strength: float, size_px: int) -> None:
    pad = size_px // 4
    soft = cv2.GaussianBlur(np.pad(cover, pad), (0, 0), max(1.0, size_px / 14)) * strength
    _blend(image, np.zeros((*soft.shape, 3), np.uint8), soft, x0 - pad, y0 - pad)


def _blend(image: Image, bgr: np.ndarray, cover: np.ndarray, x0: int, y0: int) -> None:
    h, w = cover.shape
    left, top, right, bottom = max(0, x0), max(0, y0), min(image.shape[1], x0 + w), min(image.shape[0], y0 + h)
    if left >= right or top >= bottom:
        return
    part = np.s_[top - y0 : bottom - y0, left - x0 : right - x0]
    a = cover[part][..., None]
    here = image[top:bottom, left:right]
    here[:] = (here * (1 - a) + bgr[part] * a).astype(np.uint8)


GROUNDS: Final = ("paper", "felt", "wood", "mat", "tray")


def ground(kind: str, size: tuple[int, int], rng: np.random.Generator) -> Image:
    """Return a bare table, `size` (width, height)."""
    w, h = size
    colour = {
        "paper": (225, 230, 235), "felt": (50, 95, 35), "wood": (70, 115, 165), "mat": (35, 33, 32),
        "tray": (60, 50, 120),
    }[kind]  # fmt: skip
    colour = np.clip(np.array(colour) + rng.uniform(-22, 22, 3), 5, 250)
    picture = np.ones((h, w, 3), np.float32) * colour.astype(np.float32)
    grain = {"paper": 2.0, "felt": 7.0, "wood": 4.0, "mat": 4.0, "tray": 5.0}[kind]
    picture += rng.normal(0, grain, (h, w, 1)).astype(np.float32)
    if kind == "wood":
        lines = cv2.GaussianBlur(rng.normal(0, 1, (h, 1, 1)).astype(np.float32), (1, 15), 3.0).reshape(h, 1, 1)
        bend = rng.normal(0, 1, (h // 40 + 2, w // 200 + 2)).astype(np.float32)
        wave = cv2.resize(bend, (w, h), interpolation=cv2.INTER_CUBIC)
        picture += lines / lines.std() * 10 + wave[..., None] * 7
    if kind == "tray":
        inset = int(min(w, h) * rng.uniform(0.03, 0.08))
        cv2.rectangle(picture, (0, 0), (w - 1, h - 1), (40, 60, 90), inset * 2)
        cv2.rectangle(picture, (inset, inset), (w - inset, h - inset), (25, 38, 60), 6)
    y, x = np.mgrid[0:h, 0:w].astype(np.float32)
    at = rng.uniform(0, 1, 2) * (w, h)
    far = np.hypot(x - at[0], y - at[1]) / np.hypot(w, h)
    picture *= (1.12 - rng.uniform(0.1, 0.45) * far)[..., None]
    return np.asarray(np.clip(picture, 0, 255), np.uint8)


def finish(image: Image, rng: np.random.Generator, *, blur: float = 0.6, noise: float = 2.0, jpeg: int = 88) -> Image:
    """Return the picture as a camera gives it."""
    soft = cv2.GaussianBlur(image, (0, 0), blur).astype(np.float32)
    soft += rng.normal(0, noise, soft.shape).astype(np.float32)
    done = cv2.imencode(".jpg", np.clip(soft, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, jpeg])[1]
    return np.asarray(cv2.imdecode(done, cv2.IMREAD_COLOR), np.uint8)


def random_look(rng: np.random.Generator) -> Look:
    """Return a random appearance with legible numerals."""
    body = tuple(int(v) for v in rng.uniform(15, 240, 3))
    light = sum(body) / 3
    ink = (245, 245, 245) if light < 120 else (20, 20, 25)
    if rng.random() < 0.25 and light < 100:
        ink = (60, 190, 225)  # gold
    return Look(
        body=(body[0], body[1], body[2]), ink=ink, font=int(rng.integers(0, 20)),
        numeral=float(rng.uniform(0.55, 0.75)), glare=float(rng.uniform(0, 0.6)),
        mark="dot" if rng.random() < 0.7 else "bar", speckle=float(rng.choice([0, 0, 8, 14])),
    )  # fmt: skip


def apart_deg(one: Axis, other: Axis) -> float:
    """Return the angle between two camera axes."""
    (t, w), (u, v) = (np.radians((axis.tilt_deg, axis.towards_deg)) for axis in (one, other))
    cosine = np.sin(t) * np.sin(u) * np.cos(w - v) + np.cos(t) * np.cos(u)
    return float(np.degrees(np.arccos(np.clip(cosine, -1, 1))))


def rounded(image: np.ndarray, bare: np.ndarray) -> np.ndarray:
    """Return a picture with the drawn parts shaded like a limb: darker towards their edges."""
    drawn = (image != bare).any(axis=2).astype(np.uint8)
    depth = cv2.distanceTransform(cv2.copyMakeBorder(drawn, 60, 60, 60, 60, cv2.BORDER_REPLICATE), cv2.DIST_L2, 3)
    depth = depth[60:-60, 60:-60]
    light = 0.55 + 0.45 * np.sqrt(np.clip(depth / max(1.0, float(np.percentile(depth[drawn > 0], 95))), 0, 1))
    return np.where(drawn[..., None] > 0, image * light[..., None], image).astype(np.uint8)
