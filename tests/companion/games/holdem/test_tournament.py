"""Tournament rules one by one: clock and levels, antes, rebuys, chip race, places and prizes."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pydantic import ValidationError

from companion.app.timekeeper import Timekeeper
from companion.games.holdem.tournament.clock import due
from companion.games.holdem.tournament.levels import Level, ladder, schedule
from companion.games.holdem.tournament.options import TournamentOptions
from companion.games.holdem.tournament.race import race_for
from companion.games.holdem.tournament.tour import Out, Tour, payouts
from companion.journal.hash_chain import iso
from companion.kernel.errors import BadScript, TableError
from companion.plugins.options import OptionError
from companion.service.clocks.table_clock import CLOCK_SET
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header, new_table

GAME = "holdem-tournament"
LEVELS = [
    {"blinds": [25, 50], "ante": 25, "minutes": 20},
    {"break": 10},
    {"blinds": [100, 200], "chip": 100, "minutes": 20},
]
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def at(minutes, seconds=0):
    return (NOON + timedelta(minutes=minutes, seconds=seconds)).isoformat()


def tournament(*names, coins=1000, **options):
    return new_table(GAME, [(name, coins) for name in names or ("Ann", "Bo", "Cy")], {"levels": LEVELS, **options})


def refused(table, **record):
    before = table.position
    with pytest.raises(TableError) as refusal:
        table.do(record)
    assert table.position is before
    return refusal.value.code


def balances(table):
    return {name: coins for name, coins in table.position.ledger.players.items() if coins}


def deal(table):
    table.do({"do": "post"})
    while table.phase == "hole":
        table.do({"do": "hole", "player": table.position.state.turn})


def knock_out(table, winner):
    """Let everybody go all-in and one player win."""
    deal(table)
    while table.phase == "preflop":
        table.do({"do": "call" if "all-in" not in table.expected() else "all-in"})
    pairs = iter([["KS", "KD"], ["JS", "JD"], ["TS", "TD"], ["8S", "8D"]])
    for player in [one for one in table.position.state.players if not one.folded]:
        cards = ["AS", "AD"] if player.name == winner else next(pairs)
        table.do({"do": "table", "player": player.name, "cards": cards})
    for cards in (["2C", "3H", "7D"], ["9C"], ["QH"]):
        table.do({"do": "board", "cards": cards})


# ---- options


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"levels": []}, "'levels' is a list"),
        ({"levels": [{"break": 5}]}, "Begin with a level"),
        ({"levels": [{"blinds": [50, 25]}]}, "no larger than the big blind"),
        ({"levels": [{"blinds": [25, 50], "minutes": 0}]}, "'minutes' is a whole number from 1"),
        ({"levels": [{"blinds": [25, 50], "chip": 10}]}, "whole chips of 10"),
        ({"levels": [{"blinds": [25, 50], "rake": 1}]}, "no 'rake'"),
        ({"levels": [{"blinds": [100, 200], "chip": 100}, {"blinds": [150, 300], "chip": 50}]}, "Chips only grow"),
        ({"prizes": [60, 30]}, "come to 100"),
        ({"prizes": [30, 70]}, "from the first place down"),
        ({"rebuy_until": 2, "levels": LEVELS}, "0 to 1"),
        ({"add_on": 100}, "needs 'rebuy_until'"),
        ({"blinds": [25, 50]}, "no option 'blinds'"),
    ],
)
def test_options_that_cannot_be_are_refused(options, why):
    with pytest.raises(BadScript, match=why):
        new_table(GAME, [("Ann", 100), ("Bo", 100)], options)


def test_the_usual_levels_can_be_played_from_every_smallest_chip(tmp_path):
    for chip in (1, 5, 25, 100):
        levels = schedule(ladder(chip, antes=True))
        assert all(not coins % one.chip for one in levels if one.blinds for coins in (*one.blinds, one.ante))
    header = TournamentOptions(rebuy_until=3, add_on=500, prizes="two").header(tmp_path)
    assert header["prizes"] == [65, 35]
    assert new_table(GAME, [("Ann", 100), ("Bo", 100)], header).view()["tournament"]["rebuy_until"] == 3


def test_the_configuration_names_the_option_that_is_wrong(tmp_path):
    with pytest.raises(OptionError) as error:
        TournamentOptions(levels=[{"break": 5}]).header(tmp_path)
    assert error.value.key == ("levels",)
    with pytest.raises(OptionError) as error:
        TournamentOptions(add_on=5).header(tmp_path)
    assert error.value.key == ("add_on",)
    with pytest.raises(ValidationError):
        TournamentOptions(rebuy_until=40)


# ---- the clock


def test_the_clock_counts_only_while_it_runs():
    table = tournament()
    table.do({"do": "start-clock", "at": at(0)})
    table.do({"do": "pause-clock", "at": at(5, 30)})
    assert table.view()["tournament"]["clock"] == {"seconds": 1200, "used": 330, "runs": False, "since": None}
    table.do({"do": "start-clock", "at": at(60)})
    assert due(table.position.state, at(74, 29)) is None
    assert due(table.position.state, at(74, 30)) == {"do": "next-level"}


def test_a_clock_that_was_set_back_takes_nothing_away():
    table = tournament()
    table.do({"do": "start-clock", "at": at(10)})
    table.do({"do": "pause-clock", "at": at(3)})
    assert table.view()["tournament"]["clock"]["used"] == 0


def test_levels_change_between_hands_only():
    table = tournament()
    table.do({"do": "start-clock", "at": at(0)})
    deal(table)
    assert refused(table, do="next-level") == "wrong-phase"
    assert due(table.position.state, at(300)) is None
    table.do({"do": "fold"})
    table.do({"do": "fold"})
    assert due(table.position.state, at(300)) == {"do": "next-level"}
    table.do({"do": "next-level", "at": at(300)})
    assert table.phase == "break"
    assert refused(table, do="post") == "wrong-phase"
    table.do({"do": "undo"})
    assert table.view()["tournament"]["clock"]["since"] == at(0)


def test_the_clock_does_not_decide_the_tournament():
    """If only one player has coins, the dealer decides whether somebody rebuys."""
    table = tournament("Ann", "Bo", rebuy_until=1)
    table.do({"do": "start-clock", "at": at(0)})
    knock_out(table, "Ann")
    assert due(table.position.state, at(300)) is None
    assert table.view()["prompt"] == "Let somebody come in again, or close the rebuys"


# ---- hands


def test_antes_are_no_part_of_a_bet():
    table = tournament()
    deal(table)
    assert table.result()["pots"] == {"main": 75}
    assert table.result()["state"]["bets"] == {"Ann": 25, "Bo": 50}
    assert table.view()["to_call"] == 50


def test_an_ante_that_is_all_a_player_has_makes_a_pot_of_its_own():
    table = tournament()
    deal(table)
    table.do({"do": "raise", "to": 950})
    table.do({"do": "fold"})
    table.do({"do": "fold"})
    table.do({"do": "recount", "player": "Bo", "coins": 10, "reason": "counted again"})
    deal(table)
    assert table.result()["pots"] == {"main": 30, "side-1": 30}
    assert [pot.claims for pot in table.position.state.filled] == [("Bo", "Cy", "Ann"), ("Cy", "Ann")]


def test_the_big_blind_may_put_in_one_ante_for_everybody():
    """It goes into the main pot, is not part of a bet, and goes to the winner even if nobody calls."""
    table = tournament(big_blind_ante=True)
    deal(table)
    assert table.result()["pots"] == {"main": 25}
    assert (table.view()["to_call"], balances(table)["Bo"]) == (50, 925)
    table.do({"do": "raise", "to": 150})
    table.do({"do": "fold"})
    table.do({"do": "fold"})
    assert balances(table) == {"Ann": 975, "Bo": 925, "Cy": 1100}
    table.do({"do": "recount", "player": "Cy", "coins": 60, "reason": "counted again"})
    deal(table)
    assert table.result()["pots"] == {"main": 10}, "the blind first: what is left of 60 is all of the ante"


def test_the_usual_levels_have_one_ante_as_large_as_the_big_blind():
    header = TournamentOptions(big_blind_ante=True).header(None)
    assert header["big_blind_ante"] is True
    assert all(
        one.ante == (one.blinds[1] if one.number >= 5 else 0) for one in schedule(header["levels"]) if one.blinds
    )


def test_everybody_begins_with_the_same_stack():
    table = new_table(GAME, [("Ann", 1000), ("Bo", 900), ("Cy", 0)], {"levels": LEVELS})
    assert refused(table, do="post") == "not-offered"
    table.do({"do": "buy-in", "player": "Bo", "coins": 100})
    table.do({"do": "post"})
    assert table.position.state.tour.entrants == ("Ann", "Bo")


# ---- entrants


def test_coins_come_and_go_only_by_rebuys_once_it_has_begun():
    table = tournament("Ann", "Bo", "Cy", rebuy_until=1, add_on=300)
    knock_out(table, "Ann")
    for verb in ("buy-in", "cash-out"):
        assert refused(table, do=verb, player="Ann", coins=5) == "wrong-phase"
    assert refused(table, do="leave", player="Bo") == "not-offered"
    assert refused(table, do="rebuy", player="Ann") == "not-offered"
    table.do({"do": "rebuy", "player": "Bo"})
    table.do({"do": "add-on", "player": "Bo"})
    assert refused(table, do="add-on", player="Bo") == "not-offered"
    assert balances(table) == {"Ann": 3000, "Bo": 1300}
    assert refused(table, do="join", player="Dee", coins=1000) == "bad-amount"
    table.do({"do": "join", "player": "Dee"})
    table.do({"do": "rebuy", "player": "Dee"})
    told = table.view()["tournament"]
    assert (told["entrants"], told["left"], told["pool"], told["average"]) == (4, 3, 5300, 1766)
    assert (told["rebuys"], told["out"]) == (1, ["Cy"])


@pytest.mark.parametrize(("aside", "left"), [(1500, 200), (1200, 0), (100, 0)])
def test_a_rebuy_and_an_add_on_take_what_was_put_aside_first(aside, left):
    """On a casino night a player's coins beyond the stack are set aside, and pay for rebuys."""
    table = new_table(GAME, (), {"levels": LEVELS, "rebuy_until": 1, "add_on": 300})
    for name, more in (("Ann", 0), ("Bo", aside), ("Cy", 0)):
        table.do({"do": "join", "player": name, "coins": 1000, "aside": more})
    knock_out(table, "Ann")
    for verb in ("rebuy", "add-on"):
        table.do({"do": verb, "player": "Bo"})
    ledger = table.position.ledger
    assert table.position.hold is None
    assert (ledger.balance("Bo"), ledger.aside("Bo"), ledger.total) == (1300, left, 0)
    assert ledger.brought["Bo"] == 1000 + max(aside, 1300)


