"""Ticks of the pay sheet: they survive a reload and a restart, are undone with it, and a table may wait for them."""

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from service_words import NOON, blocked, code, do

from companion.journal.store import FILE_NAME
from companion.kernel.errors import TableError, WrongPhase
from companion.kernel.table import Header
from companion.service.paying.due import PaySheetJson
from companion.service.settings import TableSettings
from companion.service.snapshot_builder import CLOCK_ENTRIES
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header

TWO = new_header("roche", (("Ann", 100), ("Bo", 50)), {"layout": "basic", "deck": "full"})
ROUND = ("bet Ann cut/2 4", "bet Bo cut/3 9", "no-more-bets", "deal 2D1")
CUT = "deal 2D2"
TAKE, PAY = "take >house", "pay >Ann"

Open = Callable[..., TableService]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Open]:
    """Opens the table on one journal, any number of times."""
    opened: list[TableService] = []

    def open_(waits: bool = False, header: Header = TWO) -> TableService:
        for service in opened:
            service.close()
        settings = TableSettings(wait_for_payments=waits)
        path = tmp_path / FILE_NAME
        opened.append(
            TableService.open(path, header, INSTALLED, settings=settings, clock=lambda: NOON, new_id=lambda: "test")
        )
        return opened[-1]

    yield open_
    for service in opened:
        service.close()


def sheet(service: TableService) -> PaySheetJson:
    found = service.view()["pay_sheet"]
    assert found is not None
    return found


def tick(service: TableService, *steps: str, paid: bool = True) -> None:
    service.tick(sheet(service)["id"], steps, is_paid=paid, source="dealer")


@contextmanager
def refused(with_code: str) -> Iterator[pytest.ExceptionInfo[TableError]]:
    with pytest.raises(TableError) as error:
        yield error
    assert code(error) == with_code


def test_there_is_a_sheet_from_the_decision_until_the_game_goes_on(table: Open) -> None:
    service = table()
    do(service, *ROUND)
    assert service.view()["pay_sheet"] is None
    do(service, CUT)
    steps = [(step["kind"], step["to"], step["coins"], step["own"]) for step in sheet(service)["steps"]]
    assert steps == [("take", "house", 9, 0), ("pay", "Ann", 12, 4)]
    assert (sheet(service)["house"], sheet(service)["left"], sheet(service)["waits"]) == (1, 2, False)
    do(service, "buy-in Bo 20")
    assert sheet(service)["left"] == 2, "coins over the counter have nothing to do with it"
    do(service, "new-round")
    assert service.view()["pay_sheet"] is None


def test_undo_takes_the_sheet_away_and_its_ticks_with_it(table: Open) -> None:
    """The coins went back: a redone decision is to be paid again. The dealer is told what was ticked."""
    service = table()
    do(service, *ROUND, CUT)
    tick(service, TAKE)
    do(service, "undo")
    assert service.view()["pay_sheet"] is None
    do(service, "hold")  # the notice is queued before it
    said = [line["text"] for line in service.view("dealer")["notices"]]
    assert said[-1] == "This was ticked as done and is undone now: Take 9 from 1 spot. Move these coins back."
    do(service, "undo", "redo", "undo", CUT)
    assert sheet(service)["paid"] == []
    service.close()
    assert sheet(table())["paid"] == [], "the same after a start"


def test_an_undo_of_what_came_later_brings_the_sheet_back_as_it_was(table: Open) -> None:
    service = table()
    do(service, *ROUND, CUT)
    tick(service, TAKE, PAY)
    do(service, "new-round", "bet Ann cut/2 1", "undo", "undo")
    assert sheet(service)["paid"] == [TAKE, PAY]
    assert sheet(table())["paid"] == [TAKE, PAY]


def test_ticks_outlive_a_start_and_can_be_taken_back(table: Open) -> None:
    service = table()
    do(service, *ROUND, CUT)
    tick(service, TAKE)
    tick(service, PAY)
    tick(service, TAKE, paid=False)
    for again in (service, table()):
        assert (sheet(again)["paid"], sheet(again)["left"]) == ([PAY], 1)


def test_ticks_outlive_a_start_however_much_was_written_down_since(table: Open) -> None:
    """Else a player who was paid before a long break would be paid again after it."""
    service = table()
    do(service, *ROUND, CUT)
    tick(service, PAY)
    for number in range(3 * CLOCK_ENTRIES):
        service.notice(f"The camera has seen something ({number}).", source="camera")
    do(service, "buy-in Bo 10")
    for again in (service, table()):
        assert (sheet(again)["paid"], sheet(again)["left"]) == ([PAY], 1)


