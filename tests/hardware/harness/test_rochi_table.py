"""A complete Rochi table: printed cards read by the camera code, buttons by their pins, the real rules."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.config.panel import PanelConfig
from companion.games.rochi.camera.interpreter import RochiInterpreter
from companion.games.rochi.demo.moves import Deal
from companion.games.rochi.demo.table import DemoRochiTable
from companion.testing import DECKS, INSTALLED, new_header
from companion.tracking.cards.sight import CardSight
from companion.tracking.cards.zones import Zones
from companion.vision.live.reader import Reader
from hardware.cameras import ReconnectingCamera
from hardware.demo.camera import DemoCamera
from hardware.harness.fast_table import FastTable
from hardware.harness.mock_rig import harness_deck, harness_faces
from hardware.harness.rig import Contact

FPS = 10.0
SEEDS = ("6D1", "6N1", "5D1", "7D1", "7D2", "2D1")
pytestmark = pytest.mark.slow


class RochiTable(FastTable):
    """Three players, and a camera over the Rochi mat."""

    felt: DemoRochiTable

    def press(self, button: str) -> None:
        self.play([Contact(button, True, 0.0), Contact(button, False, 0.08)])

    def until(self, check: Callable[[], bool], seconds: float = 30.0) -> None:
        ends = self.t + seconds
        while not check():
            assert self.t < ends, self.service.glance()["prompt"]
            self.run(self.t + 0.1)

    def view(self) -> dict[str, Any]:
        self.settle()
        return self.service.glance()


@pytest.fixture
def table() -> Iterator[RochiTable]:
    """A table after seeding by printed cards before the camera."""
    deck = harness_deck(DECKS["roche"])
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="rochi-", dir=memory if memory.is_dir() else None) as folder:
        felts: list[DemoRochiTable] = []

        def camera(clock: Callable[[], float]) -> ReconnectingCamera:
            felts.append(DemoRochiTable(harness_faces(DECKS["roche"]), pace=2.0, cards=deck.cards, clock=clock))
            return ReconnectingCamera(
                lambda: DemoCamera(felts[0], FPS, paced=False, clock=clock), name="demo", clock=clock
            )

        sight = CardSight(Reader({deck.id: deck.key}, DECKS), RochiInterpreter(), zones=Zones(INSTALLED.mats))
        header = new_header("rochi", (("Ann", 100), ("Bo", 100), ("Cy", 100)))
        made = RochiTable(
            header, PanelConfig(lamp_test_s=0.0), Path(folder), INSTALLED, sight=sight, camera=camera, fps=FPS
        )
        made.felt = felts[0]
        made.felt.sit((1, 2, 3))
        made.felt.move(*(Deal(1, card) for card in SEEDS))
        made.until(lambda: made.view()["phase"] == "turns", 90.0)
        yield made
        made.close()


def test_next_counts_the_card_that_lies_there_as_dealt_and_ends_the_turn(table: RochiTable) -> None:
    """Ann deals, and the dealer presses NEXT before the companion knows whether the card was played or dealt."""
    table.run(table.t + 1.5)
    table.felt.move(Deal(1, "3D1"))
    table.until(lambda: bool(table.view()["sight"].get("waits_for")) or table.view()["done"]["deal"])
    table.press("next")
    table.until(lambda: table.view()["turn"] == "Bo", 10.0)
    told = [(e["record"]["do"], e["source"]) for e in table.journal() if e["kind"] == "command"]
    assert told[-2:] == [("deal", "camera"), ("end", "panel")]


def test_play_said_beforehand_decides(table: RochiTable) -> None:
    """PLAY before the card makes it a play, although nobody moves the token."""
    table.run(table.t + 1.5)
    table.press("play")
    assert table.view()["intention"] == "play"
    table.felt.move(Deal(1, "3D1"))
    table.until(lambda: table.view()["done"]["play"])
    assert table.view()["stacks"][1]["owner"] == "Ann"
