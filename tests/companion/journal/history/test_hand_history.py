"""The hand history: every hand of every game, step by step, with undo and redo across the boundaries of hands."""

import json
import random

import pytest
from evenings import GAMES, Evening, counted, random_evening

from companion.journal.history.export import as_json
from companion.journal.history.filter import HandFilter
from companion.journal.history.hand_history import HandHistory, Step
from companion.journal.history.results import Outcome
from companion.kernel.accounts import HOUSE, Account
from companion.kernel.errors import BadScript
from companion.kernel.header import opening_ledger
from companion.testing import INSTALLED, new_header

ROCHE = new_header("roche", (("Ann", 50), ("Bo", 50)))
CUT_MAGES = ({"do": "no-more-bets"}, {"do": "deal", "card": "2D1"}, {"do": "deal", "card": "2D2"})


def fetch_from(entries):
    return lambda after, limit: entries[after:] if limit < 0 else entries[after : after + limit]


def history_of(evening: Evening) -> HandHistory:
    return HandHistory(fetch_from(evening.entries), INSTALLED)


def hands(entries, games):
    """Return all hands in a journal's first entries, in order."""
    return HandHistory(fetch_from(entries), games).hands(limit=len(entries))[::-1]


def steps(entries, games, session: int, number: int) -> tuple[Step, ...]:
    return HandHistory(fetch_from(entries), games).steps(session, number) or ()


def roche(*records: dict) -> Evening:
    evening = Evening()
    evening.begin(ROCHE)
    for record in records:
        evening.do(record)
    return evening


BET = {"do": "bet", "player": "Ann", "on": "cut/2", "amount": 5}


@pytest.mark.parametrize("seed", range(3))
def test_every_step_shows_the_table_as_it_was(seed):
    """All games in one journal, queried in any order, with undos that reach back over several hands."""
    evening = random_evening(seed)
    history = history_of(evening)
    known = hands(evening.entries, INSTALLED)
    random.Random(seed).shuffle(known)
    seen = {}
    for hand in known:
        for step in history.steps(hand["session"], hand["number"]):
            assert step.view == evening.views[step.seq], (hand["id"], step)
            seen[step.seq] = step
    assert sorted(seen) == [entry.seq for entry in evening.entries]
    done = {step.seq for step in seen.values() if step.kind == "command" and not step.is_undone}
    verbs = {entry.seq: json.loads(entry.record).get("do") for entry in evening.entries}
    assert {seq for seq in done if verbs[seq] not in ("undo", "redo")} == set(counted(evening))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(4))
def test_results_are_those_of_the_table(game, seed):
    evening = random_evening(seed, (game,))
    found = [hand["result"] for hand in hands(evening.entries, INSTALLED) if hand["result"] is not None]
    assert found == [result for _, result in evening.table.results]


@pytest.mark.parametrize("game", GAMES)
def test_the_transfers_that_count_make_the_balances(game):
    """The moves of all hands add up to the balances: nothing is counted twice, nothing is missing."""
    evening = random_evening(11, (game,))
    history = history_of(evening)
    accounts = dict(opening_ledger(evening.table.header).accounts)
    for hand in history.hands(-1):
        for move in history.moves(hand["session"], hand["number"]):
            t = move.transfer
            accounts[t.payer] = accounts.get(t.payer, 0) - t.coins
            accounts[t.payee] = accounts.get(t.payee, 0) + t.coins
    assert {k: v for k, v in accounts.items() if v} == {
        k: v for k, v in evening.table.position.ledger.accounts.items() if v
    }


@pytest.mark.parametrize("game", ["roche", "rochi", "captains"])
def test_an_undo_further_back_than_a_table_keeps_is_shown_exactly_too(monkeypatch, game):
    monkeypatch.setattr("companion.kernel.table.STEPS_KEPT", 4)
    evening = random_evening(17, (game,))
    for hand in hands(evening.entries, INSTALLED):
        for step in steps(evening.entries, INSTALLED, 1, hand["number"]):
            assert step.view == evening.views[step.seq]


