"""Blackjack rule by rule; settlement is tested by the playthroughs, whole evenings by the referee."""

from typing import Any

import pytest

from companion.games.blackjack.hands import total
from companion.kernel.errors import TableError
from companion.kernel.script import replay
from companion.kernel.table import Table
from companion.objects.cards import STANDARD_CARDS
from companion.testing import INSTALLED, new_header

NAMES = ("Ann", "Bo", "Cy")


def table(dealt: str = "", stakes: tuple[int, ...] = (100,), coins: int = 1000, **options: Any) -> Table:
    """Return a table with these stakes and dealt cards: ``Ann:8S dealer:AS``."""
    at = Table(new_header("blackjack", tuple((name, coins) for name in NAMES), options))
    for name, amount in zip(NAMES, stakes, strict=False):
        at.do({"do": "bet", "player": name, "amount": amount})
    for to, card in (pair.split(":") for pair in dealt.split()):
        at.do({"do": "deal", "to": to, "card": card})
    if dealt:
        at.do({"do": "hole"})
    return at


def code(at: Table, do: str, **fields: Any) -> str | None:
    try:
        at.do({"do": do, **fields})
    except TableError as error:
        return error.code
    return None


def state(at: Table) -> Any:
    return at.result()["state"]


@pytest.mark.parametrize("card", STANDARD_CARDS)
def test_each_card_counts_its_pips_courts_ten_and_an_ace_eleven(card: str) -> None:
    assert total([card]).points == {"A": 11, "K": 10, "Q": 10, "J": 10, "T": 10}.get(card[0]) or int(card[0])


def test_an_ace_counts_eleven_unless_that_takes_the_hand_over_21() -> None:
    assert [total(cards.split()).points for cards in ("AS 9D", "AS 9D AH", "AS 9D AH KC", "AS AH AD AC 7S")] == [
        20, 21, 21, 21,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "players"),
    [
        ({}, 0), ({}, 8), ({"decks": 0}, 2), ({"decks": 9}, 2), ({"decks": "2"}, 2), ({"decks": True}, 2),
        ({"soft17": "draw"}, 2), ({"surrender": True}, 2), ({"min": 0}, 2), ({"max": 49}, 2), ({"colour": "red"}, 2),
        ({"split_aces": "two"}, 2),
    ],
)  # fmt: skip
def test_a_header_that_cannot_be_is_a_bad_script(options: dict[str, Any], players: int) -> None:
    import json

    named = [{"name": f"P{number}", "coins": 100} for number in range(players)]
    result = replay([json.dumps({"game": "blackjack", "players": named, "options": options})], INSTALLED).result
    assert result["error"] is not None
    assert (result["error"]["line"], result["error"]["code"]) == (1, "bad-script")


def test_replay_takes_what_set_up_would_refuse() -> None:
    assert table(surrender="early", decks=8, min=1, max=10_000, stakes=()).phase == "betting"


def test_nobody_is_called_dealer() -> None:
    with pytest.raises(TableError, match="can be called"):
        Table(new_header("blackjack", (("dealer", 10),)))
    assert code(table(), "join", player="dealer") == "bad-name"
    line = '{"game": "blackjack", "players": [{"name": "dealer", "coins": 100}], "options": {}}'
    error = replay([line], INSTALLED).result["error"]
    assert error is not None
    assert (error["line"], error["code"]) == (1, "bad-name")


def test_a_bet_is_from_50_to_500_after_adding() -> None:
    at = table(stakes=())
    assert code(at, "bet", player="Ann", amount=49) == "bad-amount"
    assert code(at, "bet", player="Ann", amount=50) is None
    assert code(at, "bet", player="Ann", amount=1) is None
    assert code(at, "bet", player="Ann", amount=450) == "over-limit"
    assert state(at)["hands"] == {"Ann": [{"cards": [], "stake": 51, "total": 0}]}


def test_doubled_and_split_stakes_may_go_over_the_maximum() -> None:
    at = table("Ann:8S dealer:6S Ann:8H", stakes=(500,), coins=2000)
    assert code(at, "split", cards=["3S"]) is None
    assert code(at, "double", card="TS") is None
    assert state(at)["hands"]["Ann"][0]["stake"] == 1000


def test_cards_come_in_any_order_and_the_last_one_starts_the_play() -> None:
    at = table(stakes=(100, 100))
    for do in ({"to": "Bo", "card": "2S"}, {"to": "Bo", "card": "3S"}, {"to": "dealer", "card": "9S"}):
        at.do({"do": "deal", **do})
    assert code(at, "deal", to="Bo", card="4S") == "not-offered"
    assert code(at, "deal", to="Cy", card="4S") == "not-offered"
    assert code(at, "hole") is None
    assert code(at, "hole") == "not-offered"
    at.do({"do": "deal", "to": "Ann", "card": "2S"})
    at.do({"do": "deal", "to": "Ann", "card": "2H"})
    assert (at.phase, state(at)["turn"], state(at)["hand"]) == ("playing", "Ann", 1)


