"""Roulette wheels as surfaces of revolution: every pixel's ray is intersected with a profile with a polar texture.

The wheel reader was tuned on these looks. Deterministic for a seed.
"""

from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from companion.games.roulette.wheel import RIMS, color_of

Picture = np.ndarray


@dataclass(frozen=True)
class Ball:
    """The ball: angle (clockwise in the picture), radius (mm), and height above its resting position."""

    angle: float
    radius: float
    lift: float = 0.0


@dataclass
class Look:
    """One wheel under one camera."""

    seed: int
    wheel: str = "european"
    size: tuple[int, int] = (1280, 720)
    diameter_px: float = 450.0
    tilt_deg: float = 15.0
    towards: float = 0.0
    roll: float = 0.0
    distance: float = 5.0
    center: tuple[float, float] = (0.5, 0.5)
    ball_color: tuple[int, int, int] = (235, 240, 240)
    ball_mm: float = 10.0
    exposure_s: float = 0.008
    blur: float = 0.6
    noise: float = 3.0
    jpeg: int = 85
    glare: float = 0.5
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))


BALLS = ((238, 242, 242), (225, 235, 240), (200, 225, 240), (245, 245, 250), (40, 190, 230), (215, 130, 60),
         (170, 175, 180), (30, 120, 235), (180, 90, 190))  # fmt: skip


def look(seed: int, *, film: bool = False) -> Look:
    """Return the look for a seed."""
    rng = np.random.default_rng([seed, 77])
    size = (640, 480) if film else ((1280, 720), (960, 720), (1920, 1080), (800, 600))[rng.integers(4)]
    most = min(700.0, size[1] * 1.05)
    return Look(
        seed,
        "american" if rng.random() < 0.3 else "european",
        size,
        float(rng.uniform(250, most)),
        float(rng.uniform(0, 35)),
        float(rng.uniform(0, 2 * np.pi)) if rng.random() < 0.5 else float(rng.normal(-np.pi / 2, 0.2)),
        float(rng.uniform(-0.2, 0.2)),
        float(rng.uniform(2.6, 8.0)),
        (float(rng.uniform(0.4, 0.6)), float(rng.uniform(0.42, 0.58))),
        BALLS[0 if rng.random() < 0.4 else rng.integers(len(BALLS))],
        float(rng.uniform(8.5, 10.8)),
        float(rng.uniform(0.002, 0.02)),
        float(rng.uniform(0.2, 1.3)),
        float(rng.uniform(0.5, 7.0)),
        int(rng.integers(45, 97)),
        float(rng.uniform(0, 1)),
        rng,
    )


