"""Hands of hold'em read from rendered pictures pay the same as the scripts of the same hands."""

import logging
import random

import pytest
from holdem_live import DECK, FULL_HD, NAMES, LiveHoldem

from companion.kernel.table import Table
from companion.testing import INSTALLED, new_header


@pytest.fixture
def make(tmp_path):
    made = []

    def build(*args, **more):
        made.append(LiveHoldem(tmp_path, *args, **more))
        return made[-1]

    yield build
    for table in made:
        table.close()


def script_of(table: LiveHoldem):
    """Return the script of all commands at a table."""
    return [entry["record"] | {"do": entry["do"]} for entry in table.service.events(0, 500, viewer="dealer")]


@pytest.mark.thorough
def test_board_and_hands_are_read_from_pictures_and_pay_as_the_script_does(make):
    table = make()
    table.happen("deck", rest=0.2)
    table.do("post")
    table.holes()
    table.checks()
    table.happen("hole 1 AH AD", "hole 2 QS QD", "burn", "board AS KD 2C", rest=0.3)
    table.until("flop")
    table.checks()
    table.happen("board 7H", rest=0.2)
    table.until("turn")
    table.checks()
    table.happen("board 9C", rest=0.2)
    table.until("river")
    table.checks()
    table.happen("show 1", "show 2", rest=0.2)
    table.until("ready")
    assert [record["cards"] for record in table.said("board")] == [["AS", "KD", "2C"], ["7H"], ["9C"]]
    assert {record["player"]: set(record["cards"]) for record in table.said("show")} == {
        "Ann": {"AH", "AD"}, "Bo": {"QS", "QD"},
    }  # fmt: skip
    assert table.asked == []
    by_hand = Table(new_header("holdem", (("Ann", 1000), ("Bo", 1000)), {}))
    for record in (
        {"do": "post"}, {"do": "hole", "player": "Bo"}, {"do": "hole", "player": "Ann"},
        {"do": "call"}, {"do": "check"}, {"do": "board", "cards": ["AS", "KD", "2C"]}, {"do": "check"}, {"do": "check"},
        {"do": "board", "cards": ["7H"]}, {"do": "check"}, {"do": "check"}, {"do": "board", "cards": ["9C"]},
        {"do": "check"}, {"do": "check"},
    ):  # fmt: skip
        by_hand.do(record)
    for _ in range(2):
        turn = by_hand.situation().state.turn
        by_hand.do({"do": "show", "player": turn, "cards": {"Ann": ["AH", "AD"], "Bo": ["QS", "QD"]}[turn]})
    assert table.view["result"] == by_hand.view()["result"]
    assert {p["name"]: p["coins"] for p in table.view["players"]} == {"Ann": 1050, "Bo": 950}


@pytest.mark.thorough
def test_of_hole_cards_nothing_is_known_told_or_kept(make, caplog):
    """One is flashed in the deal, others are mucked: their names appear in no question, page, entry, log or file."""
    caplog.set_level(logging.DEBUG)
    table = make()
    table.do("post")
    table.happen("hole 1 5H 6C", "flash 2 8D", rest=0.5)
    table.until_asked("exposed")
    table.happen("hide 2", rest=2.0)
    assert table.kinds == []
    table.demo.deal_hole([2], card="JC")
    table.run(1.0)
    table.holes()
    table.happen("muck 1", rest=0.5)
    told = " ".join(
        map(str, (table.asked, table.view, table.service.view("room"), table.service.events(0, 99, viewer="dealer")))
    )
    table.service.submit({"do": "fold"}, source="dealer")
    table.run(0.5)
    files = [path for path in table.folder.rglob("*") if path.is_file()]
    held = b"".join(path.read_bytes() for path in files)
    for card in ("5H", "6C", "8D", "JC"):
        words = DECK.design.words(card)
        assert f"'{card}'" not in told
        assert words not in told
        assert f'"{card}"'.encode() not in held
        assert f"'{card}'" not in caplog.text
        assert words not in caplog.text
    assert not [path for path in files if path.suffix in (".jpg", ".jpeg", ".png")], "no picture of a card is kept"
    seen = INSTALLED["holdem"].perception
    assert (seen.is_secret, seen.has_chips) == (True, True)


@pytest.mark.slow
def test_ten_hands_face_down_are_seen_and_a_whole_hand_goes_by_the_camera_alone(make):
    table = make(10, size=FULL_HD)
    table.happen("deck", rest=0.2)
    table.do("post")
    for _ in range(2):
        table.demo.deal_hole(range(1, 11))
    table.run(1.0)
    table.until("preflop")
    assert [record["player"] for record in table.said("hole")] == list(NAMES)
    assert table.asked == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", [11, 12, 13])
def test_random_hands_pay_as_the_script_of_the_cards_that_were_laid(make, seed):
    """The deck order is unknown to the camera; bets are random."""
    rng, table = random.Random(seed), make(4, coins=(1000, 400, 250, 700), size=FULL_HD, seed=seed)
    table.happen("deck", rest=0.2)
    table.do("post")
    for _ in range(2):
        table.demo.deal_hole((1, 2, 3, 4))
    table.until("preflop", 20.0)
    held = {NAMES[seat - 1]: [one.card.id for one in table.demo.at(f"seat/{seat}")] for seat in (1, 2, 3, 4)}
    truth = [{"do": "post"}, *({"do": "hole", "player": name} for name in NAMES[:4])]
    while (view := table.view)["phase"] != "ready":
        if view["phase"].startswith("deal-"):
            table.happen("burn", rest=0.0)
            table.demo.lay_board(3 if view["phase"] == "deal-flop" else 1)
            while table.view["phase"] == view["phase"]:
                assert table.kinds == []
                table.run(0.2)
            laid = [one.card.id for one in table.demo.at("board")]
            truth.append({"do": "board", "cards": laid[-3:] if view["phase"] == "deal-flop" else laid[-1:]})
        elif view["phase"] == "showdown":
            turn = view["turn"]
            seat = NAMES.index(turn) + 1
            table.demo.show(seat)
            while table.view["turn"] == turn:
                table.run(0.2)
            truth.append({"do": "show", "player": turn, "cards": held[turn]})
        else:
            record = choose(view, rng)
            table.do(record["do"], **{key: value for key, value in record.items() if key != "do"})
            truth.append(record)
    by_hand = Table(new_header("holdem", tuple(zip(NAMES[:4], (1000, 400, 250, 700), strict=True)), {}))
    for record in truth:
        by_hand.do(record)
    assert table.view["result"]["pots"] == by_hand.view()["result"]["pots"]
    assert {p["name"]: p["coins"] for p in table.view["players"]} == {
        name: by_hand.situation().ledger.balance(name) for name in NAMES[:4]
    }


def choose(view, rng):
    stay = {"do": "call" if view["to_call"] else "check"}
    wild = [{"do": "all-in"}] if "all-in" in view["expected"] else []
    return rng.choice([stay, stay, stay, {"do": "fold"} if view["to_call"] else stay, *wild])
