"""Physical state of the demo's Rochi table: players, objects and hands."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from companion.games.rochi.demo.layout import (
    CENTRE,
    chip_place,
    hand_slot,
    home_of,
    lock_place,
    middle,
    seat_place,
    shield_slot,
    shoulder_of,
    stack_slot,
    token_home,
    token_slots,
)
from companion.objects.cards import LEADER_BUTTON, TOKENS
from hardware.demo.block import Block
from hardware.demo.chips import CHIP_THICKNESS_MM, EDGES, VALUES, chip_name, chips_for
from hardware.demo.faces import BACK
from hardware.demo.hands.acts import Stage
from hardware.demo.hands.arm import Arm
from hardware.demo.layout import CARD_THICKNESS_MM, Pose
from hardware.demo.scene import Card, RestingPiece

CROOKED_DEG: Final = 1.2
TOKEN_SLIP_MM: Final = 3.0
DISCARDS: Final = Pose(*middle("discard"), angle_deg=2.0)
SHIELD_CROOKED_DEG: Final = 3.0


@dataclass(slots=True)
class RochiStage(Stage):
    """The scene with all players.

    Attributes:
        hands: seat -> cards held.
        coins: place, ``seat/2`` or ``pot/6`` -> coins.
        discarded: the discard pile, lowest first.
    """

    hands: dict[int, list[str]] = field(default_factory=dict)
    coins: dict[str, int] = field(default_factory=dict)
    discarded: list[str] = field(default_factory=list)

    # ---- people

    def sit(self, seats: Sequence[int]) -> None:
        """Set the occupied seats."""
        for seat in set(self.arms) - set(seats):
            del self.arms[seat]
        for seat in seats:
            if seat not in self.arms:
                haste = self.rng.uniform(0.8, 1.25)
                place = seat_place(seat)
                self.arms[seat] = Arm(self.clock, home_of(seat), shoulder_of(seat), place.angle_deg, haste)
                self.hands.setdefault(seat, [])

    # ---- positions

    def at(self, where: str) -> list[RestingPiece]:
        """Return the cards in a place in the order they were laid, without tokens."""
        return [thing for thing in self.scene.lying if thing.where == where and not is_token(thing.card.id)]

    def token(self, token: str) -> RestingPiece | None:
        """Return a suit token or the leader button on the table, or None."""
        return next((thing for thing in self.scene.lying if thing.card.id == token), None)

    def stack_place(self, rank: int) -> Pose:
        """Return the pose of a stack's next card, with a human's inaccuracy."""
        return self.jittered(stack_slot(rank, len(self.at(f"stack/{rank}"))), CROOKED_DEG)

    def shield_place(self, seat: int) -> Pose:
        """Return the place of the next Shield before a player."""
        return self.jittered(shield_slot(seat, len(self.at(f"seat/{seat}"))), SHIELD_CROOKED_DEG)

    def token_place(self, token: str, where: str) -> Pose:
        """Return the place of a token: at the ``centre``, before a seat, or on its stack."""
        if where.startswith("seat/"):
            pose = self._free_token_slot(token, int(where[5:]))
        elif where == CENTRE:
            pose = token_home(int(token[1]))
        else:
            lying = self.at(where)
            pose = lock_place(lying[-1].pose) if lying else lock_place(stack_slot(int(where[6:]), 0))
        x, y = (self.rng.uniform(-TOKEN_SLIP_MM, TOKEN_SLIP_MM) for _ in range(2))
        return Pose(pose.x + x, pose.y + y, pose.angle_deg + self.rng.uniform(-25, 25))

    def _free_token_slot(self, token: str, seat: int) -> Pose:
        slots = token_slots(seat)
        if token == LEADER_BUTTON:
            return slots[-1]
        others = [thing.pose for thing in self.scene.lying if is_token(thing.card.id) and thing.card.id != token]
        free = [s for s in slots if all(abs(s.x - o.x) + abs(s.y - o.y) > 30 for o in others)]
        return free[0] if free else slots[0]

    # ---- display of hands, piles and coins

    def show_hand(self, seat: int) -> None:
        """Lay a player's cards face down in front of them."""
        self.scene.lift(*self.at(f"hand/{seat}"))
        for i, card in enumerate(self.hands.get(seat, [])):
            pose = self.jittered(hand_slot(seat, i), SHIELD_CROOKED_DEG)
            self.scene.lay_down(Card(card, face_up=False), pose, f"hand/{seat}")

    def show_discards(self) -> None:
        """Draw the discard pile at its current height."""
        back = self.scene.faces.texture(BACK)
        self.scene.set_block("discard", Block(back, DISCARDS, len(self.discarded), CARD_THICKNESS_MM))

    @property
    def discards_top(self) -> Pose:
        """The place of the next discarded card."""
        return replace(DISCARDS, z=len(self.discarded) * CARD_THICKNESS_MM)

    def set_coins(self, where: str, coins: int) -> None:
        """Set the coins at a place and redraw its piles."""
        before, after = chips_for(self.coins.get(where, 0)), chips_for(coins)
        self.coins[where] = coins
        for value in VALUES:
            if before[value] != after[value]:
                self._pile_up(where, value, after[value])

    def _pile_up(self, where: str, value: int, count: int) -> None:
        pose = chip_place(where, value)
        edge, line = EDGES[value]
        top = self.scene.faces.texture(chip_name(value))
        block = Block(top, pose, count, CHIP_THICKNESS_MM, edge, line, is_round=True)
        self.scene.set_block(f"{where}/{value}", block)


def is_token(piece: str) -> bool:
    """Whether a piece is a token or the leader button."""
    return piece == LEADER_BUTTON or piece in TOKENS
