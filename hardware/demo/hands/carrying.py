"""Carrying flat things: how a hand holds a card, and how it turns one over on the way."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

from hardware.demo.faces import BACK, Faces
from hardware.demo.hands.arm import Act, Arm, Point, between, ease
from hardware.demo.layers import Texture
from hardware.demo.layout import Pose
from hardware.demo.scene import Card, Flying

GRIP_MM: Final = 24.0  # the fingers hold a card so far below its middle
_GRIP_ASIDE_MM: Final = 8.0
_CROOKED_DEG: Final = 30.0  # a card that is turned more is held by the edge that is near
_SWING_DEG: Final = 14.0


def grip(arm: Arm, pose: Pose, below_mm: float = GRIP_MM) -> Point:
    """Return where this person's fingers hold a card that lies like this."""
    lean = (pose.angle_deg - arm.side_deg + 180) % 360 - 180
    turn = math.radians(arm.side_deg + (lean if abs(lean) < _CROOKED_DEG else 0.0))
    side = math.radians(arm.side_deg)
    return (
        pose.x - math.sin(turn) * below_mm + math.cos(side) * _GRIP_ASIDE_MM,
        pose.y + math.cos(turn) * below_mm + math.sin(side) * _GRIP_ASIDE_MM,
    )


def carry(
    arm: Arm, faces: Faces, card: Card, start: Pose, target: Pose, *, was_up: bool = False, haste: float = 1.0
) -> Act:
    """Carry a card through the air, turning it over where it has to be.

    Args:
        was_up: which side is up when it is taken.
    """
    face, back = faces.texture(card.id, card.make), faces.texture(BACK)
    first, last = (0.0 if up else 180.0 for up in (was_up, card.face_up))
    distance = math.hypot(target.x - start.x, target.y - start.y)
    turned = (target.angle_deg - start.angle_deg + 180) % 360 - 180
    for share in arm.over((0.45 + distance / 1900) / haste):
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
    """Whichever side looks at the camera."""
    if math.cos(math.radians(pose.roll_deg)) < 0:
        return Flying(back, replace(pose, roll_deg=pose.roll_deg - 180))
    return Flying(face, pose)
