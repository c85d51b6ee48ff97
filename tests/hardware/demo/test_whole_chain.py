"""A round of Roche from rendered pixels to paid bets, with all components of a real table."""

import time

import pytest

from companion.games.roche.camera.interpreter import RocheInterpreter
from companion.games.roche.demo.agent import RocheAgent, Timing
from companion.games.roche.demo.felt import felt_of
from companion.objects.decks import DeckStore
from companion.service.table_service import TableService
from companion.testing import DECKS, INSTALLED, new_header
from companion.tracking.cards.sight import CardSight
from companion.tracking.cards.zones import Zones
from companion.tracking.watch import TableWatch
from companion.vision.live.reader import Reader
from hardware.cameras import ReconnectingCamera
from hardware.demo.camera import DemoCamera
from hardware.demo.card_table import new_card_table


@pytest.mark.slow
def test_the_house_plays_a_round_that_only_the_camera_sees(tmp_path):
    """Every card laid on the felt was dealt by the camera, in order, and the coins add up."""
    deck = DeckStore(tmp_path, DECKS).new("roche")
    felt = new_card_table(deck, felt_of(deck.cards), seed=5, pace=1.5)
    timing = Timing(betting_s=2, result_s=60)
    with TableService.open(tmp_path / "journal.sqlite", new_header("roche", (), {}), INSTALLED) as service:
        camera = ReconnectingCamera(lambda: DemoCamera(felt, 25))
        watch = TableWatch(
            camera,
            CardSight(Reader({deck.id: deck.key}, DECKS), RocheInterpreter(), zones=Zones(INSTALLED.mats)),
            service,
        )
        with watch, RocheAgent(service, felt, seed=6, timing=timing):
            watch.start()
            end = time.monotonic() + 150
            while service.view()["phase"] != "settled" and time.monotonic() < end:
                service.wait(service.version, 1.0)
        view = service.view()
        deals = [entry for entry in service.events(limit=1000) if entry["do"] == "deal"]
    assert view["phase"] == "settled"
    assert [card.id for card in felt.lying] == view["dealt"]
    assert {entry["source"] for entry in deals} == {"camera"}
    coins = sum(player["coins"] + player["staked"] for player in view["players"])
    assert coins + view["house"] == 4 * 200
