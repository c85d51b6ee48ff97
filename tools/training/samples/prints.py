"""Busy printed backgrounds (cloths, wallpapers, tiles, play mats, pages), on which the finder had missed most dice."""

from collections.abc import Callable
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rendering.faces import numeral
from companion.rendering.painter import Image
from tools.training.samples.appearance import random_color
from tools.training.samples.fonts import Fonts
from tools.training.samples.tables import busy_table

_Palette = NDArray[np.float32]
_WORDS: Final = (
    "THE", "TABLE", "of", "and", "Bank", "10", "A", "Q", "7", "Rules", "x2", "Roll", "?", "&", "25", "ROUND",
)  # fmt: skip


def random_ground(rng: np.random.Generator, size: int, fonts: Fonts, prints: float) -> Image:
    """Return a random table, uint8 (size, size, 3): a print with probability ``prints``, or a `busy_table`."""
    if prints and rng.random() < prints:
        return busy_print(rng, size, fonts)
    return busy_table(rng, size, fonts)


def busy_print(rng: np.random.Generator, size: int, fonts: Fonts) -> Image:
    """Return a printed table texture, uint8 (size, size, 3): one pattern, or one over another."""
    colours = _palette(rng)
    sheet = _PATTERNS[int(rng.integers(len(_PATTERNS)))](rng, size, fonts, colours)
    if rng.random() < 0.4:
        upper = _PATTERNS[int(rng.integers(len(_PATTERNS)))](rng, size, fonts, _palette(rng))
        cover = _cover(rng, size) * float(rng.uniform(0.4, 1))
        sheet = sheet * (1 - cover) + upper * cover
    shade = 1 + rng.uniform(0, 0.3) * _noise(rng, size, int(rng.integers(2, 9)))[..., None]
    grain = rng.normal(0, rng.uniform(0, 6), (size, size, 1))
    return np.asarray(np.clip(sheet * shade + grain, 0, 255), np.uint8)


def _palette(rng: np.random.Generator) -> _Palette:
    """Return two to six colors, often of similar brightness."""
    colours = np.array([random_color(rng) for _ in range(int(rng.integers(2, 7)))], np.float32)
    if rng.random() < 0.4:
        colours = colours.mean(axis=0) + (colours - colours.mean(axis=0)) * float(rng.uniform(0.15, 0.6))
    return np.clip(colours, 0, 255)


def _ink(rng: np.random.Generator, colours: _Palette) -> list[float]:
    return [float(v) for v in colours[int(rng.integers(len(colours)))]]


def _noise(rng: np.random.Generator, size: int, cells: int) -> NDArray[np.float32]:
    some = rng.normal(0, 0.5, (cells + 2, cells + 2)).astype(np.float32)
    return np.asarray(cv2.resize(some, (size, size), interpolation=cv2.INTER_CUBIC), np.float32)


def _cover(rng: np.random.Generator, size: int) -> NDArray[np.float32]:
    """Return the mask of the upper of two patterns: random blobs, sharp or blurred."""
    field = _noise(rng, size, int(rng.integers(2, 12)))
    return np.asarray(np.clip(0.5 + field * float(rng.uniform(1, 40)), 0, 1), np.float32)[..., None]


# ---- patterns


