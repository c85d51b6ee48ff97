"""Plainly rendered objects that dice lie in, on or next to; at low resolution some look like dice themselves."""

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
import plain_dice

SIZE = (1280, 960)
DARK = ((25, 25, 25), (40, 38, 36), (20, 20, 30), (50, 20, 20), (30, 60, 90), (60, 60, 64))
COLOURS = (*DARK, (30, 90, 40), (120, 60, 110), (60, 30, 150), (180, 170, 160), (90, 130, 170))
DIE_PX = (90, 190)
MIN_CONTRAST = 40

Colour = tuple[float, ...]
Point = tuple[int, int]


@dataclass(frozen=True)
class Chance:
    """The random parameters of one picture: the object's color, the die's size, and further draws."""

    rng: np.random.Generator
    colour: Colour
    die_px: int

    def between(self, low: float, high: float) -> float:
        return float(self.rng.uniform(low, high))

    def middle(self) -> Point:
        return SIZE[0] // 2 + int(self.between(-60, 60)), SIZE[1] // 2 + int(self.between(-30, 30))

    def inside(self) -> Colour:
        own = self.rng.random() < 0.5
        return shaded(self.colour if own else COLOURS[int(self.rng.integers(len(COLOURS)))], self.between(0.6, 1))


def shaded(colour: Colour, light: float) -> Colour:
    return tuple(min(255.0, channel * light) for channel in colour)


def rounded(image: np.ndarray, box: tuple[int, int, int, int], radius: int, colour: Colour) -> None:
    """Fill a rectangle (x, y, width, height) with rounded corners."""
    x, y, w, h = box
    cv2.rectangle(image, (x + radius, y), (x + w - radius, y + h), colour, -1)
    cv2.rectangle(image, (x, y + radius), (x + w, y + h - radius), colour, -1)
    for at in ((x + radius, y + radius), (x + w - radius, y + radius),
               (x + radius, y + h - radius), (x + w - radius, y + h - radius)):  # fmt: skip
        cv2.circle(image, at, radius, colour, -1, cv2.LINE_AA)