def test_a_tick_is_in_the_journal_with_its_source_and_in_nobodys_way(table: Open) -> None:
    service = table()
    do(service, *ROUND, CUT)
    before = service.view("dealer")
    tick(service, PAY)
    entry = service.events(before["seq"])[-1]
    assert (entry["kind"], entry["source"]) == ("notice", "dealer")
    assert entry["record"]["text"] == "Done: Pay Ann 12: 8 and the stake of 4, which stays or goes back"
    after = service.view("dealer")
    assert (after["log"], after["notices"], after["undo"]) == (before["log"], before["notices"], before["undo"])


def test_what_is_not_on_the_sheet_cannot_be_ticked(table: Open) -> None:
    service = table()
    do(service, *ROUND, CUT)
    old = sheet(service)["id"]
    with refused("nothing-done"):
        service.tick(old, ["pay >Bo"], is_paid=True, source="dealer")
    do(service, "undo", "deal 3D1")
    with refused("nothing-done") as error:
        service.tick(old, [PAY], is_paid=True, source="dealer")
    assert str(error.value.message) == "The pay sheet is another one now, so nothing was ticked. Look at it again."


def test_a_tick_behind_an_undo_in_the_queue_is_told_that_it_comes_too_late(table: Open) -> None:
    """Else the dealer who has paid would not learn that the coins have to come back."""
    service = table()
    do(service, *ROUND, CUT)
    gate = blocked(service)
    with ThreadPoolExecutor() as others:
        undone = others.submit(do, service, "undo")
        time.sleep(0.05)
        ticked = others.submit(tick, service, PAY)
        time.sleep(0.05)
        gate.set()
        undone.result()
        with refused("nothing-done"):
            ticked.result()


def together(service: TableService, *jobs: Callable[[], object]) -> list[Exception | None]:
    """Submit all these in one commit, in this order; return the refusals."""
    gate = blocked(service)
    with ThreadPoolExecutor() as others:
        given = []
        for job in (lambda: do(service, "buy-in Bo 5"), *jobs):  # the first one is written down alone
            given.append(others.submit(job))
            time.sleep(0.05)
        gate.set()
    return [one.exception() for one in given[1:]]  # type: ignore[misc]


def test_what_is_ticked_is_not_waited_for_in_the_same_commit(table: Open) -> None:
    service = table(waits=True)
    do(service, *ROUND, CUT)
    assert together(service, partial(tick, service, TAKE, PAY), partial(do, service, "new-round")) == [None, None]


def test_what_is_done_again_is_waited_for_in_the_same_commit(table: Open) -> None:
    service = table(waits=True)
    do(service, *ROUND, CUT)
    tick(service, TAKE, PAY)
    verbs = ("undo", "undo", "redo", "new-round")
    answers = together(service, *(partial(do, service, verb) for verb in verbs))
    assert [type(one) for one in answers] == [type(None), type(None), type(None), WrongPhase]
    assert sheet(service)["left"] == 2


def test_a_tick_right_before_an_undo_is_warned_of(table: Open) -> None:
    """Both are written in the same commit, but the coins were handed over before."""
    service = table()
    do(service, *ROUND, CUT)
    undo = partial(do, service, "undo")
    assert together(service, partial(tick, service, PAY), undo, undo) == [None] * 3
    assert service.view()["pay_sheet"] is None
    do(service, "hold")  # the notice is queued before it
    said = [line["text"] for line in service.view("dealer")["notices"]]
    assert said[-1] == (
        "This was ticked as done and is undone now: Pay Ann 12: 8 and the stake of 4, which stays or goes back. "
        "Move these coins back."
    )


def test_a_redo_goes_past_no_payments_that_the_table_waits_for(table: Open) -> None:
    """A redone decision is to be paid again, before the next round is redone, too."""
    service = table(waits=True)
    do(service, *ROUND, CUT)
    tick(service, TAKE, PAY)
    do(service, "new-round", "bet Ann cut/2 4", "undo", "undo", "undo", "redo")
    assert sheet(service)["waits"]
    with refused("wrong-phase") as error:
        do(service, "redo")
    assert "2 payments are not ticked yet" in str(error.value.message)
    tick(service, TAKE, PAY)
    do(service, "redo", "redo")
    assert service.view()["staked"] == 4


