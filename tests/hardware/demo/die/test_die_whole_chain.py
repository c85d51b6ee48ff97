"""House Rugen from rendered pixels to paid bets: finder, network, tracking and table, in simulated time."""

import cv2
import pytest

from companion.games.rugen.camera.throws import THROWS
from companion.games.rugen.demo.agent import RugenAgent, Timing, new_tray
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
from companion.tracking.dice.reader import TrayReader
from companion.tracking.dice.sight import DieSight
from companion.tracking.watch import TableWatch
from companion.vision.frame import Frame

FPS = 30


class Camera:
    """Renders a new picture on each read."""

    name = "tray"

    def __init__(self, tray):
        self.tray, self.t, self.number = tray, 0.0, 0

    def read(self, timeout_s):
        self.t, self.number = self.t + 1 / FPS, self.number + 1
        return Frame(self.tray.picture(self.t), self.t, self.number)

    def close(self):
        pass


@pytest.mark.slow
@pytest.mark.parametrize("is_rugen", [False, True])
def test_every_throw_that_counts_is_what_the_die_shows(tmp_path, is_rugen):
    cv2.setNumThreads(1)
    tray = new_tray(size=(1280, 720), seed=3, rugen=is_rugen)
    camera = Camera(tray)
    by_camera, delays = 0, []
    with TableService.open(tmp_path / "journal.sqlite", new_header("rugen-house", (), {}), INSTALLED) as service:
        sight = DieSight(TrayReader(), THROWS, zone=tray.zone)
        watch = TableWatch(camera, sight, service, clock=lambda: camera.t)
        timing = Timing(betting_s=2, between_s=1, asked_s=2)
        agent = RugenAgent(service, tray, seed=3, timing=timing, clock=lambda: camera.t)
        throws, rested, was_rolling = 0, 0.0, False
        while camera.t < 45:
            watch.turn()
            agent.tick()
            is_rolling = any(die.flight is not None for die in tray._dice)
            rested = camera.t if was_rolling and not is_rolling else rested
            was_rolling = is_rolling
            if service.view()["throws"] == throws:
                continue
            throws = service.view()["throws"]
            entry = [e for e in service.events(limit=1000) if e["do"] == "throw"][-1]
            shown = entry["record"].get("d20") or entry["record"].get("face")
            assert tray.lying == (str(shown),)
            if entry["source"] == "camera":
                by_camera += 1
                delays.append(camera.t - rested)
    assert by_camera >= 3
    assert max(delays) <= 0.5
