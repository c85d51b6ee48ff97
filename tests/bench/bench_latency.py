"""Measures the latency from a card at rest to its event, and the CPU time per frame; prints a table.

    python tests/bench/bench_latency.py [--rounds 3] [--fps 30]

Drawn 1080p frames go through the whole path, on one core: change detection, decoding, tracker, interpreter, rules and
journal. The latency ends when the deal is on the disk: the frames waited for, and the processing of the last one. It is
given from three moments: from the card at rest in the scene, often with the dealer's hand still over it; from the first
frame at rest in which a plain decoder can read its code; and from the first in which the reader saw it. The frames
waited for since the first of these are also given alone: that part is the same on every machine.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import cv2

from companion.games.roche.camera.interpreter import RocheInterpreter
from companion.games.roche.demo.felt import felt_of
from companion.games.roche_deck.design import FULL_DECK
from companion.journal.evidence import EvidenceRing
from companion.objects.codes import parse_code
from companion.objects.decks import Deck
from companion.service.table_service import TableService
from companion.testing import DECKS, INSTALLED, new_header
from companion.tracking.cards.sight import CardSight
from companion.tracking.cards.zones import Zones
from companion.tracking.frame_stats import percentile
from companion.tracking.watch import TableWatch
from companion.vision.decoders.qr import read_codes
from companion.vision.frame import Frame, to_gray
from companion.vision.live.reader import Reader
from companion.vision.sightings import FrameReading
from hardware.demo.camera import DemoCamera
from hardware.demo.card_table import CardTable
from hardware.demo.faces import Faces
from hardware.demo.printer import DeckPrinter

DECK = Deck("K7QX", DECKS["roche"], "Bench", b"a key for benches, 32 bytes long", "2026-01-01T00:00:00.000+00:00")


class NotingReader(Reader):
    """Records when each card was first seen."""

    def __init__(self) -> None:
        super().__init__({DECK.id: DECK.key}, DECKS)
        self.first: dict[str, float] = {}

    def read(self, frame: Frame) -> FrameReading:
        reading = super().read(frame)
        for card in reading.cards:
            if card.id is not None:
                self.first.setdefault(card.id, frame.t)
        return reading


class Bench:
    """A table with prerendered frames, so that rendering is not measured."""

    def __init__(self, faces: Faces, seed: int, fps: float, folder: Path) -> None:
        self.demo = CardTable(faces, FULL_DECK, felt_of(FULL_DECK), seed=seed, pace=1.5)
        self.camera = DemoCamera(self.demo, fps, paced=False)
        self.service = TableService.open(folder / "journal.sqlite", new_header("roche", (("Ann", 100),)), INSTALLED)
        self.next: Frame | None = None
        self.name = "bench"
        self.reader = NotingReader()
        sight = CardSight(
            self.reader, RocheInterpreter(), zones=Zones(INSTALLED.mats), evidence=EvidenceRing(folder / "e")
        )
        self.watch = TableWatch(self, sight, self.service)
        self.work_ms: list[tuple[int, float]] = []
        self.latency_ms: list[tuple[float, ...]] = []
        self.readable_at: dict[str, float] = {}
        self.laid_at: dict[str, float] = {}

    def read(self, timeout_s: float) -> Frame | None:
        return self.next

    def close(self) -> None:
        self.service.close()

    def frame(self) -> None:
        self.next = self.camera.read(1.0)
        for card in self.demo.lying:
            self.laid_at.setdefault(card.id, self.demo.now)
        self._note_readable()
        before = len(self.service.situation.state.dealt)
        start = time.perf_counter()
        self.watch.turn(0.0)
        work_ms = 1000 * (time.perf_counter() - start)
        dealt = self.service.situation.state.dealt
        self.work_ms.append((len(dealt), work_ms))
        now = self.demo.now
        for card in dealt[before:]:
            laid = self.laid_at[card]
            since = (laid, self.readable_at.get(card, now), max(laid, self.reader.first[card]))
            self.latency_ms.append((*(1000 * (now - t) + work_ms for t in since), 1000 * (now - laid)))

    def _note_readable(self) -> None:
        """Record which cards at rest a plain decoder can read in this whole frame; not timed."""
        if self.next is None or not self.laid_at.keys() - self.readable_at.keys():
            return
        read = {getattr(parse_code(code.text), "id", None) for code in read_codes(to_gray(self.next.image)).read}
        for card in read & self.laid_at.keys():
            self.readable_at.setdefault(card, self.demo.now)

    def until_quiet(self, extra_s: float) -> None:
        ends = None
        self.frame()
        while ends is None or self.demo.now < ends:
            self.frame()
            if not self.demo.busy and ends is None:
                ends = self.demo.now + extra_s

    def round(self) -> bool:
        """Play a round; return whether every card was dealt correctly."""
        self.demo.shuffle()
        self.until_quiet(1.0)
        self.service.submit({"do": "no-more-bets"}, source="dealer")
        while self.service.situation.state.phase.value == "dealing":
            self.demo.deal()
            self.until_quiet(0.1)
        self.until_quiet(1.0)
        return list(self.service.situation.state.dealt) == [card.id for card in self.demo.lying]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--fps", type=float, default=30.0)
    asked = parser.parse_args()
    one_core()
    faces = Faces(DeckPrinter(DECK))
    for card in DECK.cards:
        faces.texture(card)
    work: list[tuple[int, float]] = []
    latency: list[tuple[float, ...]] = []
    right = 0
    for seed in range(asked.rounds):
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(faces, seed + 1, asked.fps, Path(folder))
            right += bench.round()
            bench.close()
        work += bench.work_ms
        latency += bench.latency_ms
    report(asked.rounds, asked.fps, right, work, latency)


def one_core() -> None:
    """Restrict everything to one core, as on a busy Pi."""
    cv2.setNumThreads(1)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def report(
    rounds: int,
    fps: float,
    right: int,
    work: Sequence[tuple[int, float]],
    latency: Sequence[tuple[float, ...]],
) -> None:
    print(f"{rounds} rounds at {fps:g} frames/s, {len(latency)} cards, {right} of {rounds} rounds read right; one core")
    print(f"{'':32}{'median':>9}{'p95':>9}{'p99':>9}{'max':>9}")
    names = ("card at rest to event, ms", "first readable to event, ms", "card first seen to event, ms")
    for name, values in zip((*names, "at rest: frames waited, ms"), zip(*latency, strict=True), strict=True):
        line(name, values)
    line("whole path per frame, ms", [ms for _, ms in work])
    for low in range(0, 40, 10):
        line(f"  with {low}-{low + 9} cards", [ms for cards, ms in work if low <= cards < low + 10])
    mean = sum(ms for _, ms in work) / max(1, len(work))
    print(f"{'frames/s that one core keeps up':32}{1000 / max(1e-9, mean):9.0f}")


def line(what: str, values: Sequence[float]) -> None:
    if values:
        shown = (percentile(values, 50), percentile(values, 95), percentile(values, 99), max(values))
        print(f"{what:32}" + "".join(f"{value:9.1f}" for value in shown))


if __name__ == "__main__":
    main()