def test_everybody_comes_with_a_stack_after_another_game():
    plugin = INSTALLED[GAME]
    assert plugin.rules.usual_buy_in(tournament().position.state) == 2000
    assert plugin.rules.usual_buy_in(tournament(buy_in=1500).position.state) == 1500
    assert TournamentOptions(buy_in=1500).header(Path())["buy_in"] == 1500
    assert "buy_in" not in TournamentOptions().header(Path())


def test_rebuys_end_with_their_last_level_and_its_break():
    table = tournament("Ann", "Bo", "Cy", rebuy_until=1)
    knock_out(table, "Ann")
    table.do({"do": "rebuy", "player": "Bo"})
    table.do({"do": "next-level"})
    table.do({"do": "rebuy", "player": "Cy"})
    table.do({"do": "next-level"})
    assert refused(table, do="rebuy", player="Cy") == "wrong-phase"


def test_another_game_waits_until_it_is_over():
    table = tournament()
    rules = INSTALLED[GAME].rules
    assert rules.unfinished(table.position.state) is None
    deal(table)
    table.do({"do": "fold"})
    table.do({"do": "fold"})
    assert rules.unfinished(table.position.state) == "a tournament is under way"
    table.do({"do": "call-off"})
    assert rules.unfinished(table.position.state) is None
    table.do({"do": "cash-out", "player": "Ann"})


