"""An evening of chinchirorin from ray-traced dice to paid bets: the bowl is read by the game's own camera code."""

import cv2
import pytest

from companion.games.chinchirorin.demo.agent import ChinchirorinAgent, Timing
from companion.games.chinchirorin.demo.table import BowlTable
from companion.games.chinchirorin.plugin import CHINCHIRORIN
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
from companion.tracking.watch import TableWatch
from companion.tracking.watched import WatchSight
from companion.vision.frame import Frame
from hardware.demo.felt_table import DemoError

FPS = 12
ROUNDS = 4
MISHAPS = ("cocked", "wrong", "out", "short")
"""Incidents, one per round, as soon as possible."""


class Camera:
    """Renders a new picture on each read."""

    name = "bowl"

    def __init__(self, table):
        self.table, self.t, self.number = table, 0.0, 0

    def read(self, timeout_s):
        self.t, self.number = self.t + 1 / FPS, self.number + 1
        return Frame(self.table.picture(self.t), self.t, self.number)

    def close(self):
        pass


@pytest.mark.slow
def test_an_evening_is_booked_as_it_was_thrown(tmp_path):
    """Every throw in effect is the true one, and no coin appears or disappears."""
    cv2.setNumThreads(1)
    table = BowlTable(size=(960, 540), seed=4, pace=3)
    camera, mishaps, stands = Camera(table), list(MISHAPS), []
    header = new_header("chinchirorin", (("Aubrey", 200), ("Benedict", 200), ("Celia", 200)), {"banker": 1})
    with TableService.open(tmp_path / "journal.sqlite", header, INSTALLED) as service:
        watch = TableWatch(camera, WatchSight(CHINCHIRORIN.perception), service, clock=lambda: camera.t)
        timing = Timing(saying_s=0.3, before_s=0.3, asked_s=1, overdue_s=4)
        agent = ChinchirorinAgent(service, table, seed=3, timing=timing, clock=lambda: camera.t)
        seen = 0
        while service.view()["rounds"] < ROUNDS and camera.t < 200:
            watch.turn()
            agent.tick()
            for entry in service.events(seen, 1000, "dealer"):
                seen = entry["seq"]
                if entry["kind"] == "command" and entry["do"] == "throw":
                    stands.append((said(entry["record"]), table.shown))
                elif entry["kind"] == "command" and entry["do"] == "undo":
                    stands.pop()
            if mishaps and service.view()["rounds"] >= len(MISHAPS) - len(mishaps):
                mishaps = mishaps[_try(agent, mishaps[0]) :]
        view = service.view()
    assert view["rounds"] == ROUNDS
    assert mishaps == []
    assert stands
    assert [word for word, _ in stands] == [shown if shown == "out" else sorted(shown) for _, shown in stands]
    assert agent.confirmed >= 1
    assert sum(player["coins"] + player["staked"] for player in view["players"]) == 600


def said(record):
    return "out" if record.get("out") else sorted(record["dice"])


def _try(agent, kind):
    """Try an incident; return 1 if it was possible."""
    try:
        agent.cause_incident(kind)
    except DemoError:
        return 0
    return 1