def _repeated(rng: np.random.Generator, size: int, fonts: Fonts, colours: _Palette) -> NDArray[np.float32]:
    """Return a motif repeated in rows, straight or at an angle, that may be offset: cloths, wallpapers, card backs."""
    side = int(np.exp(rng.uniform(np.log(0.04), np.log(0.35))) * size) + 6
    tile = np.empty((side, side, 3), np.uint8)
    tile[:] = np.array(_ink(rng, colours), np.uint8)
    for _ in range(int(rng.integers(1, 7))):
        _motif(tile, rng, fonts, colours)
    if rng.random() < 0.4:  # mirrored both ways, as on tiles
        tile = np.concatenate([tile, tile[::-1]])
        tile = np.concatenate([tile, tile[:, ::-1]], axis=1)
    h, w = tile.shape[:2]
    rows, columns = 2 * size // h + 3, 2 * size // w + 3
    off = int(w * rng.choice([0, 0.5, rng.random()]))
    sheet = np.concatenate([np.roll(np.tile(tile, (1, columns, 1)), k * off, axis=1) for k in range(rows)])
    turn = float(rng.choice([0, 0, 45, rng.uniform(0, 360)]))
    where = cv2.getRotationMatrix2D((sheet.shape[1] / 2, sheet.shape[0] / 2), turn, 1.0)
    where[:, 2] += (size / 2 - sheet.shape[1] / 2, size / 2 - sheet.shape[0] / 2)
    return np.asarray(cv2.warpAffine(sheet, where, (size, size), borderMode=cv2.BORDER_WRAP), np.float32)


