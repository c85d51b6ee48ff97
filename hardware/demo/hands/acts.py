"""Animated hand actions at any card table, as generators: each ``yield`` is one frame.

Actions run on the scene's clock, so they take as long as at a real table, at any frame rate. A hand does not return
home unless an action says so.
"""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from hardware.demo.faces import BACK, Faces
from hardware.demo.hands.arm import Act, Arm, Clock, Point, between, ease
from hardware.demo.hands.pile import Pile
from hardware.demo.layers import Texture
from hardware.demo.layout import CARD_THICKNESS_MM, Pose
from hardware.demo.scene import Card, Flying, Lying, Scene

GRIP_MM: Final = 24.0  # the fingers hold a card so far below its middle
_GRIP_ASIDE_MM: Final = 8.0
_CROOKED_DEG: Final = 30.0  # a card that is turned more is held by the edge that is near
_SWING_DEG: Final = 14.0
_SLIDE_S: Final = 0.7


@dataclass(slots=True)
class Stage:
    """A scene with everybody round it.

    Attributes:
        clock: scene time, and how fast people are.
        arms: by seat, of those who sit there.
        order: the deck from its top; luck was decided when it was shuffled.
        slip_mm: how far beside its place people lay a card.
    """

    scene: Scene
    rng: random.Random
    clock: Clock
    arms: dict[int, Arm] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    slip_mm: Point = (1.0, 0.5)

    def slipped(self, pose: Pose, crooked_deg: float) -> Pose:
        """Return a place as somebody in no hurry would hit it."""
        x, y = (self.rng.uniform(-slip, slip) for slip in self.slip_mm)
        turn = self.rng.uniform(-crooked_deg, crooked_deg)
        return replace(pose, x=pose.x + x, y=pose.y + y, angle_deg=pose.angle_deg + turn)

    def show_deck(self) -> None:
        """Let the deck be as high as it is."""
        self.scene.set_deck(len(self.order))

    @property
    def deck_top(self) -> Pose:
        """Where the deck's top card lies."""
        return replace(self.scene.deck_at, z=self.scene.deck_height_mm)


def grip(arm: Arm, pose: Pose, below_mm: float = GRIP_MM) -> Point:
    """Return where this person's fingers hold a card that lies like this."""
    lean = (pose.angle_deg - arm.side_deg + 180) % 360 - 180
    turn = math.radians(arm.side_deg + (lean if abs(lean) < _CROOKED_DEG else 0.0))
    side = math.radians(arm.side_deg)
    return (
        pose.x - math.sin(turn) * below_mm + math.cos(side) * _GRIP_ASIDE_MM,
        pose.y + math.cos(turn) * below_mm + math.sin(side) * _GRIP_ASIDE_MM,
    )


def carry(arm: Arm, faces: Faces, card: Card, start: Pose, target: Pose, *, was_up: bool = False) -> Act:
    """Carry a card through the air, turning it over where it has to be.

    Args:
        was_up: which side is up when it is taken.
    """
    face, back = faces.texture(card.id, card.make), faces.texture(BACK)
    first, last = (0.0 if up else 180.0 for up in (was_up, card.face_up))
    distance = math.hypot(target.x - start.x, target.y - start.y)
    turned = (target.angle_deg - start.angle_deg + 180) % 360 - 180
    for share in arm.over(0.45 + distance / 1900):
        roll = first + (last - first) * ease(min(1, max(0, (share - 0.06) / 0.5)))
        lift = 34 * math.sin(math.radians(roll)) + 10 * math.sin(math.pi * share)
        x, y = between((start.x, start.y), (target.x, target.y), share)
        z = start.z + (target.z - start.z) * share + lift
        angle = start.angle_deg + turned * share + _SWING_DEG * math.sin(math.pi * share)
        pose = Pose(x, y, angle, z, roll)
        arm.flying = [_shown(face, back, pose)]
        arm.at = grip(arm, replace(pose, z=0))
        yield
    arm.flying = []


