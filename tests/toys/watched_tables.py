"""Tables with a scripted watcher: a wheel and a bowl."""

from dataclasses import dataclass, field

import numpy as np

from companion.games.chinchirorin.plugin import CHINCHIRORIN
from companion.games.roulette.plugin import ROULETTE
from companion.journal.evidence import EvidenceRing
from companion.kernel.table import Header, Table
from companion.plugins.perception import WatchPerception, WatchReading
from companion.tracking.watched import WatchSight
from companion.vision.frame import Frame

BOX = (10, 20, 100, 80)
EMPTY, RUNS = WatchReading(False, box=BOX), WatchReading(True, box=BOX, key=1)


def rests(pocket: str, key: int = 1) -> WatchReading:
    return WatchReading(False, {"pocket": pocket}, 0.99, BOX, key=key)


@dataclass
class Wheel:
    """A roulette table with a watcher scripted by the test."""

    table: Table = field(default_factory=lambda: Table(Header(ROULETTE.rules, (("Ann", 100),), {"bank": 1000})))
    next: WatchReading = EMPTY
    t: float = 0.0
    evidence: EvidenceRing | None = None
    is_asked: bool = False

    def __post_init__(self) -> None:
        perception = WatchPerception(lambda: self, "spin", frozenset({"spin"}), is_asked=self.is_asked)
        self.sight = WatchSight(perception, self.evidence)

    def see(self, picture: np.ndarray, t: float) -> WatchReading:
        return self.next

    def shows(self, reading: WatchReading):
        """Set the watcher's reading, play what is proposed, and return the advice."""
        self.next, self.t = reading, self.t + 0.1
        self.sight.see(Frame(np.zeros((120, 160, 3), np.uint8), self.t, 1), self.t)
        now = self.table.situation()
        advice = self.sight.propose(now)
        if advice.command is not None:
            self.table.do(advice.command)
            self.sight.played(advice, now)
            self.sight.propose(self.table.situation())
        return advice

    def closes(self) -> None:
        self.table.do({"do": "bet", "player": "Ann", "on": "straight/17", "amount": 1})
        self.table.do({"do": "no-more-bets"})


@dataclass
class Bowl(Wheel):
    """A chinchirorin table in the middle of a round: the banker throws, then the player."""

    table: Table = field(
        default_factory=lambda: Table(Header(CHINCHIRORIN.rules, (("Ann", 100), ("Bo", 100)), {"banker": 1}))
    )

    def __post_init__(self) -> None:
        for record in (
            {"do": "bank", "amount": 20},
            {"do": "bet", "player": "Bo", "amount": 5},
            {"do": "close"},
        ):
            self.table.do(record)
        perception = WatchPerception(lambda: self, "throw", frozenset({"banker", "player"}), is_asked=True)
        self.sight = WatchSight(perception, None)

    def throws(self, dice: list[int], key: int):
        self.shows(WatchReading(True, box=BOX, key=key - 1))
        return self.shows(WatchReading(False, {"dice": dice}, 0.99, BOX, key=key)).questions
