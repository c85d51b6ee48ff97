"""Pictures of a card table for tests: flat faces laid on cloth and photographed by a made-up camera.

Written apart from the product's demo table on purpose, so that a mistake there is not repeated here.
A scene is laid out in millimetres on the table, seen through a tilted pinhole camera, lit unevenly,
partly covered by hands and glare, blurred, made noisy and sent through JPEG. What is true is known.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import cv2
import numpy as np
import segno

from companion.objects.geometry import (
    QR_MODULES,
    TAG_QUIET_MM,
    TOKEN_MM,
    TOKEN_TAG_MM,
    CardGeometry,
    CardLayout,
    CardSize,
    geometry_of,
)
from companion.testing import DECKS

MM_PER_MODULE = 30.0 / QR_MODULES
_FACE_PX_PER_MM = 300 / 25.4
_WORK_PX_PER_MM = 8.0  # faces are shrunk to this once; the warp then shrinks by at most 4
_GRAIN_EDGE = 64  # so far may the window of a picture's noise be moved
_TAGS = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)


@dataclass(frozen=True)
class Face:
    """A printed face: BGR at 8 px/mm, and the box (mm) of its code."""

    image: np.ndarray
    width: float
    height: float
    code_box: np.ndarray  # (4, 2) mm, clockwise from the code's top left
    round: bool = False


@dataclass(frozen=True)
class Placed:
    """A face on the table: center in mm from the picture's center, rotation clockwise."""

    name: str
    face: Face
    x: float
    y: float
    turn_deg: float


@dataclass(frozen=True)
class Truth:
    """The ground truth of a placed face. `hidden` is the hidden share of the card, `code_hidden` that of its code."""

    name: str
    corners: np.ndarray
    outline: np.ndarray
    hidden: float
    code_hidden: float


@dataclass(frozen=True)
class Look:
    """The camera's settings. Lengths in pixels unless noted otherwise."""

    size: tuple[int, int] = (1920, 1080)
    px_per_module: float = 3.04
    tilt_deg: float = 0.0
    azimuth_deg: float = 0.0
    cloth: str = "felt"
    gain: float = 0.85
    falloff: float = 0.3
    cast: tuple[float, float, float] = (1.0, 1.0, 1.0)
    lens_blur: float = 0.5
    defocus: float = 0.0
    motion: float = 0.0
    noise: float = 3.0
    glare: int = 0
    hands: int = 0
    shadow: float = 0.3
    jpeg: int | None = 92
    bright: float = 0.0
    extra: Mapping[str, float] = field(default_factory=dict)


