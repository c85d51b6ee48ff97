"""The camera thread: frames in, commands and questions out. It never dies while the table runs.

A lost camera is reported and awaited, a poor picture is reported with its remedy, a frame that fails to process changes
nothing, and a refused command is retried. Commands take the same path as a person's taps: `TableService.submit`.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

import cv2

from companion.closing import Worker
from companion.kernel.commands import Record
from companion.kernel.errors import CompanionError, MayStillCount, Outdated, TableError
from companion.kernel.messages import message
from companion.kernel.situation import Situation
from companion.service.questions import Question
from companion.tracking.frame_stats import FrameStats
from companion.tracking.sight import JournalNoteData, Sight, SightProposal
from companion.vision.draw import Mark, annotate, to_jpeg
from companion.vision.frame import Frame
from companion.vision.picture_faults import ACCEPTED_S, Fault, PictureFaults

if TYPE_CHECKING:
    from companion.service.one_session import OneSession
    from companion.service.table_service import TableService

log = logging.getLogger(__name__)

SOURCE: Final = "camera"
_READ_TIMEOUT_S: Final = 0.2  # read timeout, and so the longest extra delay before a silent camera is reported
_MAX_FRAME_GAP_S: Final = 1.0
_SILENCE_REPORT_S: Final = 1.5  # without a picture: reported long before the source is reopened
_MAX_FAILED_FRAMES: Final = 10  # consecutive frames that failed to process
_MAX_COMMANDS_PER_FRAME: Final = 60  # per frame: more than any deck has cards
_REPORT_INTERVAL_S: Final = 0.5
_UNREADABLE: Final = message("The camera's pictures cannot be worked through; see the log. Tap the cards.")


class Source(Protocol):
    """A camera; `hardware.cameras.ReconnectingCamera` implements it.

    Optional members: ``status`` (state, text), ``set_idle(is_idle)`` to lower the frame rate while nothing moves,
    ``arrived``, the number of pictures received, including those it did not decode, ``remedy``, what to do about a
    silent camera, and ``may_repeat_frames``: whether identical pictures are legitimate.
    """

    @property
    def name(self) -> str: ...
    def read(self, timeout_s: float) -> Frame | None: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class _Shown:
    """The latest frame with its marks."""

    frame: Frame
    marks: Sequence[Mark]


class TableWatch(Worker):
    """Watches the table through a camera. `start` it, then `close` it; closing also closes the camera.

    Args:
        camera: source of the frames.
        sight: the game's vision pipeline.
        service: the table.
        clock: monotonic time, s.
    """

    def __init__(
        self,
        camera: Source,
        sight: Sight,
        service: OneSession | TableService,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._camera, self._sight, self._service = camera, sight, service
        self._clock = clock
        self._boot = secrets.token_hex(4)
        self._stats = FrameStats()
        self._shown: _Shown | None = None
        self._jpeg: tuple[_Shown, str, bytes] | None = None
        self._played: set[str] = set()
        "Keys of the commands that were played and reported to the sight."
        self._asked: tuple[Question, ...] | None = ()
        self._advised_for: Situation | None = None
        "The situation for which `_asked` was published; None before the first frame."
        self._camera_state: tuple[str, str] = ("", "")
        self._latest_report: tuple[float, Mapping[str, object]] = (float("-inf"), {})
        self._shift_s = 0.0
        self._is_idle = False
        self._last: tuple[float, float] | None = None
        self._arrived, self._arrived_at = 0, clock()
        self._faults = PictureFaults()
        super().__init__("camera-watch", end_s=10.0)
        self.beat = clock()
        "Monotonic time of the last loop iteration; read by the watchdog."

    # ---- life

    def close(self) -> None:
        """Stop watching and close the camera. May be called twice."""
        super().close()
        self._camera.close()

    @property
    def sight(self) -> Sight:
        """The vision pipeline."""
        return self._sight

    @property
    def camera_name(self) -> str:
        """The camera's name: a device path, once it is open."""
        return self._camera.name

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def _run(self) -> None:
        cv2.setNumThreads(1)  # one frame is too little work to parallelise; the other cores are for the rest
        while not self._stop.is_set():
            self.turn(_READ_TIMEOUT_S)

    def turn(self, timeout_s: float = _READ_TIMEOUT_S) -> bool:
        """Wait for a frame and process it; return False if none came in time. Never raises.

        The body of the thread's loop; a test may call it instead of starting the thread.
        """
        self.beat = self._clock()
        try:
            self._forward_answers()
            for intention, _ in self._service.take_intentions():
                self._sight.intend(intention)
            frame = self._read(timeout_s)
            if frame is None:
                self._ask_without_picture()
                return False
            self._process(frame)
        except Exception:
            self._stats.failure()
            if self._stats.failed_in_a_row <= 3 or self._stats.failed_in_a_row % 1000 == 0:
                log.exception("Internal error: a frame could not be processed; continuing with the next")
            self._stop.wait(min(1.0, 0.01 * self._stats.failed_in_a_row))
        return True

    def _forward_answers(self) -> bool:
        """Forward new answers to the sight; return whether there were any."""
        answers = self._service.take_answers()
        for question, choice in answers:
            self._sight.answered(question, choice)
        if answers:
            self._asked = None  # the service has closed them: publish whatever is still open again
        return bool(answers)

    def _consistent_situation(self) -> Situation | None:
        """Return the situation once all answers leading to it reached the sight; None while one is being decided.

        Otherwise the sight would take an answer's command for an entry by hand.
        """
        while True:
            now = self._service.situation
            if self._service.is_deciding:
                return None
            if not self._forward_answers():
                return now

    # ---- the camera

    def _read(self, timeout_s: float) -> Frame | None:
        try:
            frame = self._camera.read(timeout_s)
        except CompanionError as error:  # a plain camera raises; a steady one reports by its status
            self._report_camera("lost", error.message)
            self._stop.wait(timeout_s)
            return None
        status = getattr(self._camera, "status", None)
        if self._stats.failed_in_a_row >= _MAX_FAILED_FRAMES:
            self._report_camera("lost", _UNREADABLE)
        elif status is not None and status.state != "ok":
            self._report_camera(status.state, status.text)
        elif frame is None:
            self._report_silence()
        else:
            self._report_pictures(self._check_picture(frame))
        return frame

    def _check_picture(self, frame: Frame) -> Fault | None:
        self._note_arrived(getattr(self._camera, "arrived", self._arrived + 1))
        return self._faults.see(frame.image, self._clock(), self._arrived, may_repeat_frames=self._may_repeat_frames)

    def _note_arrived(self, arrived: int) -> None:
        self._arrived, self._arrived_at = arrived, self._clock()

    @property
    def _may_repeat_frames(self) -> bool:
        return bool(getattr(self._camera, "may_repeat_frames", False))

    def _report_pictures(self, fault: Fault | None) -> None:
        if fault is None:
            self._report_camera("ok", message("{camera} sends pictures.", camera=self._camera.name))
        else:
            self._report_camera("lost" if fault.is_blind else "poor", said_of(fault, self._camera.name))

    def _report_silence(self) -> None:
        if self._last is None or self._camera_state[0] not in ("ok", "poor") or self._may_repeat_frames:
            return
        arrived = getattr(self._camera, "arrived", self._arrived)
        if arrived != self._arrived:  # while nothing moves, not every picture is decoded
            self._note_arrived(arrived)
            self._report_pictures(self._faults.skipped(self._arrived_at, arrived))
        elif self._clock() - self._arrived_at > _SILENCE_REPORT_S:
            remedy = getattr(self._camera, "remedy", "")
            text = message("{camera} sends no pictures any more. {remedy}", camera=self._camera.name, remedy=remedy)
            self._report_camera("lost", text)

    def _report_camera(self, state: str, text: str) -> None:
        if (state, text) == self._camera_state:
            return
        before, self._camera_state = self._camera_state[0], (state, text)
        self._service.set_camera(state, text, self._camera.name)
        if state != before and not (state == "ok" and before == ""):
            self._note(text, {"camera": state})

    def _time_of(self, frame: Frame) -> float:
        """Return the frame's time, shifted to keep increasing, and to show the gap when a camera was reopened."""
        now = self._clock()
        if self._last is not None:
            seen, t = self._last
            step = frame.t + self._shift_s - t
            if step < 0 or (now - seen > _MAX_FRAME_GAP_S and step < _MAX_FRAME_GAP_S):
                self._shift_s += max(now - seen, _MAX_FRAME_GAP_S + 1e-3) - step
        self._last = now, frame.t + self._shift_s
        return self._last[1]

    # ---- one frame

    def _process(self, frame: Frame) -> None:
        start = self._clock()
        t = self._time_of(frame)
        if self._faults.is_doubtful:  # a card that a bad picture hides must not count as gone
            self._ask_without_picture()
            self._shown = _Shown(frame, ())
            self._stats.frame(self._clock(), self._clock() - start)
            return
        for note in self._sight.see(frame, t):
            self._note(note.text, note.data)
        self._act(frame, t, start)
        end = self._clock()
        self._stats.frame(end, end - start)
        self._report(end)

    def _ask_without_picture(self) -> None:
        """Without a usable picture: update the questions, as people may go on by hand, but play nothing."""
        if self._advised_for is None:
            return  # no frame was processed yet
        now = self._consistent_situation()
        if now is not None and now is not self._advised_for:
            self._ask(self._sight.propose(now), now)

    def _ask(self, proposal: SightProposal, now: Situation) -> None:
        has_moved = self._advised_for is not None and now.seq != self._advised_for.seq
        self._advised_for = now
        if proposal.questions != self._asked or has_moved:
            self._service.set_questions(SOURCE, proposal.questions, after=now.seq)
            self._asked = proposal.questions

    def _act(self, frame: Frame, t: float, start: float) -> None:
        """Play the proposed commands in turn, and publish the questions."""
        for _ in range(_MAX_COMMANDS_PER_FRAME):
            now = self._consistent_situation()
            if now is None:
                break
            proposal = self._sight.propose(now)
            try:
                if proposal.command is None or not self._submit(proposal, now):
                    break
            except Outdated:  # somebody else acted, perhaps entered the same: decide anew
                continue
            if proposal.rest_since is not None:
                self._stats.latency(t - proposal.rest_since + self._clock() - start)
        if now is not None:
            self._ask(proposal, now)
        self._shown = _Shown(frame, self._sight.marks(self._asked or ()))
        self._pace()

    def _pace(self) -> None:
        """Lower the camera's frame rate while nothing moves, and restore it once something does."""
        is_idle = bool(getattr(self._sight, "is_idle", False))
        if is_idle != self._is_idle:
            self._is_idle = is_idle
            getattr(self._camera, "set_idle", lambda is_idle: None)(is_idle)

    def _submit(self, proposal: SightProposal, before: Situation) -> bool:
        assert proposal.command is not None
        if proposal.key in self._played:  # the table would repeat its earlier response and play nothing
            self._stats.refused += 1
            log.error("%s was not played: its key %s was already used", proposal.command, proposal.key)
            self._sight.refused(proposal)
            return False
        try:
            self._submit_until_decided(proposal.command, f"camera-{self._boot}-{proposal.key}", before.seq)
        except Outdated:
            raise
        except TableError as error:
            self._stats.refused += 1
            log.warning("%s was refused: %s", proposal.command, error)
            self._sight.refused(proposal)
            return False
        self._played.add(proposal.key)
        self._stats.deals += 1
        self._sight.played(proposal, before)
        return True

    def _submit_until_decided(self, command: Record, key: str, after: int) -> None:
        """Submit until the outcome is known: a command accepted unnoticed would be proposed again."""
        while True:
            try:
                self._service.submit(command, source=SOURCE, key=key, after=after)
            except MayStillCount:
                if self._stop.is_set():
                    raise
                self.beat = self._clock()
            else:
                return

    def _report(self, now: float) -> None:
        """Publish the sight's report if it changed, rate-limited because it goes to every page."""
        since, before = self._latest_report
        if now - since < _REPORT_INTERVAL_S:
            return
        report = dict(self._sight.report())
        self._latest_report = now, report
        if report != before:
            self._service.set_sight(report)

    # ---- notices

    def _note(self, text: str, data: JournalNoteData) -> None:
        try:
            self._service.notice(text, source=SOURCE, data=data)
        except TableError as error:  # the table is closing
            log.info("Notice not journaled: %s (%s)", text, error)

    # ---- for pages

    def frame(self) -> Frame | None:
        """Return the newest frame unmodified; None before the first. Thread-safe."""
        shown = self._shown
        return None if shown is None else shown.frame

    def picture(self) -> bytes | None:
        """Return the newest frame as JPEG with its marks; None before the first.

        Drawn on demand, at most once per frame. Thread-safe.
        """
        shown = self._shown
        if shown is None:
            return None
        fault = self._faults.fault
        is_new = self._camera_state[0] in ("ok", "poor") or (fault is not None and fault.is_blind)
        banner = "" if is_new else "camera lost: an old picture"
        if self._jpeg is None or self._jpeg[0] is not shown or self._jpeg[1] != banner:
            self._jpeg = (shown, banner, to_jpeg(annotate(shown.frame.image, shown.marks, banner)))
        return self._jpeg[2]

    def stats(self) -> dict[str, float]:
        """Return performance figures: frames per second, ms per frame, latency from rest to event, counts."""
        return self._stats.numbers(self._clock())


