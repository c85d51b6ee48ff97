"""The demo agent plays by the real rules, only through commands and the felt."""

import random
import time
from dataclasses import replace
from pathlib import Path

import pytest
from demo_world import asked

from companion.config.file import load_config
from companion.games.roche.demo.agent import INCIDENTS, RocheAgent
from companion.games.roche.demo.players import NAMES, plan_bets
from companion.games.rugen.demo.players import plan
from companion.kernel.errors import WrongPhase
from companion.kernel.messages import message
from companion.kernel.table import Table
from companion.locale import Translator
from companion.testing import INSTALLED, moment_at, new_table
from hardware.demo.camera import DemoCamera
from hardware.demo.felt_table import DemoError


def test_it_plays_whole_rounds_and_never_says_which_card_was_dealt(world):
    """Three automatic rounds: bets, no more bets, cards by the camera, a cut, a new round; no coin is lost."""
    table = world()
    assert table.run(until=lambda: len(table.service.table.results) == 3)
    said = {e["record"]["do"] for e in table.service.entries if e["source"] == "demo"}
    assert (
        {"join", "bet", "no-more-bets", "new-round"} <= said <= {"join", "bet", "no-more-bets", "new-round", "buy-in"}
    )
    assert len(table.service.said("deal", "camera")) == len(table.service.said("deal"))
    players = {record["player"] for record in table.service.said("bet")}
    assert players == set(NAMES)


def test_bets_come_before_the_deal_and_leave_people_time(world):
    table = world()
    table.run(seconds=3.5)
    assert table.service.view()["phase"] == "betting"
    assert table.agent.state()["betting_left_s"] > 0
    assert not table.felt.lying
    assert table.run(seconds=4, until=lambda: table.service.view()["phase"] == "dealing")


def test_the_next_card_waits_until_the_table_shows_the_last(world):
    """With a blind camera one card is laid, then nothing for minutes."""
    table = world(is_watching=False)
    table.run(seconds=90)
    assert len(table.felt.lying) == 1
    assert "does not count" in table.agent.state()["text"]


def test_the_result_stays_a_while_before_the_cards_are_gathered(world):
    table = world()
    table.run(until=lambda: table.service.view()["phase"] == "settled")
    count = len(table.felt.lying)
    table.run(seconds=1.5)
    assert len(table.felt.lying) == count
    assert table.service.view()["phase"] == "settled"


def test_the_felt_is_empty_before_a_new_round_is_called(world):
    table = world()
    table.run(until=lambda: table.service.said("new-round"))
    assert table.felt.lying == ()


def test_a_person_takes_over_by_pressing_deal(world):
    """One press deals one card; minutes later the agent still leaves the table to the person."""
    table = world()
    table.run(seconds=1)
    table.agent.deal()
    assert table.service.view()["phase"] == "dealing"
    table.run(seconds=60)
    assert len(table.service.view()["dealt"]) == 1
    assert table.agent.state()["auto"] is False
    table.agent.deal()
    table.run(seconds=10)
    assert len(table.service.view()["dealt"]) == 2


def test_auto_goes_on_where_the_person_stopped(world):
    table = world(auto=False)
    table.run(seconds=3)
    table.agent.deal()
    table.run(seconds=5)
    table.agent.auto(True)
    assert table.run(until=lambda: len(table.service.table.results) == 1)


def test_simulated_players_bet_also_when_a_person_deals(world):
    table = world(auto=False)
    table.run(seconds=6)
    assert table.service.said("bet")
    assert table.service.view()["phase"] == "betting"


def test_a_person_gathers_after_the_cut_and_a_new_round_begins(world):
    table = world()
    table.run(until=lambda: table.service.view()["phase"] == "settled")
    table.agent.auto(False)
    table.run(seconds=10)
    with pytest.raises(DemoError, match="The round is over"):
        table.agent.deal()
    table.agent.gather()
    assert table.run(seconds=20, until=lambda: table.service.view()["round"] == 2 and len(table.felt.deck_left) == 54)


def test_pressing_twice_at_once_says_to_wait(world):
    table = world(auto=False)
    table.run(seconds=3)
    table.agent.deal()
    with pytest.raises(DemoError, match="still over the table"):
        table.agent.deal()


@pytest.mark.parametrize(
    ("language", "said"),
    [("de", "Der Demo-Tisch sendet Bilder."), ("es", "La mesa de demostración envía imágenes.")],
)
def test_the_demo_camera_is_named_in_the_pages_language(language, said):
    """The camera tab tells the dealer that the camera sends pictures."""
    assert Translator([])(message("{camera} sends pictures.", camera=DemoCamera.name), language) == said


