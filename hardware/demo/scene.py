"""The demo scene: a cached image of the table at rest, updated only where something is laid down or lifted."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import cv2
import numpy as np

from hardware.demo.block import Block, BlockPicture, draw_block
from hardware.demo.faces import BACK, Faces, Make
from hardware.demo.felt import glare_on, light_on, read_only
from hardware.demo.hands.hand import LEFT_MM, TOP_MM, HandPicture, draw_hand
from hardware.demo.hands.hand import PX_PER_MM as HAND_PX_PER_MM
from hardware.demo.layers import (
    Array,
    Image,
    Layer,
    Texture,
    apply_shadow,
    composite,
    finish,
    motion_blur,
    shadow_of,
    warp,
)
from hardware.demo.layout import CARD_THICKNESS_MM, Pose
from hardware.demo.pinhole import Pinhole

LENS_BLUR_PX: Final = 0.55
LAMP_SHIFT: Final = (0.35, 0.5)  # offset of shadows in x and y, mm per mm of height
HAND_HEIGHT_MM: Final = 18.0
SHUTTER_S: Final = 1 / 90
_MARGIN_PX: Final = 40.0  # rendered beyond the image, for blur and shadow


@dataclass(frozen=True, slots=True)
class Card:
    """A physical card, token or chip.

    Attributes:
        id: card, token or chip id.
        make: whether it is genuine, forged, or of a foreign deck.
        face_up: which side is up.
    """

    id: str
    make: Make = "genuine"
    face_up: bool = True


@dataclass(frozen=True, slots=True)
class RestingPiece:
    """A card, token or chip at rest, with its rendered layer and shadow.

    Attributes:
        where: the spot that it was meant for, in the game's own vocabulary.
    """

    card: Card
    pose: Pose
    layer: Layer
    shadow: Image
    shadow_at: tuple[int, int]
    where: str = ""

    @property
    def box(self) -> tuple[int, int, int, int]:
        """Bounding box of the piece and its shadow, px: x0, y0, x1, y1."""
        x, y = self.shadow_at
        return (x, y, x + self.shadow.shape[1], y + self.shadow.shape[0])


@dataclass(frozen=True, slots=True)
class MovingPiece:
    """A flat object in motion; ``speed`` is in mm/s."""

    texture: Texture
    pose: Pose
    speed: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class HandPose:
    """The tip of the middle finger (mm), the hand's rotation, and its speed in mm/s."""

    x: float
    y: float
    angle_deg: float
    speed: tuple[float, float] = (0.0, 0.0)