# ---- the chip race


def test_a_chip_race_makes_no_coins_and_takes_nobody_out():
    assert race_for(100, {"Ann": 75, "Bo": 100, "Cy": 900}) is None
    race = race_for(100, {"Ann": 1075, "Bo": 350, "Cy": 75, "Di": 150})
    assert (race.chips, race.rest) == (1, 75)
    assert [name for name, _ in race.odd] == ["Ann", "Bo", "Di"]


def test_no_hand_begins_before_the_chip_race():
    table = tournament("Ann", "Bo", "Cy", coins=1025)
    deal(table)
    table.do({"do": "fold"})
    table.do({"do": "fold"})
    table.do({"do": "next-level"})
    table.do({"do": "next-level"})
    assert balances(table) == {"Ann": 975, "Bo": 1100, "Cy": 1000}
    race = table.view()["tournament"]["race"]
    assert race == {"chip": 100, "chips": 0, "odd": {"Ann": 75}}
    assert refused(table, do="post") == "wrong-phase"
    assert refused(table, do="chip-race", winners=["Ann"]) == "not-offered"
    table.do({"do": "chip-race", "winners": []})
    assert balances(table) == {"Ann": 975, "Bo": 1100, "Cy": 1000}, "less than a chip stays with the first"
    table.do({"do": "post"})