def said_of(fault: Fault, camera: str) -> str:
    """Return a picture fault with its remedy, in words."""
    match fault.kind:
        case "dark":
            text = message("{camera} sees nothing but black. Uncover its lens, or switch a light on.", camera=camera)
        case "dazzled":
            text = message("{camera} sees nothing but white. Keep bright light away from its lens.", camera=camera)
        case "noise":
            text = message(
                "{camera} sends noise instead of pictures. Unplug it and plug it in again, or take another one.",
                camera=camera,
            )
        case "frozen":
            text = message(
                "{camera} sends the same picture again and again. Unplug it and plug it in again, or restart its app.",
                camera=camera,
            )
        case "garbled":
            text = message("{camera} sends broken pictures. Check its cable or its wireless network.", camera=camera)
        case "size":
            new, old = "{} × {}".format(*fault.sizes[:2]), "{} × {}".format(*fault.sizes[2:])
            text = message(
                "The pictures of {camera} are {new} now, {old} before. Set it back, or leave it so: the new size "
                "counts after {seconds} s, and a mat is found again once the whole of it is seen.",
                camera=camera, new=new, old=old, seconds=int(ACCEPTED_S),
            )  # fmt: skip
        case "slow":
            text = message(
                "Only one in {count} pictures of {camera} arrives. Check its network or cable, and what else this "
                "machine is doing.",
                count=fault.amount, camera=camera,
            )  # fmt: skip
        case "blurred":
            text = message("{camera} is out of focus. Clean its lens and focus it.", camera=camera)
        case "moved":
            text = message(
                "{camera} was moved: all lies {pixels} px from its place. Put it back, or calibrate the table anew.",
                camera=camera, pixels=fault.amount,
            )  # fmt: skip
    return text