def test_a_deal_on_hold_is_refused_by_the_table(world):
    table = world(auto=False)
    table.run(seconds=3)
    table.service.submit({"do": "hold"}, source="dealer")
    with pytest.raises(WrongPhase):
        table.agent.deal()
    assert not table.felt.busy


def test_it_waits_while_the_dealer_is_asked_and_decides_nothing(world):
    table = world()
    table.run(until=lambda: len(table.service.view()["dealt"]) == 2)
    table.service.questions.append(asked("q1", "forged"))
    commands = len(table.service.entries)
    table.run(seconds=120)
    assert len(table.service.entries) == commands
    table.service.questions.clear()
    assert table.run(seconds=30, until=lambda: len(table.service.view()["dealt"]) > 2)


def test_a_restart_in_the_middle_of_a_round_lays_the_dealt_cards_again(world):
    """The table is restored from its journal on a new felt: the same cards are laid, and the round continues."""
    first = world()
    first.run(until=lambda: len(first.service.view()["dealt"]) == 5)
    again = world(first.service, seed=8)
    again.run(seconds=0.2)
    dealt = again.service.view()["dealt"]
    assert [card.id for card in again.felt.lying] == dealt
    assert set(again.felt.deck_left).isdisjoint(dealt)
    assert again.run(until=lambda: again.service.table.results)
    assert len(again.service.said("join")) == len(NAMES)


def test_a_restart_after_the_cut_still_shows_the_result_first(world):
    first = world()
    first.run(until=lambda: first.service.view()["phase"] == "settled")
    again = world(first.service)
    again.run(seconds=1)
    assert len(again.felt.lying) == len(again.service.view()["dealt"])
    assert again.run(until=lambda: again.service.view()["round"] == 2)


def test_broke_players_buy_in_again(world, service):
    table = world(service(players=[(NAMES[0], 3), ("Guest", 2)]))
    table.run(seconds=8)
    assert table.service.said("buy-in") == [{"do": "buy-in", "player": NAMES[0], "coins": 200}]
    assert {record["player"] for record in table.service.said("bet")} == {NAMES[0]}
    assert not table.service.said("join")


def test_a_table_minimum_is_kept(world, service):
    table = world(service(options={"min": 20}))
    table.run(seconds=8)
    assert table.service.said("bet")
    assert all(record["amount"] >= 20 for record in table.service.said("bet"))


def test_a_card_dealt_by_hand_on_the_dashboard_is_laid_on_the_felt(world):
    table = world(auto=False)
    table.run(seconds=3)
    table.service.submit({"do": "no-more-bets"}, source="dealer")
    table.service.submit({"do": "deal", "card": "6D3"}, source="dealer")
    table.run(seconds=10)
    assert [card.id for card in table.felt.lying] == ["6D3"]


def test_an_undone_card_is_left_to_the_dealer(world):
    table = world(is_watching=False)
    table.run(until=lambda: table.felt.lying and not table.felt.busy)
    table.look()
    table.service.submit({"do": "undo"}, source="dealer")
    commands = len(table.service.entries)
    table.run(seconds=60)
    assert (len(table.felt.lying), len(table.service.entries)) == (1, commands)


@pytest.mark.parametrize("kind", ["forged", "foreign", "face-down"])
def test_a_wrong_card_is_dealt_and_can_be_tidied_away(world, kind):
    table = world(auto=False)
    table.run(seconds=3)
    table.agent.deal()
    table.run(seconds=8)
    table.agent.cause_incident(kind)
    table.run(seconds=8)
    wrong = table.felt.lying[-1]
    assert (wrong.make, wrong.face_up) == ("genuine" if kind == "face-down" else kind, kind != "face-down")
    table.agent.cause_incident("tidy")
    table.run(seconds=8)
    assert [card.id for card in table.felt.lying] == table.service.view()["dealt"]


def test_a_duplicate_and_a_removed_card(world):
    table = world(auto=False)
    table.run(seconds=3)
    table.agent.deal()
    table.run(seconds=8)
    table.agent.cause_incident("duplicate")
    table.run(seconds=8)
    assert [card.id for card in table.felt.lying] == 2 * table.service.view()["dealt"]
    table.agent.cause_incident("tidy")
    table.run(seconds=8)
    table.agent.cause_incident("remove")
    table.run(seconds=8)
    assert table.felt.lying == ()
    assert len(table.service.view()["dealt"]) == 1


def test_a_card_before_no_more_bets_is_swept_away_if_nobody_is_asked(world):
    table = world(auto=False)
    table.run(seconds=3)
    table.agent.cause_incident("early")
    assert table.run(seconds=5, until=lambda: bool(table.felt.lying))
    assert table.run(seconds=30, until=lambda: not table.felt.lying and len(table.felt.deck_left) == 54)
    assert table.service.view()["round"] == 1