def test_half_a_sheet_stays_until_it_is_done(table: Open) -> None:
    """A dealer who ticks one payment of two has not dropped the other: it must not vanish with the next round."""
    service = table()
    do(service, *ROUND, CUT)
    tick(service, TAKE)
    do(service, "new-round")
    assert (sheet(service)["is_past"], sheet(service)["left"]) == (True, 1)
    tick(service, PAY)
    assert service.view()["pay_sheet"] is None


def test_a_table_that_waits_takes_nothing_but_undo_hold_and_the_cashier(table: Open) -> None:
    service = table(waits=True)
    do(service, *ROUND, CUT)
    assert sheet(service)["waits"]
    view = service.view("dealer")
    assert view["expected"] == ["buy-in", "cash-out", "hold", "recount", "undo"]
    why = (
        "2 payments are not ticked yet: Take 9 from 1 spot; Pay Ann 12: 8 and the stake of 4, which stays or goes back."
    )
    assert view["reasons"]["new-round"].startswith(why)
    assert service.situation.expected == service.moment().expected == frozenset(view["expected"])
    with refused("wrong-phase") as error:
        do(service, "new-round")
    assert str(error.value.message).startswith(why)
    do(service, "hold", "release", "buy-in Bo 10")
    tick(service, TAKE)
    with refused("wrong-phase"):
        do(service, "new-round")
    tick(service, PAY)
    assert "new-round" in service.view()["expected"]
    do(service, "new-round")


def test_no_other_game_begins_before_all_is_paid(table: Open) -> None:
    """It would begin without the sheet, and players not paid yet never would be."""
    header = new_header("roulette", (("Ann", 100), ("Bo", 50)))
    service = table(waits=True, header=header)
    do(service, "bet Ann red 10", "no-more-bets")
    service.submit({"do": "spin", "pocket": "1"}, source="dealer")
    with refused("wrong-phase") as error:
        service.change_game(TWO, source="dealer")
    assert str(error.value.message).startswith("1 payment is not ticked yet: Pay Ann 20")
    tick(service, PAY)
    service.change_game(TWO, source="dealer")
    assert service.view()["game"] == "roche"


def test_undo_ends_the_waiting(table: Open) -> None:
    service = table(waits=True)
    do(service, *ROUND, CUT, "undo")
    do(service, "deal 3D1")


def test_waiting_is_switched_on_and_off_while_the_table_runs(table: Open) -> None:
    service = table()
    do(service, *ROUND, CUT)
    service.set_settings(TableSettings(wait_for_payments=True))
    assert "new-round" not in service.view()["expected"]
    with refused("wrong-phase"):
        do(service, "new-round")
    service.set_settings(TableSettings())
    do(service, "new-round")


def test_switched_on_after_the_game_went_on_it_waits_for_nothing(table: Open) -> None:
    service = table()
    do(service, *ROUND, CUT, "new-round", "bet Ann cut/2 4")
    service.set_settings(TableSettings(wait_for_payments=True))
    do(service, "bet Bo cut/3 5")
    assert service.view()["pay_sheet"] is None


def test_a_restart_waits_for_what_was_not_ticked(table: Open) -> None:
    service = table(waits=True)
    do(service, *ROUND, CUT)
    tick(service, TAKE)
    service = table(waits=True)
    with refused("wrong-phase"):
        do(service, "new-round")
    tick(service, PAY)
    do(service, "new-round")


def test_a_price_in_the_middle_of_a_hand_is_shown_and_holds_nothing_up(table: Open) -> None:
    """Only decisions, and payments by the house, are worth stopping a game for."""
    service = table(waits=True, header=new_header("rochi", tuple((name, 100) for name in ("Ann", "Bo", "Cy"))))
    do(service, *(f"seed {card}" for card in ("3D1", "3D2", "7D1", "7D2", "6D1", "5D1")))
    service.submit({"do": "play", "card": "7D3"}, source="dealer")
    (step,) = sheet(service)["steps"]
    assert (step["key"], step["says"], step["coins"]) == ("hand Ann>pot/7", "Ann pays the pot of Commons 3", 3)
    assert not sheet(service)["waits"]
    service.submit({"do": "deal", "card": "4D1"}, source="dealer")
    assert sheet(service)["left"] == 1, "the payment is on the screen until the next card is played"


