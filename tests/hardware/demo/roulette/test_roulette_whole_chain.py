"""An evening of roulette from rendered pixels to paid bets: chips and wheel are read by the game's own camera code."""

import cv2
import pytest

from companion.games.roulette.demo.agent import RouletteAgent, Timing
from companion.games.roulette.demo.table import RouletteTable
from companion.games.roulette.plugin import ROULETTE
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
from companion.tracking.several import SeveralSights
from companion.tracking.watch import TableWatch
from companion.tracking.watched import WatchSight
from companion.vision.frame import Frame
from hardware.demo.felt_table import DemoError

FPS = 20
SPINS = 4
MISHAPS = ("late", "wrong", "hop")
"""Incidents, one per spin, as soon as possible."""


class Camera:
    """Renders a new picture on each read."""

    name = "wheel"

    def __init__(self, table):
        self.table, self.t, self.number = table, 0.0, 0

    def read(self, timeout_s):
        self.t, self.number = self.t + 1 / FPS, self.number + 1
        return Frame(self.table.picture(self.t), self.t, self.number)

    def close(self):
        pass


@pytest.mark.slow
def test_an_evening_is_booked_as_it_was_played(tmp_path):
    """Every recorded pocket is the true one, every bet was intended, and no coin appears or disappears."""
    cv2.setNumThreads(1)
    table = RouletteTable(size=(1280, 720), seed=4, pace=3)
    camera, mishaps, is_open, played = Camera(table), list(MISHAPS), True, set()
    header = new_header("roulette", (("Aubrey", 200), ("Benedict", 200), ("Celia", 200)))
    with TableService.open(tmp_path / "journal.sqlite", header, INSTALLED) as service:
        sight = SeveralSights(ROULETTE.perception.second_pipeline(None), WatchSight(ROULETTE.perception))
        watch = TableWatch(camera, sight, service, clock=lambda: camera.t)
        timing = Timing(open_s=2.5, betting_s=2, asked_s=1, overdue_s=3, result_s=1)
        agent = RouletteAgent(service, table, seed=3, timing=timing, clock=lambda: camera.t)
        while len(service.view()["last"]) < SPINS and camera.t < 150:
            watch.turn()
            agent.tick()
            is_open, was_open = service.view()["phase"] == "betting", is_open
            if was_open and not is_open:  # chips laid until now are bets; later ones are late
                state = service.moment().state
                seats = {seat.player: seat.number for seat in state.seats}
                staked = {(seats[stake.player], stake.on) for stake in state.stakes}
                assert {(chip.seat, chip.on) for chip in table.chips} <= staked
                played |= {on for _, on in staked}
            if mishaps and len(service.view()["last"]) >= len(MISHAPS) - len(mishaps):
                mishaps = mishaps[_try(agent, mishaps[0]) :]
        view, entries = service.view(), service.events(limit=1000)
    assert list(reversed(view["last"])) == table.spun
    assert len(table.spun) == SPINS
    assert mishaps == []
    assert agent.confirmed >= 1
    assert sum(player["coins"] + player["staked"] for player in view["players"]) + view["house"] == 600
    by_camera = [e["record"] for e in entries if e["kind"] == "command" and (e["do"], e["source"]) == ("bet", "camera")]
    assert len(by_camera) >= SPINS
    assert {record["on"] for record in by_camera} <= played


def _try(agent, kind):
    """Try an incident; return 1 if it was possible."""
    try:
        agent.cause_incident(kind)
    except DemoError:
        return 0
    return 1