# ---- places and prizes


def tour(out, prizes=(50, 30, 20), pool=1000, names="ABCDE"):
    return Tour((Level(1, 20, (1, 2)),), prizes, stack=1, entrants=tuple(names), pool=pool, out=tuple(out))


def told(places):
    return [(one.place, one.player, one.coins) for one in places]


SEATS = {name: number for number, name in enumerate("ABCDE", start=1)}


def test_who_lasts_longer_places_higher():
    out = [Out("E", 3, 10), Out("A", 5, 10), Out("C", 9, 10), Out("D", 12, 10)]
    assert told(payouts(tour(out), SEATS)) == [(1, "B", 500), (2, "D", 300), (3, "C", 200), (4, "A", 0), (5, "E", 0)]


def test_of_one_hand_more_chips_at_its_start_place_higher():
    out = [Out("E", 3, 10), Out("D", 3, 20), Out("A", 3, 15), Out("C", 3, 5)]
    assert [one.player for one in payouts(tour(out), SEATS)] == ["B", "D", "A", "E", "C"]


def test_as_many_chips_share_the_place_and_its_prizes():
    out = [Out("E", 3, 10), Out("D", 3, 20), Out("A", 3, 20), Out("C", 3, 20)]
    assert told(payouts(tour(out, pool=1010), SEATS)) == [
        (1, "B", 505), (2, "A", 169), (2, "C", 168), (2, "D", 168), (5, "E", 0),
    ]  # fmt: skip


def test_prizes_of_places_that_nobody_takes_are_the_winners():
    assert told(payouts(tour([Out("A", 3, 10)], names="AB", pool=999), SEATS)) == [(1, "B", 700), (2, "A", 299)]


def test_the_prizes_are_paid_from_what_the_winner_has():
    table = tournament()
    knock_out(table, "Bo")
    assert table.phase == "over"
    assert balances(table) == {"Bo": 1500, "Ann": 750, "Cy": 750}
    assert table.results[-1][1]["places"][1] == {"place": 2, "player": "Ann", "coins": 750}
    table.do({"do": "undo"})
    assert table.phase == "deal-river"


# ---- at a real table


def test_the_table_writes_the_time_and_its_clock_goes_to_the_next_level(tmp_path):
    times = [NOON]
    header = new_header(GAME, [("Ann", 1000), ("Bo", 1000)], {"levels": LEVELS})
    with TableService.open(tmp_path / "journal.db", header, INSTALLED, clock=lambda: times[0]) as service:
        clock = Timekeeper(service)
        record = {"do": "start-clock", "at": "2000-01-01T00:00:00Z"}
        first = service.submit(record, source="dealer", key="start")
        times[0] += timedelta(minutes=19)
        for again in (record, {"do": "start-clock"}, {"at": "a client's", "do": "start-clock"}):
            assert service.submit(again, source="dealer", key="start") == first, "sent again, it is the same command"
        with pytest.raises(TableError, match="belongs to another command"):
            service.submit({"do": "pause-clock"}, source="dealer", key="start")
        clock.look()
        assert service.view()["tournament"]["clock"]["since"] == "2026-05-01T12:00:00.000Z"
        times[0] += timedelta(minutes=1)
        clock.look()
        assert service.view()["phase"] == "break"
        entry = service.events(0)[-1]
        assert (entry["source"], entry["record"]) == ("clock", {"do": "next-level", "at": "2026-05-01T12:20:00.000Z"})
        service.submit({"do": "undo"}, source="dealer")
        clock.look()
        assert service.view()["phase"] == "ready", "what was undone is not done again while it could be redone"
        service.submit({"do": "hold"}, source="dealer")
        clock.look()
        assert service.view()["hold"]
        seen = service.view()["tournament"]
    with TableService.open(tmp_path / "journal.db", header, INSTALLED) as again:
        assert again.view()["tournament"] == seen, "a start from the journal has the same times"


def test_a_level_that_the_dealer_ends_as_its_time_is_over_is_followed_by_the_next_one(tmp_path):
    """The clock still has the old level, and must not end the one that the dealer has started."""
    times = [NOON]
    header = new_header(GAME, [("Ann", 1000), ("Bo", 1000)], {"levels": LEVELS})
    with TableService.open(tmp_path / "journal.db", header, INSTALLED, clock=lambda: times[0]) as service:

        def now():
            if service.view()["phase"] == "ready":
                service.submit({"do": "next-level"}, source="dealer")
            return iso(times[0])

        service.submit({"do": "start-clock"}, source="dealer")
        times[0] += timedelta(minutes=20)
        Timekeeper(service, now=now).look()
        assert service.view()["phase"] == "break"