def square_tray(image: np.ndarray, by: Chance) -> Point:
    (x, y), high = by.middle(), int(by.between(0.72, 0.93) * SIZE[1])
    wide, radius, wall = int(high * by.between(1, 1.3)), int(by.between(10, 60)), int(by.between(18, 60))
    left, top = x - wide // 2, y - high // 2
    shadow = np.zeros(image.shape[:2], np.float32)
    cv2.rectangle(shadow, (left, top), (left + wide, top + high), 0.5, -1)
    image[:] = (image * (1 - cv2.GaussianBlur(shadow, (0, 0), 18)[..., None])).astype(np.uint8)
    inner = by.inside()
    rounded(image, (left, top, wide, high), radius, shaded(by.colour, by.between(1, 1.5)))
    rounded(image, (left + wall, top + wall, wide - 2 * wall, high - 2 * wall), max(4, radius - wall // 2), inner)
    below_wall = (left + wide - wall, top + wall + int(by.between(5, 25)))
    cv2.rectangle(image, (left + wall, top + wall), below_wall, shaded(inner, 0.5), -1)
    room = high // 2 - wall - by.die_px
    return x + int(by.between(-0.6, 0.6) * room), y + int(by.between(-0.6, 0.6) * room)


def round_tray(image: np.ndarray, by: Chance) -> Point:
    (x, y), radius, wall = by.middle(), int(by.between(0.36, 0.47) * SIZE[1]), int(by.between(12, 50))
    cv2.circle(image, (x, y), radius, shaded(by.colour, 1.3), -1, cv2.LINE_AA)
    cv2.circle(image, (x, y), radius - wall, by.inside(), -1, cv2.LINE_AA)
    way, far = by.between(0, 2 * np.pi), by.between(0, 0.7) * (radius - wall - by.die_px)
    return x + int(far * np.cos(way)), y + int(far * np.sin(way))


def tower(image: np.ndarray, by: Chance) -> Point:
    """A dice tower from above, with its own tray in front."""
    wide, high = int(by.between(0.5, 0.7) * SIZE[0]), int(by.between(0.85, 0.96) * SIZE[1])
    left, top = by.middle()[0] - wide // 2, (SIZE[1] - high) // 2
    step = top + int(high * by.between(0.35, 0.5))
    cv2.rectangle(image, (left, top), (left + wide, top + high), by.colour, -1)
    cv2.rectangle(image, (left, top), (left + wide, step), shaded(by.colour, 1.4), -1)
    for k in (1, 2, 3):
        slot = left + k * wide // 6
        cv2.rectangle(image, (slot, top + 20), (slot + wide // 12, step - 30), shaded(by.colour, 0.5), -1)
    cv2.rectangle(image, (left + 20, step), (left + wide - 20, top + high - 20), shaded(by.colour, 0.75), -1)
    deep = top + high - step
    return left + int(by.between(0.25, 0.75) * wide), step + int(by.between(0.35, 0.65) * deep)


def coaster(image: np.ndarray, by: Chance) -> Point:
    (x, y), radius = by.middle(), int(by.die_px * by.between(1.1, 2.2))
    if by.rng.random() < 0.5:
        cv2.circle(image, (x, y), radius, by.colour, -1, cv2.LINE_AA)
        cv2.circle(image, (x, y), int(0.9 * radius), shaded(by.colour, 1.5), 3, cv2.LINE_AA)
    else:
        rounded(image, (x - radius, y - radius, 2 * radius, 2 * radius), radius // 5, by.colour)
    return x + int(by.between(-0.2, 0.2) * radius), y + int(by.between(-0.2, 0.2) * radius)


def telephone(image: np.ndarray, by: Chance) -> Point:
    wide = int(by.between(300, 440))
    high = min(700, wide * 2 if by.rng.random() < 0.5 else wide // 2)
    rounded(image, (80, 60, wide, high), 24, (20, 20, 22))
    rounded(image, (92, 74, wide - 24, high - 28), 14, (70, 60, 50))
    return int(SIZE[0] * 0.72), int(SIZE[1] * by.between(0.3, 0.7))


def card(image: np.ndarray, by: Chance) -> Point:
    (x, y), wide = by.middle(), int(by.die_px * by.between(1.6, 2.4))
    left, top = x - wide // 2, y - int(0.7 * wide)
    rounded(image, (left, top, wide, int(1.4 * wide)), 12, (235, 240, 244))
    cv2.putText(image, "K", (left + 10, top + 45), cv2.FONT_HERSHEY_TRIPLEX, 1.4, (20, 20, 160), 3, cv2.LINE_AA)
    return x, y


THINGS: dict[str, Callable[[np.ndarray, Chance], Point]] = {
    "in a square tray": square_tray,
    "in a round tray": round_tray,
    "before a dice tower": tower,
    "on a coaster": coaster,
    "beside a telephone": telephone,
    "on a card": card,
}


def scene(thing: str, rng: np.random.Generator) -> tuple[np.ndarray, plain_dice.Drawn]:
    """Return a picture, uint8 (960, 1280, 3), and the one die in it, of any kind."""
    grounds = [name for name in plain_dice.GROUNDS if name != "tray"]
    image = plain_dice.ground(grounds[int(rng.integers(len(grounds)))], SIZE, rng)
    colours = DARK if rng.random() < 0.6 else COLOURS
    by = Chance(rng, colours[int(rng.integers(len(colours)))], int(rng.uniform(*DIE_PX)))
    x, y = THINGS[thing](image, by)
    grain = rng.normal(0, rng.uniform(1, 5), (*image.shape[:2], 1))
    image = np.clip(image + grain, 0, 255).astype(np.uint8)
    below = image[y - 5 : y + 5, x - 5 : x + 5].reshape(-1, 3).mean(axis=0)
    look = plain_dice.random_look(rng)
    while np.abs(np.array(look.body) - below).max() < MIN_CONTRAST:
        look = plain_dice.random_look(rng)
    kind = ("d20", "d6", "rugen")[int(rng.choice(3, p=(0.6, 0.2, 0.2)))]
    drawn = plain_dice.Scene(image)
    value = int(rng.integers(1, 7 if kind == "d6" else 21))
    die = plain_dice.put(drawn, kind, value, (x, y), by.die_px, look, rng)  # type: ignore[arg-type]
    return plain_dice.finish(drawn.image, rng), die