def test_the_next_throw_ends_the_sheet_of_the_last_one(table: Open) -> None:
    """Nobody is paid twice: the payments of the previous throw are gone, although the phase is the same."""
    service = table(header=new_header("rugen-house", (("Ann", 100), ("Bo", 100))))
    for on, amount in (("center/3", 3), ("chain/2", 5)):
        service.submit({"do": "bet", "player": "Ann", "on": on, "amount": amount}, source="dealer")
    service.submit({"do": "throw", "face": "3d"}, source="dealer")
    assert [(step["to"], step["coins"], step["own"]) for step in sheet(service)["steps"]] == [("Ann", 10, 3)]
    service.submit({"do": "throw", "face": "2n"}, source="dealer")
    assert service.view()["pay_sheet"] is None


def test_a_misdeal_says_of_every_street_what_has_to_come_back(table: Open) -> None:
    """Stakes that went into the pot before the flop come back as well as those of the flop."""
    service = table(header=new_header("holdem", (("Ann", 1000), ("Bo", 1000))))

    def give(*records: dict[str, Any]) -> None:
        for record in records:
            service.submit(record, source="dealer")

    def pay() -> None:
        tick(service, *(step["key"] for step in sheet(service)["steps"]))

    blind, other = "Ann", "Bo"
    give({"do": "post"}, *({"do": "hole", "player": name} for name in (other, blind)))
    give({"do": "call"}, {"do": "check"})
    pay()
    give({"do": "board", "cards": ["AS", "TD", "7H"]}, {"do": "bet", "to": 200}, {"do": "call"})
    pay()
    give({"do": "misdeal"}, {"do": "hold"})  # the notice is queued before it
    (said,) = [line["text"] for line in service.view("dealer")["notices"] if "is undone now" in line["text"]]
    assert said == (
        "This was ticked as done and is undone now: Put 100 of the stakes into the main pot; "
        "Put 400 of the stakes into the main pot. Move these coins back."
    )


def test_another_game_begins_without_ticks(table: Open) -> None:
    service = table()
    do(service, *ROUND, CUT)
    tick(service, TAKE)
    do(service, "new-round")
    players = tuple((seat["name"], seat["coins"]) for seat in service.view()["players"])
    service.change_game(new_header("roulette", players), source="dealer")
    assert service.view()["pay_sheet"] is None
    do(service, "hold")
    assert not [line for line in service.view("dealer")["notices"] if "undone" in line["text"]]


def test_a_tick_names_its_steps_in_the_journal_file(table: Open) -> None:
    service = table()
    do(service, *ROUND, CUT)
    tick(service, TAKE)
    data: Any = service.events(service.view()["seq"] - 1)[-1]["record"]["data"]
    assert json.loads(json.dumps(data)) == {"paid": {"sheet": sheet(service)["id"], "steps": [TAKE], "is_paid": True}}


FOUR = ("Ann", "Bo", "Cy", "Dee")
KING = {"do": "rule", "text": "Low", "one": [1, 2], "two": 3}


def reveal_eight_points(service: TableService) -> None:
    """Ann guesses with a bonus that nobody earns: 8 points, so a garnet from the house; nobody bets on king."""
    votes = [{"do": "vote", "player": name, "for": "Ann"} for name in FOUR]
    bets = [{"do": "bet", "player": name, "space": 6} for name in FOUR[1:]]
    bonus = [{"do": "buy-bonus", "player": "Ann"}, {"do": "use-bonus", "player": "Ann"}]
    for given in (*votes, *bonus, KING, {"do": "guess", "range": "0-1"}, *bets, {"do": "reveal"}):
        service.submit(given, source="dealer")


@pytest.mark.parametrize(
    ("rounds", "asked", "word"),
    [(2, "succession", {"do": "elect", "player": "Bo"}), (1, "choose", {"do": "choose", "player": "Dee"})],
)
def test_what_only_completes_a_decision_leaves_its_payments_due(
    table: Open, rounds: int, asked: str, word: dict[str, Any]
) -> None:
    """The king elects by phone while the dealer still looks for the garnet: the sheet must not disappear."""
    service = table(header=new_header("king-of-roulette", tuple((name, 4) for name in FOUR), {"rounds": rounds}))
    reveal_eight_points(service)
    assert service.view()["phase"] == asked
    due = keys(service)
    assert due == [("pay >Ann", 1)]
    service.submit({"do": "buy-in", "player": "Cy", "coins": 3}, source="dealer")
    service.submit(word, source="seat/1")
    assert keys(service) == due
    assert not sheet(service)["is_past"]
    tick(service, "pay >Ann")
    assert sheet(service)["left"] == 0
    if rounds == 1:
        service.submit({"do": "new-game"}, source="dealer")
        assert service.view()["pay_sheet"] is None


