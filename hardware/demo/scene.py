"""The demo scene: a finished picture of the table, updated only where something is laid or lifted."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import cv2
import numpy as np

from hardware.demo.block import Block, BlockPicture, draw_block
from hardware.demo.faces import BACK, Faces, Make
from hardware.demo.felt import glare_on, light_on, unchanging
from hardware.demo.hands.hand import LEFT_MM, TOP_MM, HandPicture, draw_hand
from hardware.demo.hands.hand import PX_PER_MM as HAND_PX_PER_MM
from hardware.demo.layers import Array, Image, Layer, Texture, darken, finish, lay, shadow_of, smear, warp
from hardware.demo.layout import CARD_THICKNESS_MM, Pose
from hardware.demo.pinhole import Pinhole

LENS_BLUR_PX: Final = 0.55
LAMP_SHIFT: Final = (0.35, 0.5)  # how far a shadow falls, mm for each mm of height
HAND_HEIGHT_MM: Final = 18.0
SHUTTER_S: Final = 1 / 90
EDGE_PX: Final = 40.0  # drawn beyond the picture, for blur and shadow


@dataclass(frozen=True, slots=True)
class Card:
    """A physical card: which one, whether it is of the deck in play, and which side is up."""

    id: str
    make: Make = "genuine"
    face_up: bool = True


@dataclass(frozen=True, slots=True)
class Lying:
    """A card or token at rest, with the pictures of itself and of its shadow; ``where``: what whoever laid it meant."""

    card: Card
    pose: Pose
    layer: Layer
    shadow: Image
    shadow_at: tuple[int, int]
    where: str = ""

    @property
    def box(self) -> tuple[int, int, int, int]:
        """The pixels it and its shadow touch: x0, y0, x1, y1."""
        x, y = self.shadow_at
        return (x, y, x + self.shadow.shape[1], y + self.shadow.shape[0])


@dataclass(frozen=True, slots=True)
class Flying:
    """Something flat in motion. ``speed`` is in mm a second."""

    texture: Texture
    pose: Pose
    speed: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class HandPose:
    """Where the middle finger's tip is (mm), the hand's turn, and its speed in mm a second."""

    x: float
    y: float
    angle_deg: float
    speed: tuple[float, float] = (0.0, 0.0)


class Scene:
    """The table with its cards, seen by one camera. Not thread-safe; knows no time.

    Args:
        faces: textures of the cards.
        camera: where from and how it is seen.
        empty: the table with nothing on it, as the camera sees it.
        deck_at: where the deck lies.
        seed: of the sensor's noise.
    """

    def __init__(self, faces: Faces, camera: Pinhole, empty: Image, *, deck_at: Pose, seed: int = 1) -> None:
        self.camera = camera
        self.faces = faces
        self.deck_at = deck_at
        self.lying: list[Lying] = []
        self._empty = empty
        self._still = empty.copy()
        self._blocks: dict[str, tuple[Block, BlockPicture]] = {}
        self._hand: HandPicture = draw_hand()
        self._shine: Layer | None = None
        self._grain = _sensor_noise(seed, camera.size)

    # -- what lies there

    def lay_down(self, card: Card, pose: Pose, where: str = "") -> Lying:
        """Lay a card or token on top of what is there."""
        pose = replace(pose, z=0.0, roll_deg=0.0)
        layer = self._card_layer(card, pose)
        shadow, (x, y) = shadow_of(layer, soft_px=self._px(0.9), strength=0.5)
        at = (x + round(self._px(0.35)), y + round(self._px(0.5)))
        lying = Lying(card, pose, layer, shadow, at, where)
        self.lying.append(lying)
        darken(self._still, shadow, at)
        lay(self._still, layer)
        return lying

    def lift(self, *things: Lying) -> None:
        """Take cards off the table."""
        if not things:
            return
        self.lying = [other for other in self.lying if other not in things]
        boxes = np.array([thing.box for thing in things])
        self._redraw((*boxes[:, :2].min(axis=0), *boxes[:, 2:].max(axis=0)))

    def set_deck(self, count: int) -> None:
        """Put a deck of so many cards, backs up, at its place (0: none)."""
        self.set_block("deck", Block(self.faces.texture(BACK), self.deck_at, count, CARD_THICKNESS_MM))

    def set_block(self, name: str, block: Block) -> None:
        """Put a pile on the table in place of the one of this name; one of nothing takes it away."""
        pictures = [self._blocks.pop(name)[1]] if name in self._blocks else []
        if block.count:
            drawn = draw_block(block, self.camera, blur_px=LENS_BLUR_PX, lamp_shift=LAMP_SHIFT)
            drawn = replace(drawn, layer=self._lit(drawn.layer, 12.0))
            self._blocks[name] = (block, drawn)
            pictures.append(drawn)
        if pictures:
            every = np.array([_box(picture) for picture in pictures])
            self._redraw((*every[:, :2].min(axis=0), *every[:, 2:].max(axis=0)))

    def block_count(self, name: str) -> int:
        """Return how many layers a pile has."""
        return self._blocks[name][0].count if name in self._blocks else 0

    @property
    def deck_count(self) -> int:
        return self.block_count("deck")

    def shine_on(self, thing: Lying | None) -> None:
        """Let the lamp be mirrored by a card, so that half of it is washed out; None ends it."""
        if thing is None:
            self._shine = None
            return
        turn = math.radians(thing.pose.angle_deg)
        across, down = 10.0, -22.0  # over the code, in the top right
        spot = (thing.pose.x + math.cos(turn) * across - math.sin(turn) * down,
            thing.pose.y + math.sin(turn) * across + math.cos(turn) * down, 0.0)  # fmt: skip
        (x, y), radius = self.camera.project(np.array([spot]))[0], self._px(34)
        side = np.linspace(-1, 1, 2 * int(radius) + 1, dtype=np.float32)
        fall = np.hypot(side[None, :] * 1.25, side[:, None])
        blob = np.clip(1.35 - 1.5 * fall, 0, 1) ** 1.2 * 235
        colour = np.repeat(blob[..., None], 3, axis=2).astype(np.uint8)
        self._shine = Layer(colour, np.full_like(colour, 255), (int(x - radius), int(y - radius)))

    def texture_of(self, card: Card) -> Texture:
        """Return the side of a card that is up."""
        return self.faces.texture(card.id, card.make) if card.face_up else self.faces.texture(BACK)

    @property
    def deck_height_mm(self) -> float:
        return self.deck_count * CARD_THICKNESS_MM

    # -- the picture

    def picture(self, arms: Sequence[tuple[Sequence[Flying], HandPose | None]], number: int) -> Image:
        """Return what the camera sees, a new (H, W, 3) array.

        Args:
            arms: of each person, the lowest first: what the hand carries, and the hand if it is in sight.
            number: of the frame; the sensor noise depends on it.
        """
        image = self._below_hands().copy()
        for flying, _ in arms:
            for thing in flying:
                self._draw_flying(image, thing)
        if self._shine is not None:
            lay(image, self._shine)
        for _, hand in arms:
            if hand is not None:
                self._draw_hand(image, hand)
        rows, cols = (number * 37 % 61, number * 53 % 67)
        height, width = image.shape[:2]
        cv2.add(image, self._grain[rows : rows + height, cols : cols + width], dst=image)
        return image

    def _below_hands(self) -> Image:
        """Return the table with what moves by itself."""
        return self._still

    def _draw_flying(self, image: Image, thing: Flying) -> None:
        corners = self.camera.project(thing.pose.corners(*thing.texture.size_mm))
        layer = warp(thing.texture, corners, blur_px=0, light=self._light_at(corners))
        layer = smear(layer, *self._blur(thing.speed))
        height = 1.0 + max(0.0, thing.pose.z)
        shadow, (x, y) = shadow_of(layer, soft_px=self._px(0.8 + 0.14 * height), strength=0.45 / (1 + height / 40))
        shift = [round(self._px(height * part)) for part in LAMP_SHIFT]
        darken(image, shadow, (x + shift[0], y + shift[1]))
        lay(image, layer)

    def _draw_hand(self, image: Image, hand: HandPose) -> None:
        layer = self._hand_layer(hand)
        if layer is None:
            return
        shadow, (x, y) = shadow_of(layer, soft_px=self._px(5.5), strength=0.42)
        shift = [round(self._px(12 * part)) for part in LAMP_SHIFT]
        darken(image, shadow, (x + shift[0], y + shift[1]))
        lay(image, layer)

    def _hand_layer(self, hand: HandPose) -> Layer | None:
        turn = math.radians(hand.angle_deg)
        c, s, k = math.cos(turn), math.sin(turn), 1 / HAND_PX_PER_MM
        to_hand = np.array([[k, 0, -LEFT_MM], [0, k, -TOP_MM], [0, 0, 1.0]])
        to_table = np.array([[c, -s, hand.x], [s, c, hand.y], [0, 0, 1.0]])
        matrix = self.camera.plane(HAND_HEIGHT_MM) @ to_table @ to_hand
        box = self._visible(matrix)
        if box is None:
            return None
        x0, y0, x1, y1 = box
        dx, dy = self._blur(hand.speed)
        coarse = 2 if math.hypot(dx, dy) > 1.5 else 1  # nobody sees the pixels of a blurred hand
        size = (-(-(x1 - x0) // coarse), -(-(y1 - y0) // coarse))
        moved = np.diag([1 / coarse, 1 / coarse, 1.0]) @ np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1.0]]) @ matrix
        colour = cv2.warpPerspective(self._hand.colour, moved, size, flags=cv2.INTER_LINEAR)
        cover = cv2.warpPerspective(self._hand.cover, moved, size, flags=cv2.INTER_LINEAR)
        if math.hypot(dx, dy) > 2:
            kernel = (1 + round(abs(dx) / coarse), 1 + round(abs(dy) / coarse))
            colour, cover = cv2.blur(colour, kernel), cv2.blur(cover, kernel)
        if coarse > 1:
            full = (size[0] * coarse, size[1] * coarse)
            colour, cover = (cv2.resize(a, full, interpolation=cv2.INTER_LINEAR) for a in (colour, cover))
        return finish(colour, cover, (x0, y0), light=self._light_at(np.array([[x0, y0], [x1, y1]])))

    def _visible(self, matrix: Array) -> tuple[int, int, int, int] | None:
        """Return the box around the part of the hand's picture that is in the frame: x0, y0, x1, y1."""
        height, width = self._hand.cover.shape
        corners = np.array([[0, 0, 1], [width, 0, 1], [width, height, 1], [0, height, 1.0]]) @ matrix.T
        shape = (corners[:, :2] / corners[:, 2:]).astype(np.float32)
        right, bottom = self.camera.size[0] + EDGE_PX, self.camera.size[1] + EDGE_PX
        frame = np.array([[-EDGE_PX, -EDGE_PX], [right, -EDGE_PX], [right, bottom], [-EDGE_PX, bottom]], np.float32)
        area, part = cv2.intersectConvexConvex(shape, frame)
        if area < 16 or part is None:
            return None
        points = part.reshape(-1, 2)
        (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
        return math.floor(x0), math.floor(y0), math.ceil(x1), math.ceil(y1)

    def _blur(self, speed: tuple[float, float]) -> tuple[float, float]:
        return (self._px(speed[0] * SHUTTER_S), self._px(speed[1] * SHUTTER_S))

    def _px(self, length_mm: float) -> float:
        return length_mm * self.camera.px_per_mm

    def _light_at(self, corners_px: Array) -> float:
        width, height = self.camera.size
        x, y = corners_px.mean(axis=0)
        row, col = int(np.clip(y, 0, height - 1)), int(np.clip(x, 0, width - 1))
        return float(light_on(self.camera.size, np.array([row]), np.array([col]))[0, 0])

    # -- still pictures

    def _card_layer(self, card: Card, pose: Pose) -> Layer:
        texture = self.texture_of(card)
        corners = self.camera.project(pose.corners(*texture.size_mm))
        layer = warp(texture, corners, fine=3, blur_px=LENS_BLUR_PX)
        return self._lit(layer, glare=22.0)

    def _lit(self, layer: Layer, glare: float) -> Layer:
        """Put a layer at rest under the lamp, with the lamp's weak mirror image on its gloss."""
        x0, y0, x1, y1 = layer.box
        size = self.camera.size
        rows, cols = np.clip(np.arange(y0, y1), 0, size[1] - 1), np.clip(np.arange(x0, x1), 0, size[0] - 1)
        cover = 1 - layer.clear[:, :, :1].astype(np.float32) / 255
        shine = (glare_on(size, rows, cols)[..., None] * glare) * cover
        colour = layer.colour * light_on(size, rows, cols)[..., None] + shine
        return replace(layer, colour=np.clip(colour, 0, 255).astype(np.uint8))

    def _redraw(self, box: tuple[int, int, int, int]) -> None:
        height, width = self._still.shape[:2]
        x0, y0, x1, y1 = (int(v) for v in (max(box[0], 0), max(box[1], 0), min(box[2], width), min(box[3], height)))
        if x0 >= x1 or y0 >= y1:
            return
        part = self._still[y0:y1, x0:x1]
        part[:] = self._empty[y0:y1, x0:x1]
        pieces = [(thing.layer, thing.shadow, thing.shadow_at) for thing in self.lying]
        blocks = [(picture.layer, picture.shadow, picture.shadow_at) for _, picture in self._blocks.values()]
        for layer, shadow, at in blocks + pieces:
            darken(part, shadow, (at[0] - x0, at[1] - y0))
            lay(part, replace(layer, at=(layer.at[0] - x0, layer.at[1] - y0)))


def _box(picture: BlockPicture) -> tuple[int, int, int, int]:
    (x, y), (x0, y0, x1, y1) = picture.shadow_at, picture.layer.box
    height, width = picture.shadow.shape[:2]
    return (min(x0, x), min(y0, y), max(x1, x + width), max(y1, y + height))


@lru_cache(maxsize=2)
def _sensor_noise(seed: int, size: tuple[int, int]) -> Image:
    """Return a field of noise larger than the picture; its mean, 9, is the lens's stray light."""
    shape = (size[1] + 64, size[0] + 72, 3)
    noise = np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)
    noise = cv2.GaussianBlur(noise, (0, 0), 0.55) * 1.5 * 3.2  # a colour sensor's grain is not single pixels
    grain: Image = np.clip(noise + 9.5, 0, 255).astype(np.uint8)
    return unchanging(grain)