def test_a_card_is_seen_as_often_as_the_shoe_has_it() -> None:
    at = table("Ann:8S dealer:6S Ann:8S", decks=2)
    assert code(at, "hit", card="8S") == "card-seen"
    assert code(at, "split", cards=["3S", "3S"]) is None
    assert code(table("Ann:8S dealer:6S Ann:8H", decks=1), "split", cards=["3S", "3S"]) == "card-seen"


def test_errors_come_in_the_order_of_the_contract() -> None:
    at = table("Ann:8S Bo:9S dealer:6S Ann:8H Bo:9H", stakes=(100, 100))
    assert code(at, "hit", card="") == "bad-script"
    assert code(at, "split", cards=["XX", "1"], player="Zoe") == "unknown-player"
    assert code(at, "split", cards=["8S", "1S"], player="Bo") == "not-your-turn"
    assert code(at, "split", cards=["8S", "1S"]) == "unknown-card"
    assert code(at, "stand", player="") == "bad-script"
    assert code(at, "stand", player=None) == "bad-script"
    assert code(at, "reveal", card="1S") == "wrong-phase"
    at.do({"do": "split", "cards": ["2S"]})
    at.do({"do": "stand"})
    assert code(at, "deal", to="Zoe", card="1S") == "unknown-player"
    assert code(at, "deal", to="dealer", card="1S") == "not-your-turn"
    assert code(at, "double", card="1S") == "unknown-card"
    assert code(at, "double", card="2H") == "not-offered"


def test_king_and_queen_are_no_pair() -> None:
    assert code(table("Ann:KS dealer:6S Ann:QS"), "split", cards=["2S"]) == "not-offered"
    assert code(table("Ann:KS dealer:6S Ann:KH"), "split", cards=["2S"]) is None


def test_the_new_hand_goes_right_of_the_split_one_and_four_are_the_most() -> None:
    at = table("Ann:8S dealer:6S Ann:8H", decks=4)
    at.do({"do": "split", "cards": ["8D", "3D"]})
    at.do({"do": "split", "cards": ["8C", "4D"]})
    assert [hand["cards"] for hand in state(at)["hands"]["Ann"]] == [["8S", "8C"], ["8D", "4D"], ["8H", "3D"]]
    at.do({"do": "split", "cards": ["8S"]})
    assert code(at, "split", cards=["2C"]) == "not-offered"
    assert [len(hand["cards"]) for hand in state(at)["hands"]["Ann"]] == [2, 1, 2, 2]


def test_a_stake_that_cannot_be_matched_is_not_doubled_or_split() -> None:
    at = table("Ann:8S dealer:6S Ann:8H", coins=150)
    assert code(at, "double", card="2S") == "not-enough-coins"
    assert code(at, "split", cards=["2S"]) == "not-enough-coins"


def test_21_is_stood_on_and_a_blackjack_has_no_decision() -> None:
    at = table("Ann:AS Bo:TS dealer:6S Ann:KS Bo:5S", stakes=(100, 100))
    assert state(at)["turn"] == "Bo"
    at.do({"do": "hit", "card": "6H"})
    assert state(at)["turn"] == "Bo"


def test_insurance_is_for_an_ace_before_the_first_decision_once_for_a_bet() -> None:
    dealt = "Ann:8S Bo:9S dealer:AS Ann:8H Bo:9H"
    at = table(dealt, stakes=(101, 100))
    assert code(at, "insure", player="Cy") == "not-offered"
    assert code(at, "insure", player="Ann") is None
    assert code(at, "insure", player="Ann") == "not-offered"
    assert state(at)["insured"] == {"Ann": 50}
    at.do({"do": "stand"})
    assert code(at, "insure", player="Bo") == "not-offered"
    assert code(table(dealt.replace("AS", "KS"), stakes=(100, 100)), "insure", player="Ann") == "not-offered"


def test_insurance_of_a_single_coin_is_a_bad_amount_and_blackjacks_may_be_insured() -> None:
    assert code(table("Ann:8S dealer:AS Ann:9S", stakes=(1,), min=1), "insure", player="Ann") == "bad-amount"
    at = table("Ann:AH dealer:AS Ann:KS")
    assert at.phase == "reveal"
    assert code(at, "insure", player="Ann") is None


def test_a_bust_loses_its_stake_at_once_and_undo_brings_it_back() -> None:
    at = table("Ann:TS dealer:6S Ann:6H")
    at.do({"do": "hit", "card": "KH"})
    result = at.result()
    assert (result["staked"], result["house"], result["results"]) == (0, 100, [])
    assert state(at)["hands"]["Ann"] == [{"cards": ["TS", "6H", "KH"], "stake": 0, "total": 26}]
    at.do({"do": "undo"})
    assert (at.result()["staked"], at.result()["house"]) == (100, 0)


def test_surrender_is_for_the_first_two_cards_where_the_house_offers_it() -> None:
    dealt = "Ann:8S dealer:6S Ann:8H"
    assert code(table(dealt, surrender="none"), "surrender") == "not-offered"
    at = table(dealt)
    at.do({"do": "split", "cards": ["2S"]})
    assert code(at, "surrender") == "not-offered"
    at = table(dealt, stakes=(51,), surrender="early")
    at.do({"do": "surrender"})
    assert (at.result()["balances"]["Ann"], at.result()["house"], at.result()["staked"]) == (975, 25, 0)