def plain_face(piece: str, text: str, geometry: CardGeometry, tag: int | None = None) -> np.ndarray:
    """Draw a bare card as it would be printed at 300 dpi: white, two tags, the code, a border."""
    scale = _FACE_PX_PER_MM
    width, height = round(geometry.width * scale), round(geometry.height * scale)
    image = np.full((height, width, 3), 252, np.uint8)
    cv2.rectangle(image, (14, 14), (width - 15, height - 15), (150, 90, 40), 8)
    cv2.putText(image, piece, (80, height // 2 + 120), cv2.FONT_HERSHEY_DUPLEX, 5, (120, 60, 30), 12, cv2.LINE_AA)
    number = DECKS.tag_of[piece] if tag is None else tag
    for box, half_turns in ((geometry.first_tag, 0), (geometry.second_tag, 2)):
        paste_tag(image, number, box.x, box.y, box.width, half_turns)
    code = segno.make_qr(text, version=1, error="q", mode="alphanumeric", boost_error=False)
    _paste_modules(image, np.array(code.matrix) == 0, geometry.qr.x, geometry.qr.y, geometry.qr.width)
    return image


def paste_tag(image: np.ndarray, number: int, x: float, y: float, size: float, half_turns: int = 0) -> None:
    """Print a tag with its quiet zone over a 300 dpi face."""
    s = _FACE_PX_PER_MM
    quiet = TAG_QUIET_MM
    a, b = round((x - quiet) * s), round((y - quiet) * s)
    c, d = round((x + size + quiet) * s), round((y + size + quiet) * s)
    image[b:d, a:c] = 252
    modules = cv2.aruco.generateImageMarker(_TAGS, number, 8, borderBits=1) > 0
    _paste_modules(image, np.rot90(modules, half_turns), x, y, size)


def _paste_modules(image: np.ndarray, white: np.ndarray, x: float, y: float, size: float) -> None:
    s = _FACE_PX_PER_MM
    n = white.shape[0]
    edges_x = [round((x + i * size / n) * s) for i in range(n + 1)]
    edges_y = [round((y + i * size / n) * s) for i in range(n + 1)]
    quiet = round(2 * size / n * s) if n > 8 else 0
    image[edges_y[0] - quiet : edges_y[-1] + quiet, edges_x[0] - quiet : edges_x[-1] + quiet] = 252
    for r in range(n):
        for c in range(n):
            image[edges_y[r] : edges_y[r + 1], edges_x[c] : edges_x[c + 1]] = 252 if white[r, c] else 18


def card_face(image: np.ndarray, size: CardSize = "poker", layout: CardLayout = "hand") -> Face:
    """Return a face for the table from a printed card (BGR, cut to the card's size)."""
    geometry = geometry_of(size, layout)
    small = cv2.resize(
        image,
        (round(geometry.width * _WORK_PX_PER_MM), round(geometry.height * _WORK_PX_PER_MM)),
        interpolation=cv2.INTER_AREA,
    )
    ink = np.clip(small.astype(np.float32) * (228 / 255) + 16, 0, 255).astype(np.uint8)
    return Face(ink, geometry.width, geometry.height, np.float32(geometry.qr.corners))


def token_face(number: int) -> Face:
    """Draw a token's face: a disk with its tag in the center."""
    side = round(TOKEN_MM * _FACE_PX_PER_MM)
    image = np.full((side, side, 3), 240, np.uint8)
    cv2.circle(image, (side // 2, side // 2), side // 2 - 6, (60, 120, 160), 8)
    start = (TOKEN_MM - TOKEN_TAG_MM) / 2
    paste_tag(image, number, start, start, TOKEN_TAG_MM)
    small = cv2.resize(image, (round(TOKEN_MM * _WORK_PX_PER_MM),) * 2, interpolation=cv2.INTER_AREA)
    box = np.float32([[start, start], [start + 16, start], [start + 16, start + 16], [start, start + 16]])
    return Face(small, TOKEN_MM, TOKEN_MM, box, round=True)


def grid(faces: Sequence[tuple[str, Face]], look: Look, rng: np.random.Generator) -> list[Placed]:
    """Lay faces loosely on a grid that fills the picture, each rotated at random."""
    mm_w, mm_h = table_mm(look)
    best = max(
        ((c, r) for c in range(1, 12) for r in range(1, 9) if c * r >= len(faces)),
        key=lambda cr: min(mm_w / cr[0], mm_h / cr[1]),
    )
    cells = rng.permutation(best[0] * best[1])[: len(faces)]
    out = []
    for cell, (name, face) in zip(cells, faces, strict=True):
        x = (cell % best[0] + 0.5 - best[0] / 2) * mm_w / best[0] + rng.uniform(-3, 3)
        y = (cell // best[0] + 0.5 - best[1] / 2) * mm_h / best[1] + rng.uniform(-3, 3)
        out.append(Placed(name, face, float(x), float(y), float(rng.uniform(0, 360))))
    return out


def stacks(
    faces: Sequence[tuple[str, Face]], look: Look, rng: np.random.Generator, piles: int = 6, step: float = 22.0
) -> list[Placed]:
    """Lay faces in staggered stacks: each card covers the previous one except a strip at its top."""
    mm_w, mm_h = table_mm(look)
    out = []
    columns = (piles + 1) // 2
    for p in range(piles):
        x0 = ((p % columns) + 0.5 - columns / 2) * mm_w / columns
        y0 = ((p // columns) + 0.5 - 1) * mm_h / 2 - mm_h * 0.16
        turn = float(rng.uniform(-6, 6))
        for k, (name, face) in enumerate(faces[p::piles]):
            shift = k * step + rng.uniform(-1, 1)
            a = math.radians(turn)
            out.append(
                Placed(name, face, x0 - math.sin(a) * shift, y0 + math.cos(a) * shift, turn + float(rng.uniform(-3, 3)))
            )
    return out


def table_mm(look: Look) -> tuple[float, float]:
    """Return the size of the visible table, mm, without tilt."""
    px_per_mm = look.px_per_module / MM_PER_MODULE
    return look.size[0] / px_per_mm, look.size[1] / px_per_mm


def capacity(look: Look) -> int:
    """Return how many poker cards fit side by side with any rotation."""
    mm_w, mm_h = table_mm(look)
    return int(mm_w // 112) * int(mm_h // 112)


def random_look(rng: np.random.Generator, **fixed: object) -> Look:
    """Draw random camera settings; those in `fixed` are used as given."""
    drawn = Look(
        px_per_module=float(rng.uniform(2.3, 5.0)),
        tilt_deg=float(rng.uniform(0, 20)),
        azimuth_deg=float(rng.uniform(0, 360)),
        cloth=str(rng.choice(["felt", "wood", "cloth"])),
        gain=float(rng.uniform(0.55, 1.0)),
        falloff=float(rng.uniform(0.0, 0.55)),
        cast=tuple(float(v) for v in rng.uniform(0.85, 1.1, 3)),
        lens_blur=float(rng.uniform(0.35, 0.65)),
        noise=float(rng.uniform(1, 6)),
        shadow=float(rng.uniform(0, 0.45)),
        jpeg=int(rng.integers(80, 97)),
    )
    return replace(drawn, **fixed)  # type: ignore[arg-type]


def camera(look: Look) -> np.ndarray:
    """Return the homography (3, 3) from table mm (origin at the picture's center) to pixels."""
    w, h = look.size
    focal = 0.77 * w
    distance = focal / (look.px_per_module / MM_PER_MODULE)
    t, a = math.radians(look.tilt_deg), math.radians(look.azimuth_deg)
    about = np.array([[math.cos(a), -math.sin(a), 0], [math.sin(a), math.cos(a), 0], [0, 0, 1]])
    lean = np.array([[1, 0, 0], [0, math.cos(t), -math.sin(t)], [0, math.sin(t), math.cos(t)]])
    turn = about.T @ lean @ about
    lens = np.array([[focal, 0, w / 2], [0, focal, h / 2], [0, 0, 1.0]])
    return lens @ np.column_stack([turn[:, 0], turn[:, 1], [0, 0, distance]])


def photograph(placed: Sequence[Placed], look: Look, rng: np.random.Generator) -> tuple[np.ndarray, list[Truth]]:
    """Return the picture, uint8 (H, W, 3) BGR, and the ground truth of every placed face."""
    image, truth = compose(placed, look, int(rng.integers(2**31)))
    return expose(image, look, rng), truth


def compose(placed: Sequence[Placed], look: Look, seed: int) -> tuple[np.ndarray, list[Truth]]:
    """Paint the table before lens and sensor, float32 (H, W, 3). The seed determines cloth and light."""
    w, h = look.size
    view = camera(look)
    canvas = cloth(look.cloth, w, h, np.random.default_rng([seed, 1]))
    owner = np.full((h, w), -1, np.int16)
    for index, item in enumerate(placed):
        _lay(canvas, owner, index, item, view, look, np.random.default_rng([seed, 2, sum(item.name.encode())]))
    light = _light(look, np.random.default_rng([seed, 3]))
    hand = np.zeros((h, w), np.float32)
    for k in range(look.hands):
        _hand(canvas, hand, np.random.default_rng([seed, 4, k]))
    owner[hand > 0.4] = -2
    image = canvas * light[..., None]
    image *= np.float32(look.cast)
    if look.glare:
        spots = _glare(look, np.random.default_rng([seed, 5]))
        owner[spots > 0.5] = -3
        image += spots[..., None] * 230
    return image, [_truth(i, p, view, owner, look) for i, p in enumerate(placed)]


def add_arm(image: np.ndarray, tip: tuple[float, float], colour: Sequence[float] = (120, 150, 205)) -> np.ndarray:
    """Return the painted table with an arm that reaches from the bottom edge to `tip` (px)."""
    h, w = image.shape[:2]
    skin = np.zeros((h, w), np.uint8)
    at = (round(tip[0]), round(tip[1]))
    cv2.line(skin, (at[0] + 60, h + 60), at, 255, 120, cv2.LINE_AA)
    for k in (-45, -15, 15, 45):
        cv2.line(skin, (at[0] + k, at[1]), (at[0] + round(k * 1.3), at[1] - 90), 255, 26, cv2.LINE_AA)
    soft = cv2.GaussianBlur(skin.astype(np.float32) / 255, (0, 0), 1.2)[..., None]
    return image + (np.float32(colour) - image) * soft


def expose(image: np.ndarray, look: Look, rng: np.random.Generator) -> np.ndarray:
    """Lens, sensor and JPEG: float (H, W, 3) of light in, uint8 out."""
    image = _through_the_lens(image, look, rng)
    if look.noise:
        grain = rng.standard_normal(image.shape[:2], dtype=np.float32) * look.noise
        chroma = rng.standard_normal((*image.shape[:2], 3), dtype=np.float32) * (look.noise * 0.5)
        image = image + grain[..., None] + chroma
    return _stored(image, look)


def film(image: np.ndarray, look: Look, rng: np.random.Generator, frames: int) -> Iterator[np.ndarray]:
    """Yield pictures of a static scene, each with different noise: a random window of one large noise field."""
    seen = _through_the_lens(image, look, rng)
    height, width = seen.shape[:2]
    for _ in range(frames):
        x, y = rng.integers(0, _GRAIN_EDGE, 2)
        grain = _grain(width, height)[y : y + height, x : x + width]
        yield _stored(cv2.scaleAdd(grain, look.noise, seen), look)


@lru_cache(maxsize=1)
def _grain(width: int, height: int) -> np.ndarray:
    rng = np.random.default_rng(9)
    shape = (height + _GRAIN_EDGE, width + _GRAIN_EDGE)
    chroma = rng.standard_normal((*shape, 3), dtype=np.float32) * np.float32(0.5)
    return chroma + rng.standard_normal(shape, dtype=np.float32)[..., None]


def _through_the_lens(image: np.ndarray, look: Look, rng: np.random.Generator) -> np.ndarray:
    image = np.clip(image, 0, 255)
    sigma = math.hypot(look.lens_blur, look.defocus)
    image = cv2.GaussianBlur(image, (0, 0), sigma) if sigma > 0.1 else image
    if look.motion > 0.5:
        image = cv2.filter2D(image, -1, _streak(look.motion, rng.uniform(0, math.pi)))
    return image * np.float32(look.gain)


def _stored(image: np.ndarray, look: Look) -> np.ndarray:
    out = np.clip(image + 0.5, 0, 255).astype(np.uint8)
    if look.jpeg is None:
        return out
    ok, data = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, look.jpeg])
    assert ok
    return cv2.imdecode(data, cv2.IMREAD_COLOR)


def cloth(kind: str, w: int, h: int, rng: np.random.Generator) -> np.ndarray:
    """Draw a table top: float32 (h, w, 3)."""
    fine = rng.standard_normal((h, w), dtype=np.float32)
    coarse = cv2.resize(
        rng.standard_normal((h // 60 + 2, w // 60 + 2)).astype(np.float32), (w, h), interpolation=cv2.INTER_CUBIC
    )
    if kind == "wood":
        lines = rng.standard_normal((h // 3 + 2, w // 90 + 2)).astype(np.float32)
        grain = cv2.resize(lines, (w, h), interpolation=cv2.INTER_CUBIC)
        base, texture = np.float32([70, 110, 160]), grain * 16 + cv2.GaussianBlur(fine, (0, 0), 0.8) * 8
    elif kind == "cloth":
        weave = np.sin(np.arange(w) * 1.9)[None, :] * np.sin(np.arange(h) * 1.7)[:, None]
        base = np.float32([[60, 40, 110], [150, 150, 155], [90, 60, 45]][int(rng.integers(3))])
        texture = weave.astype(np.float32) * 9 + fine * 5
    else:
        base = np.float32([[55, 95, 35], [95, 55, 35], [45, 40, 120]][int(rng.integers(3))])
        texture = cv2.GaussianBlur(fine, (0, 0), 1.0) * 18
    return np.clip(base + (texture + coarse * 6)[..., None], 0, 255).astype(np.float32)


def _placement(item: Placed, view: np.ndarray) -> np.ndarray:
    a = math.radians(item.turn_deg)
    c, s = math.cos(a), math.sin(a)
    w, h = item.face.width, item.face.height
    place = np.array([[c, -s, item.x - (c * w - s * h) / 2], [s, c, item.y - (s * w + c * h) / 2], [0, 0, 1]], float)
    return view @ place


def _project(points: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    return cv2.perspectiveTransform(np.float32(points)[None], matrix)[0]


def _lay(
    canvas: np.ndarray,
    owner: np.ndarray,
    index: int,
    item: Placed,
    view: np.ndarray,
    look: Look,
    rng: np.random.Generator,
) -> None:
    """Warp one face onto the canvas at twice the resolution, with a soft shadow."""
    to_px = _placement(item, view)
    fw, fh = item.face.width, item.face.height
    outline = _project(np.array([[0, 0], [fw, 0], [fw, fh], [0, fh]]), to_px)
    pad = 12
    h, w = canvas.shape[:2]
    x0, y0 = np.maximum(np.floor(outline.min(0)).astype(int) - pad, 0)
    x1, y1 = np.minimum(np.ceil(outline.max(0)).astype(int) + pad, (w, h))
    if x1 - x0 < 2 or y1 - y0 < 2:
        return
    up = np.array([[2, 0, -2 * x0 + 0.5], [0, 2, -2 * y0 + 0.5], [0, 0, 1]], float)
    matrix = up @ to_px @ np.diag([1 / _WORK_PX_PER_MM, 1 / _WORK_PX_PER_MM, 1])
    size = (int(x1 - x0) * 2, int(y1 - y0) * 2)
    blurred = cv2.GaussianBlur(item.face.image, (0, 0), max(0.3, _WORK_PX_PER_MM / (look.px_per_module * 1.4) * 0.28))
    art = cv2.warpPerspective(blurred.astype(np.float32), matrix, size, borderMode=cv2.BORDER_REPLICATE)
    mask = cv2.warpPerspective(_shape(item.face), matrix, size)
    small = (size[0] // 2, size[1] // 2)
    art = cv2.resize(art, small, interpolation=cv2.INTER_AREA)
    alpha = cv2.resize(mask, small, interpolation=cv2.INTER_AREA)
    part = canvas[y0:y1, x0:x1]
    if look.shadow:
        dx, dy = rng.uniform(-3, 3, 2)
        moved = cv2.warpAffine(alpha, np.float32([[1, 0, dx], [0, 1, dy]]), small)
        part *= 1 - look.shadow * cv2.GaussianBlur(moved, (0, 0), 2.5)[..., None]
    part += (art - part) * alpha[..., None]
    owner[y0:y1, x0:x1][alpha > 0.5] = index


def _shape(face: Face) -> np.ndarray:
    h, w = face.image.shape[:2]
    mask = np.zeros((h, w), np.float32)
    if face.round:
        cv2.circle(mask, (w // 2, h // 2), w // 2 - 1, 1.0, -1)
        return mask
    r = round(3 * _WORK_PX_PER_MM)
    cv2.rectangle(mask, (r, 0), (w - r - 1, h), 1.0, -1)
    cv2.rectangle(mask, (0, r), (w, h - r - 1), 1.0, -1)
    for x in (r, w - r - 1):
        for y in (r, h - r - 1):
            cv2.circle(mask, (x, y), r, 1.0, -1)
    return mask


def _light(look: Look, rng: np.random.Generator) -> np.ndarray:
    w, h = look.size
    gx, gy = rng.uniform(0, w), rng.uniform(0, h)
    yy, xx = np.ogrid[:h, :w]
    away = np.sqrt((xx - gx) ** 2 + (yy - gy) ** 2) / math.hypot(w, h)
    light = (1 - look.falloff * away).astype(np.float32)
    if look.shadow > 0.2:  # somebody leans over the table: a wide soft edge
        a, p = rng.uniform(0, 2 * math.pi), rng.uniform(0.1, 0.9)
        side = (xx / w - p) * math.cos(a) + (yy / h - p) * math.sin(a)
        light *= 1 - 0.4 * look.shadow / (1 + np.exp(-side * 30)).astype(np.float32)
    return light


def _hand(canvas: np.ndarray, mask: np.ndarray, rng: np.random.Generator) -> None:
    """Draw a forearm with fingers that reaches in from an edge."""
    h, w = mask.shape
    edge = int(rng.integers(4))
    tip = np.array([rng.uniform(0.25, 0.75) * w, rng.uniform(0.25, 0.75) * h])
    start = [(tip[0], h + 50), (tip[0], -50), (-50, tip[1]), (w + 50, tip[1])][edge]
    along = tip - np.array(start)
    along /= np.linalg.norm(along)
    across = np.array([-along[1], along[0]])
    skin = np.zeros((h, w), np.uint8)
    scale = w / 1920
    palm = tip - along * 120 * scale
    cv2.line(skin, _int(np.array(start)), _int(palm - along * 60 * scale), 255, int(110 * scale), cv2.LINE_AA)
    cv2.circle(skin, _int(palm), int(75 * scale), 255, -1, cv2.LINE_AA)
    for k, reach in zip((-1.4, -0.5, 0.4, 1.3), (0.75, 1.0, 0.95, 0.7), strict=True):
        base = palm + across * k * 38 * scale
        cv2.line(skin, _int(base), _int(base + along * 130 * reach * scale), 255, int(34 * scale), cv2.LINE_AA)
    soft = cv2.GaussianBlur(skin.astype(np.float32) / 255, (0, 0), 1.2)
    colour = np.float32([[130, 155, 205], [60, 85, 130], [150, 180, 225]][int(rng.integers(3))])
    shade = cv2.GaussianBlur(soft, (0, 0), 14)
    canvas *= 1 - 0.35 * cv2.warpAffine(shade, np.float32([[1, 0, 12], [0, 1, 14]]), (w, h))[..., None]
    tone = 0.7 + 0.3 * cv2.GaussianBlur(soft, (0, 0), 18)
    canvas += (colour * tone[..., None] - canvas) * soft[..., None]
    np.maximum(mask, soft, out=mask)


def _glare(look: Look, rng: np.random.Generator) -> np.ndarray:
    w, h = look.size
    yy, xx = np.mgrid[:h, :w].astype(np.float32)
    spots = np.zeros((h, w), np.float32)
    for _ in range(look.glare):
        cx, cy = rng.uniform(0, w), rng.uniform(0, h)
        a, rx = rng.uniform(0, math.pi), rng.uniform(0.006, 0.03) * w
        ry = rx * rng.uniform(0.4, 1.0)
        u = (xx - cx) * math.cos(a) + (yy - cy) * math.sin(a)
        v = (yy - cy) * math.cos(a) - (xx - cx) * math.sin(a)
        spots += np.clip(1.5 - np.sqrt((u / rx) ** 2 + (v / ry) ** 2), 0, 1)
    return np.clip(spots, 0, 1)


def _streak(length: float, angle: float) -> np.ndarray:
    n = 2 * math.ceil(length / 2) + 3
    big = np.zeros((n * 8, n * 8), np.uint8)
    c = n * 4
    dx, dy = math.cos(angle) * length * 4, math.sin(angle) * length * 4
    cv2.line(big, (int(c - dx), int(c - dy)), (int(c + dx), int(c + dy)), 255, 8)
    kernel = cv2.resize(big.astype(np.float32), (n, n), interpolation=cv2.INTER_AREA)
    return kernel / kernel.sum()


def _truth(index: int, item: Placed, view: np.ndarray, owner: np.ndarray, look: Look) -> Truth:
    to_px = _placement(item, view)
    fw, fh = item.face.width, item.face.height
    outline = _project(np.array([[0, 0], [fw, 0], [fw, fh], [0, fh]]), to_px)
    corners = _project(item.face.code_box, to_px)
    return Truth(
        item.name,
        corners,
        outline,
        _hidden(outline, owner, index, corner_loss=0.985),
        _hidden(corners, owner, index),
    )


def _hidden(polygon: np.ndarray, owner: np.ndarray, index: int, corner_loss: float = 1.0) -> float:
    h, w = owner.shape
    x0, y0 = np.floor(polygon.min(0)).astype(int) - 1
    x1, y1 = np.ceil(polygon.max(0)).astype(int) + 2
    if x1 <= 0 or y1 <= 0 or x0 >= w or y0 >= h:
        return 1.0
    full = np.zeros((y1 - y0, x1 - x0), np.uint8)
    cv2.fillConvexPoly(full, np.int32(np.round(polygon - (x0, y0))), 1)
    total = int(full.sum())
    a, b, c, d = max(x0, 0), max(y0, 0), min(x1, w), min(y1, h)
    seen = (owner[b:d, a:c] == index) & (full[b - y0 : d - y0, a - x0 : c - x0] > 0)
    return max(0.0, 1 - float(seen.sum()) / max(1.0, total * corner_loss))


def _int(point: np.ndarray) -> tuple[int, int]:
    return round(float(point[0])), round(float(point[1]))
