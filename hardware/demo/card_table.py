"""A card table that exists only as the pictures a camera above it would take: cards, felt and a dealer's hand.

It knows no game. Commands move cards and hands; what they mean has to be seen.
"""

from __future__ import annotations

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
from hardware.demo.hands import acts
from hardware.demo.hands.arm import Act
from hardware.demo.layers import Image
from hardware.demo.layout import DECK, Pose, slot
from hardware.demo.pinhole import Pinhole
from hardware.demo.printer import DeckPrinter
from hardware.demo.scene import Card, Scene

PX_PER_MM: Final = 2.3  # of a picture 1920 px wide


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
        self._stage = acts.new_stage(scene, felt, random.Random(seed), pace)
        super().__init__(scene, self._stage.clock, lambda: [self._stage.arm], clock)

    # -- commands

    def shuffle(self, seed: int | None = None) -> None:
        """Have a full deck shuffled and put down. Cards on the table stay there: gather them first."""
        with self._lock:
            rng = self._stage.rng if seed is None else random.Random(seed)
            out = {thing.card.id for thing in self._scene.lying}
            order = [card for card in self.cards if card not in out or seed is not None]
            rng.shuffle(order)
            self._then(lambda: acts.bring_deck(self._stage, order))

    def deal(self, card_id: str | None = None, *, make: Make = "genuine", face_up: bool = True) -> None:
        """Have the deck's next card (or a certain one) dealt to its place.

        Raises:
            DemoError: there is no such card.
        """
        if card_id is not None:
            self._check(card_id)
        with self._lock:
            self._then(lambda: self._deal(card_id, make, face_up))

    def gather(self) -> None:
        """Have all cards and the deck swept off the table."""
        with self._lock:
            self._then(lambda: acts.gather(self._stage))

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
            taken = [thing.pose for thing in self._scene.lying]
            pose = slot(self._stage.felt, card_id, [card.id for card in self.lying], taken)
            self._scene.lay_down(Card(card_id, make), pose)

        self._at_once(lay)

    def remove(self, card_id: str, *, make: Make | None = None, face_up: bool | None = None) -> None:
        """Have the hand take a card away, the uppermost of this id (and kind, if one is named).

        Raises:
            DemoError: the card does not lie on the table.
        """
        with self._lock:
            if not self.busy:
                self._find(card_id, make, face_up)
            self._then(lambda: acts.remove(self._stage, self._find(card_id, make, face_up)))

    def wave_hand(self) -> None:
        """Have the hand reach over the cards and back."""
        with self._lock:
            self._then(lambda: acts.wave(self._stage))

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
        return acts.deal(self._stage, Card(card_id, make, face_up))

    def _restore(self, card_ids: Sequence[str]) -> None:
        scene, rng = self._scene, self._stage.rng
        scene.lift(*scene.lying)
        for card_id in card_ids:
            card = Card(card_id)
            scene.lay_down(card, acts.resting_place(self._stage, card))
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
