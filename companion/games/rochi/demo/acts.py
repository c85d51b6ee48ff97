"""What hands do at a table of Rochi, written as steps: laying cards, moving tokens, paying, folding.

None of them goes home by itself: `rochi_turns` puts them together.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

from companion.games.rochi.demo.layout import chip_place, hand_slot, middle
from companion.games.rochi.demo.stage import RochiStage
from hardware.demo.chips import chip_name, payment
from hardware.demo.faces import BACK
from hardware.demo.hands.arm import Act, Arm, Point, between
from hardware.demo.hands.carrying import carry, grip
from hardware.demo.layout import CARD_THICKNESS_MM, Pose
from hardware.demo.scene import Card, Flying, Lying

REACH_MM_S: Final = 900.0
TOKEN_GRIP_MM: Final = 4.0
CHIPS_IN_HAND: Final = 6
_HOLD_Z: Final = 8.0


def reach(arm: Arm, to: Point) -> Act:
    """Move the hand somewhere, as long as it takes."""
    return arm.move(to, 0.25 + math.dist(arm.at, to) / REACH_MM_S)


def go_home(arm: Arm) -> Act:
    """Take the hand off the table."""
    yield from reach(arm, arm.home)


def deal_card(stage: RochiStage, seat: int, card: Card, target: Pose, where: str) -> Act:
    """Turn the deck's top card over and lay it somewhere."""
    arm = stage.arms[seat]
    top = replace(stage.scene.deck_at, z=stage.scene.deck_height_mm)
    yield from reach(arm, grip(arm, top))
    yield from arm.wait(0.06)
    stage.show_deck()
    yield from carry(arm, stage.scene.faces, card, top, target)
    stage.scene.lay_down(card, target, where)
    yield from arm.wait(0.08)


def play_card(stage: RochiStage, seat: int, card: Card, target: Pose, where: str) -> Act:
    """Take a card from a player's hand and lay it open somewhere."""
    arm = stage.arms[seat]
    held = [thing for thing in stage.at(f"hand/{seat}") if thing.card.id == card.id and card.make == "genuine"]
    start = held[0].pose if held else hand_slot(seat, 0)
    yield from reach(arm, grip(arm, start))
    yield from arm.wait(0.1)
    if card.make == "genuine" and card.id in stage.hands[seat]:
        stage.hands[seat].remove(card.id)
    if held:
        stage.scene.lift(held[0])
    yield from carry(arm, stage.scene.faces, card, start, target)
    stage.scene.lay_down(card, target, where)
    yield from arm.wait(0.08)


def straighten(stage: RochiStage, seat: int, where: str) -> Act:
    """Nudge the last card of a place: some people cannot leave a crooked card alone."""
    arm = stage.arms[seat]
    thing = stage.at(where)[-1]
    yield from arm.wait(0.15)
    pose = replace(thing.pose, angle_deg=thing.pose.angle_deg * 0.4, x=thing.pose.x + stage.rng.uniform(-0.6, 0.6))
    stage.scene.lift(thing)
    texture = stage.scene.texture_of(thing.card)
    for share in arm.over(0.3):
        x, y = between((thing.pose.x, thing.pose.y), (pose.x, pose.y), share)
        turn = thing.pose.angle_deg + (pose.angle_deg - thing.pose.angle_deg) * share
        arm.flying = [Flying(texture, Pose(x, y, turn))]
        arm.at = grip(arm, Pose(x, y, turn))
        yield
    arm.flying = []
    stage.scene.lay_down(thing.card, pose, where)


def move_token(stage: RochiStage, seat: int, token: str, where: str, target: Pose | None = None) -> Act:
    """Take a token (or the leader button) and put it somewhere."""
    arm = stage.arms[seat]
    thing = stage.token(token)
    if thing is None:  # it has vanished: nothing to be moved
        return
    yield from reach(arm, grip(arm, replace(thing.pose, angle_deg=arm.side_deg), TOKEN_GRIP_MM))
    yield from arm.wait(0.06)
    start = thing.pose
    target = target or stage.token_place(token, where)
    stage.scene.lift(thing)
    texture = stage.scene.texture_of(thing.card)
    way = math.hypot(target.x - start.x, target.y - start.y)
    turn = (target.angle_deg - start.angle_deg + 180) % 360 - 180
    for share in arm.over(0.35 + way / 800):
        x, y = between((start.x, start.y), (target.x, target.y), share)
        pose = Pose(x, y, start.angle_deg + turn * share, _HOLD_Z * math.sin(math.pi * share))
        arm.flying = [Flying(texture, pose)]
        arm.at = grip(arm, replace(pose, angle_deg=arm.side_deg), TOKEN_GRIP_MM)
        yield
    arm.flying = []
    stage.scene.lay_down(thing.card, target, where)
    yield from arm.wait(0.06)


def pay(stage: RochiStage, seat: int, giver: str, taker: str, coins: int) -> Act:
    """Slide coins from one place to another, a handful at a time."""
    arm = stage.arms[seat]
    chips = payment(coins)
    for first in range(0, len(chips), CHIPS_IN_HAND):
        handful = chips[first : first + CHIPS_IN_HAND]
        yield from reach(arm, _over_chip(arm, chip_place(giver, handful[0])))
        stage.set_coins(giver, stage.coins.get(giver, 0) - sum(handful))
        yield from _slide_chips(stage, arm, chip_place(giver, handful[0]), chip_place(taker, handful[0]), handful)
        stage.set_coins(taker, stage.coins.get(taker, 0) + sum(handful))
        yield


