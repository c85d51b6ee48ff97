"""Roulette wheels of stacked flat layers: textured discs and rings in perspective.

Frets are stacks of layers, so that their walls are visible under a tilt; the bowl is a stack of discs. Quick to render,
and different from `turned_wheels` and `built_wheels`, with which no code is shared: other proportions, metals and
fonts, windows reflected in the wood, glints that move over the frets, cropped wheels, portrait pictures.
"""

from dataclasses import dataclass, field

import cv2
import numpy as np

from companion.games.roulette.wheel import RIMS, color_of

Picture = np.ndarray
_SIZES = ((640, 480), (854, 480), (960, 540), (1280, 720), (540, 960), (720, 720))
_LARGE = ((1280, 720), (1920, 1080), (1080, 1920), (1600, 1200), (1440, 1080))
_FONTS = (cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_TRIPLEX, cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX)
_WOODS = ((30, 48, 92), (52, 88, 140), (16, 22, 40), (70, 120, 175), (44, 60, 66), (26, 26, 74), (150, 160, 168))
_BALLS = ((248, 248, 246), (232, 240, 244), (210, 228, 238), (150, 155, 160), (70, 200, 235), (60, 60, 210),
          (190, 110, 60), (110, 190, 90), (200, 150, 220), (40, 130, 240))  # fmt: skip


@dataclass
class Look:
    """One wheel under one camera; lengths in radii of the rotor."""

    seed: int
    wheel: str
    size: tuple[int, int]
    rotor_px: float
    tilt: float
    side: float
    roll: float
    distance: float
    center: tuple[float, float]
    ball_color: tuple[int, int, int]
    style: dict[str, float] = field(default_factory=dict)


def look(seed: int, *, film: bool = False) -> Look:
    """Return the look for a seed."""
    rng = np.random.default_rng([seed, 60601])
    u = rng.uniform
    sizes = _SIZES if film else _LARGE
    size = sizes[rng.integers(len(sizes))]
    least = 105 / 0.9
    rotor_px = float(np.exp(u(np.log(least), np.log(max(1.2 * least, 0.36 * min(size))))))
    style = {
        "floor0": u(0.62, 0.74), "pocket": u(0.1, 0.17), "depth": u(0.02, 0.06), "fret": u(0.006, 0.016),
        "high": u(0.3, 1.0), "numbers_out": float(rng.random() < 0.8), "bare": float(rng.random() < 0.25),
        "outer": u(1.4, 1.75), "drop": u(0.02, 0.07), "rise": u(0.12, 0.26), "cone": u(0.06, 0.2),
        "ball": u(0.042, 0.056), "exposure": u(0.001, 0.018), "blur": u(0.2, 1.2), "noise": u(0.5, 7),
        "jpeg": float(rng.integers(40, 96)), "tone": u(0.55, 1.2), "warm": u(-0.18, 0.18),
        "windows": float(rng.integers(0, 5)),
        "spots": float(rng.integers(0, 6)), "glint": u(0, 130), "side_light": u(0, 0.5),
        "diamonds": float(rng.choice([0, 8, 12, 16])),
        "gold": float(rng.random() < 0.3), "font": float(rng.integers(len(_FONTS))),
        "upright": float(rng.random() < 0.7),
        "where": u(0, 1), "vignette": u(0, 0.3), "shadow": u(0.1, 0.6),
    }  # fmt: skip
    w, h = size
    off = 0.16 if rng.random() < 0.7 else 0.3
    return Look(
        seed, "american" if rng.random() < 0.3 else "european", size, rotor_px, float(np.radians(u(0, 35))),
        float(rng.normal(0, 0.3) if rng.random() < 0.7 else u(-np.pi, np.pi)), float(rng.normal(0, 0.06)),
        float(u(4, 15)),
        (float(w * np.clip(u(0.5 - off, 0.5 + off), 0.9 * rotor_px / w, 1 - 0.9 * rotor_px / w)),
         float(h * np.clip(u(0.5 - off, 0.5 + off), 0.9 * rotor_px / h, 1 - 0.9 * rotor_px / h))),
        _BALLS[rng.integers(3) if rng.random() < 0.5 else rng.integers(len(_BALLS))], style,
    )  # fmt: skip