SEEN = {"hand": 1, "cards": ["8S", "9H"], "stake": 100, "dealer": ["AS"]}
"""Ann's hand as displayed on the phone."""


def decides(**seen: Any) -> tuple[Table, dict[str, Any]]:
    return table("Ann:8S dealer:AS Ann:9H"), {**SEEN, **seen}


@pytest.mark.parametrize("verb", ["stand", "surrender", "insure"])
def test_a_decision_may_name_the_hand_that_it_is_about(verb: str) -> None:
    """Changes elsewhere do not invalidate it."""
    at, seen = decides()
    at.do({"do": "buy-in", "player": "Bo", "coins": 5})
    assert code(at, verb, player="Ann", only=seen) is None
    at, _ = decides()
    assert code(at, verb, player="Ann", only={"cards": ["8S", "9H"]}) is None


@pytest.mark.parametrize("verb", ["stand", "surrender", "insure"])
@pytest.mark.parametrize(
    "other", [{"hand": 2}, {"cards": ["8S", "9D"]}, {"cards": ["8S"]}, {"stake": 50}, {"dealer": ["AD"]}]
)
def test_a_decision_about_another_hand_is_none(verb: str, other: dict[str, Any]) -> None:
    at, seen = decides(**other)
    before = at.result()
    assert code(at, verb, player="Ann", only=seen) == "nothing-done"
    assert at.result() == before


@pytest.mark.parametrize("verb", ["stand", "surrender", "insure"])
@pytest.mark.parametrize(
    "only",
    [
        5,
        "8S",
        [],
        {"card": "8S"},
        {"cards": ["8S", "9H"], "suit": None},
        {"hand": True},
        {"hand": 1.0},
        {"stake": 100.0},
    ],
)
def test_a_decision_about_nothing_that_is_known_is_a_bad_script(verb: str, only: object) -> None:
    assert code(table("Ann:8S dealer:AS Ann:9H"), verb, player="Ann", only=only) == "bad-script"


def test_of_two_like_hands_of_a_split_the_one_is_not_the_other() -> None:
    """Repeated after a lost answer, the first hand's stand does not apply to the second hand."""
    at = table("Ann:8S dealer:6S Ann:8H")
    at.do({"do": "split", "cards": ["TS", "TS"]})
    seen = {"hand": 1, "cards": ["8S", "TS"], "stake": 100, "dealer": ["6S"]}
    assert code(at, "stand", player="Ann", only=seen) is None
    assert code(at, "stand", player="Ann", only=seen) == "nothing-done"
    assert code(at, "stand", player="Ann", only={**seen, "hand": 2, "cards": ["8H", "TS"]}) is None


def test_whose_turn_it_is_is_looked_at_before_the_hand_that_is_named() -> None:
    at = table("Ann:8S Bo:TH dealer:6S Ann:9H Bo:9C", stakes=(100, 100))
    assert code(at, "stand", player="Bo", only=SEEN) == "not-your-turn"


def test_the_face_down_card_is_known_to_nobody_before_it_is_turned() -> None:
    at = table("Ann:8S dealer:6S Ann:9H")
    assert state(at)["dealer"] == ["6S"]
    shown = at.view()
    assert shown["dealer"]["cards"] == ["6S"]  # type: ignore[typeddict-item]
    assert shown["dealer"]["has_hole"] is True  # type: ignore[typeddict-item]


def test_coins_may_be_bought_and_cashed_out_at_any_time() -> None:
    at = table("Ann:8S dealer:6S Ann:9H")
    assert code(at, "cash-out", player="Ann") is None
    assert code(at, "cash-out", player="Ann") == "nothing-done"
    assert code(at, "double", card="2S") == "not-enough-coins"
    assert code(at, "buy-in", player="Ann", coins=100) is None
    assert code(at, "double", card="2S") is None


def test_the_bank_bounds_what_all_bets_can_win() -> None:
    at = table(stakes=(), bank=300)
    assert code(at, "bet", player="Ann", amount=100) is None
    assert code(at, "bet", player="Bo", amount=101) == "over-limit"
    assert code(at, "bet", player="Bo", amount=100) is None


@pytest.mark.parametrize(
    ("limits", "most"),
    [({}, None), ({"max": 200, "cap": 300}, None), ({"max": 200, "cap": 200}, 133), ({"max": 500, "bank": 90}, 60)],
)
def test_pages_know_the_largest_bet_whose_blackjack_can_be_paid(limits: dict[str, int], most: int | None) -> None:
    """For example with a maximum payout of 200, since a blackjack with a bet of 200 would win 300."""
    at = table(stakes=(), **limits)
    assert at.view().get("most_bet") == most  # type: ignore[typeddict-item]
    largest = most or limits.get("max", 500)
    assert code(at, "bet", player="Ann", amount=largest + 1) == "over-limit"
    assert code(at, "bet", player="Ann", amount=largest) is None
