"""Animated hand actions at a Rochi table, as steps: laying cards, moving tokens, paying, folding, clearing up.

Hands do not return home unless an action says so; `turns` combines the actions.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from companion.games.rochi.demo.layout import chip_place, hand_slot, middle
from companion.games.rochi.demo.stage import DISCARDS, RochiStage, is_token
from hardware.demo.chips import chip_name, payment
from hardware.demo.faces import BACK
from hardware.demo.hands.acts import bring_deck, carry, go_home, grip, lay, pick_up, reach, slide, sweep
from hardware.demo.hands.arm import Arm, HandMotion, Point, between, in_parallel
from hardware.demo.layout import Pose
from hardware.demo.scene import Card, MovingPiece, RestingPiece

CHIPS_IN_HAND: Final = 6
SWEEP: Final = (300.0, 45.0)
_TOKEN_GRIP_MM: Final = 4.0
_CHIP_GRIP_MM: Final = 2.0
_HOLD_Z: Final = 8.0
_AHEAD_MM: Final = 12.0
_SHUFFLE_S: Final = 1.6


def _over(arm: Arm, pose: Pose, below_mm: float) -> Point:
    """Return the fingertip position over a round object, independent of its rotation."""
    return grip(arm, replace(pose, angle_deg=arm.side_deg), below_mm)


# ---- cards


def play_card(stage: RochiStage, seat: int, card: Card, target: Pose, where: str) -> HandMotion:
    """Take a card from a player's hand and lay it face up."""
    arm = stage.arms[seat]
    held = [thing for thing in stage.at(f"hand/{seat}") if thing.card.id == card.id and card.make == "genuine"]
    start = held[0].pose if held else hand_slot(seat, 0)
    yield from reach(arm, grip(arm, start))
    yield from arm.wait(0.1)
    if card.make == "genuine" and card.id in stage.hands[seat]:
        stage.hands[seat].remove(card.id)
    if held:
        stage.scene.lift(held[0])
    yield from lay(stage, arm, card, start, target, where)


def straighten(stage: RochiStage, seat: int, where: str) -> HandMotion:
    """Straighten the last card of a place, as some people do."""
    arm = stage.arms[seat]
    thing = stage.at(where)[-1]
    yield from arm.wait(0.15)
    pose = replace(thing.pose, angle_deg=thing.pose.angle_deg * 0.4, x=thing.pose.x + stage.rng.uniform(-0.6, 0.6))
    stage.scene.lift(thing)
    yield from slide(arm, stage.scene.texture_of(thing.card), thing.pose, pose, 0.3)
    stage.scene.lay_down(thing.card, pose, where)


def draw_card(stage: RochiStage, dealer: int, seat: int) -> HandMotion:
    """Deal one card face down to a player; the dealer's hand stays near the deck."""
    arm = stage.arms[dealer]
    if not stage.order:
        return
    top = stage.deck_top
    card = stage.order.pop(0)
    stage.show_deck()
    target = stage.jittered(hand_slot(seat, len(stage.hands[seat])), 3.0)
    rest, way = grip(arm, top), math.dist((top.x, top.y), (target.x, target.y))

    def held(pose: Pose) -> Point:
        share = math.dist((top.x, top.y), (pose.x, pose.y)) / way
        return between(rest, (target.x, target.y), 0.3 * math.sin(math.pi * share))

    yield from slide(arm, stage.scene.faces.texture(BACK), replace(top, z=4.0), replace(target, z=4.0), 0.3, held=held)
    stage.hands[seat].append(card)
    stage.scene.lay_down(Card(card, face_up=False), target, f"hand/{seat}")


def move_card(stage: RochiStage, mover: int, thing: RestingPiece, target: Pose, where: str) -> HandMotion:
    """Take an open card to another place."""
    yield from pick_up(stage, stage.arms[mover], thing)
    yield from lay(stage, stage.arms[mover], thing.card, thing.pose, target, where, was_up=True)


def take_back(stage: RochiStage, mover: int, card_id: str, seat: int | None) -> HandMotion:
    """Take an open card back into a player's hand, or onto the deck."""
    things = [thing for thing in stage.scene.lying if thing.card.id == card_id and thing.card.face_up]
    if not things:
        return
    thing, arm = things[-1], stage.arms[mover]
    card = replace(thing.card, face_up=False)
    yield from pick_up(stage, arm, thing)
    if seat is None:
        yield from carry(arm, stage.scene.faces, card, thing.pose, stage.deck_top, was_up=True)
        stage.order.insert(0, card_id)
        stage.show_deck()
    else:
        target = hand_slot(seat, len(stage.hands[seat]))
        stage.hands[seat].append(card_id)
        yield from lay(stage, arm, card, thing.pose, target, f"hand/{seat}", was_up=True)


# ---- tokens and coins


def move_token(stage: RochiStage, seat: int, token: str, where: str) -> HandMotion:
    """Take a token (or the leader button) and put it somewhere."""
    arm = stage.arms[seat]
    thing = stage.token(token)
    if thing is None:  # it has vanished
        return
    yield from reach(arm, _over(arm, thing.pose, _TOKEN_GRIP_MM))
    yield from arm.wait(0.06)
    target = stage.token_place(token, where)
    stage.scene.lift(thing)
    way = math.hypot(target.x - thing.pose.x, target.y - thing.pose.y)
    yield from slide(
        arm, stage.scene.texture_of(thing.card), thing.pose, target, 0.35 + way / 800,
        lift_mm=_HOLD_Z, held=lambda pose: _over(arm, pose, _TOKEN_GRIP_MM),
    )  # fmt: skip
    stage.scene.lay_down(thing.card, target, where)
    yield from arm.wait(0.06)


