"""Hold'em, rule by rule; whole evenings are compared with a referee beside this folder."""

import json
from dataclasses import replace

import pytest

from companion.games.holdem.options import HoldemOptions
from companion.games.holdem.plugin import PHONE
from companion.games.holdem.rules import Holdem
from companion.kernel.accounts import Account
from companion.kernel.commands import parse_command
from companion.kernel.errors import BadScript, TableError
from companion.kernel.ledger import Transfer
from companion.kernel.script import replay
from companion.plugins.options import OptionError
from companion.testing import INSTALLED, new_table

NAMES = ("Ann", "Bo", "Cy", "Dee")
FLOP = {"do": "board", "cards": ["2S", "7D", "JH"]}


def table(*said, coins=(1000, 1000, 1000), options=None, hole=True):
    """Return a table after the start of a hand and these actions; Ann has the small blind except heads-up."""
    players = list(zip(NAMES, coins, strict=False))
    new = new_table("holdem", players, options)
    new.do({"do": "post"})
    while hole and new.phase == "hole":
        new.do({"do": "hole", "player": new.position.state.turn})
    for record in said:
        new.do({"do": record} if isinstance(record, str) else record)
    return new


def to(verb, coins):
    return {"do": verb, "to": coins}


def code_of(at, record):
    before = at.position
    with pytest.raises(TableError) as refused:
        at.do({"do": record} if isinstance(record, str) else record)
    assert at.position is before
    return refused.value.code


def state(at):
    return at.result()["state"]


# ---- setup


@pytest.mark.parametrize("count", [0, 1, 11])
def test_two_to_ten_play(count):
    header = {"game": "holdem", "players": [{"name": f"P{n}", "coins": 100} for n in range(count)]}
    error = replay([json.dumps(header)], INSTALLED).result["error"]
    assert (error["code"], error["line"]) == ("bad-script", 1)


@pytest.mark.parametrize(
    "options",
    [
        {"blinds": [50, 25]}, {"blinds": [0, 50]}, {"blinds": [50]}, {"blinds": 50}, {"blinds": [25, 50.0]},
        {"blinds": [True, 50]}, {"blinds": None}, {"blinds": [10, 20]}, {"min_chip": 0}, {"min_chip": "25"},
        {"min_chip": 20}, {"min_chip": 50}, {"button": 0}, {"button": 4}, {"button": "1"}, {"button": None},
        {"button": True}, {"ante": 5},
    ],
)  # fmt: skip
def test_an_option_that_cannot_be_is_refused(options):
    with pytest.raises(BadScript):
        table(options=options)


def test_the_form_of_set_up_becomes_the_headers_options(tmp_path):
    chosen = HoldemOptions(small_blind=5, big_blind=10, min_chip=5)
    assert chosen.header(tmp_path) == {"blinds": [5, 10], "min_chip": 5}
    assert HoldemOptions(button=2).header(tmp_path) == {"blinds": [25, 50], "min_chip": 25, "button": 2}
    for wrong in ({"small_blind": 75}, {"min_chip": 20}, {"big_blind": 60}):
        with pytest.raises(OptionError):
            HoldemOptions(**wrong).header(tmp_path)


# ---- button and blinds


@pytest.mark.parametrize(
    ("coins", "options", "button", "first"),
    [
        ((100, 100), {}, "Ann", "Ann"),
        ((100, 100), {"button": 2}, "Bo", "Bo"),
        ((100, 100, 100), {}, "Cy", "Cy"),
        ((100, 100, 100, 100), {}, "Dee", "Cy"),
        ((0, 100, 100, 100), {"button": 1}, "Bo", "Bo"),
        ((100, 0, 100, 0), {}, "Ann", "Ann"),
    ],
)
def test_the_button_and_who_acts_first(coins, options, button, first):
    at = table(coins=coins, options=options)
    assert (state(at)["button"], state(at)["turn"]) == (button, first)