def test_nobody_is_told_which_card_lies_face_down(world):
    table = world()
    table.run(until=lambda: len(table.service.view()["dealt"]) == 1 and not table.felt.busy)
    table.agent.cause_incident("face-down")
    hidden = []
    for _ in range(300):
        table.run(seconds=0.1)
        hidden = [card.id for card in table.felt.lying if not card.face_up] or hidden
        assert not any(card in str(table.agent.state()) for card in hidden)
    assert "A card face down still does not count" in table.agent.state()["text"]


def test_simulated_players_stop_betting_when_told(world):
    table = world(auto=False)
    table.agent.players(False)
    table.run(seconds=20)
    assert table.service.said("bet") == table.service.said("buy-in") == []
    assert table.agent.state()["players"] is False
    table.agent.players(True)
    assert table.run(until=lambda: bool(table.service.said("bet")))


def test_what_cannot_happen_now_says_why_before_it_is_pressed_and_what_can_says_so(world):
    table = world(auto=False)
    table.run(seconds=3)
    why = {one["kind"]: one.get("why") for one in table.agent.state()["mischief"]}
    assert why["glare"] == why["remove"] == why["duplicate"] == "No card lies on the demo table. Deal one first."
    assert why["early"] is None
    assert table.agent.cause_incident("tidy") == "Nothing lies wrong."
    table.agent.deal()
    table.run(seconds=8)
    why = {one["kind"]: one.get("why") for one in table.agent.state()["mischief"]}
    assert why["early"] == "The bets are closed already. Try it before the next deal."
    assert why["glare"] is None
    assert table.agent.cause_incident("glare") == "It happens now: Mirror a lamp in the last card."


def test_unknown_incident_names_what_there_is(world):
    with pytest.raises(DemoError, match=r"no mischief 'fire'\. Choose one of forged"):
        world().agent.cause_incident("fire")


@pytest.mark.parametrize("kind", ["glare", "remove", "duplicate"])
def test_incident_with_a_card_needs_a_card(world, kind):
    with pytest.raises(DemoError, match="Deal one first"):
        world().agent.cause_incident(kind)


def test_the_state_offers_every_incident_with_a_label(world):
    state = world().agent.state()
    assert {entry["kind"] for entry in state["mischief"]} == set(INCIDENTS)


def test_its_thread_starts_and_stops(world):
    table = world()
    with table.agent:
        end = time.monotonic() + 5
        while not table.service.said("join") and time.monotonic() < end:
            time.sleep(0.01)
        assert table.service.said("join")
    table.agent.close()
    assert not table.agent._thread.is_alive()


def test_a_refused_command_does_not_end_the_thread(world):
    """If somebody else closes the bets at the same moment, the agent replans."""
    table = world()
    refused = []

    def submit(record, **how):
        refused.append(record)
        raise WrongPhase("Not now. Wait.")

    table.service.submit = submit
    with RocheAgent(table.service, table.felt, clock=lambda: table.now) as agent:
        end = time.monotonic() + 5
        while len(refused) < 2 and time.monotonic() < end:
            time.sleep(0.01)
        assert agent._thread.is_alive()
    assert len(refused) >= 2


def test_plans_stay_within_a_third_of_the_purse():
    rng = random.Random(5)
    for _ in range(300):
        coins = rng.randrange(0, 90)
        bets = plan_bets(moment_at(new_table("roche", [("Ann", coins)])), ["Ann"], rng, within_s=10)
        assert sum(bet.record["amount"] for bet in bets) <= coins // 3
        assert all(0 < bet.at_s < 10 and bet.who == ("Ann",) for bet in bets)


@pytest.mark.parametrize("game", ["roche", "rugen-house", "rugen-capital"])
def test_the_demo_players_bet_within_the_limits_of_a_fresh_table(game: str, tmp_path: Path) -> None:
    """No bet is rejected as too high, even with the largest layout and the highest prices."""
    path = tmp_path / "companion.toml"
    path.write_text(f'[table]\ngame = "{game}"\nlayout = "grand"\n[rugen-capital]\nschedule = "high"\n')
    rng, placed = random.Random(11), 0
    for _ in range(60):
        table = Table(replace(load_config(path, INSTALLED)[1], players=tuple((name, 400) for name in NAMES)))
        moment = moment_at(table)
        if game == "roche":
            records = [bet.record for bet in plan_bets(moment, NAMES, rng, within_s=9)]
        else:
            records = [record for record, _ in plan(moment, NAMES, rng)]
        for record in records:
            table.do(record)
            placed += 1
    assert placed > 60
