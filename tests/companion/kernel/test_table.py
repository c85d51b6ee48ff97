"""The table: undo at any point, holds, and the audit of settlements."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.games.roche.rules import Roche
from companion.kernel import table as table_module
from companion.kernel.accounts import HOUSE, Account
from companion.kernel.errors import BadScript, NothingDone, TableError, WrongPhase
from companion.kernel.ledger import Transfer
from companion.kernel.table import Header, Table
from companion.testing import INSTALLED, new_header

HEADER = new_header("roche", (("Ann", 100), ("Bo", 50)))


def cut_mages(table: Table) -> None:
    for record in ({"do": "no-more-bets"}, {"do": "deal", "card": "2D1"}, {"do": "deal", "card": "2N1"}):
        table.do(record)


def any_record(rng: random.Random) -> dict[str, object]:
    """Return a command that may be illegal now."""
    card = f"{rng.randint(2, 4)}{rng.choice('DN')}{rng.randint(1, 4)}"
    bet = {"player": rng.choice(["Ann", "Bo", "Cy"]), "on": f"cut/{rng.randint(1, 4)}", "amount": rng.randint(0, 40)}
    return rng.choice(
        [
            {"do": "bet", **bet}, {"do": "take-back", **bet}, {"do": "no-more-bets"}, {"do": "deal", "card": card},
            {"do": "deal", "card": card}, {"do": "new-round"}, {"do": "undo"}, {"do": "redo"}, {"do": "hold"},
            {"do": "release"}, {"do": "burn", "count": 1}, {"do": "buy-in", "player": "Ann", "coins": 7},
            {"do": "cash-out", "player": "Bo"}, {"do": "join", "player": "Cy", "coins": 9},
            {"do": "leave", "player": "Cy"},
        ]
    )  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**9))
def test_random_play_conserves_coins_and_refusals_change_nothing(seed):
    rng = random.Random(seed)
    table = Table(HEADER)
    for _ in range(80):
        before = table.result(), table.view()
        try:
            table.do(any_record(rng))
        except TableError:
            assert (table.result(), table.view()) == before
        assert table.position.ledger.total == 0
        assert all(coins >= 0 for coins in table.result()["balances"].values())


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**9))
def test_undo_is_exact_all_the_way_back_and_redo_all_the_way_forth(seed):
    rng = random.Random(seed)
    table = Table(HEADER)
    seen = [(table.result(), table.position)]
    while len(seen) < 40:
        record = any_record(rng)
        if record["do"] in ("undo", "redo"):
            continue
        try:
            table.do(record)
        except TableError:
            continue
        seen.append((table.result(), table.position))
    for result, position in reversed(seen[:-1]):
        table.do({"do": "undo"})
        assert (table.result(), table.position) == (result, position)
    for result, position in seen[1:]:
        table.do({"do": "redo"})
        assert (table.result(), table.position) == (result, position)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**9))
def test_the_commands_that_count_lead_to_the_same_table(seed):
    rng = random.Random(seed)
    table = Table(HEADER)
    for _ in range(80):
        try:
            table.do(any_record(rng))
        except TableError:
            continue
    again = Table(HEADER)
    for record in table.records:
        again.do(record)
    assert again.result() == table.result()


def test_undo_goes_back_further_than_the_steps_that_are_kept(monkeypatch):
    monkeypatch.setattr(table_module, "STEPS_KEPT", 5)
    table = Table(HEADER)
    results = [table.result()]
    for amount in range(1, 13):
        table.do({"do": "bet", "player": "Ann", "on": "cut/6", "amount": amount})
        results.append(table.result())
    for result in reversed(results[:-1]):
        table.do({"do": "undo"})
        assert table.result() == result


def test_undoing_everything_costs_as_much_as_playing_it(monkeypatch):
    """Linear, not quadratic: each command is re-applied at most once or twice, and no list is copied each time."""
    played = []
    apply = Table._apply
    monkeypatch.setattr(table_module, "STEPS_KEPT", 10)
    monkeypatch.setattr(Table, "_apply", lambda self, *given: (played.append(1), apply(self, *given))[1])
    table = Table(HEADER)
    for _ in range(200):
        table.do({"do": "buy-in", "player": "Ann", "coins": 1})
    played.clear()
    for _ in range(200):
        mark = table.mark()
        table.do({"do": "undo"})
        assert mark.undone is table._undone
    assert table.position.ledger.balance("Ann") == 100
    assert len(played) <= 2 * 200


def test_undo_of_a_settled_round_takes_the_result_back():
    table = Table(HEADER)
    table.do({"do": "bet", "player": "Ann", "on": "cut/2", "amount": 10})
    cut_mages(table)
    table.do({"do": "undo"})
    assert table.result()["results"] == []
    assert table.result()["staked"] == 10
    table.do({"do": "redo"})
    assert table.result()["balances"]["Ann"] == 120


def test_a_new_command_forgets_what_was_undone():
    table = Table(HEADER)
    table.do({"do": "no-more-bets"})
    table.do({"do": "undo"})
    table.do({"do": "bet", "player": "Ann", "on": "cut/2", "amount": 1})
    with pytest.raises(NothingDone):
        table.do({"do": "redo"})


def test_there_is_nothing_to_undo_at_the_start():
    with pytest.raises(NothingDone, match="just started"):
        Table(HEADER).do({"do": "undo"})


def test_on_hold_the_table_waits_for_its_release():
    table = Table(HEADER)
    table.do({"do": "hold"})
    assert table.expected() == {"release", "undo"}
    with pytest.raises(WrongPhase, match="on hold"):
        table.do({"do": "no-more-bets"})
    table.do({"do": "release"})
    table.do({"do": "no-more-bets"})


class TestTwoSettlements:
    @pytest.fixture
    def crooked(self, monkeypatch):
        """A game whose settlement pays Ann one coin too many."""
        honest = Roche.apply

        def apply(self, state, command, ledger):
            state, happened = honest(self, state, command, ledger)
            if state.cut is not None and command.verb == "deal":
                happened = (*happened, Transfer(HOUSE, Account.player("Ann"), 1, "a mistake"))
            return state, happened

        monkeypatch.setattr(Roche, "apply", apply)

    def test_a_difference_holds_the_payout_before_a_coin_moves(self, crooked):
        table = Table(HEADER)
        table.do({"do": "bet", "player": "Ann", "on": "cut/2", "amount": 10})
        cut_mages(table)
        assert "player/Ann would change by 31, the rules say 30" in table.view()["hold"]
        assert table.result()["balances"]["Ann"] == 90
        assert table.position.ledger.staked == 10

    def test_a_settlement_that_does_not_happen_is_noticed_too(self, monkeypatch):
        honest = Roche.apply

        def apply(self, state, command, ledger):
            after, happened = honest(self, state, command, ledger)
            return after, tuple(e for e in happened if not isinstance(e, Transfer) or command.verb == "bet")

        monkeypatch.setattr(Roche, "apply", apply)
        table = Table(HEADER)
        table.do({"do": "bet", "player": "Ann", "on": "cut/2", "amount": 10})
        cut_mages(table)
        assert "player/Ann would change by 0, the rules say 30" in table.view()["hold"]

    def test_the_dealer_may_undo_or_release_it(self, crooked):
        table = Table(HEADER)
        table.do({"do": "bet", "player": "Ann", "on": "cut/2", "amount": 10})
        cut_mages(table)
        table.do({"do": "release"})
        assert table.result()["balances"]["Ann"] == 121
        table.do({"do": "undo"})
        table.do({"do": "undo"})
        assert table.view()["hold"] is None
        assert table.phase == "dealing"


@pytest.mark.parametrize(
    "record",
    [
        None, [], {}, {"game": "chess"}, {"game": 5},
        {"game": "roche", "players": {}}, {"game": "roche", "options": []},
        {"game": "roche", "players": ["Ann"]}, {"game": "roche", "players": [{"name": 7}]},
        {"game": "roche", "players": [{"name": "A", "coins": -1}]},
        {"game": "roche", "players": [{"name": "A", "coins": 1.5}]},
    ],
)  # fmt: skip
def test_a_broken_header_is_refused(record):
    with pytest.raises(BadScript):
        Header.parse(record, INSTALLED)


def test_a_header_prints_as_what_it_was_read_from():
    record = {"game": "roche", "players": [{"name": "Ann", "coins": 5}], "options": {"layout": "grand"}}
    assert Header.parse(record, INSTALLED).to_json() == record


def test_an_undo_may_name_what_it_takes_back():
    """Commands given in between are not undone; without ``only``, the latest one is."""
    table = Table(new_header("roche", (("Aubrey", 10),)))
    table.do({"do": "no-more-bets"})
    seen = {"number": table.view()["commands"], **table.view()["undoes"]}
    table.do({"do": "deal", "card": "6D3"})
    for only in (seen, {"number": 1}, {"do": "no-more-bets"}, {"do": "deal", "card": "6D5"}, {"card": None}):
        with pytest.raises(NothingDone, match="nothing was undone"):
            table.do({"do": "undo", "only": only})
        assert table.view()["commands"] == 2
    for no_number in (2, {"number": 2.0}, {"number": "2"}):
        with pytest.raises(BadScript, match="'only' of 'undo'"):
            table.do({"do": "undo", "only": no_number})
    table.do({"do": "undo", "only": {"number": 2, "do": "deal", "card": "6D3"}})
    with pytest.raises(BadScript, match="'only' of 'undo'"):
        table.do({"do": "undo", "only": {"number": True}})
    table.do({"do": "undo"})
    assert (table.view()["commands"], table.view()["phase"]) == (0, "betting")


class TestWhoFollowsATable:
    """Undos are detected even if the number of effective commands is the same again."""

    def bet(self, table: Table, amount: int) -> None:
        table.do({"do": "bet", "player": "Ann", "on": "cut/6", "amount": amount})

    def test_an_undo_and_another_command_are_another_revision(self):
        table = Table(HEADER)
        self.bet(table, 5)
        seen = table.situation()
        assert seen.undone_since(seen.revision) is None
        table.do({"do": "undo"})
        self.bet(table, 5)
        now = table.situation()
        assert now.latest == seen.latest
        assert now.revision > seen.revision
        assert now.undone_since(seen.revision) == 0
        assert now.undone_since(now.revision) is None

    def test_the_furthest_undo_since_a_revision_counts(self):
        table = Table(HEADER)
        revisions = [table.revision]
        for verb in ("bet", "bet", "bet", "undo", "undo", "redo", "bet", "undo"):
            self.bet(table, 1) if verb == "bet" else table.do({"do": verb})
            revisions.append(table.revision)
        assert revisions == list(range(9)), "it only grows"
        now = table.situation()
        assert [now.undone_since(one) for one in revisions] == [1, 1, 1, 1, 1, 2, 2, 2, None]

    def test_a_refused_command_is_no_other_revision(self):
        table = Table(HEADER)
        for record in ({"do": "undo"}, {"do": "redo"}, {"do": "bet", "player": "Ann", "on": "cut/6", "amount": -1}):
            with pytest.raises(TableError):
                table.do(record)
        assert (table.revision, table.situation().undos) == (0, ())

    def test_a_command_that_could_not_be_saved_was_none(self):
        table = Table(HEADER)
        self.bet(table, 5)
        self.bet(table, 6)
        for record in ({"do": "undo"}, {"do": "no-more-bets"}):
            before, mark = table.situation(), table.mark()
            table.do(record)
            table.back_to(mark)
            now = table.situation()
            assert (now.revision, now.undos) == (before.revision, before.undos)

    def test_an_evening_of_undos_is_not_kept(self):
        table = Table(HEADER)
        for _ in range(150):
            table.do({"do": "buy-in", "player": "Ann", "coins": 5})
            table.do({"do": "buy-in", "player": "Ann", "coins": 5})
            table.do({"do": "undo"})
        now = table.situation()
        assert len(now.undos) == 100
        assert now.undone_since(now.revision - 1) == now.latest["number"]

    def test_rounds_are_counted_without_those_that_were_undone(self):
        table = Table(HEADER)
        assert table.situation().rounds == 0
        cut_mages(table)
        assert table.situation().rounds == 1
        table.do({"do": "undo"})
        assert table.situation().rounds == 0


def test_undo_is_offered_in_words_and_in_a_form_for_programs():
    table = Table(new_header("roche", (("Aubrey", 10),)))
    assert (table.view()["undo"], table.view()["undoes"]) == (None, None)
    for record, words in [
        ({"do": "bet", "player": "Aubrey", "on": "cut/6", "amount": 5}, "Aubrey's bet of 5 on Kin to cut"),
        ({"do": "take-back", "player": "Aubrey", "on": "cut/6"}, "Aubrey taking back Kin to cut"),
        ({"do": "buy-in", "player": "Aubrey", "coins": 7}, "Aubrey buying in for 7"),
        ({"do": "no-more-bets"}, "no more bets"),
        ({"do": "burn", "count": 1}, "burning 1 card"),
        ({"do": "deal", "card": "6D3"}, "the deal of Kin day 3"),
    ]:
        table.do(record)
        assert table.view()["undo"] == words
    assert table.view()["undoes"] == {"do": "deal", "card": "6D3"}
    (event,) = table.do({"do": "undo"})
    assert event.sentence == "Undone: the deal of Kin day 3"
    assert table.view()["redo"] == "the deal of Kin day 3"


def test_what_a_player_has_staked_is_the_sum_of_all_their_bets():
    table = Table(HEADER)
    for player, on, amount in (("Ann", "cut/6", 5), ("Bo", "cut/6", 2), ("Ann", "cut/2", 8)):
        table.do({"do": "bet", "player": player, "on": on, "amount": amount})
    assert [one["staked"] for one in table.view()["players"]] == [13, 2]
    assert [one["coins"] for one in table.view()["players"]] == [87, 48]