def buy(service: TableService, player: str, do: str = "buy-bonus") -> None:
    service.submit({"do": do, "player": player} if do == "buy-bonus" else {"do": do}, source="seat/1")


def keys(service: TableService) -> list[tuple[str, int]]:
    return [(step["key"].partition(": ")[2] or step["key"], step["coins"]) for step in sheet(service)["steps"]]


GARNET, BO, CY = ("pay >Ann", 1), ("hand Bo>house", 2), ("hand Cy>house", 2)


@pytest.fixture
def kings(table: Open) -> TableService:
    """Round 2, and the dealer owes Ann a garnet for round 1."""
    service = table(header=new_header("king-of-roulette", tuple((name, 9) for name in FOUR), {"rounds": 3}))
    reveal_eight_points(service)
    service.submit({"do": "elect", "player": "Bo"}, source="seat/1")
    return service


def test_purchases_take_no_payments_off_the_sheet(kings: TableService) -> None:
    """Phones buy in quick succession, while the dealer still looks for the garnet of the previous round."""
    assert keys(kings) == [GARNET]
    for player in ("Bo", "Cy", "Bo"):
        buy(kings, player)
    assert keys(kings) == [GARNET, BO, CY, (BO[0], 3)]
    assert sheet(kings)["house"] == -1 + 2 + 2 + 3
    tick(kings, "pay >Ann", sheet(kings)["steps"][2]["key"])
    buy(kings, "Dee")
    assert (len(sheet(kings)["paid"]), sheet(kings)["left"]) == (2, 3), "what is ticked stays ticked"


def test_a_purchase_that_is_undone_goes_alone_with_its_tick(kings: TableService) -> None:
    buy(kings, "Bo")
    buy(kings, "Cy")
    tick(kings, *(step["key"] for step in sheet(kings)["steps"]))
    assert sheet(kings)["left"] == 0
    do(kings, "undo")
    assert keys(kings) == [GARNET, BO]
    assert sheet(kings)["left"] == 0
    do(kings, "hold", "release")  # the notice is queued before it
    said = [line["text"] for line in kings.view("dealer")["notices"] if "undone" in line["text"]]
    assert said == ["This was ticked as done and is undone now: Cy pays the house 2. Move these coins back."]
    buy(kings, "Cy")
    assert (keys(kings), sheet(kings)["left"]) == ([GARNET, BO, CY], 1), "paid back and bought anew: to be paid again"
    tick(kings, "pay >Ann", paid=False)
    do(kings, "hold", "release")
    assert len([line for line in kings.view("dealer")["notices"] if "undone" in line["text"]]) == 1


def reveal(service: TableService, ann: int) -> None:
    """Reveal round 2 or 3, with Ann's bet; on 3 she reaches 10 points, so a garnet. Dee follows as king."""
    state: dict[str, Any] = {**service.view()}
    bets: dict[str, Any] = {name: 6 for name in FOUR if name != state["king"]} | {"Ann": ann}
    bets |= {"Dee": "king"} if "Dee" in bets else {}
    placed = [{"do": "bet", "player": name, "space": space} for name, space in bets.items()]
    for given in (KING, {"do": "guess", "range": "2-3"}, *placed, {"do": "reveal"}):
        service.submit(given, source="dealer")


def undone(service: TableService) -> list[str]:
    do(service, "hold", "release")  # the notice is queued before it
    return [line["text"] for line in service.view("dealer")["notices"] if "undone" in line["text"]]


def test_a_purchase_before_the_reveal_stays_when_somebody_buys_after_it(kings: TableService) -> None:
    """The reveal did not pay for it: it remains due until the next reveal."""
    buy(kings, "Bo")
    reveal(kings, ann=6)
    assert keys(kings) == [BO], "nobody gets a garnet for this round"
    buy(kings, "Cy")
    assert keys(kings) == [BO, CY]
    tick(kings, sheet(kings)["steps"][0]["key"])
    buy(kings, "Dee")
    assert (keys(kings), sheet(kings)["left"]) == ([BO, CY, ("hand Dee>house", 2)], 2)