def test_the_button_moves_to_the_next_seat_with_coins():
    at = table("fold", "fold", coins=(1000, 50, 1000))
    assert at.result()["balances"] == {"Ann": 975, "Bo": 75, "Cy": 1000}
    at.do({"do": "cash-out", "player": "Ann"})
    at.do({"do": "post"})
    assert state(at)["button"] == "Bo"


def test_a_hand_needs_two_players_with_coins():
    at = new_table("holdem", [("Ann", 100), ("Bo", 0)])
    assert code_of(at, "post") == "not-enough-coins"


def test_cards_are_dealt_clockwise_from_left_of_the_button():
    at = table(hole=False)
    assert code_of(at, {"do": "hole", "player": "Bo"}) == "not-your-turn"
    assert code_of(at, {"do": "hole", "player": "Eve"}) == "unknown-player"
    assert code_of(at, "fold") == "wrong-phase"
    for name in ("Ann", "Bo", "Cy"):
        assert state(at)["turn"] == name
        at.do({"do": "hole", "player": name})
    assert at.phase == "preflop"


def test_coins_neither_come_nor_go_during_a_hand():
    at = table(hole=False)
    assert code_of(at, {"do": "buy-in", "player": "Eve", "coins": 5}) == "wrong-phase"
    assert code_of(at, {"do": "cash-out", "player": "Ann"}) == "wrong-phase"


# ---- order of errors


@pytest.mark.parametrize(
    ("record", "code"),
    [
        ({}, "bad-script"),
        ({"do": ""}, "bad-script"),
        ({"do": 5}, "bad-script"),
        ({"do": "spin"}, "unknown-verb"),
        ({"do": "post"}, "wrong-phase"),
        ({"do": "raise"}, "bad-script"),
        ({"do": "raise", "to": 100, "player": ""}, "bad-script"),
        ({"do": "raise", "to": 100, "player": 5}, "bad-script"),
        ({"do": "raise", "to": 0, "player": "Eve"}, "unknown-player"),
        ({"do": "raise", "to": 0, "player": "Ann"}, "not-your-turn"),
        ({"do": "raise", "to": 0}, "bad-amount"),
        ({"do": "raise", "to": "100"}, "bad-amount"),
        ({"do": "raise", "to": 100.0}, "bad-amount"),
        ({"do": "raise", "to": None}, "bad-amount"),
        ({"do": "raise", "to": 50}, "bad-amount"),
        ({"do": "raise", "to": 99}, "bad-amount"),
        ({"do": "raise", "to": 110}, "bad-amount"),
        ({"do": "raise", "to": 1001}, "bad-amount"),
        ({"do": "raise", "to": 1025}, "not-enough-coins"),
        ({"do": "bet", "to": 0}, "not-offered"),
        ({"do": "check"}, "not-offered"),
        ({"do": "board"}, "bad-script"),
        ({"do": "board", "cards": []}, "bad-script"),
        ({"do": "board", "cards": ["AS", "AS"]}, "bad-script"),
        ({"do": "board", "cards": ["AS", "", "KD"]}, "bad-script"),
        ({"do": "board", "cards": "AS TD KD"}, "bad-script"),
        ({"do": "board", "cards": ["XX", "XX", "XX"]}, "wrong-phase"),
        ({"do": "show", "player": "Eve", "cards": ["AS"]}, "bad-script"),
        ({"do": "show", "player": "Eve", "cards": ["AS", "XX"]}, "wrong-phase"),
        ({"do": "muck", "player": ""}, "bad-script"),
        ({"do": "muck", "player": "Eve"}, "wrong-phase"),
        ({"do": "cash-out", "player": "Eve"}, "wrong-phase"),
        ({"do": "release"}, "wrong-phase"),
        ({"do": "redo"}, "nothing-done"),
    ],
)
def test_before_the_flop(record, code):
    assert code_of(table(), record) == code


@pytest.mark.parametrize(
    ("record", "code"),
    [
        ({"do": "board", "cards": ["AS"]}, "bad-script"),
        ({"do": "board", "cards": ["AS", "XX", "AS"]}, "unknown-card"),
        ({"do": "board", "cards": ["AS", "10D", "KD"]}, "unknown-card"),
        ({"do": "board", "cards": ["AS", "as", "KD"]}, "unknown-card"),
        ({"do": "board", "cards": ["AS", "KD", "AS"]}, "card-seen"),
    ],
)
def test_on_the_flop_to_come(record, code):
    assert code_of(table("call", "call", "check"), record) == code


