"""Roulette wheels built of flat faces: pockets with floors, walls and upright frets, drawn from back to front.

Geometry, materials and camera differ from `turned_wheels`, with which no code is shared. Deterministic for a seed.
"""

from dataclasses import dataclass, field
from functools import cached_property

import cv2
import numpy as np

from companion.games.roulette.wheel import RIMS, color_of

Picture = np.ndarray
Color = tuple[float, float, float]

_SCHEMES = (
    # red, black, green (BGR)
    ((38, 28, 200), (28, 26, 26), (60, 140, 20)),
    ((30, 20, 150), (18, 18, 22), (45, 110, 15)),
    ((60, 50, 215), (52, 46, 44), (95, 160, 55)),
    ((20, 30, 175), (10, 10, 10), (30, 125, 40)),
    ((70, 40, 190), (45, 38, 30), (110, 150, 30)),
    ((25, 45, 225), (20, 22, 30), (40, 165, 75)),
)
_BOWLS = ((35, 70, 125), (28, 45, 95), (60, 100, 150), (20, 30, 48), (70, 110, 165), (140, 140, 145), (26, 20, 70))
_METALS = ((90, 175, 205), (195, 195, 200), (120, 130, 140), (60, 140, 185))
_BALLS = ((245, 245, 245), (240, 240, 235), (215, 235, 245), (205, 225, 235), (190, 195, 200), (60, 215, 240),
          (235, 160, 90), (60, 150, 250), (200, 120, 215))  # fmt: skip


@dataclass
class Look:
    """One wheel under one camera. Lengths in radii of the rotor."""

    seed: int
    wheel: str
    size: tuple[int, int]
    diameter_px: float
    tilt: float
    side: float
    roll: float
    distance: float
    center: tuple[float, float]
    scheme: tuple[Color, Color, Color]
    bowl: Color
    metal: Color
    ball_color: Color
    style: dict[str, float] = field(default_factory=dict)
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))

    @property
    def tilt_deg(self) -> float:
        return float(np.degrees(self.tilt))


def look(seed: int, *, film: bool = False) -> Look:
    """Return the look for a seed."""
    rng = np.random.default_rng([seed, 4242])
    size = (720, 540) if film else ((1280, 960), (1280, 720), (1600, 1200), (1024, 768))[rng.integers(4)]
    around = rng.normal(0, 0.25) if rng.random() < 0.7 else rng.uniform(-np.pi, np.pi)
    u = rng.uniform
    style = {
        "outer": u(1.38, 1.7), "drop": u(0.02, 0.09), "depth": u(0.025, 0.06), "fret": u(0.006, 0.016),
        "fret_high": u(0.015, 0.05), "pocket": u(0.1, 0.17), "ring": u(0.13, 0.2), "inside": float(rng.random() < 0.25),
        "painted": float(rng.random() < 0.8), "lines": float(rng.random() < 0.6), "cone": u(0.03, 0.12),
        "turret": u(0.1, 0.35), "arms": float(rng.integers(0, 6)), "diamonds": float(rng.choice([0, 8, 12, 16])),
        "inlay": float(rng.random() < 0.4), "ball": u(0.042, 0.056), "exposure": u(0.002, 0.016), "blur": u(0.0, 1.1),
        "noise": u(0.5, 6.0), "jpeg": float(rng.integers(50, 97)), "tone": u(0.6, 1.2), "warm": u(-0.12, 0.12),
        "ambient": u(0.35, 0.7), "glares": float(rng.integers(0, 5)), "shade": u(0, 0.5),
        "cloth": float(rng.integers(5)),
        "upright": float(rng.random() < 0.8), "font": float(rng.integers(4)),
        "gold": float(rng.random() < 0.3),
        "hand": float(rng.random() < 0.12), "vignette": u(0, 0.35),
    }  # fmt: skip
    return Look(
        seed,
        "american" if rng.random() < 0.35 else "european",
        size,
        float(u(250, min(700, size[1] * 1.02))),
        float(np.radians(u(0, 35))),
        float(around),
        float(rng.normal(0, 0.08)),
        float(u(3.5, 14)),
        (float(u(0.38, 0.62)), float(u(0.42, 0.58))),
        _SCHEMES[rng.integers(len(_SCHEMES))],
        _BOWLS[rng.integers(len(_BOWLS))],
        _METALS[rng.integers(len(_METALS))],
        _BALLS[rng.integers(3) if rng.random() < 0.55 else rng.integers(len(_BALLS))],
        style,
        rng,
    )


