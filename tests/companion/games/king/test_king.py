"""King of Roulette, rule by rule; `king_referee` tests whole games."""

import json
from dataclasses import replace

import pytest

from companion.games.king.phone import PHONE
from companion.games.king.rules import KingOfRoulette
from companion.games.king.state import is_right, range_points, ranges
from companion.kernel.accounts import HOUSE, Account
from companion.kernel.commands import parse_command
from companion.kernel.errors import BadScript, TableError
from companion.kernel.ledger import Transfer
from companion.kernel.script import replay
from companion.testing import INSTALLED, new_table

NAMES = ("Ann", "Bo", "Cy", "Dee")


def table(*records, coins=0, options=None, king="Ann"):
    """Return a table after the election of a king and these commands."""
    new = new_table("king-of-roulette", [(name, coins) for name in NAMES], options)
    for name in NAMES if king else ():
        new.do({"do": "vote", "player": name, "for": king})
    for record in records:
        new.do(record)
    return new


def sealed(one=(1, 2), two=3, guess="0-1", **bets):
    """Return a round's secret commands."""
    rule = {"do": "rule", "text": "So be it", "one": list(one), "two": two}
    placed = ({"do": "bet", "player": name, "space": space} for name, space in bets.items())
    return rule, {"do": "guess", "range": guess}, *placed


def code_of(at, record):
    before = at.position
    with pytest.raises(TableError) as refused:
        at.do(record)
    assert at.position == before
    return refused.value.code


def words_of(at, record):
    with pytest.raises(TableError) as refused:
        at.do(record)
    return str(refused.value.message)


@pytest.mark.parametrize("count", [1, 2, 3, 13])
def test_four_to_twelve_play(count):
    header = {"game": "king-of-roulette", "players": [{"name": f"P{n}", "coins": 0} for n in range(count)]}
    assert replay([json.dumps(header)], INSTALLED).result["error"]["code"] == "bad-script"


def test_too_many_for_king_are_refused_in_the_readers_language():
    """The dealer sees the message in the dialog for changing the game."""
    with pytest.raises(BadScript) as refused:
        new_table("king-of-roulette", [(f"P{n}", 0) for n in range(13)])
    assert "13" in refused.value.message
    assert refused.value.message.key == "{game} is for {fewest} to {most} players, and {count} sit here."


@pytest.mark.parametrize("options", [{"rounds": 0}, {"rounds": "7"}, {"rounds": True}, {"spaces": 7}])
def test_an_option_that_cannot_be_is_refused(options):
    with pytest.raises(BadScript):
        new_table("king-of-roulette", [(name, 0) for name in NAMES], options)


def test_a_table_that_fills_up_waits_for_four():
    new = new_table("king-of-roulette")
    for name in NAMES[:3]:
        new.do({"do": "join", "player": name, "coins": 0})
    assert code_of(new, {"do": "vote", "player": "Ann", "for": "Bo"}) == "wrong-phase"
    new.do({"do": "join", "player": "Dee", "coins": 0})
    assert "vote" in new.expected()


def test_whoever_leaves_makes_nobody_king():
    """With three of five votes for Ann, two players leaving would decide the election, so all vote again instead."""
    new = table(king=None)
    new.do({"do": "join", "player": "Eli"})
    for name in NAMES:
        new.do({"do": "vote", "player": name, "for": "Ann"})
    new.do({"do": "leave", "player": "Eli"})
    assert (new.phase, new.view()["voted"]) == ("vote", [])


@pytest.mark.parametrize("record", [
    {"do": "vote", "player": "Ann"},
    {"do": "vote", "player": "Ann", "for": ""},
    {"do": "rule", "text": "", "one": [1, 2], "two": 3},
    {"do": "rule", "text": "  ", "one": [1, 2], "two": 3},
    {"do": "rule", "text": "x", "one": [1], "two": 3},
    {"do": "rule", "text": "x", "one": [1, 2, 3], "two": 4},
    {"do": "rule", "text": "x", "one": "12", "two": 3},
    {"do": "rule", "text": "x", "one": [1, 2], "two": None},
    {"do": "rule", "text": "x", "one": [1, 2], "two": 3, "player": 5},
    {"do": "guess", "range": 4},
    {"do": "bet", "player": "Ann", "space": True},
    {"do": "bet", "player": "Ann", "space": 2.0},
    {"do": "bet", "player": "Ann", "space": ""},
])  # fmt: skip
def test_what_is_malformed_is_a_bad_script_in_every_phase(record):
    for new in (table(king=None), table()):
        assert code_of(new, record) == "bad-script"
    held = table({"do": "hold"})
    assert code_of(held, record) == "bad-script"


@pytest.mark.parametrize(
    "spaces", [([1, 1], 2), ([1, 2], 2), ([0, 1], 2), ([1, 2], 7), ([1, 2], "king"), (["1", 2], 3)]
)
def test_a_rule_names_three_different_spaces_and_never_the_kings(spaces):
    record = {"do": "rule", "text": "x", "one": spaces[0], "two": spaces[1]}
    assert code_of(table(), record) == "not-offered"


def test_only_the_king_rules_and_only_the_others_bet():
    new = table()
    rule, guess, bet = sealed(Ann=1)
    assert code_of(new, {**rule, "player": "Bo"}) == "not-your-turn"
    assert code_of(new, {**guess, "player": "Bo"}) == "not-your-turn"
    assert code_of(new, {**guess, "player": "Zed"}) == "unknown-player"
    assert code_of(new, bet) == "not-offered"


