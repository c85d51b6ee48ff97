"""Receipts: each player's stakes and payouts of a round, bound to the journal."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from evenings import GAMES, Evening, random_evening

from companion.journal.hash_chain import Entry
from companion.journal.history.hand_history import HandHistory, Move
from companion.journal.receipt import MAX_TEXT, Receipt, put_in_and_got, receipt, signed_receipt
from companion.journal.trust.proof import ReceiptCode
from companion.journal.trust.witness import Statement
from companion.kernel.accounts import CAGE, HOUSE, Account, Kind
from companion.kernel.ledger import Transfer
from companion.testing import INSTALLED, new_header

STAKE = Kind.STAKE


def history_of(evening: Evening) -> HandHistory:
    return HandHistory(lambda after, limit: evening.entries[after:][: limit if limit >= 0 else None], INSTALLED)


def test_a_receipt_names_stakes_payouts_and_the_journal_s_hash():
    evening = Evening()
    evening.begin(new_header("roche", (("Ann", 50), ("Bo", 50))))
    bets = (("Ann", "cut/2", 5), ("Bo", "cut/7", 8), ("Bo", "cut/6", 3))
    for player, on, amount in bets:
        evening.do({"do": "bet", "player": player, "on": on, "amount": amount})
    evening.do({"do": "take-back", "player": "Bo", "on": "cut/6"})
    evening.do({"do": "no-more-bets"})
    assert receipt(history_of(evening), 1, 1) is None  # nothing is decided yet
    evening.do({"do": "deal", "card": "2D1"})
    evening.do({"do": "deal", "card": "2N1"})
    slip = receipt(history_of(evening), 1, 1)
    assert (slip.stakes, slip.payouts) == ({"Ann": 5, "Bo": 8}, {"Ann": 15})
    assert (slip.seq, slip.head) == (8, evening.entries[7].hash)
    assert slip.text == "roche 1-1 2026-05-01T20:00:08Z Ann+10 Bo-8 #8 0000000000000000"


def test_what_comes_after_the_end_of_a_hand_is_not_on_its_receipt():
    evening = Evening()
    evening.begin(new_header("rochi", tuple((name, 100) for name in ("Ann", "Bo", "Cy"))))
    for card in ("7D1", "7D2", "6D1", "6D2", "5D1", "4D1"):
        evening.do({"do": "seed", "card": card})
    evening.do({"do": "play", "card": "2D1"})
    evening.do({"do": "deal", "card": "2D2"})
    evening.do({"do": "join", "player": "Di", "coins": 20, "into": {}})
    slip = receipt(history_of(evening), 1, 1)
    assert (slip.stakes, slip.payouts) == ({"Ann": 1}, {"Ann": 1})


def test_a_side_bet_that_is_decided_later_is_on_the_receipt():
    """The chain continues for side bets; their stakes were part of the round, so their payouts are, too."""
    evening = Evening()
    evening.begin(new_header("rugen-street", tuple((name, 50) for name in ("Ann", "Bo", "Cy", "Di"))))
    evening.do({"do": "throw", "face": "3d"})
    evening.do({"do": "stake", "units": 1})
    evening.do({"do": "take", "player": "Bo", "number": 1})
    evening.do({"do": "side-bet", "units": 1, "numbers": {"Cy": 2, "Di": 4}})
    evening.do({"do": "close"})
    evening.do({"do": "throw", "face": "1d"})
    open_ = receipt(history_of(evening), 1, 1)
    assert (open_.stakes, open_.payouts) == ({"Ann": 4, "Bo": 8, "Cy": 5, "Di": 3}, {"Bo": 12})
    evening.do({"do": "throw", "face": "2d"})
    evening.do({"do": "throw", "face": "2d"})
    evening.do({"do": "throw", "face": "4d"})
    evening.do({"do": "stake", "units": 1})  # of the next chain
    slip = receipt(history_of(evening), 1, 1)
    assert (slip.stakes, slip.payouts) == ({"Ann": 4, "Bo": 8, "Cy": 5, "Di": 3}, {"Bo": 12, "Cy": 8})
    assert (slip.seq, slip.head) == (open_.seq, open_.head)


def spun(evening: Evening, pocket: str, *bets: tuple[str, str, int]) -> None:
    for player, on, amount in bets:
        evening.do({"do": "bet", "player": player, "on": on, "amount": amount})
    evening.do({"do": "no-more-bets"})
    evening.do({"do": "spin", "pocket": pocket})


def prison() -> Evening:
    """Two spins: a zero puts three bets in prison, then one of them is released and two are lost, beside new bets."""
    evening = Evening()
    evening.begin(new_header("roulette", tuple((name, 100) for name in ("Ann", "Bo", "Cy"))))
    spun(evening, "0", ("Ann", "odd", 5), ("Bo", "red", 5), ("Bo", "straight/3", 1), ("Cy", "red", 25))
    spun(evening, "17", ("Bo", "red", 5))
    return evening


def test_a_stake_that_waits_for_the_next_round_is_neither_won_nor_lost():
    slip = receipt(history_of(prison()), 1, 1)
    assert (slip.stakes, slip.payouts, slip.staying) == (
        {"Ann": 5, "Bo": 6, "Cy": 25}, {}, {"Ann": 5, "Bo": 5, "Cy": 25},
    )  # fmt: skip
    assert slip.gains == {"Ann": 0, "Bo": -1, "Cy": 0}
    assert " Ann+0 Bo-1 Cy+0 " in slip.text


def test_a_stake_from_an_earlier_round_is_on_the_receipt_of_the_one_that_decides_it():
    """Cy lost 25 though they put nothing down in this round, Bo 10, Ann nothing."""
    slip = receipt(history_of(prison()), 1, 2)
    assert (slip.stakes, slip.payouts) == ({"Bo": 10, "Ann": 5, "Cy": 25}, {"Ann": 5})
    assert slip.gains == {"Ann": 0, "Bo": -10, "Cy": -25}
    assert (slip.before[Account.stake("Bo", "red")], slip.after) == (5, {})


def test_a_receipt_printed_before_stakes_between_rounds_counted_still_fits():
    slip = receipt(history_of(prison()), 1, 2)
    assert slip.texts[1].endswith(f" Bo-5 Ann+5 #{slip.seq} {slip.head[:16]}")
    for text in slip.texts:
        assert ReceiptCode.parse(text).wrong_with(slip) is None
    assert ReceiptCode.parse(slip.text.replace("Bo-10", "Bo-1")).wrong_with(slip) is not None


def test_stakes_between_rounds_follow_an_undo_over_the_border():
    evening = prison()
    history = history_of(evening)
    assert receipt(history, 1, 2).gains["Cy"] == -25
    for _ in range(4):  # the second round, and the first one's spin
        evening.do({"do": "undo"})
    evening.do({"do": "spin", "pocket": "3"})
    assert receipt(history, 1, 1).gains == {"Ann": 5, "Bo": 40, "Cy": 25}
    spun(evening, "17", ("Bo", "red", 5))
    assert receipt(history, 1, 2).gains == {"Bo": -5}


@pytest.mark.parametrize("game", GAMES)
def test_the_receipts_of_an_evening_add_up_to_what_everybody_won(game):
    """Apart from joins, fees and recounts, stakes and payouts are all that changes anybody's coins."""
    evening = random_evening(21, (game,))
    history = history_of(evening)
    for hand in history.hands(-1):
        slip = receipt(history, hand["session"], hand["number"])
        assert (slip is None) == (hand["result"] is None)
        if slip is not None:
            every = history.moves(hand["session"], hand["number"])
            moves = [m for m in every if m.seq <= slip.seq or m.transfer.payer.kind is not Kind.PLAYER]
            net = {}
            for t in (m.transfer for m in moves if CAGE not in (m.transfer.payer, m.transfer.payee)):
                net[t.payer] = net.get(t.payer, 0) - t.coins
                net[t.payee] = net.get(t.payee, 0) + t.coins
            for name in hand["players"]:
                staked = sum(coins for account, coins in net.items() if (account.kind, account.name) == (STAKE, name))
                assert slip.gains.get(name, 0) == net.get(Account.player(name), 0) + staked


