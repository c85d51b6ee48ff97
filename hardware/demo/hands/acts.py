"""What the dealer's hand does, written as steps: each ``yield`` is the moment when a frame is taken.

An act moves things by the scene's clock, so it takes as long as it would at a table, at any frame rate.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from typing import Final

from companion.plugins.demo import Felt
from hardware.demo.faces import BACK
from hardware.demo.hands.arm import Act, Arm, Clock, between
from hardware.demo.hands.carrying import carry, grip
from hardware.demo.layers import Texture
from hardware.demo.layout import CARD_THICKNESS_MM, DECK, Pose, slot
from hardware.demo.pile import Pile
from hardware.demo.scene import Card, Flying, Lying, Scene

OFF_TABLE: Final = (330.0, 345.0)  # where the hand waits, out of the picture
SHOULDER: Final = (150.0, 640.0)
CROOKED_DEG: Final = 1.2
SLIP_MM: Final = (1.2, 0.5)
SWEEP_Y: Final = -85.0


@dataclass(slots=True)
class Stage:
    """The scene with what moves on it now.

    Attributes:
        felt: where cards belong.
        clock: scene time, and how fast people are.
        order: the deck from its top; luck was decided when it was shuffled.
        arm: the dealer's.
    """

    scene: Scene
    felt: Felt
    rng: random.Random
    clock: Clock
    arm: Arm
    order: list[str] = field(default_factory=list)


def new_stage(scene: Scene, felt: Felt, rng: random.Random, pace: float) -> Stage:
    """Return a stage with the dealer's arm out of the picture."""
    clock = Clock(pace=pace)
    return Stage(scene, felt, rng, clock, Arm(clock, OFF_TABLE, SHOULDER))


def resting_place(stage: Stage, card: Card) -> Pose:
    """Return where a dealer would lay this card: next in its lane, not quite straight."""
    lying = stage.scene.lying
    ideal = slot(stage.felt, card.id, [thing.card.id for thing in lying], [thing.pose for thing in lying])
    return replace(
        ideal,
        x=ideal.x + stage.rng.uniform(-SLIP_MM[0], SLIP_MM[0]),
        y=ideal.y + stage.rng.uniform(-SLIP_MM[1], SLIP_MM[1]),
        angle_deg=stage.rng.uniform(-CROOKED_DEG, CROOKED_DEG),
    )


def deal(stage: Stage, card: Card) -> Act:
    """Take the deck's top card, turn it over on the way and lay it where it belongs."""
    top = replace(stage.scene.deck_at, z=stage.scene.deck_height_mm)
    yield from stage.arm.move(grip(stage.arm, top), 0.42)
    yield from stage.arm.wait(0.06)
    stage.scene.set_deck(len(stage.order))
    target = resting_place(stage, card)
    yield from carry(stage.arm, stage.scene.faces, card, top, target)
    stage.scene.lay_down(card, target)
    yield from stage.arm.wait(0.1)
    yield from stage.arm.move(OFF_TABLE, 0.55)


def remove(stage: Stage, thing: Lying) -> Act:
    """Take one card away, out of the picture."""
    yield from stage.arm.move(grip(stage.arm, thing.pose), 0.5)
    stage.scene.lift(thing)
    texture = stage.scene.texture_of(thing.card)
    offset = (thing.pose.x - stage.arm.at[0], thing.pose.y - stage.arm.at[1])
    start = stage.arm.at
    for share in stage.arm.over(0.6):
        stage.arm.at = between(start, (OFF_TABLE[0] + 60, OFF_TABLE[1] + 40), share)
        x, y = stage.arm.at[0] + offset[0], stage.arm.at[1] + offset[1]
        stage.arm.flying = [Flying(texture, Pose(x, y, thing.pose.angle_deg + 20 * share, 6))]
        yield
    stage.arm.flying, stage.arm.at = [], OFF_TABLE


def gather(stage: Stage) -> Act:
    """Sweep everything, the deck too, off to the right."""
    yield from stage.arm.move((-395.0, SWEEP_Y), 0.75)
    pile = Pile(stage.rng)
    for share in stage.arm.over(2.3):
        stage.arm.at = (-395.0 + 1075.0 * share, SWEEP_Y)
        caught = [thing for thing in stage.scene.lying if thing.pose.x <= stage.arm.at[0] + 8]
        if caught:
            pile.add([(t.pose, stage.scene.texture_of(t.card)) for t in caught], stage.arm.at)
            stage.scene.lift(*caught)
        if stage.scene.deck_count and stage.arm.at[0] + 8 >= DECK[0]:
            pile.add([(Pose(*DECK), stage.scene.faces.texture(BACK))], stage.arm.at)
            stage.scene.set_deck(0)
        stage.arm.flying = pile.flying(stage.arm.at)
        yield
    stage.order.clear()
    stage.arm.flying, stage.arm.at = [], OFF_TABLE
    yield


def bring_deck(stage: Stage, order: list[str]) -> Act:
    """Put a shuffled deck on its place; an old one is taken off first."""
    back = stage.scene.faces.texture(BACK)
    if stage.scene.deck_count:
        yield from stage.arm.move(grip(stage.arm, Pose(*DECK)), 0.45)
        stage.scene.set_deck(0)
        yield from _slide_deck(stage, back, Pose(*DECK, -1.5, 12), Pose(480.0, 330.0, 15, 12))
    yield from stage.arm.wait(0.3)
    height = len(order) * CARD_THICKNESS_MM
    yield from _slide_deck(stage, back, Pose(440.0, 330.0, 20, height), Pose(*DECK, -1.5, height))
    stage.arm.flying = []
    stage.order[:] = order
    stage.scene.set_deck(len(order))
    yield from stage.arm.wait(0.08)
    yield from stage.arm.move(OFF_TABLE, 0.5)


def _slide_deck(stage: Stage, back: Texture, start: Pose, end: Pose) -> Act:
    for share in stage.arm.over(0.6):
        x, y = between((start.x, start.y), (end.x, end.y), share)
        pose = Pose(x, y, start.angle_deg + (end.angle_deg - start.angle_deg) * share, start.z)
        stage.arm.flying = [Flying(back, pose)]
        stage.arm.at = grip(stage.arm, pose)
        yield
    stage.arm.flying = []


def wave(stage: Stage) -> Act:
    """Reach over the cards and back, touching nothing."""
    yield from stage.arm.move((-250.0, -80.0), 0.8)
    yield from stage.arm.move((150.0, -110.0), 0.8)
    yield from stage.arm.move(OFF_TABLE, 0.6)