@dataclass(frozen=True)
class Ball:
    """The ball: angle (rad, clockwise in the picture), radius, and height above the surface."""

    angle: float
    radius: float
    lift: float = 0.0


class LayeredWheel:
    """A wheel with a look, ready to be rendered."""

    def __init__(self, look: Look) -> None:
        self.look, s = look, look.style
        self.rng = np.random.default_rng([look.seed, 1])
        rng = self.rng
        self.pockets = RIMS[look.wheel]
        self.step = 2 * np.pi / len(self.pockets)
        self.p0 = s["floor0"]
        if s["numbers_out"]:
            self.p1 = self.p0 + s["pocket"]
            self.n0, self.n1 = self.p1 + 0.005, 0.985
        else:
            self.n0 = self.p0
            self.n1 = 0.985 - s["pocket"]
            self.p0, self.p1 = self.n1 + 0.005, 0.985
        self.track = s["outer"] - 0.16
        c, si = np.cos(look.side), np.sin(look.side)
        ct, st = np.cos(look.tilt), np.sin(look.tilt)
        about = np.array([[c, -si, 0], [si, c, 0], [0, 0, 1]])
        lean = np.array([[1, 0, 0], [0, ct, -st], [0, st, ct]])
        c, si = np.cos(look.roll - look.side), np.sin(look.roll - look.side)
        self.turned = np.array([[c, -si, 0], [si, c, 0], [0, 0, 1]]) @ lean @ about
        self.f = look.rotor_px * look.distance
        self.half = 1.06  # half the side of a rotor texture
        self.texels = int(np.clip(look.rotor_px * 2 * self.half * 1.1, 300, 1400))
        self._paints(rng)
        self._still(rng)
        self._light(rng)
        w, h = look.size
        self.grain = rng.standard_normal((h + 64, w + 64, 3), np.float32)

    # ---- the camera: x right, y down as seen from above, z up

    def pixels(self, points: np.ndarray) -> np.ndarray:
        """Return the positions of points (n, 3) in the picture."""
        q = points @ self.turned.T
        return np.array(self.look.center) + self.f * q[:, :2] / (self.look.distance - q[:, 2])[:, None]

    def plane(self, z: float, half: float, texels: int, turn: float = 0.0) -> np.ndarray:
        """Return the matrix from a texture at a height to the picture; ``half`` is half the texture's side."""
        corners = half * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], float)
        c, s = np.cos(turn), np.sin(turn)
        world = np.column_stack([corners @ np.array([[c, s], [-s, c]]), np.full(4, z)])
        there = np.array([[0, 0], [texels, 0], [texels, texels], [0, texels]], np.float32) - 0.5
        return cv2.getPerspectiveTransform(there, self.pixels(world).astype(np.float32))

    # ---- textures

    def _paints(self, rng: np.random.Generator) -> None:
        s, n = self.look.style, self.texels
        u = rng.uniform
        paints = {
            "red": np.array([u(15, 60), u(12, 55), u(130, 225)]), "black": np.full(3, u(12, 55)) + u(-5, 5, 3),
            "green": np.array([u(30, 90), u(95, 175), u(10, 70)]),
        }  # fmt: skip
        self.metal = u(90, 225) * (np.array([u(0.4, 0.9), u(0.8, 1), 1]) if rng.random() < 0.5 else np.ones(3))
        y, x = (np.mgrid[0:n, 0:n] + 0.5 - n / 2) * (2 * self.half / n)
        r, a = np.hypot(x, y), np.arctan2(y, x)
        place = a / self.step + 0.5  # the middles of pockets are at whole steps
        names = [color_of(pocket) for pocket in self.pockets]
        every = np.stack([paints[name] for name in names])[np.floor(place).astype(int) % len(names)]
        floor = np.where((r >= self.p0 - 0.01)[..., None], every * u(0.6, 1.0), self.metal * 0.5)
        if s["bare"]:
            floor = np.broadcast_to(self.metal * u(0.4, 0.8), every.shape).copy()
        edge = np.clip(np.minimum(r - self.p0, self.p1 - r) * 25 + 0.4, 0.35, 1)
        self.floor = np.clip(floor * edge[..., None], 0, 255).astype(np.float32)
        between = np.abs(place - np.round(place - 0.5) - 0.5) * self.step * r  # distance from the nearest border
        sharp = n / (2 * self.half)
        wall = np.clip((s["fret"] / 2 - between) * sharp + 0.5, 0, 1) * ((r > self.p0) & (r < self.p1))
        rings = [np.clip((0.006 - np.abs(r - edge)) * sharp + 0.5, 0, 1) for edge in (self.p0, self.p1)]
        self.wall = np.maximum.reduce([wall, *rings]).astype(np.float32)
        ring = every * 1.0
        if rng.random() < 0.6:
            line = np.clip((0.004 - between) * sharp + 0.5, 0, 1)[..., None]
            ring = ring * (1 - line) + self.metal * line
        self.ring = np.ascontiguousarray(ring, np.float32)
        self._numbers(rng)
        self.ring[r > 0.975] = u(10, 40)
        wood = np.array(_WOODS[rng.integers(len(_WOODS))], float)
        plates = 1 + 0.12 * np.sin(a * rng.integers(4, 12)) + 0.05 * np.sin(r * 60)
        self.cone = (wood * plates[..., None]).astype(np.float32)
        for k in range(int(rng.integers(0, 6))):
            beam = (np.abs(np.sin(a - k * 2 * np.pi / 5)) * r < 0.025) & (np.cos(a - k * 2 * np.pi / 5) > 0)
            self.cone[beam & (r < 0.4)] = self.metal
        self.cone[r < 0.12] = self.metal * 0.8

    def _numbers(self, rng: np.random.Generator) -> None:
        s, n = self.look.style, self.texels
        font, scale = _FONTS[int(s["font"])], n / (2 * self.half)
        ink = np.array((110, 205, 240) if s["gold"] else (240, 240, 240), float)
        mid, tall = (self.n0 + self.n1) / 2, (self.n1 - self.n0) * scale
        side = max(8, int(min(tall, self.step * mid * scale) * 0.9))
        for k, pocket in enumerate(self.pockets):
            (w, h), _ = cv2.getTextSize(pocket, font, 1.0, 2)
            tile = np.zeros((64, 64), np.uint8)
            size = min(44 / w, 34 / h)
            cv2.putText(
                tile, pocket, (round(32 - w * size / 2), round(32 + h * size / 2)), font, size, 255, 3, cv2.LINE_AA
            )
            turn = np.degrees(k * self.step) + (90 if s["upright"] else -90)
            c, si = np.cos(np.radians(turn)) * side / 64, np.sin(np.radians(turn)) * side / 64
            x, y = n / 2 + mid * scale * np.cos(k * self.step), n / 2 + mid * scale * np.sin(k * self.step)
            reach = side
            move = np.array([[c, -si, reach - 32 * c + 32 * si], [si, c, reach - 32 * si - 32 * c]])
            mask = cv2.warpAffine(tile, move, (2 * reach, 2 * reach), flags=cv2.INTER_AREA)[..., None] / 255.0
            x0, y0 = int(x) - reach, int(y) - reach
            part = self.ring[y0 : y0 + 2 * reach, x0 : x0 + 2 * reach]
            mask = mask[: part.shape[0], : part.shape[1]]
            part[:] = part * (1 - mask) + ink * mask

    # ---- static parts

    def _still(self, rng: np.random.Generator) -> None:
        s, (w, h) = self.look.style, self.look.size
        cloth = np.array(
            ((40, 90, 30), (100, 60, 40), (35, 32, 110), (70, 70, 72), (120, 140, 150))[rng.integers(5)], float
        )
        canvas = np.broadcast_to(cloth, (h, w, 3)).astype(np.float32).copy()
        canvas *= 0.9 + 0.2 * cv2.resize(rng.random((h // 6, w // 6), np.float32), (w, h))[..., None]
        wood = np.array(_WOODS[rng.integers(len(_WOODS))], float)
        fine = rng.integers(2)
        steps = np.linspace(0, 1, 26)
        for part in steps:
            r = s["outer"] + (1.01 - s["outer"]) * part
            rise = s["rise"]
            z = (
                rise
                if r > self.track + 0.06
                else s["drop"] + (rise - s["drop"]) * max(0.0, (r - 1.02) / (self.track - 0.96))
            )
            color = wood * (
                1.2
                if r > self.track + 0.06
                else 0.75
                if r > self.track - 0.04
                else 1 + (0.15 * np.sin(part * 40) if fine else 0)
            )
            self._disk(canvas, r, z, np.clip(color, 0, 255))
        for k in range(int(s["diamonds"])):
            a, r = 2 * np.pi * k / s["diamonds"] + 0.13, (1.05 + self.track) / 2
            z = (s["drop"] + s["rise"]) / 2
            long, short = (0.06, 0.02) if k % 2 else (0.025, 0.05)
            spots = [
                self.at(r + long, a, z),
                self.at(r, a + short, z),
                self.at(r - long, a, z),
                self.at(r, a - short, z),
            ]
            cv2.fillConvexPoly(
                canvas, np.rint(self.pixels(np.array(spots)) * 16).astype(np.int32), self.metal.tolist(), cv2.LINE_AA, 4
            )
        self._disk(canvas, 1.005, s["drop"] * 0.8, np.full(3, 16.0))
        self.back = canvas
        box = self.pixels(np.array([self.at(1.03, a, z) for a in np.linspace(0, 6.3, 40) for z in (-0.05, 0.1)]))
        x0, y0 = np.clip(np.floor(box.min(0)).astype(int) - 2, 0, [w - 1, h - 1])
        x1, y1 = np.clip(np.ceil(box.max(0)).astype(int) + 3, 1, [w, h])
        self.box = x0, y0, x1, y1
        z = s["drop"] * 0.4
        self.high = {"ring": z if s["numbers_out"] else 0.0, "floor": -s["depth"]}
        self.masks = {
            "rotor": self._mask(1.0, self.high["ring"]), "well": self._mask(self.p1 if s["numbers_out"] else 1.0, 0.0),
            "inner": self._mask(self.n1 if not s["numbers_out"] else self.p0, 0.0),
        }  # fmt: skip
        if not s["numbers_out"]:
            self.masks["core"] = self._mask(self.n0, 0.0)

    @staticmethod
    def at(r: float, a: float, z: float) -> np.ndarray:
        return np.array([r * np.cos(a), r * np.sin(a), z])

    def _circle(self, r: float, z: float) -> np.ndarray:
        return self.pixels(np.stack([self.at(r, a, z) for a in np.linspace(0, 2 * np.pi, 90, endpoint=False)]))

    def _disk(self, canvas: np.ndarray, r: float, z: float, color: np.ndarray) -> None:
        cv2.fillPoly(canvas, [np.rint(self._circle(r, z) * 16).astype(np.int32)], color.tolist(), cv2.LINE_AA, 4)

    def _mask(self, r: float, z: float) -> np.ndarray:
        x0, y0, x1, y1 = self.box
        mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
        cv2.fillPoly(mask, [np.rint((self._circle(r, z) - [x0, y0]) * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
        return cv2.merge([mask] * 3).astype(np.float32) / 255

    def _light(self, rng: np.random.Generator) -> None:
        s, (w, h) = self.look.style, self.look.size
        ys, xs = np.mgrid[0:h, 0:w].astype(np.float32)
        mid, size = self.look.center, self.look.rotor_px
        dx, dy = (xs - mid[0]) / size, (ys - mid[1]) / size
        a = rng.uniform(0, 2 * np.pi)
        shade = s["tone"] * (1 + s["side_light"] * np.clip(dx * np.cos(a) + dy * np.sin(a), -1.2, 1.2) * 0.6)
        shade *= 1 - s["vignette"] * (((xs - w / 2) / w) ** 2 + ((ys - h / 2) / h) ** 2) * 2
        gloss = np.zeros((h, w), np.float32)
        for _ in range(int(s["windows"])):  # rectangular, divided by bars
            b, r = rng.uniform(0, 2 * np.pi), rng.uniform(0.2, 1.4)
            one = np.array([mid[0] + r * size * np.cos(b), mid[1] + r * size * np.sin(b)])
            wide, high, turn = rng.uniform(0.05, 0.3) * size, rng.uniform(0.05, 0.4) * size, rng.uniform(0, np.pi)
            frame = cv2.boxPoints(((float(one[0]), float(one[1])), (float(wide), float(high)), float(np.degrees(turn))))
            pane = np.zeros((h, w), np.float32)
            cv2.fillPoly(pane, [np.rint(frame * 16).astype(np.int32)], rng.uniform(10, 90), cv2.LINE_AA, 4)
            cv2.line(pane, *(tuple(int(v) for v in (frame[i] + frame[i + 1]) / 2) for i in (0, 2)), 0, 2)
            gloss += cv2.GaussianBlur(pane, (0, 0), rng.uniform(0.8, 6))
        for _ in range(int(s["spots"])):
            b, r = rng.uniform(0, 2 * np.pi), rng.uniform(0.1, 1.2)
            x, y, d = mid[0] + r * size * np.cos(b), mid[1] + r * size * np.sin(b), rng.uniform(0.02, 0.1) * size
            gloss += rng.uniform(40, 220) * np.exp(-((((xs - x) ** 2 + (ys - y) ** 2) / d**2) ** rng.choice([1, 2])))
        self.shade, self.gloss = (cv2.merge([one.astype(np.float32)] * 3) for one in (shade, gloss))
        around = np.arctan2(dy, dx)
        glint = np.zeros_like(around)
        for _ in range(3):
            off = (around - rng.uniform(0, 6.3) + np.pi) % (2 * np.pi) - np.pi
            glint += rng.uniform(0.2, 1) * np.exp(-((off / rng.uniform(0.05, 0.6)) ** 2))
        x0, y0, x1, y1 = self.box
        dull, half = (np.broadcast_to(self.metal * bright, (y1 - y0, x1 - x0, 3)) for bright in (0.45, 0.65))
        bright = self.metal + (s["glint"] * glint)[y0:y1, x0:x1, None]
        self.metals = [np.ascontiguousarray(metal, np.float32) for metal in (dull, half, bright)]
        self.sun = rng.uniform(0, 2 * np.pi)

    # ---- pictures

    def _warp(self, texture: np.ndarray, z: float, turn: float) -> np.ndarray:
        x0, y0, x1, y1 = self.box
        shift = np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1]], float)
        matrix = shift @ self.plane(z, self.half, self.texels, turn)
        return cv2.warpPerspective(texture, matrix, (int(x1 - x0), int(y1 - y0)), flags=cv2.INTER_LINEAR)

    def _once(self, turn: float, ball: Ball | None) -> np.ndarray:
        s = self.look.style
        canvas = self.back.copy()
        x0, y0, x1, y1 = self.box
        part = canvas[y0:y1, x0:x1]
        well, inner = self.masks["well"], self.masks["inner"]
        _lay(part, self._warp(self.ring, self.high["ring"], turn), self.masks["rotor"])
        _lay(part, self._warp(self.floor, self.high["floor"], turn), well * (1 - inner) if s["numbers_out"] else well)
        if not s["numbers_out"]:
            _lay(part, self._warp(self.ring, 0.0, turn), inner)
            inner = self.masks["core"]
        if ball is not None and ball.radius < 1.0:
            self._shadow(canvas, ball)
        for share, metal in zip((0.35, 0.7, 1.0), self.metals, strict=True):
            wall = self._warp(self.wall, -s["depth"] * (1 - share * s["high"]), turn)
            _lay(part, metal, cv2.merge([wall] * 3))
        _lay(part, self._warp(self.cone, s["cone"] * 0.2, turn), inner)
        if ball is not None:
            if ball.radius >= 1.0:
                self._shadow(canvas, ball)
            self._ball(canvas, ball)
        return canvas

    def _place(self, ball: Ball) -> np.ndarray:
        s = self.look.style
        if ball.radius < 1.0:
            ground = -s["depth"] if self.p0 <= ball.radius <= self.p1 else 0.0
        else:
            ground = float(
                np.interp(ball.radius, [1.0, self.track, self.track + 0.1], [s["drop"], s["rise"] * 0.8, s["rise"]])
            )
        return self.at(ball.radius, ball.angle, ground + s["ball"] + ball.lift)

    def _shadow(self, canvas: np.ndarray, ball: Ball) -> None:
        middle, b = self._place(ball), self.look.style["ball"]
        foot = middle - [0, 0, b] + 0.7 * (b + ball.lift) * np.array([np.cos(self.sun), np.sin(self.sun), 0])
        x, y = self.pixels(foot[None])[0]
        r = b * self.look.rotor_px
        part, dx, dy = _patch(canvas, x, y, 2 * r)
        dark = 1 - self.look.style["shadow"] * np.clip(1.5 - np.hypot(dx, dy) / r * 1.1, 0, 1)
        part *= dark[..., None]

    def _ball(self, canvas: np.ndarray, ball: Ball) -> None:
        middle, b = self._place(ball), self.look.style["ball"]
        x, y = self.pixels(middle[None])[0]
        q = self.turned @ middle
        r = b * self.f / (self.look.distance - q[2])
        part, dx, dy = _patch(canvas, x, y, r + 2)
        away = np.hypot(dx, dy) / r
        up = np.sqrt(np.clip(1 - away**2, 0, 1))
        sun = -np.array([np.cos(self.sun), np.sin(self.sun)]) * 0.6
        light = 0.4 + 0.6 * np.clip((dx * sun[0] + dy * sun[1]) / r + 0.8 * up, 0, 1)
        spark = 150 * np.exp(-(((dx / r - sun[0] * 0.7) ** 2 + (dy / r - sun[1] * 0.7) ** 2) / 0.03))
        color = np.array(self.look.ball_color, np.float32) * light[..., None] + spark[..., None]
        cover = np.clip((1 - away) * r + 0.5, 0, 1)[..., None]
        part[:] = part * (1 - cover) + color * cover

    def picture(self, turn: float, ball: Ball | None, *, turning: float = 0.0, running: float = 0.0) -> Picture:
        """Render the wheel; ``turning`` and ``running`` are the speeds of rotor and ball, rad/s."""
        s = self.look.style
        way = max(abs(turning), abs(running)) * s["exposure"] * self.look.rotor_px  # px
        parts = 1 if way < 0.8 else 3 if way < 6 else 5
        times = [0.0] if parts == 1 else np.linspace(-0.5, 0.5, parts) * s["exposure"]
        total = np.zeros_like(self.back)
        for dt in times:
            at = None if ball is None else Ball(ball.angle + running * dt, ball.radius, ball.lift)
            total += self._once(turn + turning * dt, at)
        picture = total / len(times) * self.shade + self.gloss
        picture *= np.array([1 - s["warm"], 1.0, 1 + s["warm"]], np.float32)
        picture = cv2.GaussianBlur(picture, (0, 0), s["blur"])
        h, w = picture.shape[:2]
        x, y = self.rng.integers(0, 64, 2)
        picture += self.grain[y : y + h, x : x + w] * (s["noise"] * np.sqrt(0.3 + np.clip(picture, 0, 255) / 180))
        raw = np.clip(picture, 0, 255).astype(np.uint8)
        return cv2.imdecode(cv2.imencode(".jpg", raw, [cv2.IMWRITE_JPEG_QUALITY, int(s["jpeg"])])[1], cv2.IMREAD_COLOR)

    # ---- ball positions

    def resting(self, pocket: str, turn: float, off: float = 0.0) -> Ball:
        """Return the ball in a pocket, ``off`` its middle by a share of the width."""
        b = self.look.style["ball"]
        low, high = self.p0 + b, max(self.p0 + b, self.p1 - b)
        return Ball(
            turn + (self.pockets.index(pocket) + off) * self.step, low + (high - low) * self.look.style["where"]
        )

    def on_track(self, angle: float) -> Ball:
        return Ball(angle, self.track)


def _lay(part: np.ndarray, over: np.ndarray, mask: np.ndarray) -> None:
    """Blend a layer over a part of a picture by a mask; all float32 (h, w, 3)."""
    more = over - part
    more *= mask
    part += more


def _patch(canvas: np.ndarray, x: float, y: float, r: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a part of the picture around a point, and the distances of its pixels from the point."""
    h, w = canvas.shape[:2]
    x0, y0, x1, y1 = (int(np.clip(v, 0, most)) for v, most in ((x - r, w), (y - r, h), (x + r + 2, w), (y + r + 2, h)))
    ys, xs = np.mgrid[y0:y1, x0:x1].astype(np.float32)
    return canvas[y0:y1, x0:x1], xs - x, ys - y


def wheel(look: Look) -> LayeredWheel:
    return LayeredWheel(look)
