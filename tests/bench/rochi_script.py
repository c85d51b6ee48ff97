"""Simulated hands of Rochi for tests and benchmarks: camera frames with their ground truth.

    script = RochiScript(seed=7, players=4)
    for shot in script.shots():
        ...  # shot.frame is a picture; shot.done lists the commands that became true since the shot before

The demo's simulated players play with a perfect camera. What a camera cannot know (`Truth.how` is ``button``) is a
button press; the caller has to submit it to the table under test when it comes. Everything else has to be inferred from
the pictures.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from companion.games.roche_deck.design import FULL
from companion.games.rochi.demo.agent import RochiAgent, RochiTiming
from companion.games.rochi.demo.follow import open_on
from companion.games.rochi.demo.players import NAMES, PURSE
from companion.games.rochi.demo.table import DemoRochiTable
from companion.journal.hash_chain import EntryJson
from companion.kernel.commands import Record
from companion.kernel.table import Table
from companion.objects.decks import Deck
from companion.plugins.panel import Moment
from companion.testing import moment_at, new_header
from companion.vision.frame import Frame
from hardware.demo.faces import Faces
from hardware.demo.layers import Texture
from hardware.demo.printer import DeckPrinter, standalone_deck

LOOK_S: Final = 6.0
"""Display time of the result: less than the time until the cards are gathered."""


@dataclass(frozen=True, slots=True)
class Truth:
    """A command of the ground truth."""

    record: Record
    how: Literal["camera", "button"]


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture, and the new commands since the previous one."""

    frame: Frame
    done: tuple[Truth, ...] = ()


class RochiScript:
    """One evening of simulated players, deterministic for a seed. It acts as their table service.

    Args:
        seed: seed for cards, players and pictures.
        players: number of players: 3 to 6, or 2 for Captain's Rochi.
        hands: number of hands; in Captain's Rochi, of cuts.
        fps: pictures per second of scene time.
        pace: 1 is unhurried, 2 twice as fast.
        deck: the deck in play.
        faces: the card faces, if already drawn (drawing takes some seconds).
        mat: the printed mat, if already drawn.
        options: the game's options.
    """

    def __init__(
        self,
        seed: int,
        *,
        players: int = 4,
        hands: int = 1,
        fps: float = 10.0,
        pace: float = 1.0,
        size: tuple[int, int] = (1920, 1080),
        deck: Deck | None = None,
        faces: Faces | None = None,
        mat: Texture | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        deck = deck or standalone_deck(FULL)
        game = "captains" if players == 2 else "rochi"
        self.header = new_header(game, [(name, PURSE) for name in NAMES[:players]], options)
        self.rules = Table(self.header)
        self.table = DemoRochiTable(
            faces or Faces(DeckPrinter(deck)), size=size, seed=seed, pace=pace, cards=deck.cards, mat=mat
        )
        timing = RochiTiming(think_s=(0.2 / pace, 2.4 / pace))
        self.agent = RochiAgent(self, self.table, seed=seed, timing=timing, clock=lambda: self.table.now)
        self._hands, self._fps = hands, fps
        self._number = -1
        self._entries: list[EntryJson] = []
        self._done: list[Truth] = []
        self._seen: Record | None = None

    def shots(self) -> Iterator[Shot]:
        """Play to the end; then pay, and show the result long enough for all questions to be answered."""
        while len(self.rules.results) < self._hands:
            self.agent.tick()
            yield self._shot()
            self._look()
        ends = self.table.now + LOOK_S
        while self.table.busy or self.table.now < ends:
            if self.rules.phase == "between-hands":
                self.agent.tick()
            yield self._shot()

    def _shot(self) -> Shot:
        self._number += 1
        t, done = self._number / self._fps, tuple(self._done)
        self._done.clear()
        return Shot(Frame(self.table.picture(t), t, self._number), done)

    def _look(self) -> None:
        """Recognize the awaited card as soon as nothing moves."""
        awaited = next(iter(self.agent._awaited), None)
        if awaited is None or awaited.record is self._seen or self.table.busy:
            return
        if awaited.record["card"] in open_on(self.table):
            self._seen = awaited.record
            self._do(awaited.record, "camera")

    def _do(self, record: Record, how: Literal["camera", "button"]) -> None:
        self.rules.do(record)
        self._entries.append({"kind": "command", "record": record, "source": how})
        self._done.append(Truth(record, how))

    # ---- interface of the table service, for the demo agent

    def submit(self, record: Record, *, source: str, key: str | None = None, timeout_s: float = 5.0) -> None:
        self._do(record, "button")

    def answer(self, question_id: str, choice_id: str, *, source: str) -> None:
        raise AssertionError("nobody asks")

    def events(self, after: int = 0, limit: int = 100, viewer: str = "room") -> list[EntryJson]:
        return self._entries[after : after + limit]

    def moment(self) -> Moment:
        return moment_at(self.rules)

    def wait(self, after_version: int, timeout_s: float) -> int:
        return after_version