class Scene:
    """The table with its cards, seen by one camera. Not thread-safe, and independent of time.

    Args:
        faces: textures of the cards.
        camera: the camera model.
        empty: the camera's view of the empty table, uint8 (H, W, 3) BGR.
        deck_at: pose of the deck.
        seed: seed of the sensor noise.
    """

    def __init__(self, faces: Faces, camera: Pinhole, empty: Image, *, deck_at: Pose, seed: int = 1) -> None:
        self.camera = camera
        self.faces = faces
        self.deck_at = deck_at
        self.lying: list[RestingPiece] = []
        self._empty = empty
        self._still_image = empty.copy()
        self._blocks: dict[str, tuple[Block, BlockPicture]] = {}
        self._hand: HandPicture = draw_hand()
        self._glare: Layer | None = None
        self._grain = _sensor_noise(seed, camera.size)

    # -- pieces at rest

    def lay_down(self, card: Card, pose: Pose, where: str = "") -> RestingPiece:
        """Lay a card, token or chip on top of everything else."""
        pose = replace(pose, z=0.0, roll_deg=0.0)
        layer = self._card_layer(card, pose)
        shadow, (x, y) = shadow_of(layer, soft_px=self._px(0.9), strength=0.5)
        at = (x + round(self._px(0.35)), y + round(self._px(0.5)))
        lying = RestingPiece(card, pose, layer, shadow, at, where)
        self.lying.append(lying)
        apply_shadow(self._still_image, shadow, at)
        composite(self._still_image, layer)
        return lying

    def lift(self, *things: RestingPiece) -> None:
        """Take pieces off the table."""
        if not things:
            return
        self.lying = [other for other in self.lying if other not in things]
        boxes = np.array([thing.box for thing in things])
        self._redraw((*boxes[:, :2].min(axis=0), *boxes[:, 2:].max(axis=0)))

    def set_deck(self, count: int) -> None:
        """Set the number of cards in the deck, which lies face down; 0 removes it."""
        self.set_block("deck", Block(self.faces.texture(BACK), self.deck_at, count, CARD_THICKNESS_MM))

    def set_block(self, name: str, block: Block) -> None:
        """Add a stack, or replace the one with this name; an empty stack removes it."""
        pictures = [self._blocks.pop(name)[1]] if name in self._blocks else []
        if block.count:
            drawn = draw_block(block, self.camera, blur_px=LENS_BLUR_PX, lamp_shift=LAMP_SHIFT)
            drawn = replace(drawn, layer=self._illuminated(drawn.layer, 12.0))
            self._blocks[name] = (block, drawn)
            pictures.append(drawn)
        if pictures:
            every = np.array([_box(picture) for picture in pictures])
            self._redraw((*every[:, :2].min(axis=0), *every[:, 2:].max(axis=0)))

    def block_count(self, name: str) -> int:
        """Return the number of layers of a stack; 0 without it."""
        return self._blocks[name][0].count if name in self._blocks else 0

    @property
    def deck_count(self) -> int:
        return self.block_count("deck")

    def set_glare(self, thing: RestingPiece | None) -> None:
        """Reflect the lamp in a card, which washes out half of it; None ends the reflection."""
        if thing is None:
            self._glare = None
            return
        turn = math.radians(thing.pose.angle_deg)
        across, down = 10.0, -22.0  # centred on the code, at the top right of the card
        spot = (thing.pose.x + math.cos(turn) * across - math.sin(turn) * down,
            thing.pose.y + math.sin(turn) * across + math.cos(turn) * down, 0.0)  # fmt: skip
        (x, y), radius = self.camera.project(np.array([spot]))[0], self._px(34)
        side = np.linspace(-1, 1, 2 * int(radius) + 1, dtype=np.float32)
        fall = np.hypot(side[None, :] * 1.25, side[:, None])
        blob = np.clip(1.35 - 1.5 * fall, 0, 1) ** 1.2 * 235
        colour = np.repeat(blob[..., None], 3, axis=2).astype(np.uint8)
        self._glare = Layer(colour, np.full_like(colour, 255), (int(x - radius), int(y - radius)))

    def texture_of(self, card: Card) -> Texture:
        """Return the texture of the side that is up."""
        return self.faces.texture(card.id, card.make) if card.face_up else self.faces.texture(BACK)

    @property
    def deck_height_mm(self) -> float:
        return self.deck_count * CARD_THICKNESS_MM

    # -- frames

    def picture(self, arms: Sequence[tuple[Sequence[MovingPiece], HandPose | None]], number: int) -> Image:
        """Render the camera's view, uint8 (H, W, 3) BGR, a new array.

        Args:
            arms: for each person, in drawing order: the objects carried by the hand, and the hand if it is visible.
            number: frame number, which determines the sensor noise.
        """
        image = self._background().copy()
        for carried, _ in arms:
            for thing in carried:
                self._draw_flying(image, thing)
        if self._glare is not None:
            composite(image, self._glare)
        for _, hand in arms:
            if hand is not None:
                self._draw_hand(image, hand)
        rows, cols = (number * 37 % 61, number * 53 % 67)
        height, width = image.shape[:2]
        cv2.add(image, self._grain[rows : rows + height, cols : cols + width], dst=image)
        return image

    def _background(self) -> Image:
        """Return the image below the hands: the table at rest, in subclasses with their moving parts."""
        return self._still_image

    def _draw_flying(self, image: Image, thing: MovingPiece) -> None:
        corners = self.camera.project(thing.pose.corners(*thing.texture.size_mm))
        layer = warp(thing.texture, corners, blur_px=0, light=self._light_at(corners))
        layer = motion_blur(layer, *self._blur(thing.speed))
        height = 1.0 + max(0.0, thing.pose.z)
        shadow, (x, y) = shadow_of(layer, soft_px=self._px(0.8 + 0.14 * height), strength=0.45 / (1 + height / 40))
        shift = [round(self._px(height * part)) for part in LAMP_SHIFT]
        apply_shadow(image, shadow, (x + shift[0], y + shift[1]))
        composite(image, layer)

    def _draw_hand(self, image: Image, hand: HandPose) -> None:
        layer = self._hand_layer(hand)
        if layer is None:
            return
        shadow, (x, y) = shadow_of(layer, soft_px=self._px(5.5), strength=0.42)
        shift = [round(self._px(12 * part)) for part in LAMP_SHIFT]
        apply_shadow(image, shadow, (x + shift[0], y + shift[1]))
        composite(image, layer)

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
        coarse = 2 if math.hypot(dx, dy) > 1.5 else 1  # a blurred hand is rendered at half the resolution
        size = (-(-(x1 - x0) // coarse), -(-(y1 - y0) // coarse))
        moved = np.diag([1 / coarse, 1 / coarse, 1.0]) @ np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1.0]]) @ matrix
        colour = cv2.warpPerspective(self._hand.colour, moved, size, flags=cv2.INTER_LINEAR)
        alpha = cv2.warpPerspective(self._hand.alpha, moved, size, flags=cv2.INTER_LINEAR)
        if math.hypot(dx, dy) > 2:
            kernel = (1 + round(abs(dx) / coarse), 1 + round(abs(dy) / coarse))
            colour, alpha = cv2.blur(colour, kernel), cv2.blur(alpha, kernel)
        if coarse > 1:
            full = (size[0] * coarse, size[1] * coarse)
            colour, alpha = (cv2.resize(a, full, interpolation=cv2.INTER_LINEAR) for a in (colour, alpha))
        return finish(colour, alpha, (x0, y0), light=self._light_at(np.array([[x0, y0], [x1, y1]])))

    def _visible(self, matrix: Array) -> tuple[int, int, int, int] | None:
        """Return the bounding box of the visible part of the hand's image, x0, y0, x1, y1; None if there is none."""
        height, width = self._hand.alpha.shape
        corners = np.array([[0, 0, 1], [width, 0, 1], [width, height, 1], [0, height, 1.0]]) @ matrix.T
        shape = (corners[:, :2] / corners[:, 2:]).astype(np.float32)
        right, bottom = self.camera.size[0] + _MARGIN_PX, self.camera.size[1] + _MARGIN_PX
        frame = np.array(
            [[-_MARGIN_PX, -_MARGIN_PX], [right, -_MARGIN_PX], [right, bottom], [-_MARGIN_PX, bottom]], np.float32
        )
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

    # -- layers at rest

    def _card_layer(self, card: Card, pose: Pose) -> Layer:
        texture = self.texture_of(card)
        corners = self.camera.project(pose.corners(*texture.size_mm))
        layer = warp(texture, corners, supersampling=3, blur_px=LENS_BLUR_PX)
        return self._illuminated(layer, glare=22.0)

    def _illuminated(self, layer: Layer, glare: float) -> Layer:
        """Return a layer with the lamp's illumination and its weak reflection on the glossy surface."""
        x0, y0, x1, y1 = layer.box
        size = self.camera.size
        rows, cols = np.clip(np.arange(y0, y1), 0, size[1] - 1), np.clip(np.arange(x0, x1), 0, size[0] - 1)
        alpha = 1 - layer.transmittance[:, :, :1].astype(np.float32) / 255
        shine = (glare_on(size, rows, cols)[..., None] * glare) * alpha
        colour = layer.colour * light_on(size, rows, cols)[..., None] + shine
        return replace(layer, colour=np.clip(colour, 0, 255).astype(np.uint8))

    def _redraw(self, box: tuple[int, int, int, int]) -> None:
        height, width = self._still_image.shape[:2]
        x0, y0, x1, y1 = (int(v) for v in (max(box[0], 0), max(box[1], 0), min(box[2], width), min(box[3], height)))
        if x0 >= x1 or y0 >= y1:
            return
        part = self._still_image[y0:y1, x0:x1]
        part[:] = self._empty[y0:y1, x0:x1]
        pieces = [(thing.layer, thing.shadow, thing.shadow_at) for thing in self.lying]
        blocks = [(picture.layer, picture.shadow, picture.shadow_at) for _, picture in self._blocks.values()]
        for layer, shadow, at in blocks + pieces:
            apply_shadow(part, shadow, (at[0] - x0, at[1] - y0))
            composite(part, replace(layer, at=(layer.at[0] - x0, layer.at[1] - y0)))


def _box(picture: BlockPicture) -> tuple[int, int, int, int]:
    (x, y), (x0, y0, x1, y1) = picture.shadow_at, picture.layer.box
    height, width = picture.shadow.shape[:2]
    return (min(x0, x), min(y0, y), max(x1, x + width), max(y1, y + height))


@lru_cache(maxsize=2)
def _sensor_noise(seed: int, size: tuple[int, int]) -> Image:
    """Return sensor noise for an area larger than the image; its mean, 9, models stray light in the lens."""
    shape = (size[1] + 64, size[0] + 72, 3)
    noise = np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)
    noise = cv2.GaussianBlur(noise, (0, 0), 0.55) * 1.5 * 3.2  # a colour sensor's noise is correlated between pixels
    grain: Image = np.clip(noise + 9.5, 0, 255).astype(np.uint8)
    return read_only(grain)
