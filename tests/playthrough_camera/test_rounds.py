"""Whole rounds of Roche through real pixels: every card once, in order, nothing else."""

import random

import pytest

from .conftest import FULL_HD

pytestmark = pytest.mark.thorough


def play_round(table) -> None:
    """Deal until a suit is cut; after every card the table knows just what lies there."""
    table.open_deal()
    while table.view["phase"] == "dealing":
        table.deal()
        assert table.dealt == table.lying
        assert table.kinds == []


def clear_away(table) -> None:
    table.demo.gather()
    table.rest()
    table.do("new-round")
    assert table.until_calm(1.5)


@pytest.mark.parametrize("seed", [2, 12])
def test_a_round_is_read_and_paid_right(make_table, seed):
    table = make_table(seed=seed, size=FULL_HD)
    table.do("bet", player="Ann", on="cut/7", amount=10)
    table.do("bet", player="Bo", on="cut/2", amount=10)
    play_round(table)
    cut = table.view["result"]["cut"]
    assert table.view["result"]["last"] == table.lying[-1]
    assert sum(card[0] == str(cut) for card in table.lying) == cut
    paid = {bet["on"]: bet["won"] > 0 for bet in table.view["result"]["paid"]}
    assert paid == {"cut/7": cut == 7, "cut/2": cut == 2}
    clear_away(table)


def test_every_deal_has_its_evidence(make_table):
    table = make_table(seed=5)
    table.open_deal()
    for _ in range(3):
        table.deal()
    deals = [e for e in table.service.events(0, 100) if e["do"] == "deal"]
    assert [e["record"]["card"] for e in deals] == table.lying
    for entry in deals:
        assert entry["source"] == "camera"
        exhibit = table.evidence.get(entry["record"]["evidence"])
        assert exhibit.facts["id"] == entry["record"]["card"]
        assert exhibit.facts["status"] == "ok"
        assert exhibit.jpeg[:2] == b"\xff\xd8"


@pytest.mark.thorough
def test_a_fast_dealer_at_thirty_frames_a_second(make_table):
    table = make_table(seed=7, fps=30, pace=1.7, size=FULL_HD)
    table.open_deal()
    for _ in range(5):
        table.deal()
    assert table.dealt == table.lying
    assert table.watch.stats()["deals"] == 5


def test_dealt_cards_are_known_again_after_a_restart(table):
    table.open_deal()
    for _ in range(4):
        table.deal()
    table.restart_watch()
    table.run(3)
    assert table.kinds_seen == []
    table.deal()
    assert table.dealt == table.lying
    assert len(table.dealt) == 5


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_two_hundred_rounds(make_table, seed):
    """Ten rounds on each of twenty tables, dealers of every temper, hands that pass over the cards."""
    rng = random.Random(1000 + seed)
    table = make_table(seed=100 + seed, fps=rng.choice([10, 15, 30]), pace=rng.uniform(0.8, 1.8), size=FULL_HD)
    for _ in range(10):
        table.open_deal()
        while table.view["phase"] == "dealing":
            table.deal()
            if rng.random() < 0.15:
                table.demo.wave_hand()
                table.rest()
            assert table.dealt == table.lying
            assert table.kinds == []
        clear_away(table)


@pytest.mark.parametrize("fps", [10, 30])
@pytest.mark.thorough
def test_swept_cards_are_gone_as_soon_as_the_felt_is_bare(make_table, fps):
    table = make_table(seed=3, fps=fps)
    table.open_deal()
    for _ in range(8):
        table.deal()
    table.demo.gather()
    table.rest(after=0.0)
    for _ in range(fps // 2):
        reading = table.reader.read(table.camera.read(1.0))
    assert reading.cards == ()