def test_the_clock_loses_nobody_what_was_undone_as_it_looked(tmp_path):
    """The table has the state the clock has seen, but with a redo that the clock does not know."""
    times = [NOON]
    header = new_header(GAME, [("Ann", 1000), ("Bo", 1000)], {"levels": LEVELS})
    with TableService.open(tmp_path / "journal.db", header, INSTALLED, clock=lambda: times[0]) as service:

        def now():
            service.submit({"do": "pause-clock"}, source="dealer")
            service.submit({"do": "undo"}, source="dealer")
            return iso(times[0])

        service.submit({"do": "start-clock"}, source="dealer")
        times[0] += timedelta(minutes=20)
        Timekeeper(service, now=now).look()
        assert "redo" in service.view()["expected"]


def by_clock(folder):
    """Return settable wall-clock and monotonic times, a table with them, and a function that advances both."""
    times = [NOON, 50.0]
    header = new_header(GAME, [("Ann", 1000), ("Bo", 1000)], {"levels": LEVELS})

    def table():
        clock = {"clock": lambda: times[0], "passed": lambda: times[1]}
        return TableService.open(folder / "journal.db", header, INSTALLED, **clock)

    def go_on(service, minutes):
        times[0] += timedelta(minutes=minutes)
        times[1] += 60 * minutes
        Timekeeper(service).look()
        return service.view()["phase"], service.view()["tournament"]["clock"]["used"]

    return times, table, go_on


@pytest.mark.parametrize("hours", [6, -6])
def test_a_level_takes_as_long_as_it_takes_when_the_machine_clock_is_set(tmp_path, hours):
    """A small computer gets the time from the network in the middle of a level; later the power fails."""
    times, table, go_on = by_clock(tmp_path)
    with table() as service:
        service.submit({"do": "start-clock"}, source="dealer")
        assert go_on(service, 5) == ("ready", 0)
        assert "clock_set" not in service.view()
        times[0] += timedelta(hours=hours)
        assert go_on(service, 1) == ("ready", 0)
        service.notice("The clock was set.", source="clock", data={CLOCK_SET: 3600 * hours})
        service.submit({"do": "pause-clock"}, source="dealer")
        assert go_on(service, 9) == ("ready", 360)
        service.submit({"do": "start-clock"}, source="dealer")
        assert service.view()["clock_set"] == 3600 * hours
        assert go_on(service, 13) == ("ready", 360)
    with table() as service:
        assert service.view()["clock_set"] == 3600 * hours
        assert go_on(service, 0.9) == ("ready", 360)
        assert go_on(service, 0.1) == ("break", 0)


@pytest.mark.parametrize("begins_with", [NOON.replace(year=1970), NOON - timedelta(minutes=30)], ids=["1970", "saved"])
def test_a_level_goes_on_after_a_power_cut_on_a_machine_without_a_clock(tmp_path, begins_with):
    """Its clock is slow at the start and set a minute later, without any gain or loss of level time."""
    times, table, go_on = by_clock(tmp_path)
    with table() as service:
        service.submit({"do": "start-clock"}, source="dealer")
        assert go_on(service, 5) == ("ready", 0)
        service.notice("the latest entry", source="camera")
    right = times[0] + timedelta(minutes=3)
    times[:] = begins_with, 20.0
    with table() as service:
        behind = right - times[0]
        assert go_on(service, 1) == ("ready", 0)
        times[0] += behind
        service.wait(service.version, 1.0)
        service.notice("The clock was set.", source="clock", data={CLOCK_SET: int(behind.total_seconds())})
        assert go_on(service, 9) == ("ready", 0)
        assert abs(service.view()["clock_set"] - 180) <= 1
    with table() as service:
        assert go_on(service, 4.9) == ("ready", 0)
        assert go_on(service, 0.2) == ("break", 0)


def test_pages_hear_of_a_clock_that_was_set_although_nobody_gives_a_command(tmp_path):
    times = [NOON]
    header = new_header(GAME, [("Ann", 1000), ("Bo", 1000)], {"levels": LEVELS})
    clock = {"clock": lambda: times[0], "passed": lambda: 50.0}
    with TableService.open(tmp_path / "journal.db", header, INSTALLED, **clock) as service:
        version = service.wait(-1, 1.0)
        times[0] += timedelta(minutes=2)
        assert service.wait(version, 5.0) > version
        assert service.view()["clock_set"] == 120