@dataclass(frozen=True)
class Ball:
    """The ball: angle (rad, clockwise in the picture), radius, and height above the surface."""

    angle: float
    radius: float
    lift: float = 0.0


class BuiltWheel:
    """A wheel with a look, ready to be rendered."""

    def __init__(self, look: Look) -> None:
        self.look, s, rng = look, look.style, look.rng
        self.pockets = RIMS[look.wheel]
        self.step = 2 * np.pi / len(self.pockets)
        self.ss = 2
        band = s["pocket"] + s["ring"]
        edge = 1.0 - 0.02
        if s["inside"]:  # the numbers are inside the pockets
            self.pocket = (edge - s["pocket"], edge)
            self.ring = (edge - band, edge - s["pocket"])
        else:
            self.ring = (edge - s["ring"], edge)
            self.pocket = (edge - band, edge - s["ring"])
        self.inner = edge - band
        self.track = s["outer"] - 0.14
        self._camera()
        light = rng.uniform(-np.pi, np.pi)
        high = rng.uniform(0.6, 2.0)
        self.sun = np.array([np.cos(light), np.sin(light), high]) / np.hypot(1, high)
        self.glyphs = [self._glyph(pocket) for pocket in self.pockets]
        self.back = self._background()

    # ---- camera: x right, y down (seen from above), z up to the camera

    def _camera(self) -> None:
        k = self.look
        w, h = (n * self.ss for n in k.size)
        away = np.array([np.sin(k.side) * np.sin(k.tilt), np.cos(k.side) * np.sin(k.tilt), np.cos(k.tilt)])
        self.eye = away * k.distance
        # rotate the world about z so that the camera's side is down, tilt, and rotate back in the picture
        c, s = np.cos(k.side), np.sin(k.side)
        about = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        ct, st = np.cos(k.tilt), np.sin(k.tilt)
        lean = np.array([[1, 0, 0], [0, ct, -st], [0, st, ct]])
        a = -k.side + k.roll
        c, s = np.cos(a), np.sin(a)
        back = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]).T
        self.turned = back @ lean @ about
        self.f = k.diameter_px * self.ss / (2 * k.style["outer"]) * k.distance
        self.mid = np.array([k.center[0] * w, k.center[1] * h])

    def pixels(self, points: np.ndarray) -> np.ndarray:
        """Return the positions of points (n, 3) in the supersampled picture, float (n, 2)."""
        q = points @ self.turned.T
        return self.mid + self.f * q[:, :2] / (self.look.distance - q[:, 2])[:, None]

    def distance(self, points: np.ndarray) -> float:
        return float(np.linalg.norm(points.mean(0) - self.eye))

    # ---- drawing

    def _fill(self, canvas: Picture, points: np.ndarray, color: np.ndarray, *, shine: float = 0.15) -> None:
        points = np.asarray(points, float)
        normal = np.cross(points[1] - points[0], points[2] - points[0])
        size = np.linalg.norm(normal)
        normal = np.array([0, 0, 1.0]) if size < 1e-12 else normal / size
        view = self.eye - points.mean(0)
        view /= np.linalg.norm(view)
        if normal @ view < 0:
            normal = -normal
        k = self.look.style
        light = k["ambient"] + (1 - k["ambient"]) * max(0.0, float(normal @ self.sun))
        half = (view + self.sun) / np.linalg.norm(view + self.sun)
        spark = shine * 255 * max(0.0, float(normal @ half)) ** 30
        paint = np.clip(np.asarray(color) * light * k["tone"] + spark, 0, 255)
        at = np.rint(self.pixels(points) * 16).astype(np.int32)
        cv2.fillConvexPoly(canvas, at, paint.tolist(), cv2.LINE_AA, 4)

    @staticmethod
    def at(r: float, a: float, z: float) -> np.ndarray:
        return np.array([r * np.cos(a), r * np.sin(a), z])

    def _band(
        self,
        canvas: Picture,
        inner: tuple[float, float],
        outer: tuple[float, float],
        colors: list[np.ndarray],
        shine: float = 0.1,
    ) -> None:
        """Draw a ring between two radii and heights, with colors by angle."""
        n = 96
        for i in range(n):
            a, b = 2 * np.pi * i / n, 2 * np.pi * (i + 1.05) / n
            quad = np.stack(
                [
                    self.at(*p)
                    for p in (
                        (inner[0], a, inner[1]),
                        (outer[0], a, outer[1]),
                        (outer[0], b, outer[1]),
                        (inner[0], b, inner[1]),
                    )
                ]
            )
            self._fill(canvas, quad, colors[i * len(colors) // n], shine=shine)

    def _background(self) -> Picture:
        look, k, rng = self.look, self.look.style, self.look.rng
        w, h = (n * self.ss for n in look.size)
        cloths = ((45, 95, 35), (110, 60, 40), (35, 30, 120), (55, 60, 65), (150, 160, 170))
        canvas = np.full((h, w, 3), cloths[int(k["cloth"])], np.uint8)
        canvas = (
            canvas * (0.8 + 0.2 * rng.random((h // 8 + 1, w // 8 + 1, 1))).repeat(8, 0).repeat(8, 1)[:h, :w]
        ).astype(np.uint8)
        if rng.random() < 0.5:  # a betting layout beside the wheel
            x0, side = int(rng.uniform(0.0, 0.8) * w), int(rng.uniform(0.05, 0.09) * h)
            for i in range(12):
                for j in range(3):
                    red = (i * 3 + j) % 2
                    corner = (x0 + j * side, 20 + i * side)
                    cv2.rectangle(
                        canvas,
                        corner,
                        (corner[0] + side, corner[1] + side),
                        look.scheme[0] if red else look.scheme[1],
                        -1,
                    )
                    cv2.rectangle(canvas, corner, (corner[0] + side, corner[1] + side), (230, 230, 230), 3)
        wood = np.array(look.bowl, float)
        rows = [wood * v for v in rng.uniform(0.85, 1.1, 24)]
        if k["inlay"]:
            rows = [wood * (1.15 if i % 2 else 0.7) for i in range(24)]
        out = k["outer"]
        self._band(canvas, (out - 0.05, 0.3), (out, 0.3), [wood * 0.9])
        self._band(canvas, (out - 0.07, 0.22), (out - 0.05, 0.3), [wood * 0.6])
        self._band(canvas, (self.track - 0.05, 0.2), (out - 0.07, 0.22), [wood * rng.uniform(0.7, 1.3)], 0.3)
        self._band(canvas, (1.02, k["drop"]), (self.track - 0.05, 0.2), rows, 0.2)
        self._band(canvas, (0.97, k["drop"] * 0.8), (1.025, k["drop"]), [np.array((18.0, 18, 18))], 0.0)
        metal = np.array(look.metal, float)
        for i in range(int(k["diamonds"])):
            a, r = 2 * np.pi * i / k["diamonds"] + 0.2, (1.02 + self.track) / 2
            z = k["drop"] + (0.2 - k["drop"]) * 0.5
            long, short = (0.07, 0.025) if i % 2 else (0.03, 0.06)
            tip = self.at(r, a, z + 0.03)
            corners = [
                self.at(r + long, a, z + 0.02),
                self.at(r, a + short, z),
                self.at(r - long, a, z - 0.02),
                self.at(r, a - short, z),
            ]
            for one, two in zip(corners, [*corners[1:], corners[0]], strict=True):
                self._fill(canvas, np.stack([one, two, tip]), metal, shine=0.5)
        return canvas

    def _glyph(self, pocket: str) -> Picture:
        k = self.look.style
        font = (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_TRIPLEX, cv2.FONT_HERSHEY_PLAIN)[
            int(k["font"])
        ]
        tile = np.zeros((96, 96), np.uint8)
        (w, h), _ = cv2.getTextSize(pocket, font, 1, 2)
        size = min(52 / h, 74 / w)
        thick = 5 if font == cv2.FONT_HERSHEY_PLAIN else 4
        (w, h), _ = cv2.getTextSize(pocket, font, size, thick)
        cv2.putText(tile, pocket, ((96 - w) // 2, (96 + h) // 2), font, size, 255, thick, cv2.LINE_AA)
        return tile if k["upright"] else tile[::-1, ::-1].copy()

    def _print(self, canvas: Picture, glyph: Picture, quad: np.ndarray) -> None:
        to = self.pixels(quad).astype(np.float32)
        x0, y0 = np.floor(to.min(0)).astype(int) - 1
        x1, y1 = np.ceil(to.max(0)).astype(int) + 2
        x0, y0, x1, y1 = max(0, x0), max(0, y0), min(canvas.shape[1], x1), min(canvas.shape[0], y1)
        if x0 >= x1 or y0 >= y1:
            return
        corners = np.array([[0, 0], [95, 0], [95, 95], [0, 95]], np.float32)
        matrix = cv2.getPerspectiveTransform(corners, to - np.array([x0, y0], np.float32))
        ink = cv2.warpPerspective(glyph, matrix, (x1 - x0, y1 - y0), flags=cv2.INTER_AREA)[..., None] / 255.0
        color = np.array((130, 205, 235) if self.look.style["gold"] else (240, 240, 240), float) * min(
            1, self.look.style["tone"]
        )
        part = canvas[y0:y1, x0:x1]
        part[:] = (part * (1 - ink) + color * ink).astype(np.uint8)

    def _rotor(self, canvas: Picture, turn: float, ball: Ball | None) -> None:
        look, k = self.look, self.look.style
        paints = dict(zip(("red", "black", "green"), (np.array(c, float) for c in look.scheme), strict=True))
        metal = np.array(look.metal, float)
        p0, p1 = self.pocket
        r0, r1 = self.ring
        floor, top = -k["depth"], 0.0
        ring_out = k["drop"] * 0.6 if not k["inside"] else 0.0
        jobs: list[tuple[float, list[tuple[np.ndarray, np.ndarray, float]], int]] = []
        for i, pocket in enumerate(self.pockets):
            a, b = turn + (i - 0.5) * self.step, turn + (i + 0.5) * self.step
            paint = paints[color_of(pocket)]
            ground = paint * 0.9 if k["painted"] else metal * 0.75
            quads = [
                (
                    np.stack(
                        [self.at(p0, a, floor), self.at(p1, a, floor), self.at(p1, b, floor), self.at(p0, b, floor)]
                    ),
                    ground,
                    0.1,
                ),
                (
                    np.stack([self.at(p1, a, floor), self.at(p1, a, top), self.at(p1, b, top), self.at(p1, b, floor)]),
                    metal * 0.5 if not k["painted"] else paint * 0.7,
                    0.1,
                ),
                (
                    np.stack([self.at(p0, a, floor), self.at(p0, a, top), self.at(p0, b, top), self.at(p0, b, floor)]),
                    metal * 0.5,
                    0.1,
                ),
                (
                    np.stack(
                        [
                            self.at(r0, a, top),
                            self.at(r1, a, ring_out),
                            self.at(r1, b, ring_out),
                            self.at(r0, b, top),
                        ]
                    ),
                    paint,
                    0.12,
                ),
            ]
            where = self.at((p0 + p1) / 2, (a + b) / 2, 0)
            jobs.append((float(np.linalg.norm(where - self.eye)) + 0.02, quads, i))
            half, z = k["fret"] / 2 / p1, floor + k["fret_high"] + k["depth"] * 0.5
            fret = []
            for side in (-half, half):
                fret.append(
                    (
                        np.stack(
                            [
                                self.at(p0, a + side, floor),
                                self.at(p1, a + side, floor),
                                self.at(p1, a + side, z),
                                self.at(p0, a + side, z),
                            ]
                        ),
                        metal * 0.7,
                        0.3,
                    )
                )
            fret.append(
                (
                    np.stack(
                        [
                            self.at(p0, a - half, z),
                            self.at(p1, a - half, z),
                            self.at(p1, a + half, z),
                            self.at(p0, a + half, z),
                        ]
                    ),
                    metal,
                    0.5,
                )
            )
            where = self.at((p0 + p1) / 2, a, 0)
            jobs.append((float(np.linalg.norm(where - self.eye)), fret, -1))
        if ball is not None and ball.radius < 1:
            where = self.at((p0 + p1) / 2, ball.angle, 0)
            jobs.append((float(np.linalg.norm(where - self.eye)) + 0.012, [], -2))
        for _, quads, kind in sorted(jobs, key=lambda job: -job[0]):
            for quad, color, shine in quads:
                self._fill(canvas, quad, color, shine=shine)
            if kind >= 0:
                self._number(canvas, kind, turn, ring_out)
            elif kind == -2 and ball is not None:
                self._ball(canvas, ball)
        self._middle(canvas, turn, metal)
        if ball is not None and ball.radius >= 1:
            self._ball(canvas, ball)

    def _number(self, canvas: Picture, i: int, turn: float, ring_out: float) -> None:
        k, (r0, r1) = self.look.style, self.ring
        a, b = turn + (i - 0.5) * self.step, turn + (i + 0.5) * self.step
        half = min((r1 - r0) / 2, self.step * (r0 + r1) / 4) * 0.92
        mid, c = (r0 + r1) / 2, (a + b) / 2

        def spot(r: float, angle: float) -> np.ndarray:
            return self.at(r, angle, ring_out * (r - r0) / (r1 - r0))

        wide = half / mid
        self._print(
            canvas,
            self.glyphs[i],
            np.stack(
                [
                    spot(mid + half, c - wide),
                    spot(mid + half, c + wide),
                    spot(mid - half, c + wide),
                    spot(mid - half, c - wide),
                ]
            ),
        )
        if k["lines"]:
            line = self.pixels(np.stack([spot(r0, a), spot(r1, a)]))
            cv2.line(
                canvas,
                *(tuple(np.rint(p * 16).astype(int).tolist()) for p in line),
                [float(v) for v in np.array(self.look.metal) * min(1.0, k["tone"])],
                2,
                cv2.LINE_AA,
                4,
            )

    def _middle(self, canvas: Picture, turn: float, metal: np.ndarray) -> None:
        k = self.look.style
        wood = np.array(self.look.bowl, float) * (1.1 if k["inlay"] else 0.8)
        r = self.inner
        plates = [wood if i % 2 else wood * 0.9 for i in range(8)]
        self._band(canvas, (0.1, k["cone"] + 0.05), (r - 0.005, 0.0), plates, 0.25)
        self._band(canvas, (r - 0.02, 0.012), (r, 0.0), [metal], 0.4)
        for i in range(int(k["arms"])):
            a = turn + 2 * np.pi * i / k["arms"]
            z = k["cone"] + k["turret"] * 0.5
            side = np.array([-np.sin(a), np.cos(a), 0]) * 0.02
            self._fill(
                canvas,
                np.stack(
                    [
                        self.at(0.05, a, z) + side,
                        self.at(r * 0.55, a, z) + side,
                        self.at(r * 0.55, a, z) - side,
                        self.at(0.05, a, z) - side,
                    ]
                ),
                metal,
                shine=0.6,
            )
            tip = self.pixels(self.at(r * 0.55, a, z)[None])[0]
            cv2.circle(
                canvas,
                tuple(np.rint(tip).astype(int).tolist()),
                max(2, int(0.035 * self.f / self.look.distance)),
                (metal * min(1, k["tone"])).tolist(),
                -1,
                cv2.LINE_AA,
            )
        for j in range(10):
            t = j / 9
            radius, z = 0.15 * (1 - t) ** 0.7 + 0.025, k["cone"] + k["turret"] * t
            ring = np.stack([self.at(radius, x, z) for x in np.linspace(0, 2 * np.pi, 24, endpoint=False)])
            self._fill(canvas, ring, metal * (0.7 + 0.4 * t), shine=0.4)

    def height(self, r: float) -> float:
        """Return the height of the surface at a radius."""
        k = self.look.style
        (p0, p1), (r0, r1) = self.pocket, self.ring
        if p0 <= r <= p1:
            return -k["depth"]
        if r0 <= r <= r1:
            return 0.0 if k["inside"] else k["drop"] * 0.6 * (r - r0) / (r1 - r0)
        return float(np.interp(r, [1.0, 1.02, self.track - 0.05, self.track + 0.1], [k["drop"], k["drop"], 0.2, 0.22]))

    def _ball(self, canvas: Picture, ball: Ball) -> None:
        look, b = self.look, self.look.style["ball"]
        z = self.height(ball.radius)
        foot = self.at(ball.radius, ball.angle, z)
        cast = foot - np.array([*self.sun[:2], 0]) / self.sun[2] * (b + ball.lift) * 0.8
        ring = np.stack([cast + b * np.array([np.cos(t), np.sin(t), 0]) for t in np.linspace(0, 2 * np.pi, 20)])
        at = np.rint(self.pixels(ring)).astype(np.int32)
        x0, y0 = np.maximum(at.min(0) - 3, 0)
        x1, y1 = at.max(0) + 4
        part = canvas[y0:y1, x0:x1]
        if part.size:
            mask = np.zeros(part.shape[:2], np.uint8)
            cv2.fillConvexPoly(mask, at - [x0, y0], 255, cv2.LINE_AA)
            mask = cv2.GaussianBlur(mask, (0, 0), 2)
            part[:] = (part * (1 - 0.5 * mask[..., None] / 255.0)).astype(np.uint8)
        middle = foot + np.array([0, 0, b + ball.lift])
        x, y = self.pixels(middle[None])[0]
        radius = b * self.f / self.distance(middle[None])
        tone = look.style["tone"]
        sun = self.turned @ self.sun
        for share in np.linspace(1, 0.08, 14):  # nested discs, brighter towards the light
            off = (1 - share) * 0.55 * radius
            light = (0.5 + 0.5 * (1 - share) ** 0.6) * tone
            color = np.clip(np.array(look.ball_color, float) * light + (90 if share < 0.2 else 0), 0, 255)
            spot = (round((x + sun[0] * off) * 16), round((y + sun[1] * off) * 16))
            cv2.circle(canvas, spot, max(1, round(radius * share * 16)), color.tolist(), -1, cv2.LINE_AA, 4)

    # ---- pictures

    def picture(self, turn: float, ball: Ball | None, *, turning: float = 0.0, running: float = 0.0) -> Picture:
        """Render the wheel; ``turning`` and ``running`` are the speeds of rotor and ball, rad/s."""
        look, k = self.look, self.look.style
        parts = 1 if max(abs(turning), abs(running)) * k["exposure"] < 0.012 else 3
        total = np.zeros((look.size[1], look.size[0], 3), np.float32)
        for i in range(parts):
            dt = 0.0 if parts == 1 else (i / (parts - 1) - 0.5) * k["exposure"]
            canvas = self.back.copy()
            at = None if ball is None else Ball(ball.angle + running * dt, ball.radius, ball.lift)
            self._rotor(canvas, turn + turning * dt, at)
            total += cv2.resize(canvas, look.size, interpolation=cv2.INTER_AREA)
        return self._develop(total / parts)

    @cached_property
    def _lights(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the static light: what lamps add to each pixel, and the factors of shadows and vignetting."""
        look, k = self.look, self.look.style
        steady = np.random.default_rng([look.seed, 9])
        w, h = look.size
        ys, xs = np.mgrid[0:h, 0:w].astype(np.float32)
        mid = self.mid / self.ss
        size = look.diameter_px / 2
        glares = np.zeros((h, w))
        for _ in range(int(k["glares"])):
            a, r = steady.uniform(0, 2 * np.pi), steady.uniform(0.1, 1.1) * size
            cx, cy = mid[0] + r * np.cos(a), mid[1] + r * np.sin(a)
            wide, high = steady.uniform(0.02, 0.16, 2) * size
            glares += steady.uniform(30, 190) * np.exp(-(((xs - cx) / wide) ** 2 + ((ys - cy) / high) ** 2))
        a = steady.uniform(0, 2 * np.pi)
        side = (xs - mid[0]) * np.cos(a) + (ys - mid[1]) * np.sin(a)
        shade = 1 - k["shade"] / (1 + np.exp(-side / size * 4))
        far = ((xs - w / 2) / w) ** 2 + ((ys - h / 2) / h) ** 2
        self.hand_at = steady.uniform(0, 2 * np.pi), steady.uniform(0.8, 1.0)
        return tuple(np.float32(part)[..., None] for part in (glares, shade, 1 - k["vignette"] * far * 2))

    def _develop(self, picture: Picture) -> Picture:
        look, k = self.look, self.look.style
        glares, shade, lens = self._lights
        mid, size = self.mid / self.ss, look.diameter_px / 2
        picture = (picture + glares) * shade
        if k["hand"]:
            a, reach = self.hand_at
            end = mid + np.array([np.cos(a), np.sin(a)]) * size * reach
            far = mid + np.array([np.cos(a), np.sin(a)]) * size * 3
            picture = np.ascontiguousarray(picture, np.float32)
            cv2.line(
                picture,
                *(tuple(np.rint(p).astype(int).tolist()) for p in (end, far)),
                (110, 140, 190),
                int(size * 0.3),
                cv2.LINE_AA,
            )
        picture = picture * lens * np.array([1 - k["warm"], 1.0, 1 + k["warm"]], np.float32)
        if k["blur"] > 0.25:
            picture = cv2.GaussianBlur(picture, (0, 0), k["blur"])
        spread = k["noise"] * np.sqrt(0.4 + picture.clip(0, 255) / 200)
        picture = picture + look.rng.standard_normal(picture.shape, np.float32) * spread
        raw = picture.clip(0, 255).astype(np.uint8)
        return cv2.imdecode(cv2.imencode(".jpg", raw, [cv2.IMWRITE_JPEG_QUALITY, int(k["jpeg"])])[1], cv2.IMREAD_COLOR)

    # ---- ball positions

    def resting(self, pocket: str, turn: float, off: float = 0.0) -> Ball:
        """Return the ball in a pocket, ``off`` its middle by a share of the width, near the inner or outer wall."""
        p0, p1 = self.pocket
        b = self.look.style["ball"]
        low, high = p0 + b, max(p0 + b, p1 - b)
        where = low + (high - low) * ((self.look.seed * 7919) % 101) / 100
        return Ball(turn + (self.pockets.index(pocket) + off) * self.step, where)

    def on_track(self, angle: float) -> Ball:
        return Ball(angle, self.track)


def wheel(look: Look) -> BuiltWheel:
    return BuiltWheel(look)