def _motif(tile: Image, rng: np.random.Generator, fonts: Fonts, colours: _Palette) -> None:
    """Draw a flower, rings, a star, a line, a curve, a number or a disc with spots into a tile."""
    side = tile.shape[0]
    x, y = (int(v) for v in rng.uniform(0, 1, 2) * side)
    r = float(rng.uniform(0.08, 0.55)) * side
    ink, thick = _ink(rng, colours), -1 if rng.random() < 0.6 else int(rng.integers(1, max(2, side // 8) + 1))
    kind = int(rng.integers(8))
    if kind == 0:
        petals = int(rng.integers(3, 9))
        for k in range(petals):
            turn = 360 * k / petals
            at = (int(x + 0.55 * r * np.cos(np.radians(turn))), int(y + 0.55 * r * np.sin(np.radians(turn))))
            cv2.ellipse(tile, at, (int(0.5 * r), int(0.25 * r)), turn, 0, 360, ink, thick, cv2.LINE_AA)
        cv2.circle(tile, (x, y), max(1, int(0.2 * r)), _ink(rng, colours), -1, cv2.LINE_AA)
    elif kind == 1:
        for ring in range(int(rng.integers(1, 4))):
            cv2.circle(tile, (x, y), max(1, int(r * (1 - 0.3 * ring))), _ink(rng, colours), thick, cv2.LINE_AA)
    elif kind in (2, 3):
        corners, inner = int(rng.integers(3, 9)), float(rng.uniform(0.35, 1))
        turns = np.linspace(0, 2 * np.pi, 2 * corners, endpoint=False) + rng.uniform(0, 2 * np.pi)
        far = r * np.where(np.arange(2 * corners) % 2, inner, 1.0)
        star = np.stack([x + far * np.cos(turns), y + far * np.sin(turns)], axis=1).astype(np.int32)
        cv2.fillPoly(tile, [star], ink, cv2.LINE_AA) if thick < 0 else cv2.polylines(
            tile, [star], True, ink, thick, cv2.LINE_AA
        )
    elif kind == 4:
        ends = (rng.uniform(-0.5, 1.5, (2, 2)) * side).astype(int).tolist()
        cv2.line(tile, ends[0], ends[1], ink, max(1, int(rng.uniform(0.02, 0.25) * side)), cv2.LINE_AA)
    elif kind == 5:
        curve = (rng.uniform(-0.2, 1.2, (4, 2)) * side).astype(np.float32)
        t = np.linspace(0, 1, 24)[:, None]
        terms = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3
        path = sum(term * curve[k] for k, term in enumerate(terms)).astype(np.int32)
        cv2.polylines(tile, [path], False, ink, max(1, int(rng.uniform(0.02, 0.15) * side)), cv2.LINE_AA)
    elif kind == 6:
        _number(tile, rng, fonts, ink, (x, y), r)
    else:
        _spots(tile, rng, colours, (x, y), r)


def _number(
    tile: Image, rng: np.random.Generator, fonts: Fonts, ink: list[float], at: tuple[int, int], r: float
) -> None:  # fmt: skip
    mask = numeral(str(int(rng.integers(0, 100))), fonts.random(rng, "train"))
    where = cv2.getRotationMatrix2D((mask.shape[1] / 2, mask.shape[0] / 2), float(rng.choice([0, rng.uniform(0, 360)])),
                                    1.6 * r / max(mask.shape))  # fmt: skip
    where[:, 2] += (at[0] - mask.shape[1] / 2, at[1] - mask.shape[0] / 2)
    cover = cv2.warpAffine(mask, where, tile.shape[1::-1]).astype(np.float32)[..., None] / 255
    tile[:] = np.clip(tile * (1 - cover) + np.array(ink, np.float32) * cover, 0, 255).astype(np.uint8)


def _spots(tile: Image, rng: np.random.Generator, colours: _Palette, at: tuple[int, int], r: float) -> None:
    """Draw a disc or ellipse with one to six spots; never a square, as a die from straight above looks the same."""
    body, ink = _ink(rng, colours), _ink(rng, colours)
    if rng.random() < 0.4:
        cv2.circle(tile, at, int(r), body, -1, cv2.LINE_AA)
    else:
        axes = (int(r), int(r * rng.uniform(0.7, 1)))
        cv2.ellipse(tile, at, axes, float(rng.uniform(0, 90)), 0, 360, body, -1, cv2.LINE_AA)
    places = rng.permutation(9)[: int(rng.integers(1, 7))] if rng.random() < 0.5 else (4,)
    for k in places:
        spot = (int(at[0] + 0.42 * r * (k % 3 - 1)), int(at[1] + 0.42 * r * (k // 3 - 1)))
        cv2.circle(tile, spot, max(1, int(rng.uniform(0.1, 0.2) * r)), ink, -1, cv2.LINE_AA)


def _scattered(rng: np.random.Generator, size: int, fonts: Fonts, colours: _Palette) -> NDArray[np.float32]:
    """Return randomly placed motifs of all sizes."""
    sheet = np.empty((size, size, 3), np.uint8)
    sheet[:] = np.array(_ink(rng, colours), np.uint8)
    for _ in range(int(rng.integers(15, 90))):
        side = int(np.exp(rng.uniform(np.log(0.05), np.log(0.4))) * size) + 6
        x, y = (int(v) for v in rng.integers(-side // 2, size - side // 2, 2))
        part = sheet[max(0, y) : y + side, max(0, x) : x + side]
        square = np.ascontiguousarray(part)
        if min(square.shape[:2]) > 4:
            _motif(square, rng, fonts, colours)
            part[:] = square
    return sheet.astype(np.float32)


def _voronoi(rng: np.random.Generator, size: int, fonts: Fonts, colours: _Palette) -> NDArray[np.float32]:
    """Return a Voronoi pattern: pebbles, cracks or a mosaic."""
    del fonts
    points = rng.uniform(-0.1, 1.1, (int(rng.integers(8, 160)), 2)).astype(np.float32) * size
    if rng.random() < 0.3:
        points = np.round(points / (0.12 * size)) * np.float32(0.12 * size)
        points += rng.normal(0, 0.01 * size, points.shape).astype(np.float32)
    small = max(24, size // 2)
    y, x = np.mgrid[0:small, 0:small].astype(np.float32) * (size / small)
    far = np.stack([np.hypot(x - px, y - py) for px, py in points])
    two = np.partition(far, 1, axis=0)[:2]
    sheet = colours[rng.integers(0, len(colours), len(points))][far.argmin(axis=0)]
    if rng.random() < 0.6:
        joint = (two[1] - two[0]) / (size * rng.uniform(0.005, 0.05))
        sheet = sheet * np.clip(joint, rng.uniform(0, 0.8), 1)[..., None]
    return np.asarray(cv2.resize(sheet, (size, size), interpolation=cv2.INTER_LINEAR), np.float32)


def _marbled(rng: np.random.Generator, size: int, fonts: Fonts, colours: _Palette) -> NDArray[np.float32]:
    """Return noise fields in the palette's colors: camouflage, marble or paint."""
    del fonts
    field = sum((_noise(rng, size, n) / k for k, n in enumerate((3, 7, 15, 31), start=1)), np.zeros((size, size)))
    field = field * float(rng.uniform(0.6, 3)) * len(colours)
    if rng.random() < 0.5:
        return np.asarray(colours[np.floor(field).astype(int) % len(colours)], np.float32)
    share = (field % 1)[..., None].astype(np.float32)
    lower = np.floor(field).astype(int)
    return np.asarray(colours[lower % len(colours)] * (1 - share) + colours[(lower + 1) % len(colours)] * share)


def _striped(rng: np.random.Generator, size: int, fonts: Fonts, colours: _Palette) -> NDArray[np.float32]:
    """Return crossed stripes of random widths: tartans, tea towels, boards, tiles with joints."""
    del fonts
    layers = []
    for _ in range(2):
        widths = np.exp(rng.uniform(np.log(0.008), np.log(0.2), int(rng.integers(2, 7)))) * size
        if rng.random() < 0.3:
            widths[:] = widths[0]
        repeats = int(2.2 * size / widths.sum()) + 2
        edges = np.cumsum(np.tile(widths, repeats))
        order = np.searchsorted(edges, np.arange(int(1.5 * size))) % len(widths)
        layers.append(colours[rng.integers(0, len(colours), len(widths))][order])
    across = layers[0][:, None] * 0.5 + layers[1][None] * 0.5
    if rng.random() < 0.4:
        stripe = np.arange(len(across)) // max(1, int(0.1 * size)) % 2
        across = np.where((stripe[:, None] ^ stripe[None])[..., None] == 1, colours[0], colours[1])
    turn = cv2.getRotationMatrix2D((0.75 * size, 0.75 * size), float(rng.choice([0, 45, rng.uniform(0, 90)])), 1.0)
    turn[0, 2] -= 0.25 * size
    turn[1, 2] -= 0.25 * size
    turned = cv2.warpAffine(across.astype(np.float32), turn, (size, size), borderMode=cv2.BORDER_REFLECT)
    return np.asarray(turned, np.float32)


def _page(rng: np.random.Generator, size: int, fonts: Fonts, colours: _Palette) -> NDArray[np.float32]:
    """Return lines of words and boxes, as on a sheet of paper, a mat or a board."""
    del fonts
    sheet = np.empty((size, size, 3), np.uint8)
    sheet[:] = np.array(_ink(rng, colours), np.uint8)
    y = 0
    while y < size:
        high = int(rng.uniform(0.03, 0.16) * size) + 4
        scale, x, ink = high / 30, int(rng.uniform(-0.2, 0.2) * size), _ink(rng, colours)
        while x < size:
            word = _WORDS[int(rng.integers(len(_WORDS)))]
            font, thick = int(rng.integers(0, 8)), max(1, int(2 * scale))
            cv2.putText(sheet, word, (x, y + high), font, scale, ink, thick, cv2.LINE_AA)
            x += int((len(word) + 1) * 18 * scale)
        if rng.random() < 0.3:
            box = (int(rng.integers(0, size)), y), (int(rng.integers(0, size)), y + 2 * high)
            cv2.rectangle(sheet, *box, _ink(rng, colours), int(rng.integers(1, 5)), cv2.LINE_AA)
        y += int(1.3 * high)
    return np.asarray(np.rot90(sheet, int(rng.integers(4))), np.float32)


_PATTERNS: Final[tuple[Callable[[np.random.Generator, int, Fonts, _Palette], NDArray[np.float32]], ...]] = (
    _repeated, _repeated, _repeated, _scattered, _voronoi, _marbled, _striped, _page,
)  # fmt: skip