@pytest.mark.parametrize(
    ("record", "code"),
    [
        ({"do": "show", "player": "Eve", "cards": ["XX", "XX"]}, "unknown-player"),
        ({"do": "show", "player": "Bo", "cards": ["XX", "XX"]}, "not-your-turn"),
        ({"do": "show", "player": "Ann", "cards": ["2S", "XX"]}, "unknown-card"),
        ({"do": "show", "player": "Ann", "cards": ["2S", "AS"]}, "card-seen"),
        ({"do": "show", "player": "Ann", "cards": ["AS", "AS"]}, "card-seen"),
        ({"do": "muck", "player": "Bo"}, "not-your-turn"),
    ],
)
def test_at_the_showdown(record, code):
    at = table("all-in", "all-in", "all-in", FLOP, *({"do": "board", "cards": [card]} for card in ("3C", "4D")))
    assert state(at)["turn"] == "Ann"
    assert code_of(at, record) == code


def test_a_held_table_takes_only_release_undo_and_redo():
    at = table("hold")
    assert code_of(at, "call") == "wrong-phase"
    assert code_of(at, "hold") == "wrong-phase"
    assert code_of(at, {"do": "raise"}) == "bad-script"
    at.do({"do": "undo"})
    at.do({"do": "redo"})
    at.do({"do": "release"})
    at.do({"do": "call"})


# ---- sizes


def test_a_raise_is_at_least_the_one_before():
    at = table(to("raise", 150))
    assert state(at)["raise_to"] == 250
    assert code_of(at, to("raise", 225)) == "bad-amount"
    at.do(to("raise", 400))
    assert state(at)["raise_to"] == 650


def test_a_full_all_in_makes_the_step_and_the_next_raise_is_in_whole_chips():
    at = table("all-in", coins=(1000, 1000, 187))
    assert (state(at)["bet"], state(at)["raise_to"]) == (187, 325)
    assert code_of(at, to("raise", 324)) == "bad-amount"
    at.do(to("raise", 325))


def test_a_short_all_in_leaves_the_step_and_does_not_reopen():
    at = table(to("raise", 150), "fold", "all-in", coins=(1000, 230, 1000))
    assert (state(at)["bet"], state(at)["raise_to"]) == (230, 350)
    assert "raise" not in at.expected()
    assert code_of(at, to("raise", 350)) == "not-offered"
    assert code_of(at, "all-in") == "not-offered"
    at.do({"do": "call"})


def test_a_short_bet_does_not_reopen_for_whoever_checked():
    at = table("call", "call", "check", FLOP, "check", "check", "all-in", coins=(1000, 1000, 80))
    assert state(at)["bet"] == 30
    assert code_of(at, to("raise", 100)) == "not-offered"
    assert code_of(at, to("bet", 100)) == "not-offered"


def test_nobody_raises_alone():
    at = table("all-in", "fold", coins=(1000, 1000, 300))
    assert code_of(at, to("raise", 600)) == "not-offered"
    assert code_of(at, "all-in") == "not-offered"
    assert at.expected() >= {"call", "fold"}
    assert not at.expected() & {"raise", "all-in", "bet"}


def test_the_bet_to_match_is_the_big_blind_even_if_it_was_short():
    at = table(coins=(1000, 20, 1000))
    assert state(at)["bet"] == 50
    assert code_of(at, to("raise", 75)) == "bad-amount"
    at.do({"do": "call"})
    at.do({"do": "fold"})
    assert at.result()["pots"] == {"main": 60, "side-1": 10}
    assert at.result()["balances"]["Cy"] == 975


def test_the_big_blind_may_raise():
    at = table("call", "call")
    assert (state(at)["turn"], at.phase) == ("Bo", "preflop")
    at.do(to("raise", 100))
    assert state(at)["turn"] == "Cy"