def _over_chip(arm: Arm, pose: Pose) -> Point:
    return grip(arm, replace(pose, angle_deg=arm.side_deg), 2.0)


def _slide_chips(stage: RochiStage, arm: Arm, start: Pose, end: Pose, chips: tuple[int, ...]) -> Act:
    textures = [stage.scene.faces.texture(chip_name(value)) for value in chips]
    way = math.hypot(end.x - start.x, end.y - start.y)
    for share in arm.over(0.3 + way / 700):
        x, y = between((start.x, start.y), (end.x, end.y), share)
        arm.flying = [
            Flying(texture, Pose(x + 9 * (i % 3) - 9, y + 9 * (i // 3) - 5, 40.0 * i, 2.6))
            for i, texture in enumerate(textures)
        ]
        arm.at = _over_chip(arm, Pose(x, y))
        yield
    arm.flying = []


def draw_card(stage: RochiStage, dealer: int, seat: int) -> Act:
    """Deal one card face down to a player; the dealer's hand stays near the deck."""
    arm = stage.arms[dealer]
    if not stage.order:
        return
    top = replace(stage.scene.deck_at, z=stage.scene.deck_height_mm)
    card = stage.order.pop(0)
    stage.show_deck()
    target = stage.slipped(hand_slot(seat, len(stage.hands[seat])), 3.0)
    back = stage.scene.faces.texture(BACK)
    for share in arm.over(0.3):
        x, y = between((top.x, top.y), (target.x, target.y), share)
        turn = top.angle_deg + ((target.angle_deg - top.angle_deg + 180) % 360 - 180) * share
        arm.flying = [Flying(back, Pose(x, y, turn, 4.0))]
        arm.at = between(grip(arm, top), (target.x, target.y), 0.3 * math.sin(math.pi * share))
        yield
    arm.flying = []
    stage.hands[seat].append(card)
    stage.scene.lay_down(Card(card, face_up=False), target, f"hand/{seat}")


def discard_hand(stage: RochiStage, seat: int) -> Act:
    """Put a player's cards onto the discard pile, as one pack."""
    yield from _take_pack(stage, seat, stage.at(f"hand/{seat}"))
    stage.hands[seat] = []


def _take_pack(stage: RochiStage, seat: int, things: list[Lying]) -> Act:
    if not things:
        return
    arm = stage.arms[seat]
    start = things[-1].pose
    yield from reach(arm, grip(arm, start))
    stage.scene.lift(*things)
    x, y = middle("discard")
    pack = Card(things[-1].card.id, face_up=False)
    height = (len(stage.discarded) + 1) * CARD_THICKNESS_MM
    yield from carry(arm, stage.scene.faces, pack, start, Pose(x, y, 2.0, height))
    stage.discarded += [thing.card.id for thing in things]
    stage.show_discards()


def discard_card(stage: RochiStage, seat: int, thing: Lying) -> Act:
    """Turn an open card over and put it onto the discard pile."""
    arm = stage.arms[seat]
    yield from reach(arm, grip(arm, thing.pose))
    stage.scene.lift(thing)
    x, y = middle("discard")
    card = replace(thing.card, face_up=False)
    yield from carry(arm, stage.scene.faces, card, thing.pose, Pose(x, y, 2.0), was_up=thing.card.face_up)
    stage.discarded.append(thing.card.id)
    stage.show_discards()


def take_back(stage: RochiStage, mover: int, card_id: str, seat: int | None) -> Act:
    """Take an open card back into a player's hand, or onto the deck."""
    things = [thing for thing in stage.scene.lying if thing.card.id == card_id and thing.card.face_up]
    if not things:
        return
    thing, arm = things[-1], stage.arms[mover]
    yield from reach(arm, grip(arm, thing.pose))
    stage.scene.lift(thing)
    if seat is None:
        target = replace(stage.scene.deck_at, z=stage.scene.deck_height_mm)
    else:
        target = hand_slot(seat, len(stage.hands[seat]))
    card = replace(thing.card, face_up=False)
    yield from carry(arm, stage.scene.faces, card, thing.pose, target, was_up=True)
    if seat is None:
        stage.order.insert(0, card_id)
        stage.show_deck()
    else:
        stage.hands[seat].append(card_id)
        stage.scene.lay_down(card, target, f"hand/{seat}")


def move_card(stage: RochiStage, mover: int, thing: Lying, target: Pose, where: str) -> Act:
    """Take an open card to another place."""
    arm = stage.arms[mover]
    yield from reach(arm, grip(arm, thing.pose))
    stage.scene.lift(thing)
    yield from carry(arm, stage.scene.faces, thing.card, thing.pose, target, was_up=True)
    stage.scene.lay_down(thing.card, target, where)
    yield from go_home(arm)


def carry_off(stage: RochiStage, mover: int, thing: Lying) -> Act:
    """Take a card that does not belong there off the table."""
    arm = stage.arms[mover]
    yield from reach(arm, grip(arm, thing.pose))
    stage.scene.lift(thing)
    away = Pose(*arm.home, thing.pose.angle_deg, 8.0)
    yield from carry(arm, stage.scene.faces, thing.card, thing.pose, away, was_up=thing.card.face_up)
    arm.go_home()


def knock(stage: RochiStage, seat: int) -> Act:
    """Tap the table twice: that is all for this turn."""
    arm = stage.arms[seat]
    place = hand_slot(seat, 2)
    yield from reach(arm, (place.x, place.y))
    for _ in range(2):
        for share in arm.over(0.16):
            arm.at = between((place.x, place.y), (arm.home[0], arm.home[1]), 0.04 * math.sin(math.pi * share))
            yield
