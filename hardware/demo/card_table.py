"""A rendered card table as a camera above it would see it: cards, felt and a dealer's hand.

Knows no game. Commands move cards and hands; vision has to work out what they mean.
"""

import random
import time
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from companion.objects.decks import Deck
from companion.plugins.demo import PLAIN, Felt
from hardware.demo.faces import Faces, Make
from hardware.demo.felt import draw_felt
from hardware.demo.felt_table import DemoError, FeltTable, once
from hardware.demo.hands.acts import Stage, bring_deck, carry_off, deal_card, go_home, sweep, wave
from hardware.demo.hands.arm import Act, Arm, Clock, in_turn
from hardware.demo.layers import Image
from hardware.demo.layout import DECK, Pose, slot
from hardware.demo.pinhole import Pinhole
from hardware.demo.printer import DeckPrinter
from hardware.demo.scene import Card, Lying, Scene

PX_PER_MM: Final = 2.3  # of a picture 1920 px wide
OFF_TABLE: Final = (330.0, 345.0)  # where the hand waits, out of the picture
SHOULDER: Final = (150.0, 640.0)
CROOKED_DEG: Final = 1.2
REACH_MM_S: Final = 2400.0
SWEEP: Final = (-395.0, -85.0)
_SHUFFLE_S: Final = 0.3
_AHEAD_MM: Final = 8.0