@pytest.mark.parametrize(("players", "known"), [
    (4, "0-1 2-3"), (5, "0-1 2-3 4"), (7, "0-1 2-3 4-5 6"), (12, "0-1 2-3 4-5 6-7 8-9 10-11"),
])  # fmt: skip
def test_the_ranges_end_with_all_others(players, known):
    assert " ".join(ranges(players)) == known
    assert [range_points(one, players) for one in ranges(players)] == [4, 3, 2, 1, 1, 1][: len(ranges(players))]
    assert [sum(is_right(one, earned) for one in ranges(players)) for earned in range(players)] == [1] * players


def test_a_bonus_doubles_the_kings_points_too_and_is_gone():
    new = table({"do": "buy-bonus", "player": "Ann"}, {"do": "use-bonus", "player": "Ann"}, coins=2)
    assert new.result()["state"]["bonuses"]["Ann"] == 1
    for record in (*sealed(Bo=1, Cy=5, Dee=5), {"do": "reveal"}):
        new.do(record)
    state = new.result()["state"]
    assert (state["points"]["Ann"], state["bonuses"]["Ann"], new.position.ledger.balance("Ann")) == (8, 0, 1)


def test_a_reveal_waits_for_rule_guess_and_every_bet():
    records = sealed(Bo=1, Cy=2, Dee=3)
    for missing in records:
        new = table(*(record for record in records if record is not missing))
        assert code_of(new, {"do": "reveal"}) == "wrong-phase"
        new.do(missing)
        new.do({"do": "reveal"})


@pytest.mark.parametrize(
    ("guess", "points"), [("0-1", 4), ("2-3", 3), ("4-5", 2), ("6-7", 1), ("8-9", 1), ("10-11", 1)]
)
def test_both_settlements_know_what_every_range_of_twelve_players_is_worth(guess, points):
    names = [f"P{number}" for number in range(12)]
    new = new_table("king-of-roulette", [(name, 0) for name in names])
    for name in names:
        new.do({"do": "vote", "player": name, "for": "P0"})
    earners = int(guess.split("-")[1])
    bets = {name: 1 if place < earners else 5 for place, name in enumerate(names[1:])}
    for record in (*sealed(guess=guess, **bets), {"do": "reveal"}):
        new.do(record)
    assert new.position.hold is None
    assert new.result()["state"]["points"]["P0"] == points


def test_who_is_waited_for_is_said_and_then_the_reveal():
    records = sealed(Bo=1, Cy=2, Dee=3)
    new = table(*records[:-1])
    assert words_of(new, {"do": "reveal"}) == "This has to wait: the secret choices of Dee are missing."
    new.do(records[-1])
    assert words_of(new, {"do": "vote", "player": "Bo", "for": "Cy"}) == "This has to wait: reveal the round first."


def test_a_space_that_there_is_not_is_named_up_to_forty_letters():
    told = words_of(table(), {"do": "bet", "player": "Bo", "space": "7" * 99})
    assert told == f"There is no space '{'7' * 39}. Bet on 1 to 6 or king."


@pytest.mark.parametrize("change", ["garnet", "points", "fewer points", "price", "choice"])
def test_a_second_settlement_that_differs_stops_the_table(change, monkeypatch):
    new = table({"do": "buy-bonus", "player": "Ann"}, {"do": "use-bonus", "player": "Ann"}, coins=9)
    for record in sealed(Bo=1, Cy=5, Dee=5):
        new.do(record)
    rules, apply = new.game, type(new.game).apply

    def wrong(self, state, command, ledger):
        after, happened = apply(self, state, command, ledger)
        if "points" in change:
            kings = ("Ann", 9 if change == "points" else 7)
            return after, (replace(happened[0], points=(kings, *happened[0].points[1:])), *happened[1:])
        return after, (*happened, Transfer(HOUSE, Account.player("Bo"), 1, "slip"))

    monkeypatch.setattr(type(rules), "apply", wrong)
    verb = {"price": {"do": "buy-bonus", "player": "Bo"}, "choice": {"do": "bet", "player": "Bo", "space": 2}}
    new.do(verb.get(change, {"do": "reveal"}))
    assert "two settlements differ" in new.position.hold


def test_a_phone_does_what_its_player_may_and_nothing_else():
    view = {"king": "Ann", "choosing": ["Bo"]}
    assert PHONE.is_allowed({"do": "reveal"}, "Ann", view)
    assert not PHONE.is_allowed({"do": "reveal"}, "Bo", view)
    assert not PHONE.is_allowed({"do": "elect", "player": "Cy"}, "Bo", view)
    assert PHONE.is_allowed({"do": "choose", "player": "Cy"}, "Bo", view)
    assert not PHONE.is_allowed({"do": "choose", "player": "Cy", "amount": 5}, "Bo", view)
    assert not PHONE.is_allowed({"do": "undo"}, "Ann", view)
    assert not PHONE.is_allowed({"do": ["bet"]}, "Ann", view)


def test_what_is_a_players_own_is_what_is_secret_and_buying():
    assert set(PHONE.own_commands) == KingOfRoulette.secret | {"buy-bonus"}


def test_for_is_a_field_although_python_has_that_word():
    command = parse_command({"do": "vote", "player": "Ann", "for": "Bo"}, table().verbs)
    assert command.for_ == "Bo"
    assert code_of(table(king=None), {"do": "vote", "player": "Ann", "for_": "Bo"}) == "bad-script"


def test_the_view_counts_the_rounds_that_are_decided_as_every_game_does():
    new = table(*sealed(Bo=1, Cy=5, Dee=5), {"do": "reveal"})
    assert (new.view()["rounds"], new.view()["all_rounds"]) == (1, 7)