def pay(stage: RochiStage, seat: int, giver: str, taker: str, coins: int) -> HandMotion:
    """Slide coins from one place to another, a handful at a time."""
    arm = stage.arms[seat]
    chips = payment(coins)
    for first in range(0, len(chips), CHIPS_IN_HAND):
        handful = chips[first : first + CHIPS_IN_HAND]
        start, end = (chip_place(place, handful[0]) for place in (giver, taker))
        textures = [stage.scene.faces.texture(chip_name(value)) for value in handful]
        yield from reach(arm, _over(arm, start, _CHIP_GRIP_MM))
        stage.set_coins(giver, stage.coins.get(giver, 0) - sum(handful))
        yield from slide(
            arm,
            lambda pose, textures=textures: [  # type: ignore[misc]
                MovingPiece(texture, Pose(pose.x + 9 * (i % 3) - 9, pose.y + 9 * (i // 3) - 5, 40.0 * i, 2.6))
                for i, texture in enumerate(textures)
            ],
            start,
            end,
            0.3 + math.hypot(end.x - start.x, end.y - start.y) / 700,
            held=lambda pose: _over(arm, pose, _CHIP_GRIP_MM),
        )
        stage.set_coins(taker, stage.coins.get(taker, 0) + sum(handful))
        yield


def knock(stage: RochiStage, seat: int) -> HandMotion:
    """Tap the table twice to end the turn."""
    arm = stage.arms[seat]
    place = hand_slot(seat, 2)
    yield from reach(arm, (place.x, place.y))
    for _ in range(2):
        for share in arm.progress_over(0.16):
            arm.at = between((place.x, place.y), (arm.home[0], arm.home[1]), 0.04 * math.sin(math.pi * share))
            yield


# ---- the discard pile, and the deck


def discard_hand(stage: RochiStage, seat: int) -> HandMotion:
    """Put a player's cards onto the discard pile in one go."""
    things, arm = stage.at(f"hand/{seat}"), stage.arms[seat]
    if things:
        start = things[-1].pose
        yield from reach(arm, grip(arm, start))
        stage.scene.lift(*things)
        pack = Card(things[-1].card.id, face_up=False)
        yield from carry(arm, stage.scene.faces, pack, start, stage.discards_top)
        stage.discarded += [thing.card.id for thing in things]
        stage.show_discards()
    stage.hands[seat] = []


def discard_card(stage: RochiStage, seat: int, thing: RestingPiece) -> HandMotion:
    """Turn an open card over and put it onto the discard pile."""
    arm, card = stage.arms[seat], replace(thing.card, face_up=False)
    yield from pick_up(stage, arm, thing)
    yield from carry(arm, stage.scene.faces, card, thing.pose, DISCARDS, was_up=thing.card.face_up)
    stage.discarded.append(thing.card.id)
    stage.show_discards()


def take_suit(stage: RochiStage, seat: int, rank: int) -> HandMotion:
    """Put a suit's cards and Shields onto the discard pile (Captain's Rochi: a cut suit starts over)."""
    shields = [thing for other in sorted(stage.arms) for thing in stage.at(f"seat/{other}")]
    for thing in (*(s for s in shields if s.card.id[0] == str(rank)), *reversed(stage.at(f"stack/{rank}"))):
        yield from discard_card(stage, seat, thing)
    yield from go_home(stage.arms[seat])


def everybody_hands_in(stage: RochiStage) -> HandMotion:
    """All players simultaneously put their hands and Shields onto the discard pile."""

    def hand_in(seat: int) -> HandMotion:
        yield from stage.arms[seat].wait(stage.rng.uniform(0.0, 0.9))
        for thing in stage.at(f"seat/{seat}"):
            yield from discard_card(stage, seat, thing)
        yield from discard_hand(stage, seat)
        yield from go_home(stage.arms[seat])

    yield from in_parallel(*(hand_in(seat) for seat in stage.arms if stage.hands[seat] or stage.at(f"seat/{seat}")))


def sweep_stacks(stage: RochiStage, seat: int) -> HandMotion:
    """Sweep all cards but the players' hands from right to left onto the discard pile."""

    def catch(x: float) -> list[RestingPiece]:
        held = tuple(f"hand/{seat}" for seat in stage.arms)
        lying = [t for t in stage.scene.lying if not is_token(t.card.id) and t.where not in held]
        caught = [thing for thing in lying if thing.pose.x >= x - _AHEAD_MM]
        stage.discarded += [thing.card.id for thing in caught if thing.card.make == "genuine"]
        return caught

    yield from sweep(stage, stage.arms[seat], SWEEP, middle("discard")[0], 1.9, catch)
    stage.scene.lift(*catch(-math.inf))
    stage.show_discards()


def shuffle(stage: RochiStage, seat: int, order: Sequence[str], kept: Sequence[str] = ()) -> HandMotion:
    """Put deck and discard pile together, take them off the table and bring the shuffled deck back.

    Args:
        order: the new deck, top card first.
        kept: cards that stay on the discard pile.
    """
    arm = stage.arms[seat]
    if stage.discarded:
        pile, pack = stage.discards_top, stage.discarded
        yield from reach(arm, grip(arm, pile))
        stage.discarded = list(kept)
        stage.show_discards()
        yield from slide(arm, stage.scene.faces.texture(BACK), pile, stage.scene.deck_at)
        stage.order += pack
        stage.show_deck()
    yield from bring_deck(stage, arm, order, _SHUFFLE_S)
