"""A card table rendered as seen by a camera above it: cards, felt and a dealer's hand.

It is independent of games: its commands move cards and hands, whose meaning is left to vision.
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
from hardware.demo.felt_table import DemoError, FeltTable, instantly
from hardware.demo.hands.acts import Stage, bring_deck, deal_card, go_home, remove_card, sweep, wave
from hardware.demo.hands.arm import Arm, Clock, HandMotion, in_sequence
from hardware.demo.layers import Image
from hardware.demo.layout import DECK, Pose, slot
from hardware.demo.pinhole import Pinhole
from hardware.demo.printer import DeckPrinter
from hardware.demo.scene import Card, RestingPiece, Scene

PX_PER_MM: Final = 2.3  # for an image width of 1920 px
OFF_TABLE: Final = (330.0, 345.0)  # rest position of the hand, outside the image
SHOULDER: Final = (150.0, 640.0)
CROOKED_DEG: Final = 1.2
REACH_MM_S: Final = 2400.0
SWEEP: Final = (-395.0, -85.0)
_SHUFFLE_S: Final = 0.3
_CATCH_AHEAD_MM: Final = 8.0


class CardTable(FeltTable):
    """Cards, deck, felt and a dealer's hand. All public methods are thread-safe.

    Args:
        faces: textures of the cards.
        cards: card ids of a full deck.
        felt: print on the felt, which also determines the places of cards.
        size: image width and height, px.
        seed: seed of the felt, the sensor noise, the shuffling and the placement of cards.
        pace: speed of the dealer; 1 is unhurried.
        clock: monotonic seconds of real time, used only for the duration of a camera loss.
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
        super().__init__(Stage(scene, random.Random(seed), beat, {0: self._arm}, jitter_mm=(1.2, 0.5)), clock)

    # -- commands

    def shuffle(self, seed: int | None = None) -> None:
        """Shuffle the deck and put it down.

        Cards on the table stay there; they are left out of the deck, unless a seed is given.
        """
        with self._lock:
            rng = self._stage.rng if seed is None else random.Random(seed)
            out = {thing.card.id for thing in self._scene.lying}
            order = [card for card in self.cards if card not in out or seed is not None]
            rng.shuffle(order)
            self._enqueue(
                lambda: in_sequence(bring_deck(self._stage, self._arm, order, _SHUFFLE_S), go_home(self._arm))
            )

    def deal(self, card_id: str | None = None, *, make: Make = "genuine", face_up: bool = True) -> None:
        """Deal the deck's next card, or the given one, to its place.

        Raises:
            DemoError: the deck has no such card.
        """
        if card_id is not None:
            self._check_card_id(card_id)
        self._enqueue(lambda: self._deal(card_id, make, face_up))

    def gather(self) -> None:
        """Sweep all cards and the deck off the table."""
        self._enqueue(self._gather)

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
        """Place a card anywhere, without a hand.

        While nothing moves it is placed at once, so that several cards can appear in the same frame; otherwise it is
        queued.

        Raises:
            DemoError: the deck has no such card.
        """
        self._check_card_id(card_id)
        card, pose = Card(card_id, make, face_up), Pose(x_mm, y_mm, angle_deg)
        self._do_or_enqueue(lambda: self._scene.lay_down(card, pose))

    def put_down(self, card_id: str, *, make: Make = "genuine") -> None:
        """`put` a card in its regular place.

        Raises:
            DemoError: the deck has no such card.
        """
        self._check_card_id(card_id)

        def lay() -> None:
            self._scene.lay_down(Card(card_id, make), self._place_of(card_id))

        self._do_or_enqueue(lay)

    def remove(self, card_id: str, *, make: Make | None = None, face_up: bool | None = None) -> None:
        """Take a card away with the hand: the topmost one with this id, make and side up (None: any).

        Raises:
            DemoError: the card is not on the table; not checked while something moves.
        """
        with self._lock:
            if not self.busy:
                self._find(card_id, make, face_up)
            self._enqueue(lambda: remove_card(self._stage, self._arm, self._find(card_id, make, face_up)))

    def wave_hand(self) -> None:
        """Reach over the cards with the hand, and back."""
        self._enqueue(lambda: wave(self._arm, (-250.0, -80.0), (150.0, -110.0)))

    def restore(self, card_ids: Sequence[str]) -> None:
        """Cancel all movements and set up the table: these cards in their places, the rest of the deck beside them."""
        for card_id in card_ids:
            self._check_card_id(card_id)
        with self._lock:
            self._stop_all()
            self._restore(card_ids)

    # -- the true state of the table, for tests; it is unknown to the camera

    @property
    def lying(self) -> tuple[Card, ...]:
        """The cards on the table, lowest first."""
        with self._lock:
            return tuple(thing.card for thing in self._scene.lying)

    @property
    def deck_left(self) -> tuple[str, ...]:
        """The cards left in the deck, sorted by id so that their order is not revealed."""
        with self._lock:
            return tuple(sorted(self._stage.order))

    def _do_or_enqueue(self, do: Callable[[], object]) -> None:
        with self._lock:
            if self.busy:
                self._enqueue(lambda: instantly(do))
            else:
                do()

    # -- private, called with the lock held

    def _deal(self, card_id: str | None, make: Make, face_up: bool) -> HandMotion:
        order = self._stage.order
        if card_id is None:
            if not order:
                return iter(())
            card_id = order.pop(0)
        elif card_id in order and make == "genuine":
            order.remove(card_id)
        card = Card(card_id, make, face_up)
        return in_sequence(
            deal_card(self._stage, self._arm, card, lambda: self._resting_place(card)), go_home(self._arm)
        )

    def _resting_place(self, card: Card) -> Pose:
        """Return the card's place with random deviations, as laid by a human dealer."""
        return self._stage.jittered(self._place_of(card.id), CROOKED_DEG)

    def _place_of(self, card_id: str) -> Pose:
        lying = self._scene.lying
        return slot(self._felt, card_id, [thing.card.id for thing in lying], [thing.pose for thing in lying])

    def _gather(self) -> HandMotion:
        """Sweep all cards and the deck off to the right."""

        def catch(x: float) -> list[RestingPiece]:
            if (
                self._scene.deck_count and x + _CATCH_AHEAD_MM >= DECK[0]
            ):  # from here, a single card represents the deck
                self._scene.set_deck(0)
                self._scene.lay_down(Card(self.cards[0], face_up=False), Pose(*DECK))
            return [thing for thing in self._scene.lying if thing.pose.x <= x + _CATCH_AHEAD_MM]

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

    def _check_card_id(self, card_id: str) -> None:
        if card_id not in self.cards:
            like = f" Name one like {self.cards[0]}." if self.cards else ""
            raise DemoError(f"The deck on this table has no card {card_id!r}.{like}")


def new_card_table(
    deck: Deck, felt: Felt = PLAIN, *, size: tuple[int, int] = (1920, 1080), seed: int = 1, pace: float = 1.0
) -> CardTable:
    """Return a table with the printed cards of this deck, which are rendered in the background."""
    faces = Faces(DeckPrinter(deck))
    table = CardTable(faces, deck.cards, felt, size=size, seed=seed, pace=pace)
    faces.draw_in_background(deck.cards)
    return table


def empty_table(size: tuple[int, int]) -> CardTable:
    """Return a table without cards, for images of the empty felt."""
    return CardTable(Faces(_blank_side), (), size=size)


def _blank_side(side: str, make: Make) -> Image:
    """Return a blank white side, uint8 (H, W, 3)."""
    return np.full((1039, 744, 3), 255, np.uint8)