def test_payments_that_the_dealer_released_are_on_the_receipt():
    moves = [Move(9, "", "release", Transfer(Account.player("Ann"), Account.player("Bo"), 6, "penalty"))]
    assert put_in_and_got(moves) == ({"Ann": 6}, {"Bo": 6})


def test_of_what_moves_after_the_decision_only_releases_and_open_stakes_count():
    """A bet in the next round is not on the receipt, although the same players place it."""
    ann, bo, stake = Account.player("Ann"), Account.player("Bo"), Account.stake("Bo", "side")
    moves = [
        move(ann, bo, 1, seq=5), move(ann, bo, 10, seq=6), move(ann, bo, 100, "release", seq=7),
        move(stake, bo, 1000, "throw", seq=8),
    ]  # fmt: skip
    hand = {"head": "ab" * 32, "decided": 5, "ended": "noon", "game": "rochi"}
    history = SimpleNamespace(
        hand=lambda session, number: hand, moves=lambda session, number: moves,
        staked_before=lambda session, number: {},
    )  # fmt: skip
    slip = receipt(history, 1, 7)  # type: ignore[arg-type]
    assert (slip.stakes, slip.payouts) == ({"Ann": 101}, {"Bo": 1101})


def test_the_text_fits_a_code_whatever_the_names():
    names = {f"Player with a long name {n}": 1000 for n in range(12)}
    slip = Receipt(1, 7, "rochi", "2026-05-01T20:15:00.123Z", 99, "ab" * 32, names, {})
    assert len(slip.text) <= MAX_TEXT
    assert slip.text.endswith("… #99 abababababababab")