def test_commands_that_the_rules_do_not_take_any_more_have_no_view(monkeypatch):
    evening = roche(BET, *CUT_MAGES)
    entries = [*evening.entries]
    entries[3] = entries[3]._replace(record=json.dumps({"do": "deal", "card": "9D9"}))
    assert [step.view is None for step in steps(entries, INSTALLED, 1, 1)] == [False, False, False, True, True]


def test_a_hand_tells_what_happened_and_how_it_ended():
    evening = roche(BET, *CUT_MAGES)
    (hand,) = hands(evening.entries, INSTALLED)
    assert hand | {"sentences": None, "result": None} == {
        "id": "1-1", "session": 1, "number": 1, "game": "roche", "players": ["Ann", "Bo"], "first": 1, "last": 5,
        "begun": evening.entries[0].at, "ended": evening.entries[4].at, "decided": 5, "head": evening.entries[4].hash,
        "result": None, "is_undone": False, "sentences": None,
        "told": "Mages cut with Mages day 2, all day. 10 won, stake of 5 back: 15 in all",
    }  # fmt: skip
    assert hand["result"]["cut"] == 2
    assert hand["sentences"][1] == "Ann bets 5 on Mages to cut"
    assert hand["sentences"][-1].startswith("Mages cut")


def test_only_commands_that_move_coins_or_decide_are_settled_twice():
    """A bet has no second settlement; for the deciding card the audit's own result is the same as the rules'."""
    history = history_of(roche(BET, *CUT_MAGES))
    bet, decision = (history.settlements(1, 1)[seq] for seq in (2, 5))
    assert history.settlements(1, 1).keys() == {2, 5}
    ann, stake = Account.player("Ann"), Account.stake("Ann", "cut/2")
    assert bet.rows == [(ann, -5, None), (stake, 5, None)]
    assert decision.rows == [(HOUSE, -10, -10), (ann, 15, 15), (stake, -5, -5)]
    unpaid = history_of(roche(*CUT_MAGES)).settlements(1, 1)
    assert [(seq, one.rows) for seq, one in unpaid.items()] == [(4, [])]


def test_what_was_undone_is_struck_through_and_tells_nothing():
    evening = roche(BET, {"do": "undo"}, *CUT_MAGES)
    (hand,) = hands(evening.entries, INSTALLED)
    assert not any("bets 5" in line or "Undone" in line for line in hand["sentences"])
    told = [(step.record.get("do"), step.is_undone) for step in steps(evening.entries, INSTALLED, 1, 1)]
    assert told[:3] == [(None, False), ("bet", True), ("undo", False)]


def test_a_hand_that_was_undone_altogether_says_so_until_it_begins_again():
    evening = roche(*CUT_MAGES, {"do": "new-round"}, BET, {"do": "undo"}, {"do": "undo"})
    first, second = hands(evening.entries, INSTALLED)
    assert second["is_undone"]
    assert not first["is_undone"]
    for record in ({"do": "new-round"}, *CUT_MAGES):
        evening.do(record)
    first, second = hands(evening.entries, INSTALLED)
    assert not second["is_undone"]
    assert second["result"]["cut"] == 2


def test_an_undone_decision_opens_the_hand_again_and_a_redo_closes_it():
    evening = roche(*CUT_MAGES, {"do": "undo"})
    assert hands(evening.entries, INSTALLED)[0]["result"] is None
    evening.do({"do": "redo"})
    hand = hands(evening.entries, INSTALLED)[0]
    assert (hand["result"]["cut"], hand["decided"], hand["last"]) == (2, 4, 6)


def test_what_comes_later_is_taken_in_when_it_is_asked_for():
    evening = roche(BET)
    history = history_of(evening)
    assert history.hand(1, 1)["last"] == 2
    for record in (*CUT_MAGES, {"do": "new-round"}):
        evening.do(record)
    assert [hand["number"] for hand in history.hands()] == [2, 1]
    assert history.hand(1, 1)["result"]["cut"] == 2


def test_private_notices_stay_private():
    evening = roche(BET)
    evening.notice("Dealer log-in refused at 10.0.0.7", private=True)
    (hand,) = hands(evening.entries, INSTALLED)
    assert "log-in" not in json.dumps(hand)
    assert "log-in" not in json.dumps([step.to_json() for step in steps(evening.entries, INSTALLED, 1, 1)])


