"""Change of game at runtime: players, coins, seats and history continue."""

import json
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from service_words import BET, QUESTION, code, coins, do

from companion.journal.sessions import CannotSwitch
from companion.journal.store import JournalReader
from companion.journal.trust.proof import Proof
from companion.journal.verify import verify
from companion.kernel.errors import NotSaved, TableError
from companion.kernel.table import Header
from companion.service.one_session import OneSession
from companion.service.table_service import TableService
from companion.statistics.bet_book import BetBook
from companion.testing import INSTALLED, new_header

Start = Callable[..., TableService]
THREE = (("Ann", 100), ("Bo", 50), ("Cy", 30))


def change(service: TableService, game: str, key: str | None = None, **options: Any) -> None:
    service.change_game(new_header(game, (), options), source="dealer", key=key)


def is_sound(path: Path) -> bool:
    with JournalReader.open(path) as reader:
        found = verify(reader, INSTALLED)
    assert found.wrong is None, found
    return True


def test_everybody_keeps_seat_and_coins(start: Start, path: Path) -> None:
    """The next game begins with exactly the same coins, with an empty seat between two others, too."""
    service = start()
    service.submit({"do": "join", "player": "Cy", "coins": 30, "seat": 5}, source="dealer")
    do(service, "bet Ann cut/2 10", "no-more-bets", "deal 2D1", "deal 2D2")
    before = service.view()["players"]
    change(service, "rugen-house")
    view = service.view("dealer")
    assert view["game"] == "rugen-house"
    assert view["players"] == before
    assert [one["game"] for one in view["evening"]] == ["roche", "rugen-house"]
    assert view["log"][-1]["text"] == "House Rugen follows Roche: everybody keeps seat and coins."
    assert is_sound(path)


def test_in_a_game_with_coins_of_its_own_nobody_stakes_all_they_have(start: Start, path: Path) -> None:
    """With 500 coins for garnets a Double Bonus cost nobody anything; now the rest is aside, and nothing is lost."""
    players = (("Ann", 500), ("Bo", 300), ("Cy", 100), ("Di", 4))
    service = start(header=new_header("roulette", players))
    for record in (
        {"do": "bet", "player": "Ann", "on": "red", "amount": 20},
        {"do": "no-more-bets"},
        {"do": "spin", "pocket": "1"},
    ):
        service.submit(record, source="dealer")
    change(service, "king-of-roulette")
    view = service.view("dealer")
    assert [(one["coins"], one.get("aside")) for one in view["players"]] == [(6, 514), (6, 294), (6, 94), (4, None)]
    assert view["log"][-1]["text"] == (
        "King of Roulette follows Roulette: everybody keeps their seat, and plays with 6 of their coins. The rest is "
        "put aside until another game follows."
    )
    assert (view["usual_buy_in"], view["settle_up"]) == (6, [{"from": "house", "to": "Ann", "coins": 20}])
    assert view["undo"] is None
    for name, _ in players:
        service.submit({"do": "vote", "player": name, "for": "Ann"}, source="dealer")
    for name in ("Ann", "Bo", "Bo"):
        service.submit({"do": "buy-bonus", "player": name}, source="dealer")
    with pytest.raises(TableError, match="the next Double Bonus costs 4"):
        service.submit({"do": "buy-bonus", "player": "Bo"}, source="dealer")
    service = start(header=new_header("roulette", players))
    assert coins(service) == {"Ann": 4, "Bo": 1, "Cy": 6, "Di": 4}
    change(service, "roulette")
    assert coins(service) == {"Ann": 518, "Bo": 295, "Cy": 100, "Di": 4}
    assert not any("aside" in one for one in service.view("dealer")["players"])
    assert service.view("dealer")["log"][-1]["text"].endswith("keeps seat and coins, and has back what was put aside.")
    assert service.view("dealer")["settle_up"] == [
        {"from": "house", "to": "Ann", "coins": 13},
        {"from": "Bo", "to": "Ann", "coins": 5},
    ]
    assert is_sound(path)