def test_as_many_names_as_fit_stand_in_the_text():
    """Up to 160 characters, including the sign that there are more; one character more, and a name is left out."""
    short = Receipt(1, 7, "rochi", "2026-05-01T20:15:00.123Z", 99, "ab" * 32, {"Ann": 5}, {})
    room = MAX_TEXT - 2 - len(short.text)
    for letters, fits in ((room - 3, True), (room - 2, False)):
        slip = Receipt(1, 7, "rochi", short.ended, 99, short.head, {"Ann": 5}, {"b" * letters: 7})
        assert (("b" * letters) in slip.text) is fits
        assert slip.text.endswith(f"{'' if fits else ' …'} #99 abababababababab")
        assert " Ann-5 " in slip.text


def move(payer: Account, payee: Account, coins: int, verb: str = "bet", seq: int = 1) -> Move:
    return Move(seq, "", verb, Transfer(payer, payee, coins, ""))


def test_what_was_put_in_and_got_without_the_cashier():
    """Buy-ins and cash-outs are not part of a round, a stake taken back was never put in, the bank is left out."""
    ann, bo, stake = Account.player("Ann"), Account.player("Bo"), Account.stake("Ann", "cut/2")
    moves = [
        move(CAGE, ann, 100), move(bo, CAGE, 50), move(ann, stake, 8), move(stake, ann, 3, "take-back"),
        move(stake, ann, 5), move(HOUSE, ann, 5), move(bo, HOUSE, 2), move(bo, HOUSE, 2),
    ]  # fmt: skip
    assert put_in_and_got(moves) == ({"Ann": 5, "Bo": 4}, {"Ann": 10})
    assert put_in_and_got([move(ann, stake, 3), move(stake, ann, 3, "take-back")]) == ({}, {})


def test_coins_from_aside_are_neither_put_in_nor_won():
    """A buy-in amid a round was a payout on its receipt."""
    ann = Account.player("Ann")
    moves = [move(Account.aside("Ann"), ann, 4, "buy-in"), move(ann, HOUSE, 2, "buy-bonus")]
    assert put_in_and_got(moves) == ({"Ann": 2}, {})


def test_a_receipt_as_pages_see_it():
    slip = Receipt(1, 7, "rochi", "2026-05-01T20:15:00.123Z", 99, "ab" * 32, {"Ann": 5}, {"Bo": 5})
    assert slip.to_json() == {
        "id": "1-7", "session": 1, "number": 7, "game": "rochi", "ended": slip.ended, "seq": 99, "head": slip.head,
        "stakes": {"Ann": 5}, "payouts": {"Bo": 5}, "text": slip.text,
    }  # fmt: skip
    assert replace(slip, after={Account.stake("Ann", "red"): 2}).to_json()["staying"] == {"Ann": 2}


def entry(seq: int, kind: str = "command", record: str = "{}") -> Entry:
    return Entry(seq, "noon", 1, kind, "dealer", None, record, "[]", "aa", f"{seq:02x}" * 32)  # type: ignore[arg-type]


def test_a_receipt_for_anybody_holds_what_was_signed_with_the_decision():
    slip = Receipt(1, 7, "rochi", "noon", 3, "03" * 32, {}, {})
    signed = Statement("j", 4, "04" * 32, "noon", "public", "signature")
    told = entry(4, "notice", '{"text": "open to all"}')
    assert signed_receipt(slip, [entry(3), told], signed) == {
        "kind": "companion receipt", "version": 1, "id": "1-7", "game": "rochi", "journal": "j", "public": "public",
        "signature": "signature", "entries": [list(entry(3)), list(told)],
    }  # fmt: skip
    assert signed_receipt(slip, [], signed) is None
    assert signed_receipt(slip, [entry(3)], signed) is None  # what was signed is another one
    private = entry(4, "notice", '{"text": "who guessed", "private": true}')
    assert signed_receipt(slip, [entry(3), private], signed) is None
    assert signed_receipt(slip, [entry(3), entry(4, "command", '{"private": true}')], signed) is not None
