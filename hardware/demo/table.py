"""The demo table: a card table that exists only as the pictures a camera above it would take.

It knows nothing of the game. Commands move cards and hands; what they mean has to be seen.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence

from companion.cards import FULL_DECK, ROCHE_CARDS
from companion.errors import CompanionError
from hardware.demo import acts
from hardware.demo.faces import Faces, Make
from hardware.demo.layers import Image
from hardware.demo.layout import Pose
from hardware.demo.scene import Card, Lying, Scene

log = logging.getLogger(__name__)


class DemoError(CompanionError):
    """Something that cannot be done on the demo table as it is."""


class DemoTable:
    """Cards, deck, felt and a dealer's hand. Every method may be called from any thread.

    Args:
        faces: how the cards are printed.
        size: of the pictures, px.
        seed: everything random in it: felt, noise, how crooked cards lie.
        pace: 1 for an unhurried dealer.
        cards: what a full deck holds.
        clock: real seconds; only for how long the camera stays unplugged.
    """

    def __init__(
        self,
        faces: Faces,
        *,
        size: tuple[int, int] = (1920, 1080),
        seed: int = 1,
        pace: float = 1.0,
        cards: Sequence[str] = FULL_DECK,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self.size = size
        self.cards = tuple(cards)
        self._lock = threading.RLock()
        self._stage = acts.Stage(Scene(faces, size=size, seed=seed), random.Random(seed), pace=pace)
        self._waiting: deque[Callable[[], acts.Act]] = deque()
        self._act: acts.Act | None = None
        self._frames = 0
        self._lost_until = float("-inf")
        self._dull_at = float("inf")

    # -- commands

    def shuffle(self, seed: int | None = None) -> None:
        """Have a full deck shuffled and put down. Cards on the table stay there: gather them first."""
        with self._lock:
            rng = self._stage.rng if seed is None else random.Random(seed)
            out = {thing.card.id for thing in self._stage.scene.lying}
            order = [card for card in self.cards if card not in out or seed is not None]
            rng.shuffle(order)
            self._then(lambda: acts.bring_deck(self._stage, order))

    def deal(self, card_id: str | None = None, *, make: Make = "genuine", face_up: bool = True) -> None:
        """Have the deck's next card (or a certain one) dealt to its stack.

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
        """Lay a card anywhere, at once and without a hand.

        Raises:
            DemoError: there is no such card.
        """
        self._check(card_id)
        with self._lock:
            pose = Pose(x_mm, y_mm, angle_deg)
            self._then(lambda: self._once(lambda: self._stage.scene.lay_down(Card(card_id, make, face_up), pose)))

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
        """Have the hand reach over the stacks and back."""
        with self._lock:
            self._then(lambda: acts.wave(self._stage))

    def glare(self, card_id: str, seconds: float = 6.0) -> None:
        """Have a lamp mirrored by a card for so long.

        Raises:
            DemoError: the card does not lie on the table.
        """
        with self._lock:
            thing = self._find(card_id)
            self._stage.scene.shine_on(thing)
            self._dull_at = self._stage.now + seconds

    def restore(self, card_ids: Sequence[str]) -> None:
        """Clear the table and lay these cards on their stacks at once, the rest of the deck beside them."""
        for card_id in card_ids:
            self._check(card_id)
        with self._lock:
            self._waiting.clear()
            self._act = None
            self._stage.flying, self._stage.hand = [], acts.OFF_TABLE
            self._restore(card_ids)

    # -- what is going on

    @property
    def busy(self) -> bool:
        """Whether a hand or a card is moving, or will be."""
        with self._lock:
            return self._act is not None or bool(self._waiting)

    @property
    def lying(self) -> tuple[Card, ...]:
        """The cards on the table, the lowest first (for tests: a camera cannot know)."""
        with self._lock:
            return tuple(thing.card for thing in self._stage.scene.lying)

    @property
    def deck_left(self) -> tuple[str, ...]:
        """The cards of the deck in no order that says what comes next."""
        with self._lock:
            return tuple(sorted(self._stage.order))

    @property
    def now(self) -> float:
        """Scene time, seconds."""
        with self._lock:
            return self._stage.now

    def lose_camera(self, seconds: float) -> None:
        """Unplug the camera for so long."""
        with self._lock:
            self._lost_until = self._clock() + seconds

    def restore_camera(self) -> None:
        """Plug the camera in again before its time."""
        with self._lock:
            self._lost_until = float("-inf")

    @property
    def camera_lost(self) -> bool:
        """Whether the camera is unplugged now."""
        with self._lock:
            return self._clock() < self._lost_until

    def picture(self, t: float) -> Image:
        """Take the scene to time t (seconds, never going back) and return what the camera sees.

        Returns:
            uint8 (H, W, 3) BGR, a new array.
        """
        with self._lock:
            self._advance(t)
            self._frames += 1
            stage = self._stage
            return stage.scene.picture(stage.flying, stage.hand_pose(), self._frames)

    # -- inside, always under the lock

    def _advance(self, t: float) -> None:
        if t >= self._dull_at:
            self._stage.scene.shine_on(None)
            self._dull_at = float("inf")
        if self._act is None and self._waiting:
            try:
                self._act = self._waiting.popleft()()
            except DemoError as error:  # what was to be moved is not there any more
                log.info("%s", error)
        if not self._stage.go_on(self._act, max(t, self._stage.now)):
            self._act = None

    def _then(self, start: Callable[[], acts.Act]) -> None:
        self._waiting.append(start)

    def _once(self, do: Callable[[], object]) -> Iterator[None]:
        do()
        yield

    def _deal(self, card_id: str | None, make: Make, face_up: bool) -> acts.Act:
        order = self._stage.order
        if card_id is None:
            if not order:
                return iter(())
            card_id = order.pop(0)
        elif card_id in order and make == "genuine":
            order.remove(card_id)
        return acts.deal(self._stage, Card(card_id, make, face_up))

    def _restore(self, card_ids: Sequence[str]) -> None:
        scene, rng = self._stage.scene, self._stage.rng
        scene.lift(*scene.lying)
        for card_id in card_ids:
            card = Card(card_id)
            scene.lay_down(card, acts.resting_place(self._stage, card))
        order = [card for card in self.cards if card not in card_ids]
        rng.shuffle(order)
        self._stage.order[:] = order
        scene.set_deck(len(order))

    def _find(self, card_id: str, make: Make | None = None, face_up: bool | None = None) -> Lying:
        for thing in reversed(self._stage.scene.lying):
            card = thing.card
            if card.id == card_id and make in (None, card.make) and face_up in (None, card.face_up):
                return thing
        raise DemoError(f"{card_id} does not lie on the demo table. Take away one of the cards that do.")

    def _check(self, card_id: str) -> None:
        if card_id not in ROCHE_CARDS:
            raise DemoError(f"{card_id!r} is no Roche card. Name one like 6D3.")
