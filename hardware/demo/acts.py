"""What the dealer's hand does, written as steps: each ``yield`` is the moment when a frame is taken.

An act moves things by the scene's clock, so it takes as long as it would at a table, at any frame rate.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from hardware.demo.faces import BACK
from hardware.demo.layers import Texture
from hardware.demo.layout import CARD_THICKNESS_MM, DECK, Pose, slot
from hardware.demo.pile import Pile
from hardware.demo.scene import Card, Flying, HandPose, Lying, Scene

Act = Iterator[None]

OFF_TABLE: Final = (330.0, 345.0)  # where the hand waits, out of the picture
SHOULDER: Final = (150.0, 640.0)
GRIP_MM: Final = 24.0  # the fingers hold a card so far below its middle
CROOKED_DEG: Final = 1.2
SLIP_MM: Final = (1.2, 0.5)
SWEEP_Y: Final = -85.0


@dataclass(slots=True)
class Stage:
    """The scene with what moves on it now.

    Attributes:
        now: scene time, seconds.
        pace: 1 is an unhurried dealer, 2 twice as fast.
        order: the deck from its top; luck was decided when it was shuffled.
    """

    scene: Scene
    rng: random.Random
    now: float = 0.0
    pace: float = 1.0
    hand: tuple[float, float] = OFF_TABLE
    hand_speed: tuple[float, float] = (0.0, 0.0)
    flying: list[Flying] = field(default_factory=list)
    order: list[str] = field(default_factory=list)

    def hand_pose(self) -> HandPose | None:
        """Return the hand as it is to be drawn, None while it is out of the picture."""
        x, y = self.hand
        if self.hand == OFF_TABLE:
            return None
        arm = math.degrees(math.atan2(x - SHOULDER[0], SHOULDER[1] - y))
        return HandPose(x, y, arm * 0.8 + 4, self.hand_speed)

    def go_on(self, act: Act | None, now: float) -> bool:
        """Take the act to this moment and note how fast things move; False when it is over."""
        step = max(now - self.now, 1e-3)
        hand, before = self.hand, [thing.pose for thing in self.flying]
        self.now = now
        is_on = act is not None and next(act, _OVER) is None
        self.hand_speed = ((self.hand[0] - hand[0]) / step, (self.hand[1] - hand[1]) / step)
        if len(before) == len(self.flying):
            self.flying = [
                replace(thing, speed=((thing.pose.x - old.x) / step, (thing.pose.y - old.y) / step))
                for thing, old in zip(self.flying, before, strict=True)
            ]
        return is_on

    def over(self, seconds: float) -> Iterator[float]:
        """Yield 0..1, smoothly, for so long; the last value is 1."""
        start, length = self.now, seconds / self.pace
        while (share := (self.now - start) / length) < 1:
            yield _ease(share)
        yield 1.0

    def move_hand(self, to: tuple[float, float], seconds: float) -> Act:
        """Glide to a place."""
        start = self.hand
        for share in self.over(seconds):
            self.hand = _between(start, to, share)
            yield

    def wait(self, seconds: float) -> Act:
        """Let time pass."""
        for _ in self.over(seconds):
            yield


_OVER: Final = object()


def _ease(share: float) -> float:
    """Minimum-jerk motion, as arms move."""
    return share**3 * (10 - 15 * share + 6 * share * share)


def _between(a: tuple[float, float], b: tuple[float, float], share: float) -> tuple[float, float]:
    return (a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share)


def resting_place(stage: Stage, card: Card) -> Pose:
    """Return where a dealer would lay this card: next in its suit's stack, not quite straight."""
    rank = int(card.id[0])
    stack = [thing for thing in stage.scene.lying if thing.card.id[0] == card.id[0]]
    ideal = slot(rank, len(stack))
    return replace(
        ideal,
        x=ideal.x + stage.rng.uniform(-SLIP_MM[0], SLIP_MM[0]),
        y=ideal.y + stage.rng.uniform(-SLIP_MM[1], SLIP_MM[1]),
        angle_deg=stage.rng.uniform(-CROOKED_DEG, CROOKED_DEG),
    )


def deal(stage: Stage, card: Card) -> Act:
    """Take the deck's top card, turn it over on the way and lay it on its stack."""
    top = Pose(*DECK, angle_deg=-1.5, z=stage.scene.deck_height_mm)
    yield from stage.move_hand(_grip(top), 0.42)
    yield from stage.wait(0.06)
    stage.scene.set_deck(len(stage.order))
    target = resting_place(stage, card)
    yield from _carry(stage, card, top, target)
    stage.flying = []
    stage.scene.lay_down(card, target)
    yield from stage.wait(0.1)
    yield from stage.move_hand(OFF_TABLE, 0.55)


