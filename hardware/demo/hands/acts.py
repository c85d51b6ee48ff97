"""Animated hand movements at a card table, as generators: each ``yield`` is one frame.

They run on the scene's clock, so their duration does not depend on the frame rate. The hand stays where it is
afterwards, unless stated otherwise.
"""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from hardware.demo.faces import BACK, Faces
from hardware.demo.hands.arm import Arm, Clock, HandMotion, Point, between, ease
from hardware.demo.hands.pile import Pile
from hardware.demo.layers import Texture
from hardware.demo.layout import CARD_THICKNESS_MM, Pose
from hardware.demo.scene import Card, MovingPiece, RestingPiece, Scene

GRIP_MM: Final = 24.0  # distance of the fingertip below the card's centre
_GRIP_SIDE_MM: Final = 8.0
_MAX_HAND_TURN_DEG: Final = 30.0  # the hand turns with the card up to this angle; otherwise it grips the near edge
_SWING_DEG: Final = 14.0
_SLIDE_S: Final = 0.7


@dataclass(slots=True)
class Stage:
    """A scene with the people around it.

    Attributes:
        rng: source of all random deviations.
        clock: scene time and people's speed.
        arms: the arms of the people, by seat.
        order: card ids of the deck from the top, fixed when it was shuffled.
        jitter_mm: maximum deviation in x and y when a card is laid down.
    """

    scene: Scene
    rng: random.Random
    clock: Clock
    arms: dict[int, Arm] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    jitter_mm: Point = (1.0, 0.5)

    def jittered(self, pose: Pose, crooked_deg: float) -> Pose:
        """Return a pose with random deviations, as when a person lays a card down without haste."""
        x, y = (self.rng.uniform(-slip, slip) for slip in self.jitter_mm)
        turn = self.rng.uniform(-crooked_deg, crooked_deg)
        return replace(pose, x=pose.x + x, y=pose.y + y, angle_deg=pose.angle_deg + turn)

    def show_deck(self) -> None:
        """Update the height of the rendered deck to its number of cards."""
        self.scene.set_deck(len(self.order))

    @property
    def deck_top(self) -> Pose:
        """Pose of the deck's top card."""
        return replace(self.scene.deck_at, z=self.scene.deck_height_mm)


def grip(arm: Arm, pose: Pose, below_mm: float = GRIP_MM) -> Point:
    """Return the fingertip position of this person when holding a card in this pose."""
    lean = (pose.angle_deg - arm.side_deg + 180) % 360 - 180
    turn = math.radians(arm.side_deg + (lean if abs(lean) < _MAX_HAND_TURN_DEG else 0.0))
    side = math.radians(arm.side_deg)
    return (
        pose.x - math.sin(turn) * below_mm + math.cos(side) * _GRIP_SIDE_MM,
        pose.y + math.cos(turn) * below_mm + math.sin(side) * _GRIP_SIDE_MM,
    )


def carry(arm: Arm, faces: Faces, card: Card, start: Pose, target: Pose, *, was_up: bool = False) -> HandMotion:
    """Carry a card through the air, turning it over if necessary.

    Args:
        was_up: whether its face is up at the start; ``card.face_up`` is its state at the end.
    """
    face, back = faces.texture(card.id, card.make), faces.texture(BACK)
    first, last = (0.0 if up else 180.0 for up in (was_up, card.face_up))
    distance = math.hypot(target.x - start.x, target.y - start.y)
    turned = (target.angle_deg - start.angle_deg + 180) % 360 - 180
    for progress in arm.progress_over(0.45 + distance / 1900):
        roll = first + (last - first) * ease(min(1, max(0, (progress - 0.06) / 0.5)))
        lift = 34 * math.sin(math.radians(roll)) + 10 * math.sin(math.pi * progress)
        x, y = between((start.x, start.y), (target.x, target.y), progress)
        z = start.z + (target.z - start.z) * progress + lift
        angle = start.angle_deg + turned * progress + _SWING_DEG * math.sin(math.pi * progress)
        pose = Pose(x, y, angle, z, roll)
        arm.carried = [_visible_side(face, back, pose)]
        arm.at = grip(arm, replace(pose, z=0))
        yield
    arm.carried = []


def _visible_side(face: Texture, back: Texture, pose: Pose) -> MovingPiece:
    """Return the side that faces the camera."""
    if math.cos(math.radians(pose.roll_deg)) < 0:
        return MovingPiece(back, replace(pose, roll_deg=pose.roll_deg - 180))
    return MovingPiece(face, pose)


def reach(arm: Arm, to: Point) -> HandMotion:
    """Move the hand to a point at the arm's speed."""
    return arm.move(to, 0.25 + math.dist(arm.at, to) / arm.reach_mm_s)