def test_undo_does_not_reach_what_the_table_carried_over(start: Start) -> None:
    """Players carried over from another game are not undone one by one: the game is changed back instead."""
    service = start()
    service.submit({"do": "join", "player": "Cy", "coins": 30, "seat": 5}, source="dealer")
    change(service, "rugen-house")
    assert service.view()["undo"] is None
    for _ in range(2):
        with pytest.raises(TableError) as refused:
            do(service, "undo")
        assert code(refused) == "nothing-done"
        assert coins(service) == {"Ann": 100, "Bo": 50, "Cy": 30}
        service = start()
    service.submit({"do": "buy-in", "player": "Cy", "coins": 5}, source="dealer")
    do(service, "undo")
    assert coins(service)["Cy"] == 30


def test_a_game_is_not_left_while_it_keeps_secrets(start: Start) -> None:
    """No coins are staked, but sealed choices would never be revealed."""
    four = tuple((name, 10) for name in ("Ann", "Bo", "Cy", "Di"))
    service = start(header=new_header("king-of-roulette", four))
    service.submit({"do": "vote", "player": "Ann", "for": "Bo"}, source="dealer")
    with pytest.raises(TableError, match=r"secret choices are not revealed\. First finish the vote, reveal"):
        change(service, "rugen-house")
    do(service, "undo")
    change(service, "rugen-house")
    assert service.view()["game"] == "rugen-house"


def test_a_game_is_not_left_before_its_last_word_is_said(start: Start) -> None:
    """All rounds are revealed, but the winners of tokens are only recorded when the candidate is chosen."""
    four = tuple((name, 10) for name in ("Ann", "Bo", "Cy", "Di"))
    service = start(header=new_header("king-of-roulette", four, {"rounds": 1}))
    choices = (
        *({"do": "vote", "player": name, "for": "Ann"} for name, _ in four),
        {"do": "rule", "text": "So be it", "one": [1, 2], "two": 3},
        {"do": "guess", "range": "0-1"},
        *({"do": "bet", "player": name, "space": space} for name, space in (("Bo", 3), ("Cy", 4), ("Di", 5))),
        {"do": "reveal"},
    )
    for record in choices:
        service.submit(record, source="dealer")
    with pytest.raises(TableError) as refused:
        change(service, "rugen-house")
    assert str(refused.value) == (
        "The table is still playing King of Roulette: the Elimination Candidate is not chosen. First finish the vote, "
        "reveal the round, or choose the candidate, then change the game."
    )
    service.submit({"do": "choose", "player": "Cy"}, source="dealer")
    change(service, "rugen-house")
    final = [event for entry in service.events(0, 100, "dealer") for event in entry["events"] if "final" in str(event)]
    assert final[-1]["result"]["tokens"] == {"Ann": 2}
    assert service.view()["game"] == "rugen-house"


def test_a_chain_is_not_left_while_bets_settled_in_it_wait_for_its_result(start: Start, path: Path) -> None:
    """They are reported when the chain breaks: after a change of game, bet files and statistics would miss them."""
    service = start(header=new_header("rugen-house", THREE))
    do(service, "throw 3d")
    change(service, "rugen-house", better_half="night")  # nobody bet in that chain: nothing is lost
    for record in ({"do": "bet", "player": "Ann", "on": "center/3", "amount": 6}, {"do": "throw", "face": "3n"}):
        service.submit(record, source="dealer")
    words = (
        "The table is still playing House Rugen: bets of this chain are settled, and it is not broken. First throw "
        "until a number breaks the chain, or take the bets back before its first throw, then change the game."
    )
    before = service.view("dealer")
    for game, options in (("roche", {}), ("rugen-house", {})):
        with pytest.raises(TableError) as refused:
            change(service, game, **options)
        assert (code(refused), str(refused.value)) == ("wrong-phase", words)
    assert service.view("dealer") == before
    do(service, "throw 1d")
    change(service, "roche")
    (bets,) = [one for session in BetBook(service).sessions() for one in session.rounds]
    assert [(bet.player, bet.on, bet.amount, bet.net) for bet in bets.bets] == [("Ann", "center/3", 6, 14)]
    assert is_sound(path)