def _carry(stage: Stage, card: Card, start: Pose, target: Pose) -> Act:
    face = stage.scene.faces.texture(card.id, card.make)
    back = stage.scene.faces.texture(BACK)
    distance = math.hypot(target.x - start.x, target.y - start.y)
    for share in stage.over(0.45 + distance / 1900):
        roll = 180 * (1 - _ease(min(1, max(0, (share - 0.06) / 0.5)))) if card.face_up else 180.0
        lift = 34 * math.sin(math.radians(roll)) + 10 * math.sin(math.pi * share)
        x, y = _between((start.x, start.y), (target.x, target.y), share)
        z = start.z + (target.z - start.z) * share + lift
        angle = start.angle_deg + (target.angle_deg - start.angle_deg) * share
        pose = Pose(x, y, angle + 14 * math.sin(math.pi * share), z, roll)
        stage.flying = [_shown(face, back, pose)]
        stage.hand = _grip(replace(pose, z=0))
        yield


def _shown(face: Texture, back: Texture, pose: Pose) -> Flying:
    """Whichever side looks at the camera."""
    if math.cos(math.radians(pose.roll_deg)) < 0:
        return Flying(back, replace(pose, roll_deg=pose.roll_deg - 180))
    return Flying(face, pose)


def _grip(pose: Pose) -> tuple[float, float]:
    """Return where the fingers hold a card."""
    turn = math.radians(pose.angle_deg)
    return (pose.x - math.sin(turn) * GRIP_MM + 8, pose.y + math.cos(turn) * GRIP_MM)


def remove(stage: Stage, thing: Lying) -> Act:
    """Take one card away, out of the picture."""
    yield from stage.move_hand(_grip(thing.pose), 0.5)
    stage.scene.lift(thing)
    texture = stage.scene.texture_of(thing.card)
    offset = (thing.pose.x - stage.hand[0], thing.pose.y - stage.hand[1])
    start = stage.hand
    for share in stage.over(0.6):
        stage.hand = _between(start, (OFF_TABLE[0] + 60, OFF_TABLE[1] + 40), share)
        x, y = stage.hand[0] + offset[0], stage.hand[1] + offset[1]
        stage.flying = [Flying(texture, Pose(x, y, thing.pose.angle_deg + 20 * share, 6))]
        yield
    stage.flying, stage.hand = [], OFF_TABLE


def gather(stage: Stage) -> Act:
    """Sweep everything, the deck too, off to the right."""
    yield from stage.move_hand((-395.0, SWEEP_Y), 0.75)
    pile = Pile(stage.rng)
    for share in stage.over(2.3):
        stage.hand = (-395.0 + 1075.0 * share, SWEEP_Y)
        caught = [thing for thing in stage.scene.lying if thing.pose.x <= stage.hand[0] + 8]
        if caught:
            pile.add([(t.pose, stage.scene.texture_of(t.card)) for t in caught], stage.hand)
            stage.scene.lift(*caught)
        if stage.scene.deck_count and stage.hand[0] + 8 >= DECK[0]:
            pile.add([(Pose(*DECK), stage.scene.faces.texture(BACK))], stage.hand)
            stage.scene.set_deck(0)
        stage.flying = pile.flying(stage.hand)
        yield
    stage.order.clear()
    stage.flying, stage.hand = [], OFF_TABLE
    yield


def bring_deck(stage: Stage, order: list[str]) -> Act:
    """Put a shuffled deck on its place; an old one is taken off first."""
    back = stage.scene.faces.texture(BACK)
    if stage.scene.deck_count:
        yield from stage.move_hand(_grip(Pose(*DECK)), 0.45)
        stage.scene.set_deck(0)
        yield from _slide_deck(stage, back, Pose(*DECK, -1.5, 12), Pose(480.0, 330.0, 15, 12))
    yield from stage.wait(0.3)
    height = len(order) * CARD_THICKNESS_MM
    yield from _slide_deck(stage, back, Pose(440.0, 330.0, 20, height), Pose(*DECK, -1.5, height))
    stage.flying = []
    stage.order[:] = order
    stage.scene.set_deck(len(order))
    yield from stage.wait(0.08)
    yield from stage.move_hand(OFF_TABLE, 0.5)


def _slide_deck(stage: Stage, back: Texture, start: Pose, end: Pose) -> Act:
    for share in stage.over(0.6):
        x, y = _between((start.x, start.y), (end.x, end.y), share)
        pose = Pose(x, y, start.angle_deg + (end.angle_deg - start.angle_deg) * share, start.z)
        stage.flying = [Flying(back, pose)]
        stage.hand = _grip(pose)
        yield
    stage.flying = []


def wave(stage: Stage) -> Act:
    """Reach over all stacks and back, touching nothing."""
    yield from stage.move_hand((-250.0, -80.0), 0.8)
    yield from stage.move_hand((150.0, -110.0), 0.8)
    yield from stage.move_hand(OFF_TABLE, 0.6)