def _shown(face: Texture, back: Texture, pose: Pose) -> Flying:
    """Whichever side faces the camera."""
    if math.cos(math.radians(pose.roll_deg)) < 0:
        return Flying(back, replace(pose, roll_deg=pose.roll_deg - 180))
    return Flying(face, pose)


def reach(arm: Arm, to: Point) -> Act:
    """Move the hand somewhere, as long as it takes."""
    return arm.move(to, 0.25 + math.dist(arm.at, to) / arm.reach_mm_s)


def go_home(arm: Arm) -> Act:
    """Take the hand off the table."""
    yield from reach(arm, arm.home)


def wave(arm: Arm, *points: Point) -> Act:
    """Reach over the table and go home, touching nothing."""
    for point in (*points, arm.home):
        yield from reach(arm, point)


def slide(
    arm: Arm,
    show: Texture | Callable[[Pose], list[Flying]],
    start: Pose,
    end: Pose,
    seconds: float = _SLIDE_S,
    *,
    lift_mm: float = 0.0,
    held: Callable[[Pose], Point] | None = None,
) -> Act:
    """Push something flat from one place to another, the shorter way round.

    Args:
        show: what is pushed.
        lift_mm: how high it is held on the way.
        held: where the hand is then; None: as it holds a card.
    """
    turn = (end.angle_deg - start.angle_deg + 180) % 360 - 180
    for share in arm.over(seconds):
        x, y = between((start.x, start.y), (end.x, end.y), share)
        z = start.z + (end.z - start.z) * share + lift_mm * math.sin(math.pi * share)
        pose = Pose(x, y, start.angle_deg + turn * share, z)
        arm.flying = [Flying(show, pose)] if isinstance(show, Texture) else show(pose)
        arm.at = grip(arm, pose) if held is None else held(pose)
        yield
    arm.flying = []


def lay(stage: Stage, arm: Arm, card: Card, start: Pose, target: Pose, where: str = "", *, was_up: bool = False) -> Act:
    """Carry a card from where it was taken and lay it down."""
    yield from carry(arm, stage.scene.faces, card, start, target, was_up=was_up)
    stage.scene.lay_down(card, target, where)
    yield from arm.wait(0.08)


def pick_up(stage: Stage, arm: Arm, thing: Lying) -> Act:
    """Take something off the table into the hand."""
    yield from reach(arm, grip(arm, thing.pose))
    stage.scene.lift(thing)


def deal_card(stage: Stage, arm: Arm, card: Card, place: Callable[[], Pose], where: str = "") -> Act:
    """Turn the deck's top card over and lay it somewhere."""
    top = stage.deck_top
    yield from reach(arm, grip(arm, top))
    yield from arm.wait(0.06)
    stage.show_deck()
    yield from lay(stage, arm, card, top, place(), where)


def carry_off(stage: Stage, arm: Arm, thing: Lying) -> Act:
    """Take a card off the table; the hand is home then."""
    yield from pick_up(stage, arm, thing)
    away = Pose(*arm.home, thing.pose.angle_deg, 8.0)
    yield from carry(arm, stage.scene.faces, thing.card, thing.pose, away, was_up=thing.card.face_up)
    arm.go_home()


def sweep(
    stage: Stage, arm: Arm, start: Point, end_x: float, seconds: float, catch: Callable[[float], Sequence[Lying]]
) -> Act:
    """Sweep cards together and along.

    Args:
        catch: returns what the hand takes along as it comes to this x.
    """
    yield from reach(arm, start)
    pile = Pile(stage.rng)
    for share in arm.over(seconds):
        arm.at = (start[0] + (end_x - start[0]) * share, start[1])
        if caught := catch(arm.at[0]):
            pile.add([(thing.pose, stage.scene.texture_of(thing.card)) for thing in caught], arm.at)
            stage.scene.lift(*caught)
        arm.flying = pile.flying(arm.at)
        yield
    arm.flying = []


def bring_deck(stage: Stage, arm: Arm, order: Sequence[str], shuffle_s: float) -> Act:
    """Put a shuffled deck on its place; what is left of the old one is taken off first."""
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
