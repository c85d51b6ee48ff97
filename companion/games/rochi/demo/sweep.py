"""After a hand of Rochi: cards come together, the deck is taken away to be shuffled and comes back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from companion.games.rochi.demo.acts import discard_card, discard_hand, go_home, reach
from companion.games.rochi.demo.layout import middle
from companion.games.rochi.demo.stage import RochiStage, is_token
from hardware.demo.faces import BACK
from hardware.demo.hands.arm import Act, between, together
from hardware.demo.hands.carrying import grip
from hardware.demo.layout import CARD_THICKNESS_MM, Pose
from hardware.demo.pile import Pile
from hardware.demo.scene import Flying, Lying

SWEEP_Y: Final = 45.0
_AHEAD_MM: Final = 12.0
_SHUFFLE_S: Final = 1.6


def hand_in(stage: RochiStage, seat: int) -> Act:
    """A player puts hand and Shields onto the discard pile."""
    yield from stage.arms[seat].wait(stage.rng.uniform(0.0, 0.9))
    for thing in stage.at(f"seat/{seat}"):
        yield from discard_card(stage, seat, thing)
    yield from discard_hand(stage, seat)
    yield from go_home(stage.arms[seat])


def everybody_hands_in(stage: RochiStage) -> Act:
    """All who still have something before them, all at once."""
    seats = [seat for seat in stage.arms if stage.hands[seat] or stage.at(f"seat/{seat}")]
    yield from together(*(hand_in(stage, seat) for seat in seats))


def sweep_stacks(stage: RochiStage, seat: int) -> Act:
    """Sweep all stacks from right to left, onto the discard pile."""
    arm = stage.arms[seat]
    end = middle("discard")[0]
    yield from reach(arm, (300.0, SWEEP_Y))
    pile = Pile(stage.rng)
    for share in arm.over(1.9):
        arm.at = (300.0 + (end - 300.0) * share, SWEEP_Y)
        caught = [thing for thing in _open_cards(stage) if thing.pose.x >= arm.at[0] - _AHEAD_MM]
        if caught:
            pile.add([(thing.pose, stage.scene.texture_of(thing.card)) for thing in caught], arm.at)
            _take(stage, caught)
        arm.flying = pile.flying(arm.at)
        yield
    arm.flying = []
    _take(stage, _open_cards(stage))
    stage.show_discards()


def _open_cards(stage: RochiStage) -> list[Lying]:
    """Everything that is no token and in nobody's hand."""
    held = tuple(f"hand/{seat}" for seat in stage.arms)
    return [t for t in stage.scene.lying if not is_token(t.card.id) and t.where not in held]


def _take(stage: RochiStage, things: list[Lying]) -> None:
    stage.discarded += [thing.card.id for thing in things if thing.card.make == "genuine"]
    stage.scene.lift(*things)


def take_suit(stage: RochiStage, seat: int, rank: int) -> Act:
    """Put a suit's cards, its Shields too, onto the discard pile (Captain's Rochi: a cut suit starts afresh)."""
    for other in sorted(stage.arms):
        for thing in stage.at(f"seat/{other}"):
            if thing.card.id[0] == str(rank):
                yield from discard_card(stage, seat, thing)
    for thing in reversed(stage.at(f"stack/{rank}")):
        yield from discard_card(stage, seat, thing)


def shuffle(stage: RochiStage, seat: int, order: list[str], kept: Sequence[str] = ()) -> Act:
    """Put deck and discard pile together, take them off the table and bring the shuffled deck back.

    Args:
        order: the deck from its top afterwards.
        kept: what stays on the discard pile.
    """
    arm = stage.arms[seat]
    deck = stage.scene.deck_at
    if stage.discarded:
        pile = Pose(*middle("discard"), 2.0, len(stage.discarded) * CARD_THICKNESS_MM)
        yield from reach(arm, grip(arm, pile))
        stage.discarded = list(kept)
        stage.show_discards()
        yield from _slide_pack(stage, seat, pile, deck)
    elif stage.order:
        yield from reach(arm, grip(arm, deck))
    stage.order = []
    stage.show_deck()
    aside = Pose(*arm.home, 15.0, 12.0)
    yield from _slide_pack(stage, seat, deck, aside)
    yield from arm.wait(_SHUFFLE_S)
    height = len(order) * CARD_THICKNESS_MM
    yield from _slide_pack(stage, seat, aside, replace(deck, z=height))
    stage.order = list(order)
    stage.show_deck()
    yield from arm.wait(0.1)


def _slide_pack(stage: RochiStage, seat: int, start: Pose, end: Pose) -> Act:
    arm = stage.arms[seat]
    back = stage.scene.faces.texture(BACK)
    for share in arm.over(0.7):
        x, y = between((start.x, start.y), (end.x, end.y), share)
        z = start.z + (end.z - start.z) * share
        pose = Pose(x, y, start.angle_deg + (end.angle_deg - start.angle_deg) * share, z)
        arm.flying = [Flying(back, pose)]
        arm.at = grip(arm, pose)
        yield
    arm.flying = []