@pytest.mark.parametrize(
    ("commands", "words"),
    [
        (("bet Ann cut/2 10",), "still playing Roche: 10 coins are staked. First settle the round or take the bets"),
        (("hold",), "on hold: the dealer asked for it. Release it first"),
    ],
)
def test_between_two_rounds_only(start: Start, commands: tuple[str, ...], words: str) -> None:
    """While coins are undecided the game cannot be changed, and the refusal says what to do."""
    service = start()
    do(service, *commands)
    before = service.view("dealer")
    with pytest.raises(TableError, match=words) as refused:
        change(service, "rugen-house")
    assert code(refused) == "wrong-phase"
    assert service.view("dealer") == before


@pytest.mark.parametrize(
    ("players", "game", "words"),
    [
        (THREE, "captains", "for 2 players, and 3 sit here"),
        (THREE[:2], "rochi", "for 3 to 6 players, and 2 sit here. With 2, play Captain's Rochi"),
        (THREE[:1], "chinchirorin", "for 2 players or more, and 1 sit here"),
        ((("Ann", 100), ("Bo", 3)), "captains", "coins short"),
    ],
)
def test_the_players_must_suit_the_game(start: Start, players: Any, game: str, words: str) -> None:
    """Too many, too few, or too poor for the ante: refused, and nothing has changed."""
    service = start(new_header("roche", players))
    before = service.view("dealer")
    with pytest.raises(TableError, match=words) as refused:
        change(service, game)
    assert code(refused) == "not-offered"
    assert service.view("dealer") == before


def test_options_are_checked_first(start: Start) -> None:
    """Options that the game does not have are refused."""
    service = start()
    with pytest.raises(TableError, match="zero_rule") as refused:
        change(service, "roulette", zero_rule="never")
    assert code(refused) == "bad-script"
    assert service.view()["game"] == "roche"


def test_an_ante_is_paid_and_counts_as_a_loss_until_the_pot_is_won(start: Start, path: Path) -> None:
    """Captain's Rochi begins with a coin in each pot: the evening still sums to zero."""
    service = start()
    change(service, "captains")
    view = service.view()
    paid = sum(view["pots"].values()) // 2
    assert coins(service) == {"Ann": 100 - paid, "Bo": 50 - paid}
    assert {one["from"] for one in view["settle_up"]} == {"Ann", "Bo"}
    assert sum(one["coins"] for one in view["settle_up"]) == 2 * paid
    assert is_sound(path)
    do(service, "seed 3D1")
    with pytest.raises(TableError, match="coins lie in the pots"):
        change(service, "roche")
    do(service, "undo")
    change(service, "roche")
    assert coins(service) == {"Ann": 100, "Bo": 50}
    assert service.view()["settle_up"] == []
    assert is_sound(path)


def test_the_same_request_again_changes_once(start: Start) -> None:
    """A page that got no answer retries with the same key."""
    service = start()
    service.submit(BET, source="dealer", key="bet")
    do(service, "undo")
    change(service, "roulette", key="k")
    change(service, "roulette", key="k")
    assert service.session == 2
    with pytest.raises(TableError) as refused:
        change(service, "roche", key="bet")
    assert (code(refused), service.session) == ("key-reused", 2)


def test_of_two_dealers_one_changes_the_game(start: Start) -> None:
    """The dealer who still saw the old game is told that another has begun."""
    service = start()
    header = new_header("roulette")
    service.change_game(header, source="dealer", session=1)
    with pytest.raises(TableError, match="Another game has begun"):
        service.change_game(header, source="dealer", session=1)


def test_what_was_meant_for_one_game_does_not_count_in_the_next(start: Start) -> None:
    """Two games have a spot of the same name: a bet from a page of the first does not count in the second."""
    service = start()
    change(service, "rugen-house")
    bet = {"do": "bet", "player": "Ann", "on": "day/3", "amount": 6}
    with pytest.raises(TableError, match="Another game has begun") as refused:
        service.submit(bet, source="seat/1", session=1)
    assert code(refused) == "wrong-phase"
    service.submit(bet, source="seat/1", session=2)