def go_home(arm: Arm) -> HandMotion:
    """Take the hand off the table."""
    yield from reach(arm, arm.home)


def wave(arm: Arm, *points: Point) -> HandMotion:
    """Move the hand over these points and home, without touching anything."""
    for point in (*points, arm.home):
        yield from reach(arm, point)


def slide(
    arm: Arm,
    show: Texture | Callable[[Pose], list[MovingPiece]],
    start: Pose,
    end: Pose,
    seconds: float = _SLIDE_S,
    *,
    lift_mm: float = 0.0,
    held: Callable[[Pose], Point] | None = None,
) -> HandMotion:
    """Slide flat objects from one pose to another, rotating by the smaller angle.

    Args:
        show: the texture of the object, or a function from the pose to the moving pieces.
        lift_mm: maximum height above the straight path.
        held: returns the hand's position for a pose; None: as when holding a card.
    """
    turn = (end.angle_deg - start.angle_deg + 180) % 360 - 180
    for progress in arm.progress_over(seconds):
        x, y = between((start.x, start.y), (end.x, end.y), progress)
        z = start.z + (end.z - start.z) * progress + lift_mm * math.sin(math.pi * progress)
        pose = Pose(x, y, start.angle_deg + turn * progress, z)
        arm.carried = [MovingPiece(show, pose)] if isinstance(show, Texture) else show(pose)
        arm.at = grip(arm, pose) if held is None else held(pose)
        yield
    arm.carried = []


def lay(
    stage: Stage, arm: Arm, card: Card, start: Pose, target: Pose, where: str = "", *, was_up: bool = False
) -> HandMotion:
    """Carry a card from its start pose to the target and lay it down."""
    yield from carry(arm, stage.scene.faces, card, start, target, was_up=was_up)
    stage.scene.lay_down(card, target, where)
    yield from arm.wait(0.08)


def pick_up(stage: Stage, arm: Arm, thing: RestingPiece) -> HandMotion:
    """Reach for a piece and take it off the table."""
    yield from reach(arm, grip(arm, thing.pose))
    stage.scene.lift(thing)


def deal_card(stage: Stage, arm: Arm, card: Card, place: Callable[[], Pose], where: str = "") -> HandMotion:
    """Take the deck's top card and lay it in the place returned by ``place``.

    The card must already have been removed from ``stage.order``.
    """
    top = stage.deck_top
    yield from reach(arm, grip(arm, top))
    yield from arm.wait(0.06)
    stage.show_deck()
    yield from lay(stage, arm, card, top, place(), where)


def remove_card(stage: Stage, arm: Arm, thing: RestingPiece) -> HandMotion:
    """Carry a card off the table; afterwards the hand is home."""
    yield from pick_up(stage, arm, thing)
    away = Pose(*arm.home, thing.pose.angle_deg, 8.0)
    yield from carry(arm, stage.scene.faces, thing.card, thing.pose, away, was_up=thing.card.face_up)
    arm.go_home()


def sweep(
    stage: Stage, arm: Arm, start: Point, end_x: float, seconds: float, catch: Callable[[float], Sequence[RestingPiece]]
) -> HandMotion:
    """Sweep cards together with the edge of the hand.

    Args:
        start: where the hand begins.
        end_x: where it ends; it moves along the x axis.
        catch: returns the cards that the hand takes along when it reaches this x.
    """
    yield from reach(arm, start)
    pile = Pile(stage.rng)
    for progress in arm.progress_over(seconds):
        arm.at = (start[0] + (end_x - start[0]) * progress, start[1])
        if caught := catch(arm.at[0]):
            pile.add([(thing.pose, stage.scene.texture_of(thing.card)) for thing in caught], arm.at)
            stage.scene.lift(*caught)
        arm.carried = pile.carried(arm.at)
        yield
    arm.carried = []


def bring_deck(stage: Stage, arm: Arm, order: Sequence[str], shuffle_s: float) -> HandMotion:
    """Put a shuffled deck in its place, after removing the rest of the old one."""
    back, deck = stage.scene.faces.texture(BACK), stage.scene.deck_at
    aside = Pose(*arm.home, 15.0, 12.0)
    if stage.scene.deck_count:
        yield from reach(arm, grip(arm, deck))
        stage.order = []
        stage.show_deck()
        yield from slide(arm, back, deck, aside)
    yield from arm.wait(shuffle_s)
    yield from slide(arm, back, aside, replace(deck, z=len(order) * CARD_THICKNESS_MM))
    stage.order = list(order)
    stage.show_deck()
    yield from arm.wait(0.1)