# ---- pots and the end


def test_pots_are_empty_between_hands_and_the_stakes_lie_there_until_the_round_is_over():
    at = table("call")
    assert (at.result()["pots"], at.result()["staked"]) == ({}, 125)
    at.do({"do": "call"})
    at.do({"do": "check"})
    assert (at.result()["pots"], at.result()["staked"]) == ({"main": 150}, 0)
    for record in (FLOP, {"do": "fold"}, {"do": "fold"}):
        at.do(record)
    assert (at.result()["pots"], at.phase) == ({}, "ready")


def test_a_mucked_hand_keeps_what_nobody_else_claims():
    """Bo's side pot has lost its other claim by a fold, so the muck gives up the main pot only."""
    at = table(
        "all-in", "call", to("raise", 200), "call", FLOP, to("bet", 100), to("raise", 300), "fold",
        {"do": "board", "cards": ["3C"]}, {"do": "board", "cards": ["4D"]}, coins=(1000, 1000, 100),
    )  # fmt: skip
    assert at.result()["pots"] == {"main": 300, "side-1": 400}
    at.do({"do": "muck", "player": "Bo"})
    result = at.result()["results"][-1]
    assert [pot["winners"] for pot in result["pots"]] == [["Cy"], ["Bo"]]
    assert (result["mucked"], result["hands"]) == (["Bo"], {})


def test_undo_brings_a_hand_back_that_was_decided():
    at = table("fold")
    before = at.result()
    at.do({"do": "fold"})
    decided = at.result()
    at.do({"do": "undo"})
    assert at.result() == before
    at.do({"do": "redo"})
    assert at.result() == decided


# ---- the audit


def test_the_audit_finds_coins_that_go_elsewhere():
    rules, at = Holdem(), table("fold")
    position, command = at.position, parse_command({"do": "fold"}, Holdem.verbs)
    _, happened = rules.apply(position.state, command, position.ledger)
    assert rules.audit(position.state, command, happened, position.ledger) == ()
    last = happened[-1]
    assert isinstance(last, Transfer)
    wrong = (*happened[:-1], replace(last, payee=Account.player("Cy")))
    assert len(rules.audit(position.state, command, wrong, position.ledger)) == 2
    assert len(rules.audit(position.state, command, happened[:-1], position.ledger)) == 2


def test_the_audit_puts_the_blinds_where_they_belong():
    rules, at = Holdem(), new_table("holdem", [(name, 100) for name in NAMES])
    position, command = at.position, parse_command({"do": "post"}, Holdem.verbs)
    _, happened = rules.apply(position.state, command, position.ledger)
    wrong = [replace(m, coins=m.coins + 1) if isinstance(m, Transfer) else m for m in happened]
    assert len(rules.audit(position.state, command, wrong, position.ledger)) == 4


# ---- views


def test_sizes_are_ones_that_the_rules_take():
    at = table(to("raise", 150), coins=(1000, 830, 1000))
    view = at.view()
    assert [size["to"] for size in view["sizes"]] == [250, 325, 500, 1000]
    for size in view["sizes"]:
        at.do(to("raise", size["to"]))
        at.do({"do": "undo"})


def test_nothing_of_the_hole_cards_is_in_the_view():
    at = table()
    assert all(one["cards"] == [] and one["dealt"] for one in at.view()["in_hand"])


def test_a_phone_says_what_its_player_decides_and_nothing_of_the_cards():
    assert set(PHONE.own_commands) == {"check", "call", "bet", "raise", "fold", "all-in", "muck"}


def test_blinds_are_found_at_once_however_far_apart_the_seats_are():
    """The audit iterated over every seat number between them and hung."""
    new = new_table("holdem", (("Ann", 1000), ("Bo", 1000)))
    new.do({"do": "join", "player": "Cy", "coins": 1000, "seat": 10**15})
    for _ in range(4):
        new.do({"do": "post"})
        while new.phase == "hole":
            new.do({"do": "hole", "player": new.position.state.turn})
        assert new.position.hold is None
        new.do({"do": "fold"})
        new.do({"do": "fold"})