def test_camera_and_demo_of_the_old_game_are_not_heard_any_more(start: Start) -> None:
    """Their commands are refused, their questions and reports dropped, and open questions are gone."""
    service = start()
    old = OneSession(service)
    old.set_questions("camera", (QUESTION,))
    before = old.situation
    change(service, "rugen-house")
    assert service.view("dealer")["questions"] == []
    old.set_questions("camera", (QUESTION,))
    old.set_camera("lost", "gone")
    old.set_sight({"px": 1})
    old.notice("seen", source="camera")
    view = service.view("dealer")
    assert (view["questions"], view["camera"]["status"], view["sight"]) == ([], "none", {})
    assert old.situation is before
    assert (old.take_answers(), old.take_intentions()) == ((), ())
    with pytest.raises(TableError):
        old.submit({"do": "no-more-bets"}, source="camera")
    with pytest.raises(TableError):
        old.moment()
    with pytest.raises(TableError):
        service.answer(QUESTION.id, "close", source="dealer")


@pytest.mark.thorough
def test_a_file_that_cannot_be_written_leaves_the_old_game_on(start: Start, path: Path) -> None:
    """What could not be saved did not happen."""
    service = start()
    with sqlite3.connect(path) as other:  # who holds the file is as much in the way as a full disk
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(NotSaved):
            change(service, "roulette")
        other.execute("ROLLBACK")
    assert service.view()["game"] == "roche"
    do(service, "bet Ann cut/2 10")
    assert coins(service)["Ann"] == 90


def test_commands_before_and_behind_a_change_count_in_their_own_game(start: Start, path: Path) -> None:
    """Many phones and the dealer at once: the change splits the table thread's group."""
    service = start()
    bets = [
        {"do": "bet", "player": "Ann", "on": "day/3", "amount": 3},
        {"do": "take-back", "player": "Ann", "on": "day/3"},
    ]

    def play() -> None:
        for record in bets * 20:
            try:
                service.submit(record, source="seat/1")
            except TableError:
                continue

    threads = [threading.Thread(target=play) for _ in range(3)]
    for thread in threads:
        thread.start()
    for game in ("rugen-house", "roche") * 20:
        try:
            change(service, game)
        except TableError:
            continue
    for thread in threads:
        thread.join()
    ledger = service.ledger
    assert ledger.balance("Ann") + ledger.staked == 100
    assert ledger.balance("Bo") == 50
    assert is_sound(path)


# ---- restarts


def test_a_restart_goes_on_with_the_dealers_choice(start: Start) -> None:
    """The configured game is still the first one, as it was when the dealer chose."""
    service = start()
    change(service, "roulette", wheel="american")
    do(service, "bet Ann red 10")
    before = service.view("dealer")
    after = start().view("dealer")
    for view in (before, after):
        view.pop("version")
    assert after == before


def test_another_game_in_the_configuration_wins(start: Start) -> None:
    """Once the owner configures another game than before, that one begins."""
    service = start()
    change(service, "roulette")
    service = start(new_header("rugen-house"))
    assert (service.view()["game"], coins(service)) == ("rugen-house", {"Ann": 100, "Bo": 50})
    assert [one.game for one in service.evening] == ["roche", "roulette", "rugen-house"]


def test_other_options_of_the_configured_game_count_when_it_is_on(start: Start) -> None:
    """Changed away and back; then the owner configures another layout for it."""
    service = start()
    change(service, "roulette")
    change(service, "roche", layout="basic")
    assert start().session == 3
    assert start(new_header("roche", (), {"layout": "grand"})).session == 4


def test_other_options_of_the_configured_game_do_not_end_the_dealers_choice(start: Start) -> None:
    """Roulette is current; the owner changes a setting of Roche: roulette continues."""
    service = start()
    change(service, "roulette")
    service = start(new_header("roche", (), {"layout": "grand"}))
    assert (service.view()["game"], service.session) == ("roulette", 2)


