"""A chain of House Rugen run from the panel, with every face read from pixels by finder and network."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from companion.config.panel import PanelConfig
from companion.games.rugen.camera.throws import THROWS
from companion.games.rugen.demo.agent import new_tray
from companion.testing import INSTALLED, new_header
from companion.tracking.dice.reader import TrayReader
from companion.tracking.dice.sight import DieSight
from companion.vision.frame import Frame
from hardware.demo.dice.table import TrayTable
from hardware.harness.fast_table import FastTable
from hardware.harness.rig import Contact

FPS = 30
PANEL = PanelConfig(lamp_test_s=0.0)
LONGEST_S = 20.0


class TrayCamera:
    """Renders the demo's tray on each read."""

    name = "tray"

    def __init__(self, tray: TrayTable, clock: Callable[[], float]) -> None:
        self._tray, self._clock, self._number = tray, clock, 0

    def read(self, timeout_s: float) -> Frame:
        self._number += 1
        return Frame(self._tray.picture(self._clock()), self._clock(), self._number)

    def close(self) -> None:
        """No resource to release."""


class DieTable(FastTable):
    """A table with a panel and a tray."""

    tray: TrayTable

    def throw(self, value: str) -> float:
        """Throw the die with a given result; return the seconds from its rest until it counted."""
        before = len(self.thrown)
        self.tray.throw(value)
        rested = None
        ends = self.t + LONGEST_S
        while len(self.thrown) == before:
            assert self.t < ends, (value, self.tray.lying, self.service.glance()["questions"])
            self.run(self.t + 1 / FPS)
            is_lying = self.tray.lying == (value,) and not any(die.flight for die in self.tray._dice)
            rested = (rested or self.t) if is_lying else None
        return self.t - (rested or self.t)

    @property
    def thrown(self) -> list[tuple[object, str]]:
        """Return the throws in the journal as (source, value)."""
        entries = [e for e in self.journal() if e["do"] == "throw"]
        return [(e["record"].get("d20") or e["record"].get("face"), e["source"]) for e in entries]

    def press(self, button: str, for_s: float = 0.08) -> None:
        """Press a button for some time."""
        self.run(self.t + 0.5)
        self.play([Contact(button, True, 0.0), Contact(button, False, for_s)])
        self.run(self.t + 0.1)

    def is_lit(self, line: str) -> bool:
        return self.bench.lines()[line]


@pytest.fixture
def table() -> Iterator[DieTable]:
    with tempfile.TemporaryDirectory(prefix="die-") as folder:
        tray = new_tray(size=(1280, 720), seed=11, rugen=False)
        made = DieTable(
            new_header("rugen-house", (("Ann", 100), ("Bo", 100))), PANEL, Path(folder), INSTALLED, fps=FPS,
            sight=DieSight(TrayReader(), THROWS, zone=tray.zone), camera=lambda clock: TrayCamera(tray, clock),
        )  # fmt: skip
        made.tray = tray
        made.run(made.t + 1)
        yield made
        made.close()


@pytest.mark.slow
def test_a_chain_is_thrown_under_the_camera_and_run_from_the_panel(table: DieTable) -> None:
    """Three threes in all; another one is undone and rethrown, one is confirmed with DEAL; no page is used."""
    assert table.command({"do": "bet", "player": "Ann", "on": "chain/3", "amount": 2}, "seat/1") is None
    assert table.command({"do": "bet", "player": "Bo", "on": "center/2", "amount": 2}, "seat/2") is None
    delays = [table.throw("3")]  # 2 day
    view = table.service.glance()
    assert (view["chain"], view["phase"]) == (["2d"], "chain")
    assert {p["name"]: p["coins"] for p in view["players"]} == {"Ann": 98, "Bo": 108}

    table.press("hold", 0.9)
    assert table.is_lit("status/red")
    table.press("hold", 0.9)
    assert not table.is_lit("status/red")

    delays.append(table.throw("7"))  # 3 day
    assert table.service.glance()["chain"] == ["2d", "3d"]
    table.press("undo", 0.9)
    assert table.service.glance()["chain"] == ["2d"]
    delays += [table.throw("8"), table.throw("10")]  # 3 day, 3 night
    assert table.service.glance()["chain"] == ["2d", "3d", "3n"]
    table.tray.put("9")  # 3 day, the third: three breaks; it was put down by hand, so the dealer is asked
    table.run(table.t + 5)
    (question,) = table.service.glance()["questions"]
    assert (question["kind"], question["choices"][0]["id"]) == ("placed", "count")
    assert table.is_lit("lamp/deal")
    table.press("deal")
    view = table.service.glance()
    assert (view["phase"], view["result"]["number"], view["chain"]) == ("chain-start", 3, [])
    assert {p["name"]: p["coins"] for p in view["players"]} == {"Ann": 108, "Bo": 108}
    assert table.thrown == [(3, "camera"), (7, "camera"), (8, "camera"), (10, "camera"), (9, "panel")]
    assert max(delays) <= 0.7
    assert [e["source"] for e in table.journal() if e["do"] in ("undo", "hold", "release")] == ["panel"] * 3