class TurnedWheel:
    """A wheel with a look, ready to be rendered with any rotor angle."""

    def __init__(self, look: Look) -> None:
        self.look, rng = look, look.rng
        self.pockets = RIMS[look.wheel]
        self._profile(rng)
        self._rays(rng)
        self._texture(rng)
        self._light(rng)

    # ---- shape

    def _profile(self, rng: np.random.Generator) -> None:
        """Set the radii (mm) of the rotor's rings and the heights of the profile."""
        self.outer = rng.uniform(320, 400)
        self.hub = rng.uniform(40, 70)
        self.floor0 = rng.uniform(125, 150)
        self.floor1 = self.floor0 + rng.uniform(28, 38)
        self.rotor = self.floor1 + rng.uniform(30, 45)
        track = self.outer - rng.uniform(55, 80)
        drop = rng.uniform(5, 14)
        self.track = track + 8
        self.profile_r = np.array([0, self.hub * 0.5, self.hub, self.floor0 - 2, self.floor0, self.floor1,
                                   self.floor1 + 1, self.rotor, self.rotor + 4, track, track + 14, track + 22,
                                   self.outer, 2000])  # fmt: skip
        h = rng.uniform(0.8, 1.2)
        self.profile_z = h * np.array([60, 40, 25, 6, 0, 0, 4, 4 + drop, 8 + drop, 60, 62, 80, 84, 84])
        self.rest_r = (self.floor0 * 0.55 + self.floor1 * 0.45) if rng.random() < 0.5 else self.floor0 + 12

    def height(self, r: np.ndarray) -> np.ndarray:
        fine = np.interp(np.arange(2001), self.profile_r, self.profile_z)
        return fine[np.clip(r, 0, 2000).astype(np.int32)]

    # ---- camera

    def _rays(self, rng: np.random.Generator) -> None:
        look = self.look
        self.scale = 2 if look.diameter_px < 360 else 1.5
        side = round(look.diameter_px * 1.12 * self.scale)
        w = h = side
        tilt, to = np.radians(look.tilt_deg), look.towards
        away = np.array([np.cos(to) * np.sin(tilt), np.sin(to) * np.sin(tilt), np.cos(tilt)])
        self.eye = away * look.distance * self.outer + np.array([0, 0, 40.0])
        right = np.cross(away, [np.cos(to), np.sin(to), 0.0])
        right = (
            np.array([-np.sin(to), np.cos(to), 0.0]) if np.linalg.norm(right) < 1e-6 else right / np.linalg.norm(right)
        )
        down = np.cross(right, away)
        if (down @ away) > 0.5:
            down = -down
        base = np.stack([right, down])
        u, _, vt = np.linalg.svd(np.eye(2, 3) @ base.T)  # picture axes as close to the table's as possible
        rot = u @ vt
        axes = rot @ base
        if np.linalg.det(axes[:, :2]) < 0:
            axes[0] = -axes[0]
        c, s = np.cos(look.roll), np.sin(look.roll)
        axes = np.array([[c, -s], [s, c]]) @ axes
        self.axes = np.vstack([axes, -away])
        self.f = look.diameter_px * self.scale / (2 * self.outer) * look.distance * self.outer
        self.c0 = np.array([w / 2, h / 2])
        self.corner = tuple(round(c * s - side / self.scale / 2) for c, s in zip(look.center, look.size, strict=True))
        ys, xs = np.mgrid[0:h, 0:w].astype(np.float32)
        d = np.stack([(xs - w / 2) / self.f, (ys - h / 2) / self.f, np.ones_like(xs)], -1).astype(np.float32)
        d = d @ self.axes.astype(np.float32)
        z = np.full(xs.shape, 10.0, np.float32)
        for _ in range(9):
            t = (z - self.eye[2]) / d[..., 2]
            px, py = self.eye[0] + t * d[..., 0], self.eye[1] + t * d[..., 1]
            z = 0.35 * z + 0.65 * self.height(np.hypot(px, py)).astype(np.float32)
        self.x, self.y = px.astype(np.float32), py.astype(np.float32)
        self.r = np.hypot(self.x, self.y)
        self.theta = np.arctan2(self.y, self.x)

    def project(self, p: np.ndarray) -> tuple[float, float, float]:
        """Return a point's pixel in the supersampled picture, and the scale there, px per mm."""
        q = self.axes @ (p - self.eye)
        return float(self.c0[0] + self.f * q[0] / q[2]), float(self.c0[1] + self.f * q[1] / q[2]), float(self.f / q[2])

    # ---- colors

    def _texture(self, rng: np.random.Generator) -> None:
        n, cell = len(self.pockets), 48
        self.px_mm = 2.5
        width, rows = n * cell, int(self.rotor * self.px_mm) + 2
        tex = np.zeros((rows, width, 3), np.float32)
        red = np.array([rng.uniform(15, 60), rng.uniform(10, 45), rng.uniform(140, 225)])
        black = np.full(3, rng.uniform(12, 48)) + rng.uniform(-4, 4, 3)
        green = np.array([rng.uniform(30, 90), rng.uniform(105, 170), rng.uniform(10, 50)])
        palette = {"red": red, "black": black, "green": green}
        metal = np.full(3, rng.uniform(110, 210)) * np.array([rng.uniform(0.55, 1), rng.uniform(0.8, 1), 1])
        wood = self._wood(rng)
        row_r = np.arange(rows) / self.px_mm
        for k, pocket in enumerate(self.pockets):
            tex[:, k * cell : (k + 1) * cell] = palette[color_of(pocket)]
        floor_tint = rng.uniform(0.6, 1.0)
        inside = (row_r >= self.floor0) & (row_r < self.floor1)
        tex[inside] *= floor_tint
        style = rng.random()
        if style < 0.2:  # bare metal pockets
            tex[inside] = metal * 0.6
        cone = row_r < self.floor0
        shade = 0.8 + 0.3 * np.sin(row_r[cone] / 7.0)[:, None, None] * rng.uniform(0, 0.4)
        tex[cone] = (metal if rng.random() < 0.4 else wood) * shade
        hub = row_r < self.hub
        tex[hub] = metal * (0.7 + 0.4 * np.cos(row_r[hub] / 5.0))[:, None, None]
        for k in range(4):  # the turret's arms
            at = int((k + 0.5) / 4 * width)
            tex[int(self.hub * 0.3 * self.px_mm) : int(self.floor0 * 0.7 * self.px_mm), at - 18 : at + 18] = metal * 1.1
        fret = rng.uniform(1.2, 2.6)  # mm
        for k in range(n):
            for dr in range(int(self.floor0 * self.px_mm), int(self.floor1 * self.px_mm)):
                half = fret / (2 * np.pi * row_r[dr]) * width / 2
                at = k * cell
                columns = np.arange(int(at - half), int(at + half) + 1) % width
                tex[dr, columns] = metal * (1.1 if (dr // 40) % 2 else 0.95)
        ring = slice(int(self.floor1 * self.px_mm), rows)
        if rng.random() < 0.7:  # lines between the numbers
            line = rng.integers(1, 3)
            for k in range(n):
                tex[ring, k * cell - line : k * cell + line] = metal
        for edge in (self.floor0, self.floor1, self.rotor - 2):
            at = int(edge * self.px_mm)
            tex[at - 2 : at + 3] = metal * rng.uniform(0.7, 1.1)
        self._numbers(tex, rng, cell)
        gap = row_r > self.rotor - 1.2
        tex[gap] = 15
        tex *= 1 + rng.normal(0, 0.02, (rows, width, 1))
        self.texture = np.hstack([tex, tex[:, : cell * 2]]).clip(0, 255).astype(np.uint8)
        self.columns = width
        self._bowl(wood, metal, rng)

    def _numbers(self, tex: np.ndarray, rng: np.random.Generator, cell: int) -> None:
        high = (self.rotor - self.floor1) * self.px_mm
        middle = int((self.floor1 + self.rotor) / 2 * self.px_mm)
        font = (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_COMPLEX)[rng.integers(3)]
        ink = (245, 245, 245) if rng.random() < 0.7 else (120, 215, 245)
        arc = 2 * np.pi * (self.floor1 + self.rotor) / 2 * self.px_mm / len(self.pockets)
        tall = min(high * 0.6, arc * 0.5)
        for k, pocket in enumerate(self.pockets):
            tile = np.zeros((int(tall * 1.5), int(arc)), np.uint8)
            size, (tw, th) = 1.0, cv2.getTextSize(pocket, font, 1.0, 2)[0]
            size = min(tall / th, arc * 0.75 / tw)
            tw, th = cv2.getTextSize(pocket, font, size, 2)[0]
            cv2.putText(
                tile, pocket, ((tile.shape[1] - tw) // 2, (tile.shape[0] + th) // 2), font, size, 255, 2, cv2.LINE_AA
            )
            tile = cv2.resize(tile, (cell, tile.shape[0]))[::-1, :] / 255.0
            top = middle - tile.shape[0] // 2
            part = tex[top : top + tile.shape[0], k * cell : (k + 1) * cell]
            tile = tile[: part.shape[0], :, None]
            part[:] = part * (1 - tile) + np.array(ink) * tile

    def _wood(self, rng: np.random.Generator) -> np.ndarray:
        woods = ((30, 60, 110), (22, 38, 85), (45, 85, 140), (18, 25, 60), (60, 70, 80), (25, 25, 28))
        return np.array(woods[rng.integers(len(woods))], float) * rng.uniform(0.8, 1.3)

    def _bowl(self, wood: np.ndarray, metal: np.ndarray, rng: np.random.Generator) -> None:
        """Color the static part outside the rotor."""
        grain = np.sin(self.theta * rng.integers(20, 60) + self.r / 9) * 0.08 + np.sin(self.r / 3.1) * 0.04
        look = wood * (1 + grain[..., None])
        track = np.abs(self.r - self.track) < 11
        look[track] = look[track] * rng.uniform(0.7, 1.2) + rng.uniform(0, 30)
        look[self.r > self.track + 16] *= rng.uniform(0.6, 1.1)
        number = 8 if rng.random() < 0.7 else 16
        for k in range(number):
            a = 2 * np.pi * k / number + 0.1
            at = (self.rotor + self.track) / 2
            dx, dy = self.x - at * np.cos(a), self.y - at * np.sin(a)
            along, across = dx * np.cos(a) + dy * np.sin(a), -dx * np.sin(a) + dy * np.cos(a)
            if k % 2:
                along, across = across, along
            look[np.abs(along) / 16 + np.abs(across) / 6 < 1] = metal
        table = np.array(
            ((50, 90, 30), (90, 45, 30), (40, 40, 120), (60, 70, 90), (30, 30, 30))[rng.integers(5)], float
        )
        far = self.r > self.outer
        look[far] = table
        self.table = table
        self.bowl = look.clip(0, 255).astype(np.float32)
        self.is_rotor = self.r < self.rotor

    def _light(self, rng: np.random.Generator) -> None:
        slope = np.gradient(self.profile_z, self.profile_r)
        s = np.interp(self.r, self.profile_r, slope).astype(np.float32)
        normal = np.stack([-s * np.cos(self.theta), -s * np.sin(self.theta), np.ones_like(s)], -1)
        normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
        a, up = rng.uniform(0, 2 * np.pi), rng.uniform(0.9, 2.5)
        self.sun = np.array([np.cos(a), np.sin(a), up])
        self.sun /= np.linalg.norm(self.sun)
        tone = rng.uniform(0.55, 1.25)
        self.shade = (tone * (0.45 + 0.6 * (normal @ self.sun).clip(0))).astype(np.float32)
        self.shade *= 1 + (self.x * rng.uniform(-1, 1) + self.y * rng.uniform(-1, 1)) / self.outer * 0.25
        view = self.eye - np.stack([self.x, self.y, np.zeros_like(self.x)], -1)
        view /= np.linalg.norm(view, axis=-1, keepdims=True)
        gloss = np.zeros_like(self.shade)
        for _ in range(rng.integers(1, 4)):
            b = rng.uniform(0, 2 * np.pi)
            lamp = np.array([np.cos(b), np.sin(b), rng.uniform(0.7, 3)])
            half = view + lamp / np.linalg.norm(lamp)
            half /= np.linalg.norm(half, axis=-1, keepdims=True)
            gloss += (normal * half).sum(-1).clip(0) ** rng.uniform(60, 400)
        far = self.r > self.outer
        self.shade[far] = self.shade[0, 0]
        gloss[far] = 0
        gloss += self._lamps(rng)
        self.gloss = (gloss * self.look.glare * 140).astype(np.float32)
        self.cast = np.array([rng.uniform(0.8, 1.1), 1.0, rng.uniform(0.9, 1.15)], np.float32)

    def _lamps(self, rng: np.random.Generator) -> np.ndarray:
        """Return soft reflections of lamps on the wheel, which stay in place while it turns."""
        total = np.zeros_like(self.shade)
        for _ in range(rng.integers(0, 4)):
            a, r = rng.uniform(0, 2 * np.pi), rng.uniform(60, 300)
            turn, size = rng.uniform(0, np.pi), np.exp(rng.uniform(np.log(5), np.log(40), 2))
            dx, dy = self.x - r * np.cos(a), self.y - r * np.sin(a)
            along, across = dx * np.cos(turn) + dy * np.sin(turn), -dx * np.sin(turn) + dy * np.cos(turn)
            total += rng.uniform(0.3, 1.8) * np.exp(-((along / size[0]) ** 2) - (across / size[1]) ** 2)
        return total

    # ---- pictures

    def _once(self, turn: float, ball: Ball | None) -> Picture:
        angle = np.mod(self.theta - turn, 2 * np.pi)
        columns = (angle * (self.columns / (2 * np.pi)) + 24).astype(np.float32)
        rotor = cv2.remap(
            self.texture,
            columns,
            (self.r * self.px_mm).astype(np.float32),
            cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REPLICATE,
        )
        picture = np.where(self.is_rotor[..., None], rotor, self.bowl)
        shade = self.shade
        if ball is not None:
            shade = shade * self._shadow(ball)
        picture = picture * shade[..., None] + self.gloss[..., None]
        if ball is not None:
            self._ball(picture, ball)
        return picture

    def _place(self, ball: Ball) -> np.ndarray:
        z = float(self.height(np.array(ball.radius))) + self.look.ball_mm + ball.lift
        return np.array([ball.radius * np.cos(ball.angle), ball.radius * np.sin(ball.angle), z])

    def _shadow(self, ball: Ball) -> np.ndarray:
        p, b = self._place(ball), self.look.ball_mm
        off = -self.sun[:2] / self.sun[2] * (b * 0.9 + ball.lift)
        d = np.hypot(self.x - p[0] - off[0], self.y - p[1] - off[1])
        return 1 - 0.6 * np.clip((b * 1.25 - d) / (b * 0.5), 0, 1)

    def _ball(self, picture: np.ndarray, ball: Ball) -> None:
        x, y, scale = self.project(self._place(ball))
        radius = self.look.ball_mm * scale
        x0, x1 = max(0, int(x - radius - 2)), min(picture.shape[1], int(x + radius + 3))
        y0, y1 = max(0, int(y - radius - 2)), min(picture.shape[0], int(y + radius + 3))
        if x0 >= x1 or y0 >= y1:
            return
        ys, xs = np.mgrid[y0:y1, x0:x1]
        dx, dy = (xs - x) / radius, (ys - y) / radius
        d2 = dx * dx + dy * dy
        nz = np.sqrt(np.clip(1 - d2, 0, 1))
        sun = self.axes @ self.sun
        light = 0.45 + 0.6 * np.clip(dx * sun[0] + dy * sun[1] - nz * sun[2], 0, 1)
        half = sun + np.array([0, 0, -1.0])
        half /= np.linalg.norm(half)
        spec = np.clip(dx * half[0] + dy * half[1] - nz * half[2], 0, 1) ** 40
        color = (
            np.array(self.look.ball_color) * light[..., None] * float(self.shade.mean() / 0.8) + 160 * spec[..., None]
        )
        alpha = np.clip((1 - np.sqrt(d2)) * radius + 0.5, 0, 1)[..., None]
        part = picture[y0:y1, x0:x1]
        part[:] = part * (1 - alpha) + color * alpha

    def picture(self, turn: float, ball: Ball | None, *, turning: float = 0.0, running: float = 0.0) -> Picture:
        """Render the wheel.

        Args:
            turn: angle of the rotor's zero (rad, clockwise in the picture).
            ball: the ball's position; None without a ball.
            turning, running: speeds of rotor and ball (rad/s), for motion blur.
        """
        look = self.look
        steps = 1 if max(abs(turning), abs(running)) * look.exposure_s < 0.01 else 3
        times = np.linspace(-0.5, 0.5, steps) * look.exposure_s if steps > 1 else [0.0]
        total = None
        for dt in times:
            at = None if ball is None else replace(ball, angle=ball.angle + running * dt)
            one = self._once(turn + turning * dt, at)
            total = one if total is None else total + one
        assert total is not None
        side = round(total.shape[0] / self.scale)
        wheel = cv2.resize((total / len(times)).astype(np.float32), (side, side), interpolation=cv2.INTER_AREA)
        w, h = look.size
        picture = np.full((h, w, 3), (self.table * float(self.shade[0, 0])), np.float32)
        x, y = self.corner
        x0, y0, x1, y1 = max(0, x), max(0, y), min(w, x + side), min(h, y + side)
        picture[y0:y1, x0:x1] = wheel[y0 - y : y1 - y, x0 - x : x1 - x]
        return finish(picture * self.cast, look)

    def pocket_angle(self, pocket: str, turn: float) -> float:
        """Return the angle of a pocket's middle (rad, clockwise)."""
        return turn + 2 * np.pi * self.pockets.index(pocket) / len(self.pockets)

    def resting(self, pocket: str, turn: float, off: float = 0.0) -> Ball:
        """Return the ball in a pocket, ``off`` its middle by a share of the pocket's width."""
        return Ball(self.pocket_angle(pocket, turn) + off * 2 * np.pi / len(self.pockets), self.rest_r)

    def on_track(self, angle: float) -> Ball:
        return Ball(angle, self.track)


def finish(picture: np.ndarray, look: Look) -> Picture:
    """Apply camera effects: blur, noise, compression."""
    rng = look.rng
    if look.blur > 0.25:
        picture = cv2.GaussianBlur(picture, (0, 0), look.blur)
    noise = rng.standard_normal(picture.shape, np.float32) * look.noise
    picture = picture + noise
    raw = np.clip(picture, 0, 255).astype(np.uint8)
    return cv2.imdecode(cv2.imencode(".jpg", raw, [cv2.IMWRITE_JPEG_QUALITY, look.jpeg])[1], cv2.IMREAD_COLOR)


def wheel(look: Look) -> TurnedWheel:
    return TurnedWheel(look)