def test_the_dealers_choice_holds_under_new_rules(start: Start, monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    """An update that replays the session differently begins a new one of the same game and options."""
    service = start()
    change(service, "roulette", wheel="american")
    do(service, "bet Ann red 10", "no-more-bets")
    service.submit({"do": "spin", "pocket": "1"}, source="dealer")
    service.close()
    wins = coins(service)
    from companion.journal import replay

    monkeypatch.setattr(
        replay, "difference", lambda entry, happened: "plays otherwise now" if "spin" in entry.record else None
    )
    monkeypatch.setattr(replay, "rules_fingerprint", lambda rules: "another")
    service = start()
    assert (service.view()["game"], service.session, service.options["wheel"]) == ("roulette", 3, "american")
    assert coins(service) == wins


def test_an_undecided_game_is_not_left_for_the_configurations(start: Start) -> None:
    """There are bets in the dealer's choice while another game is configured at startup."""
    change(service := start(), "roulette")
    do(service, "bet Ann red 10")
    with pytest.raises(CannotSwitch, match="Start with --game roulette"):
        start(new_header("rugen-house"))
    assert start().view()["game"] == "roulette"


# ---- the evening


def test_the_bank_and_the_players_settle_up_over_all_games(start: Start) -> None:
    """Ann wins 20 at Roche and loses 5 at roulette: at the end she has won 15, and the house has lost it."""
    service = start()
    do(service, "bet Ann cut/2 10", "no-more-bets", "deal 2D1", "deal 2D2", "new-round")
    won = service.view()["players"][0]["coins"] - 100
    assert won > 0
    change(service, "roulette")
    do(service, "bet Ann red 5", "no-more-bets")
    service.submit({"do": "spin", "pocket": "2"}, source="dealer")
    view = service.view("dealer")
    assert view["house"] == 5
    assert view["house_evening"] == 5 - won
    assert view["settle_up"] == [{"from": "house", "to": "Ann", "coins": won - 5}]


def test_verify_names_a_session_that_does_not_go_on_where_the_last_ended(start: Start, path: Path) -> None:
    """Coins moved between two sessions, with valid hashes: the session is named."""
    service = start()
    change(service, "roulette")
    service.close()
    with JournalReader.open(path) as reader:
        entries, journal_id = list(reader.entries()), reader.id
    first = next(entry for entry in entries if entry.session == 2)
    record = json.loads(first.record)
    for player, more in zip(record["players"], (10, -10), strict=True):
        player["coins"] += more
    forge(path, first.seq, json.dumps(record), journal_id)
    with JournalReader.open(path) as reader:
        found = verify(reader, INSTALLED, Proof())
    assert found.wrong == "it does not begin with the coins with which the session before it ended."
    assert found.seq == first.seq


def forge(path: Path, seq: int, record: str, journal_id: str) -> None:
    """Alter an entry and all later hashes, as somebody would who knows the format."""
    from companion.journal.hash_chain import entry_hash, genesis

    with JournalReader.open(path) as reader:
        entries = list(reader.entries())
    with sqlite3.connect(path) as other:
        prev = genesis(journal_id)
        for entry in entries:
            text = record if entry.seq == seq else entry.record
            digest = entry_hash(
                prev, entry.seq, entry.at, entry.session, entry.kind, entry.source, entry.key, text, entry.events
            )
            other.execute("UPDATE entry SET record=?, prev=?, hash=? WHERE seq=?", (text, prev, digest, entry.seq))
            prev = digest
        other.execute("DELETE FROM signature")


def test_old_journals_have_evenings_of_one_session(start: Start) -> None:
    """A session that names no predecessor is an evening of its own."""
    service = start()
    change(service, "roulette")
    assert len(service.evening) == 2
    header: Header = new_header("roche", (("Ann", 100), ("Bo", 50)))
    assert "continues" not in header.to_json()
