"""Base of the demo tables: a clock, a queue of hand movements, and a camera that can be unplugged."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence

from companion.kernel.errors import CompanionError
from hardware.demo.hands.acts import Stage
from hardware.demo.hands.arm import Arm, HandMotion
from hardware.demo.layers import Image
from hardware.demo.scene import RestingPiece

log = logging.getLogger(__name__)


class DemoError(CompanionError):
    """The action is not possible on the demo table in its current state."""


def unknown_event(what: str, examples: Sequence[str]) -> DemoError:
    """Return the error for an event that is impossible at a demo table, with examples of possible ones."""
    return DemoError.saying(
        "{what} cannot happen here. Examples of what can: {acts}.", what=repr(what), acts=", ".join(examples)
    )


class FeltTable:
    """A rendered table. All public methods are thread-safe.

    Args:
        stage: the scene with the arms of the people around it.
        real_clock: monotonic seconds of real time, used only for the duration of a camera loss.
    """

    def __init__(self, stage: Stage, real_clock: Callable[[], float] = time.monotonic) -> None:
        self.size = stage.scene.camera.size
        self._scene, self._time, self._stage = stage.scene, stage.clock, stage
        self._real_clock = real_clock
        self._lock = threading.RLock()
        self._queue: deque[Callable[[], HandMotion]] = deque()
        self._current_act: HandMotion | None = None
        self._frames = 0
        self._camera_lost_until = float("-inf")
        self._glare_until = float("inf")

    @property
    def busy(self) -> bool:
        """Whether a movement is in progress or queued."""
        with self._lock:
            return self._current_act is not None or bool(self._queue)

    @property
    def is_at_rest(self) -> bool:
        """Whether no movement is in progress or queued."""
        return not self.busy

    @property
    def now(self) -> float:
        """Scene time, seconds."""
        with self._lock:
            return self._time.now

    def glare(self, card_id: str, seconds: float = 6.0) -> None:
        """Reflect the lamp in a card for some scene seconds.

        Raises:
            DemoError: the card is not on the table.
        """
        with self._lock:
            thing = self._find(card_id)
            self._scene.set_glare(thing)
            self._glare_until = self._time.now + seconds

    def lose_camera(self, seconds: float) -> None:
        """Unplug the camera for some real seconds."""
        with self._lock:
            self._camera_lost_until = self._real_clock() + seconds

    def restore_camera(self) -> None:
        """Plug the camera in again now."""
        with self._lock:
            self._camera_lost_until = float("-inf")

    @property
    def camera_lost(self) -> bool:
        """Whether the camera is unplugged now."""
        with self._lock:
            return self._real_clock() < self._camera_lost_until

    def picture(self, t: float) -> Image:
        """Advance the scene to time t (monotonic seconds) and render the camera's view.

        Returns:
            uint8 (H, W, 3) BGR, a new array.
        """
        with self._lock:
            self._advance(t)
            self._frames += 1
            arms = [(arm.carried, arm.pose()) for arm in self._arms()]
            return self._scene.picture(arms, self._frames)

    # -- private, called with the lock held

    def _advance(self, t: float) -> None:
        if t >= self._glare_until:
            self._scene.set_glare(None)
            self._glare_until = float("inf")
        if self._current_act is None and self._queue:
            try:
                self._current_act = self._queue.popleft()()
            except DemoError as error:  # for example, the card to move has been removed since
                log.info("%s", error)
        step = max(t - self._time.now, 1e-3)
        arms = self._arms()
        before = [(arm.at, arm.carried) for arm in arms]
        self._time.now = max(t, self._time.now)
        if self._current_act is None or next(self._current_act, _DONE) is _DONE:
            self._current_act = None
        for arm, (hand, carried) in zip(arms, before, strict=True):
            arm.update_speed(hand, carried, step)

    def _arms(self) -> list[Arm]:
        """Return all arms, in drawing order."""
        return [arm for _, arm in sorted(self._stage.arms.items())]

    def _enqueue(self, start: Callable[[], HandMotion]) -> None:
        """Queue an act; ``start`` is called when all earlier acts are finished. Thread-safe."""
        with self._lock:
            self._queue.append(start)

    def _stop_all(self) -> None:
        """Cancel all acts and take all hands off the table."""
        self._queue.clear()
        self._current_act = None
        for arm in self._arms():
            arm.go_home()

    def _find(self, card_id: str, make: str | None = None, face_up: bool | None = None) -> RestingPiece:
        for thing in reversed(self._scene.lying):
            card = thing.card
            if card.id == card_id and make in (None, card.make) and face_up in (None, card.face_up):
                return thing
        raise DemoError.saying(
            "{card_id} does not lie on the demo table. Take away one of the cards that do.", card_id=card_id
        )


def instantly(do: Callable[[], object]) -> Iterator[None]:
    """An act without a hand: calls ``do`` within a single frame."""
    do()
    yield


_DONE = object()