class CardTable(FeltTable):
    """Cards, deck, felt and a dealer's hand. Every method may be called from any thread.

    Args:
        faces: how the cards are printed.
        cards: what a full deck holds.
        felt: what is printed on the table, and where cards are laid.
        size: of the pictures, px.
        seed: everything random in it: felt, noise, how crooked cards lie.
        pace: 1 for an unhurried dealer.
        clock: real seconds; only for how long the camera stays unplugged.
    """

    def __init__(
        self,
        faces: Faces,
        cards: Sequence[str],
        felt: Felt = PLAIN,
        *,
        size: tuple[int, int] = (1920, 1080),
        seed: int = 1,
        pace: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        camera = Pinhole(size, PX_PER_MM * size[0] / 1920)
        scene = Scene(faces, camera, draw_felt(camera, seed, felt), deck_at=Pose(*DECK, angle_deg=-1.5), seed=seed)
        self.cards = tuple(cards)
        self._felt, beat = felt, Clock(pace=pace)
        self._arm = Arm(beat, OFF_TABLE, SHOULDER, reach_mm_s=REACH_MM_S)
        super().__init__(Stage(scene, random.Random(seed), beat, {0: self._arm}, slip_mm=(1.2, 0.5)), clock)

    # -- commands

    def shuffle(self, seed: int | None = None) -> None:
        """Have a full deck shuffled and put down. Cards on the table stay there: gather them first."""
        with self._lock:
            rng = self._stage.rng if seed is None else random.Random(seed)
            out = {thing.card.id for thing in self._scene.lying}
            order = [card for card in self.cards if card not in out or seed is not None]
            rng.shuffle(order)
            self._then(lambda: in_turn(bring_deck(self._stage, self._arm, order, _SHUFFLE_S), go_home(self._arm)))

    def deal(self, card_id: str | None = None, *, make: Make = "genuine", face_up: bool = True) -> None:
        """Have the deck's next card (or a certain one) dealt to its place.

        Raises:
            DemoError: there is no such card.
        """
        if card_id is not None:
            self._check(card_id)
        self._then(lambda: self._deal(card_id, make, face_up))

    def gather(self) -> None:
        """Have all cards and the deck swept off the table."""
        self._then(self._gather)

    def put(
        self,
        card_id: str,
        x_mm: float,
        y_mm: float,
        angle_deg: float = 0.0,
        *,
        make: Make = "genuine",
        face_up: bool = True,
    ) -> None:
        """Lay a card anywhere, without a hand and at once: cards put while nothing moves are on the same picture.

        Raises:
            DemoError: there is no such card.
        """
        self._check(card_id)
        card, pose = Card(card_id, make, face_up), Pose(x_mm, y_mm, angle_deg)
        self._at_once(lambda: self._scene.lay_down(card, pose))

    def put_down(self, card_id: str, *, make: Make = "genuine") -> None:
        """`put` a card where it belongs.

        Raises:
            DemoError: there is no such card.
        """
        self._check(card_id)

        def lay() -> None:
            self._scene.lay_down(Card(card_id, make), self._place_of(card_id))

        self._at_once(lay)

    def remove(self, card_id: str, *, make: Make | None = None, face_up: bool | None = None) -> None:
        """Have the hand take a card away, the uppermost of this id (and kind, if one is named).

        Raises:
            DemoError: the card does not lie on the table.
        """
        with self._lock:
            if not self.busy:
                self._find(card_id, make, face_up)
            self._then(lambda: carry_off(self._stage, self._arm, self._find(card_id, make, face_up)))

    def wave_hand(self) -> None:
        """Have the hand reach over the cards and back."""
        self._then(lambda: wave(self._arm, (-250.0, -80.0), (150.0, -110.0)))

    def restore(self, card_ids: Sequence[str]) -> None:
        """Clear the table and lay these cards where they belong at once, the rest of the deck beside them."""
        for card_id in card_ids:
            self._check(card_id)
        with self._lock:
            self._stop_all()
            self._restore(card_ids)

    # -- what lies there (for tests: a camera cannot know)

    @property
    def lying(self) -> tuple[Card, ...]:
        """The cards on the table, the lowest first."""
        with self._lock:
            return tuple(thing.card for thing in self._scene.lying)

    @property
    def deck_left(self) -> tuple[str, ...]:
        """The cards of the deck in no order that says what comes next."""
        with self._lock:
            return tuple(sorted(self._stage.order))

    def _at_once(self, do: Callable[[], object]) -> None:
        with self._lock:
            if self.busy:
                self._then(lambda: once(do))
            else:
                do()

    # -- inside, always under the lock

    def _deal(self, card_id: str | None, make: Make, face_up: bool) -> Act:
        order = self._stage.order
        if card_id is None:
            if not order:
                return iter(())
            card_id = order.pop(0)
        elif card_id in order and make == "genuine":
            order.remove(card_id)
        card = Card(card_id, make, face_up)
        return in_turn(deal_card(self._stage, self._arm, card, lambda: self._resting_place(card)), go_home(self._arm))

    def _resting_place(self, card: Card) -> Pose:
        """Return where a dealer would lay this card: next in its lane, not quite straight."""
        return self._stage.slipped(self._place_of(card.id), CROOKED_DEG)

    def _place_of(self, card_id: str) -> Pose:
        lying = self._scene.lying
        return slot(self._felt, card_id, [thing.card.id for thing in lying], [thing.pose for thing in lying])

    def _gather(self) -> Act:
        """Sweep everything, the deck too, off to the right."""

        def catch(x: float) -> list[Lying]:
            if self._scene.deck_count and x + _AHEAD_MM >= DECK[0]:  # a card stands for the deck
                self._scene.set_deck(0)
                self._scene.lay_down(Card(self.cards[0], face_up=False), Pose(*DECK))
            return [thing for thing in self._scene.lying if thing.pose.x <= x + _AHEAD_MM]

        yield from sweep(self._stage, self._arm, SWEEP, SWEEP[0] + 1075.0, 2.3, catch)
        self._stage.order.clear()
        self._arm.go_home()
        yield

    def _restore(self, card_ids: Sequence[str]) -> None:
        scene, rng = self._scene, self._stage.rng
        scene.lift(*scene.lying)
        for card_id in card_ids:
            card = Card(card_id)
            scene.lay_down(card, self._resting_place(card))
        order = [card for card in self.cards if card not in card_ids]
        rng.shuffle(order)
        self._stage.order[:] = order
        scene.set_deck(len(order))

    def _check(self, card_id: str) -> None:
        if card_id not in self.cards:
            like = f" Name one like {self.cards[0]}." if self.cards else ""
            raise DemoError(f"The deck on this table has no card {card_id!r}.{like}")


def new_card_table(
    deck: Deck, felt: Felt = PLAIN, *, size: tuple[int, int] = (1920, 1080), seed: int = 1, pace: float = 1.0
) -> CardTable:
    """Return a table with this deck's real printed cards; they are drawn in the background."""
    faces = Faces(DeckPrinter(deck))
    table = CardTable(faces, deck.cards, felt, size=size, seed=seed, pace=pace)
    faces.draw_ahead(deck.cards)
    return table


def empty_table(size: tuple[int, int]) -> CardTable:
    """Return a table on which no card ever lies: a picture with its empty felt."""
    return CardTable(Faces(_blank), (), size=size)


def _blank(side: str, make: Make) -> Image:
    """Return a side of a card that nobody has printed."""
    return np.full((1039, 744, 3), 255, np.uint8)