def test_there_are_no_steps_of_a_hand_that_there_is_not():
    evening = roche(BET)
    assert [steps(evening.entries, INSTALLED, *at) for at in ((1, 2), (2, 1), (1, 0), (0, 0))] == [(), (), (), ()]
    assert history_of(evening).hand(1, 2) is None


# ---- filters


def ids(history: HandHistory, **asked) -> list[str]:
    return [hand["id"] for hand in history.hands(-1, None, HandFilter.checked(INSTALLED, **asked))]


def test_hands_are_found_by_game_session_player_and_how_they_ended():
    evening = roche(BET, *CUT_MAGES, {"do": "new-round"}, {"do": "join", "player": "Cy", "coins": 9})
    for record in ({"do": "bet", "player": "Cy", "on": "cut/7", "amount": 3}, *CUT_MAGES, {"do": "new-round"}):
        evening.do(record)
    evening.begin(new_header("rugen-house", (("Di", 5),)))
    history = history_of(evening)
    assert ids(history) == ["2-1", "1-3", "1-2", "1-1"]
    assert ids(history, game="roche") == ["1-3", "1-2", "1-1"]
    assert ids(history, session=2) == ["2-1"]
    assert ids(history, player="Cy") == ["1-3", "1-2"]
    assert ids(history, player="Ann", result="won") == ["1-1"]
    assert ids(history, player="Cy", result="lost") == ["1-2"]
    assert ids(history, result="open") == ["2-1", "1-3"]
    assert ids(history, result="decided") == ["1-2", "1-1"]
    assert ids(history, result="nobody") == ["1-2"]
    assert ids(history, result="2") == ["1-2", "1-1"]
    assert ids(history, result="7") == []


def test_who_sat_down_by_a_command_that_was_undone_was_never_there():
    evening = roche({"do": "join", "player": "Cy", "coins": 9}, {"do": "undo"})
    assert ids(history_of(evening), player="Cy") == []
    evening.do({"do": "redo"})
    assert ids(history_of(evening), player="Cy") == ["1-1"]


def test_who_sits_down_after_the_end_of_a_hand_waits_for_the_next_one():
    evening = roche(*CUT_MAGES, {"do": "join", "player": "Cy", "coins": 9})
    assert hands(evening.entries, INSTALLED)[0]["players"] == ["Ann", "Bo"]
    evening.do({"do": "new-round"})
    assert hands(evening.entries, INSTALLED)[1]["players"] == ["Ann", "Bo", "Cy"]


@pytest.mark.parametrize("asked", [{"game": "poker"}, {"result": "8"}, {"result": "lost it"}])
def test_what_no_hand_can_be_is_refused(asked):
    with pytest.raises(BadScript):
        HandFilter.checked(INSTALLED, **asked)


def test_a_game_that_there_is_not_is_named_up_to_forty_letters():
    with pytest.raises(BadScript, match=f"^There is no game '{'x' * 40}' here\\. Choose one of "):
        HandFilter.checked(INSTALLED, game="x" * 99)


def test_one_coin_more_or_less_is_won_or_lost_and_so_is_a_hand_without_coins():
    gains = {"Ann": 1, "Bo": -1, "Cy": 0, "Di": 0}
    decided = {"event": "Decided", "decided_by": 2, "won_by": "Di", "gains": gains}
    assert Outcome.of(decided) == Outcome(2, "Di", frozenset({"Ann", "Di"}), frozenset({"Bo"}))
    assert Outcome.of({**decided, "won_by": None}).won == {"Ann"}


def test_an_export_of_nothing_is_an_empty_list():
    assert "".join(as_json([])) == "[]\n"


def test_pages_join_without_gap_or_repetition():
    history = history_of(random_evening(5))
    whole = [hand["id"] for hand in history.hands(-1)]
    paged, before = [], None
    while page := history.hands(3, before):
        paged += [hand["id"] for hand in page]
        before = page[-1]["session"], page[-1]["number"]
    assert paged == whole
    assert len(whole) > 20
