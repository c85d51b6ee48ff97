"""Rounds of blackjack from rendered pixels to paid bets: cards and chips are read by the game's own camera code."""

import cv2
import pytest

from companion.games.blackjack.demo.agent import BlackjackAgent, Timing
from companion.games.blackjack.demo.table import new_blackjack_table
from companion.games.blackjack.plugin import BLACKJACK
from companion.games.standard_deck.design import STANDARD
from companion.objects.decks import Deck
from companion.plugins.perception import CardSettings
from companion.service.table_service import TableService
from companion.testing import DECKS, INSTALLED, MATS, new_header
from companion.tracking.cards.sight import CardSight
from companion.tracking.cards.tracker import Tracker
from companion.tracking.cards.zones import Zones
from companion.tracking.chips import ChipsOnMat
from companion.tracking.watch import TableWatch
from companion.vision.frame import Frame
from companion.vision.live.reader import Reader
from hardware.demo.felt_table import DemoError

FPS = 10
ROUNDS = 3
MISHAPS = ("wrong-box", "flash")
"""Incidents, one per round, as soon as possible."""
DECK = Deck("K7QX", STANDARD, "Home", b"k" * 32, "2026-01-01T00:00:00.000+00:00")


class Camera:
    """Renders a new picture on each read."""

    name = "table"

    def __init__(self, table):
        self.table, self.t, self.number = table, 0.0, 0

    def read(self, timeout_s):
        self.t, self.number = self.t + 1 / FPS, self.number + 1
        return Frame(self.table.picture(self.t), self.t, self.number)

    def close(self):
        pass


@pytest.mark.slow
def test_rounds_are_booked_as_they_were_dealt(tmp_path):
    """In spite of incidents, every counted card lies in its place, and no coin appears or disappears."""
    cv2.setNumThreads(1)
    table = new_blackjack_table(DECK, seed=4, pace=3)
    camera, mishaps, decided = Camera(table), list(MISHAPS), 0
    header = new_header("blackjack", (("Aubrey", 1500), ("Benedict", 1500), ("Celia", 1500)))
    with TableService.open(tmp_path / "journal.sqlite", header, INSTALLED) as service:
        sight = CardSight(
            Reader({DECK.id: DECK.key}, DECKS), BLACKJACK.perception.interpreter(CardSettings()), zones=Zones(MATS),
            tracker=Tracker(several=DECKS.twice), chips=ChipsOnMat(),
        )  # fmt: skip
        watch = TableWatch(camera, sight, service, clock=lambda: camera.t)
        timing = Timing(open_s=2.5, betting_s=2, asked_s=1, incident_s=3, result_s=1)
        agent = BlackjackAgent(service, table, seed=3, timing=timing, clock=lambda: camera.t)
        last = None
        while decided < ROUNDS and camera.t < 400:
            watch.turn()
            agent.tick()
            state = service.moment().state
            if state.decided is not last:
                last, decided = state.decided, decided + 1
                assert_dealt(state.decided, table)
            if mishaps and decided >= len(MISHAPS) - len(mishaps):
                mishaps = mishaps[_try(agent, mishaps[0]) :]
        view = service.view()
    assert (decided, mishaps) == (ROUNDS, [])
    assert sum(player["coins"] + player["staked"] for player in view["players"]) + view["house"] == 4500


def assert_dealt(decided, table):
    """Compare the counted cards with those on the table."""
    lying = {}
    for thing in table.lying:
        lying.setdefault(thing.where.split("/")[0] + thing.where[3:5], []).append(thing.card.id)
    counted = {f"box/{box.seat}": sorted(card for hand in box.hands for card in hand.cards) for box in decided.boxes}
    assert {where: sorted(cards) for where, cards in lying.items() if where.startswith("box")} == counted
    assert [thing.card.id for thing in table.lying if thing.where == "dealer"] == list(decided.dealer)


def _try(agent, kind):
    """Try an incident; return 1 if it was possible."""
    try:
        agent.cause_incident(kind)
    except DemoError:
        return 0
    return 1