def test_a_purchase_stays_beside_what_the_reveal_of_its_round_pays(kings: TableService) -> None:
    """A garnet must not remove from the sheet what another player still has to pay."""
    buy(kings, "Bo")
    buy(kings, "Cy")
    tick(kings, sheet(kings)["steps"][1]["key"])
    reveal(kings, ann=3)
    assert keys(kings) == [BO, CY, GARNET]
    assert sheet(kings)["paid"] == [sheet(kings)["steps"][0]["key"]], "what was ticked before is ticked still"
    assert (sheet(kings)["left"], sheet(kings)["house"]) == (2, 2 + 2 - 1)
    buy(kings, "Dee")
    assert keys(kings) == [BO, CY, GARNET, ("hand Dee>house", 2)]


def test_where_nothing_was_ever_ticked_what_a_reveal_pays_takes_the_place_of_all_before(kings: TableService) -> None:
    """If nobody ticks payments, the sheet must make room for those of the reveal."""
    buy(kings, "Bo")
    reveal(kings, ann=3)
    assert keys(kings) == [GARNET]
    buy(kings, "Cy")
    assert keys(kings) == [GARNET, CY]


def test_the_reveal_after_the_next_ends_what_was_due_for_a_purchase(kings: TableService) -> None:
    tick(kings, "pay >Ann")
    buy(kings, "Bo")
    reveal(kings, ann=3)
    buy(kings, "Cy")
    reveal(kings, ann=6)
    assert keys(kings) == [CY], "like the garnet that nobody ticked"


def test_of_an_undone_reveal_only_its_own_payments_have_to_come_back(kings: TableService) -> None:
    buy(kings, "Bo")
    tick(kings, sheet(kings)["steps"][1]["key"])
    reveal(kings, ann=3)
    assert keys(kings) == [BO, GARNET]
    tick(kings, sheet(kings)["steps"][1]["key"])
    do(kings, "undo")
    assert (keys(kings), sheet(kings)["left"]) == ([GARNET, BO], 1), "the garnet of the round before is open"
    assert undone(kings) == ["This was ticked as done and is undone now: Pay Ann 1. Move these coins back."]


def test_a_purchase_ticked_on_two_sheets_comes_back_once(kings: TableService) -> None:
    buy(kings, "Bo")
    tick(kings, sheet(kings)["steps"][1]["key"])
    reveal(kings, ann=3)
    bought = sheet(kings)["steps"][0]["key"]
    tick(kings, bought, paid=False)
    assert sheet(kings)["paid"] == []
    tick(kings, bought)
    do(kings, "undo", *["undo"] * 5)
    assert undone(kings) == []
    do(kings, "undo", "undo", "undo")
    assert keys(kings) == [GARNET]
    assert undone(kings) == ["This was ticked as done and is undone now: Bo pays the house 2. Move these coins back."]


def test_ticks_of_purchases_outlive_a_start(table: Open) -> None:
    header = new_header("king-of-roulette", tuple((name, 9) for name in FOUR), {"rounds": 3})
    service = table(header=header)
    reveal_eight_points(service)
    service.submit({"do": "elect", "player": "Bo"}, source="seat/1")
    buy(service, "Bo")
    buy(service, "Cy")
    tick(service, sheet(service)["steps"][1]["key"])
    paid = sheet(service)["paid"]
    assert len(paid) == 1
    assert sheet(table(header=header))["paid"] == paid


def test_a_pot_is_paid_in_the_chips_that_are_played_with(table: Open) -> None:
    """With a smallest chip of 25 nobody has a 10 to pay with, although the house has them elsewhere."""
    options = {"blinds": [25, 50], "min_chip": 25}
    service = table(header=new_header("holdem", (("Ann", 500), ("Bo", 500)), options))
    for given in ({"do": "post"}, *({"do": "hole", "player": name} for name in ("Bo", "Ann")), {"do": "fold"}):
        service.submit(given, source="dealer")
    (take, pay) = sheet(service)["steps"]
    assert take["chips"] == pay["chips"] == [{"value": 25, "count": 2}]
    assert pay["own_chips"] == [{"value": 25, "count": 1}]
    assert [payment["chips"] for payment in service.view()["payments"]] == [[25], [25], [25, 25]]
