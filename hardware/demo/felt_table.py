"""Common base of the demo tables: a clock, hands that move one after the other, and a camera that can be unplugged."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence

from companion.kernel.errors import CompanionError
from hardware.demo.hands.acts import Stage
from hardware.demo.hands.arm import Act, Arm
from hardware.demo.layers import Image
from hardware.demo.scene import Lying

log = logging.getLogger(__name__)


class DemoError(CompanionError):
    """Something that cannot be done on the demo table as it is."""


def cannot(what: str, examples: Sequence[str]) -> DemoError:
    """Return the error for what does not happen at a demo table."""
    return DemoError.saying(
        "{what} cannot happen here. Examples of what can: {acts}.", what=repr(what), acts=", ".join(examples)
    )


class FeltTable:
    """A table as a camera sees it. Every method may be called from any thread.

    Args:
        stage: what lies there, and who can reach it.
        real_clock: real seconds; only for how long the camera stays unplugged.
    """

    def __init__(self, stage: Stage, real_clock: Callable[[], float] = time.monotonic) -> None:
        self.size = stage.scene.camera.size
        self._scene, self._time, self._stage = stage.scene, stage.clock, stage
        self._real_clock = real_clock
        self._lock = threading.RLock()
        self._waiting: deque[Callable[[], Act]] = deque()
        self._act: Act | None = None
        self._frames = 0
        self._lost_until = float("-inf")
        self._dull_at = float("inf")

    @property
    def busy(self) -> bool:
        """Whether a hand or a card is moving, or will be."""
        with self._lock:
            return self._act is not None or bool(self._waiting)

    @property
    def is_calm(self) -> bool:
        """Whether nothing moves, and nothing is about to."""
        return not self.busy

    @property
    def now(self) -> float:
        """Scene time, seconds."""
        with self._lock:
            return self._time.now

    def glare(self, card_id: str, seconds: float = 6.0) -> None:
        """Have a lamp mirrored by a card for so long.

        Raises:
            DemoError: the card does not lie on the table.
        """
        with self._lock:
            thing = self._find(card_id)
            self._scene.shine_on(thing)
            self._dull_at = self._time.now + seconds

    def lose_camera(self, seconds: float) -> None:
        """Unplug the camera for so long."""
        with self._lock:
            self._lost_until = self._real_clock() + seconds

    def restore_camera(self) -> None:
        """Plug the camera in again before its time."""
        with self._lock:
            self._lost_until = float("-inf")

    @property
    def camera_lost(self) -> bool:
        """Whether the camera is unplugged now."""
        with self._lock:
            return self._real_clock() < self._lost_until

    def picture(self, t: float) -> Image:
        """Take the scene to time t (seconds, never going back) and return what the camera sees.

        Returns:
            uint8 (H, W, 3) BGR, a new array.
        """
        with self._lock:
            self._advance(t)
            self._frames += 1
            arms = [(arm.flying, arm.pose()) for arm in self._arms()]
            return self._scene.picture(arms, self._frames)

    # -- inside, always under the lock

    def _advance(self, t: float) -> None:
        if t >= self._dull_at:
            self._scene.shine_on(None)
            self._dull_at = float("inf")
        if self._act is None and self._waiting:
            try:
                self._act = self._waiting.popleft()()
            except DemoError as error:  # what was to be moved is not there any more
                log.info("%s", error)
        step = max(t - self._time.now, 1e-3)
        arms = self._arms()
        before = [(arm.at, arm.flying) for arm in arms]
        self._time.now = max(t, self._time.now)
        if self._act is None or next(self._act, _OVER) is _OVER:
            self._act = None
        for arm, (hand, flying) in zip(arms, before, strict=True):
            arm.note_speed(hand, flying, step)

    def _arms(self) -> list[Arm]:
        """Return everybody's; lower ones are drawn first."""
        return [arm for _, arm in sorted(self._stage.arms.items())]

    def _then(self, start: Callable[[], Act]) -> None:
        """Have an act begin once all before it are over. Any thread may call it."""
        with self._lock:
            self._waiting.append(start)

    def _stop_all(self) -> None:
        """Forget what was to be done, all hands off the table."""
        self._waiting.clear()
        self._act = None
        for arm in self._arms():
            arm.go_home()

    def _find(self, card_id: str, make: str | None = None, face_up: bool | None = None) -> Lying:
        for thing in reversed(self._scene.lying):
            card = thing.card
            if card.id == card_id and make in (None, card.make) and face_up in (None, card.face_up):
                return thing
        raise DemoError.saying(
            "{card_id} does not lie on the demo table. Take away one of the cards that do.", card_id=card_id
        )


def once(do: Callable[[], object]) -> Iterator[None]:
    """An act that does something at once, without a hand."""
    do()
    yield


_OVER = object()
